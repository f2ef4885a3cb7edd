"""Markdown of tours: formulas become MathML or stay as written, and hostile words and formulas are harmless."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz.html.reading import elements_of
from viz.html.markdown import (
    MATHML_ELEMENTS,
    SAFE_ATTRIBUTES,
    html_of_formula,
    html_of_markdown,
    plain_text_of_markdown,
)

PIECES = (
    *("\\frac", "{", "}", "^", "_", "a", "1", "\\text", "\\left", "\\right", "(", "\\begin{matrix}", "\\end{matrix}"),
    *("&", "\\\\", "\\href", "\\color", "\\style", "\\class", "<script>", "</math>", '"', "'", "&lt;", " ", "$", "\\"),
    *("\\unicode", "javascript:alert(1)", "<img src=x onerror=alert(1)>", "\\underset", "\\sum", "\\limits"),
)


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,a)",
        "<javascript:alert(1)>",
        "![x](https://a.b/c.png)",
        "<b>x</b>",
    ],
)
def test_markdown_leads_to_the_web_alone(text: str) -> None:
    found = elements_of(html_of_markdown(text))
    assert {element.name for element in found} <= {"p", "a"}
    for element in found:
        if element.name == "a":
            assert (element.attributes["href"] or "").startswith("https://")


def test_markdown_is_that_of_the_page() -> None:
    html = html_of_markdown("**bold** *it* `code` ~~no~~ [link](https://a.b)\n\n- one\n\n# Heading")
    assert "<strong>bold</strong> <em>it</em> <code>code</code> <s>no</s>" in html
    assert '<a href="https://a.b" target="_blank" rel="noopener noreferrer">link</a>' in html
    assert "<h3>Heading</h3>" in html


def test_plain_text_has_no_marks_but_those_of_lists() -> None:
    text = "A *word*, **two**, `code` [there](https://e.org): $x^2$, 2 * 3, [CLS] and a_b\\*\n\n- one\n- <b>"
    assert plain_text_of_markdown(text) == "A word, two, code there: x^2, 2 * 3, [CLS] and a_b*\n\n- one\n- <b>"


def test_a_formula_becomes_mathml() -> None:
    html = html_of_markdown("The score $s \\le \\frac{q \\cdot k}{\\sqrt{32}}$ is scaled.")
    assert '<math display="inline">' in html
    assert "<mo>≤</mo>" in html
    assert "<mfrac>" in html
    assert "$" not in html
    assert '<math display="block">' in html_of_markdown("$$\n\\sum_j a_j = 1\n$$")


@pytest.mark.parametrize("text", ["It costs $5 and $6.", "`$a$`", "\\$a\\$", "One $ is no formula."])
def test_dollars_that_are_none_stay(text: str) -> None:
    assert "<math" not in html_of_markdown(text)


def test_what_cannot_be_drawn_is_shown_as_written() -> None:
    assert html_of_formula("}{", "inline") == '<code class="formula">$}{$</code>'
    assert html_of_formula("\\left<b>", "block") == '<code class="formula">$$\\left&lt;b&gt;$$</code>'
    assert html_of_formula("a" * 1001, "inline").startswith("<code")
    assert html_of_formula("{" * 900, "inline").startswith("<code")


def test_text_in_a_formula_stays_text() -> None:
    assert "<mtext>&lt;script&gt;alert(1)&lt;/script&gt;</mtext>" in html_of_formula(
        "\\text{<script>alert(1)</script>}", "inline"
    )


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_a_hostile_formula_has_no_other_elements(pieces: list[str]) -> None:
    for element in elements_of(html_of_formula("".join(pieces), "inline")):
        assert element.name in MATHML_ELEMENTS | {"code"}
        assert element.attributes.keys() <= SAFE_ATTRIBUTES | {"class"}
