"""Python code as HTML, with one line marked."""

from viz.answers.answer import Code
from viz.html.marked_code import html_of_code

SOURCE = '''def f(x):
    """Two
    lines <b>."""

    return x + 1  # one "more"
'''


def test_one_line_is_marked() -> None:
    html = html_of_code(Code("", SOURCE, 4))
    assert html.count("<mark>") == 1
    assert '<mark>    <span class="code-keyword">return</span> x + 1  <span class="code-comment">' in html
    assert "<mark>" not in html_of_code(Code("", SOURCE))


def test_every_line_is_text_in_its_own_element() -> None:
    html = html_of_code(Code("", SOURCE, 4))
    assert html.count('<span class="line">') + html.count("<mark>") == len(SOURCE.splitlines())
    assert "lines &lt;b&gt;." in html


def test_a_string_of_two_lines_has_its_class_in_both() -> None:
    assert html_of_code(Code("", SOURCE)).count("code-string") == 2
