"""The view that takes one score apart: which cell it is about, its terms, its proof, and what it cannot do."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.attribution.score_terms import Cell, score_terms
from tests.app.app_script import chosen, click, figure, open_page, run, selected, unfold
from tests.app.app_script import sentences_of as text
from tests.app.conftest import Offered
from tests.encoder.random_models import FAMILIES, GPT2, build, byte_tokenizer, save
from viz.panels.why_here import terms
from viz.wording.numbers import written

A, B = "time flies like an arrow", "fruit flies like a banana"
PINNED = {"view": "why here", "a": A, "b": B, "layer": "3", "head": "4", "query": "8", "key": "2"}


def boxes(at: AppTest, place: str = "pair") -> tuple[int, int]:
    """The query and the key that are chosen."""
    titles = (at.selectbox(key=f"why_here_{side}_{place}").value for side in ("query", "key"))
    query, key = (int(title.rpartition("(")[2].rstrip(")")) for title in titles)
    return query, key


def choose_key(at: AppTest, position: int, place: str = "pair") -> None:
    box = at.selectbox(key=f"why_here_key_{place}")
    box.set_value(next(title for title in box.options if title.endswith(f"({position})")))


def test_the_pinned_score_is_split_on_both_sides(bundled: Backend, offered: Offered) -> None:
    at = open_page(**PINNED)
    assert boxes(at) == (8, 2)
    assert "No cell is pinned" not in text(at)
    terms = score_terms(bundled, bundled.trace(A, B), Cell(3, 4, 8, 2))
    assert f"a score of {written(terms.score, '+.2f')}, a weight of {terms.weight:.4f}" in text(at)
    for side, of_side in (("query", terms.query), ("key", terms.key)):
        bars = figure(at, f"here_{side}_terms_pair")["data"][0]
        assert_allclose(bars["x"], [*of_side.values[list(of_side.largest_first[:12])], bars["x"][-1]], atol=1e-4)
        assert sum(bars["x"]) == pytest.approx(terms.score, abs=1e-3)
    table = pd.read_csv(io.BytesIO(offered["score-L3-H4-8-2.csv"]()))
    assert len(table) == 2 * len(terms.query.origins)
    assert_allclose(table.groupby("side")["adds to the score"].sum(), terms.score, atol=1e-3)
    assert list(table["adds to the score"].abs().head(40)) == sorted(table["adds to the score"].abs().head(40))[::-1]


def test_the_largest_term_stands_beside_random_ones_in_the_proof() -> None:
    at = open_page(**PINNED)
    controls, largest = figure(at, "here_proof_pair")["data"]
    assert len(largest["x"]) == 2
    assert set(controls["y"]) == {0, 1}
    assert text(at).count("the term alone would leave") == 2
    assert "like norm" in text(at)


def test_a_head_opens_with_the_same_query_and_key() -> None:
    at = open_page(**PINNED)
    button = next(each for each in at.button if (each.key or "").startswith("why_here_open_query"))
    layer, head = (int(part) for part in button.key.split("_")[4:6])
    click(at, button.key)
    assert boxes(at) == (8, 2)
    assert chosen(at) == (layer, head)
    assert f"L{layer} H{head}:" in text(at)


def test_a_row_of_the_table_opens_the_head_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    at = unfold(open_page(**PINNED), "why_here_table_pair")
    (table,) = (each for each in at.dataframe if each.proto.selection_mode)
    opened: list[dict[str, int]] = []
    monkeypatch.setattr(terms.session, "change", lambda **place: opened.append(place))
    rows = table.value
    names_a_head = rows["head"].notna()
    for row in (int(names_a_head.idxmin()), int(names_a_head.idxmax())):
        terms.open_chosen(rows, {"selection": {"rows": [row]}})
    terms.open_chosen(rows, None)
    first = rows.loc[names_a_head.idxmax()]
    assert opened == [{"layer": first["layer"], "head": first["head"]}]
    assert first["term"] == f"L{first['layer']} H{first['head']}"


def test_without_a_pin_the_largest_weight_between_two_words_is_taken_and_said(bundled: Backend) -> None:
    at = open_page(view="why here", a=A, b=B, layer="0", head="4")
    weights = bundled.trace(A, B).weights(0)[4].copy()
    for special in (0, 6, 12):
        weights[special] = weights[:, special] = 0
    np.fill_diagonal(weights, 0)
    expected = np.unravel_index(weights.argmax(), weights.shape)
    assert boxes(at) == tuple(int(position) for position in expected)
    assert "No cell is pinned" in text(at)
    choose_key(at, 5)
    run(at)
    assert (selected(at)["query"], selected(at)["key"]) == (expected[0], 5)
    assert "pinned:" not in text(at)


def test_half_a_pin_is_completed() -> None:
    at = open_page(view="why here", a=A, b=B, query="8")
    assert boxes(at)[0] == 8
    assert "Only one token is pinned" in text(at)


def test_sentences_apart_have_a_cell_each() -> None:
    at = open_page(view="why here", a=A, b=B, mode="separate", query="1", key="2", pinned_in="B")
    assert boxes(at, "B") == (1, 2)
    assert text(at).count("No cell is pinned") == 1
    choose_key(at, 4, "A")
    run(at)
    assert selected(at)["pinned_in"] == "A"
    assert boxes(at, "A")[1] == 4


def test_one_word_and_hidden_special_tokens() -> None:
    at = open_page(view="why here", a="time", b="", special="hide", query="0", key="1", level="words")
    assert boxes(at) == (1, 1)
    for sentence in ("Special tokens are hidden; score and weight", "Scores belong to wordpieces"):
        assert sentence in text(at)


def test_a_long_text_is_run_again_when_somebody_asks() -> None:
    at = open_page(view="why here", a=" ".join(["time flies"] * 120), b="")
    assert not any("the term alone" in each.value for each in at.markdown)
    click(at, "why_here_prove_pair")
    assert "the term alone would leave" in text(at)


def test_the_heat_map_leads_here() -> None:
    at = open_page(**{**PINNED, "view": "heat map"})
    click(at, "heat_map_apart_pair")
    assert boxes(at) == (8, 2)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"head": "mean"}, "A score belongs to one head"),
        ({"a": "", "b": ""}, "type a word"),
    ],
)
def test_what_has_no_score_is_told_in_a_sentence(link: dict[str, str], sentence: str) -> None:
    at = open_page(**{**PINNED, **link})
    assert sentence in text(at)
    assert not at.get("plotly_chart")


def test_a_model_that_cannot_be_taken_apart_is_told_in_a_sentence(tmp_path: Path) -> None:
    tokenizer = byte_tokenizer(framed=False)
    model = build("GPT2Model", FAMILIES["gpt2"].config_class, vocab_size=len(tokenizer), **GPT2)
    at = open_page(view="why here", model=str(save(model, tmp_path / "gpt2", tokenizer)), a="time", b="")
    for button in [each for each in at.button if "Load" in each.label]:
        button.click()
        run(at)
    assert "cannot be decomposed" in text(at)
