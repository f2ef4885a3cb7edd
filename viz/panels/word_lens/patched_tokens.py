"""Below picture 5: which tokens' states carry the part of speech of the word."""

from __future__ import annotations

import streamlit as st

from encoder.errors import ArgumentError, SelectionError
from encoder.shipped.labels import TAGS
from encoder.shipped.probes import has_probes
from viz.caches import experiment_cache
from viz.panels import patched_tokens
from viz.panels.word_lens.choice import Occurrence
from viz.wording.labels import escape_markdown


def show_patched_tokens(a: Occurrence, b: Occurrence) -> None:
    """A map of estimates, which exact values replace; nothing for a model without probes."""
    name = a.trace.model_name
    if not has_probes(name):
        return
    words = ((a.text, a.word_index), (b.text, b.word_index))
    st.markdown("**Which tokens carry the part of speech?** Any token's state from A, put into B")
    try:
        patched = experiment_cache.patched_word(name, *words)
        estimates = experiment_cache.patching_estimates(name, *words)
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    first, second = (TAGS[index] for index in patched.classes)
    patched_tokens.show_patched_tokens(
        a.trace,
        b.trace,
        estimates,
        experiment_cache.patching_effects(name, *words),
        unit=f"log-odds, {first} against {second}",
        what=f"A cell says how “{escape_markdown(b.name)}” in B moves from {second} towards {first}, as the last "
        "layer's probe reads it, when one token's state there is the one that A has at that place. A state that "
        "moves it carries something for it; whether the model needs that state, this does not say.",
        view="lens",
    )
