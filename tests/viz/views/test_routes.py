"""Routes in words: what is enough, what is needed, what neither can be said of, and what special tokens are worth."""

from dataclasses import replace

import numpy as np
import pytest

from encoder.attribution.routes import Agreement, OtherOrders, Routes
from encoder.attribution.target import Target
from tests.viz.made_up import tokens_of
from viz.answers.answer import Sentence, Table
from viz.views.routes.answer import every_cut, kept, links, orders, sinks

COUNTS, KEPT = (0, 1, 2, 36), np.array([0.4, 0.6, 0.86, 0.9], np.float32)


@pytest.fixture
def target() -> Target:
    tokens = tokens_of([1])  # [CLS] word [SEP]
    shown = {"shown": lambda output: output, "unit": "probability", "limits": (0, 1)}
    return Target(tokens=tokens, additive=lambda output: output, additive_unit="log odds", label="good", **shown)


@pytest.fixture
def found() -> Routes:
    values = np.full((2, 2, 3, 3), -0.01, np.float32)
    values[0, 1, 1, 0], values[1, 0, 1, 1] = 0.3, 0.1
    weights = np.full_like(values, 1 / 3)
    return Routes(values=values, weights=weights, counts=COUNTS, kept=KEPT, smallest=2)


def said(target: Target, found: Routes) -> str:
    [sentence] = kept(target, found, model_name="bundled").parts
    assert isinstance(sentence, Sentence)
    return sentence.text


def test_the_headline_says_what_is_enough_or_needed(target: Target, found: Routes) -> None:
    assert said(target, found) == (
        "**2 of 36 links (6 %) are enough for 90 % of “good”** in this text: 86 % with these alone, 90 % with all, "
        "40 % with none."
    )
    needs = said(target, replace(found, smallest=0, needed=1, kept=np.array([0.95, 0.96, 0.97, 0.9], np.float32)))
    assert needs.startswith("**“good” needs 1 of 36 links (3 %)** in this text: without it, less than half of its")
    assert needs.endswith(
        "without any of the 36 links it is 95 % already, in states that the model never meets in "
        "training; with all it is 90 %."
    )
    assert said(target, replace(found, smallest=0)).startswith("No set of links can be called enough for “good”")
    for length, share in ((20, "0.1 %"), (40, "0.03 %"), (200, "less than 0.01 %")):
        assert f"links ({share}) are enough" in said(target, replace(found, counts=(0, 1, 2, 4 * length**2)))
    score = replace(target, unit="score", label="", limits=None)
    negative = said(score, replace(found, smallest=None, kept=-KEPT))
    assert negative.startswith("The score is −0.900, which is not positive")
    assert "opens with 1 of 36 links" in negative


def test_special_tokens_are_worth_what_links_to_them_contribute(target: Target, found: Routes) -> None:
    sentence = sinks(target, found)
    assert sentence is not None
    assert sentence.text == (
        r"\[CLS\] and \[SEP\] get 67 % of the attention that can reach “good”, and 75 % of what these links "
        "contribute."
    )


def test_other_links_stand_next_to_as_many_routes(target: Target, found: Routes) -> None:
    random = np.stack([np.array([0.4, 0.4, share, 0.9], np.float32) for share in (0.41, 0.45)])
    cut, weights = np.array([0.9, 0.7, 0.2, 0.4], np.float32), np.array([0.4, 0.4, 0.5, 0.9], np.float32)
    others = OtherOrders(counts=COUNTS, cut=cut, weights=weights, random=random, random_cut=np.float32([0.88, 0.9]))
    sentence, *_ = orders(target, found, others).parts
    assert isinstance(sentence, Sentence)
    assert sentence.text == (
        "As many of the largest weights alone give 50 %, random links 41 % to 45 % (20 draws). Without these 2 links, "
        "20 % is left; without as many random ones, 88 % to 90 %."
    )
    needed, *_ = orders(target, replace(found, smallest=0, needed=2), others).parts
    assert isinstance(needed, Sentence)
    assert needed.text.startswith("Without these 2 links, 20 % is left")


def test_the_table_and_the_agreement_have_their_units(target: Target, found: Routes) -> None:
    cuts = np.argwhere(found.weights > 0)
    exact = Agreement(
        links=cuts, effects=np.linspace(-0.5, 0.1, 36, dtype=np.float32), contributions=0.61, estimates=0.98
    )
    table = links(target, found, exact)
    columns = table.columns()
    assert [columns[name][0] for name in ("layer", "head", "query_position", "key_position")] == [0, 1, 1, 0]
    assert (columns["contribution"][0], columns["unit"][0]) == (np.float32(0.3), "log odds")
    assert "rank correlation of 0.61; the gradient at the text, which is for single links, with 0.98" in table.note
    sentence, every = every_cut(target, found, exact).parts
    assert isinstance(sentence, Sentence)
    assert isinstance(every, Table)
    assert sentence.text == (
        r"Of 36 links, each cut by itself, “\[CLS\]” → “\[CLS\]” in layer 0, head 0, changes “good” most: by **−0.50** "
        "log odds."
    )
    columns = every.columns()
    assert [columns["change"][0], columns["contribution"][0]] == [-0.5, np.float32(-0.01)]
