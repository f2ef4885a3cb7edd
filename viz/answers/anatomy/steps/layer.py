"""One layer: queries, keys and values, attention, the residual connection and the feed-forward network."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.changes import Masked, pre_norm
from encoder.experiments.anatomy.names import Mask
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.step_examples import NAMES, activation_curves, relu
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.measures.operations import activity, total_variation
from encoder.runs.arrays import softmax as softmax_of
from encoder.transformer.attention import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from encoder.transformer.encoder import EncoderLayer, FeedForward
from viz.answers.anatomy.step import (
    Chosen,
    Folds,
    RecordedRun,
    Source,
    StepContent,
    StepParts,
    StepRuns,
    snippet,
    worked_parts,
)
from viz.answers.anatomy.steps.inputs import norm_lines, result_of
from viz.answers.anatomy.tensors import Drawn, Opened, Shown, scores_of, tensors, token_window, weights_of
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
PRE_NORM: Final = "The same layer with pre-norm"
ACTIVATIONS: Final = "GELU and ReLU on this text"


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
    """Scores are divided by √K; what softmax makes of them with and without."""
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
            (scores_of("Q Kᵀ, not scaled", products), scores_of("Q Kᵀ / √K, scaled", scaled)),
            (
                weights_of("softmax, not scaled", softmax_of(products)),
                weights_of("softmax, scaled", run.record.weights[run.head]),
            ),
        ),
        sources=(Source(scaled_dot_product_attention, "scores = scores / math.sqrt"),),
        opened="Q Kᵀ / √K, scaled",
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
    """A product divided by √K."""
    cell = cells.scaled_score(run.record, head=run.head, row=row, column=column)
    return WorkedOut(
        lines=(
            rf"\frac{{q_{{{row}}} \cdot k_{{{column}}}}}{{\sqrt{{{cell.head_width}}}}} = "
            rf"\frac{{{number(cell.product)}}}{{{number(cell.divisor)}}} = {number(cell.value)}",
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


def mask(run: RecordedRun) -> StepContent:
    """A mask hides keys: none, one that hides padding, or one that hides what comes later."""
    s = run.sizes
    return StepContent(
        words=(
            "Some keys must not be looked at. A **padding mask** hides `[PAD]`, so that the other texts of a batch "
            "cannot change the result of this one. A **causal mask** hides later tokens: a decoder must not read what "
            "it has not written yet. A hidden key gets the score −∞ (in the real code, the lowest number there is), so "
            "that softmax gives it exactly 0. BERT reads in both directions and masks **nothing** in a single text, as "
            "in all other steps."
        ),
        latex=(
            rf"{shape(s.T, s.T)}{{S}} + {shape(s.T, s.T)}{{\boxed{{M}}}} \qquad M_{{ij}} = \begin{{cases}} 0 & "
            r"i \text{ may look at } j \\ -\infty & \text{otherwise} \end{cases} \qquad e^{-\infty} = 0"
        ),
        sources=(
            Source(scaled_dot_product_attention, "scores = scores.masked_fill"),
            Source(padding_mask, "return"),
            Source(causal_mask, "return"),
        ),
    )


def parts_of_mask(run: RecordedRun, runs: StepRuns, chosen: Chosen) -> StepParts:
    """Scores and weights with the chosen mask."""
    found, head, kind = runs.masked(), run.head, chosen.mask
    rows = tensors_of_mask(found, kind, head)
    drawn = chosen.open(rows[-1][-1], (*chosen.drawn.labels, *["[PAD]"] * found.padding))
    row, column = drawn.opened_cell.cell
    worked, tables = worked_parts(
        drawn.opened_cell, explain_masked_weight(found, head=head, row=row, column=column), drawn.labels
    )
    count = len(found.allowed)
    allowed = {
        "none": f"np.ones(({count}, {count}), dtype=bool)",
        "padding": f"np.arange({count}) < {count - found.padding}",
        "causal": f"np.tri({count}, dtype=bool)",
    }
    code = snippet(
        f"allowed = {allowed[kind]}",
        "M = np.where(allowed, 0, -np.inf)",
        *softmax_lines("S + M"),
        marked="M",
        result=result_of(drawn.opened_cell, "A"),
    )
    picture = (*tensors(rows, drawn).parts, *effect_of_mask(found, kind, head).parts)
    return StepParts(picture=Answer(picture), worked=worked, tables=tables, code=code, drawn=drawn)


def softmax_lines(scores: str) -> tuple[str, ...]:
    """The weights A of some scores."""
    return (
        f"E = np.exp({scores} - ({scores}).max(axis=1, keepdims=True))",
        "A = E / E.sum(axis=1, keepdims=True)",
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
        f"exactly 0; averaged over rows, {100 * change:.0f} % of the attention moves."
    )


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
        cells.attention_output(run.record, head=run.head, row=row, column=column),
        vectors=("contexts c", "weight w"),
    )


def residual(run: RecordedRun) -> StepContent:
    """Attention's output is added to the token's vector, and the sum is normed."""
    record, s = run.record, run.sizes
    return StepContent(
        words=(
            "Attention does not replace a token's vector: its output is **added** to it. This **residual connection** "
            "preserves the word, and lets many layers learn, because each has to learn a correction only. A **layer "
            "norm**, as after the embeddings, then brings each token's numbers back to one scale. BERT normalises "
            "after the sum (post-norm); most newer models normalise before attention (pre-norm) and leave the sum as "
            "it is."
        ),
        latex="\n".join(
            (
                rf"\text{{post-norm: }} {shape(s.T, s.D)}{{X'}} = \text{{LayerNorm}}\big(\boxed{{X + O}}\big)",
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
        ),
        sources=(Source(EncoderLayer.forward, "x = self.attention_norm(x + self.attention(x, mask))"),),
        opened="X': after layer norm",
    )


def code_of_residual(run: RecordedRun, opened: Opened) -> Answer:
    """The sum, and its layer norm."""
    return snippet("Z = X + O", *norm_lines(run, "X_1"), marked="Z", result=result_of(opened, "X_1"))


def folds_of_residual(run: RecordedRun, _opened: Opened) -> Folds:
    """The same layer with the layer norm before attention."""
    return MappingProxyType({PRE_NORM: lambda: _with_pre_norm(run)})


def _with_pre_norm(run: RecordedRun) -> Answer:
    normed, added = pre_norm(run.backend.encoder, run.record)  # (T, D) each
    tokens = run.record.tokens
    drawn = Drawn(labels=tokens.labels, sentence_b_start=tokens.sentence_b_start, head=run.head)
    row = (
        Shown(name="pre-norm: LayerNorm(X)", array=normed),
        Shown(name="pre-norm: X + Attention(LayerNorm(X))", array=added),
    )
    caption = Sentence("With the weights of this layer, which were not trained for it.", "caption")
    return Answer((*tensors((row,), drawn).parts, caption))


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
            f"Each token is now processed **on its own**. A learned matrix expands its {s.D} numbers to {s.F} units, "
            f"the function {name} decides how much of each unit passes, and a second matrix shrinks them to {s.D} "
            f"again. Without {name} in between, two matrices could do no more than one. Then add and normalise, as "
            "after attention, and the layer is complete."
        ),
        latex=(
            rf"{shape(s.T, s.D)}{{Y}} = \text{{LayerNorm}}\Big(X' + \boxed{{\text{{{name}}}}}\big(X'\,"
            rf"{shape(s.D, s.F)}{{W_1}} + b_1\big)\,{shape(s.F, s.D)}{{W_2}} + b_2\Big)"
        ),
        tensors=(
            (
                Shown(name="units before the activation", array=record.inner, columns="unit"),
                Shown(name=f"units after {name}", array=record.activated, columns="unit"),
            ),
            (
                Shown(name="what the second matrix adds", array=record.fed),
                Shown(name=f"Y: what leaves layer {record.layer}", array=record.layer_output),
            ),
        ),
        sources=(Source(FeedForward.forward, "x = self.activation(self.up(x))"),),
        opened=f"units after {name}",
    )


def code_of_feed_forward(run: RecordedRun, opened: Opened) -> Answer:
    """Two matrix products with an activation between them."""
    s = run.sizes
    activations = {
        "gelu": ("erf = np.vectorize(math.erf)", "U = B * (1 + erf(B / np.sqrt(2))) / 2  # GELU"),
        "relu": ("U = np.maximum(B, 0)  # ReLU",),
    }
    return snippet(
        f"B = X_1 @ W_1 + b_1  # ({s.T}, {s.D}) @ ({s.D}, {s.F})",
        *activations[run.record.config.hidden_act],
        "Z = X_1 + U @ W_2 + b_2  # then the layer norm",
        marked="U",
        result=result_of(opened, "U"),
    )


def folds_of_feed_forward(run: RecordedRun, opened: Opened) -> Folds:
    """GELU and ReLU, on the units of this text."""
    return MappingProxyType({ACTIVATIONS: lambda: _activations(run, opened)})


def _activations(run: RecordedRun, opened: Opened) -> Answer:
    record, tokens = run.record, run.record.tokens
    drawn = Drawn(labels=tokens.labels, opened=opened, sentence_b_start=tokens.sentence_b_start, head=run.head)
    row = (opened.shown, Shown(name="after ReLU instead", array=relu(record.inner), columns="unit"))
    return Answer((*tensors((row,), drawn).parts, *active_units(record, opened).parts))


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
    above, leaking = (100 * float(share.mean()) for share in (active.open, active.leaking))
    caption = (
        f"On this text, {above:.1f} % of the units get an input above 0. ReLU would pass these and set all others to "
        f"exactly 0. GELU also passes a little of another {leaking:.1f} %, which it turns into less than −0.01; the "
        "rest is nearly 0."
    )
    return Answer((Row(((functions,), (units,))), Sentence(caption, "caption")))
