"""Content of single steps besides the tensors of their formula: curves, bars, counts, and changed attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from encoder.experiments.anatomy.changes import Changed, Masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.parameter_counts import ParameterCounts
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.step_examples import activation_curves, position_table, sinusoidal_table
from encoder.measures.cost import SCORES_AND_CONTEXT, add_up_quadratic_parts, count_operations, crossings
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.measures.operations import activity, similarity_by_distance, total_variation
from encoder.measures.similarity import successive_cosines
from encoder.runs.arrays import FloatArray, softmax
from encoder.transformer.config import PRESETS, EncoderConfig
from encoder.transformer.encoder import Encoder
from viz.answers.anatomy.tensors import Opened, Shown, queries_by_keys, token_window
from viz.answers.answer import Answer, Chart, Columns, Row, Sentence, Table
from viz.figures.anatomy_curves import activation_lines, share_bars, similarity_lines
from viz.figures.cost import operation_lines, parameter_bars
from viz.figures.norms import cosine_heat_map
from viz.wording.labels import escape_markdown, make_visible, shorten

FARTHEST: Final = 128  # distance of two positions
LEARNED_ELSEWHERE: Final = "bundled"  # a model that learned its positions
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


def tables_of_positions(encoder: Encoder, learned_elsewhere: Encoder | None) -> tuple[Shown, ...]:
    """A learned table of positions and a computed one; one of them is the model's own.

    Args:
        learned_elsewhere: of another model, which learned its positions; None where this one did.
    """
    own = position_table(encoder)  # (P, D)
    if learned_elsewhere is None:
        tables = {"learned": own, "sines and cosines": sinusoidal_table(*own.shape)}
    else:
        tables = {"learned, by the bundled BERT": position_table(learned_elsewhere), "sines and cosines": own}
    return tuple(Shown(name=name, array=table, rows="position") for name, table in tables.items())


def similar_positions(tables: Sequence[Shown]) -> Answer:
    """How alike the vectors of two positions are, by their distance."""
    curves = {table.name: similarity_by_distance(table.array, longest=FARTHEST) for table in tables}
    chart = Chart(
        name="positions-by-distance",
        alt="Curves of the dot product of two position vectors over their distance, learned and computed.",
        figure=lambda theme: similarity_lines(curves, theme=theme),
    )
    caption = (
        f"The mean dot product of two position vectors that far apart, over all {len(tables[0].array):,} positions, up "
        f"to a distance of {FARTHEST}; 1 is a vector's product with itself."
    )
    return Answer((chart, Sentence(caption, "caption")))


def sharpness(record: Record, head: int) -> Answer:
    """How much of a row one key gets, without and with scaling."""
    both = {"Not scaled": softmax(record.products[head]), "Scaled": record.weights[head]}  # (T, T)
    return Answer((Row(tuple(_sharpness(name, weights) for name, weights in both.items())),))


def _sharpness(name: str, weights: FloatArray) -> tuple[Sentence, Sentence]:
    largest, bits = float(weights.max(axis=-1).mean()), float(mean_entropy_bits(weights[None])[0])
    return (
        Sentence(f"**{name}**, the mean of each row's largest weight is **{largest:.2f}**; 1 is all on one key."),
        Sentence(f"Mean entropy of a row: {bits:.2f} bits. 0 is one key, more is more keys.", "caption"),
    )


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


def tensors_of_mask(masked: Masked, kind: Mask, head: int) -> tuple[tuple[Shown, ...], ...]:
    """Scores and weights; with a mask, each next to the unmasked one."""
    scores = queries_by_keys("scores", masked.free_scores[head])
    weights = queries_by_keys("weights", masked.free_weights[head], kind="weight")
    if kind == "none":
        return ((scores, weights),)
    masked_scores = queries_by_keys("scores, masked: empty is −∞", masked.scores[head])
    masked_weights = queries_by_keys("weights, masked", masked.weights[head], kind="weight")
    return (scores, masked_scores), (weights, masked_weights)


def effect_of_mask(masked: Masked, kind: Mask, head: int) -> Answer:
    """What the mask changes, in words."""
    return Answer((Sentence(_effect(masked, kind, head), "caption"),))


def _effect(masked: Masked, kind: Mask, head: int) -> str:
    if kind == "none":
        return "Nothing is masked: every token may look at every token, before it and behind it."
    if kind == "padding" and not masked.padding:
        return "Your text is as long as the model reads: there is no room for padding behind it."
    change = float(total_variation(masked.free_weights[head], masked.weights[head]).mean())
    what = (
        f"{masked.padding} tokens of padding were put behind your text, as in a batch with a longer text."
        if kind == "padding"
        else "The mask is put on this layer alone; this model was never trained with one."
    )
    return (
        f"{what} {int((~masked.allowed).sum()):,} of {masked.allowed.size:,} scores become −∞ and their weights "
        f"exactly 0; on the average over rows {change:.0%} of the attention moves."
    )


def tensors_of_change(record: Record, changed: Changed, head: int) -> tuple[Shown, Shown]:
    """A head's own weights and the changed ones."""
    one_head = len(changed.weights) == 1
    weights = changed.weights[0 if one_head else head]
    return (
        queries_by_keys(f"the model's own, head {head}", record.weights[head], kind="weight"),
        queries_by_keys("changed, the only head" if one_head else f"changed, head {head}", weights, kind="weight"),
    )


def share_moved(own: Shown, changed: Shown) -> float:
    """The share of attention that moved, as the mean over rows."""
    return float(total_variation(own.array, changed.array).mean())


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


def numbers(models: Sequence[ParameterCounts], config: EncoderConfig, tokens: int) -> Answer:
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
