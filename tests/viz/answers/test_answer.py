"""An answer as it is shown before an audience."""

import plotly.graph_objects as go

from viz.answers.answer import Answer, Chart, Row, Sentence, Table

CHART = Chart(name="chart", alt="A chart.", figure=lambda _: go.Figure())
TABLE = Table(name="table", title="Numbers", columns=lambda: {"a": [1]}, on_page="open")
HEADING, NOTICE = Sentence("Title", "heading"), Sentence("Something is missing.", "info")
SAID = Sentence("What is seen."), Sentence("How it was measured.", "caption")


def test_a_picture_has_its_headings_and_notices_but_neither_sentences_nor_tables() -> None:
    answer = Answer((HEADING, Row(((CHART, SAID[0]), (CHART,))), *SAID, NOTICE, TABLE))
    heading, row, notice = answer.as_picture().parts
    assert (heading, notice) == (HEADING, NOTICE)
    assert row.columns == ((CHART,), (CHART,))


def test_an_answer_without_charts_stays_as_it_is() -> None:
    answer = Answer((*SAID, TABLE))
    assert answer.as_picture() is answer
