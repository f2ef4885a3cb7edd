"""Explanations with the terms of the glossary as buttons."""

import re

from viz.html.markdown import html_of_markdown
from viz.html.terms import definitions_in, markdown_with_terms


def test_a_term_opens_its_definition_and_its_source() -> None:
    html = markdown_with_terms("**How to read it.** The probe's selectivity.")
    opened = re.findall(r'popovertarget="([^"]+)">([^<]+)<', html)
    assert [text for _, text in opened] == ["probe", "selectivity"]
    for place, text in opened:
        definition = re.search(rf'<span popover id="{place}"[^>]*>(.*?)</span>', html)
        assert definition[1].startswith(f"<strong>{text}</strong>: ")
    assert "<em>Hewitt and Liang 2019</em>" in html
    assert html.startswith("**How to read it.** The <button")


def test_the_same_term_in_two_texts_has_two_places() -> None:
    places = [re.findall(r'id="([^"]+)"', markdown_with_terms(text)) for text in ("a cosine", "the cosine")]
    assert len(set(places[0] + places[1])) == 2


def test_html_in_a_text_is_escaped_and_markdown_is_not() -> None:
    assert markdown_with_terms(r"<img src=x> & \<b> \\<i> **bold**") == (
        r"&lt;img src=x&gt; &amp; \<b&gt; \\&lt;i&gt; **bold**"
    )


def test_a_file_has_each_definition_once_and_marks_a_term_where_it_appears_first() -> None:
    defined = set[str]()
    words = html_of_markdown(
        "A probe, `a probe`, [a head](https://a.example) and $probe$. A **head**.", defined=defined
    )
    words += html_of_markdown("## The cosine\n\nA probe and a logit of “head”.", defined=defined)
    assert re.findall(r'popovertarget="([^"]+)">([^<]+)<', words) == [
        ("term-probe", "probe"),
        ("term-head", "head"),
        ("term-logit", "logit"),
    ]
    assert re.findall(r'<span popover id="([^"]+)"', definitions_in(words + words)) == [
        "term-head",
        "term-logit",
        "term-probe",
    ]
    assert definitions_in(html_of_markdown('<button type="button" class="term" popovertarget="term-head">')) == ""
