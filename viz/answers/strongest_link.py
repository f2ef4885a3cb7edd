"""The token that a word attends to most in the selected head, in one sentence, and what to open next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from encoder.measures.near_ties import first_largest
from encoder.measures.unit_attention import MEAN, head_or_mean, strongest_cell, word_profile
from encoder.runs.trace import TokenTask, Trace
from encoder.shipped.probes import has_probes
from encoder.text.common_words import fold_case, has_letters
from encoder.text.occurrences import Positions, positions_of_word
from viz.answers.word_places import find_word_places, occurrences_of
from viz.examples import EXAMPLES
from viz.state.codecs import Cut
from viz.state.selection import COMPARE_WITH_RANDOM, Selection
from viz.tours.places import LETTERS
from viz.tours.tour import Letter
from viz.wording.labels import head_in_words, word_label
from viz.wording.numbers import percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A word and the token that receives most of its attention.

    Attributes:
        letter: of the sentence, "" where there is only one.
        run: of the trace on the page: "pair", "A" or "B".
        queries, keys: token positions of the word and of the target.
        share: of the word's attention, in [0, 1].
        is_special: whether the target is a special token.
    """

    letter: Letter | None
    run: str
    word: str
    target: str
    queries: Positions
    keys: Positions
    share: float
    is_special: bool = False

    @property
    def query(self) -> int:
        return self.queries[0]

    @property
    def key(self) -> int:
        return self.keys[0]

    @property
    def cut(self) -> Cut:
        """The cut of this link in all layers and heads."""
        return Cut(run="B" if self.run == "B" else "A", query=self.queries, key=self.keys)


def strongest_links(traces: Mapping[str, Trace], selection: Selection) -> list[Link]:
    """The strongest link of the word that A and B share in the selected head; else the strongest of the first text.

    Args:
        traces: of the pair, or of each sentence by its letter.
    Returns:
        One or two links; none if the text has no word.
    """
    found = [
        _link(letter, run, trace, positions, selection)
        for letter, run, trace, positions in _shared_word(traces, selection)
    ]
    if found:
        return found
    run, trace = next(iter(traces.items()))
    weights = head_or_mean(trace.weights(selection.layer), selection.head)
    words = [position for position, word in enumerate(trace.tokens.word_ids) if word is not None]
    if not words:
        return []
    query, _ = strongest_cell(weights, words, words)
    word_index = trace.tokens.word_ids[query]
    if word_index is None:
        return []
    return [_link(None, run, trace, positions_of_word(trace.tokens, word_index), selection)]


WHY_OF_TOKENS: Final[Mapping[TokenTask, tuple[str, dict[str, Any]]]] = {
    "tags": ("Why these tags?", {"view": "why", "why": "tag"}),
    "span": ("Why this answer?", {"view": "why", "why": "start"}),
}


def shared_word_positions(traces: Mapping[str, Trace], selection: Selection) -> dict[str, list[int]]:
    """Where the word that A and B share begins in every run, by its place; in a pair it begins twice.

    Args:
        traces: of the pair, or of each sentence by its letter.
    """
    found: dict[str, list[int]] = {}
    for _, run, _, positions in _shared_word(traces, selection):
        found.setdefault(run, []).append(positions[0])
    return found


def link_sentence(links: Sequence[Link], selection: Selection) -> str:
    """The links in words: “In layer 0, head 4, “flies” gives 80 % of its attention to “time” in A …”; plain text.

    They are of the whole row: where special tokens are hidden or rows rescaled, it says so.
    """
    if not links:
        return ""
    layer, head = selection.layer, selection.head
    where = f"On average over the heads of layer {layer}" if head == MEAN else f"In {head_in_words(layer, head)}"
    first, *rest = links
    said = f"{where}, “{first.word}” gives {percent(first.share)} of its attention to {_target(first)}"
    for each in rest:
        said += f" and {percent(each.share)} to {_target(each)}"
    if selection.special != "show" and any(link.is_special for link in links):
        said += ". Special tokens are hidden, so the picture does not show this"
    elif selection.special == "renormalise":
        said += ". The picture has larger shares, because special tokens are left out of its rows"
    return f"{said}."


