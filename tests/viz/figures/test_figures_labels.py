"""Token text in figures: visible, short and never markup."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.answers.answer import Sentence
from viz.figures.labels import break_lines, plotly_text, text_width
from viz.figures.rendering import plot_config
from viz.wording.labels import direction, isolated, make_visible, shorten


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("flies", "flies"),
        ("</script>", "&lt;/script&gt;"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("&lt;", "&amp;lt;"),
        ("$x^2$", "&#36;x^2&#36;"),
        ("%{z}", "&#37;{z}"),
    ],
)
def test_plain_leaves_nothing_for_plotly_to_interpret(label: str, shown: str) -> None:
    assert plotly_text(label) == shown


@given(st.text())
def test_plain_text_has_no_markup_and_loses_nothing(label: str) -> None:
    shown = plotly_text(label)
    assert not set("<>$%") & set(shown)
    assert not re.search(r"&(?!(amp|lt|gt|#36|#37);)", shown)
    assert html.unescape(shown).strip("\u2066\u2069") == make_visible(label)


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("", "∅"),
        (" ", "␣"),
        ("\u00a0\u3000", "␣␣"),
        ("a b", "a b"),
        ("a\nb", "a⏎b"),
        ("\t", "⇥"),
        ("\x00", "⟨U+0000⟩"),
        ("x\u202ey", "x⟨U+202E⟩y"),
        ("\u200b", "⟨U+200B⟩"),
        ("\u200d", "⟨U+200D⟩"),
        ("\u2028", "⟨U+2028⟩"),
        ("\u0301", "◌\u0301"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("\ud800", "\ufffd"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(label: str, shown: str) -> None:
    assert make_visible(label) == shown


def test_right_to_left_text_is_isolated() -> None:
    assert plotly_text("שלום") == "\u2066שלום\u2069"
    assert plotly_text("flies") == "flies"


@pytest.mark.parametrize(
    ("label", "shown"), [("a" * 16, "a" * 16), ("a" * 17, "a" * 15 + "…"), ("a" * 14 + "e\u0301xx", "a" * 14 + "…")]
)
def test_long_labels_end_in_an_ellipsis_and_letters_keep_their_accents(label: str, shown: str) -> None:
    assert shorten(label, 16) == shown


def test_wider_text_has_a_wider_estimate() -> None:
    assert text_width("") > 0
    assert text_width("iii") < text_width("aaa") < text_width("mmm") < text_width("日本語")
    assert text_width("e\u0301") == text_width("e")
    assert text_width("flies", size=28) == pytest.approx(2 * text_width("flies"))


@pytest.mark.parametrize(
    ("filename", "saved"),
    [
        ("L3-H7", "L3-H7"),
        ("../../etc/passwd", "etc-passwd"),
        ("a b<c>.svg", "a-b-c-.svg"),
        ("", "headlight"),
        ("...", "headlight"),
    ],
)
def test_figures_are_saved_as_svg_under_a_harmless_name(filename: str, saved: str) -> None:
    config = plot_config(filename)
    assert config["toImageButtonOptions"] == {"format": "svg", "filename": saved}
    assert config["displaylogo"] is False


def test_surrounded_text_keeps_its_signs_on_its_own_side() -> None:
    assert isolated("נכון?") == "\u2068נכון?\u2069"
    assert isolated("right?") == "right?"
    said = Sentence("“ע” and “ה” +0.5, “a”").text
    assert said == "“\u2068ע\u2069” and “\u2068ה\u2069” +0.5, “a”"
    assert Sentence(said).text == said


def test_words_of_right_to_left_text_begin_on_the_right() -> None:
    assert break_lines([30, 40, 50], room=100, gap=5) == [(0, 0, 30), (0, 35, 40), (1, 0, 50)]
    hebrew = break_lines([30, 40, 50], room=100, gap=5, words=["[CLS]", "–", "שלום", "film"])
    assert hebrew == [(0, 69, 30), (0, 24, 40), (1, 49, 50)]
    assert [direction(words) for words in (["a", "שלום"], ["1", "،", "كان"], ["…"], [])] == ["ltr", "rtl", "ltr", "ltr"]
