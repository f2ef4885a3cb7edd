"""The walk through one head: projections, scores, weights, context, and the heads joined again."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.steps import Shown, Step, by, lines, sizes_of
from encoder.models.scratch import ScratchBackend
from encoder.trace import FloatArray
from encoder.transformer.attention import MultiHeadAttention, causal_mask, padding_mask, scaled_dot_product_attention


def softmax(scores: FloatArray) -> FloatArray:
    """Softmax over the last axis, for comparison beside the model's own."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: FloatArray = powers / powers.sum(axis=-1, keepdims=True)
    return weights


def pairs(name: str, array: FloatArray, *, kind: Literal["weight", "signed"] = "signed", aside: bool = False) -> Shown:
    """A tensor with a number for each query and each key."""
    return Shown(name=name, array=array, rows="query", columns="key", kind=kind, aside=aside)


def projections(backend: ScratchBackend, record: Record, head: int) -> Step:
    """States into queries, keys and values."""
    s = sizes_of(record)
    came = f"what layer {record.layer - 1} left" if record.layer else "the vectors of the embeddings"
    return Step(
        key="projections",
        text=(
            f"The vectors now go through {s.L} **layers**, one after the other, alike in build. In each of them, "
            f"{s.H} **heads** work side by side and apart. We follow one: head {head} of layer {record.layer}, which "
            f"gets {came}. It turns each token's vector into three shorter ones, each by a learned matrix of {s.D} by "
            f"{s.K} numbers that is this head's own: a **query**, what the token looks for; a **key**, what it can be "
            "found by; a **value**, what it hands over when it is found. The words are a picture: what the numbers "
            "mean is nowhere written down."
        ),
        formula=lines(
            rf"{by(s.T, s.K)}{{Q}} = {by(s.T, s.D)}{{X}}\;{by(s.D, s.K)}{{W_Q}} + b_Q \qquad "
            rf"{s.K} = \frac{{{s.D}}}{{{s.H}\text{{ heads}}}}",
            rf"{by(s.T, s.K)}{{K}} = X\,W_K + b_K \qquad {by(s.T, s.K)}{{V}} = X\,W_V + b_V",
        ),
        tensors=(
            (
                Shown(name="X: what goes into the layer", array=record.layer_input),
                Shown(name="Q: queries", array=record.query[head]),
            ),
            (Shown(name="K: keys", array=record.key[head]), Shown(name="V: values", array=record.value[head])),
        ),
        sources=(MultiHeadAttention,),
        opens="Q: queries",
    )


