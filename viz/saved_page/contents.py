"""The records of a saved page; `viz/html/browser/contents.mjs` describes the JSON that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from encoder.measures.unit_attention import Sentences
from encoder.measures.units import Special
from viz.answers.answer import Answer
from viz.html.quantised import Block
from viz.theme import THEMES, Theme
from viz.wording.explanations import Explanation

ViewName = Literal[
    "tokens",
    "heat map",
    "head view",
    "model view",
    "neuron view",
    "norms",
    "predictions",
    "why",
    "why here",
    "routes",
    "word lens",
]
PageTheme = Literal["auto", "light", "dark"]
ATTENTION_VIEWS: Final[tuple[ViewName, ...]] = ("heat map", "head view", "model view", "neuron view")
VIEW_NAMES: Final[tuple[ViewName, ...]] = ("tokens", *ATTENTION_VIEWS, "norms")
# That are not the names of views.
TITLES: Final[Mapping[str, str]] = {"why": "Why this prediction?", "why here": "Why here?"}


@dataclass(frozen=True, slots=True)
class Part:
    """One attention of a run that has several: a block of the square of all units.

    Attributes:
        sentences: the name of the block.
        removed: the name of the tensor with the weights of hidden tokens.
    """

    title: str
    sentences: Sentences
    removed: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PageRun:
    """One run of a model on a page.

    Attributes:
        place: "pair", "A", "B" or "decoder".
        heading: above the run; "" if the page has one run.
        texts: those whose pins the run shows.
        layers: the numbers of the page's layers.
        num_layers: of the model; None if the page has all, or says which it has.
        num_heads: of each layer.
        heads: those of the map; None for all.
        pair: whether the attention within or across sentences can be selected.
        parts: none if the run has one attention.
        explanations: the text under each view of the run.
        answers: the content of views that are not canvas views.
        cuts: the cut links as an address has them, where links can be cut; None where they cannot.
        blocks: the messages, "NAME.attention", "NAME.neurons", "NAME.map" and "NAME.routes"; with several parts
            "NAME.neurons" is followed by the part's index.
        name: unique on the page; by default the place.
    """

    place: str
    heading: str
    texts: tuple[str, ...]
    special: Special
    layers: tuple[int, ...]
    num_heads: int
    heads: tuple[int, ...] | None = None
    num_layers: int | None = None
    pair: bool = False
    parts: tuple[Part, ...] = ()
    explanations: Mapping[ViewName, Explanation]
    answers: Mapping[ViewName, Answer] = field(default_factory=dict)
    cuts: str | None = None
    blocks: tuple[Block, ...]
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Page:
    """A page of one or two runs.

    Attributes:
        title: of the document.
        headline: what is seen, in one sentence, or else what was read.
        sentences: below the headline, each with its letter; none if the headline is what was read.
        about: the model and what its run needs for reading, in full sentences.
        notes: on the file and its numbers, in full sentences; folded, at the end.
        views: in order; `view` is open first.
        beside: whether the runs are short enough to stand side by side.
        selection: of all views, from `viz.state.messages.shared_selection`.
        linked: whether the page shares its selection with the page that shows it in a frame.
    """

    title: str
    headline: str
    sentences: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    views: tuple[ViewName, ...]
    view: ViewName
    selection: Mapping[str, Any]
    theme: PageTheme = "auto"
    beside: bool = False
    linked: bool = False
    runs: tuple[PageRun, ...]


def described(page: Page, *, together: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON of a page, without the blocks of its runs; `together` are the views of all runs."""
    return {
        "headline": page.headline,
        "sentences": list(page.sentences),
        "about": list(page.about),
        "notes": list(page.notes),
        "views": [{"name": view, "title": title_of_view(view)} for view in (*page.views, *together)],
        "together": list(together),
        "view": page.view,
        "selection": dict(page.selection),
        "theme": page.theme,
        "themes": described_themes(),
        "beside": page.beside,
        "linked": page.linked,
        "runs": [described_run(run) for run in page.runs],
    }


def title_of_view(view: str) -> str:
    return TITLES.get(view, view.capitalize())


def described_themes() -> dict[str, Any]:
    """The colours of data in both themes."""
    return {name: _described_theme(theme) for name, theme in THEMES.items()}


def described_run(run: PageRun) -> dict[str, Any]:
    """The JSON of a run, without its blocks."""
    name = run.name or run.place
    return {
        "name": name,
        "place": run.place,
        "heading": run.heading,
        "texts": list(run.texts),
        "special": run.special,
        "layers": list(run.layers),
        "heads": None if run.heads is None else list(run.heads),
        "attention": f"{name}.attention",
        "neurons": f"{name}.neurons" if "neuron view" in run.explanations else None,
        "map": f"{name}.map",
        "pair": run.pair,
        "parts": [asdict(part) for part in run.parts],
        "answers": list(run.answers),
        "cuts": None if run.cuts is None else {"run": "B" if run.place == "B" else "A", "shown": run.cuts},
    }


def _described_theme(theme: Theme) -> dict[str, Any]:
    return {
        "heads": list(theme.head_colours),
        "sequential": [list(stop) for stop in theme.sequential],
        "diverging": [list(stop) for stop in theme.diverging],
        "muted": theme.muted,
    }
