"""A tour as slides, as records: its words, and the pictures of its stops, whose runs are there once.

`viz/html/browser/slides/contents.mjs` describes the JSON that they become; `document.py` writes the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from viz.answers.answer import Answer
from viz.saved_page.contents import PageRun, ViewName, described_run, described_themes

ALL_PARTS: Final = -1  # of a run with several attentions: all of them in one square


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim of a stop, as it was worked out when the file was saved.

    Attributes:
        holds: None where it does not apply.
        sentence: its number, or "does not hold here: 0.12".
        claim: as the tour's file has it.
    """

    holds: bool | None
    sentence: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePicture:
    """A view that answers, of one or two runs.

    Attributes:
        runs: their numbers among the runs of the slides.
        selection: what it shows, as `viz.state.messages.shared_selection` writes it, with the `points` of the stop.
        part: which of a run's attentions, or `ALL_PARTS`.
        until: the first unit of a text that is not written yet; None where all is shown.
        marks: row and column of cells that are outlined, and what they are.
        quantity: what is drawn instead of weights, as `viz.wording.quantities.describe` writes it.
    """

    view: ViewName
    runs: tuple[int, ...]
    selection: Mapping[str, Any]
    part: int = 0
    until: int | None = None
    marks: tuple[Sequence[Sequence[int]], str] = ((), "")
    quantity: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TokenLine:
    """Tokens or words, each with something below it, such as its part of speech.

    Attributes:
        pairs: what stands above, and what below.
    """

    caption: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Slide:
    """One stop.

    Attributes:
        title: plain text; `words`, `question`, `answer` and `notes` are Markdown without HTML.
        claims_of: the name of the model that they were worked out on.
        looks_at: what it points at, in words; "" where it points at nothing.
        reveals_picture: whether the pictures are hidden until the answer is shown.
        picture: None where the view of the stop cannot be in a file, or could not be made.
        texts: what the pictures are about, if they do not say so themselves or are hidden at first.
        lines: words with a tag under each.
        answers: what the view shows, under its heading; several stand next to each other.
        remark: what of the stop's view is not here, and why; "" where all of it is.
        about: what should be known about the numbers, in full sentences.
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
        words: Markdown without HTML, which introduces it.
        runs: each has a name of its own.
    """

    title: str
    words: str = ""
    slides: tuple[Slide, ...]
    runs: tuple[PageRun, ...] = ()


def described_slides(slides: Slides) -> dict[str, Any]:
    """What the script draws, as JSON can hold it; the words stand in the page."""
    return {
        "title": slides.title,
        "themes": described_themes(),
        "runs": [described_run(run) for run in slides.runs],
        "slides": [_described_slide(slide) for slide in slides.slides],
    }


def _described_slide(slide: Slide) -> dict[str, Any]:
    return {
        "title": slide.title,
        "asks": bool(slide.question),
        "reveals_picture": slide.reveals_picture,
        "picture": None if slide.picture is None else _described_picture(slide.picture),
    }


def _described_picture(picture: LivePicture) -> dict[str, Any]:
    return {
        "view": picture.view,
        "runs": list(picture.runs),
        "selection": dict(picture.selection),
        "part": picture.part,
        "until": picture.until,
        "marks": [list(cell) for cell in picture.marks[0]],
        "marks_name": picture.marks[1],
        "quantity": None if picture.quantity is None else dict(picture.quantity),
    }
