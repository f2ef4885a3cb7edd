"""Slides as a file: what a tour says stays text, whatever it says, and nothing can be loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.viz.exports.reading import contents_of, elements_of, policy_of
from viz.exports.markdown import html_of_markdown
from viz.exports.slides import ClaimLine, Slide, Slides, TokenLine
from viz.exports.slides_document import slides_document
from viz.slides import command

HOSTILE = "</script><script>alert(1)</script> <img src=x onerror=alert(2)> \u2028 & \" '"


def test_hostile_words_stay_text() -> None:
    slide = Slide(
        title=HOSTILE,
        words=HOSTILE,
        question=HOSTILE,
        answer=HOSTILE,
        notes=HOSTILE,
        claims=(ClaimLine(False, HOSTILE, HOSTILE),),
        claims_of=HOSTILE,
        looks_at=HOSTILE,
        lines=(TokenLine(HOSTILE, ((HOSTILE, HOSTILE),)),),
        remark=HOSTILE,
        about=(HOSTILE,),
    )
    html = slides_document(Slides(title=HOSTILE, words=HOSTILE, slides=(slide,)))
    types = [one.attributes.get("type") for one in elements_of(html, "script")]
    assert types == ["application/json", "text/plain", "module"]
    assert elements_of(html, "img") == []
    assert contents_of(html)["slides"][0]["title"] == HOSTILE
    policy = policy_of(html)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


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


def test_the_question_comes_before_what_is_told() -> None:
    slide = Slide(title="Stop", question="Why?", answer="So.", words="Words.", notes="Notes.")
    html = slides_document(Slides(title="Tour", slides=(slide, slide)))
    names = [one.attributes.get("class") for one in elements_of(html, "div") + elements_of(html, "aside")]
    assert names.index("question") < names.index("told") < names.index("answer") < names.index("words")
    assert names.count("notes") == 2
    assert [slide["asks"] for slide in contents_of(html)["slides"]] == [True, True]


def test_the_command_writes_a_file_or_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tour, target = tmp_path / "tour.md", tmp_path / "slides.html"
    tour.write_text("# Tour\n\n## Stop\n\nWords alone.\n", encoding="utf-8")
    assert command.main([str(tour), str(target)]) == 0
    assert "slides of 1 stops" in capsys.readouterr().out
    assert "Words alone." in target.read_text(encoding="utf-8")
    assert command.main([str(tour), str(tmp_path / "nowhere" / "slides.html")]) == 1
    assert "slides.html: the slides cannot be written there (No such file" in capsys.readouterr().err
    tour.write_text("No tour.", encoding="utf-8")
    assert command.main([str(tour), str(target)]) == 1
    assert "line 1" in capsys.readouterr().err.lower()