def scores(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Queries times keys."""
    s = sizes_of(record)
    return Step(
        key="scores",
        text=(
            "How well does a query fit a key? Multiply them number by number and add up: the **dot product**. It is "
            "large where both point the same way, 0 where they are at right angles, negative where they point apart. "
            f"One matrix product does it for all {s.T} × {s.T} pairs: a row for each token that looks (query), a "
            "column for each token that is looked at (key)."
        ),
        formula=(
            rf"{by(s.T, s.T)}{{S}} = {by(s.T, s.K)}{{Q}}\;{by(s.K, s.T)}{{K^\top}} \qquad "
            rf"S_{{ij}} = q_i \cdot k_j = \sum_{{d=0}}^{{{s.K - 1}}} q_{{i,d}}\,k_{{j,d}}"
        ),
        tensors=((pairs("S = Q Kᵀ", record.products[head]),),),
        sources=(scaled_dot_product_attention,),
        opens="S = Q Kᵀ",
    )


def scaling(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Scores divided by √K, and what happens without."""
    s = sizes_of(record)
    products, scaled = record.products[head], record.scores[head]
    return Step(
        key="scaling",
        text=(
            f"A sum of {s.K} products spreads more widely than one product: for random numbers √{s.K} times as widely. "
            "Two steps on, **softmax** turns each row of scores into shares that sum to 1. Scores that lie far apart "
            "would give nearly everything to one key, and a model in that state learns slowly. So the scores are "
            f"divided by √{s.K} ≈ {math.sqrt(s.K):.2f}. The upper pictures show the products without and with scaling, "
            "the lower ones the shares that softmax makes of both."
        ),
        formula=(
            rf"\frac{{{by(s.T, s.K)}{{Q}}\,{by(s.K, s.T)}{{K^\top}}}}{{\sqrt{{{s.K}}}}} \qquad "
            rf"\text{{spread of these scores: }} {products.std():.2f} \;\to\; {scaled.std():.2f}"
        ),
        tensors=(
            (pairs("Q Kᵀ, not scaled", products), pairs("Q Kᵀ / √K, scaled", scaled)),
            (
                pairs("softmax, not scaled", softmax(products), kind="weight", aside=True),
                pairs("softmax, scaled", record.weights[head], kind="weight"),
            ),
        ),
        sources=(scaled_dot_product_attention,),
        opens="Q Kᵀ / √K, scaled",
    )


def mask(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Which keys may be attended."""
    s = sizes_of(record)
    return Step(
        key="mask",
        text=(
            "Some keys must not be looked at. A **padding mask** hides `[PAD]`, which only fills up a batch: how long "
            "the other texts are should not change what this one means. A **causal mask** hides every token that "
            "comes later; a model that writes from left to right (a decoder) needs it, as it must not read what it is "
            "still to write. A hidden key gets the score −∞ (in the code, the lowest number there is), so that softmax "
            "gives it a share of exactly 0 and the other keys get the whole. BERT reads in both directions: on one "
            "text alone it masks **nothing**, and so does the rest of this walk."
        ),
        formula=(
            rf"{by(s.T, s.T)}{{S}} + {by(s.T, s.T)}{{M}} \qquad M_{{ij}} = \begin{{cases}} 0 & \text{{query }} i "
            r"\text{ may look at key } j \\ -\infty & \text{otherwise} \end{cases} \qquad e^{-\infty} = 0"
        ),
        sources=(padding_mask, causal_mask),
    )


def weights(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Softmax."""
    s = sizes_of(record)
    return Step(
        key="softmax",
        text=(
            "**Softmax** turns each row of scores into **attention weights**: it takes e to the power of every score, "
            "which makes all of them positive, and divides by their sum, so that the row sums to 1. A score that is "
            "larger by 1 gets e ≈ 2.7 times the weight. (To keep the powers small, the row's largest score is taken "
            "off all of them first; that divides numerator and sum by the same number and changes nothing.) This "
            "matrix is what the heat map of Headlight shows: row i says how token i shares out its attention."
        ),
        formula=(
            rf"{by(s.T, s.T)}{{A}} = \text{{softmax}}\Big(\frac{{Q K^\top}}{{\sqrt{{{s.K}}}}}\Big) \qquad "
            rf"A_{{ij}} = \frac{{e^{{s_{{ij}}}}}}{{\sum_{{m=0}}^{{{s.T - 1}}} e^{{s_{{im}}}}}} \qquad "
            r"\sum_j A_{ij} = 1"
        ),
        tensors=((pairs("A: attention weights", record.weights[head], kind="weight"),),),
        sources=(scaled_dot_product_attention,),
        opens="A: attention weights",
    )


def context(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Weights times values."""
    s = sizes_of(record)
    return Step(
        key="context",
        text=(
            "Now every token collects. Its new vector, the **context**, is the mean of all tokens' values, each "
            "weighted by its attention weight: a token with weight 0.9 is nearly copied, one with weight 0.01 hardly "
            "leaves a trace. This is the only place in a layer where information moves from one token to another."
        ),
        formula=(
            rf"{by(s.T, s.K)}{{C}} = {by(s.T, s.T)}{{A}}\;{by(s.T, s.K)}{{V}} \qquad "
            rf"c_i = \sum_{{j=0}}^{{{s.T - 1}}} A_{{ij}}\,v_j"
        ),
        tensors=(
            (pairs("A: attention weights", record.weights[head], kind="weight"),),
            (
                Shown(name="V: values", array=record.value[head], rows="key"),
                Shown(name="C = A V: context", array=record.context[head]),
            ),
        ),
        sources=(scaled_dot_product_attention,),
        opens="C = A V: context",
    )


def heads(backend: ScratchBackend, record: Record, head: int) -> Step:
    """All heads' contexts joined."""
    s = sizes_of(record)
    joined = rf"{by(s.T, s.D)}{{C}} = \big[\,{by(s.T, s.K)}{{C_0}}\;\dots\;{by(s.T, s.K)}{{C_{{{s.H - 1}}}}}\,\big]"
    return Step(
        key="heads",
        text=(
            f"What head {head} did, all {s.H} heads of the layer do at once, each with matrices of its own: one may "
            f"look at the previous word while another looks at `[SEP]`. Their contexts, {s.K} numbers wide each, are "
            f"put side by side, so that every token has {s.D} numbers again. Thin lines part the heads, and a frame "
            f"marks head {head}."
        ),
        formula=joined + rf" \qquad {s.H} \cdot {s.K} = {s.D}",
        tensors=((Shown(name="C: contexts of all heads", array=record.merged, head_width=s.K),),),
        sources=(MultiHeadAttention.split_heads, MultiHeadAttention.merge_heads),
        opens="C: contexts of all heads",
    )


def output(backend: ScratchBackend, record: Record, head: int) -> Step:
    """The output projection."""
    s = sizes_of(record)
    return Step(
        key="output",
        text=(
            "Until now each head has written into dimensions of its own. One more learned matrix, the **output "
            f"projection**, mixes them: each of the {s.D} numbers that come out is a weighted sum of all numbers of "
            "all heads. The result says what attention wants to add to each token."
        ),
        formula=(rf"{by(s.T, s.D)}{{O}} = {by(s.T, s.D)}{{C}}\;{by(s.D, s.D)}{{W_O}} + b_O"),
        tensors=(
            (
                Shown(
                    name="C: contexts of all heads",
                    array=record.merged,
                    head_width=s.K,
                    columns="dimension of all heads",
                ),
            ),
            (Shown(name="O: attention output", array=record.attended),),
        ),
        sources=(MultiHeadAttention.forward,),
        opens="O: attention output",
    )
