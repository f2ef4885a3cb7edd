"""The contribution of each word to an output of the model, by one of several methods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np

from encoder.attribution.gradients import Attribution, Path, integrated_gradients
from encoder.attribution.methods.decompx import (
    HeadQuantity,
    SplitQuantity,
    completed,
    decompx_class,
    integrated_decompx,
)
from encoder.attribution.questions import Method, Question, QuestionKind, Removal
from encoder.attribution.removal_curves import removal_curve
from encoder.attribution.removals import RemovalGame, guided_order, leave_one_out, removable_units, shapley_values
from encoder.attribution.target import Target, resolve_target
from encoder.columns import Columns
from encoder.errors import ArgumentError, check_choice
from encoder.measures.units import Level, units_of
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.given import Given, row_of
from encoder.text.occurrences import Positions
from encoder.text.readings import CUT_OFF, cut_in_words

PATH = Path(8, rule="midpoints")  # 20 points take more than twice as long, for hardly better orders
LONGER_PATH = Path(20, rule="midpoints")  # where `PATH` misses the total by more than `TOLERANCE`
TOLERANCE = 0.1  # completeness error as a share of the total; beyond it, the sizes of the values are unreliable


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class WordValues(Columns):
    """The contribution of each unit of a text, a word or a wordpiece, to the target.

    If the target is read off one word's state, that word is not a unit: the others are its context.

    Attributes:
        words: U, the units as they are written.
        units: the positions of each unit's tokens.
        values: (U,) in `unit`, positive if a unit raises the target.
        total: the target itself, in `unit`.
        baseline: the target without all units; for DecompX, the contributions of the head's biases, of the word whose
            state is read, and the 1 in a shift. None if the method does not decompose the target.
        framing: the contribution of special tokens.
        cut_off: the number of tokens at the end of a long text that the model does not read.
    """

    words: tuple[str, ...]
    units: tuple[Positions, ...]
    values: FloatArray
    unit: str
    total: float
    baseline: float | None = None
    framing: float = 0.0
    cut_off: int = 0

    @property
    def about(self) -> str:
        error = self.completeness_error
        missed = (
            "" if error is None or error <= TOLERANCE * abs(self.total) else f", which the parts miss by {error:.2g}"
        )
        return f"in {self.unit}, of {self.total:.4g}{missed}{cut_in_words(self.cut_off)}"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of U rows, for `pandas.DataFrame`: a word, and its contribution in `unit`."""
        return {"word": self.words, "contribution": self.values}

    @property
    def rest(self) -> dict[str, Any]:
        """The unit, the total, and the parts that are no words; `error` is what all parts miss of the total."""
        whole = {"unit": self.unit, "total": self.total, CUT_OFF: self.cut_off}
        return whole | {"baseline": self.baseline, "framing": self.framing, "error": self.completeness_error}

    @property
    def completeness_error(self) -> float | None:
        """Difference between the total and the sum of all parts; None if the method does not decompose the target."""
        if self.baseline is None:
            return None
        return abs(self.baseline + self.framing + float(self.values.sum()) - self.total)


