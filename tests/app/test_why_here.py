"""“Why here?” on the page: the choice of the cell, its terms and proof, and models that cannot be decomposed."""

import io

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import Offered, chosen, click, open_page, run, selected, send, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled
from viz.state import session
from viz.views.why_here.widgets import open_chosen

A, B = "time flies like an arrow", "fruit flies like a banana"
PINNED = {"view": "why here", "a": A, "b": B, "layer": "3", "head": "4", "query": "8", "key": "2"}


def boxes(at: AppTest, place: str = "pair") -> tuple[int, int]:
    """The query and the key that are chosen."""
    titles = (str(at.selectbox(key=f"why_here_{side}_{place}").value) for side in ("query", "key"))
    query, key = (int(title.rpartition("(")[2].rstrip(")")) for title in titles)
    return query, key


def choose_key(at: AppTest, position: int, place: str = "pair") -> None:
    box = at.selectbox(key=f"why_here_key_{place}")
    box.set_value(next(title for title in box.options if title.endswith(f"({position})")))


def test_terms_their_proof_and_the_table_are_shown(offered: Offered) -> None:
    at = open_page(**PINNED)
    assert boxes(at) == (8, 2)
    charts = ["score-terms-query", "score-terms-key", "score-proof"]
    assert [chart.proto.id.partition("why_here_")[2] for chart in at.get("plotly_chart")] == [
        f"{name}_pair" for name in charts
    ]
    assert text(at).count("its bar alone: ") == 2
    unfold(at, "why_here_table_pair")
    table = pd.read_csv(io.BytesIO(offered["score-L3-H4-8-2.csv"]()))
    assert list(table.columns[:4]) == ["side", "term", "layer", "head"]


def test_a_chosen_token_is_pinned() -> None:
    at = open_page(view="why here", a=A, b=B, layer="0", head="4")
    query, _ = boxes(at)
    choose_key(at, 5)
    run(at)
    assert (selected(at)["query"], selected(at)["key"]) == (query, 5)
    assert "pinned:" not in text(at)


def test_a_head_opens_with_the_same_query_and_key() -> None:
    at = open_page(**PINNED)
    key = next(key for each in at.button if (key := each.key or "").startswith("why_here_open_query"))
    layer, head = (int(part) for part in key.split("_")[4:6])
    click(at, key)
    assert boxes(at) == (8, 2)
    assert chosen(at) == (layer, head)
    assert f" in layer {layer}, head {head}" in text(at)


def test_a_row_of_the_table_opens_the_head_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    at = unfold(open_page(**PINNED), "why_here_table_pair")
    (table,) = (each for each in at.dataframe if each.proto.selection_mode)
    opened: list[dict[str, int]] = []
    monkeypatch.setattr(session, "change", lambda **place: opened.append(place))
    rows = table.value
    names_a_head = rows["head"].notna()
    for row in (int(names_a_head.idxmin()), int(names_a_head.idxmax())):
        open_chosen(rows, {"selection": {"rows": [row]}})
    open_chosen(rows, None)
    first = rows.loc[names_a_head.idxmax()]
    assert opened == [{"layer": first["layer"], "head": first["head"]}]
    assert first["term"] == f"L{first['layer']} H{first['head']}"


def test_separate_sentences_have_a_cell_each_and_that_of_the_pinned_one_is_open() -> None:
    at = open_page(view="why here", a=A, b=B, mode="separate", query="1", key="2", pinned_in="B")
    assert boxes(at, "B") == (1, 2)
    unfold(at, "why_here_A")
    choose_key(at, 4, "A")
    run(at)
    assert selected(at)["pinned_in"] == "A"
    assert boxes(at, "A")[1] == 4


@pytest.mark.usefixtures("jobs_begin_at_once")
def test_a_long_text_is_run_again_in_a_job() -> None:
    at = open_settled(view="why here", a=" ".join(["time flies"] * 120), b="")
    assert "its bar alone: " in text(at)


def test_the_card_of_a_cell_leads_here_with_a_cell_that_was_just_chosen() -> None:
    at = open_page(**{**PINNED, "view": "heat map"})
    changes = {"query": 8, "key": 3, "pinned_in": "A", "view": "why here"}
    send(at, "host", selection={"scope": "encoder", "number": 1, "changes": changes, "waiting": False})
    assert boxes(at) == (8, 3)
