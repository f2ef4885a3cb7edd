"""What the model's own head predicts for the text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from encoder import Trace
from encoder.offers import CATALOGUE
from encoder.runs.trace import WORD_WEIGHTS
from encoder.shipped.names import TUNED
from encoder.text.occurrences import positions_of_word, with_replaced
from viz.answers import masked_words as masked_answers
from viz.answers.answer import Answer, Chart, Sentence
from viz.caches.steps import result_of
from viz.recipes.step import Step
from viz.state import session
from viz.state.selection import Selection
from viz.views.predictions import answer as answers
from viz.widgets import change_button
from viz.widgets.answer import show_answer
from viz.widgets.folds import Fold, show_folds
from viz.widgets.heads import choose_silenced_heads
from viz.widgets.room import is_at_stop
from viz.wording.explanations import Explanation
from viz.wording.labels import word_label

if TYPE_CHECKING:
    from encoder import Backend

MASK: Final = "[MASK]"
MOST_WORDS: Final = 40  # that can be clicked
MOST_WEIGHTED: Final = 40  # words of the vocabulary that are listed


def predictions(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """The output of the model's own heads for the text, its words or its masks, as far as it has them."""
    if masked_answers.reads_masks(trace) and not selection.stage:
        _choose_masked_word(trace, place)
    if any(WORD_WEIGHTS in note for note in trace.notes) and len(trace.tokens.sentences) == 1:
        heaviest = result_of(Step(_heaviest_words, (trace.tokens.sentences[0],)), trace.model_name)
        show_answer(answers.weighted_words(heaviest), view="predictions", place=place)
    answer, explanation = answers.predictions(trace), answers.explanation_of(trace)
    if explanation is None and not answers.reads_pairs(trace):
        if place != "B":  # it is the same for both
            show_answer(answer, view="predictions", place=place)
            title = CATALOGUE[TUNED].title
            change_button(f"Open {title}", {"model": TUNED}, key="predictions_open")
        return None
    new = (trace.model_name, trace.tokens.sentences)
    words = len(masked_answers.masked_words(trace))
    if words:
        show_answer(Answer(answer.parts[:words]), view="predictions", place=place, new=new)
        _show_why(trace, place)
    rest = Answer(answer.parts[words:])
    if place == "B" and trace.prediction:  # the note is above A's
        rest = Answer(tuple(part for part in rest.parts if part != Sentence(trace.prediction.note, "caption")))
    if is_at_stop(selection):  # no claim is about a score
        rest = _first_picture(rest)
    show_answer(rest, view="predictions", place=place, new=None if words else new)
    if answers.reads_pairs(trace) and place in ("A", "B"):
        change_button("Read A and B together", {"mode": "pair"}, key=f"together_{place}")
    if words and trace.links:
        st.caption("What fits the masks together or layer by layer is worked out without the cut: take the cut away.")
    elif words:
        show_folds(_folds(trace, selection, place), view=f"predictions_{place}")
    return explanation


def _heaviest_words(backend: Backend, text: str) -> list[tuple[str, float]]:
    from encoder.comparison.exact_splits import heaviest_words  # imports torch

    return heaviest_words(backend, text, MOST_WEIGHTED)


def _first_picture(answer: Answer) -> Answer:
    """The parts up to the first chart."""
    charts = [index for index, part in enumerate(answer.parts) if isinstance(part, Chart)]
    return Answer(answer.parts[: charts[0] + 1]) if charts else answer


def _choose_masked_word(trace: Trace, place: str) -> None:
    """The words of the text as buttons: a click masks one, in the text field."""
    tokens, key = trace.tokens, f"predictions_mask_{place}"
    read = [word for word in range(len(tokens.words)) if word in tokens.word_ids and tokens.words[word] != MASK]
    if not read:
        return

    def mask_word() -> None:
        word = st.session_state[key]
        st.session_state[key] = None
        if word in read:
            a, b = with_replaced(tokens, positions_of_word(tokens, word), MASK)
            texts = {"b": a} if place == "B" else {"a": a}
            session.change(**texts, **({} if b is None else {"b": b}))

    st.pills(
        "Mask a word",
        read[:MOST_WORDS],
        format_func=lambda word: word_label(tokens.words[word]),
        key=key,
        on_change=mask_word,
        help="A click writes [MASK] into the text instead of the word. The browser's Back brings the word back.",
    )


def _show_why(trace: Trace, place: str) -> None:
    """A button that opens what each word adds to the likeliest word of the first mask."""
    kwargs = {"view": "why", "why": "masked word"} | ({} if place == "pair" else {"why_side": place})
    change_button("Why this word?", kwargs, key=f"predictions_why_{place}")


def _folds(trace: Trace, selection: Selection, place: str) -> list[Fold]:
    found = trace.token_prediction
    several = found is not None and 1 < len(found.positions) <= masked_answers.MOST_MASKS
    together = Fold(
        name="together", title="Which words fit the masks together?", show=partial(_show_together, trace, place)
    )
    return [
        *([together] if several else []),
        Fold(
            name="layers",
            title="The words after every layer, and the place of a word",
            show=partial(_show_layers, trace, selection, place),
            pointed_at=bool(selection.fill),
        ),
        Fold(
            name="silenced",
            title="Silence heads: which word changes?",
            show=partial(_show_silenced, trace, selection, place),
            pointed_at=bool(selection.word_lens.silenced),
        ),
    ]


def _show_together(trace: Trace, place: str) -> None:
    from viz.views.predictions import steps as masked_words
    from viz.widgets.recipe import show_or_explain  # imports torch

    show_or_explain(masked_words.together(trace), trace.model_name, view="predictions_together", place=place)


def _show_layers(trace: Trace, selection: Selection, place: str) -> None:
    from viz.views.predictions import steps as masked_words
    from viz.widgets.recipe import show_or_explain  # imports torch

    st.text_input(
        "Where does a word stand?",
        placeholder="its place among all words, after every layer",
        **session.bound("fill", key=f"predictions_fill_{place}", initial="value"),
    )
    recipe = masked_words.by_layer(trace, selection.fill.strip())
    show_or_explain(recipe, trace.model_name, view="predictions_layers", place=place)


def _show_silenced(trace: Trace, selection: Selection, place: str) -> None:
    from viz.views.predictions import steps as masked_words
    from viz.widgets.recipe import show_or_explain  # imports torch

    show = partial(show_or_explain, model_name=trace.model_name, place=place)
    show(masked_words.every_head(trace, selection), view="predictions_heads")
    choose_silenced_heads(trace, key=f"predictions_silenced_{place}")
    if selection.word_lens.silenced:
        show(masked_words.without_heads(trace, selection), view="predictions_silenced")
