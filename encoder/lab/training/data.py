"""Readers for the public data that models are trained and evaluated on.

Files may be gzipped, whatever their name. Readers return typed rows, or raise a `DataError` with the file and the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from encoder.errors import DataError
from encoder.models.labels import SENTIMENTS, TAGS, VERB_LABELS
from encoder.text.rows import (
    numbered_lines,
    parse_choice,
    parse_fraction,
    read_objects,
    read_table,
    require_index,
    require_list,
    require_rows,
    require_words,
)

# Mean published score of each of the five classes, over all phrases of the treebank.
CLASS_SCORES = (0.139, 0.311, 0.503, 0.691, 0.857)

SST = "Stanford Sentiment Treebank (Socher et al. 2013), https://nlp.stanford.edu/sentiment/"
EWT = "Universal Dependencies English EWT 2.16, https://github.com/UniversalDependencies/UD_English-EWT"
CHALLENGE = "noun-verb challenge set (Elkahky et al. 2018), https://github.com/google-research-datasets/noun-verb"
SOURCES = {
    "sst_train.tsv": SST,
    "sst_dev.tsv": SST,
    "sst_phrases_train.tsv": SST,
    "ewt_train.jsonl": EWT,
    "ewt_dev.jsonl": EWT,
    "noun_verb_homographs.jsonl": EWT,
    "noun_verb_challenge_dev.jsonl": CHALLENGE,
    "longtext.txt": "text of Alice's Adventures in Wonderland, https://www.gutenberg.org/ebooks/11",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A sentence or phrase of the Stanford Sentiment Treebank."""

    text: str  # as typed
    treebank_text: str  # the treebank's tokens, joined by spaces
    score: float  # 0 = most negative, 1 = most positive
    sentiment: int  # index into SENTIMENTS
    fine_class: int  # 0 (very negative) to 4 (very positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedSentence:
    """A sentence of a treebank, with the universal part of speech of each word."""

    name: str
    words: tuple[str, ...]
    tags: tuple[int, ...]  # indices into TAGS
    space_after: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Homograph:
    """A word in its sentence, which occurs as a noun and as a verb."""

    words: tuple[str, ...]
    index: int
    tag: int  # index into TAGS
    split: str  # "train" or "dev"
    balanced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NounVerb:
    """A word of the noun-verb challenge set in its sentence."""

    words: tuple[str, ...]
    index: int
    is_verb: bool


def find_file(folder: Path, name: str) -> Path:
    """Find a file in the data folder, gzipped ("name.gz") or plain.

    Raises:
        DataError: it is missing; the message names the public source.
    """
    for path in (folder / f"{name}.gz", folder / name):
        if path.is_file():
            return path
    source = f": it comes from the {SOURCES[name]}" if name in SOURCES else ""
    raise DataError(f"{folder} holds neither {name} nor {name}.gz{source}.")


def read_reviews(path: Path) -> list[Review]:
    """Sentences or phrases with their sentiment, from a table with a header.

    The published score is in the column `score_exact`, if present. Phrases without one get the mean published score of
    their class, which is more accurate than class / 4. Rows flagged `is_held_out_sentence` are left out.
    """
    rows = []
    for where, row in read_table(path, needed=("text", "score", "label3")):
        if row.get("is_held_out_sentence") == "1":
            continue
        score = parse_fraction(where, "score", row["score"])
        given = row.get("class5", "")
        fine_class = (
            parse_choice(where, "class5", given, ("0", "1", "2", "3", "4")) if given else min(int(score * 5), 4)
        )
        if row.get("score_exact"):
            score = parse_fraction(where, "score_exact", row["score_exact"])
        elif "score_exact" in row:
            score = CLASS_SCORES[fine_class]
        if not row["text"].strip():
            raise DataError(f"{where}: the text is empty.")
        rows.append(
            Review(
                text=row.get("natural") or row["text"],
                treebank_text=row["text"],
                score=score,
                sentiment=parse_choice(where, "label3", row["label3"], SENTIMENTS),
                fine_class=fine_class,
            )
        )
    return require_rows(path, rows)


def read_tagged(path: Path) -> list[TaggedSentence]:
    """Sentences with one of the 17 universal tags per word."""
    sentences = []
    for where, row in read_objects(path):
        words = require_words(where, row)
        tags = require_list(where, row, "upos")
        if len(tags) != len(words):
            raise DataError(f"{where}: {len(words)} words have {len(tags)} tags; every word needs one.")
        spaces = row.get("space_after", "1" * len(words))
        if not isinstance(spaces, str) or len(spaces) != len(words):
            raise DataError(f"{where}: 'space_after' must be a string of {len(words)} digits, one per word.")
        sentences.append(
            TaggedSentence(
                name=str(row.get("sent_id", "")),
                words=words,
                tags=tuple(parse_choice(where, "upos", tag, TAGS) for tag in tags),
                space_after=tuple(space == "1" for space in spaces),
            )
        )
    return require_rows(path, sentences)


def read_paragraphs(path: Path, *, most_words: int = 30) -> list[str]:
    """The text of a book in parts of whole sentences, of about so many words each, with plain quotation marks."""
    text = " ".join(line.decode(errors="replace").strip() or "\n" for _, line in numbered_lines(path))
    for typographic, plain in (("\u2018", "'"), ("\u2019", "'"), ("“", '"'), ("”", '"'), ("_", "")):
        text = text.replace(typographic, plain)
    parts: list[str] = []
    for paragraph in text.split("\n"):
        part = ""
        for sentence in re.split(r"(?<=[.!?;:])\s+", paragraph.strip()):
            if part and len(part.split()) + len(sentence.split()) > most_words:
                parts.append(part)
                part = ""
            part = f"{part} {sentence}".strip()
        parts.append(part)
    return require_rows(path, [part for part in parts if len(part.split()) > 3])


def read_homographs(path: Path) -> list[Homograph]:
    """Words that occur as noun and as verb, each in its sentence."""
    return require_rows(
        path,
        [
            Homograph(
                words=require_words(where, row),
                index=require_index(where, row),
                tag=parse_choice(where, "upos", row.get("upos"), TAGS),
                split=("train", "dev")[parse_choice(where, "split", row.get("split"), ("train", "dev"))],
                balanced=bool(row.get("balanced")),
            )
            for where, row in read_objects(path)
        ],
    )


def read_noun_verb(path: Path) -> list[NounVerb]:
    """The noun-verb challenge set, for evaluation only."""
    return require_rows(
        path,
        [
            NounVerb(
                words=require_words(where, row),
                index=require_index(where, row),
                is_verb=bool(parse_choice(where, "label", row.get("label"), VERB_LABELS)),
            )
            for where, row in read_objects(path)
        ],
    )
