"""Builds the slides of a tour: the views of every stop, and its claims tested now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from encoder.errors import ArgumentError, HeadlightError, SelectionError, UnsupportedModelError
from encoder.measures.units import units_of
from encoder.runs.generation import KINDS, Generation
from encoder.runs.trace import Trace, excerpts
from viz.answers.answer import Answer, TokenLine
from viz.answers.room import STOP, Room
from viz.claims.of_tables import TableSubject, table_subject
from viz.claims.outcome import Outcome, work_out
from viz.claims.subject import Subject, subject_of_runs
from viz.html.quantised import LONG
from viz.payloads.attributions import ShownMaps, shown_maps
from viz.payloads.copied_tokens import marks_of_copies
from viz.recipes.attributions import maps_of
from viz.recipes.slide import ONLY_SPECIAL, Models, Shown, StaticSlide
from viz.saved_page import generations
from viz.saved_page.contents import ATTENTION_VIEWS, ViewName
from viz.saved_page.traces import ROUNDED_WEIGHTS, notes_of, rounding_notes
from viz.slides.contents import ALL_PARTS, ClaimLine, LivePicture, Slide, Slides
from viz.slides.routes import routes_slide
from viz.slides.shared_runs import SharedRuns
from viz.slides.words import tag_lines, texts_in_words
from viz.state.messages import shared_selection
from viz.state.reducer import within_model, within_runs
from viz.state.selection import Run, Selection, View
from viz.tours.grammar import format_claim, point_in_words
from viz.tours.pointing import Texts, placed_points, texts_of_writer
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import selection_at
from viz.views import recipe_of_table, static_slide
from viz.views.decoder.answer import step_shown
from viz.views.models import answer as side_by_side
from viz.views.models.answer import ModelRun
from viz.wording.labels import make_visible
from viz.wording.models import title_of_model
from viz.wording.quantities import TITLES

FALLBACK_VIEW: Final[Mapping[View, tuple[ViewName, str]]] = {
    "data": ("heat map", "The view Data is in the app; the table under the heat map has its numbers."),
    "bertviz": ("head view", "BertViz is in the app; here is our own head view of the same head."),
}


def slides_of(tour: Tour, page: Selection, models: Models, *, room: Room = STOP) -> Slides:
    """The slides of a tour; each slide names what could not be computed.

    Args:
        page: the selection before the first stop, with the model and the texts of stops that name none.
        room: of a table's view: a stop's, or the page's.
    """
    made = _Builder(models, room=room)
    slides = []
    for stop in tour.stops:
        page = selection_at(stop, page)
        slides.append(made.slide(stop, page))
    return Slides(title=tour.title, words=tour.words, slides=tuple(slides), runs=made.runs.made())


def still_of(stop: Stop, page: Selection, models: Models) -> Slides:
    """A slide of one stop, without its claims' outcomes, which take longer than its picture.

    Args:
        page: the selection before the stop.
    """
    made = _Builder(models, checks_claims=False)
    slide = made.slide(stop, selection_at(stop, page))
    return Slides(title=stop.title, slides=(slide,), runs=made.runs.made())


class _Builder:
    """Builds slides one by one; they share runs and their measures."""

    def __init__(self, models: Models, *, room: Room = STOP, checks_claims: bool = True) -> None:
        self.runs, self._room = SharedRuns(), room
        self._models = models
        self._checks_claims = checks_claims
        self._subjects: dict[tuple[str, tuple[Any, ...]], Subject] = {}  # by model, texts and cut links

    def slide(self, stop: Stop, selection: Selection) -> Slide:
        """One stop."""
        try:
            if selection.shows_decoder:
                return self._writer_slide(stop, selection)
            if selection.shows_collection:
                return self._table_slide(stop, selection)
            return self._encoder_slide(stop, selection, self._subject(selection))
        except HeadlightError as error:
            outcomes = [Outcome(claim=claim, holds=None, why=str(error)) for claim in stop.claims]
            name = selection.decoder.model if selection.shows_decoder else selection.model
            return _slide(stop, name, outcomes, remark=f"There is no picture here. {error}")

    def _subject(self, selection: Selection) -> Subject:
        """The runs of an encoder at a stop, with measures cached by earlier stops. Raises HeadlightError."""
        key = (selection.model, selection.changed_runs)
        if key not in self._subjects:
            backend = self._models.open(selection.model)
            runs = selection.changed_runs
            traces = [self._models.trace(selection.model, a, b, links=links) for a, b, links in runs]
            self._subjects[key] = subject_of_runs(backend, traces, self._models.steps)
        return self._subjects[key]

    def _outcomes(self, stop: Stop, subject: Subject | Generation | TableSubject) -> Sequence[Outcome]:
        return [work_out(claim, subject) for claim in stop.claims] if self._checks_claims else []

    def _encoder_slide(self, stop: Stop, selection: Selection, subject: Subject) -> Slide:
        selection = _within(selection, subject.traces)
        outcomes = self._outcomes(stop, subject)
        picture, static = None, StaticSlide()
        maps: Mapping[str, ShownMaps] = {}
        view, remark = _view_of(selection, subject.traces)
        cut = [link.note(trace.tokens) for trace in subject.traces.values() for link in trace.links]
        remark = " ".join(filter(None, (remark, *cut)))
        try:
            at_stop = Shown(stop, selection, subject.traces, self._models, self._room)
            if view is None:
                static = static_slide(at_stop)
            elif selection.view == "models":
                picture, static = self._models_side_by_side(stop, selection, subject.traces, view)
            elif view == "routes":
                picture, static = routes_slide(at_stop, self.runs)
            else:
                maps, why_weights = _maps_at(selection, subject.traces, self._models)
                remark = " ".join(filter(None, (remark, why_weights)))
                picture = self._live(stop, selection, subject.traces, view, maps)
        except HeadlightError as error:
            remark = f"There is no picture here. {error}"
        shown = excerpts(subject.traces, selection.first) if picture else subject.traces
        return _slide(
            stop,
            subject.first.model_name,
            outcomes,
            picture=picture,
            lines=(*tag_lines(subject.traces, selection), *static.lines),
            texts="" if picture and not stop.reveals_picture else texts_in_words(subject.traces),
            answers=static.answers,
            remark=remark,
            about=_about(shown, selection, view if picture else None, next(iter(maps.values()), None)),
        )

    def _table_slide(self, stop: Stop, selection: Selection) -> Slide:
        """A view of a table that ships. Raises HeadlightError."""
        subject = table_subject(selection, self._models.steps)
        outcomes = self._outcomes(stop, subject)
        recipe = recipe_of_table(selection.view)(subject.collection, selection, self._room)
        answer, _ = self._models.steps.answer(recipe, selection.model)
        return _slide(stop, selection.model, outcomes, texts=_table_in_words(subject), answers=(("", answer),))

    def _live(
        self,
        stop: Stop,
        selection: Selection,
        traces: Mapping[str, Trace],
        view: ViewName,
        maps: Mapping[str, ShownMaps],
        runs: Sequence[ModelRun] = (),
    ) -> LivePicture:
        """An interactive picture of the traces, or of the runs of several models over the first trace's text."""
        traces = excerpts(traces, selection.first)
        tokens = {place: trace.tokens for place, trace in traces.items()}
        if not all(len(units_of(each, level=selection.level, special=selection.special)) for each in tokens.values()):
            raise SelectionError(ONLY_SPECIAL)
        points = placed_points(stop.points, Texts(queries=tokens, keys=tokens))
        if runs:
            place = next(iter(traces))
            numbers = tuple(
                self.runs.add_trace(run.trace, selection, view=view, place=place, heading=side_by_side.heading_of(run))
                for run in runs
            )
        else:
            numbers = tuple(
                self.runs.add_trace(trace, selection, view=view, place=place, maps=maps.get(place))
                for place, trace in traces.items()
            )
        shown = shared_selection(selection) | {"points": points}
        first = next(iter(maps.values()), None)
        described = first.described(next(iter(traces.values())).num_heads) if first else None
        follows = tuple(side_by_side.follows(run, runs[0]) for run in runs)
        return LivePicture(view=view, runs=numbers, selection=shown, quantity=described, follows=follows)

    def _models_side_by_side(
        self, stop: Stop, selection: Selection, traces: Mapping[str, Trace], view: ViewName
    ) -> tuple[LivePicture, StaticSlide]:
        """The first text in every model of the stop, and the sentence about them. Raises HeadlightError."""
        place, own = next(iter(traces.items()))
        wanted = selection.shown_place.wanted
        others = tuple(side_by_side.other_models(selection).values())
        runs = [ModelRun(name=selection.model, trace=own, wanted=wanted, next_to=others, is_own=True)]
        for name in others:
            trace = self._models.trace(name, *own.tokens.texts)
            runs.append(ModelRun(name=name, trace=trace, wanted=wanted, next_to=(selection.model, *others)))
        sentence = side_by_side.spreads(runs, selection.side_by_side.picture).parts[0]
        picture = self._live(stop, selection, {place: own}, view, {}, runs=runs)
        return picture, StaticSlide(answers=(("", Answer((sentence,))),))

    def _writer_slide(self, stop: Stop, selection: Selection) -> Slide:
        generation = self._models.write(selection)
        layers = min(len(generation.layers(kind)) for kind in KINDS)  # that a file has
        selection = within_model(selection, layers, generation.num_heads)
        count = len(generation.source.tokens) + len(generation.target.tokens)
        selection = within_runs(selection, {"decoder": count}, len(generation.written))
        outcomes = self._outcomes(stop, generation)
        view = selection.decoder.picture
        left_out = _left_out({"pair": count}, selection)
        about = (*generations.notes_of(generation), *rounding_notes((view,), count), *left_out)
        number = self.runs.add_generation(generation, selection, view=view)
        return _slide(
            stop,
            generation.model_name,
            outcomes,
            picture=_picture_of_writer(stop, selection, generation, number),
            lines=(_written_line(selection, generation),),
            about=about,
        )


