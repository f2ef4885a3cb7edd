"""The words that a head expects at masked tokens: as the model says, after every layer, and with heads silenced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from encoder.measures.near_ties import largest_first
from encoder.runs.trace import TokenPrediction, Trace
from encoder.shipped.mask_accuracy import TOPS, has_mask_head, mask_accuracy
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Chart, Columns, Part, Row, Sentence, Table
from viz.answers.head_maps import chart_of_heads
from viz.figures.predictions import probability_bars
from viz.figures.words_by_layer import words_by_layer
from viz.state.selection import Selection
from viz.wording.explanations import OF_PROBABILITIES, Explanation
from viz.wording.labels import heads_in_words, in_markdown, state_names
from viz.wording.numbers import percent

if TYPE_CHECKING:
    from encoder.experiments.mask_lens import Filling, MaskLens, MaskSweep

EXPLANATION: Final = Explanation(
    "At a masked token the head gives every piece of the vocabulary a logit, and softmax makes them probabilities.",
    OF_PROBABILITIES,
)
LENS: Final = Explanation(
    "Each row applies the head for masked words to the state after one layer; colour is probability. In the model, the "
    "head reads the last layer.",
    "The head was not trained on earlier states: a word that it finds there is a reading, not what the model says.",
)
TRAINED_LENS: Final = Explanation(
    "Each row reads the masked token's states up to one layer, with the same head; colour is probability.",
    "The first row knows only where the mask stands. What later rows add was brought to the masked token by attention.",
)
EVERY_HEAD: Final = Explanation(
    "A tile is a head; its colour is the change of the log odds of the word against the second one when that head "
    "alone is silenced (its output replaced by zero). A frame marks a head without which another word comes first.",
    "A silenced head puts the model into a state it was never trained in, and heads can stand in for each other.",
)
EACH_ALONE: Final = "Each mask is filled as if the others stayed masked: together, these words need not fit."
NAMED: Final = 4  # heads in a sentence
LEAST: Final = 0.001  # probability of a filling that is written
SHOWN: Final = 8  # words with a bar
COMPARED: Final = 5  # words of each run in a comparison
MOST_MASKS: Final = 3  # with bars; the table has all


def reads_masks(trace: Trace) -> bool:
    """Whether the model has a head for masked words."""
    found = trace.token_prediction
    return has_mask_head(trace.model_name) if found is None else found.task == "mask"


def _has_masks(trace: Trace) -> bool:
    """Whether a token of the text is masked, and the model says a word for it."""
    found = trace.token_prediction
    return found is not None and found.task == "mask" and bool(found.positions)


def masked_words(trace: Trace) -> tuple[Part | Row, ...]:
    """The likeliest words of every masked token, the first ones as bars; () without a masked token."""
    found = trace.token_prediction
    if found is None or not _has_masks(trace):
        return ()
    rows = range(min(len(found.positions), MOST_MASKS))
    columns = tuple((said(found, row), _bars(found, row)) for row in rows)
    parts: list[Part | Row] = [*columns[0]] if len(columns) == 1 else [Row(columns)]
    if len(found.positions) > 1:
        parts.append(Sentence(EACH_ALONE, "caption"))
    if has_mask_head(trace.model_name):
        parts.append(Sentence(_accuracy_in_words(trace.model_name), "caption"))
    parts.append(Table(name="masked-words", title="The words as a table", columns=lambda: _columns(found)))
    return tuple(parts)


def filled_together(found: Sequence[Filling]) -> Answer:
    """The likeliest words for all masks together."""
    first, *others = (f"{quoted(' '.join(each.words))} ({_small(each.probability)})" for each in found)
    said = f"Filled from left to right, each mask after the words before it, the likeliest are {first}"
    return Answer((Sentence(f"{said}, then {' and '.join(others)}." if others else f"{said}."),))


def _small(share: float) -> str:
    return percent(share, 1) if share >= LEAST else f"under {percent(LEAST, 1)}"


def shares_at_masks(trace: Trace) -> dict[str, float]:
    """The probabilities of the likeliest words of every mask, by a name for each."""
    found = trace.token_prediction
    if found is None or not _has_masks(trace):
        return {}
    return {
        f"mask {row + 1}: {piece}": float(share)
        for row, pieces in enumerate(found.candidates)
        for piece, share in zip(pieces[:COMPARED], found.probabilities[row, :COMPARED].tolist(), strict=True)
    }


def said(found: TokenPrediction, row: int) -> Sentence:
    """The likeliest word of one masked token."""
    name = "the mask" if len(found.positions) == 1 else f"mask {row + 1}"
    word, share = quoted(found.candidates[row][0]), percent(float(found.probabilities[row, 0]))
    return Sentence(f"For {name} the model says {word} ({share}).", "subheading")


def quoted(piece: str) -> str:
    """A piece of the vocabulary in a sentence, as Markdown."""
    return f"**“{in_markdown(piece)}”**"


def _accuracy_in_words(model_name: str) -> str:
    """What the head that was trained here is worth."""
    found = mask_accuracy(model_name)
    first, five, ten = (percent(share) for share in found.shares[-1].tolist())
    return (
        "The model itself never learned to fill in words: a head that was trained here reads its states. On "
        f"{found.n:,} words of {found.test_set}, masked one at a time, its first word is right in {first} of cases, "
        f"one of its first five in {five}, one of its first ten in {ten}. Without any layer of the model, its first "
        f"word is right in {percent(float(found.shares[0, 0]))}."
    )


def lens(found: MaskLens, tokens: Tokens, model_name: str, *, followed: str) -> Answer:
    """The words after every layer; `followed` is the word that is followed, "" for each mask's likeliest one."""
    names = state_names(len(found.probabilities))
    many = len(found.positions) > 1
    parts: list[Part | Row] = []
    for column in range(min(len(found.positions), MOST_MASKS)):
        if followed:
            parts.append(Sentence(_rank(found, column, followed, many=many)))
        parts.append(_grid(found, column, names, many=many))
    if has_mask_head(model_name):
        parts.append(Sentence(_accuracy_by_layer(model_name, names), "caption"))
    parts.append(
        Table(
            name="words-by-layer",
            title="The layers as a table",
            columns=lambda: _layer_columns(found, tokens, model_name, names, followed),
        )
    )
    return Answer(tuple(parts), TRAINED_LENS if has_mask_head(model_name) else LENS)


