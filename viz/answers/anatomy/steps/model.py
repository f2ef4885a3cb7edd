"""The whole model: its layers, its heads on top, what parts of it are for, and its size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.changes import Changed, changed
from encoder.experiments.anatomy.names import WhatIf
from encoder.experiments.anatomy.parameter_counts import ParameterCounts, count_encoder
from encoder.experiments.anatomy.readout import Readout, readout
from encoder.experiments.anatomy.record import Record
from encoder.measures.cost import SCORES_AND_CONTEXT, add_up_quadratic_parts, count_operations, crossings
from encoder.measures.operations import total_variation
from encoder.measures.similarity import successive_cosines
from encoder.transformer.config import PRESETS, EncoderConfig
from encoder.transformer.encoder import Encoder
from viz.answers.anatomy.step import RecordedRun, StepContent
from viz.answers.anatomy.tensors import Opened, Shown, token_window, weights_of
from viz.answers.anatomy.worked_out import (
    WorkedOut,
    explain_dot_product,
    explain_softmax,
    layer_norm_line,
    number,
    shape,
    softmax_line,
    sum_line,
)
from viz.answers.answer import Answer, Chart, Columns, Sentence, Table
from viz.answers.predictions import answer_of
from viz.figures.cost import operation_lines, parameter_bars
from viz.figures.norms import cosine_heat_map
from viz.wording.labels import escape_markdown, make_visible, shorten

MADE_UP: Final = "These weights hold no head: this one was made up from random numbers, to show where one would stand."
HEADING_OF_CLASS: Final = Sentence("One class, worked out: its logit, then its probability", "subheading")
VECTORS: Final = ("vector h", "weight w")
LONGEST_NAME: Final = 40  # characters of a model
LENGTHS: Final = np.unique(np.geomspace(8, 16_384, 60).astype(np.int64))
MEANING: Final[Mapping[WhatIf, str]] = MappingProxyType(
    {
        "unscaled": "The scores of this layer are not divided by √K.",
        "one-head": "This layer's projections are one head as wide as the model.",
        "dropout": "In every layer some of the states, and of the weights where the model was trained so, are set to 0 "
        "at random (always the same ones, by a fixed seed), and the others are scaled up: rows need not sum to 1 any "
        "more.",
        "no-positions": "The position embeddings are left out.",
        "shuffled": "The words of each sentence are read in another order, always the same. Rows and columns are put "
        "back into the order of your text.",
    }
)


def layers(run: RecordedRun) -> StepContent:
    """The other layers: the states of the text after every one of them."""
    record, s = run.record, run.sizes
    is_last = record.layer == s.L - 1
    shown = [Shown(name=f"X after layer {record.layer}{', the last' if is_last else ''}", array=record.layer_output)]
    if not is_last:
        shown.append(Shown(name=f"X after layer {s.L - 1}, the last", array=record.hidden_states[-1]))
    return StepContent(
        words=(
            f"That was layer {record.layer}. The model has {s.L} of them, of the same structure with different learned "
            "numbers, and each reads the output of the one before. Layer by layer a token's vector takes up more of "
            "the text around it. Choose another layer next to the charts, and every step shows that one, and works out "
            "its numbers."
        ),
        latex=(
            rf"{shape(s.T, s.D)}{{X_0}} \;\to\; X_1 = \text{{Layer}}_0(X_0) \;\to\; \dots \;\to\; "
            rf"{shape(s.T, s.D)}{{X_{{{s.L}}}}} = \text{{Layer}}_{{{s.L - 1}}}(X_{{{s.L - 1}}})"
        ),
        tensors=(tuple(shown),),
        sources=(Encoder.forward,),
        opened=shown[0].name,
    )


def work_out_layers(run: RecordedRun, row: int, column: int) -> WorkedOut:
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


def states_of_token(record: Record, opened: Opened | None) -> tuple[Shown, tuple[str, ...]]:
    """The chosen token after every layer, a row for each, and the names of the rows."""
    row = opened.cell[0] if opened else 0
    states = np.stack([states[row] for states in record.hidden_states])  # (L + 1, D)
    names = ("embeddings", *(f"after L{layer}" for layer in range(len(states) - 1)))
    return Shown(name=f"{row} · {record.tokens.labels[row]}, layer by layer", array=states, rows="layer"), names


def turned_tokens(record: Record, opened: Opened | None) -> Answer:
    """Cosine between each token's states before and after each layer."""
    labels = record.tokens.labels
    part = token_window(opened, len(labels))
    cosines = successive_cosines(np.stack(record.hidden_states)[:, part.part])  # (L, T)
    title = "Cosine between what goes into a layer and what leaves it"
    chart = Chart(
        name="cosines",
        alt=title,
        figure=lambda theme: cosine_heat_map(cosines, labels[part.part], theme=theme, first=part.start),
        width="figure",
    )
    caption = "A cosine of 1 means that the layer kept a token's direction; the lower it is, the more was added."
    return Answer((Sentence(title, "subheading"), chart, Sentence(caption, "caption")))


