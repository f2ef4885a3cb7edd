"""The decoder: an encoder-decoder writes a text from another text; its three attentions are shown step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import streamlit as st

from encoder.errors import NotCapturedError
from encoder.measures.combined_attention import SENTENCES_OF_KIND
from encoder.measures.near_ties import first_largest
from encoder.runs.generation import Generation
from encoder.shipped.seq2seq import Seq2SeqBackend, exact_match, lens_exact_match
from encoder.text.tokens import Tokens
from viz.caches import message_cache, run_cache, writers
from viz.caches.memo import cached
from viz.components.cell_map import cell_map
from viz.components.head_map import head_map
from viz.components.head_view import head_view
from viz.components.neuron_view import neuron_view
from viz.components.token_strip import token_strip
from viz.components.wires.store import store
from viz.payloads.copied_tokens import marks_of_copies
from viz.payloads.message import Message
from viz.payloads.tokens import payload
from viz.state import session
from viz.state.selection import Kinds, Picture, Selection
from viz.views.decoder import answer as answers
from viz.widgets import choice
from viz.widgets.answer import show_answer
from viz.widgets.canvas import view_data
from viz.widgets.tables import folded
from viz.wording.explanations import NEURON_VIEW, Explanation
from viz.wording.labels import make_visible
from viz.wording.numbers import percent

NAMES: Mapping[Kinds, str] = {"cross": "Cross", "decoder": "Masked", "encoder": "Encoder", "all": "All three"}
PICTURES: Mapping[Picture, str] = {name: name.capitalize() for name in get_args(Picture)}
TITLES: Mapping[Kinds, str] = {
    "cross": "cross-attention",
    "decoder": "the decoder's masked self-attention",
    "encoder": "the encoder's self-attention",
    "all": "all three attentions",
}
HOW_TO_READ: Mapping[Kinds, str] = {
    "cross": "Each row is the token that the decoder has just read, each column a token of the source. What it "
    "looks at there helps it to write the next token.",
    "decoder": "Each row is the token that the decoder has just read, each column a token that it wrote before. "
    "Cells above the diagonal are empty: those tokens were not written yet.",
    "encoder": "Rows and columns are tokens of the source. This attention is computed once, before anything is "
    "written.",
    "all": "The whole model at this layer. Upper left: the encoder. Lower left: the decoder's attention to the "
    "source, always to the output of the encoder's last layer. Lower right: its masked attention to itself. Upper "
    "right is empty, because the encoder never sees what is written. The decoder's rows have two attentions, so "
    "they add up to 2.",
}
DOES_NOT_SHOW = (
    "A large weight does not mean that the token matters for what is written: the encoder may have moved what it "
    "knows of a word to another token."
)
LENS_TITLE = "What would it write from an earlier layer? (DecoderLens)"


def decoder(generation: Generation, selection: Selection) -> Explanation | None:
    """The choice of a step, what it reads and writes, and the attention at that step."""
    step, last = answers.step_shown(generation, selection.decoder.step), len(generation.written) - 1
    with st.container(horizontal=True, wrap=False, vertical_alignment="bottom"):
        _button("Back", generation, -1, disabled=step == 0)
        _slider(generation, step)
        _button("Next", generation, 1, disabled=step == last)
    show_answer(answers.step(generation, step), view="decoder")
    return _show_picture(generation, selection, step=step)


def _slider(generation: Generation, current: int) -> None:
    labels = generation.written.labels
    session.set_value("decoder_step", current)

    def show_step() -> None:
        if session.is_user_change("decoder_step"):
            _select_step(generation, st.session_state["decoder_step"])

    if len(labels) > 1:  # a slider needs two ends
        st.select_slider(
            "Step: the token that is written",
            range(len(labels)),
            format_func=lambda step: f"{step + 1} · {make_visible(labels[step])}",
            key="decoder_step",
            on_change=show_step,
        )


def _button(label: str, generation: Generation, by: int, *, disabled: bool) -> None:
    def select_step() -> None:  # from where an earlier press has led, which the page may not show yet
        step = answers.step_shown(generation, session.current().decoder.step)
        _select_step(generation, min(max(step + by, 0), len(generation.written) - 1))

    st.button(label, key=f"decoder_{label.lower()}", disabled=disabled, on_click=select_step)


def _select_step(generation: Generation, step: int) -> None:
    """Select a step and pin the token that it reads, so that every picture marks its row."""
    session.change(at_step=step, query=len(generation.source.tokens) + step, key=None, pinned_in="decoder")


def _show_picture(generation: Generation, selection: Selection, *, step: int) -> Explanation | None:
    """One attention in one view, as it is after `step` + 1 steps."""
    with st.container(key="decoder_choices", horizontal=True):
        choice("Attention", NAMES, field="kind", labelled=False)
        choice("Picture", PICTURES, field="picture", labelled=False)
    kind, picture = selection.decoder.kind, selection.decoder.picture
    key = f"decoder_{picture.replace(' ', '_')}"
    data = _data(generation, selection, step=step)
    if picture == "model view":
        message = _map_message(generation, selection)
        store(message, key="store_decoder_model_view")
        head_map(data, message=message, large=True, key=key)
        return Explanation("Each row of pictures is a layer, each column a head. " + HOW_TO_READ[kind], DOES_NOT_SHOW)
    if picture == "neuron view":
        return _neuron_view(generation, data, selection, key=key)
    run = message_cache.attention_id(generation, level=selection.level, special=selection.special)
    place, layers = f"decoder_{kind}", _num_layers(generation, kind)
    if picture == "head view":
        head_view(data, run=run, layers=layers, place=place, key=key)
    else:
        cell_map(data, run=run, layers=layers, place=place, key=key, title=TITLES[kind])
    return Explanation(HOW_TO_READ[kind], DOES_NOT_SHOW)


def _neuron_view(
    generation: Generation, data: Mapping[str, Any], selection: Selection, *, key: str
) -> Explanation | None:
    kind = selection.decoder.kind
    if kind == "all":
        st.info("This picture shows one attention at a time: choose one of the three above.")
        return None
    try:
        generation.attention(kind, 0).captured("query")
    except NotCapturedError as error:
        st.info(str(error))
        return None
    run = message_cache.neurons_id(generation, special=selection.special, kind=kind)
    neuron_view(data, run=run, layers=_num_layers(generation, kind), key=key)
    return Explanation(f"{NEURON_VIEW.how_to_read} {HOW_TO_READ[kind]}", NEURON_VIEW.what_it_does_not_show)


def _num_layers(generation: Generation, kind: Kinds) -> int:
    return generation.num_layers if kind == "all" else len(generation.layers(kind))


def layers_of_picture(generation: Generation, selection: Selection, layers: tuple[int, ...]) -> Message | None:
    """Some layers for the chosen picture; None if it shows none of them."""
    kind, picture = selection.decoder.kind, selection.decoder.picture
    existing = tuple(layer for layer in layers if layer < _num_layers(generation, kind))
    if picture == "model view" or not existing:
        return None
    if picture != "neuron view":
        return cached(
            message_cache.combined_message,
            generation,
            layers=existing,
            level=selection.level,
            special=selection.special,
        )
    if kind == "all":
        return None
    try:
        return cached(
            message_cache.combined_neurons_message, generation, kind=kind, layers=existing, special=selection.special
        )
    except NotCapturedError:
        return None


def show_small_map(generation: Generation, selection: Selection) -> None:
    """The map of all heads next to the picture; a click selects one."""
    message = _map_message(generation, selection)
    store(message, key="store_decoder_map")
    head_map(view_data(selection, place="decoder"), message=message, large=False, key="decoder_map")


def _map_message(generation: Generation, selection: Selection) -> Message:
    kind = selection.decoder.kind
    return cached(message_cache.combined_map, generation, kind=kind, level=selection.level, special=selection.special)


def _data(generation: Generation, selection: Selection, *, step: int) -> dict[str, Any]:
    """Data of the views: the part of the square to show, the written length, and outlined cells."""
    kind = selection.decoder.kind
    source, target = run_cache.units_of_both(generation, level=selection.level, special=selection.special)
    written = sum(members[0] <= step for members in target.members)
    data = view_data(selection, place="decoder") | {
        "sentences": SENTENCES_OF_KIND[kind] if kind != "all" else "all",
        "removed": f"removed_{kind}",
        "until": len(source) + written,
    }
    marks, name = marks_of_copies(generation, kind, source, target, until=written)
    return data | {"marks": marks, "marks_name": name} if name else data


def show_alignment(generation: Generation, selection: Selection) -> None:
    """Attention of the selected head to the copied tokens, and the head with the most, if the tokens are known."""
    shares = answers.attention_to_copied_tokens(generation, selection)  # (L, H)
    if shares is None:
        return
    layer, head = divmod(int(first_largest(shares)), shares.shape[1])
    caption_column, button_column = st.columns((3, 1), vertical_alignment="center")
    with caption_column:
        show_answer(answers.alignment(generation, selection, shares), view="decoder")
    button_column.button(
        f"Most: L{layer} H{head}, {percent(float(shares[layer, head]))}",
        key="decoder_most",
        width="stretch",
        disabled=(layer, head) == (selection.layer, selection.head),
        on_click=session.change,
        kwargs={"layer": layer, "head": head},
        help="Show the head that gives these tokens the largest share of its attention.",
    )


def show_texts(generation: Generation, selection: Selection) -> None:
    """The tokens of both texts, with their caveats."""
    for name, tokens in (("Read", generation.source.tokens), ("Written", generation.written)):
        _strip(name, tokens)
    is_ours = isinstance(writers.writer(generation.model_name), Seq2SeqBackend)
    accuracy = exact_match(selection.decoder.task) if is_ours else None
    show_answer(answers.text(generation, accuracy), view="decoder")


def _strip(name: str, tokens: Tokens) -> None:
    left, right = st.columns((1, 14), vertical_alignment="center")
    left.markdown(f"**{name}**")
    with right:
        token_strip(payload(tokens), key=f"strip_{name.lower()}")


def show_lens(generation: Generation, selection: Selection) -> None:
    """The text from each state of the encoder; for the shipped model only, and not before an audience."""
    model = writers.writer(generation.model_name)
    if not isinstance(model, Seq2SeqBackend) or selection.stage:
        return
    part = folded(LENS_TITLE, key="decoder_lens")
    if not part.open:
        return
    task = selection.decoder.task
    texts = writers.texts_by_layer(model, task, selection.decoder.source)
    with part:
        answer = answers.lens(texts, lens_exact_match(task, len(texts) - 1), generation.expected)
        show_answer(answer, view="decoder")
