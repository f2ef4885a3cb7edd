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
from encoder.experiments.anatomy.parameter_counts import ParameterCounts, count_encoder, count_model
from encoder.experiments.anatomy.readout import Readout, readout
from encoder.experiments.anatomy.record import Record
from encoder.measures.cost import SCORES_AND_CONTEXT, add_up_quadratic_parts, count_operations, crossings
from encoder.measures.operations import total_variation
from encoder.measures.similarity import successive_cosines
from encoder.shipped.sentiment import SentimentHead, pool_states
from encoder.transformer.config import PRESETS, EncoderConfig
from encoder.transformer.encoder import Encoder, Regressor, SequenceClassifier
from viz.answers.answer import Answer, Chart, Columns, Formula, Sentence, Table
from viz.figures.cost import operation_lines, parameter_bars
from viz.figures.norms import cosine_heat_map
from viz.views.anatomy.answer.step import (
    Chosen,
    RecordedRun,
    Source,
    StepContent,
    StepParts,
    StepRuns,
    result_of,
    snippet,
    worked_parts,
)
from viz.views.anatomy.answer.tensors import Opened, Shown, tensors, token_window, weights_of
from viz.views.anatomy.answer.worked_out import (
    WorkedOut,
    explain_dot_product,
    explain_softmax,
    layer_norm_line,
    number,
    shape,
    softmax_line,
    sum_line,
)
from viz.views.predictions.answer import answer_of
from viz.wording.labels import escape_markdown, name_label

MADE_UP: Final = "These weights hold no head: this one was made up from random numbers, to show where one would stand."
TURNED: Final = "How far does each layer turn a token's vector?"
SCORE: Final = "The regression score, worked out"
OPERATIONS: Final = "Operations of one run, by the number of tokens"
COUNTED: Final = "How parameters are counted"
SOURCES: Final[Mapping[object, Source]] = {
    SentimentHead: Source(SentimentHead.predict, "outputs = "),
    pool_states: Source(pool_states, "return"),
    SequenceClassifier: Source(SequenceClassifier.forward, "logits = "),
    Regressor: Source(Regressor.forward, "return"),
}
VECTORS: Final = ("vector h", "weight w")
LENGTHS: Final = np.unique(np.geomspace(8, 16_384, 60).astype(np.int64))
MEANING: Final[Mapping[WhatIf, str]] = {
    "unscaled": "The scores of this layer are not divided by √dₖ.",
    "one-head": "This layer's projections are one head as wide as the model.",
    "dropout": "In every layer some of the states, and of the weights where the model was trained so, are set to 0 "
    "at random (always the same ones, by a fixed seed), and the others are scaled up: rows need not sum to 1 any "
    "more.",
    "no-positions": "The position embeddings are left out.",
    "shuffled": "The words of each sentence are read in another order, always the same. Rows and columns are put "
    "back into the order of your text.",
}


def layers(run: RecordedRun) -> StepContent:
    """The other layers: the states of the text after every one of them."""
    record, s = run.record, run.sizes
    is_last = record.layer == s.L - 1
    shown = [Shown(name=f"X after layer {record.layer}{', the last' if is_last else ''}", array=record.layer_output)]
    if not is_last:
        shown.append(Shown(name=f"X after layer {s.L - 1}, the last", array=record.hidden_states[-1]))
    return StepContent(
        words=(
            f"That was layer {record.layer}. The model has {s.L} layers, 0 to {s.L - 1}, of the same design with "
            "different learned numbers; each reads the output of the one before. From layer to layer, a token's vector "
            "takes up more of the text around it. Choose another layer above, and every step shows that one."
        ),
        latex=(
            rf"{shape(s.T, s.D)}{{X_0}} \;\to\; \boxed{{X_1 = \text{{Layer}}_0(X_0)}} \;\to\; \dots \;\to\; "
            rf"{shape(s.T, s.D)}{{X_{{{s.L}}}}}"
        ),
        tensors=(tuple(shown),),
        sources=(Source(Encoder.forward, "x = layer(x, mask)"),),
        opened=shown[0].name,
    )


