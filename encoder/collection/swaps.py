"""Templates with slots, such as "{He|She} is a nurse.": run all fillings, and measure what each swap changes.

Source: the idea of directional and invariance tests: Ribeiro et al. (2020), "Beyond Accuracy: Behavioral Testing of NLP
Models with CheckList".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from encoder.collection.names import SwapMeasure as Measure
from encoder.collection.table import Collection
from encoder.errors import DataError, UnsupportedModelError
from encoder.measures.inference import FEWEST, Interval, holm, is_clear, mean, p_of_mean
from encoder.measures.similarity import unit_vectors
from encoder.measures.units import word_states
from encoder.measures.word_tags import WordTags, first_pieces, tags_of_words
from encoder.models.base import Backend, Heads, Reading
from encoder.models.interventions import Intervention
from encoder.models.labels import TAGS
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import has_probes, load_probes
from encoder.text.pieces import TYPED_MASK
from encoder.text.tokens import Tokens

SET: Final = "set"  # a column that groups templates
SLOT: Final = re.compile(r"\{([^{}]*)\}")
FILLERS: Final = re.compile(r"\{[^{}]*\||\|[^{}]*\}")
MOST_FILLINGS: Final = 64  # of a template
FEWEST_TEMPLATES: Final = FEWEST  # of a swap, for an interval and a test
SYMMETRIC: Final[frozenset[Measure]] = frozenset({"class", "score"})  # a swap and its reverse differ in sign alone
# By a swap: probabilities are from 0 to 1, cosines from -1 to 1.
MOST_SHIFT: Final[Mapping[Measure, float]] = {"class": 1, "masked word": 1, "tag": 1, "cosine": 2}
Choice = tuple[int, ...]  # index of the filler in each slot


@dataclass(frozen=True, slots=True)
class Template:
    """A text with S slots, each with at least two fillers.

    Attributes:
        source: as it was written.
        parts: the S + 1 texts around the slots.
        slots: the fillers of each slot.
    """

    source: str
    parts: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]

    @property
    def choices(self) -> list[Choice]:
        """All fillings; the first has the first filler in every slot."""
        return list(product(*(range(len(slot)) for slot in self.slots)))

    def fill(self, choice: Choice) -> str:
        """The text with a filler in each slot."""
        fillers = [slot[index] for slot, index in zip(self.slots, choice, strict=True)]
        return "".join(part + filler for part, filler in zip(self.parts, [*fillers, ""], strict=True))


def has_slots(text: str) -> bool:
    """Whether a text has a slot with at least two fillers, or what looks like one with a brace missing."""
    return FILLERS.search(text) is not None


def texts_by_set(collection: Collection) -> dict[str, list[str]]:
    """The texts with slots, each once, by the set that their row names in a column “set”; without it, all under "".

    A text that differs from an earlier one in spaces alone is the same.
    """
    sets = collection.column(SET) if SET in collection.columns else [""] * len(collection)
    found: dict[str, list[str]] = {}
    seen: set[tuple[str, ...]] = set()
    for text, name in zip(collection.column(collection.text), sets, strict=True):
        key = (name, *text.split())
        if has_slots(text) and key not in seen:
            seen.add(key)
            found.setdefault(name, []).append(text)
    return found


def parse_template(text: str) -> Template:
    """A template from its text.

    Raises:
        DataError: it has no slot, a slot with a single filler, a brace that is not closed, or too many fillings.
    """
    slots = tuple(tuple(filler.strip() for filler in slot.split("|")) for slot in SLOT.findall(text))
    parts = tuple(SLOT.split(text)[::2])
    shown = text if len(text) <= 60 else f"{text[:59]}…"
    if any("{" in part or "}" in part for part in parts):
        raise DataError(f"“{shown}”: a brace is not closed. A slot is written as {{he|she}}.")
    if not slots or any(len(slot) < 2 for slot in slots):
        raise DataError(f"“{shown}” needs a slot with at least two fillers, as in {{he|she}}.")
    if (count := prod(map(len, slots))) > MOST_FILLINGS:
        raise DataError(f"“{shown}” has {count:,} fillings; at most {MOST_FILLINGS} are run.")
    return Template(text, parts, slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """One filler of a slot in place of another one, in one template.

    Attributes:
        template, slot: indices.
        before, after: the two fillers.
        shift: change of the measured number, the mean over the fillings of the other slots.
        changed: how often what the model says changes, of `of` fillings of the other slots.
        texts: two texts that differ in this swap alone.
    """

    template: int
    slot: int
    before: str
    after: str
    shift: float
    changed: int
    of: int
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MeanSwap:
    """A swap over the n templates that have it; each counts once, however many fillings it has.

    Attributes:
        before, after: the two fillers, as the first of these templates writes them.
        shifts: (n,) of each template.
        mean: of the shifts, with its sign and its interval over templates.
        changed, of: as in `Swap`, over all these templates.
        p: of a t test that the mean is 0, corrected by Holm's method for all swaps that are tested; NaN for fewer than
            `FEWEST_TEMPLATES` templates, and where 0 is not what no reaction would give.
    """

    before: str
    after: str
    shifts: FloatArray
    mean: Interval
    changed: int
    of: int
    p: float = math.nan

    @property
    def shift(self) -> float:
        """The mean of the shifts, with its sign."""
        return self.mean.value

    @property
    def is_judged(self) -> bool:
        """Whether it has enough templates for an interval."""
        return len(self.shifts) >= FEWEST_TEMPLATES

    @property
    def is_clear(self) -> bool:
        """Whether its interval excludes 0."""
        return is_clear(self.p)


@dataclass(frozen=True, eq=False, kw_only=True)
class Swaps:
    """A model's output for all fillings of N templates.

    Attributes:
        measure: what the numbers are, as in `run_swaps`.
        templates: those to which the measure applies.
        values: the number of every filling of each template, in the order of its `choices`.
        said: the model's output for each of these fillings: its class, its likeliest word, or its tags.
        skipped: templates to which the measure does not apply.
    """

    measure: Measure
    templates: tuple[Template, ...]
    values: tuple[FloatArray, ...]
    said: tuple[tuple[str, ...], ...]
    skipped: int

    @cached_property
    def swaps(self) -> list[Swap]:
        """Every filler but the first of each slot, compared with the first."""
        return [
            self._swap(number, slot, 0, filler)
            for number, template in enumerate(self.templates)
            for slot, fillers in enumerate(template.slots)
            for filler in range(1, len(fillers))
        ]

    @cached_property
    def means(self) -> list[MeanSwap]:
        """Each swap of a first filler over all templates that have it.

        Swaps of enough templates for an interval are first, then the others, each by the size of their mean shift.
        Upper and lower case are the same, as in "He" and "he". Where the numbers do not depend on the first filling,
        templates that have both fillers in another order count too.
        """
        is_symmetric = self.measure in SYMMETRIC
        groups: dict[tuple[str, str], list[Swap]] = {}
        for swap in self.swaps:
            pair = _pair(swap.before, swap.after)
            if not (is_symmetric and pair[::-1] in groups):
                groups.setdefault(pair, [])
        for number, template in enumerate(self.templates):
            for slot, fillers in enumerate(template.slots):
                for before, after in permutations(range(len(fillers)), 2):
                    pair = _pair(fillers[before], fillers[after])
                    if pair in groups and (before == 0 or is_symmetric):
                        groups[pair].append(self._swap(number, slot, before, after))
        most = MOST_SHIFT.get(self.measure, math.inf)
        found = (_mean_swap(swaps, most) for swaps in groups.values())
        means = sorted(found, key=lambda swap: (not swap.is_judged, -abs(swap.shift)))
        tested = [swap for swap in means if swap.is_judged and is_symmetric]
        corrected = holm([p_of_mean(swap.shifts) for swap in tested])
        return [*(replace(swap, p=p) for swap, p in zip(tested, corrected, strict=True)), *means[len(tested) :]]

    def shift_of(self, before: str, after: str) -> float | None:
        """The mean shift of a swap, as in `means`; None if no template has it."""
        shifts = {_pair(swap.before, swap.after): swap.shift for swap in self.means}
        pair = _pair(before, after)
        if self.measure in SYMMETRIC and pair[::-1] in shifts:
            return -shifts[pair[::-1]]
        return shifts.get(pair)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The indices of templates that share all their slots, in groups of at least two, the largest first."""
        found: dict[tuple[tuple[str, ...], ...], list[int]] = {}
        for number, template in enumerate(self.templates):
            slots = tuple(tuple(filler.casefold() for filler in slot) for slot in template.slots)
            found.setdefault(slots, []).append(number)
        return sorted((tuple(group) for group in found.values() if len(group) > 1), key=len, reverse=True)

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each swap over its templates, in the order of `means`, for `pandas.DataFrame`."""
        means = self.means
        return {
            "from": [swap.before for swap in means],
            "to": [swap.after for swap in means],
            "shift": [swap.shift for swap in means],
            "low": [swap.mean.low for swap in means],
            "high": [swap.mean.high for swap in means],
            "corrected p": [swap.p for swap in means],
            "templates": [len(swap.shifts) for swap in means],
            "changed": [swap.changed for swap in means],
            "of": [swap.of for swap in means],
        }

    @property
    def columns_by_template(self) -> dict[str, Any]:
        """A row for each swap in each template, the largest shift first, for `pandas.DataFrame`."""
        swaps = sorted(self.swaps, key=lambda swap: -abs(swap.shift))
        return {
            "template": [self.templates[swap.template].source for swap in swaps],
            "from": [swap.before for swap in swaps],
            "to": [swap.after for swap in swaps],
            "shift": [swap.shift for swap in swaps],
            "changed": [swap.changed for swap in swaps],
            "of": [swap.of for swap in swaps],
        }

    @property
    def sizes(self) -> FloatArray:
        """(N,) mean size of the shifts of each template's swaps, whatever their sign."""
        of_template: list[list[float]] = [[] for _ in self.templates]
        for swap in self.swaps:
            of_template[swap.template].append(abs(swap.shift))
        return np.array([np.mean(sizes) for sizes in of_template], np.float32)

    def _swap(self, number: int, slot: int, before: int, after: int) -> Swap:
        """One filler of a slot in place of another, by their indices."""
        template = self.templates[number]
        shape = tuple(map(len, template.slots))
        values, said = (
            np.moveaxis(np.asarray(each).reshape(shape), slot, 0).reshape(shape[slot], -1)  # (fillers, other fillings)
            for each in (self.values[number], self.said[number])
        )
        first = (0,) * len(shape)
        return Swap(
            template=number,
            slot=slot,
            before=template.slots[slot][before],
            after=template.slots[slot][after],
            shift=float((values[after] - values[before]).mean()),
            changed=int((said[after] != said[before]).sum()),
            of=values.shape[1],
            texts=(
                template.fill((*first[:slot], before, *first[slot + 1 :])),
                template.fill((*first[:slot], after, *first[slot + 1 :])),
            ),
        )


