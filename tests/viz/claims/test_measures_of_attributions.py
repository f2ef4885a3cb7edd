"""Measures of attributions, of their faithfulness, and of what makes two sentences similar, by the Python API."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from encoder.attribution.explaining import explain, removal_game
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import random_curves, removal_curve, verdict
from encoder.attribution.target import resolve_target
from encoder.comparison.compare import compare
from encoder.comparison.similarity_map import similarity_map
from encoder.errors import SelectionError
from encoder.measures.near_ties import largest_first
from tests.encoder.random_models import Zoo
from tests.viz.claims.numbers import CLOSE, A, B, number
from viz.claims.of_attributions import METHODS
from viz.claims.stops import subject_of
from viz.claims.subject import Subject, subject_of_runs
from viz.recipes import runner
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.views.similar_because import steps as similar_because

if TYPE_CHECKING:
    from encoder import Backend


@pytest.fixture(scope="module")
def pair(scratch: Backend) -> Subject:
    """As for the other claims, of a small model."""
    return subject_of(with_values(DEFAULT, {"a": A, "b": B, "mode": "pair"}), scratch)


@pytest.fixture(scope="module")
def apart(scratch: Backend) -> Subject:
    return subject_of(with_values(DEFAULT, {"a": A, "b": B, "mode": "separate"}), scratch)


def test_measures_of_attributions(pair: Subject, apart: Subject) -> None:
    number_of_b = resolve_target(apart.backend, Question(kind="class", texts=(B, None)))
    for by, method in METHODS.items():
        values = explain(apart.backend, number_of_b, method, level="wordpieces").values
        for word, wanted in (("unflappable", values[:4].sum()), ("fruit", values[4])):
            np.testing.assert_allclose(number(f'attribution(by={by}, B:"{word}")', apart), wanted, **CLOSE)
    deleted = explain(apart.backend, number_of_b, "leave-one-out", level="wordpieces", removal="delete")
    found = number('attribution(by=leave_one_out, removal=delete, "fruit")', apart)
    np.testing.assert_allclose(found, deleted.values[-2], **CLOSE)
    with pytest.raises(SelectionError, match="frames the text"):
        number('attribution("[CLS]")', pair)


def test_measures_of_faithfulness(pair: Subject) -> None:
    asked = resolve_target(pair.backend, Question(kind="class", texts=(A, B)))
    game = removal_game(pair.backend, asked, level="wordpieces", removal="mask")
    found = explain(pair.backend, asked, "integrated-gradients", level="wordpieces")
    curve = removal_curve(game, largest_first(found.values))
    wanted = verdict(curve, random_curves(game), units=len(found.units)).beaten
    assert number("faithfulness()", pair) == number("faithfulness(removal=mask, by=gradients)", pair) == wanted


def test_attributions_that_take_too_long_or_say_nothing_are_refused(
    scratch: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = subject_of(with_values(DEFAULT, {"a": "dogs bark", "b": ""}), scratch)
    with pytest.raises(SelectionError, match="too few orders"):
        number("faithfulness()", short)
    monkeypatch.setattr(runner, "MOST_TOKENS", 100)
    for claim in ("faithfulness()", 'attribution(by=shapley, "dogs")'):
        with pytest.raises(SelectionError, match="at most 100"):
            number(claim, short)


def test_measures_of_the_similarity_of_two_sentences(
    pair: Subject, apart: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    rough = partial(similarity_map, points=1)
    monkeypatch.setattr(similar_because, "similarity_map", rough)
    found = rough(pair.backend, pair.backend.tokenize(A), pair.backend.tokenize(B))
    for words, wanted in (
        ('"flies", B:"flies"', found.values[1, -1]),
        ('"arrow", "unflappable"', found.values[-1, :4].sum()),
    ):
        for subject in (pair, apart):
            np.testing.assert_allclose(number(f"similarity({words})", subject), wanted, **CLOSE)
    alone = subject_of(with_values(DEFAULT, {"a": A, "b": ""}), pair.backend)
    for claim, subject, why in (
        ('similarity("time", "flies")', alone, "there is one"),
        ('similarity(B:"flies", "flies")', pair, "first word is one of A"),
        ('similarity("time", "arrow")', pair, "is not in"),
        ('similarity("[CLS]", "fruit")', pair, "frames the text"),
    ):
        with pytest.raises(SelectionError, match=why):
            number(claim, subject)
    monkeypatch.setattr(runner, "MOST_TOKENS", 100)
    with pytest.raises(SelectionError, match="at most 100"):
        number('similarity("time", "fruit")', pair)


def test_measures_of_the_heads_in_two_sentences(pair: Subject, apart: Subject, tmp_path: Path) -> None:
    found = compare(*(pair.backend.trace(text) for text in (A, B)))
    distances = found.heads.distances
    for chosen, wanted in (
        ("layer=2, head=3", distances[2, 3]),
        ("layer=2, head=mean", distances[2].mean()),
        ("layer=highest, head=highest", distances.max()),
        ("layer=1, head=lowest", distances[1].min()),
    ):
        for subject in (pair, apart):
            np.testing.assert_allclose(number(f"difference({chosen})", subject), wanted, **CLOSE)
    alone = subject_of(with_values(DEFAULT, {"a": A, "b": ""}), pair.backend)
    bare = Zoo(tmp_path).backend("gpt2")  # without special tokens
    strange = subject_of_runs(bare, [bare.trace(text) for text in ("time", "fruit")], None)
    for claim, subject, why in (
        ("difference(layer=0, head=0)", alone, "there is one"),
        ("difference(layer=0, head=0)", strange, "share no word"),
        ("difference(layer=6, head=0)", pair, "There is no layer 6"),
    ):
        with pytest.raises(SelectionError, match=why):
            number(claim, subject)