def every_head(found: MaskSweep, selection: Selection) -> Answer:
    """A map of what silencing each head alone changes, and the heads without which another word comes first."""
    heads = list(np.ndindex(found.log_odds.shape))
    changes = {head: word for head in heads if (word := found.words[head[0]][head[1]]) != found.word}
    named = [heads[index] for index in largest_first(-found.log_odds) if heads[index] in changes][:NAMED]
    listed = ", ".join(f"layer {layer}, head {head}: {quoted(changes[layer, head])}" for layer, head in named)
    count = f"{len(changes)} of {len(heads)} heads"
    says = (
        f"Without any one head the model still says {quoted(found.word)}."
        if not changes
        else f"Without one of {count}, silenced alone, the model says another word: {listed}"
        + (", …" if len(changes) > len(named) else ".")
    )
    marks = np.array([[word != found.word for word in row] for row in found.words])
    high = float(np.abs(found.log_odds).max())
    chart = chart_of_heads(
        "every-head",
        found.log_odds,
        marks,
        alt=f"A tile for each of {len(heads)} heads: the change of the log odds of {found.word} without it.",
        name=f"change of the log odds, {found.word} against {found.rival}",
        number_format="+.2f",
        signed=True,
        high=high,
        chosen=(selection.layer, selection.head),
    )
    table = Table(name="every-head", title="The heads as a table", columns=lambda: _head_columns(found))
    return Answer((Sentence(says), chart, table), EVERY_HEAD)


def without_heads(before: Trace, after: Trace) -> Answer:
    """The words with all heads, next to those with some heads silenced."""
    old, new = before.token_prediction, after.token_prediction
    if old is None or new is None:
        return Answer(())
    heads = heads_in_words(after.silenced_heads)
    columns = []
    for row in range(min(len(old.positions), MOST_MASKS)):
        was, now = old.candidates[row][0], new.candidates[row][0]
        shares = percent(float(old.probabilities[row, 0])), percent(float(new.probabilities[row, 0]))
        says = (
            f"Without {heads} the model still says {quoted(now)} ({shares[1]}, with all heads {shares[0]})."
            if was == now
            else f"Without {heads} the model says {quoted(now)} ({shares[1]}) instead of {quoted(was)} ({shares[0]})."
        )
        columns.append((Sentence(says), _bars(new, row, name="silenced-words")))
    return Answer(columns[0] if len(columns) == 1 else (Row(tuple(columns)),))