def _pair(before: str, after: str) -> tuple[str, str]:
    """The name of a swap: its fillers, whatever their case, unless they differ in it alone."""
    folded = before.casefold(), after.casefold()
    return folded if folded[0] != folded[1] else (before, after)


def _mean_swap(swaps: Sequence[Swap], most: float) -> MeanSwap:
    """One swap over its templates, where a shift is at most `most`. A template that has it in two slots counts as the
    mean of both.
    """
    of_template: dict[int, list[float]] = {}
    for swap in swaps:
        of_template.setdefault(swap.template, []).append(swap.shift)
    shifts = np.array([np.mean(each) for each in of_template.values()], np.float32)
    return MeanSwap(
        before=swaps[0].before,
        after=swaps[0].after,
        shifts=shifts,
        mean=mean(shifts, least=-most, most=most),
        changed=sum(swap.changed for swap in swaps),
        of=sum(swap.of for swap in swaps),
    )


def class_labels(model: Backend) -> tuple[str, ...]:
    """The classes of which the model's head chooses one; none without such a head."""
    prediction = next(iter(model.readings(["a"]))).prediction
    return prediction.labels if prediction is not None and prediction.is_choice else ()


def run_swaps(
    model: Backend,
    templates: Sequence[Template],
    measure: Measure,
    label: int = 0,
    *,
    silenced_heads: Heads = (),
    progress: Progress = no_progress,
) -> Swaps:
    """Run all fillings of templates.

    Args:
        measure: "class" is the probability of the class `label`, "score" the head's score, "cosine" that with the first
            filling, "masked word" the probability of the word that is likeliest in the first filling, "tag" the mean
            probability of the tags that the words outside the slots have in the first filling, by the model's own head
            or by the probes of its parts of speech. A typed "[MASK]" is the mask of any model.
        progress: called with the fillings done and in total.
    Raises:
        UnsupportedModelError: the model has no such head, or no template applies.
        DataError: there are no templates.
    """
    if not templates:
        raise DataError("There are no templates.")
    mask = model.tokenizer.inner.mask_token or TYPED_MASK
    texts = [template.fill(choice).replace(TYPED_MASK, mask) for template in templates for choice in template.choices]
    readings: list[Reading] = []
    for reading in model.readings(texts, silenced_heads=silenced_heads):
        readings.append(reading)
        progress(len(readings), len(texts))
    tags = _word_tags(model, readings, silenced_heads) if measure == "tag" else [None] * len(texts)
    kept, values, said, start = [], [], [], 0
    for template in templates:
        of_template = slice(start, start + len(template.choices))
        start = of_template.stop
        is_masked = mask in texts[of_template.start]
        measured = MEASURES[measure](_Filled(template, readings[of_template], tags[of_template], is_masked), label)
        if measured is not None:
            kept.append(template)
            values.append(measured[0])
            said.append(measured[1])
    if not kept:
        raise UnsupportedModelError(NOTHING_APPLIES[measure].format(model.name))
    return Swaps(
        measure=measure,
        templates=tuple(kept),
        values=tuple(values),
        said=tuple(said),
        skipped=len(templates) - len(kept),
    )


