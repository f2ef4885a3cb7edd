"""BERT in numbers: parameters module by module, operations by length."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.sizes import Sizes, model_sizes
from encoder.measures.cost import SQUARE, crossings, operations, with_square
from encoder.transformer.config import PRESETS
from viz import cache
from viz.figures.config import plot_config
from viz.figures.cost import operation_lines, parameter_bars
from viz.labels import shorten, visible
from viz.panels.anatomy.walk import Walk
from viz.panels.common import theme

LENGTHS = np.unique(np.geomspace(8, 16_384, 60).astype(np.int64))


def numbers(walk: Walk) -> None:
    """The table and the two figures."""
    own = model_sizes(walk.backend)
    every = [own, *(cache.sizes_of_preset(name) for name in PRESETS)]
    _table(own, every)
    _parameters(every)
    _operations(walk)


def _table(own: Sizes, every: list[Sizes]) -> None:
    st.markdown("##### Parameters, module by module")
    names = [_named(sizes, own) for sizes in every]
    rows = {
        "layers × heads × width": [
            f"{s.config.num_hidden_layers} × {s.config.num_attention_heads} × {s.config.hidden_size}" for s in every
        ]
    }
    for part in own.parts:
        rows[part] = [f"{sizes.parts[part]:,}" for sizes in every]
    rows["encoder, in all"] = [f"{sizes.encoder:,}" for sizes in every]
    rows["BERT's pooler"] = [f"{sizes.pooler:,}" for sizes in every]
    rows["encoder and pooler"] = [f"{sizes.encoder + sizes.pooler:,}" for sizes in every]
    rows["published"] = [f"{sizes.published // 1_000_000} M" if sizes.published else "–" for sizes in every]
    st.dataframe(pd.DataFrame.from_dict(rows, orient="index", columns=names), key="walk_parameters", height="content")
    beside = []
    if own.heads:
        beside.append(f"Its heads have another {own.heads:,}.")
    if own.table:
        beside.append(
            f"Its word embeddings are a projection of a table of {own.table:,} numbers of the bundled BERT, which is "
            "looked up and not counted."
        )
    if own.fixed:
        beside.append(f"{own.fixed:,} of its parameters, the sinusoidal positions, are computed and never trained.")
    st.caption(
        "Counted on the modules themselves: every weight and bias of the encoder, once. The presets are built without "
        "memory (torch's meta device). The pooler is a layer that BERT puts on `[CLS]` and our encoder leaves out; "
        "with it the counts are those of `BertModel`, without the heads of its pre-training. The published numbers are "
        f"rounded (Devlin et al. 2019, section 3). {' '.join(beside)}"
    )


def _parameters(every: list[Sizes]) -> None:
    parts = {part: [sizes.parts[part] for sizes in every] for part in every[0].parts}
    figure = parameter_bars(parts, [_named(sizes, every[0]) for sizes in every], theme=theme())
    st.plotly_chart(figure, theme=None, config=plot_config("parameters"), key="walk_parameter_bars")


def _operations(walk: Walk) -> None:
    config = walk.record.config
    at = crossings(config)
    st.markdown("##### Floating-point operations of one pass, by the length of the text")
    figure = operation_lines(
        with_square(operations(config, LENGTHS)),
        LENGTHS,
        theme=theme(),
        crossing=at.feed_forward,
        longest=config.max_position_embeddings,
    )
    st.plotly_chart(figure, theme=None, config=plot_config("operations"), key="walk_operations")
    here = with_square(operations(config, np.array([len(walk.labels), config.max_position_embeddings])))
    total = np.sum(list(here.values()), axis=0)
    square = here[SQUARE]
    base = crossings(PRESETS["bert-base"])
    st.caption(
        f"Your text of {len(walk.labels)} tokens takes {total[0] / 1e6:,.0f} million operations, "
        f"{square[0] / total[0]:.1%} of them in scores and context; {config.max_position_embeddings} tokens would "
        f"take {total[1] / 1e9:,.1f} billion, {square[1] / total[1]:.1%} of them there. Scores and context overtake "
        "the four projections at "
        f"{at.projections:,} tokens, the feed-forward at {at.feed_forward:,}, and everything else together at "
        f"{at.all_else:,}; for BERT-base these are {base.projections:,}, {base.feed_forward:,} and {base.all_else:,}, "
        "more than the 512 tokens that it reads. A multiplication and an addition are two operations; only matrix "
        "products are counted, not softmax, layer norms, activations and look-ups."
    )


def _named(sizes: Sizes, own: Sizes) -> str:
    return shorten(visible(f"this model: {sizes.name}"), 40) if sizes is own else sizes.name