def parts_of_layers(run: RecordedRun, _runs: StepRuns, chosen: Chosen) -> StepParts:
    """The states after this layer and after the last, those of one token, and how far each layer turned them."""
    content = layers(run)
    opened_shown = content.tensors[0][0]
    drawn = chosen.open(opened_shown)
    opened = drawn.opened_cell
    states, names = states_of_token(run.record, opened)
    both = tensors((*content.tensors, (states,)), drawn, labels_of={states.name: names})
    worked, tables = worked_parts(opened, work_out_layers(run, *opened.cell), drawn.labels)
    last = run.record.layer + 1
    code = snippet(
        "states = [X_0]",
        "for layer in layers:  # steps 5 to 14, with the layer's numbers",
        "    states.append(layer(states[-1]))",
        marked="states.append",
        result=result_of(opened, f"states[{last}]"),
    )
    return StepParts(
        picture=both,
        worked=worked,
        tables=tables,
        code=code,
        drawn=drawn,
        folds=MappingProxyType({TURNED: lambda: turned_tokens(run.record, opened)}),
    )


def work_out_layers(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """What the feed-forward adds, the residual connection, the layer norm."""
    total, norm = cells.layer_output(run.record, row=row, column=column)
    worked = explain_dot_product(
        rf"f_{{{row},{column}}} = u_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cells.feed_forward(run.record, row=row, column=column),
        vectors=("unit u", "weight w"),
        counted="unit",
    )
    ends = (sum_line(r"\text{residual: } x' + f", total), layer_norm_line(norm))
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
    chart = Chart(
        name="cosines",
        alt="Cosine between what goes into a layer and what leaves it.",
        figure=lambda theme: cosine_heat_map(cosines, labels[part.part], theme=theme, first=part.start),
        width="figure",
    )
    caption = (
        "The cosine between what goes into a layer and what leaves it. 1 means that the layer kept the direction of "
        "the token's vector; the lower it is, the more was added."
    )
    return Answer((chart, Sentence(caption, "caption")))


def prediction(run: RecordedRun) -> StepContent:
    """A head on top turns states into logits, probabilities and a score."""
    read = readout(run.backend, run.record)
    width, classes = len(read.state), len(read.prediction.labels)
    formula = r"\sigma(h \cdot w + b)" if read.squashed else r"h \cdot w + b"
    return StepContent(
        words=(
            "A **classification head**, one more small learned matrix, reads the result; it has nothing to do with the "
            f"heads of attention. It reads {_what_is_read(run, read)}: {width:,} numbers, $h$. For each class it "
            f"computes one number, the **logit**, and softmax turns the {classes} logits into probabilities, just as "
            "it turned scores into weights. A **regression head** does the same for one number: how positive the text "
            "is."
        ),
        latex="\n".join(
            (
                rf"\boxed{{p}} = \text{{softmax}}\big({shape(1, width)}{{h}}\;{shape(width, classes)}{{W}} + b\big)"
                rf" \qquad \text{{score}} = {formula}",
            )
        ),
        sources=tuple(SOURCES[source] for source in read.sources),
    )


def parts_of_prediction(run: RecordedRun, _runs: StepRuns, chosen: Chosen) -> StepParts:
    """The probabilities and the score, and one class worked out."""
    read = readout(run.backend, run.record)
    label = int(read.probabilities.argmax()) if chosen.label is None else chosen.label
    name = escape_markdown(read.prediction.labels[label])
    logit, probability = explain_logit(read, row=label), explain_probability(read, row=label)
    shown = predicted(read).parts
    code = snippet(
        "z = h @ W + b  # the logits",
        "e = np.exp(z - z.max())",
        "p = e / e.sum()",
        marked="p",
        result=f"p[{label}]  # {float(read.probabilities[label]):.4g}, {read.prediction.labels[label]}",
    )
    return StepParts(
        picture=Answer(tuple(part for part in shown if not isinstance(part, Table))),
        worked=Answer(
            (
                Sentence(f"**{name}**, worked out"),
                Formula("\n".join((*logit.lines, *probability.lines))),
            )
        ),
        tables=(
            *(replace(part, on_page="folded") for part in shown if isinstance(part, Table)),
            *logit.tables("logit"),
            *probability.tables("probability", read.prediction.labels),
        ),
        code=code,
        folds=MappingProxyType({SCORE: lambda: Answer((explain_score(read).formula,))}),
    )


def _reads_cls_alone(run: RecordedRun, read: Readout) -> bool:
    """Whether the head reads the last state of `[CLS]` and nothing else."""
    return read.reads == ((run.sizes.L, "cls"),)


def _what_is_read(run: RecordedRun, read: Readout) -> str:
    """The pooled states in words. Layers are counted from 0."""
    if _reads_cls_alone(run, read):
        return "the vector of `[CLS]` after the last layer, in which the model has collected what it needs"
    names = {"cls": "the vector of `[CLS]`", "mean": "the mean over all tokens"}
    after = {
        pooling: " and ".join(str(state_index - 1) for state_index, other in read.reads if other == pooling)
        for pooling in dict.fromkeys(pooling for _, pooling in read.reads)
    }
    vectors = " and ".join(f"{names[pooling]} after layers {layers}" for pooling, layers in after.items())
    return f"{vectors} (counted from 0; layer {run.sizes.L - 1} is the last)"


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


def what_if(run: RecordedRun) -> StepContent:
    """Attention after a part of the encoder is removed or changed."""
    s = run.sizes
    return StepContent(
        words=(
            "Every part of the encoder is there for a reason. Switch one off, or several, and see how the attention of "
            f"layer {run.record.layer}, head {run.head}, changes on your text. The percentage is the share of a row's "
            "attention that moves, on average: 0 % is the same picture, 100 % has nothing in common with it."
        ),
        latex=(
            rf"\boxed{{\text{{moved}}}} = \frac{{1}}{{{s.T}}} \sum_{{i=0}}^{{{s.T - 1}}} \frac{{1}}{{2}} "
            rf"\sum_{{j=0}}^{{{s.T - 1}}} \big|A_{{ij}} - A'_{{ij}}\big|"
        ),
        sources=(Source(changed, "encoder(ids, types, mask)"),),
    )


def parts_of_what_if(run: RecordedRun, runs: StepRuns, chosen: Chosen) -> StepParts:
    """The model's own attention, and the changed one."""
    found, head = runs.changed(), run.head
    compared = tensors_of_change(run.record, found, head)
    drawn = chosen.open(compared[-1])
    row, key = drawn.opened_cell.cell
    worked, tables = worked_parts(
        drawn.opened_cell, explain_changed_weight(run.record, found, head=head, row=row, column=key), drawn.labels
    )
    picture = (
        *attention_moved(*compared).parts,
        *tensors([compared], drawn).parts,
        *meaning_of_change(chosen.what_ifs, drawn.labels, found).parts,
    )
    code = snippet(
        "moved = np.abs(A - A_changed).sum(axis=1) / 2  # each row",
        marked="moved",
        result=f"moved.mean()  # {moved(*compared):.4g}",
    )
    return StepParts(picture=Answer(picture), worked=worked, tables=tables, code=code, drawn=drawn)


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


def moved(own: Shown, changed: Shown) -> float:
    """The share of attention that moved, as the mean over rows."""
    return float(total_variation(own.array, changed.array).mean())


def attention_moved(own: Shown, changed: Shown) -> Answer:
    """The share of attention that moved, in words."""
    return Answer((Sentence(f"Attention that moved, on average over rows: **{100 * moved(own, changed):.1f} %**"),))


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
            "How large is all this? **Parameters** are the learned numbers of the tables and matrices; most of them "
            "are in the word table and in the feed-forward networks. **Operations** are the multiplications and "
            "additions of one run. Most parts grow in proportion to the number of tokens T. Scores and context grow "
            "with T², because every token meets every token; in this model they overtake the feed-forward at "
            f"{crossings(run.record.config).feed_forward:,} tokens."
        ),
        latex=(
            rf"\text{{scores and context: }} \boxed{{4\,T^2 \cdot {s.D}}} \qquad \text{{feed-forward: }} 4\,T \cdot "
            rf"{s.D} \cdot {s.F}"
        ),
        sources=(Source(count_operations, '"scores": '), Source(count_encoder, "by_group[_group(path)]")),
    )