Measured = tuple[FloatArray, tuple[str, ...]] | None  # the numbers of all fillings, and what the model says


class _Filled(NamedTuple):
    """A template, the model's output for each filling, the tags of its words, and whether it has a mask."""

    template: Template
    readings: Sequence[Reading]
    tags: Sequence[WordTags | None]
    is_masked: bool


def _classes(filled: _Filled, label: int) -> Measured:
    predictions = [reading.prediction for reading in filled.readings]
    found = [prediction for prediction in predictions if prediction and prediction.is_choice]
    if len(found) < len(predictions) or filled.is_masked:
        return None
    shares = np.stack([one.probabilities for one in found if one.probabilities is not None])
    return shares[:, label], tuple(found[0].labels[best] for best in shares.argmax(axis=1))


def _scores(filled: _Filled, _: int) -> Measured:
    scores = [reading.prediction.score for reading in filled.readings if reading.prediction is not None]
    known = [score for score in scores if score is not None]
    if len(known) < len(filled.readings) or filled.is_masked:
        return None
    return np.array(known, np.float32), ("",) * len(known)


def _cosines(filled: _Filled, _: int) -> Measured:
    vectors = [reading.vector for reading in filled.readings if reading.vector is not None]
    if len(vectors) < len(filled.readings):
        return None
    rows = unit_vectors(np.stack(vectors))
    return rows @ rows[0], ("",) * len(rows)


