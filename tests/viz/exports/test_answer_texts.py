"""An answer in a file: typed text stays text, and a table has its note."""

from __future__ import annotations

from viz.answers.answer import Answer, Sentence, Table
from viz.exports.answers import html_of_answer


def test_plain_text_is_not_read_as_markdown() -> None:
    html = html_of_answer(Answer((Sentence("**a** https://a.b <b>", "plain"),)))
    assert html == '<p class="plain">**a** https://a.b &lt;b&gt;</p>'


def test_the_note_of_a_table_stands_in_its_fold() -> None:
    table = Table(name="t", title="T", columns=lambda: {"a": [1]}, on_page="folded", note="**In bits.**")
    html = html_of_answer(Answer((table,)))
    assert html.startswith("<details")
    assert html.endswith("</table><p><strong>In bits.</strong></p>\n</details>")
