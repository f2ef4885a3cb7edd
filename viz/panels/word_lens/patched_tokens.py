"""Below picture 5: which tokens' states carry the part of speech of the word, or its shift."""

from __future__ import annotations

import streamlit as st

from encoder.attribution.word_estimates import PatchedTag
from encoder.errors import ArgumentError, SelectionError
from encoder.models.labels import TAGS
from encoder.shipped.probes import has_probes
from viz.caches import estimate_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.panels import patched_tokens
from viz.panels.word_lens.choice import Occurrence
from viz.state.selection import Carried, Selection
from viz.widgets import choice
from viz.wording.labels import escape_markdown

NUMBERS: dict[Carried, str] = {"part of speech": "Part of speech", "shift": "Shift from A to B"}


def show_patched_tokens(a: Occurrence, b: Occurrence, selection: Selection) -> None:
    """A map of estimates, which exact values replace; of the shift alone for a model without probes."""
    name = a.trace.model_name
    words = ((a.text, a.word_index), (b.text, b.word_index))
    number: Carried = selection.word_lens.carried if has_probes(name) else "shift"
    st.markdown(f"**Which tokens carry the {number}?** Any token's state from A, put into B")
    if has_probes(name):
        choice("Number that the tokens carry", NUMBERS, field="carried", labelled=False)
    try:
        patched = cached_with_model(estimate_cache.patched_word, name, number, *words)
        estimates = cached_with_model(estimate_cache.patching_estimates, name, number, *words)
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    word = escape_markdown(b.name)
    if isinstance(patched, PatchedTag):
        first, second = (TAGS[index] for index in patched.classes)
        unit = f"log-odds, {first} against {second}"
        says = f"how “{word}” in B moves from {second} towards {first}, as the last layer's probe reads it,"
        more = ""
    else:
        unit = "distance from A to B"
        says = f"by how much the cosine distance of “{word}” in B from the word in A changes after the last layer"
        more = " In A that distance is 0 and has no slope: the estimate rests on the slope in B."
    patched_tokens.show_patched_tokens(
        a.trace,
        b.trace,
        estimates,
        cached_job(estimate_cache.patching_effects, name, number, *words),
        unit=unit,
        what=f"A cell says {says} when one token's state there is the one that A has at that place. A state that "
        f"moves it carries something for it; whether the model needs that state, this does not say.{more}",
        view="lens",
    )
