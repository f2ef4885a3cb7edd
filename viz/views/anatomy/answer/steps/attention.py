"""Attention in a layer: queries, keys and values, scores, weights, contexts, and all heads together."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from encoder.experiments.anatomy import cells
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.runs.arrays import softmax as softmax_of
from encoder.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from viz.answers.answer import Answer, Sentence
from viz.views.anatomy.answer.step import RecordedRun, Source, StepContent, result_of, snippet
from viz.views.anatomy.answer.tensors import Opened, Shown, scores_of, weights_of
from viz.views.anatomy.answer.worked_out import (
    WorkedOut,
    explain_dot_product,
    explain_softmax,
    number,
    product_end,
    shape,
)

CONTEXTS: Final = "C: contexts of all heads"


def projections(run: RecordedRun) -> StepContent:
    """States become queries, keys and values."""
    record, head, s = run.record, run.head, run.sizes
    given = f"the output of layer {record.layer - 1}" if record.layer else "the vectors of the embeddings"
    return StepContent(
        words=(
            f"The vectors pass through {s.L} **layers** of the same design, each with {s.H} independent **heads**. We "
            f"follow layer {record.layer}, head {head}; it reads {given}. Three learned matrices of {s.D} by {s.K} "
            "numbers turn each token's vector into a **query** (what the token looks for), a **key** (what it can be "
            "found by) and a **value** (what it hands over when it is found). The names are metaphors: nobody assigns "
            "these meanings, and training may use the vectors otherwise."
        ),
        latex="\n".join(
            (
                rf"{shape(s.T, s.K)}{{\boxed{{Q}}}} = {shape(s.T, s.D)}{{X}}\;{shape(s.D, s.K)}{{W_Q}} + b_Q \qquad "
                rf"{s.K} = \frac{{{s.D}}}{{{s.H}\text{{ heads}}}}",
                rf"{shape(s.T, s.K)}{{K}} = X\,W_K + b_K \qquad {shape(s.T, s.K)}{{V}} = X\,W_V + b_V",
            )
        ),
        tensors=(
            (
                Shown(name="X: what goes into the layer", array=record.layer_input),
                Shown(name="Q: queries", array=record.query[head]),
            ),
            (Shown(name="K: keys", array=record.key[head]), Shown(name="V: values", array=record.value[head])),
        ),
        sources=(Source(MultiHeadAttention.forward, "query = "),),
        opened="Q: queries",
    )


def code_of_projections(run: RecordedRun, opened: Opened) -> Answer:
    """Three matrix products."""
    s = run.sizes
    return snippet(
        f"Q = X @ W_Q + b_Q  # ({s.T}, {s.D}) @ ({s.D}, {s.K})",
        "K = X @ W_K + b_K",
        "V = X @ W_V + b_V",
        marked="Q",
        result=result_of(opened, "Q"),
    )


def work_out_projections(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A number of the query with all its terms, and those of the key and the value in a line each."""
    query, key, value = (
        cells.projection(run.record, name, head=run.head, row=row, column=column) for name in cells.PROJECTIONS
    )
    worked = explain_dot_product(_formula("q", row, column), query, vectors=("vector x", "weight w"))
    others = (f"{_formula(name, row, column)} = {product_end(product)}" for name, product in (("k", key), ("v", value)))
    return replace(worked, lines=(*worked.lines, *others))


def _formula(name: str, row: int, column: int) -> str:
    matrix = name.upper()
    return rf"{name}_{{{row},{column}}} = x_{{{row}}} \cdot w^{matrix}_{{{column}}} + b^{matrix}_{{{column}}}"


