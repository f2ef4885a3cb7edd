"""The view "Anatomy": one step on a screen, with its picture on the left, and words, formula and code on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal

import streamlit as st

from encoder import Backend, Trace
from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import is_ours, name_in_our_modules, ours
from encoder.experiments.anatomy.step_examples import position_table
from encoder.measures.unit_attention import MEAN
from encoder.shipped.names import BUNDLED, SCRATCH
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.caches import run_cache
from viz.caches.revisions import unrevised
from viz.caches.steps import result_of
from viz.components.wires.plot_clicks import Chart, plot_clicks
from viz.state import session
from viz.state.codecs import WHAT_IFS
from viz.state.selection import Selection
from viz.views.anatomy.answer.followed import followed_cell, followed_place
from viz.views.anatomy.answer.step import Chosen, RecordedRun, Step, StepAnswer, StepRuns
from viz.views.anatomy.answer.steps import STEPS, inputs
from viz.views.anatomy.answer.tensors import TOKENS, Drawn, FollowedCell
from viz.views.anatomy.steps import recorded, step_runs
from viz.widgets import change_button, choice, select_box
from viz.widgets.answer import show_answer
from viz.widgets.room import CAPTION, HEADING, is_at_stop, stop_height
from viz.widgets.tables import folded
from viz.wording.labels import escape_markdown, make_visible
from viz.wording.models import title_of_model

SHEETS: Final = (Path(__file__).with_name("anatomy.css"), Path(__file__).parents[2] / "html" / "code.css")
STYLE: Final = f"<style>{''.join(sheet.read_text(encoding='utf-8') for sheet in SHEETS)}</style>"
PICTURE_AND_WORDS: Final = (53, 47)  # shares of the page's width
STEP_WIDTH, PLACE_WIDTH, CELL_WIDTH = 330, 106, 150  # pixels
CHOICE: Final = 38  # pixels of a choice above a picture
SWITCHES: Final = "anatomy_switches"
CLASS: Final = "anatomy_class"
MASKS: Final[Mapping[Mask, str]] = {"none": "None", "padding": "Padding", "causal": "Causal"}
# The parts of the model in the order of its steps. Those of a layer are in a frame of their own.
PARTS: Final[Mapping[str, tuple[StepKey, ...]]] = {
    "text": ("text", "ids", "positions", "embeddings"),
    "attention": ("projections", "scores", "scaling", "mask", "softmax", "context", "heads", "output"),
    "add and norm": ("residual",),
    "feed-forward": ("feed-forward",),
    "next layers": ("layers",),
    "prediction": ("prediction",),
    "experiments": ("what-if", "numbers"),
}
IN_LAYER: Final = ("attention", "add and norm", "feed-forward")
WHAT_IF_LABELS: Final[Mapping[WhatIf, str]] = {
    "unscaled": "Scaling off",
    "one-head": "One head instead of many",
    "dropout": "Dropout on",
    "no-positions": "Positions removed",
    "shuffled": "Words shuffled",
}


def anatomy(traces: Mapping[str, Trace], selection: Selection, *_: object) -> None:
    """One step through our own encoder."""
    place = followed_place(traces, selection)
    trace = traces[place]
    backend = run_cache.model(trace.model_name)
    if not is_ours(backend):
        _other_models(backend)
        return
    texts = trace.tokens.texts
    run = RecordedRun(
        backend=ours(backend),
        record=result_of(recorded(texts, selection.layer), backend.name),
        head=0 if selection.head == MEAN else selection.head,
    )
    selection = _clamp_cell(selection, run)
    cell = followed_cell(traces, place, selection, head=run.head)
    _Page(run=run, texts=texts, selection=selection, place=place, cell=cell).show()


def _clamp_cell(selection: Selection, run: RecordedRun) -> Selection:
    """Clamp the chosen cell to the largest tensor of any step, here and in the address.

    Each step clamps it to its own tensor (`opened_in`); the address keeps the chosen cell for the next step.
    """
    sizes, cell = run.sizes, selection.anatomy
    positions = len(position_table(run.backend.encoder))
    rows, columns = max(positions, sizes.T), max(positions, sizes.T, sizes.D, sizes.F)
    row, column, dimension = (
        None if chosen is None else min(chosen, count - 1)
        for chosen, count in ((cell.row, rows), (cell.column, columns), (cell.dimension, columns))
    )
    clamped = replace(selection, anatomy=replace(cell, row=row, column=column, dimension=dimension))
    if clamped != selection:
        session.adjust(clamped)
        session.save()
    return clamped


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Page:
    """The open step.

    Attributes:
        texts: as `viz.caches` takes them.
        place: of the run: "pair", "A" or "B".
        cell: the one that all steps follow.
        clicks: what a click on each chart selects, by Streamlit's key.
    """

    run: RecordedRun
    texts: tuple[str, str | None]
    selection: Selection
    place: str
    cell: FollowedCell
    clicks: dict[str, Chart] = field(default_factory=dict)

    @property
    def key(self) -> StepKey:
        return self.selection.anatomy.step

    @property
    def is_at_stop(self) -> bool:
        return is_at_stop(self.selection)

    def show(self) -> None:
        step, chosen = STEPS[self.key], self._chosen()
        answer = step.answer(self.run, self._runs(), chosen)
        st.html(STYLE)
        with st.container(key="anatomy_step"):
            if not self.is_at_stop:  # a tour leads from step to step
                self._navigate(step, answer)
                st.html(_html_of_model(self.key, layers=self.run.sizes.L))
            picture, words = st.columns(PICTURE_AND_WORDS, gap="medium")
            with picture:
                self._show_picture(answer)
            with words:
                self._show_words(step, answer)
            if not self.is_at_stop:
                self._show_rest(answer)
            plot_clicks(self.clicks, key="anatomy_clicks")

    def _chosen(self) -> Chosen:
        tokens, anatomy = self.run.record.tokens, self.selection.anatomy
        name = st.session_state.get(CLASS) if self.key == "prediction" else None
        labels = self._classes()
        return Chosen(
            drawn=Drawn(
                labels=tokens.labels,
                sentence_b_start=tokens.sentence_b_start,
                head=self.run.head,
                clickable=True,
                at_stop=self.is_at_stop,
            ),
            cell=self.cell,
            mask=anatomy.mask,
            what_ifs=anatomy.what_ifs,
            label=labels.index(name) if name in labels else None,
        )

    def _classes(self) -> Sequence[str]:
        """The classes of the model's head, in the step that has a choice of them."""
        return readout(self.run.backend, self.run.record).prediction.labels if self.key == "prediction" else ()

    def _runs(self) -> StepRuns:
        run = partial(result_of, model_name=self.run.backend.name)
        return step_runs(self.texts, self.run.record.layer, self.selection, run=run, open_model=run_cache.model)

    def _navigate(self, step: Step, answer: StepAnswer) -> None:
        """Back and next, by click or arrow key; between them the step, its layer and head, and its cell."""
        index = KEYS.index(self.key)
        with st.container(key="anatomy_row", horizontal=True, vertical_alignment="center", gap="small"):
            _button("Back", -1, shortcut="Left", disabled=index == 0)
            st.selectbox(
                "Step",
                KEYS,
                format_func=_numbered,
                label_visibility="collapsed",
                width=STEP_WIDTH,
                **session.bound("walk", options=KEYS),
            )
            if step.follows != "nothing":
                self._choose_place("layer", self.run.sizes.L)
            if step.follows == "head":
                self._choose_place("head", self.run.sizes.H)
            if answer.drawn:
                self._choose_cell(answer.drawn)
            _button("Next", 1, shortcut="Right", disabled=index == len(KEYS) - 1)

    def _choose_place(self, name: Literal["layer", "head"], count: int) -> None:
        st.selectbox(
            name.title(),
            range(count),
            format_func=lambda number: f"{name.title()} {number}",
            label_visibility="collapsed",
            width=PLACE_WIDTH,
            **session.bound(name, key=f"anatomy_{name}", to_widget=lambda number: max(number, 0), options=range(count)),
        )

    def _choose_cell(self, drawn: Drawn) -> None:
        opened = drawn.opened_cell
        (rows, columns), (row, column) = opened.shown.array.shape, opened.cell
        session.note_shown(**{"row": row, opened.column_field: column})
        for label, name, kind, count, chosen in (
            ("Row", "row", opened.shown.rows, rows, row),
            ("Column", opened.column_field, opened.shown.columns, columns, column),
        ):
            if kind in TOKENS:
                _pick_token(label, name, drawn.labels, chosen)
            else:
                # A key of its own: the select box of another step has a title in the session.
                key = f"{name}_number"
                st.caption(label, width="content")
                bound = session.bound(name, key=key, to_widget=partial(_first, chosen), initial="value")
                st.number_input(
                    f"{label} ({kind})", 0, count - 1, label_visibility="collapsed", width=CELL_WIDTH, **bound
                )

    def _show_picture(self, answer: StepAnswer) -> None:
        if self.key == "mask":
            choice("Mask", MASKS, field="mask", labelled=False)
        if self.key == "what-if":
            st.pills(
                "What if …",
                WHAT_IFS,
                format_func=WHAT_IF_LABELS.__getitem__,
                selection_mode="multi",
                label_visibility="collapsed",
                **session.bound("what_if", key=SWITCHES, to_widget=list, from_widget=_in_order, initial="default"),
            )
        self._show(_first_chart(answer.picture) if self.is_at_stop else answer.picture)
        if self.key == "text" and not self.is_at_stop:
            change_button("Each character in Tokens", {"view": "tokens"}, key="anatomy_tokens")

    def _show_words(self, step: Step, answer: StepAnswer) -> None:
        if not self.is_at_stop:  # which has a title of its own
            st.markdown(f"### {step.title}")
        if not self.selection.stage:  # before an audience, the speaker says so
            st.markdown(answer.words)
        self._show(answer.formula)
        if self.key == "prediction" and not self.is_at_stop:
            labels = self._classes()
            likeliest = int(readout(self.run.backend, self.run.record).probabilities.argmax())
            st.selectbox("Class", labels, index=likeliest, key=CLASS, label_visibility="collapsed")
        self._show(answer.worked)
        self._show(answer.code)

    def _show_rest(self, answer: StepAnswer) -> None:
        """Remarks, and all that is folded."""
        if remarks := self._remarks():
            st.caption(" ".join(remarks))
        for number, (title, fold) in enumerate(answer.folds.items()):
            part = folded(title, key=f"anatomy_{self.key}_{number}")
            if part.open:
                with part:
                    self._show(fold(), fold=f"_{number}")
                    if self.key == "positions":
                        self._compare_positions(answer)
        self._show(answer.details)

    def _compare_positions(self, answer: StepAnswer) -> None:
        """The dot product of the chosen position's vector and another one."""
        table = position_table(self.run.backend.encoder)  # (P, D)
        row = answer.drawn.opened_cell.cell[0] if answer.drawn else 0
        other = st.number_input(f"Position {row}, and position", 0, len(table) - 1, 2, key="anatomy_other_position")
        product = inputs.explain_position_product(table, one=row, other=other)
        terms = (replace(table, on_page="open") for table in product.tables("alike"))
        self._show(Answer((product.formula, *terms)))

    def _show(self, answer: Answer, *, fold: str = "") -> None:
        """Render an answer of the step. Clicks on its charts are collected in `clicks`.

        Args:
            fold: tells apart the charts of folds, which may repeat those of the picture.
        """
        view, rows = f"anatomy_{self.key}{fold}", sum(_has_chart(part) for part in answer.parts)
        taken = CAPTION * any(isinstance(part, Sentence) and part.role == "left out" for part in answer.parts)
        taken += CHOICE * (self.key in ("mask", "what-if"))
        height = stop_height(self.selection, headings=0, above=taken)
        show_answer(answer, view=view, above=taken + height - height // max(rows, 1) - HEADING)
        self.clicks.update({f"{view}_{chart.name}": {"axes": chart.axes} for chart in answer.charts if chart.axes})

    def _remarks(self) -> list[str]:
        """Where the anatomy differs from the rest of the page."""
        remarks = []
        if self.key == "text" and self.place != "pair" and self.selection.texts.b.strip():
            remarks.append(
                f"The steps follow sentence {self.place}. Click a cell of the other one in the heat map to follow that."
            )
        if self.selection.head == MEAN:
            remarks.append("A mean over heads has no queries of its own, so the anatomy shows head 0.")
        if self.selection.level == "words" or self.selection.special != "show":
            remarks.append("The anatomy always shows wordpieces and special tokens.")
        return remarks


def _html_of_model(here: StepKey, *, layers: int) -> str:
    """The model as a row of its parts, with a dot for each step and a mark on the open one."""
    marks = {key: "<i class=here></i>" if key == here else "<i></i>" for key in KEYS}
    drawn = {title: f"<span>{title}{''.join(map(marks.__getitem__, keys))}</span>" for title, keys in PARTS.items()}
    layer = f'<span class="layer">{"".join(drawn.pop(title) for title in IN_LAYER)}× {layers}</span>'
    part = next(title for title, keys in PARTS.items() if here in keys)
    first, *rest = drawn.values()
    label = f"Step {KEYS.index(here) + 1} of {len(KEYS)}, in the part: {part}"
    return f'<div class="anatomy-model" role="img" aria-label="{label}">{first}{layer}{"".join(rest)}</div>'


def _first(value: int, _: object) -> int:
    return value


def _first_chart(picture: Answer) -> Answer:
    """A picture with the first of its rows of charts alone, and the titles of the others."""
    others = [part for part in picture.parts if _has_chart(part)][1:]
    titles = [chart.title for chart in Answer(tuple(others)).charts if chart.title]
    left_out = [Sentence(f"Left out here: {'; '.join(titles)}.", "left out")] if titles else []
    return Answer((*(part for part in picture.parts if part not in others), *left_out))


def _has_chart(part: Part | Row) -> bool:
    return bool(Answer((part,)).charts)


def _pick_token(label: str, name: str, labels: Sequence[str], chosen: int) -> None:
    select_box(
        label,
        {position: f"{position} · {make_visible(token)}" for position, token in enumerate(labels)},
        shown=chosen,
        key=name,
        on_choice=lambda position: session.change(**{name: position}),
        width=CELL_WIDTH,
        labelled=False,
    )


def _other_models(backend: Backend) -> None:
    """For models with other modules: buttons for models that can be opened."""
    st.info("The anatomy opens our own encoder, and this model has other modules. Choose one of ours:")
    same_weights = name_in_our_modules(backend, unrevised(backend.name))
    if same_weights:
        st.markdown(
            f"This model is a BERT folder. Named **{escape_markdown(same_weights)}** in the model box, its weights are "
            "loaded into our own encoder."
        )
        change_button("This folder's weights in our encoder", {"model": same_weights}, key="anatomy_with_folder")
    for name in (BUNDLED, SCRATCH):
        change_button(title_of_model(name), {"model": name}, key=f"anatomy_with_{name}")


def _button(label: str, by: int, *, shortcut: str, disabled: bool) -> None:
    def go() -> None:  # from where an earlier press has led, which the page may not show yet
        index = KEYS.index(session.current().anatomy.step) + by
        session.change(walk=KEYS[min(max(index, 0), len(KEYS) - 1)])

    st.button(label, key=f"anatomy_{label.lower()}", on_click=go, shortcut=shortcut, disabled=disabled)


def _in_order(chosen: Sequence[WhatIf]) -> tuple[WhatIf, ...]:
    return tuple(name for name in WHAT_IFS if name in chosen)


def _numbered(step: StepKey) -> str:
    return f"{KEYS.index(step) + 1} of {len(KEYS)} · {STEPS[step].title}"