def _table_in_words(subject: TableSubject) -> str:
    return f"{subject.collection.name}: {len(subject.collection):,} rows"


def _slide(stop: Stop, model_name: str, outcomes: Sequence[Outcome], **shown: Any) -> Slide:
    """A slide with the stop's words; `shown` is the rest of it."""
    return Slide(
        title=stop.title,
        words=stop.words,
        question=stop.question,
        answer=stop.answer,
        reveals_picture=stop.reveals_picture,
        notes=stop.notes,
        claims=tuple(ClaimLine(each.holds, each.in_words, format_claim(each.claim)) for each in outcomes),
        claims_of=title_of_model(model_name),
        looks_at="; ".join(map(point_in_words, stop.points)),
        **shown,
    )


def _maps_at(selection: Selection, traces: Mapping[str, Trace], models: Models) -> tuple[Mapping[str, ShownMaps], str]:
    """The maps of the selected method by place; or none, and why the slide shows weights instead."""
    drawn, level, special = selection.drawn, selection.level, selection.special
    units = {place: units_of(trace.tokens, level=level, special=special) for place, trace in traces.items()}
    if selection.draws_weights or not all(map(len, units.values())):
        return {}, ""
    try:
        found = {place: models.steps.run(maps_of(trace, drawn), selection.model) for place, trace in traces.items()}
    except (ArgumentError, UnsupportedModelError) as error:
        return {}, f"“{TITLES[drawn.method]}” does not apply here: {error} Here are the attention weights."
    return {place: shown_maps(found[place], units[place], special, quantity=drawn) for place in traces}, ""


