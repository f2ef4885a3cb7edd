"""Slides as a file: what a tour says stays text, whatever it says, and nothing can be loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.viz.html.reading import contents_of, elements_of, policy_of
from viz.answers.answer import TokenLine
from viz.slides import command
from viz.slides.contents import ClaimLine, Slide, Slides
from viz.slides.document import slides_document

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


def test_the_question_comes_before_what_is_told() -> None:
    slide = Slide(title="Stop", question="Why?", answer="So.", words="Words.", notes="Notes.")
    html = slides_document(Slides(title="Tour", slides=(slide, slide)))
    names = [one.attributes.get("class") for one in elements_of(html, "div") + elements_of(html, "aside")]
    assert names.index("question") < names.index("revealed") < names.index("answer") < names.index("words")
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