def explain(
    backend: Backend,
    question: Given | Question | Target,
    method: Method = "integrated-gradients",
    *,
    label: int | str | None = None,
    level: Level = "words",
    removal: Removal = "mask",
    progress: Progress = no_progress,
) -> WordValues:
    """The contribution of each word of a text to an output of the model.

    Args:
        question: a text, or a pair as a tuple, which asks about its likeliest class, or about the score of a model that
            chooses no class; a `Question`; or its target, from `encoder.attribution.target.resolve_target`, of the same
            model.
        label: name or index of a class, for a text or a pair.
        level: words, or wordpieces.
        removal: how "leave-one-out" and "shapley" remove units; the other methods always compare with `[MASK]`.
        progress: called by "shapley" after each order and by "integrated-gradients" after each batch of points; an
            exception raised there cancels it.
    Raises:
        ArgumentError: there is no such method, level or removal, the text has no word, or the method does not decompose
            this target.
        UnsupportedModelError: the model has no such output or cannot be decomposed, or its tokenizer has no mask token.
        SelectionError: the model's embeddings cannot be hooked.
        HeadlightError: the question has no target: see `resolve_target`.
    """
    check_choice("method", method, get_args(Method))
    check_choice("level", level, get_args(Level))
    check_choice("removal", removal, get_args(Removal))
    target = target_of(backend, question, label)
    tokens = target.tokens
    units = removable_units(tokens, level=level, kept=target.read)
    if not units:
        raise ArgumentError("There is no word that could contribute: type more words.")
    about: dict[str, Any] = {"words": _words(target, level), "units": units, "cut_off": sum(tokens.truncated)}
    if method in ("leave-one-out", "shapley"):
        game = removal_game(backend, target, level=level, removal=removal)
        return _by_removal(game, target, method, about, progress)
    found = _by_gradients(backend, target, method, progress)
    values = np.array([found.values[list(unit)].sum() for unit in units], np.float32)  # (U,)
    framing = float(found.values.sum() - values.sum())
    if method == "integrated-decompx":
        values = completed(values, found.total - framing)
    of_word = float(found.values[list(target.read)].sum())  # whose state is read
    return WordValues(
        **about,
        values=values,
        unit=target.additive_unit,
        total=found.of_text,
        baseline=found.of_text - found.total + of_word,
        framing=framing - of_word,
    )


def removal_game(backend: Backend, target: Target, *, level: Level, removal: Removal) -> RemovalGame:
    """The target's text as a removal game, on the scale that people read."""
    tokens = target.tokens
    return RemovalGame(backend, tokens, removable_units(tokens, level=level, kept=target.read), target.shown, removal)


def guided_curve(
    backend: Backend, target: Target, *, level: Level, removal: Removal, progress: Progress = no_progress
) -> FloatArray:
    """(S,) the target as units are removed in the order of a short search guided by integrated DecompX."""
    game = removal_game(backend, target, level=level, removal=removal)
    values = explain(backend, target, "integrated-decompx", level=level).values
    progress(1, 2)
    return removal_curve(game, guided_order(replace(game, quantity=target.additive), values))


def _by_gradients(backend: Backend, target: Target, method: Method, progress: Progress) -> Attribution:
    if method == "integrated-gradients":
        along = partial(
            integrated_gradients, backend, target.tokens, target.additive, kept=target.read, progress=progress
        )
        found = along(path=PATH)
        return found if found.completeness_error <= TOLERANCE * abs(found.of_text) else along(path=LONGER_PATH)
    quantity = target.additive
    if method == "decompx" and isinstance(quantity, SplitQuantity):
        return decompx_class(backend, backend.run(target.tokens), quantity, biases="shared")
    if not isinstance(quantity, HeadQuantity):
        raise ArgumentError("Integrated DecompX decomposes classes and scores: choose another method.")
    return integrated_decompx(backend, target.tokens, quantity)


def _by_removal(
    game: RemovalGame, target: Target, method: Method, about: dict[str, Any], progress: Progress
) -> WordValues:
    if method == "leave-one-out":
        (total,) = map(float, game.values([()]))
        return WordValues(**about, values=leave_one_out(game), unit=target.unit, total=total)
    total, empty = map(float, game.values([(), range(len(game.units))]))
    values = shapley_values(game, progress=progress)
    return WordValues(**about, values=values, unit=target.unit, total=total, baseline=empty)


def target_of(backend: Backend, question: Given | Question | Target, label: int | str | None = None) -> Target:
    """The target of a question; a text asks about a class, by default its likeliest, or its score without classes."""
    if isinstance(question, Question | Target):
        if label is not None:
            raise ArgumentError(f"label is {label!r}: give it to the Question, or give a text.")
        return question if isinstance(question, Target) else resolve_target(backend, question)
    row = row_of(question, reads=backend.reads)
    prediction = backend.trace(row.a, row.b).prediction if label is None else None
    scored = prediction is not None and prediction.score is not None and not prediction.is_choice
    kind: QuestionKind = "score" if scored else "class"
    return resolve_target(backend, Question(kind=kind, texts=(row.a, row.b), label=label))


def _words(target: Target, level: Level) -> tuple[str, ...]:
    """The text of each removable unit."""
    shown = units_of(target.tokens, level=level, special="hide")
    return tuple(
        label for label, members in zip(shown.labels, shown.members, strict=True) if not set(members) & set(target.read)
    )
