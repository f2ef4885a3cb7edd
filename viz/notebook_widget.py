"""`headlight.Widget`: the views in a notebook, with traits that are set from either side.

The page is that of a saved run, in a frame. In `viz/html/browser/`, `frame_link.mjs` shares its selection
with the notebook, and `widget.mjs` with this class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import anywidget
import numpy as np
import traitlets

from encoder.attribution.routes import find_routes
from encoder.errors import ArgumentError, HeadlightError, UnsupportedModelError
from encoder.measures.unit_attention import MEAN, head_or_mean
from encoder.models.base import Backend
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Sentence, explained
from viz.answers.room import STOP
from viz.html.quantised import Block, whole_block
from viz.notebooks.arrays import MOST_TOKENS
from viz.recipes.runner import StepRunner
from viz.recipes.slide import Models
from viz.recipes.slide import Shown as ShownView
from viz.saved_page.contents import ATTENTION_VIEWS, Page, ViewName
from viz.saved_page.document import document
from viz.saved_page.pages import ABOUT_FILE, page_of_traces
from viz.saved_page.routes import place_of
from viz.saved_page.traces import Shown
from viz.slides.routes import asked_output
from viz.state.codecs import CUTS, UnreadableError
from viz.state.fields import text_of, value_of, with_values
from viz.state.messages import shared_selection
from viz.state.reducer import reduce, within_model, within_runs
from viz.state.selection import DEFAULT, Selection
from viz.tours.tour import Stop
from viz.views import static_slide
from viz.views.routes.answer import MOST_TOKENS as MOST_ROUTED
from viz.views.routes.answer import TOO_LONG
from viz.views.routes.steps import picture_of

if TYPE_CHECKING:
    import pandas as pd

FOLDER: Final = Path(__file__).parent / "html" / "browser"
FIELDS: Final = ("view", "layer", "head", "query", "key")  # traits with the names of the selection's fields
# Those of a trace alone; `OF_MODEL` run the model again.
OF_TRACE: Final[tuple[ViewName, ...]] = ("tokens", *ATTENTION_VIEWS, "norms", "predictions")
OF_MODEL: Final[tuple[ViewName, ...]] = ("why", "why here", "routes", "word lens")
MOST_RUNS: Final = 8  # that are cached
UNTESTED: Final = Sentence("Whether this order beats random ones is tested in the app, in this view.", "caption")
WAITING: Final = Answer((Sentence("This view is worked out when it is opened, which needs a running kernel.", "info"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What the page of a widget has: a run, named by its texts and links, and some views and layers."""

    run: object
    views: frozenset[ViewName]
    layers: tuple[int, ...]