def _head_columns(found: MaskSweep) -> Columns:
    """A row for each head."""
    layers, heads = np.indices(found.log_odds.shape)
    return {
        "layer": layers.ravel(),
        "head": heads.ravel(),
        "change of the log odds": found.log_odds.ravel(),
        "word": [word for row in found.words for word in row],
    }


def _bars(found: TokenPrediction, row: int, *, name: str = "words") -> Chart:
    pieces, shares = found.candidates[row][:SHOWN], found.probabilities[row, :SHOWN]
    return Chart(
        name=f"{name}-{row + 1}",
        alt=f"The {len(pieces)} likeliest words for mask {row + 1}, as bars.",
        figure=lambda theme: probability_bars(pieces, shares, theme=theme),
    )


def _columns(found: TokenPrediction) -> Columns:
    """A row for each candidate of each masked token."""
    masks, candidates = found.logits.shape
    return {
        "mask": np.repeat(np.arange(1, masks + 1), candidates),
        "rank": np.tile(np.arange(1, candidates + 1), masks),
        "word": [piece for row in found.candidates for piece in row],
        "logit": found.logits.ravel(),
        "probability": found.probabilities.ravel(),
    }


def _grid(found: MaskLens, column: int, names: Sequence[str], *, many: bool) -> Chart:
    words = [of_state[column] for of_state in found.pieces]
    shares = found.probabilities[:, column]
    return Chart(
        name=f"words-by-layer-{column + 1}",
        title=f"Mask {column + 1}" if many else "",
        alt=f"The likeliest words for mask {column + 1} after each of {len(names)} hidden states, as a grid.",
        figure=lambda theme: words_by_layer(words, shares, rows=names, theme=theme),
    )


def _rank(found: MaskLens, column: int, word: str, *, many: bool) -> str:
    rank, share = int(found.ranks[-1, column]), float(found.followed[-1, column])
    best = int(found.ranks[:, column].argmin())
    where = f" for mask {column + 1}" if many else ""
    after = "at the embeddings" if best == 0 else f"after layer {best - 1}"
    return (
        f"{quoted(word)} is word {rank:,} of {found.vocabulary:,}{where}, with {percent(share, 1)}; its best place is "
        f"{int(found.ranks[best, column]):,}, {after}."
    )


def _accuracy_by_layer(model_name: str, names: Sequence[str]) -> str:
    found = mask_accuracy(model_name)
    shares = ", ".join(
        f"{name} {percent(share)}" for name, share in zip(names, found.shares[:, 0].tolist(), strict=True)
    )
    return (
        f"How often the first word is right, on {found.n:,} words of {found.test_set} masked one at a time: {shares}."
    )


def _layer_columns(found: MaskLens, tokens: Tokens, model_name: str, names: Sequence[str], followed: str) -> Columns:
    """A row for each hidden state of each masked token."""
    states, masks, ranks = found.probabilities.shape
    columns: dict[str, Any] = {
        "mask": np.repeat(np.arange(1, masks + 1), states).tolist(),
        "token": np.repeat(found.positions, states).tolist(),
        "layer": list(names) * masks,
    }
    for rank in range(ranks):
        columns[f"word {rank + 1}"] = [of_state[mask][rank] for mask in range(masks) for of_state in found.pieces]
        columns[f"probability {rank + 1}"] = found.probabilities[:, :, rank].T.ravel()
    columns[f"rank of {followed or 'the last word'}"] = found.ranks.T.ravel()
    columns[f"probability of {followed or 'the last word'}"] = found.followed.T.ravel()
    if has_mask_head(model_name):
        accuracy = mask_accuracy(model_name).shares
        columns |= {f"held-out top {top}": np.tile(accuracy[:, place], masks) for place, top in enumerate(TOPS)}
    return columns
