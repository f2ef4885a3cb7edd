"""One layer: queries, keys and values, attention, the residual connection and the feed-forward network."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.changes import Masked, pre_norm
from encoder.experiments.anatomy.names import Mask
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.step_examples import NAMES, activation_curves, relu
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.measures.operations import activity, total_variation
from encoder.runs.arrays import FloatArray
from encoder.runs.arrays import softmax as softmax_of
from encoder.transformer.attention import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from encoder.transformer.encoder import EncoderLayer, FeedForward
from viz.answers.anatomy.step import RecordedRun, StepContent
from viz.answers.anatomy.tensors import Opened, Shown, scores_of, token_window, weights_of
from viz.answers.anatomy.worked_out import (
    WorkedOut,
    explain_dot_product,
    explain_softmax,
    layer_norm_line,
    number,
    product_end,
    shape,
    signed,
    softmax_line,
    sum_line,
)
from viz.answers.answer import Answer, Chart, Row, Sentence
from viz.figures.anatomy_curves import activation_lines, share_bars

CONTEXTS: Final = "C: contexts of all heads"


def projections(run: RecordedRun) -> StepContent:
    """States become queries, keys and values."""
    record, head, s = run.record, run.head, run.sizes
    given = f"the output of layer {record.layer - 1}" if record.layer else "the vectors of the embeddings"
    return StepContent(
        words=(
            f"The vectors now go through {s.L} **layers**, one after the other, of the same structure. In each of "
            f"them, {s.H} **heads** work independently, side by side. We follow one: head {head} of layer "
            f"{record.layer}, which reads {given}. It turns each token's vector into three shorter ones, each by a "
            f"learned matrix of {s.D} by {s.K} numbers that is this head's own: a **query**, what the token looks for; "
            "a **key**, what it can be found by; a **value**, what it hands over when it is found. These words are a "
            "picture: nothing says what the numbers mean."
        ),
        latex="\n".join(
            (
                rf"{shape(s.T, s.K)}{{Q}} = {shape(s.T, s.D)}{{X}}\;{shape(s.D, s.K)}{{W_Q}} + b_Q \qquad "
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
        sources=(MultiHeadAttention,),
        opened="Q: queries",
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
            "How well does a query fit a key? Multiply them number by number and add up: the **dot product**. It is "
            "large where both point the same way, 0 where they are at right angles, negative where they point apart. "
            f"One matrix product does it for all {s.T} × {s.T} pairs: a row for each token that looks (query), a "
            "column for each token that is looked at (key)."
        ),
        latex=(
            rf"{shape(s.T, s.T)}{{S}} = {shape(s.T, s.K)}{{Q}}\;{shape(s.K, s.T)}{{K^\top}} \qquad "
            rf"S_{{ij}} = q_i \cdot k_j = \sum_{{d=0}}^{{{s.K - 1}}} q_{{i,d}}\,k_{{j,d}}"
        ),
        tensors=((scores_of("S = Q Kᵀ", run.record.products[run.head]),),),
        sources=(scaled_dot_product_attention,),
        opened="S = Q Kᵀ",
    )


def work_out_scores(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The product of a query and a key."""
    product = cells.score(run.record, head=run.head, row=row, column=column)
    return explain_dot_product(rf"q_{{{row}}} \cdot k_{{{column}}}", product, vectors=("query q", "key k"))