def next_steps(
    links: Sequence[Link], traces: Mapping[str, Trace], selection: Selection
) -> list[tuple[str, dict[str, Any]]]:
    """Questions that follow from the picture, each with the values of the selection that answer it."""
    steps: list[tuple[str, dict[str, Any]]] = []
    if links:
        first = links[0]
        cell = {"query": first.query, "key": first.key, "pinned_in": "B" if first.run == "B" else "A"}
        steps.append((f"How is {percent(first.share)} computed?", {"view": "anatomy", "walk": "softmax", **cell}))
    trace = next(iter(traces.values()))
    predicted = trace.prediction
    if len(links) == len(LETTERS) and has_probes(trace.model_name):
        steps.append(("How sure is it, layer by layer?", {"view": "word lens"}))
    elif predicted is not None and predicted.trained and predicted.probabilities is not None:
        label = predicted.labels[predicted.probabilities.argmax()]
        steps.append((f"Why “{word_label(label)}”?", {"view": "why", "why": "class"}))
    elif trace.token_prediction is not None and trace.token_prediction.task in WHY_OF_TOKENS:
        steps.append(WHY_OF_TOKENS[trace.token_prediction.task])
    else:
        steps.append(("What do all heads do?", {"view": "model view"}))
    return [*steps, ("Compare with random weights", dict(COMPARE_WITH_RANDOM))]


def _shared_word(traces: Mapping[str, Trace], selection: Selection) -> list[tuple[Letter, str, Trace, Positions]]:
    """The word of the word lens in each sentence; nothing if the sentences share none."""
    if len(traces) == len(LETTERS):
        occurrences = occurrences_of(traces, find_word_places(traces, selection))
        if len(occurrences) < len(LETTERS):
            return []
        return [(each.letter, each.letter, each.trace, each.positions) for each in occurrences]
    run, trace = next(iter(traces.items()))
    return [
        (letter, run, trace, positions_of_word(trace.tokens, word_index))
        for letter, word_index in zip(LETTERS, shared_in_pair(trace, selection), strict=False)
    ]


def shared_in_pair(trace: Trace, selection: Selection) -> Sequence[int]:
    """Indices of the shared word in A and in B of a pair: that of the example, or the longest."""
    tokens = trace.tokens
    sentence_of = dict(zip(tokens.word_ids, tokens.sentence_ids, strict=True))
    places: dict[str, list[int | None]] = {}
    for word_index, sentence in sentence_of.items():
        if word_index is not None and sentence is not None:
            found = places.setdefault(fold_case(tokens.words[word_index]), [None, None])
            if found[sentence] is None:
                found[sentence] = word_index
    shared = {word: indices for word, indices in places.items() if None not in indices and has_letters(word)}
    if not shared:
        return ()
    texts = (selection.texts.a, selection.texts.b)
    preferred = next((each.word for each in EXAMPLES if (each.a, each.b) == texts), "")
    word = preferred if preferred in shared else max(shared, key=len)
    return [index for index in shared[word] if index is not None]


def _link(letter: Letter | None, run: str, trace: Trace, positions: Positions, selection: Selection) -> Link:
    profile = word_profile(trace.weights(selection.layer), trace.tokens, positions, head=selection.head)
    target = int(first_largest(profile.looks_at))
    units = profile.units
    return Link(
        letter=letter,
        run=run,
        word=word_label(units.labels[profile.word]),
        target="" if target == profile.word else word_label(units.labels[target]),
        queries=positions,
        keys=tuple(units.members[target]),
        share=float(profile.looks_at[target]),
        is_special=trace.tokens.special[units.members[target][0]],
    )


def _target(link: Link) -> str:
    target = f"“{link.target}”" if link.target else "itself"
    return f"{target} in {link.letter}" if link.letter else target
