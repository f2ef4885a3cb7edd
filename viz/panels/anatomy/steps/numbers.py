"""BERT in numbers: parameters module by module, operations by length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.parameter_counts import ParameterCounts, count_encoder, count_model, count_preset
from encoder.measures.cost import SCORES_AND_CONTEXT, add_up_quadratic_parts, count_operations, crossings
from encoder.transformer.config import PRESETS
from viz.caches.memo import cached
from viz.figures.config import plot_config
from viz.figures.cost import operation_lines, parameter_bars
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.panels.common import fit_stage, theme
from viz.wording.labels import make_visible, shorten

LENGTHS = np.unique(np.geomspace(8, 16_384, 60).astype(np.int64))


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    s = run.sizes
    return StepContent(
        words=(
            "How large is all this? **Parameters** are the learned numbers of the tables and matrices you have seen; "
            "most lie in the word table and in the feed-forward. **Operations** are the multiplications and additions "
            "of one run. Each part grows with the length of the text, T tokens, but scores and context grow with its "
            "square, since every token meets every token. With this model's widths they overtake the feed-forward at "
            f"{crossings(run.record.config).feed_forward:,} tokens."
        ),
        formula=(
            rf"\text{{scores and context: }} 4\,T^2 \cdot {s.D} \qquad \text{{feed-forward: }} 4\,T \cdot {s.D} \cdot "
            rf"{s.F} \qquad \text{{equal at }} T = {s.F}"
        ),
        sources=(count_operations, count_encoder),
    )


def beside(page: AnatomyPage) -> None:
    """The table of parameters, and the figures of parameters and operations."""
    models = [count_model(page.run.backend), *(cached(count_preset, name) for name in PRESETS)]
    names = [shorten(make_visible(f"this model: {models[0].name}"), 40), *(counts.name for counts in models[1:])]
    _table(models, names)
    _not_counted(models[0])
    _parameters(models, names)
    _operations(page)


def _table(models: Sequence[ParameterCounts], names: Sequence[str]) -> None:
    st.markdown("#### Parameters, module by module")
    configs = [counts.config for counts in models]
    rows = {
        "layers × heads × width": [
            f"{c.num_hidden_layers} × {c.num_attention_heads} × {c.hidden_size}" for c in configs
        ]
    }
    for group in models[0].by_group:
        rows[group] = [f"{counts.by_group[group]:,}" for counts in models]
    rows["encoder, in all"] = [f"{counts.encoder:,}" for counts in models]
    rows["BERT's pooler"] = [f"{counts.pooler:,}" for counts in models]
    rows["encoder and pooler"] = [f"{counts.encoder + counts.pooler:,}" for counts in models]
    rows["published"] = [f"{counts.published // 1_000_000} M" if counts.published else "–" for counts in models]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
    st.dataframe(table, key="anatomy_parameters", height="content")


def _not_counted(own: ParameterCounts) -> None:
    """How parameters are counted, and what this model has besides."""
    besides = []
    if own.heads:
        besides.append(f"Its heads have another {own.heads:,}.")
    if own.lookup_table:
        besides.append(
            f"Its word embeddings are a projection of a table of {own.lookup_table:,} numbers of the bundled BERT, "
            "which is looked up and not counted."
        )
    if own.fixed:
        besides.append(f"{own.fixed:,} of its parameters, the sinusoidal positions, are computed and never trained.")
    st.caption(
        "Counted on the modules themselves: every weight and bias of the encoder, once. The presets are built without "
        "memory (torch's meta device). The pooler is a layer that BERT puts on `[CLS]` and our encoder leaves out; "
        "with it the counts are those of `BertModel`, without the heads of its pre-training. The published numbers are "
        f"rounded (Devlin et al. 2019, section 3). {' '.join(besides)}"
    )


def _parameters(models: Sequence[ParameterCounts], names: Sequence[str]) -> None:
    groups = {group: [counts.by_group[group] for counts in models] for group in models[0].by_group}
    figure = parameter_bars(groups, names, theme=theme())
    fit_stage(figure)
    st.plotly_chart(figure, theme=None, config=plot_config("parameters"), key="anatomy_parameter_bars")


def _operations(page: AnatomyPage) -> None:
    config = page.run.record.config
    st.markdown("#### Floating-point operations of one pass, by the length of the text")
    figure = operation_lines(
        add_up_quadratic_parts(count_operations(config, LENGTHS)),
        LENGTHS,
        theme=theme(),
        crossing=crossings(config).feed_forward,
        longest=config.max_position_embeddings,
    )
    fit_stage(figure)
    st.plotly_chart(figure, theme=None, config=plot_config("operations"), key="anatomy_operations")
    st.caption(_operations_in_words(page))


def _operations_in_words(page: AnatomyPage) -> str:
    config, length = page.run.record.config, len(page.labels)
    here = add_up_quadratic_parts(count_operations(config, np.array([length, config.max_position_embeddings])))
    total, square = np.sum(list(here.values()), axis=0), here[SCORES_AND_CONTEXT]
    lengths, base = crossings(config), crossings(PRESETS["bert-base"])
    return (
        f"Your text of {length} tokens takes {total[0] / 1e6:,.0f} million operations, {square[0] / total[0]:.1%} of "
        f"them in scores and context; {config.max_position_embeddings} tokens would take {total[1] / 1e9:,.1f} "
        f"billion, {square[1] / total[1]:.1%} of them there. Scores and context overtake the four projections at "
        f"{lengths.projections:,} tokens, the feed-forward at {lengths.feed_forward:,}, and everything else together "
        f"at {lengths.all_else:,}; for BERT-base these are {base.projections:,}, {base.feed_forward:,} and "
        f"{base.all_else:,}, more than the 512 tokens that it reads. A multiplication and an addition are two "
        "operations; only matrix products are counted, not softmax, layer norms, activations and look-ups."
    )


STEP = Step(title="BERT in numbers", content=content, beside=beside)
