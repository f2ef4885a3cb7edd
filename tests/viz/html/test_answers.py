"""Answers in a file."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tests.viz.html.reading import elements_of
from viz.answers.answer import Answer, Chart, Code, Formula, Row, Sentence, ShadedWords, Table
from viz.html.answers import html_of_answer

HOSTILE = "<script>alert(1)</script>"
CHART = Chart(name="bars", alt="Bars.", figure=lambda theme: go.Figure(layout={"margin": {"l": 8}}))


def test_a_row_has_its_columns_in_reading_order() -> None:
    answer = Answer((Row(((Sentence("First"), CHART), (Sentence("Second"), CHART))),))
    html = html_of_answer(answer)
    assert len(answer.charts) == len(elements_of(html, "figure")) == 2
    assert [each.attributes.get("class") for each in elements_of(html, "div")].count("row") == 1
    assert html.index('<div class="row">') < html.index("First") < html.index("<figure") < html.index("Second")


def test_largest_weight_has_the_strongest_colour_and_words_stay_text() -> None:
    part = ShadedWords(
        title="looks at", words=("[CLS]", HOSTILE), weights=np.array([0.2, 0.8], np.float32), marked=1, sentence="B"
    )
    html = html_of_answer(Answer((part,)))
    weak, strong = (each.attributes["style"] or "" for each in elements_of(html, "bdi"))
    assert "var(--sentence-b) 12%" in weak
    assert "var(--sentence-b) 50%" in strong
    assert ("outline" in weak, "outline" in strong) == (False, True)
    assert elements_of(html, "script") == []


def test_what_a_table_lacks_is_an_empty_cell() -> None:
    table = Table(
        name="senses", title="Senses", columns=lambda: {"sense": ["a", None], "share": [None, 0.5]}, on_page="open"
    )
    html = html_of_answer(Answer((table,)))
    assert '<th scope="row">a</th><td></td>' in html
    assert '<th scope="row"></th><td>0.5000</td>' in html


def test_plain_text_is_not_read_as_markdown() -> None:
    html = html_of_answer(Answer((Sentence("**a** https://a.b <b>", "plain"),)))
    assert html == '<p class="plain">**a** https://a.b &lt;b&gt;</p>'


def test_the_note_of_a_table_stands_in_its_fold() -> None:
    table = Table(name="t", title="T", columns=lambda: {"a": [1]}, on_page="folded", note="**In bits.**")
    html = html_of_answer(Answer((table,)))
    assert html.startswith("<details")
    assert html.endswith("</table><p><strong>In bits.</strong></p>\n</details>")


def test_a_formula_is_mathml_and_code_is_folded_text() -> None:
    formula, code = Formula("\\frac{1}{2}\nx + 1"), Code("The code: `softmax`, a.py, line 1", HOSTILE)
    html = html_of_answer(Answer((formula, code)))
    assert html.count("<math") == 2
    assert "<mfrac>" in html
    assert elements_of(html, "script") == []
    assert "<summary>The code: softmax, a.py, line 1</summary><pre" in html
    assert "&lt;script&gt;" in html