def prediction(run: RecordedRun) -> StepContent:
    """A head on top turns states into logits, probabilities and a score."""
    read = readout(run.backend, run.record)
    width, classes = len(read.state), len(read.prediction.labels)
    sigmoid = (
        r", which the sigmoid function $\sigma(z) = 1 / (1 + e^{-z})$ puts between 0 and 1" if read.squashed else ""
    )
    formula = r"\sigma(h \cdot w + b)" if read.squashed else r"h \cdot w + b"
    why = (
        "`[CLS]` stands for no word; through the layers it has collected from all tokens what is needed here. "
        if _reads_cls_alone(run, read)
        else ""
    )
    return StepContent(
        words=(
            "What the encoder made is now read by one more small learned matrix, a **classification head** (it has "
            f"nothing to do with the heads of attention). It reads {_what_is_read(run, read)}, {width:,} numbers in "
            f"all. {why}It makes one number per class, the **logit**, and softmax turns the {classes} logits into "
            "probabilities, just as it turned scores into weights. A **regression head** does the same for a single "
            f"number, here how positive the text is{sigmoid}."
        ),
        latex=(
            rf"p = \text{{softmax}}\big({shape(1, width)}{{h}}\;{shape(width, classes)}{{W}} + b\big) \qquad "
            rf"\text{{score}} = {formula}"
        ),
        sources=read.sources,
    )


def _reads_cls_alone(run: RecordedRun, read: Readout) -> bool:
    """Whether the head reads the last state of `[CLS]` and nothing else."""
    return read.reads == ((run.sizes.L, "cls"),)


def _what_is_read(run: RecordedRun, read: Readout) -> str:
    if _reads_cls_alone(run, read):
        return "the vector of `[CLS]` after the last layer"
    vectors = [
        f"{'that of `[CLS]`' if pooling == 'cls' else 'the mean over all tokens'} after layer {state_index - 1}"
        for state_index, pooling in read.reads
    ]
    return f"{len(vectors)} vectors joined into one: {', '.join(vectors)}"


def explain_logit(read: Readout, *, row: int) -> WorkedOut:
    """A class's logit."""
    formula = rf"z_{{{row}}} = h \cdot w_{{{row}}} + b_{{{row}}}"
    return explain_dot_product(formula, cells.logit(read, row=row), vectors=VECTORS)


def explain_probability(read: Readout, *, row: int) -> WorkedOut:
    """A class's probability."""
    return explain_softmax(
        cells.probability(read, row=row),
        symbols=(f"p_{{{row}}}", f"z_{{{row}}}", "z_j"),
        names=("logit z", "exp(z − largest)"),
        counted="class",
    )


def explain_score(read: Readout) -> WorkedOut:
    """The regression score."""
    cell = cells.readout_score(read)
    worked = explain_dot_product(r"z = h \cdot w + b", cell.product, vectors=VECTORS)
    if not cell.squashed:
        return worked
    line = (
        rf"\sigma(z) = \frac{{1}}{{1 + e^{{-z}}}} = \frac{{1}}{{1 + {number(math.exp(-cell.product.value))}}} = "
        rf"{number(cell.value)}"
    )
    return replace(worked, lines=(*worked.lines, line))


def predicted(read: Readout) -> Answer:
    """The predictions; of a head that was made up, the answer says so."""
    made_up = (Sentence(MADE_UP, "caption"),) if read.made_up else ()
    return Answer((*made_up, *answer_of(read.prediction).parts))


def heading_of(label: str) -> Sentence:
    """Above the class that a slide works out."""
    return Sentence(f"The class “{escape_markdown(label)}”, worked out: its logit, then its probability", "subheading")


