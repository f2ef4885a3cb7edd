"""Which words drive the predictions of many rows.

One backward pass for each row splits the log odds of a class over the row's words: integrated DecompX with one point,
halfway between the row with all words masked and the row itself. What the point misses of the difference of the two is
divided over the words, as `completed` does. A word's values are averaged over the rows that have it, and compared with
a control, in which the values of each row are shuffled among its words. The test of a word is to take it out of all
rows that have it.

Source: Modarressi et al. (2023), section 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from encoder.attribution.gradients import TOKENS_AT_ONCE
from encoder.attribution.linearised import Linearised
from encoder.attribution.methods.decompx import completed
from encoder.attribution.quantities import batch_of
from encoder.attribution.removals import without
from encoder.collection.files import open_collection
from encoder.collection.kinds.base import Results, WholeText
from encoder.collection.kinds.scores import Score
from encoder.collection.reruns import Changed, logits_of, tokenize
from encoder.collection.results import results_of_all
from encoder.collection.row_filters import ALL, select_rows
from encoder.collection.table import Collection
from encoder.columns import Columns
from encoder.errors import SelectionError, UnsupportedModelError
from encoder.measures.inference import ENDS, LEVEL, Interval, mean, shuffled_totals
from encoder.models.base import READ_TOGETHER, Backend, batches_by_length
from encoder.models.hooks import Point, Recorder
from encoder.models.tensors import Batch, to_numpy
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.common_words import fold_case
from encoder.text.tokens import Tokens

IntArray = npt.NDArray[np.intp]

# From 0, all words masked, to 1, the row. On 100 sentences of SST dev the AOPC of the orders was .580 here, .563 at
# .65, .539 at .8, .574 for the two points of `decompx.NODES`, and .527 for integrated gradients with one point.
NODE: Final = 0.5
FEWEST_ROWS: Final = 3  # with a word, before it is tested
TESTED_WORDS: Final = 10  # that are taken out of the rows


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RowWords:
    """What every word of N rows adds to the log odds of a class; M counts words, in the order of the texts.

    Attributes:
        rows: (N,) indices of the rows in the collection, ascending.
        targets: (N,) index of the class of each row.
        forms: the W distinct words, case-folded.
        row: (M,) which of the N rows a word is in.
        form: (M,) which of the W words it is.
        values: (M,) in log odds of the class against all others, positive if the word raises them; in the logit of one
            of many labels, or of a score. Those of a row sum to what its words together change.
    """

    rows: IntArray
    targets: IntArray
    forms: tuple[str, ...]
    row: IntArray
    form: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class DrivingWords(Columns):
    """The W words of some rows: those that add most to the class first, and words of few rows last.

    Attributes:
        words: case-folded.
        num_rows: N, how many rows were read.
        rows: for each word the rows that have it, as indices in the collection, the one where it adds most first.
        values: for each word what it adds in each of these rows.
        means: (W,) what the word adds to a row that has it, in log odds.
        low, high: (W,) the 95 % interval of the mean, over rows; NaN for a word of too few rows.
        control_low, control_high: (W,) where about 95 % of means are if the values of each row are shuffled.
        excess: (W,) what the word adds to all rows together, beyond the mean of the control. Words of at least
            `FEWEST_ROWS` rows are in this order, and the others after them.
        p: (W,) how often the values are shuffled so that some word is as far above its control, corrected for all
            words of at least `FEWEST_ROWS` rows by `shuffled_totals`; NaN of the others.
    """

    words: tuple[str, ...]
    num_rows: int
    rows: tuple[IntArray, ...]
    values: tuple[FloatArray, ...]
    means: FloatArray
    low: FloatArray
    high: FloatArray
    control_low: FloatArray
    control_high: FloatArray
    excess: FloatArray
    p: FloatArray

    @property
    def exceeds(self) -> npt.NDArray[np.bool_]:
        """(W,) whether a word pushes beyond chance: p below 0.05."""
        return np.asarray(self.p < LEVEL)

    @property
    def counts(self) -> IntArray:
        """(W,) number of rows that have the word."""
        return np.array([len(rows) for rows in self.rows], np.intp)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of W rows, for `pandas.DataFrame`."""
        return {
            "word": self.words,
            "rows": self.counts,
            "adds": self.means,
            "low": self.low,
            "high": self.high,
            "shuffled_low": self.control_low,
            "shuffled_high": self.control_high,
            "adds_to_all_rows": self.excess,
            "p": self.p,
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordRemoval:
    """What happens when words are deleted from all rows of the collection that have one of them.

    Attributes:
        words: case-folded.
        count: rows that have one of the words, and keep another token without them.
        change: mean change of the probability of the class, or of the score, with its interval over rows.
        control: the mean change if as many other, random words are deleted from the same rows; NaN if none has one.
        flips, control_flips: rows whose predicted class changes without the words, and without the random ones.
        repaired, broken: rows that become right, and rows that become wrong; 0 without labels.
    """

    words: tuple[str, ...]
    count: int
    change: Interval
    control: float
    flips: int
    control_flips: int
    repaired: int
    broken: int

    @property
    def columns(self) -> dict[str, Any]:
        """One row for `pandas.DataFrame`."""
        return {
            "words": ", ".join(self.words),
            "rows": self.count,
            "change": self.change.value,
            "low": self.change.low,
            "high": self.change.high,
            "random": self.control,
            "flips": self.flips,
            "random_flips": self.control_flips,
            "become_right": self.repaired,
            "become_wrong": self.broken,
        }


def driving_words(
    model: Backend,
    collection: Collection | Path | str,
    rows: str | Sequence[int] = ALL,
    *,
    label: str | None = None,
    results: Results | None = None,
    progress: Progress = no_progress,
) -> DrivingWords:
    """Which words drive the predictions of a collection's rows, or of some of them.

    Args:
        collection: or the path of a table, whose columns are guessed.
        rows: a filter such as "errors" or "false positives of positive"; `encoder.collection.row_filters` has all. Or
            numbers of rows, counted from 0.
        label: the class that words push to; None for the predicted class of each row.
        results: the model's, of all rows; None to read them first.
        progress: called with the rows done and in total, twice over without `results`; an exception raised there ends
            the work.
    Raises:
        DataError: the table cannot be read.
        SelectionError: there are no such rows or no such class, or the model's embeddings cannot be hooked.
        UnsupportedModelError: the model predicts nothing for a whole text, or its tokenizer has no mask token.
    """
    if not isinstance(collection, Collection):
        collection = open_collection(collection)
    if results is None:
        results = results_of_all(model, collection, progress=progress)
    return words_of_rows(row_words(model, collection, results, rows, label=label, progress=progress))


def targets_of(results: WholeText, rows: IntArray, label: str | None) -> IntArray:
    """(N,) index of the class of each row: the predicted one, or the same for all. Raises SelectionError."""
    if label is None:
        return results.predicted[rows]
    if label not in results.labels:
        raise SelectionError(f"{results.model_name} has no class {label!r}; it has {', '.join(results.labels)}.")
    return np.full(len(rows), results.labels.index(label))


def row_words(
    model: Backend,
    collection: Collection,
    results: Results,
    rows: str | Sequence[int] = ALL,
    *,
    label: str | None = None,
    progress: Progress = no_progress,
) -> RowWords:
    """What every word of some rows adds to a class: two forward passes and one backward pass over the rows.

    Args:
        results: the model's, of all rows; the rest as in `driving_words`.
    """
    results = require_whole_text(results)
    selected = select_rows(collection, results, rows)
    targets = targets_of(results, selected, label)
    forms: defaultdict[str, int] = defaultdict(lambda: len(forms))
    row: list[int] = []
    form: list[int] = []
    values: list[float] = []
    for place, (tokens, of_words) in enumerate(values_of_words(model, collection, results, selected, targets)):
        if place % READ_TOGETHER == 0:
            progress(place, len(selected))
        row += [place] * len(of_words)
        form += [forms[fold_case(tokens.words[word])] for word in of_words]
        values += of_words.values()
    progress(len(selected), len(selected))
    return RowWords(
        rows=selected,
        targets=targets,
        forms=tuple(forms),
        row=np.array(row, np.intp),
        form=np.array(form, np.intp),
        values=np.array(values, np.float32),
    )


def require_whole_text(results: Results) -> WholeText:
    """The results. Raises UnsupportedModelError unless they are classes, labels or a score of a whole text."""
    if not isinstance(results, WholeText) or not results.unit:
        raise UnsupportedModelError(
            f"{results.model_name} predicts nothing for a whole text: choose a model with classes or a score."
        )
    return results


def values_of_words(
    model: Backend, collection: Collection, results: WholeText, rows: IntArray, targets: IntArray
) -> Iterator[tuple[Tokens, dict[int, float]]]:
    """For each row its tokens, and what each of its words adds to the row's class, by the index of the word."""
    of_rows = _number(torch.tensor(results.logits[rows]), torch.tensor(targets)[:, None], results.unit)  # (N,)
    for start in range(0, len(rows), READ_TOGETHER):
        some = slice(start, start + READ_TOGETHER)
        texts = [tokenize(model, text) for text in collection.texts(rows[some].tolist())]
        found = attributions(model, texts, targets[some], results.unit)
        for tokens, (values, of_masks), of_text in zip(texts, found, of_rows[some].tolist(), strict=True):
            of_words: defaultdict[int, float] = defaultdict(float)
            for value, word in zip(values.tolist(), tokens.word_ids, strict=True):
                if word is not None:
                    of_words[word] += value
            whole = completed(np.array(list(of_words.values()), np.float32), of_text - of_masks)
            yield tokens, dict(zip(of_words, whole.tolist(), strict=True))


def words_of_rows(found: RowWords) -> DrivingWords:
    """The words of some rows, with their intervals and the control; the same each time."""
    size = len(found.forms)
    pairs, at = np.unique(found.row * size + found.form, return_inverse=True)  # a word of a row
    values = np.bincount(at, found.values).astype(np.float32)
    row, form = np.divmod(pairs, size)
    counts = np.bincount(form, minlength=size)  # (W,)
    is_rare = counts < FEWEST_ROWS
    totals, shuffled = np.bincount(form, values, size), shuffled_totals(found.values, found.row, found.form, ~is_rare)
    strongest_first = np.lexsort((-values, form))
    ends = np.cumsum(counts)[:-1]
    rows = np.split(found.rows[row[strongest_first]], ends)
    of_rows = np.split(values[strongest_first], ends)
    order = np.lexsort((shuffled.centre - totals, is_rare))
    intervals = [mean(of_rows[word]) for word in order]
    reach = NormalDist().inv_cdf(ENDS[1]) * shuffled.spread
    return DrivingWords(
        words=tuple(found.forms[word] for word in order),
        num_rows=len(found.rows),
        rows=tuple(rows[word] for word in order),
        values=tuple(of_rows[word] for word in order),
        means=_float(totals / counts)[order],
        low=np.array([each.low for each in intervals], np.float32),
        high=np.array([each.high for each in intervals], np.float32),
        control_low=_float((shuffled.centre - reach) / counts)[order],
        control_high=_float((shuffled.centre + reach) / counts)[order],
        excess=_float(totals - shuffled.centre)[order],
        p=_float(shuffled.p)[order],
    )


def _float(array: npt.NDArray[np.floating]) -> FloatArray:
    return array.astype(np.float32)


def rows_to_remove(collection: Collection, words: Sequence[str]) -> int:
    """How many rows `remove_words` reads, at most."""
    folded = [_folded(text) for text in collection.texts(range(len(collection)))]
    each = sum(sum(word in text for text in folded) for word in words)
    return 2 * (each + sum(any(word in text for word in words) for text in folded))


def remove_words(
    model: Backend,
    collection: Collection,
    results: Results,
    words: Sequence[str],
    *,
    label: str | None = None,
    progress: Progress = no_progress,
) -> tuple[WordRemoval, ...]:
    """Delete each word, and then all of them together, from all rows of a collection that have it.

    Args:
        results: the model's, of all rows.
        words: case-folded; a word that no row has is left out.
        label: the class whose probability changes; None for the predicted class of each row.
        progress: called with the rows done and in total; an exception raised there ends the work.
    Returns:
        One for each word, and one for all together if there are several.
    Raises:
        SelectionError: there is no such class.
        UnsupportedModelError: the model predicts nothing for a whole text.
    """
    results = require_whole_text(results)
    targets = targets_of(results, np.arange(len(results)), label)
    texts = collection.texts(range(len(results)))
    folded = [_folded(text) for text in texts]
    words = [word for word in words if any(word in text for text in folded)]
    groups = [frozenset([word]) for word in words] + ([frozenset(words)] if len(words) > 1 else [])
    removals = [_Removal(group, np.random.default_rng(0)) for group in groups]
    having = [row for row, text in enumerate(folded) if any(word in text for word in words)]
    for start in range(0, len(having), READ_TOGETHER):
        progress(start, len(having))
        _remove(model, {row: texts[row] for row in having[start : start + READ_TOGETHER]}, removals)
    progress(len(having), len(having))
    return tuple(_measured(removal, results, targets) for removal in removals if removal.changed)


@dataclass(slots=True)
class _Removal:
    """Some words, and the logits of the rows without them, and without as many other, random words."""

    words: frozenset[str]
    generator: np.random.Generator
    changed: dict[int, FloatArray] = field(default_factory=dict)
    control: dict[int, FloatArray] = field(default_factory=dict)


def _remove(model: Backend, texts: dict[int, str | tuple[str, str]], removals: Sequence[_Removal]) -> None:
    """Read the texts of some rows without the words of each removal, in the same batches; equal texts once."""
    places: dict[tuple[int, tuple[int, ...]], list[dict[int, FloatArray]]] = defaultdict(list)  # of the logits
    tokens = {row: tokenize(model, text) for row, text in texts.items()}
    for row, own_tokens in tokens.items():
        positions = _positions_of_forms(own_tokens)
        for removal in removals:
            own, others = sorted(removal.words & positions.keys()), sorted(positions.keys() - removal.words)
            if not own or sum(len(positions[form]) for form in own) == len(own_tokens):
                continue
            drawn = [others[at] for at in removal.generator.permutation(len(others))[: len(own)]]
            for forms, logits in ((own, removal.changed), (drawn, removal.control)):
                gone = tuple(sorted(position for form in forms for position in positions[form]))
                if 0 < len(gone) < len(own_tokens):
                    places[row, gone].append(logits)
    if not places:
        return
    without_words = [without(tokens[row], list(gone), "delete", backend=model) for row, gone in places]
    for ((row, _), receiving), logits in zip(places.items(), logits_of(model, without_words), strict=True):
        for each in receiving:
            each[row] = logits


def _measured(removal: _Removal, results: WholeText, targets: IntArray) -> WordRemoval:
    """The changes of the rows without the words, and without the random ones."""

    def compared(logits: dict[int, FloatArray]) -> Changed:
        return Changed.of(results, np.array(list(logits)), np.stack(list(logits.values())), targets)

    changed, control = compared(removal.changed), compared(removal.control) if removal.control else None
    most = np.inf if isinstance(results, Score) else 1  # of a probability
    return WordRemoval(
        words=tuple(sorted(removal.words)),
        count=len(changed.rows),
        change=mean(changed.changes, least=-most, most=most),
        control=float("nan") if control is None else float(control.changes.mean()),
        flips=changed.flips,
        control_flips=0 if control is None else control.flips,
        repaired=changed.repaired,
        broken=changed.broken,
    )


def _folded(text: str | tuple[str, str]) -> str:
    return fold_case(text if isinstance(text, str) else "\n".join(text))


def _positions_of_forms(tokens: Tokens) -> dict[str, list[int]]:
    """The positions of the tokens of each case-folded word of a text."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(tokens.word_ids):
        if word is not None:
            positions.setdefault(fold_case(tokens.words[word]), []).append(position)
    return positions


def attributions(
    model: Backend, texts: Sequence[Tokens], targets: IntArray, unit: str
) -> Iterator[tuple[FloatArray, float]]:
    """For each text the values (T,) of its tokens, and the number that is split for the text with all words masked."""
    mask = model.tokenizer.inner.mask_token_id
    if mask is None:
        raise UnsupportedModelError(
            f"{model.name} has no mask token, which stands for a missing word here: choose a model such as BERT."
        )
    found: dict[int, tuple[FloatArray, float]] = {}
    lengths = [len(tokens) for tokens in texts]
    for rows in batches_by_length(texts, TOKENS_AT_ONCE):
        some = [texts[row] for row in rows]
        values, of_masks = _of_batch(model, some, targets[rows], unit, mask)  # (B, T), (B,)
        found |= {row: (values[at, : lengths[row]], float(of_masks[at])) for at, row in enumerate(rows)}
    return (found[row] for row in range(len(texts)))


def _of_batch(
    model: Backend, texts: Sequence[Tokens], targets: IntArray, unit: str, mask: int
) -> tuple[FloatArray, FloatArray]:
    """The values (B, T) of the tokens of a batch, and the number (B,) with all words masked."""
    batch = batch_of(model, texts)
    removable = torch.zeros_like(batch.input_ids, dtype=torch.bool)  # (B, T)
    for row, tokens in enumerate(texts):
        removable[row, : len(tokens)] = ~torch.tensor(tokens.special, device=removable.device)
    classes = torch.tensor(targets, device=removable.device)[:, None]  # (B, 1)
    masked = batch._replace(input_ids=batch.input_ids.masked_fill(removable, mask))
    baseline, of_masks = _embeddings(model, masked)
    between: dict[Point, Tensor] = {}

    def substitute(states: Tensor, point: Point) -> Tensor:
        between[point] = (baseline[point] + NODE * (states.detach() - baseline[point])).requires_grad_()
        return between[point]

    points = model.embedding_points
    with torch.enable_grad(), model.threads(2 * batch.input_ids.numel()), Linearised():
        number = _number(model.run_batch(batch, dict.fromkeys(points, (substitute,))).logits, classes, unit)
        gradients = torch.autograd.grad(number.sum(), [between[point] for point in points])  # (B, T, D) each
    values = torch.zeros_like(batch.input_ids, dtype=torch.float32)  # (B, T)
    for late, (point, gradient) in enumerate(zip(points, gradients, strict=True)):
        of_point = (gradient * (between[point].detach() - baseline[point])).sum(-1) / NODE  # (B, T)
        values = values + of_point.roll(-late, 1)  # a decoder reads each token one position later
    return to_numpy(values), to_numpy(_number(of_masks, classes, unit))


@torch.no_grad()
def _embeddings(model: Backend, batch: Batch) -> tuple[dict[Point, Tensor], Tensor | None]:
    """The embedding output (B, T, D) of a batch at each point where the model embeds it, and its logits (B, C)."""
    recorder = Recorder(*model.embedding_points, keep=lambda states: states)
    logits = model.run_batch(batch, recorder.hooks).logits
    return recorder.seen, logits


def _number(logits: Tensor | None, classes: Tensor, unit: str) -> Tensor:
    """(B,) log odds of each row's class against all others; the logit of one of many labels, or of a score."""
    if logits is None:
        raise UnsupportedModelError("This model predicts nothing for a whole text, so no word drives a prediction.")
    own = logits.gather(1, classes)[:, 0]
    if unit != "log odds":
        return own
    others = torch.ones_like(logits, dtype=torch.bool).scatter(1, classes, value=False)
    return own - logits.masked_fill(~others, -torch.inf).logsumexp(-1)
