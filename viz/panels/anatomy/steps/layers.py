"""The other layers: the states of the text after every one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from encoder.experiments.anatomy import cells
from encoder.measures.operations import signed_limit
from encoder.measures.similarity import successive_cosines
from encoder.transformer.encoder import Encoder
from viz.figures.config import plot_config
from viz.figures.norms import cosine_heat_map
from viz.panels.anatomy.draw import draw_tensor
from viz.panels.anatomy.latex import layer_norm_line, shape, sum_line
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.panels.anatomy.windows import token_window
from viz.panels.anatomy.worked_out import WorkedOut, explain_dot_product
from viz.panels.common import fit_stage, theme


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, s = run.record, run.sizes
    is_last = record.layer == s.L - 1
    shown = [Shown(name=f"X after layer {record.layer}{', the last' if is_last else ''}", array=record.layer_output)]
    if not is_last:
        shown.append(Shown(name=f"X after layer {s.L - 1}, the last", array=record.hidden_states[-1]))
    return StepContent(
        words=(
            f"That was layer {record.layer}. The model has {s.L} of them, alike in build and different in their "
            "learned numbers, and each starts from what the one before it left. Layer by layer a token's vector takes "
            "up more of the text around it. Choose another layer beside the pictures, and every step shows that one, "
            "and works out its numbers."
        ),
        formula=(
            rf"{shape(s.T, s.D)}{{X_0}} \;\to\; X_1 = \text{{Layer}}_0(X_0) \;\to\; \dots \;\to\; "
            rf"{shape(s.T, s.D)}{{X_{{{s.L}}}}} = \text{{Layer}}_{{{s.L - 1}}}(X_{{{s.L - 1}}})"
        ),
        tensors=(tuple(shown),),
        sources=(Encoder.forward,),
        opened=shown[0].name,
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """What the feed-forward adds, the residual connection, the layer norm."""
    cell = cells.layer_output(run.record, head=run.head, row=row, column=column)
    worked = explain_dot_product(
        rf"\text{{feed-forward: }} f_{{{row},{column}}} = u_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cell.feed_forward,
        vectors=("unit u", "weight w"),
        counted="unit",
    )
    ends = (sum_line(r"\text{residual: } x' + f", cell.residual), layer_norm_line(cell.norm))
    return replace(worked, lines=(*worked.lines, *ends))


def beside(page: AnatomyPage) -> None:
    """One token's state after every layer, and how much each layer turns it."""
    hidden_states = np.stack(page.run.record.hidden_states)  # (L + 1, T, D)
    row = page.opened.cell[0] if page.opened else 0
    states = hidden_states[:, row]  # (L + 1, D)
    names = ["embeddings", *(f"after L{layer}" for layer in range(len(states) - 1))]
    shown = Shown(name=f"{row} · {page.labels[row]}, layer by layer", array=states, rows="layer")
    draw_tensor(shown, names, limit=signed_limit(states), alone=True, page=page, key="layers_states")
    part = token_window(page.opened, len(page.labels))
    cosines = successive_cosines(hidden_states[:, part.part])  # (L, T)
    st.markdown("#### Cosine between what goes into a layer and what leaves it")
    figure = cosine_heat_map(cosines, page.labels[part.part], theme=theme(), first=part.start)
    with st.container(horizontal_alignment="center"):
        fit_stage(figure)
        st.plotly_chart(figure, theme=None, width="content", config=plot_config("cosines"), key="anatomy_cosines")
    st.caption("A cosine of 1 means that the layer kept a token's direction; the lower it is, the more was added.")


STEP = Step(title="The next layers", content=content, work_out=work_out, beside=beside)
