"""Cells of the anatomy on the page, without a browser: worked out, chosen, and in view."""

from streamlit.testing.v1 import AppTest

import encoder
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours
from encoder.experiments.anatomy.step_examples import position_table, sinusoidal_table
from tests.app.anatomy_page import HEAD, LONG, assert_drawn, chosen, go, open_anatomy, recorded, seen
from tests.app.app_script import captions, data_of, figures, run, type_texts, unfold
from viz.views.anatomy.answer.steps import STEPS
from viz.views.anatomy.answer.steps.inputs import explain_position_product, explain_sinusoid
from viz.views.anatomy.answer.steps.model import explain_logit, explain_probability
from viz.views.anatomy.answer.worked_out import WorkedOut


def test_an_invalid_cell_leaves_the_address_and_one_of_another_step_stays() -> None:
    positions, width = len(position_table(ours(encoder.load("bundled")).encoder)), recorded().sizes.F
    at = open_anatomy(walk="softmax", row="9999", column="9999")
    assert (at.query_params["row"], at.query_params["column"]) == (str(positions - 1), str(width - 1))
    at = open_anatomy(walk="softmax", row=str(positions - 1), column="300")
    assert (at.query_params["row"], at.query_params["column"]) == (str(positions - 1), "300")


def test_the_cell_of_the_chosen_row_and_column_is_computed() -> None:
    at = open_anatomy(walk="feed-forward", row="3", column="4")
    work_out = STEPS["feed-forward"].work_out
    assert work_out is not None
    assert_worked(at, work_out(recorded(), 3, 4))


def assert_worked(at: AppTest, worked: WorkedOut) -> None:
    """The page shows the lines, and offers a table of all terms."""
    said = [each.value for each in at.latex] or [each.value for each in at.markdown]
    assert all(any(line in each for each in said) for line in worked.lines)
    if worked.terms:
        count = len(next(iter(worked.terms.values())))
        open_tables = [list(each.value.columns) for each in at.dataframe]
        is_folded = any(each.label == f"All {count:,} terms of the sum" for each in at.expander)
        assert is_folded or [worked.counted, *worked.terms] in open_tables


def test_padding_that_is_gone_gives_its_cell_back() -> None:
    at = open_anatomy(walk="mask", mask="padding", row="9", column="9")
    assert chosen(at)[0] == 9
    at.button_group(key="mask").set_value("none")
    run(at)
    assert chosen(at) == (6, 6)


def test_positions_are_computed_and_compared() -> None:
    at = open_anatomy(walk="positions", row="45", column="9")
    table = position_table(ours(encoder.load("scratch-bert")).encoder)
    assert_worked(at, explain_sinusoid(sinusoidal_table(*table.shape), row=45, column=9))
    assert "Rows 20 to 59 of 512" in captions(at)
    unfold(at, "anatomy_positions_0")
    assert_worked(at, explain_position_product(table, one=45, other=2))
    at.number_input(key="anatomy_other_position").set_value(44)
    run(at)
    assert_worked(at, explain_position_product(table, one=45, other=44))
    go(at, "next")
    assert at.number_input(key="dimension_number").value == 9
    assert chosen(at) == (6,), "the text has no token 45"


def test_the_chosen_class_is_computed() -> None:
    at = open_anatomy(walk="prediction")
    read = readout(ours(encoder.load("scratch-bert")), seen())
    for row in (0, 2):
        at.selectbox(key="anatomy_class").set_value(read.prediction.labels[row])
        run(at)
        for worked in (explain_logit(read, row=row), explain_probability(read, row=row)):
            assert_worked(at, worked)


def test_a_click_chooses_what_the_picture_shares_with_the_opened_one() -> None:
    key_cell, cell, row, column = (
        {"y": "row", "x": "column"},
        {"y": "row", "x": "dimension"},
        {"y": "row"},
        {"x": "dimension"},
    )
    listening = {
        "softmax": {"A-attention-weights": key_cell},
        "context": {"A-attention-weights": row, "V-values": column, "C-A-V-context": cell},
        "projections": {"X-what-goes-into-the-layer": row, "Q-queries": cell, "K-keys": cell, "V-values": cell},
        "layers": {"X-after-layer-2": cell, "X-after-layer-5-the-last": cell, "1-time-layer-by-layer": column},
        "mask": {"scores": key_cell, "weights": key_cell},
        "positions": {"learned": cell, "sines-and-cosines": cell},
        "text": {},
        "prediction": {},
    }
    for key, charts in listening.items():
        at = open_anatomy(walk=key)
        (heard,) = [
            data_of(each.proto)
            for each in at.get("bidi_component")
            if each.proto.component_name == "headlight.plot_clicks"
        ]
        assert heard["charts"] == {f"anatomy_{key}_{name}": {"axes": axes} for name, axes in charts.items()}, key


def test_a_long_text_is_drawn_around_the_chosen_cell() -> None:
    at = open_anatomy(a=LONG, walk="scores", row="61", column="30")
    used = seen(a=LONG)
    (drawn,) = figures(at)
    assert_drawn(drawn, used.products[HEAD][22:62, 20:60])
    assert "Rows 22 to 61 of 62 and columns 20 to 59 of 62 are shown" in captions(at)
    frame = drawn["layout"]["shapes"][-1]
    assert (frame["x0"], frame["x1"], frame["y0"], frame["y1"]) == (29.5, 30.5, 60.5, 61.5)
    at.selectbox(key="row").select_index(0)
    run(at)
    assert_drawn(figures(at)[0], used.products[HEAD][:40, 20:60])


def test_a_cell_that_is_not_there_becomes_the_nearest() -> None:
    at = open_anatomy(walk="scores", row="99", column="9999")
    assert chosen(at) == (6, 6)
    type_texts(at, a="time")
    assert chosen(at) == (2, 2)
    at.selectbox(key="walk").set_value("layers")
    run(at)
    assert chosen(at)[0] == 2
