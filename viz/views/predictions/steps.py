"""Masked words: what stands there after every layer, all masks together, and what silenced heads change."""

from __future__ import annotations

from encoder.experiments.mask_lens import fill_masks, mask_lens, sweep_mask
from encoder.runs.trace import Trace
from viz.answers import masked_words as answers
from viz.recipes.patching import run_without_heads
from viz.recipes.step import LongStep, Recipe, Step
from viz.state.selection import Selection


def together(trace: Trace) -> Recipe[None]:
    """The likeliest words for all masks together. Raises HeadlightError."""
    found = yield from Step(fill_masks, (trace.tokens,))
    yield answers.filled_together(found)


def by_layer(trace: Trace, followed: str) -> Recipe[None]:
    """The words for masked tokens after every layer, and the place of one of them. Raises HeadlightError."""
    found = yield from Step(mask_lens, (trace, followed))
    yield answers.lens(found, trace.tokens, trace.model_name, followed=followed)


def every_head(trace: Trace, selection: Selection) -> Recipe[None]:
    """What silencing each head alone changes at the first mask. Raises HeadlightError."""
    masked = trace.token_prediction
    if masked is None:
        return
    swept = yield from LongStep(
        sweep_mask,
        (trace.tokens, masked.positions[0]),
        tokens=(1 + trace.num_layers * trace.num_heads) * len(trace.tokens),
        what="Each head silenced",
    )
    if swept is not None:
        yield answers.every_head(swept, selection)


def without_heads(trace: Trace, selection: Selection) -> Recipe[None]:
    """What silencing the chosen heads changes. Raises HeadlightError."""
    changed = yield from Step(run_without_heads, (*trace.tokens.texts, selection.word_lens.silenced))
    yield answers.without_heads(trace, changed)
