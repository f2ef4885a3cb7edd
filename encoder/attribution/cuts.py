"""What a change of one link does to a model's outputs, next to the same change of random links of similar weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from encoder.columns import Columns
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.unit_attention import attention_between
from encoder.measures.units import Units, occurrence_states, units_of
from encoder.models.base import Backend, Reading
from encoder.models.interventions import UNCHANGED, Intervention
from encoder.models.labels import TAGS
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.links import Link, Place
from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, load_probes
from encoder.text.given import Given, row_of
from encoder.text.occurrences import positions_of_word
from encoder.text.tokens import Tokens

DRAWS = 20  # random links
NEAREST = 3  # random links are drawn from so many times as many of the nearest weight
PART_OF_SPEECH = "part of speech"
SHIFT = "shift"


class Output(NamedTuple):
    """A number that a model gives: a label's probability, a score, or how far a word's last vector has moved.

    Attributes:
        what: "class", "score", "tag", "word at mask", "answer", "part of speech" by the probe of the last layer, or
            "shift", 1 minus the cosine of the last vector to the unchanged one.
        of: the word that it is of; "" for the whole text.
        label: "" for a score or a shift.
    """

    what: str
    of: str
    label: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class LinkEffects(Columns):
    """Outputs of a model for a text before and after links are changed, and after random links are.

    Attributes:
        links: located in the text.
        weight: of a single link before the change, the mean over its queries, and over heads and layers if it is in
            several; NaN of several links.
        outputs: O of them, of each kind the likeliest label before and after.
        before, after: (O,); NaN for a word at a mask that is not among the likeliest.
        random: (R, O) after each of R random links was changed in the same heads. R is 0 for several links, and may be
            0 in a short text.
        random_weights: (R,) of these links.
    """

    tokens: Tokens
    links: tuple[Link, ...]
    weight: float
    outputs: tuple[Output, ...]
    before: FloatArray
    after: FloatArray
    random: FloatArray
    random_weights: FloatArray

    @property
    def about(self) -> str:
        return " ".join(link.note(self.tokens) for link in self.links)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of O rows: the output, before and after, and the range after random links were changed."""
        outputs = {name: [getattr(output, name) for output in self.outputs] for name in Output._fields}
        drawn = self.random if len(self.random) else np.full((1, len(self.outputs)), np.nan, np.float32)
        edges = {"random_lowest": drawn.min(0), "random_highest": drawn.max(0)}
        return {**outputs, "before": self.before, "after": self.after, **edges}

    @property
    def rest(self) -> dict[str, Any]:
        """The link's weight, and those of the random links."""
        return {"weight": self.weight, "random_weights": self.random_weights.tolist()}


def cut(
    backend: Backend,
    text: Given,
    query: Place,
    key: Place,
    *,
    layer: int | None = None,
    head: int | None = None,
    factor: float | Literal["even"] = 0.0,
) -> LinkEffects:
    """What changes if a query may not look at a key.

    Args:
        text: one text, or a pair as a tuple.
        query, key: a word, a token such as "[SEP]", or positions of tokens.
        layer, head: of the attention; None for all.
        factor: 0 cuts the link; as for `Link`.
    Raises:
        InputError: nothing to encode, or a word that was truncated.
        SelectionError: there is no such word, token, layer or head, the text has the word more than once, or the
            model's attention cannot be changed.
    """
    row = row_of(text, reads=backend.reads)
    tokens = backend.tokenize(row.a, row.b)
    return link_effects(backend, tokens, [Link(query=query, key=key, layer=layer, head=head, factor=factor)])


def link_effects(
    backend: Backend,
    tokens: Tokens,
    links: Sequence[Link],
    *,
    draws: int = DRAWS,
    before: Trace | None = None,
    progress: Progress = no_progress,
) -> LinkEffects:
    """What changes by links together, in one batch with the unchanged text, and with random ones of a single link.

    Args:
        before: the run of the unchanged text, if it is there.
    Raises:
        SelectionError, InputError: as `cut`.
    """
    located = backend.located(tokens, Intervention(links=tuple(links))).links
    weight, drawn = np.nan, list[tuple[Link, float]]()
    if len(located) == 1:
        [link] = located
        weights = _mean_weights(before or backend.run(tokens), link)  # (T, T)
        weight = float(weights[np.ix_(link.queries, link.keys)].sum(-1).mean())
        drawn = _random_links(tokens, link, weights, weight, draws)
    together = [located, *((random,) for random, _ in drawn)]
    changes = [UNCHANGED, *(Intervention(links=each) for each in together)]
    progress(1, 3)
    readings, states = zip(*backend.readings_of(tokens, changes), strict=True)  # 2 + R of each
    progress(2, 3)
    found = _outputs(backend.name, located, readings, states, num_layers=backend.num_layers)
    return _effects(tokens, located, found, weight, [each for _, each in drawn])


def effects_of_runs(before: Trace, after: Trace) -> LinkEffects:
    """What the links that a run has changed did, next to a run of the same text without; no random links, no weight."""
    runs = [before, after]
    states = [run.hidden_states[-1] for run in runs]
    found = _outputs(after.model_name, after.links, runs, states, num_layers=after.num_layers)
    return _effects(after.tokens, after.links, found, np.nan)