class Widget(anywidget.AnyWidget):
    """A run and its views in a notebook.

    Every attribute is a trait: the page follows it, `observe` reports what is changed on the page, and `selection` is
    what is selected, as a frame.

    Attributes:
        texts: one text or a pair. Another one runs the model in the kernel; a trace has no model, and keeps its texts.
        view: the open view.
        layer, head: those that are shown; the head -1 is the mean over heads.
        query, key: positions of the pinned tokens, or None.
        links: those that are cut or weakened, as the page's address writes them: "A2-1" from token 2 to token 1 in all
            layers and heads, `A2-1@0.4` in layer 0, head 4, `A2-1@0.4x35` with 35 % of the weight left. In a pair, too,
            "A" stands for the run.
    """

    _esm = FOLDER / "widget.mjs"
    _css = FOLDER / "widget.css"

    texts = traitlets.List(traitlets.Unicode(), minlen=1, maxlen=2).tag(sync=True)
    view = traitlets.Unicode("head view").tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(None, allow_none=True).tag(sync=True)
    key = traitlets.Int(None, allow_none=True).tag(sync=True)
    links = traitlets.List(traitlets.Unicode()).tag(sync=True)
    page = traitlets.Unicode().tag(sync=True)  # HTML
    message = traitlets.Unicode().tag(sync=True)  # why the last change could not be shown
    takes_texts = traitlets.Bool().tag(sync=True)

    def __init__(
        self, model_or_trace: Backend | Trace, texts: str | Sequence[str] = ("time flies like an arrow",), **traits: Any
    ) -> None:
        """Open a run.

        Args:
            model_or_trace: a model, or a run of one.
            texts: of a model: one, or two that are read as a pair.
            traits: further attributes, as in `view="why"`.
        Raises:
            ArgumentError: this is neither a model nor a trace, or it does not have that view, layer or head.
            InputError: a text cannot be encoded.
        """
        if not isinstance(model_or_trace, Backend | Trace):
            raise ArgumentError(
                f"Widget takes a model or a trace, and this is of type {type(model_or_trace).__name__}: "
                'headlight.Widget(headlight.load("bundled"), "time flies").'
            )
        if unknown := traits.keys() - {*FIELDS, "links"}:
            raise ArgumentError(f"Widget has no trait {min(unknown)!r}; it has texts, links, {', '.join(FIELDS)}.")
        self._model = model_or_trace if isinstance(model_or_trace, Backend) else None
        self._trace = model_or_trace if isinstance(model_or_trace, Trace) else None
        self._models = _models(self._model)
        self._drawn: Drawn | None = None
        self._is_following = False
        if isinstance(model_or_trace, Trace):
            given, name = list(model_or_trace.tokens.sentences), model_or_trace.model_name
        else:
            given, name = [texts] if isinstance(texts, str) else list(texts), model_or_trace.name
        if not 1 <= len(given) <= 2:
            raise ArgumentError(f"{len(given)} texts were given: Widget reads one, or two as a pair.")
        a, *b = given
        changes = {"a": a, "b": "".join(b), "model": name, "mode": "pair", "view": "head view"}
        self._selection = with_values(DEFAULT, changes)
        for trait, value in traits.items():
            if refused := self._refused(trait, value):
                raise ArgumentError(refused)
        super().__init__(texts=given, takes_texts=self._model is not None)
        cuts = CUTS.decode("_".join(traits.pop("links", ())))
        self._apply({**traits, "cut": cuts})
        self.observe(self._follow, [*FIELDS, "texts", "links"])

    @property
    def trace(self) -> Trace:
        """The run on the page, with its links cut or weakened."""
        return self._run(self._selection)

    @property
    def selection(self) -> pd.DataFrame:
        """The attention of the selected head, or its mean over heads, from the pinned query and to the pinned key.

        Returns:
            One row for each query and key: "layer", "head", "query" and "key" (positions), "query_token", "key_token"
            and "weight".
        """
        import pandas as pd

        trace, selection = self.trace, self._selection
        weights = head_or_mean(trace.weights(selection.layer), selection.head)
        pins = selection.place.pins
        queries, keys = (
            np.arange(len(trace.tokens)) if position is None else np.array([position])
            for position in (pins.query, pins.key)
        )
        rows, columns = (each.ravel() for each in np.meshgrid(queries, keys, indexing="ij"))
        labels = np.array(trace.tokens.labels, dtype=object)
        return pd.DataFrame(
            {
                "layer": selection.layer,
                "head": selection.head,
                "query": rows,
                "query_token": labels[rows],
                "key": columns,
                "key_token": labels[columns],
                "weight": weights[rows, columns],
            }
        )

    @traitlets.validate("texts", "links", *FIELDS)
    def _check(self, proposal: Any) -> Any:
        """Refuse what the run does not have. Raises TraitError."""
        name, value = proposal["trait"].name, proposal["value"]
        if self._drawn is not None and (refused := self._refused(name, value)):
            raise traitlets.TraitError(refused)
        return value

    def _refused(self, name: str, value: Any) -> str:
        """Why a trait cannot have a value; "" if it can."""
        trace = self.trace
        ranges = {"layer": (0, trace.num_layers), "head": (MEAN, trace.num_heads)}
        ranges |= dict.fromkeys(("query", "key"), (0, len(trace.tokens)))
        if name in ranges and value is not None:
            first, end = ranges[name]
            return "" if first <= value < end else f"{name} is {value}: this run has {first} to {end - 1}."
        if name == "view" and value not in self._views:
            return f"view is {value!r}: it can be {', '.join(self._views)}."
        if name == "links" and value and self._model is None:
            return "A trace keeps its links: Widget(model, texts) can cut them."
        if name == "links":
            try:
                CUTS.decode("_".join(value))
            except UnreadableError as error:
                return f"links: {error}."
        if name == "texts" and self._model is None and value != list(trace.tokens.sentences):
            return "A trace keeps its texts: Widget(model, texts) reads others."
        return ""

    @property
    def _views(self) -> tuple[ViewName, ...]:
        views = OF_TRACE if self._model is None else (*OF_TRACE, *OF_MODEL)
        has_queries = self.trace.layers[0].query is not None
        return tuple(view for view in views if has_queries or view != "neuron view")

    def _follow(self, _: object) -> None:
        """Apply what was set, here or on the page: all traits at once, because several change together.

        A message says what cannot be shown; a text stays in its field.
        """
        if self._is_following:
            return
        changes = {name: value for name, value in self._given().items() if value != value_of(self._selection, name)}
        if not changes:
            return
        try:
            self._apply(changes)
        except HeadlightError as error:
            self.message = str(error)

    def _given(self) -> dict[str, Any]:
        """The traits as fields of a selection."""
        a, *b = self.texts
        cuts = CUTS.decode("_".join(self.links))
        return {"a": a, "b": "".join(b), "cut": cuts} | {name: getattr(self, name) for name in FIELDS}

    def _apply(self, changes: Mapping[str, Any]) -> None:
        """Change the selection, and with it the traits and the page. Raises HeadlightError."""
        after = reduce(self._selection, changes)
        trace = self._run(after)
        after = within_runs(within_model(after, trace.num_layers, trace.num_heads), {"A": len(trace.tokens)})
        self._draw(after, trace)
        self._selection, self.message = after, ""
        self._is_following = True
        try:
            for name in FIELDS:
                setattr(self, name, value_of(after, name))
            self.links = list(filter(None, text_of(after, "cut").split("_")))
        finally:
            self._is_following = False

    def _run(self, selection: Selection) -> Trace:
        """The run of the page, which reads a pair together, whatever its open view does."""
        if self._trace is not None:
            return self._trace
        together = with_values(selection, {"view": "why"}) if selection.encodes_apart else selection
        ((a, b, links),) = together.changed_runs
        return self._models.trace(selection.model, a, b, links=links).excerpt()

    def _draw(self, selection: Selection, trace: Trace) -> None:
        """Make the page, unless the last one is of this run and has the view and the layer. Raises HeadlightError."""
        run, view = (selection.changed_runs, selection.cuts), cast(ViewName, selection.view)
        drawn = self._drawn
        if drawn and drawn.run == run and view in drawn.views and selection.layer in drawn.layers:
            return
        with_queries = view == "neuron view"
        alone = with_queries or len(trace.tokens) > MOST_TOKENS
        layers = (selection.layer,) if alone else tuple(range(trace.num_layers))
        views: tuple[ViewName, ...] = ("tokens", *ATTENTION_VIEWS[: None if with_queries else -1])
        self.page = document(self._page(selection, trace, views, layers))
        self._drawn = Drawn(run=run, views=frozenset((*views, view)), layers=layers)

    def _page(self, selection: Selection, trace: Trace, views: tuple[ViewName, ...], layers: tuple[int, ...]) -> Page:
        """A page with some views of a trace and the selection's; the others wait until they are opened."""
        view, cut = cast(ViewName, selection.view), text_of(selection, "cut")
        place = place_of(trace.tokens)
        shared = {**shared_selection(selection), "cut": cut}
        page = page_of_traces({place: trace}, Shown(views=views, layers=layers), view=views[0], selection=shared)
        (run,) = page.runs
        answers = {name: WAITING for name in self._views if name not in run.explanations} | dict(run.answers)
        if view == "routes":
            del answers[view]
            run = replace(run, blocks=(*run.blocks, self._routes(selection, trace, f"{place}.routes")))
        elif view in answers and view != "tokens":
            answers[view] = self._answer(selection, trace, place)
        run = replace(run, answers=answers, cuts=None if self._model is None else cut)
        notes = tuple(note for note in page.notes if note != ABOUT_FILE)  # some views need the kernel
        return replace(page, notes=notes, views=self._views, view=view, linked=True, runs=(run,))

    def _answer(self, selection: Selection, trace: Trace, place: str) -> Answer:
        """What a view without a picture of its own says; a sentence where it does not apply."""
        traces = {place: trace}
        if selection.encodes_apart:
            traces = {each: self._models.trace("", a, b) for each, (a, b) in zip("AB", selection.runs, strict=False)}
        shown = ShownView(stop=Stop(title=""), selection=selection, traces=traces, models=self._models, room=STOP)
        try:
            parts = [part for _, answer in static_slide(shown).answers for part in answer.parts]
        except HeadlightError as error:
            return Answer((explained(error),))
        return Answer((*parts, *((UNTESTED,) if selection.view == "why" else ())))

    def _routes(self, selection: Selection, trace: Trace, identity: str) -> Block:
        """The links that carry an output. Raises HeadlightError."""
        _, target, _ = asked_output({"A": trace}, selection, self._models)
        if (tokens := len(target.tokens)) > MOST_ROUTED:
            raise ArgumentError(TOO_LONG.format(most=MOST_ROUTED, tokens=tokens))
        found = find_routes(self._models.open(selection.model), target, trace)
        return whole_block(picture_of(target, found, selection.level, identity=identity))


def _models(model: Backend | None) -> Models:
    """The runs of the one model of a widget, the last ones cached; without a model, there is none to open."""

    def open_model(_: str) -> Backend:
        if model is None:
            raise UnsupportedModelError(
                "This widget shows a trace, and this view runs the model: Widget(model, texts)."
            )
        return model

    def trace(_: str, a: str, b: str | None, **changes: Any) -> Trace:
        return open_model("").trace(a, b, **changes)

    def write(selection: Selection) -> Generation:
        raise UnsupportedModelError("A widget shows no encoder-decoder.")

    return Models(open=open_model, trace=lru_cache(MOST_RUNS)(trace), write=write, steps=StepRunner(open_model))