def scaling(run: RecordedRun) -> StepContent:
    """Scores are divided by √K; what softmax makes of them with and without."""
    s = run.sizes
    products, scaled = run.record.products[run.head], run.record.scores[run.head]
    return StepContent(
        words=(
            f"A sum of {s.K} products spreads more widely than one product: for random numbers √{s.K} times as widely. "
            "Two steps on, **softmax** turns each row of scores into shares that sum to 1. Scores that lie far apart "
            "would give nearly everything to one key, and a model in that state learns slowly. So the scores are "
            f"divided by √{s.K} ≈ {math.sqrt(s.K):.2f}. The upper pictures show the products without and with scaling, "
            "the lower ones the shares that softmax makes of both."
        ),
        latex=(
            rf"\frac{{{shape(s.T, s.K)}{{Q}}\,{shape(s.K, s.T)}{{K^\top}}}}{{\sqrt{{{s.K}}}}} \qquad "
            rf"\text{{spread of these scores: }} {products.std():.2f} \;\to\; {scaled.std():.2f}"
        ),
        tensors=(
            (scores_of("Q Kᵀ, not scaled", products), scores_of("Q Kᵀ / √K, scaled", scaled)),
            (
                weights_of("softmax, not scaled", softmax_of(products)),
                weights_of("softmax, scaled", run.record.weights[run.head]),
            ),
        ),
        sources=(scaled_dot_product_attention,),
        opened="Q Kᵀ / √K, scaled",
    )