def _masked_words(filled: _Filled, _: int) -> Measured:
    """At the first mask. A word that is not among the candidates counts as 0."""
    found = [reading.token_prediction for reading in filled.readings]
    known = [one for one in found if one is not None and one.task == "mask" and one.positions]
    if len(known) < len(filled.readings):
        return None
    followed = known[0].candidate_ids[0][0]
    values = [
        float(one.probabilities[0, one.candidate_ids[0].index(followed)]) if followed in one.candidate_ids[0] else 0.0
        for one in known
    ]
    return np.array(values, np.float32), tuple(one.candidates[0][0] for one in known)


def _tags(filled: _Filled, _: int) -> Measured:
    """Of the words outside the slots. A template in whose fillings these differ is left out."""
    known = [tags for tags in filled.tags if tags is not None]
    if len(known) < len(filled.readings) or filled.is_masked:
        return None
    rows, words = [], []
    for choice, reading, tags in zip(filled.template.choices, filled.readings, known, strict=True):
        stay = _words_outside_slots(filled.template, choice, reading.tokens)
        kept = [row for row, word in enumerate(tags.words) if word in stay]
        rows.append(tags.probabilities[kept])
        words.append([reading.tokens.words[tags.words[row]] for row in kept])
    if not words[0] or any(each != words[0] for each in words):
        return None
    shares = np.stack(rows)  # (F, W, C)
    likeliest = shares.argmax(axis=2)  # (F, W)
    followed = np.take_along_axis(shares, likeliest[:1, :, None], axis=2)[:, :, 0]  # (F, W)
    labels = known[0].labels
    said = tuple(
        " ".join(f"{word}/{labels[tag]}" for word, tag in zip(words[0], of_filling, strict=True))
        for of_filling in likeliest.tolist()
    )
    return followed.mean(axis=1), said