def scores(run: RecordedRun) -> StepContent:
    """Every query is multiplied with every key."""
    s = run.sizes
    return StepContent(
        words=(
            "How well does a query match a key? The **dot product** measures it: multiply the two vectors number by "
            "number, and add up. It is large if both point the same way, 0 if they are at right angles, and negative "
            f"if they point in opposite directions. One matrix product computes it for all {s.T} × {s.T} pairs: a row "
            "for each query (the token that looks), a column for each key (the token that it looks at)."
        ),
        latex=(
            rf"{shape(s.T, s.T)}{{\boxed{{S}}}} = {shape(s.T, s.K)}{{Q}}\;{shape(s.K, s.T)}{{K^\top}} \qquad "
            rf"S_{{ij}} = q_i \cdot k_j = \sum_{{d=0}}^{{{s.K - 1}}} q_{{i,d}}\,k_{{j,d}}"
        ),
        tensors=((scores_of("S = Q Kᵀ", run.record.products[run.head]),),),
        sources=(Source(scaled_dot_product_attention, "scores = query @"),),
        opened="S = Q Kᵀ",
    )


def code_of_scores(run: RecordedRun, opened: Opened) -> Answer:
    """All dot products at once, and one of them alone."""
    s, (row, column) = run.sizes, opened.cell
    return snippet(
        f"S = Q @ K.T  # ({s.T}, {s.K}) @ ({s.K}, {s.T})",
        f"one = sum(Q[{row}] * K[{column}])  # {s.K} products, added up",
        f"assert np.isclose(one, S[{row}, {column}])",
        marked="S",
        result=result_of(opened, "S"),
    )