def _effects(
    tokens: Tokens,
    links: tuple[Link, ...],
    found: Sequence[Mapping[Output, float]],
    weight: float,
    random_weights: Sequence[float] = (),
) -> LinkEffects:
    names = _named(found[0], found[1])
    values = np.array([[of_run.get(name, np.nan) for name in names] for of_run in found], np.float32)  # (2 + R, O)
    return LinkEffects(
        tokens=tokens,
        links=links,
        weight=weight,
        outputs=names,
        before=values[0],
        after=values[1],
        random=values[2:],
        random_weights=np.array(random_weights, np.float32),
    )


def _mean_weights(trace: Trace, link: Link) -> FloatArray:
    """(T, T) weights, the mean over the layers and heads of a link."""
    layers = range(trace.num_layers) if link.layer is None else [link.layer]
    heads = slice(None) if link.head is None else slice(link.head, link.head + 1)
    return np.mean([trace.weights(layer)[heads].mean(0) for layer in layers], axis=0, dtype=np.float32)


def _random_links(
    tokens: Tokens, link: Link, weights: FloatArray, weight: float, draws: int
) -> list[tuple[Link, float]]:
    """Links between other words in the same heads, of similar weight, each with its weight; the same each time."""
    units = units_of(tokens, level="words")
    between = attention_between(weights, units)  # (U, U)
    others = [
        (query, key)
        for query, key in np.ndindex(between.shape)
        if not (set(units.members[query]) & set(link.queries) and set(units.members[key]) & set(link.keys))
    ]
    nearest = sorted(others, key=lambda pair: abs(float(between[pair]) - weight))[: NEAREST * draws]
    chosen = np.random.default_rng(0).permutation(len(nearest))[:draws]
    return [
        (_between(units, link, *nearest[index]), float(between[nearest[index]])) for index in sorted(chosen.tolist())
    ]


def _between(units: Units, link: Link, query: int, key: int) -> Link:
    return replace(link, query=tuple(units.members[query]), key=tuple(units.members[key]))


def _outputs(
    name: str,
    links: Sequence[Link],
    readings: Sequence[Reading | Trace],
    states: Sequence[FloatArray],
    *,
    num_layers: int,
) -> list[dict[Output, float]]:
    """All outputs of each run; those of a word are of the one that all changed links begin at.

    Args:
        name, num_layers: of the model.
        readings, states: of each run; the states are the last ones, (T, D).
    """
    tokens = readings[0].tokens
    queried = {word for link in links for at in link.queries if (word := tokens.word_ids[at]) is not None}
    [word] = queried if len(queried) == 1 else [None]
    found = [_of_reading(reading, word) for reading in readings]
    if word is None:
        return found
    positions = positions_of_word(tokens, word)
    vectors = np.stack([occurrence_states(of_run, positions) for of_run in states])  # (N, D)
    if has_probes(name):
        probes = load_probes(name)
        for outputs, vector in zip(found, vectors, strict=True):
            shares = softmax(probes.scores(vector, num_layers))  # (C,)
            outputs.update(_shares(PART_OF_SPEECH, tokens.words[word], TAGS, shares))
    moved = 1 - cosines_by_layer(vectors, np.broadcast_to(vectors[0], vectors.shape))  # (N,)
    for outputs, far in zip(found, moved.tolist(), strict=True):
        outputs[Output(SHIFT, tokens.words[word], "")] = far
    return found


def _of_reading(reading: Reading | Trace, word: int | None) -> dict[Output, float]:
    """The outputs of the model's own heads, for the text, for a word of it, and for its masks."""
    found: dict[Output, float] = {}
    by_token, tokens = reading.token_prediction, reading.tokens
    prediction = reading.prediction if reading.prediction is not None and reading.prediction.trained else None
    if prediction is not None and prediction.probabilities is not None and len(prediction.labels) > 1:
        found |= _shares("class", "", prediction.labels, prediction.probabilities)
    if prediction is not None and prediction.score is not None:
        found[Output("score", "", "")] = prediction.score
    if by_token is None:
        return found
    for row, position in enumerate(by_token.positions):
        if by_token.task == "mask":
            found |= _shares(
                "word at mask", tokens.labels[position], by_token.candidates[row], by_token.probabilities[row]
            )
        elif by_token.task == "tags" and word is not None and tokens.word_ids[position] == word:
            found |= _shares("tag", tokens.words[word], by_token.labels, by_token.probabilities[row])
            break  # the first piece is read
    if by_token.task == "span":
        labels = [tokens.labels[position] for position in by_token.positions]
        for edge, shares in zip(by_token.labels, by_token.probabilities.T, strict=True):
            found |= _shares("answer", edge, labels, shares)
    return found


def _shares(what: str, of: str, labels: Sequence[str], shares: FloatArray) -> dict[Output, float]:
    return {Output(what, of, label): float(share) for label, share in zip(labels, shares, strict=True)}


def _named(before: Mapping[Output, float], after: Mapping[Output, float]) -> tuple[Output, ...]:
    """Of each kind of output, the likeliest label before, and the likeliest after if that is another one."""
    names: dict[Output, None] = {}
    for what, of in dict.fromkeys((output.what, output.of) for output in before):
        for values in (before, after):
            names[max((each for each in values if each[:2] == (what, of)), key=values.__getitem__)] = None
    return tuple(names)
