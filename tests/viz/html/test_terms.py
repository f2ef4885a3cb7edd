"""Explanations with the terms of the glossary as buttons."""

import re

from viz.html.terms import markdown_with_terms


def test_a_term_opens_its_definition_and_its_source() -> None:
    html = markdown_with_terms("**How to read it.** The probe's selectivity.")
    opened = re.findall(r'popovertarget="([^"]+)">([^<]+)<', html)
    assert [text for _, text in opened] == ["probe", "selectivity"]
    for place, text in opened:
        definition = re.search(rf'<span popover id="{place}"[^>]*>(.*?)</span>', html)
        assert definition is not None
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
