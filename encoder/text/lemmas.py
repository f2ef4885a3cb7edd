"""Lemmas: the form of a word that a dictionary lists, such as "fly" for "flies", "flew" and "flown".

A form has one lemma, whatever its sentence: "saw" is a form of "see", and "left" none of "leave".

Source: the dictionaries and rules of Barbaresi (2021), Simplemma, https://doi.org/10.5281/zenodo.4673264.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = "en"


def lemma(word: str, language: str = ENGLISH) -> str:
    """The lemma of a word in lower case; a word that the language does not have mostly stays unchanged.

    Args:
        language: a code of simplemma, such as "de". English takes 20 MB and is fast; other dictionaries stay packed,
            as some would take 400 MB.
    """
    from simplemma import lemmatize  # lazy: it reads a dictionary, 0.15 s for English

    return lemmatize(word.lower(), lang=language, low_memory=language != ENGLISH).lower()
