"""Below picture 5: the choice of the number that tokens carry, and the job that works out their map."""

from __future__ import annotations

from encoder.errors import ArgumentError, SelectionError
from encoder.shipped.probes import has_probes
from viz.answers.answer import Answer, Sentence
from viz.answers.word_lens.patched_tokens import carried_number, tokens_heading, words_of_patching
from viz.answers.word_lens.word import Occurrence
from viz.caches import estimate_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.panels import patched_tokens
from viz.panels.word_lens.layout import show_picture
from viz.state.selection import Carried, Selection
from viz.widgets import choice
from viz.wording.labels import escape_markdown

NUMBERS: dict[Carried, str] = {"part of speech": "Part of speech", "shift": "Shift from A to B"}


def show_patched_tokens(a: Occurrence, b: Occurrence, selection: Selection) -> None:
    """A map of estimates, which exact values replace; of the shift alone for a model without probes."""
    name = a.trace.model_name
    words = ((a.text, a.word_index), (b.text, b.word_index))
    number = carried_number(name, selection.word_lens.carried)
    show_picture(Answer((tokens_heading(number),)))
    if has_probes(name):
        choice("Number that the tokens carry", NUMBERS, field="carried", labelled=False)
    try:
        patched = cached_with_model(estimate_cache.patched_word, name, number, *words)
        estimates = cached_with_model(estimate_cache.patching_estimates, name, number, *words)
    except (ArgumentError, SelectionError) as error:
        show_picture(Answer((Sentence(escape_markdown(str(error)), "caption"),)))
        return
    patched_tokens.show_patched_tokens(
        a.trace,
        b.trace,
        estimates,
        cached_job(estimate_cache.patching_effects, name, number, *words),
        **words_of_patching(b, patched),
        view="lens",
    )
