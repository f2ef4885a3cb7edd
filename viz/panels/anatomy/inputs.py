"""What stands beside the steps from text to vectors."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.cells_ends import position_product, wave
from encoder.experiments.anatomy.inputs import (
    LONG_COUNT,
    LONG_EXAMPLE,
    SHORT_EXAMPLE,
    SPLIT_EXAMPLE,
    batch_of_two,
    pieces_of_words,
    position_table,
    sinusoidal_table,
    too_long,
)
from encoder.experiments.anatomy.steps import Shown
from encoder.experiments.anatomy.walk import ours
from encoder.measures.operations import signed_limit, similarity_by_distance
from encoder.trace import FloatArray
from viz import cache
from viz.figures.anatomy_curves import similarity_lines
from viz.figures.config import plot_config
from viz.labels import verbatim, visible
from viz.panels.anatomy.cells import opened_in, pick_cell, show
from viz.panels.anatomy.draw import picture, table_height, tell
from viz.panels.anatomy.walk import Walk
from viz.panels.common import theme

FARTHEST = 128
LEARNED_ELSEWHERE = "scratch-bert"


def text(walk: Walk) -> None:
    """Every word with its pieces, and a word that is cut."""
    rows = pieces_of_words(walk.record.tokens)
    table = pd.DataFrame(
        {"word": [visible(word) for word, _ in rows], "wordpieces": ["  ".join(pieces) for _, pieces in rows]}
    )
    st.dataframe(table, key="walk_pieces", height=table_height(len(rows)), hide_index=True)
    cut = walk.backend.tokenize(SPLIT_EXAMPLE)
    pieces = [label for label, special in zip(cut.labels, cut.special, strict=True) if not special]
    st.caption(f"A rare word for comparison: “{SPLIT_EXAMPLE}” becomes {verbatim('  '.join(pieces))}.")


def ids(walk: Walk) -> None:
    """What goes into the model, a batch of two, and a text that is too long."""
    tokens = walk.record.tokens
    table = pd.DataFrame(
        {
            "token": [visible(label) for label in tokens.labels],
            "id": tokens.ids,
            "token type": tokens.token_type_ids,
            "attention mask": tokens.attention_mask,
        }
    )
    st.dataframe(table, key="walk_ids", height=table_height(len(tokens)))
    st.markdown(f"##### A batch of two: your text and “{SHORT_EXAMPLE}”")
    batch = batch_of_two(walk.backend, tokens, pad_id=walk.record.config.pad_token_id)
    numbers = [f"{visible(label)} {number}" for label, number in zip(batch.labels[1], batch.ids[1], strict=True)]
    own = [f"{visible(label)} {number}" for label, number in zip(batch.labels[0], batch.ids[0], strict=True)]
    st.dataframe(
        pd.DataFrame(
            [own, list(map(str, batch.masks[0])), numbers, list(map(str, batch.masks[1]))],
            index=["your text", "its mask", f"“{SHORT_EXAMPLE}”", "its mask "],
        ),
        key="walk_batch",
    )
    cut = too_long(walk.backend)
    st.caption(
        f"A batch is one rectangle of numbers, so the shorter text is padded, and its mask is 0 there. Too long a text "
        f"is cut at its end: of {LONG_COUNT} times “{LONG_EXAMPLE}” the model reads {cut.sentence_ids.count(0)} "
        f"and two special tokens, and {cut.truncated[0]} are cut off."
    )


def positions(walk: Walk) -> None:
    """Learned and computed position vectors, and how alike they are."""
    own = position_table(walk.backend.encoder)  # (P, D)
    learned_here = walk.record.config.position_embedding == "learned"
    learned = own if learned_here else position_table(ours(cache.model(LEARNED_ELSEWHERE)).encoder)
    tables = {
        "learned" if learned_here else "learned, by the bundled BERT": learned,
        "sines and cosines": own if not learned_here else sinusoidal_table(*own.shape),
    }
    drawn = [Shown(name=name, array=table, rows="position") for name, table in tables.items()]
    opened = opened_in(drawn[-1], walk.selection)
    walk = replace(walk, opened=opened)
    names = [str(position) for position in range(len(own))]
    for place, (column, shown) in enumerate(zip(st.columns(2), drawn, strict=True)):
        with column:
            picture(shown, names, limit=signed_limit(shown.array), alone=False, walk=walk, key=f"positions_{place}")
    tell(drawn, walk, one_scale=False)
    pick_cell(opened, names)
    row, at = opened.cell
    show(wave(opened.shown.array, row=row, column=at), names, key="positions")
    _alike(own, row)
    curves = {name: similarity_by_distance(table, longest=FARTHEST) for name, table in tables.items()}
    figure = similarity_lines(curves, theme=theme())
    st.plotly_chart(figure, theme=None, config=plot_config("positions-by-distance"), key="walk_distance")
    st.caption(
        f"The mean dot product of two position vectors that far apart, over all {len(own):,} positions, up to a "
        f"distance of {FARTHEST}; 1 is a vector's product with itself."
    )


def _alike(table: FloatArray, row: int) -> None:
    """The dot product of the chosen position's vector and another's, both as this model adds them."""
    st.markdown("##### How alike are two positions? The dot product of their vectors in this model")
    other = st.number_input(f"Position {row}, and position", 0, len(table) - 1, 2, key="walk_other_position")
    show(position_product(table, one=row, other=other), (), key="alike")
