"""The records of a tour as slides: its words, the views of its stops, and the runs, each once.

`viz/html/browser/contents.mjs` describes their JSON; `document.py` writes the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from viz.answers.answer import Answer, TokenLine
from viz.saved_page.contents import PageRun, ViewName, described_run, described_themes

ALL_PARTS: Final = -1  # shows all attentions of a run in one square


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """The outcome of a claim when the file was saved.

    Attributes:
        holds: None if the claim does not apply.
        sentence: what is measured with its number, or why it does not apply.
        claim: in the words of the tour's file.
    """

    holds: bool | None
    sentence: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePicture:
    """An interactive view of one or two runs.

    Attributes:
        runs: indices into the runs of the slides.
        selection: from `viz.state.messages.shared_selection`, with the `points` of the stop.
        part: the index of one of a run's attentions, or `ALL_PARTS`.
        until: the first unit that is not written yet; None if all are shown.
        marks: row and column of outlined cells; `marks_name` says what they mean.
        quantity: shown instead of weights, from `viz.wording.quantities.describe`.
        follows: for each run, how it follows the selection, if the runs are of several models; from
            `viz.views.models.answer.follows`.
    """

    view: ViewName
    runs: tuple[int, ...]
    selection: Mapping[str, Any]
    part: int = 0
    until: int | None = None
    marks: Sequence[Sequence[int]] = ()
    marks_name: str = ""
    quantity: Mapping[str, Any] | None = None
    follows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Slide:
    """One stop.

    Attributes:
        title: plain text; `words`, `question`, `answer` and `notes` are Markdown without HTML.
        claims_of: the name of the model that the claims were tested on.
        looks_at: the stop's points in words; "" without points.
        reveals_picture: whether the pictures are hidden until the answer is shown.
        picture: None if the stop's view has none in a file, or it could not be made.
        texts: the texts of a slide whose views are static or hidden at first; else "".
        lines: words, each above its tag.
        answers: the content of the view, with a heading; several are placed side by side.
        remark: the missing part of the stop's view, and the reason; "" if nothing is missing.
        about: notes on the numbers, in full sentences.
    """

    title: str
    words: str = ""
    question: str = ""
    answer: str = ""
    notes: str = ""
    claims: tuple[ClaimLine, ...] = ()
    claims_of: str = ""
    looks_at: str = ""
    reveals_picture: bool = False
    picture: LivePicture | None = None
    texts: str = ""
    lines: tuple[TokenLine, ...] = ()
    answers: tuple[tuple[str, Answer], ...] = ()
    remark: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Slides:
    """A tour, one slide a stop.

    Attributes:
        words: the introduction, Markdown without HTML.
        runs: with unique names.
    """

    title: str
    words: str = ""
    slides: tuple[Slide, ...]
    runs: tuple[PageRun, ...] = ()


def described_slides(slides: Slides) -> dict[str, Any]:
    """The JSON for the page's script; the page itself contains the words."""
    return {
        "title": slides.title,
        "themes": described_themes(),
        "runs": [described_run(run) for run in slides.runs],
        "slides": [
            {
                "title": slide.title,
                "asks": bool(slide.question),
                "reveals_picture": slide.reveals_picture,
                "picture": slide.picture and asdict(slide.picture),
            }
            for slide in slides.slides
        ],
    }