def parts_of_numbers(run: RecordedRun, runs: StepRuns, _chosen: Chosen) -> StepParts:
    """Parameters and operations as charts, and as a table."""
    models = [count_model(run.backend), *map(runs.count, PRESETS)]
    config, tokens = run.record.config, len(run.record.tokens)
    answer = parameters_and_operations(models, config, tokens)
    sentences = tuple(part for part in answer.parts if isinstance(part, Sentence))
    s = run.sizes
    ours, square = s.L * 4 * tokens**2 * s.D, s.L * 4 * tokens * s.D * s.F
    code = snippet(
        f"L, T, D, F = {s.L}, {tokens}, {s.D}, {s.F}",
        "square = L * 4 * T**2 * D  # scores and context",
        "feed_forward = L * 4 * T * D * F",
        marked="square",
        result=f"square / feed_forward  # {ours / square:.4g}",
    )
    return StepParts(
        picture=Answer(answer.charts[:1]),
        code=code,
        tables=tuple(part for part in answer.parts if isinstance(part, Table)),
        folds=MappingProxyType(
            {
                OPERATIONS: lambda: Answer((answer.charts[1], *sentences[1:])),
                COUNTED: lambda: Answer(sentences[:1]),
            }
        ),
    )


def parameters_and_operations(models: Sequence[ParameterCounts], config: EncoderConfig, tokens: int) -> Answer:
    """Parameters module by module, and operations by the length of the text.

    Args:
        models: this one, and others to compare it with.
        tokens: of the text.
    """
    own = models[0]
    names = [
        name_label(f"this model: {own.name}"),
        *(counts.name for counts in models[1:]),
    ]
    groups = {group: [counts.by_group[group] for counts in models] for group in own.by_group}
    operations = add_up_quadratic_parts(count_operations(config, LENGTHS))
    equal, longest = crossings(config).feed_forward, config.max_position_embeddings
    return Answer(
        (
            Table(
                name="parameters",
                title="Parameters of each part, as a table",
                columns=lambda: _parameters(models, names),
            ),
            Sentence(_not_counted(own), "caption"),
            Chart(
                name="parameter-bars",
                title="Parameters by part",
                alt=f"Where the parameters of {len(models)} models lie, as bars.",
                figure=lambda theme: parameter_bars(groups, names, theme=theme),
            ),
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
            f"Its word embeddings are a projection of a table of {own.lookup_table:,} numbers of all-MiniLM-L6-v2, "
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
    shares = 100 * square / total
    lengths, base = crossings(config), crossings(PRESETS["bert-base"])
    return (
        f"Your text of {tokens} tokens takes {total[0] / 1e6:,.0f} million operations, {shares[0]:.1f} % of them in "
        f"scores and context; {config.max_position_embeddings} tokens would take {total[1] / 1e9:,.1f} billion, "
        f"{shares[1]:.1f} % of them there. Scores and context overtake the four projections at "
        f"{lengths.projections:,} tokens, the feed-forward at {lengths.feed_forward:,}, and everything else together "
        f"at {lengths.all_else:,}; for BERT-base these are {base.projections:,}, {base.feed_forward:,} and "
        f"{base.all_else:,}, more than the 512 tokens that it reads. A multiplication and an addition are two "
        "operations; only matrix products are counted, not softmax, layer norms, activations and look-ups."
    )
