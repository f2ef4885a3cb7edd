"""The tokens of a text for the token strip: what the model reads, in order, with ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from encoder.measures.word_tags import OUTSIDE, word_tags
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens
from viz.wording.labels import make_visible, shorten

MAX_WORD: Final = 80  # characters of a word in the tooltip: 100 kB without a space is one word of 512 tokens


def payload(tokens: Tokens, *, sentence: int | None = None, tags: Sequence[str] = (), run: str = "") -> dict[str, Any]:
    """The token strip, as JSON-able data.

    Args:
        tokens: T tokens of one or two sentences.
        tags: the text under each of `tokens.words`, or none.
        sentence: 0 or 1 if they are sentence A or B of two that were encoded separately.
        run: "pair", "A" or "B", by which a stop of a tour points at them.
    Returns:
        `tokens`: a dictionary for each token, with label, piece, id, type, position, word (an index into `words`, None
        for special tokens), continues (belongs to the same word as its predecessor), special, sentence (0 = A, 1 = B,
        None).
        `tags`: one per word, or none. `words`: the text of each word, shortened. `n_sentences`: 1 or 2.
        `first`: position of the first token in the text, which is not 0 in an excerpt.
        Control characters are visible.
    """
    return {
        "tokens": [
            {
                "label": make_visible(tokens.labels[position]),
                "piece": make_visible(tokens.pieces[position]),
                "id": int(tokens.ids[position]),
                "type": int(tokens.token_type_ids[position]),
                "position": position,
                "word": tokens.word_ids[position],
                "continues": _continues(tokens, position),
                "special": bool(tokens.special[position]),
                "sentence": _letter(tokens.sentence_ids[position], sentence),
            }
            for position in range(len(tokens))
        ],
        "tags": list(tags),
        "words": [shorten(make_visible(word), MAX_WORD) for word in tokens.words],
        "n_sentences": len(tokens.sentences) if sentence is None else 2,
        "run": run,
        "first": tokens.first,
    }


def tags_of_head(trace: Trace) -> tuple[str, ...]:
    """The tag that the model's own head gives to each of `tokens.words`, "" for O and words that were cut off.

    Nothing without such a head.
    """
    tags = word_tags(trace)
    if tags is None:
        return ()
    found = dict(zip(tags.words, tags.likeliest, strict=True))
    return tuple("" if (tag := found.get(word, "")) in OUTSIDE else tag for word in range(len(trace.tokens.words)))


def _continues(tokens: Tokens, position: int) -> bool:
    word = tokens.word_ids[position]
    return position > 0 and word is not None and word == tokens.word_ids[position - 1]


def _letter(sentence_id: int | None, sentence: int | None) -> int | None:
    return sentence_id if sentence is None or sentence_id is None else sentence