def _words_outside_slots(template: Template, choice: Choice, tokens: Tokens) -> set[int]:
    """Indices into `tokens.words` of the words that no filler touches."""
    touched, place = [], 0
    for part, slot, index in zip(template.parts, template.slots, choice, strict=False):
        touched.append((place + len(part), place + len(part) + len(slot[index])))
        place = touched[-1][1]
    stay = set(range(len(tokens.words)))
    for span, word in zip(tokens.spans, tokens.word_ids, strict=True):
        if span is not None and word is not None and any(span[0] < end and start < span[1] for start, end in touched):
            stay.discard(word)
    return stay


def _word_tags(model: Backend, readings: Sequence[Reading], silenced_heads: Heads) -> list[WordTags | None]:
    """The tags of the words of each text: by the model's own head, else by the probe that reads all its states."""
    own = [
        None if reading.token_prediction is None else tags_of_words(reading.token_prediction, reading.tokens)
        for reading in readings
    ]
    if any(own) or not has_probes(model.name):
        return own
    probes, found = load_probes(model.name), list[WordTags | None]()
    silenced = Intervention(silenced_heads=model.check_heads(silenced_heads))
    texts = [reading.tokens for reading in readings]
    for tokens, states in zip(texts, model.hidden_states(texts, [silenced] * len(texts)), strict=True):
        firsts = first_pieces(tokens)
        shares = probes.combined(word_states(states, tokens))[list(firsts)]
        found.append(WordTags(TAGS, tuple(firsts), tuple(firsts.values()), shares))
    return found


MEASURES: Final[dict[Measure, Callable[[_Filled, int], Measured]]] = {
    "class": _classes,
    "score": _scores,
    "cosine": _cosines,
    "masked word": _masked_words,
    "tag": _tags,
}
NOTHING_APPLIES: Final[dict[Measure, str]] = {
    "class": "{} has no head that chooses a class for any of these templates.",
    "score": "{} has no head that gives any of these templates a score.",
    "cosine": "The vectors of texts by {} are made in a way that is not supported.",
    "masked word": "No template here has a [MASK] that {} has a head for.",
    "tag": "{} has neither a head nor probes that tag the words of one of these templates.",
}
