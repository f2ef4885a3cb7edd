"""The files that the views offer: the numbers that they show, which pandas reads back."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from encoder import Backend, Trace
from encoder.measures.head_profiles import max_pooled
from encoder.measures.unit_attention import shown_attention
from encoder.measures.units import units_of
from tests.app.app_script import Offered, choose, components, data_of, open_page, unfold
from viz.payloads.model_map import THUMBNAIL
from viz.widgets.tables import csv_of
from viz.wording.labels import spreadsheet_text

A, B = "=1+1 time, flies\n", '"fruit" unflies'
Read = Callable[[], dict[str, pd.DataFrame]]


@pytest.fixture
def downloads(offered: Offered) -> Read:
    """The tables that the page offers to download since the last look, by file name."""

    def read() -> dict[str, pd.DataFrame]:
        files = {name: pd.read_csv(io.BytesIO(data())) for name, data in offered.items() if name.endswith(".csv")}
        offered.clear()
        return files

    return read


def names(trace: Trace, **shown: Any) -> list[str]:
    return [f"{index}: {label}" for index, label in enumerate(units_of(trace.tokens, **shown).labels)]


def test_sentences_encoded_separately_have_files_of_their_own(downloads: Read) -> None:
    at = open_page(view="norms", a=A, b=B, mode="separate")
    assert list(downloads()) == ["norms-A.csv", "norms-B.csv"]
    unfold(at, "export")
    downloads()
    choose(at, view="model view")
    assert list(downloads()) == ["model-view-A.csv", "model-view-B.csv"]
    choose(at, layer=2, head=5)
    downloads()
    choose(at, view="neuron view")
    assert list(downloads()) == ["neurons-L2-H5-query-1-A.csv", "neurons-L2-H5-query-1-B.csv"]


def test_the_model_view_offers_every_heads_weights(downloads: Read, bundled: Backend) -> None:
    at = unfold(open_page(view="model view", a=A, b=B), "export")
    trace = bundled.trace(A, B)
    for special in ("show", "renormalise"):
        choose(at, special=special)
        table = downloads()["model-view.csv"]
        labels = names(trace, special=special)
        assert list(table.columns) == ["layer", "head", "query (from)", *labels]
        assert len(table) == 6 * 12 * len(labels)
        for layer, head in ((0, 0), (3, 7), (5, 11)):
            of_head = table[(table["layer"] == layer) & (table["head"] == head)]
            units = units_of(trace.tokens, special=special)
            expected, _ = shown_attention(trace.weights(layer)[head], units, special)
            assert list(of_head["query (from)"]) == labels
            np.testing.assert_allclose(of_head[labels].to_numpy(np.float32), expected, rtol=1e-5, atol=1e-8)


def test_of_a_long_text_the_model_view_offers_the_cells_that_it_draws(downloads: Read, bundled: Backend) -> None:
    text = "time flies like an arrow " * 20
    unfold(open_page(view="model view", a=text, b=""), "export")
    table = downloads()["model-view.csv"]
    trace = bundled.trace(text)
    cells = list(table.columns[3:])
    assert (len(cells), cells[0], cells[-1]) == (THUMBNAIL, "0 to 1", "99 to 101")
    assert list(table["query (from)"][:THUMBNAIL]) == cells
    of_head = table[(table["layer"] == 2) & (table["head"] == 3)][cells].to_numpy(np.float32)
    np.testing.assert_allclose(of_head, max_pooled(trace.weights(2), THUMBNAIL)[3], rtol=1e-5, atol=1e-8)


def check_neurons(table: pd.DataFrame, trace: Trace, *, layer: int, head: int, query: int, keys: list[int]) -> None:
    of_query, of_keys = trace.queries(layer)[head][query], trace.keys(layer)[head][keys]
    labels = names(trace)
    assert set(table["query (from)"]) == {labels[query]}
    assert list(table["key (to)"]) == [labels[key] for key in keys]
    widths = range(len(of_query))
    np.testing.assert_allclose(table[[f"k {at}" for at in widths]], of_keys, rtol=1e-5)
    np.testing.assert_allclose(table[[f"q {at}" for at in widths]], np.tile(of_query, (len(keys), 1)), rtol=1e-5)
    products = table[[f"q × k {at}" for at in widths]].to_numpy()
    np.testing.assert_allclose(products, of_keys * of_query, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(table["q · k"], products.sum(axis=1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(table["score"], trace.scores(layer)[head][query][keys], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("link", "query", "keys"),
    [
        ({}, 1, list(range(15))),  # the first token that is not special
        ({"query": "3", "key": "2"}, 3, list(range(15))),
        ({"query": "0", "special": "hide"}, 1, [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13]),
        ({"query": "2", "sentences": "A→B"}, 2, list(range(9, 15))),
        ({"query": "2", "sentences": "B→B", "special": "renormalise"}, 9, [9, 10, 11, 12, 13]),
    ],
    ids=["first", "pinned", "hidden", "to B", "within B"],
)
def test_the_neuron_view_offers_the_numbers_of_its_query(
    link: dict[str, str], query: int, keys: list[int], downloads: Read, bundled: Backend
) -> None:
    unfold(open_page(view="neuron view", a=A, b=B, layer="4", head="6", **link), "export")
    trace = bundled.trace(A, B)
    assert len(trace.tokens) == 15
    table = downloads()[f"neurons-L4-H6-query-{query}.csv"]
    check_neurons(table, trace, layer=4, head=6, query=query, keys=keys)
    weights = trace.weights(4)[6][query]
    kept = 1 - weights[[at for at, special in enumerate(trace.tokens.special) if special]].sum()
    share = kept if link.get("special") == "renormalise" else 1.0
    np.testing.assert_allclose(table["weight"], weights[keys] / share, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(("mode", "first"), [("separate", [[2], [2]]), ("pair", [[2, 8]])])
def test_the_neuron_view_starts_with_the_word_that_the_sentences_share(
    mode: str, first: list[list[int]], downloads: Read
) -> None:
    at = open_page(view="neuron view", mode=mode)
    assert [data_of(view)["first_queries"] for view in components(at, "neuron_view")] == first
    assert any("“flies” gives" in part.value and "to “time” in A" in part.value for part in at.markdown)
    unfold(at, "export")
    assert all("query-2" in name for name in downloads())


def test_the_neuron_view_of_a_sentence_starts_with_the_shared_word_in_it(downloads: Read) -> None:
    unfold(open_page(view="neuron view", mode="pair", sentences="B→A"), "export")
    assert list(downloads()) == ["neurons-L0-H4-query-8.csv"]


def test_an_empty_neuron_view_offers_no_download(downloads: Read) -> None:
    unfold(open_page(view="neuron view", a=A, b=B, layer="4", head="mean"), "export")
    assert downloads() == {}
    unfold(open_page(view="neuron view", a="time", b="[SEP]", sentences="A→B", special="hide"), "export")
    assert downloads() == {}


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-2", "@a", "＝1+1", "＋1", "－1", "＠a", " =1", "\u3000=1", "\n=1"])
def test_no_cell_of_a_file_begins_as_a_formula(cell: str) -> None:
    assert spreadsheet_text(cell) == f"'{cell}"
    assert spreadsheet_text(f"a {cell}") == f"a {cell}"


def test_no_cell_of_a_file_is_a_formula() -> None:
    saved = csv_of(pd.DataFrame({"text": ["=1+1", "-2 degrees", "a - b"], "number": [-1.5, 2, 3], "=2": [0, 0, 0]}))
    read = pd.read_csv(io.BytesIO(saved))
    assert read["text"].tolist() == ["'=1+1", "'-2 degrees", "a - b"]
    assert read["number"].tolist() == [-1.5, 2, 3]
    assert read.columns.tolist() == ["text", "number", "'=2"]