def work_out_scaling(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A product divided by √K."""
    cell = cells.scaled_score(run.record, head=run.head, row=row, column=column)
    return WorkedOut(
        lines=(
            rf"\frac{{q_{{{row}}} \cdot k_{{{column}}}}}{{\sqrt{{{cell.head_width}}}}} = "
            rf"\frac{{{number(cell.product)}}}{{{number(cell.divisor)}}} = {number(cell.value)}",
        )
    )


def sharpness(record: Record, head: int) -> Answer:
    """How much of a row one key gets, without and with scaling."""
    both = {"Not scaled": softmax_of(record.products[head]), "Scaled": record.weights[head]}  # (T, T)
    return Answer((Row(tuple(_sharpness(name, weights) for name, weights in both.items())),))


def _sharpness(name: str, weights: FloatArray) -> tuple[Sentence, Sentence]:
    largest, bits = float(weights.max(axis=-1).mean()), float(mean_entropy_bits(weights[None])[0])
    return (
        Sentence(f"**{name}**, the mean of each row's largest weight is **{largest:.2f}**; 1 is all on one key."),
        Sentence(f"Mean entropy of a row: {bits:.2f} bits. 0 is one key, more is more keys.", "caption"),
    )


def mask(run: RecordedRun) -> StepContent:
    """A mask hides keys: none, one that hides padding, or one that hides what comes later."""
    s = run.sizes
    return StepContent(
        words=(
            "Some keys must not be looked at. A **padding mask** hides `[PAD]`, which only fills up a batch: how long "
            "the other texts are must not change the result for this one. A **causal mask** hides every token that "
            "comes later; a model that writes from left to right (a decoder) needs it, because it must not read what "
            "it has not written yet. A hidden key gets the score −∞ (in the code, the lowest number there is), so that "
            "softmax gives it a share of exactly 0 and the other keys share the whole. BERT reads in both directions: "
            "on one text alone it masks **nothing**. The other steps show it without a mask."
        ),
        latex=(
            rf"{shape(s.T, s.T)}{{S}} + {shape(s.T, s.T)}{{M}} \qquad M_{{ij}} = \begin{{cases}} 0 & \text{{query }} i "
            r"\text{ may look at key } j \\ -\infty & \text{otherwise} \end{cases} \qquad e^{-\infty} = 0"
        ),
        sources=(padding_mask, causal_mask),
    )


def explain_masked_weight(masked: Masked, *, head: int, row: int, column: int) -> WorkedOut:
    """A weight under a mask: score plus mask, then the softmax of that row."""
    cell = cells.masked_weight(masked, head=head, row=row, column=column)
    score, mask = float(cell.scores[column]), float(cell.mask[column])
    symbol = f"s_{{{row},{column}}} + M_{{{row},{column}}}"
    return WorkedOut(
        lines=(
            f"{symbol} = {number(score)} {signed(mask)} = {number(float(cell.softmax.scores[column]))}",
            softmax_line(
                cell.softmax, weight=f"a_{{{row},{column}}}", score=symbol, others=f"s_{{{row},j}} + M_{{{row},j}}"
            ),
        ),
        terms={"score s": cell.scores, "mask M": cell.mask, "exp(s + M − largest)": cell.softmax.exponentials},
        counted="key",
    )


def tensors_of_mask(masked: Masked, kind: Mask, head: int) -> tuple[tuple[Shown, ...], ...]:
    """Scores and weights; with a mask, each next to the unmasked one."""
    scores = scores_of("scores", masked.free_scores[head])
    weights = weights_of("weights", masked.free_weights[head])
    if kind == "none":
        return ((scores, weights),)
    masked_scores = scores_of("scores, masked: empty is −∞", masked.scores[head])
    masked_weights = weights_of("weights, masked", masked.weights[head])
    return (scores, masked_scores), (weights, masked_weights)


def effect_of_mask(masked: Masked, kind: Mask, head: int) -> Answer:
    """What the mask changes, in words."""
    return Answer((Sentence(_effect(masked, kind, head), "caption"),))


def _effect(masked: Masked, kind: Mask, head: int) -> str:
    if kind == "none":
        return "Nothing is masked: every token may look at every token, before it and after it."
    if kind == "padding" and not masked.padding:
        return "Your text is as long as the model reads: there is no room for padding after it."
    change = float(total_variation(masked.free_weights[head], masked.weights[head]).mean())
    what = (
        f"{masked.padding} tokens of padding were appended to your text, as in a batch with a longer text."
        if kind == "padding"
        else "The mask is put on this layer alone; this model was never trained with one."
    )
    return (
        f"{what} {int((~masked.allowed).sum()):,} of {masked.allowed.size:,} scores become −∞ and their weights "
        f"exactly 0; averaged over rows, {change:.0%} of the attention moves."
    )


def softmax(run: RecordedRun) -> StepContent:
    """Softmax turns scores into attention weights."""
    s = run.sizes
    return StepContent(
        words=(
            "**Softmax** turns each row of scores into **attention weights**: it takes e to the power of every score, "
            "which makes all of them positive, and divides by their sum, so that the row sums to 1. A score that is "
            "larger by 1 gets e ≈ 2.7 times the weight. (To keep the powers small, the row's largest score is taken "
            "off all of them first; that divides numerator and sum by the same number and changes nothing.) This "
            "matrix is what the heat map of Headlight shows: row i says how token i shares out its attention."
        ),
        latex=(
            rf"{shape(s.T, s.T)}{{A}} = \text{{softmax}}\Big(\frac{{Q K^\top}}{{\sqrt{{{s.K}}}}}\Big) \qquad "
            rf"A_{{ij}} = \frac{{e^{{s_{{ij}}}}}}{{\sum_{{m=0}}^{{{s.T - 1}}} e^{{s_{{im}}}}}} \qquad "
            r"\sum_j A_{ij} = 1"
        ),
        tensors=((weights_of("A: attention weights", run.record.weights[run.head]),),),
        sources=(scaled_dot_product_attention,),
        opened="A: attention weights",
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
            "Now every token collects. Its new vector, the **context**, is the mean of all tokens' values, each "
            "weighted by its attention weight: a token with weight 0.9 is nearly copied, one with weight 0.01 adds "
            "hardly anything. This is the only place in a layer where information moves from one token to another."
        ),
        latex=(
            rf"{shape(s.T, s.K)}{{C}} = {shape(s.T, s.T)}{{A}}\;{shape(s.T, s.K)}{{V}} \qquad "
            rf"c_i = \sum_{{j=0}}^{{{s.T - 1}}} A_{{ij}}\,v_j"
        ),
        tensors=(
            (weights_of("A: attention weights", record.weights[head]),),
            (
                Shown(name="V: values", array=record.value[head], rows="key"),
                Shown(name="C = A V: context", array=record.context[head]),
            ),
        ),
        sources=(scaled_dot_product_attention,),
        opened="C = A V: context",
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
        rf"{shape(s.T, s.D)}{{C}} = \big[\,{shape(s.T, s.K)}{{C_0}}\;\dots\;{shape(s.T, s.K)}{{C_{{{s.H - 1}}}}}\,\big]"
    )
    return StepContent(
        words=(
            f"What head {head} did, all {s.H} heads of the layer do at once, each with matrices of its own: one may "
            f"look at the previous word while another looks at `[SEP]`. Their contexts, {s.K} numbers wide each, are "
            f"put side by side, so that every token has {s.D} numbers again. Thin lines separate the heads, and a "
            f"frame marks head {head}."
        ),
        latex=joined + rf" \qquad {s.H} \cdot {s.K} = {s.D}",
        tensors=((Shown(name=CONTEXTS, array=run.record.merged, head_width=s.K),),),
        sources=(MultiHeadAttention.split_heads, MultiHeadAttention.merge_heads),
        opened=CONTEXTS,
    )


def work_out_heads(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The head and the dimension that a number was copied from."""
    cell = cells.joined_context(run.record, head=run.head, row=row, column=column)
    return WorkedOut(
        lines=(
            rf"{column} = {cell.head} \cdot {cell.head_width} + {cell.dimension}",
            rf"\text{{head {cell.head}, dimension {cell.dimension}: }} {{{number(cell.value)}}}",
        )
    )


def output(run: RecordedRun) -> StepContent:
    """The output projection mixes the heads."""
    record, s = run.record, run.sizes
    contexts = Shown(name=CONTEXTS, array=record.merged, head_width=s.K, columns="dimension of all heads")
    return StepContent(
        words=(
            "Until now each head has written into dimensions of its own. One more learned matrix, the **output "
            f"projection**, mixes them: each of the {s.D} numbers that come out is a weighted sum of all numbers of "
            "all heads. The result says what attention wants to add to each token."
        ),
        latex=rf"{shape(s.T, s.D)}{{O}} = {shape(s.T, s.D)}{{C}}\;{shape(s.D, s.D)}{{W_O}} + b_O",
        tensors=((contexts,), (Shown(name="O: attention output", array=record.attended),)),
        sources=(MultiHeadAttention.forward,),
        opened="O: attention output",
    )


def work_out_output(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A row of joined contexts times a row of the output matrix."""
    return explain_dot_product(
        rf"o_{{{row},{column}}} = c_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cells.attention_output(run.record, head=run.head, row=row, column=column),
        vectors=("contexts c", "weight w"),
    )


def residual(run: RecordedRun) -> StepContent:
    """Attention's output is added to the token's vector, and the sum is normed."""
    record, s = run.record, run.sizes
    normed, added = pre_norm(run.backend.encoder, record)  # (T, D) each
    return StepContent(
        words=(
            "Attention does not replace a token's vector, it **adds** to it: X + O. This **residual connection** keeps "
            "the word in sight and lets a tall stack of layers learn, because each only has to learn a correction. "
            "Then a **layer norm**, as after the embeddings, brings each token's numbers back to one scale. BERT "
            "normalises after the sum (post-norm). Most newer models normalise before attention (pre-norm) and leave "
            "the sum as it is; the last row of pictures shows that with this layer's weights, which were not trained "
            "for it."
        ),
        latex="\n".join(
            (
                rf"\text{{post-norm: }} {shape(s.T, s.D)}{{X'}} = \text{{LayerNorm}}\big({shape(s.T, s.D)}{{X}} + "
                r"\text{Attention}(X)\big)",
                r"\text{pre-norm: } X' = X + \text{Attention}(\text{LayerNorm}(X))",
            )
        ),
        tensors=(
            (
                Shown(name="X: what went into the layer", array=record.layer_input),
                Shown(name="O: attention output", array=record.attended),
            ),
            (
                Shown(name="X + O: the sum", array=record.attention_sum),
                Shown(name="X': after layer norm", array=record.attention_normed),
            ),
            (
                Shown(name="pre-norm: LayerNorm(X)", array=normed),
                Shown(name="pre-norm: X + Attention(LayerNorm(X))", array=added),
            ),
        ),
        sources=(EncoderLayer,),
        opened="X': after layer norm",
    )


def work_out_residual(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """Two numbers added, and the layer norm."""
    cell = cells.residual(run.record, head=run.head, row=row, column=column)
    return WorkedOut(lines=(sum_line(r"\text{residual: } x + o", cell.residual), layer_norm_line(cell.norm)))


def feed_forward(run: RecordedRun) -> StepContent:
    """The feed-forward network works on each token alone."""
    record, s = run.record, run.sizes
    name = NAMES[record.config.hidden_act]
    return StepContent(
        words=(
            f"Each token is now processed **alone**: a learned matrix makes {s.F} numbers of its {s.D}, the units; a "
            f"function, here {name}, decides how much of each unit passes; and a second matrix makes {s.D} numbers of "
            "the units again. Without the function between them, two matrices would do no more than one. ReLU sets "
            "every unit below 0 to 0; GELU does nearly the same with a smooth bend, and lets a little of the slightly "
            "negative ones through. The result is added to the token's vector and normalised again: the layer is done."
        ),
        latex=(
            rf"{shape(s.T, s.D)}{{Y}} = \text{{LayerNorm}}\Big(X' + {shape(s.T, s.F)}{{\text{{{name}}}\big(}}X'\,"
            rf"{shape(s.D, s.F)}{{W_1}} + b_1\big)\,{shape(s.F, s.D)}{{W_2}} + b_2\Big)"
        ),
        tensors=(
            (
                Shown(name="X': what goes in", array=record.attention_normed),
                Shown(name="units before the activation", array=record.inner, columns="unit"),
            ),
            (
                Shown(name=f"units after {name}", array=record.activated, columns="unit"),
                Shown(name="after ReLU instead", array=relu(record.inner), columns="unit"),
            ),
            (
                Shown(name="what the second matrix adds", array=record.fed),
                Shown(name=f"Y: what leaves layer {record.layer}", array=record.layer_output),
            ),
        ),
        sources=(FeedForward,),
        opened=f"units after {name}",
    )


def work_out_feed_forward(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The input of a unit, and what the activation makes of it."""
    cell = cells.unit(run.record, head=run.head, row=row, column=column)
    worked = explain_dot_product(
        rf"u_{{{row},{column}}} = x_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cell.input,
        vectors=("vector x", "weight w"),
    )
    activation = (
        rf"\text{{{NAMES[cell.activation]}}}({number(cell.input.value)}) = {number(cell.value)} \qquad "
        rf"\text{{ReLU}} = {number(cell.relu)}"
    )
    return replace(worked, lines=(*worked.lines, activation))


def active_units(record: Record, opened: Opened | None) -> Answer:
    """Activation functions, and the share of active units."""
    active = activity(record.inner, record.activated)
    labels = record.tokens.labels
    part = token_window(opened, len(labels))
    shares = {"above 0": active.open[part.part], "below 0, GELU leaks": active.leaking[part.part]}
    inputs, curves = record.inner.ravel(), activation_curves()
    functions = Chart(
        name="activations",
        alt="ReLU and GELU as curves, over a histogram of what goes into the units on this text.",
        figure=lambda theme: activation_lines(inputs, curves, theme=theme),
    )
    units = Chart(
        name="active-units",
        alt="The share of units that are active at every token, as bars.",
        figure=lambda theme: share_bars(shares, labels[part.part], theme=theme, first=part.start),
    )
    caption = (
        f"On this text {float(active.open.mean()):.1%} of the units get an input above 0: ReLU would pass these and "
        f"set all others to exactly 0. GELU passes a little of another {float(active.leaking.mean()):.1%}, which it "
        "turns into less than −0.01. The rest is nearly 0."
    )
    return Answer((Row(((functions,), (units,))), Sentence(caption, "caption")))