def class_and_score(read: Readout, chosen: int) -> Answer:
    """Logit and probability of the chosen class, and the regression score, worked out."""
    parts = (
        *explain_logit(read, row=chosen).answer("logit").parts,
        *explain_probability(read, row=chosen).answer("probability", read.prediction.labels).parts,
        Sentence("The regression score, worked out", "subheading"),
        *explain_score(read).answer("score").parts,
    )
    return Answer(parts)


def what_if(run: RecordedRun) -> StepContent:
    """Attention after a part of the encoder is removed or changed."""
    s = run.sizes
    return StepContent(
        words=(
            "Every part of the encoder is there for a reason. Take one away, or several, and see what becomes of the "
            f"attention of layer {run.record.layer}, head {run.head}, on your text. The number says how much of a "
            "row's attention went elsewhere, as the mean over rows: 0 % is the same picture, 100 % is nothing in "
            "common."
        ),
        latex=(
            rf"\text{{changed}} = \frac{{1}}{{{s.T}}} \sum_{{i=0}}^{{{s.T - 1}}} \frac{{1}}{{2}} "
            rf"\sum_{{j=0}}^{{{s.T - 1}}} \big|A_{{ij}} - A^\text{{changed}}_{{ij}}\big|"
        ),
        sources=(changed,),
    )


def explain_changed_weight(record: Record, changed: Changed, *, head: int, row: int, column: int) -> WorkedOut:
    """A weight of the model next to the changed one, each with the softmax of its own row."""
    cell = cells.changed_weight(record, changed, head=head, row=row, column=column)
    place, any_place = f"_{{{row},{column}}}", f"_{{{row},j}}"
    return WorkedOut(
        lines=(
            softmax_line(cell.own, weight=f"a{place}", score=f"s{place}", others=f"s{any_place}"),
            softmax_line(cell.changed, weight=f"a'{place}", score=f"s'{place}", others=f"s'{any_place}"),
            *_dropout_lines(cell),
        ),
        terms={
            "score s": cell.own.scores,
            "exp(s − largest)": cell.own.exponentials,
            "changed score s'": cell.changed.scores,
            "exp(s' − largest)": cell.changed.exponentials,
        },
        counted="key",
    )


def _dropout_lines(cell: cells.ChangedWeight) -> tuple[str, ...]:
    """What dropout makes of the softmax's weight; none where it changes nothing."""
    if cell.value == cell.changed.value:
        return ()
    weight = number(cell.changed.value)
    if cell.value == 0:
        return (rf"\text{{dropout: }} {weight} \to 0",)
    return (rf"\text{{dropout: }} \frac{{{weight}}}{{1 - {cell.dropout:g}}} = {number(cell.value)}",)


def tensors_of_change(record: Record, changed: Changed, head: int) -> tuple[Shown, Shown]:
    """A head's own weights and the changed ones."""
    one_head = len(changed.weights) == 1
    weights = changed.weights[0 if one_head else head]
    return (
        weights_of(f"the model's own, head {head}", record.weights[head]),
        weights_of("changed, the only head" if one_head else f"changed, head {head}", weights),
    )


def attention_moved(own: Shown, changed: Shown) -> Answer:
    """The share of attention that moved, as the mean over rows."""
    share = float(total_variation(own.array, changed.array).mean())
    return Answer((Sentence(f"Attention that went elsewhere, mean over rows: **{share:.1%}**"),))


def meaning_of_change(what_ifs: Sequence[WhatIf], labels: Sequence[str], changed: Changed) -> Answer:
    """The effect of the active switches, in words."""
    sentences = [MEANING[name] for name in what_ifs]
    if not sentences:
        sentences.append("Nothing is changed yet: choose one of the switches, or several.")
    if "shuffled" in what_ifs:
        sentences.append(f"The model reads: {escape_markdown(' '.join(labels[token] for token in changed.order))}.")
    if set(what_ifs) == {"no-positions", "shuffled"}:
        sentences.append(
            "Without positions the order makes no difference: switch the shuffling off, and nothing changes."
        )
    return Answer((Sentence(" ".join(sentences), "caption"),))


def numbers(run: RecordedRun) -> StepContent:
    """BERT in numbers: parameters module by module, operations by length."""
    s = run.sizes
    return StepContent(
        words=(
            "How large is all this? **Parameters** are the learned numbers of the tables and matrices you have seen; "
            "most lie in the word table and in the feed-forward. **Operations** are the multiplications and additions "
            "of one run. Each part grows with the length of the text, T tokens, but scores and context grow with its "
            "square, since every token meets every token. With this model's widths they overtake the feed-forward at "
            f"{crossings(run.record.config).feed_forward:,} tokens."
        ),
        latex=(
            rf"\text{{scores and context: }} 4\,T^2 \cdot {s.D} \qquad \text{{feed-forward: }} 4\,T \cdot {s.D} \cdot "
            rf"{s.F} \qquad \text{{equal at }} T = {s.F}"
        ),
        sources=(count_operations, count_encoder),
    )


