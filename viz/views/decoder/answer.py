"""The text that an encoder-decoder read and wrote, step by step and from earlier layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from encoder.experiments.decoder_lens import WrittenText
from encoder.measures.combined_attention import (
    attention_to_copied_tokens_by_head,
    uniform_attention_to_copied_tokens,
)
from encoder.measures.unit_attention import head_or_mean
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Candidate, Generation
from encoder.shipped.card import Figure
from viz.answers.answer import Answer, Columns, Sentence, Table
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, head_in_words, make_visible
from viz.wording.numbers import percent

NONE_YET: Final = "nothing yet"
SMALLEST_SHOWN: Final = 0.0005  # rounds to 0.1 %


def text(generation: Generation, accuracy: Figure | None) -> Answer:
    """Whether the text is right, and the caveats of the run.

    Args:
        accuracy: exact match of the model on this task; None if it was not measured.
    """
    parts = []
    truncated = generation.source.tokens.truncated[0]
    if truncated:
        parts.append(Sentence(f"The text is too long, so its last {truncated:,} tokens are left out.", "warning"))
    if not generation.complete:
        stopped = f"The decoder was stopped after {len(generation.written)} tokens, before it wrote its end token."
        parts.append(Sentence(stopped, "warning"))
    about = " ".join(filter(None, (_verdict(generation), _measured(accuracy), *generation.notes)))
    return Answer((*parts, Sentence(about, "caption")) if about else tuple(parts))


def step_shown(generation: Generation, chosen: int | None) -> int:
    """The chosen step, counted from 0; the last step if none is chosen or it does not exist."""
    last = len(generation.written) - 1
    return last if chosen is None else min(chosen, last)


def step(generation: Generation, at: int) -> Answer:
    """The token that the decoder reads and the one it writes at a step, counted from 0, with the alternatives."""
    read, written = (make_visible(tokens.labels[at]) for tokens in (generation.target.tokens, generation.written))
    before = " ".join(make_visible(label) for label in generation.written.labels[:at]) or NONE_YET
    sentence = (
        f"**Step {at + 1} of {len(generation.written)}.** Written so far: {escape_markdown(before)}. The decoder reads "
        f"**{escape_markdown(read)}** and writes **{escape_markdown(written)}**. "
        f"Likeliest: {', '.join(map(_named, _worth_naming(generation.candidates[at])))}."
    )
    return Answer((Sentence(sentence),))


def attention_to_copied_tokens(generation: Generation, selection: Selection) -> FloatArray | None:
    """(L, H) attention of every head to the copied tokens.

    None if these tokens are unknown, or the view does not outline them.
    """
    decoder = selection.decoder
    if decoder.picture not in ("heat map", "head view") or decoder.kind not in ("cross", "all"):
        return None
    if not any(generation.origins) or selection.layer >= len(generation.cross):
        return None
    return attention_to_copied_tokens_by_head(generation)


def alignment(generation: Generation, selection: Selection, shares: FloatArray) -> Answer:
    """The attention of the selected head to the copied tokens.

    Args:
        shares: (L, H) from `attention_to_copied_tokens`.
    """
    layer, head = selection.layer, selection.head
    name = head_in_words(layer, head)
    chance = uniform_attention_to_copied_tokens(generation.origins, len(generation.source.tokens))
    share = percent(float(head_or_mean(shares[layer], head)))
    sentence = (
        f"**It is known where every written token comes from** (outlined). In {name}, {share} of the attention goes to "
        f"those tokens; a head that looks at all tokens equally would give them {percent(chance)}."
    )
    return Answer((Sentence(sentence, "caption"),))


def lens(texts: Sequence[WrittenText], accuracies: Sequence[Figure], expected: str | None) -> Answer:
    """What the decoder writes from each of the encoder's L + 1 states, embeddings first, with the right answer.

    Args:
        accuracies: exact match of each state.
        expected: the right answer, if it is known.
    """
    first = accuracies[0]
    right = "" if expected is None else f"The right answer: “{escape_markdown(expected)}”. "
    copying = "" if first.baseline is None else f"; copying the source would be right on {percent(first.baseline, 1)}"
    caption = (
        f"{right}In each row, the decoder reads an earlier state of the encoder (after its final layer norm); in the "
        f"last row, what it always reads. Exact match was measured on {first.n:,} held-out items of this "
        f"task{copying}. **What it does not show.** A wrong text does not mean that the answer is missing from the "
        "state: the decoder was trained to read the last one only (Langedijk et al. 2023)."
    )
    table = Table(
        name="decoder-lens",
        title="What it writes from each state",
        columns=lambda: _lens_columns(texts, accuracies, expected),
        on_page="open",
    )
    return Answer((table, Sentence(caption, "caption")))


def _verdict(generation: Generation) -> str:
    if generation.expected is None:
        return ""
    if generation.written.sentences[0] == generation.expected:
        return "**Right.**"
    return f"**Wrong:** it should have written “{escape_markdown(generation.expected)}”."


def _measured(accuracy: Figure | None) -> str:
    if accuracy is None:
        return ""
    share = percent(accuracy.value, 1)
    return f"It is exactly right on {share} of {accuracy.n:,} items of this task: {accuracy.test_set}."


def _worth_naming(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The likeliest candidate, and those whose probability does not round to 0.0 %."""
    return [
        candidate for rank, candidate in enumerate(candidates) if rank == 0 or candidate.probability >= SMALLEST_SHOWN
    ]


def _named(candidate: Candidate) -> str:
    return f"{escape_markdown(make_visible(candidate.label))} {percent(candidate.probability, 1)}"


def _lens_columns(texts: Sequence[WrittenText], accuracies: Sequence[Figure], expected: str | None) -> Columns:
    names = ["the embeddings", *(f"the states after layer {layer}" for layer in range(len(texts) - 1))]
    columns: dict[str, list[str]] = {"the decoder reads": names, "it writes": [_shown(text) for text in texts]}
    if expected is not None:
        columns["right"] = ["✓" if _is_right(text, expected) else "✗" for text in texts]
    return columns | {"exact match": [percent(accuracy.value, 1) for accuracy in accuracies]}


def _is_right(text: WrittenText, expected: str) -> bool:
    return text.complete and text.tokens.sentences[0] == expected


def _shown(text: WrittenText) -> str:
    written = text.tokens.sentences[0] or "(nothing)"
    return written if text.complete else f"{written} … (stopped after {len(text.tokens)} tokens)"