def work_out_scores(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The product of a query and a key."""
    product = cells.score(run.record, head=run.head, row=row, column=column)
    return explain_dot_product(rf"q_{{{row}}} \cdot k_{{{column}}}", product, vectors=("query q", "key k"))


def scaling(run: RecordedRun) -> StepContent:
    """Scores are divided by √dₖ; what softmax makes of them with and without."""
    s = run.sizes
    products, scaled = run.record.products[run.head], run.record.scores[run.head]
    return StepContent(
        words=(
            f"The more products a sum has, the further it spreads: for random numbers, a sum of {s.K} spreads √{s.K} "
            "times as widely as one product. **Softmax**, two steps on, turns each row into shares. From scores so far "
            "apart it would give nearly everything to one key, and a model in that state learns slowly. So the scores "
            f"are divided by √{s.K} ≈ {math.sqrt(s.K):.2f}. The lower pictures show what softmax makes of both."
        ),
        latex=(
            rf"\boxed{{\frac{{Q\,K^\top}}{{\sqrt{{{s.K}}}}}}} \qquad "
            rf"\text{{spread of these scores: }} {products.std():.2f} \;\to\; {scaled.std():.2f}"
        ),
        tensors=(
            (scores_of("Q Kᵀ, not scaled", products), scores_of("Q Kᵀ / √dₖ, scaled", scaled)),
            (
                weights_of("softmax, not scaled", softmax_of(products)),
                weights_of("softmax, scaled", run.record.weights[run.head]),
            ),
        ),
        sources=(Source(scaled_dot_product_attention, "scores = scores / math.sqrt"),),
        opened="Q Kᵀ / √dₖ, scaled",
    )


def code_of_scaling(run: RecordedRun, opened: Opened) -> Answer:
    """The division, and the spread before and after it."""
    products, scaled = run.record.products[run.head], run.record.scores[run.head]
    return snippet(
        "products = Q @ K.T",
        f"S = products / np.sqrt({run.sizes.K})",
        f"products.std(), S.std()  # {products.std():.2f}, {scaled.std():.2f}",
        marked="S",
        result=result_of(opened, "S"),
    )


def work_out_scaling(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A product divided by √dₖ."""
    width, cell = run.sizes.K, (run.head, row, column)
    product, value = (number(float(array[cell])) for array in (run.record.products, run.record.scores))
    return WorkedOut(
        lines=(
            rf"\frac{{q_{{{row}}} \cdot k_{{{column}}}}}{{\sqrt{{{width}}}}} = "
            rf"\frac{{{product}}}{{{number(math.sqrt(width))}}} = {value}",
        )
    )


def sharpness(run: RecordedRun, _opened: Opened) -> Answer:
    """How much of a row one key gets, without and with scaling."""
    both = [softmax_of(run.record.products[run.head]), run.record.weights[run.head]]  # (T, T) each
    without, scaled = (float(weights.max(axis=-1).mean()) for weights in both)
    bits = [float(mean_entropy_bits(weights[None])[0]) for weights in both]
    said = (
        f"Mean of each row's largest weight: **{without:.2f}** unscaled, **{scaled:.2f}** scaled. Mean entropy: "
        f"{bits[0]:.2f} and {bits[1]:.2f} bits."
    )
    return Answer((Sentence(said, "caption"),))


def softmax(run: RecordedRun) -> StepContent:
    """Softmax turns scores into attention weights."""
    s = run.sizes
    return StepContent(
        words=(
            "**Softmax** turns each row of scores into **attention weights**: positive numbers that add up to 1. It "
            "takes e to the power of every score and divides by the sum of the row, so a score that is larger by 1 "
            "gets e ≈ 2.7 times the weight. The row's largest score $m_i$ is subtracted first, which keeps the powers "
            "small and changes no weight. The heat map of Headlight shows this matrix: row i says how token i divides "
            "its attention."
        ),
        latex="\n".join(
            (
                rf"{shape(s.T, s.T)}{{\boxed{{A}}}} = \text{{softmax}}(S) \qquad "
                rf"S = \frac{{Q K^\top}}{{\sqrt{{{s.K}}}}} \qquad \sum_j A_{{ij}} = 1",
                rf"A_{{ij}} = \frac{{e^{{s_{{ij}} - m_i}}}}{{\sum_{{k=0}}^{{{s.T - 1}}} e^{{s_{{ik}} - m_i}}}} \qquad "
                r"m_i = \max_k s_{ik}",
            )
        ),
        tensors=((weights_of("A: attention weights", run.record.weights[run.head]),),),
        sources=(Source(scaled_dot_product_attention, "weights = scores.softmax"),),
        opened="A: attention weights",
    )


def code_of_softmax(run: RecordedRun, opened: Opened) -> Answer:
    """Exponentials over their sum."""
    return snippet(
        f"S = Q @ K.T / np.sqrt({run.sizes.K})",
        "m = S.max(axis=1, keepdims=True)",
        "E = np.exp(S - m)",
        "A = E / E.sum(axis=1, keepdims=True)",
        marked="A",
        result=result_of(opened, "A"),
    )


def work_out_softmax(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The exponential of a score over the sum of the whole row's."""
    return explain_softmax(
        cells.weight(run.record, head=run.head, row=row, column=column),
        symbols=(f"a_{{{row},{column}}}", f"s_{{{row},{column}}}", f"s_{{{row},j}}"),
        names=("score s", "exp(s − largest)"),
        counted="key",
    )


def context(run: RecordedRun) -> StepContent:
    """Attention weights mix the values."""
    record, head, s = run.record, run.head, run.sizes
    return StepContent(
        words=(
            "Now each token collects information. Its **context** is the mean of all values, weighted by its "
            "attention: a value with weight 0.9 is nearly copied, one with weight 0.01 hardly counts. Nowhere else in "
            "a layer does information move from one token to another."
        ),
        latex=(
            rf"{shape(s.T, s.K)}{{\boxed{{C}}}} = {shape(s.T, s.T)}{{A}}\;{shape(s.T, s.K)}{{V}} \qquad "
            rf"c_i = \sum_{{j=0}}^{{{s.T - 1}}} A_{{ij}}\,v_j"
        ),
        tensors=(
            (weights_of("A: attention weights", record.weights[head]),),
            (
                Shown(name="V: values", array=record.value[head], rows="key"),
                Shown(name="C = A V: context", array=record.context[head]),
            ),
        ),
        sources=(Source(scaled_dot_product_attention, "context = dropped @ value"),),
        opened="C = A V: context",
    )


def code_of_context(run: RecordedRun, opened: Opened) -> Answer:
    """All contexts at once, and one number alone."""
    s, (row, column) = run.sizes, opened.cell
    return snippet(
        f"C = A @ V  # ({s.T}, {s.T}) @ ({s.T}, {s.K})",
        f"one = sum(A[{row}] * V[:, {column}])  # over {s.T} keys",
        f"assert np.isclose(one, C[{row}, {column}])",
        marked="C",
        result=result_of(opened, "C"),
    )


def work_out_context(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A row of weights times a column of values."""
    return explain_dot_product(
        rf"c_{{{row},{column}}} = \sum_j a_{{{row},j}}\, v_{{j,{column}}}",
        cells.context(run.record, head=run.head, row=row, column=column),
        vectors=("weight a", "value v"),
        counted="key",
    )


def heads(run: RecordedRun) -> StepContent:
    """The contexts of all heads are put side by side."""
    head, s = run.head, run.sizes
    joined = (
        rf"{shape(s.T, s.D)}{{\boxed{{C}}}} = \big[\,{shape(s.T, s.K)}{{C_0}}\;\dots\;"
        rf"{shape(s.T, s.K)}{{C_{{{s.H - 1}}}}}\,\big]"
    )
    return StepContent(
        words=(
            f"All {s.H} heads of the layer do this at the same time, each with matrices of its own: one may look at "
            "the previous word while another looks at `[SEP]`. Their contexts are placed side by side. Each is "
            f"{s.K} numbers wide, so that every token has {s.D} numbers again. Thin lines separate the heads, and the "
            f"frame marks head {head}."
        ),
        latex=joined + rf" \qquad {s.H} \cdot {s.K} = {s.D}",
        tensors=((Shown(name=CONTEXTS, array=run.record.merged, head_width=s.K),),),
        sources=(Source(MultiHeadAttention.merge_heads, "return"),),
        opened=CONTEXTS,
    )


def code_of_heads(run: RecordedRun, opened: Opened) -> Answer:
    """One context for each head, concatenated."""
    s = run.sizes
    return snippet(
        "# A and V of all heads: " + f"({s.H}, {s.T}, {s.T}) and ({s.H}, {s.T}, {s.K})",
        f"contexts = [A[head] @ V[head] for head in range({s.H})]",
        "C = np.concatenate(contexts, axis=1)",
        marked="C",
        result=result_of(opened, "C"),
    )


def work_out_heads(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The head and the dimension that a number was copied from."""
    width, value = run.sizes.K, float(run.record.merged[row, column])
    head, dimension = divmod(column, width)
    return WorkedOut(
        lines=(
            rf"{column} = {head} \cdot {width} + {dimension}",
            rf"\text{{head {head}, dimension {dimension}: }} {{{number(value)}}}",
        )
    )


def output(run: RecordedRun) -> StepContent:
    """The output projection mixes the heads."""
    record, s = run.record, run.sizes
    contexts = Shown(name=CONTEXTS, array=record.merged, head_width=s.K, columns="dimension of all heads")
    return StepContent(
        words=(
            "So far, each head has written to dimensions of its own. One more learned matrix, the **output "
            f"projection**, mixes them: each of its {s.D} outputs is a weighted sum over the numbers of all heads. The "
            "result is what attention wants to add to each token's vector."
        ),
        latex=rf"{shape(s.T, s.D)}{{\boxed{{O}}}} = {shape(s.T, s.D)}{{C}}\;{shape(s.D, s.D)}{{W_O}} + b_O",
        tensors=((contexts,), (Shown(name="O: attention output", array=record.attended),)),
        sources=(Source(MultiHeadAttention.forward, "return self.dropout(self.output"),),
        opened="O: attention output",
    )


def code_of_output(run: RecordedRun, opened: Opened) -> Answer:
    """One matrix product."""
    s, (row, column) = run.sizes, opened.cell
    return snippet(
        f"O = C @ W_O + b_O  # ({s.T}, {s.D}) @ ({s.D}, {s.D})",
        f"one = sum(C[{row}] * W_O[:, {column}]) + b_O[{column}]",
        f"assert np.isclose(one, O[{row}, {column}], atol=1e-5)",
        marked="O",
        result=result_of(opened, "O"),
    )


def work_out_output(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A row of joined contexts times a row of the output matrix."""
    return explain_dot_product(
        rf"o_{{{row},{column}}} = c_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cells.attention_output(run.record, row=row, column=column),
        vectors=("contexts c", "weight w"),
    )