def parameters_and_operations(models: Sequence[ParameterCounts], config: EncoderConfig, tokens: int) -> Answer:
    """Parameters module by module, and operations by the length of the text.

    Args:
        models: this one, and others to compare it with.
        tokens: of the text.
    """
    own = models[0]
    names = [
        shorten(make_visible(f"this model: {own.name}"), LONGEST_NAME),
        *(counts.name for counts in models[1:]),
    ]
    groups = {group: [counts.by_group[group] for counts in models] for group in own.by_group}
    operations = add_up_quadratic_parts(count_operations(config, LENGTHS))
    equal, longest = crossings(config).feed_forward, config.max_position_embeddings
    return Answer(
        (
            Sentence("Parameters, module by module", "subheading"),
            Table(
                name="parameters",
                title="The counts as a table",
                columns=lambda: _parameters(models, names),
                on_page="open",
            ),
            Sentence(_not_counted(own), "caption"),
            Chart(
                name="parameter-bars",
                alt=f"Where the parameters of {len(models)} models lie, as bars.",
                figure=lambda theme: parameter_bars(groups, names, theme=theme),
            ),
            Sentence("Floating-point operations of one pass, by the length of the text", "subheading"),
            Chart(
                name="operations",
                alt="Operations of each part of the model over the number of tokens, both axes logarithmic.",
                figure=lambda theme: operation_lines(operations, LENGTHS, theme=theme, crossing=equal, longest=longest),
            ),
            Sentence(_operations_in_words(config, tokens), "caption"),
        )
    )


def _parameters(models: Sequence[ParameterCounts], names: Sequence[str]) -> Columns:
    """A column for each model, a row for each group of parameters."""
    groups = list(models[0].by_group)
    rows = ["layers × heads × width", *groups, "encoder, in all", "BERT's pooler", "encoder and pooler", "published"]
    columns: dict[str, list[str]] = {"parameters of": rows}
    for name, counts in zip(names, models, strict=True):
        config = counts.config
        columns[name] = [
            f"{config.num_hidden_layers} × {config.num_attention_heads} × {config.hidden_size}",
            *(f"{counts.by_group[group]:,}" for group in groups),
            *(f"{count:,}" for count in (counts.encoder, counts.pooler, counts.encoder + counts.pooler)),
            f"{counts.published // 1_000_000} M" if counts.published else "–",
        ]
    return columns


def _not_counted(own: ParameterCounts) -> str:
    """How parameters are counted, and which parameters of this model are not counted."""
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
    return (
        "Counted on the modules themselves: every weight and bias of the encoder, once. The presets are built without "
        "memory (torch's meta device). The pooler is a layer that BERT puts on `[CLS]` and our encoder leaves out; "
        "with it the counts are those of `BertModel`, without the heads of its pre-training. The published numbers are "
        f"rounded (Devlin et al. 2019, section 3). {' '.join(besides)}"
    )


def _operations_in_words(config: EncoderConfig, tokens: int) -> str:
    here = add_up_quadratic_parts(count_operations(config, np.array([tokens, config.max_position_embeddings])))
    total, square = np.sum(list(here.values()), axis=0), here[SCORES_AND_CONTEXT]
    lengths, base = crossings(config), crossings(PRESETS["bert-base"])
    return (
        f"Your text of {tokens} tokens takes {total[0] / 1e6:,.0f} million operations, {square[0] / total[0]:.1%} of "
        f"them in scores and context; {config.max_position_embeddings} tokens would take {total[1] / 1e9:,.1f} "
        f"billion, {square[1] / total[1]:.1%} of them there. Scores and context overtake the four projections at "
        f"{lengths.projections:,} tokens, the feed-forward at {lengths.feed_forward:,}, and everything else together "
        f"at {lengths.all_else:,}; for BERT-base these are {base.projections:,}, {base.feed_forward:,} and "
        f"{base.all_else:,}, more than the 512 tokens that it reads. A multiplication and an addition are two "
        "operations; only matrix products are counted, not softmax, layer norms, activations and look-ups."
    )