def _picture_of_writer(stop: Stop, selection: Selection, generation: Generation, run: int) -> LivePicture:
    """The view Decoder after the stop's step.

    Raises:
        SelectionError: the view takes one attention, and the stop shows all three.
    """
    decoder = selection.decoder
    if decoder.kind == "all" and decoder.picture == "neuron view":
        raise SelectionError("The neuron view takes one head of one attention: the stop names all three.")
    source, target = (
        units_of(half.tokens, level=selection.level, special=selection.special)
        for half in (generation.source, generation.target)
    )
    step = step_shown(generation, decoder.step)
    written = sum(members[0] <= step for members in target.members)
    points = placed_points(stop.points, texts_of_writer(generation, decoder.kind))
    marks, marks_name = marks_of_copies(generation, decoder.kind, source, target, until=written)
    return LivePicture(
        view=decoder.picture,
        runs=(run,),
        selection=shared_selection(selection) | {"points": points},
        part=ALL_PARTS if decoder.kind == "all" else list(generations.PARTS).index(decoder.kind),
        until=len(source) + written,
        marks=marks,
        marks_name=marks_name,
    )


def _written_line(selection: Selection, generation: Generation) -> TokenLine:
    """The token that the decoder read and the one that it wrote, for each step so far."""
    count = step_shown(generation, selection.decoder.step) + 1
    read = map(make_visible, generation.target.tokens.labels[:count])
    wrote = map(make_visible, generation.written.labels[:count])
    caption = (
        f"“{generation.source.tokens.sentences[0]}”: at each step the decoder reads a token, and writes the one below"
    )
    return TokenLine(caption, tuple(zip(read, wrote, strict=True)))


def _within(selection: Selection, traces: Mapping[str, Trace]) -> Selection:
    """The nearest selection that exists in some runs."""
    first, *_ = runs = list(traces.values())
    nearest = within_model(selection, first.num_layers, first.num_heads)
    counts: dict[Run, int] = {"A": len(first.tokens), "B": len(runs[-1].tokens)}
    return within_runs(nearest, counts)


def _view_of(selection: Selection, traces: Mapping[str, Trace]) -> tuple[ViewName | None, str]:
    """The view of a file for a stop's view, or None, and a remark on what is missing."""
    if selection.view == "models":
        return ("heat map" if selection.side_by_side.picture == "one head" else "model view"), ""
    if selection.view in FALLBACK_VIEW:
        return FALLBACK_VIEW[selection.view]
    view = next((view for view in (*ATTENTION_VIEWS, "routes") if view == selection.view), None)
    if view == "neuron view" and any(trace.layers[0].query is None for trace in traces.values()):
        return "heat map", "This model does not show its queries and keys; here is the heat map of the same head."
    return view, ""


def _about(
    traces: Mapping[str, Trace], selection: Selection, view: ViewName | None, maps: ShownMaps | None
) -> tuple[str, ...]:
    """Notes on the runs of a slide and their numbers, and on their rounding if a view shows them."""
    notes = notes_of(traces, (view,) if view else (), maps)
    if view is None:
        return tuple(note for note in notes if note != ROUNDED_WEIGHTS)
    return (*notes, *_left_out({place: len(trace.tokens) for place, trace in traces.items()}, selection))


def _left_out(tokens: Mapping[str, int], selection: Selection) -> tuple[str, ...]:
    """A note on the layers that a file omits for long texts, by the numbers of tokens of all runs."""
    long = [place for place, count in tokens.items() if count > LONG]
    if len(long) < len(tokens):
        return tuple(f"Sentence {place} is long: the file has layer {selection.layer} of it alone." for place in long)
    return (f"The text is long: the file has layer {selection.layer} alone.",)
