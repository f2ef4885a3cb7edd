"""The word lens's curves and bars over the hidden states, as charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np

from encoder.measures.similarity import ReferenceBand, parting_layer
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import WordClasses
from viz.exports.charts import Chart, Colour, Series
from viz.exports.contents import NumberGrid
from viz.wording.labels import heads_in_words

DASHES: Final[tuple[Literal["solid", "dash"], ...]] = ("solid", "dash")
SYMBOLS: Final[tuple[Literal["circle", "square"], ...]] = ("circle", "square")
FIFTHS = "four fifths"
ROOM = 0.1  # of the range, that curves keep from the ends of their axis


def parting_chart(
    name: str,
    curve: FloatArray,
    *,
    band: ReferenceBand,
    silenced: tuple[Sequence[tuple[int, int]], FloatArray | None],
) -> Chart:
    """Cosine of two occurrences over the hidden states, against what one and two senses of a word usually have.

    Args:
        name: of the word.
        curve: (L + 1,).
        silenced: heads, (layer, head) each, and (L + 1,) the same curve with them silenced; None where none are.
    """
    rows = {
        f"two senses ({band.n_different:,} pairs)": band.different[:, 1],
        f"one sense ({band.n_same:,} pairs)": band.same[:, 1],
    }
    series = [
        Series(colour="muted", dash="dot", symbol="", area=_edges(band.different), area_name=FIFTHS),
        Series(colour="primary", dash="dash", symbol="", area=_edges(band.same), area_name=FIFTHS),
    ]
    heads, other = silenced
    if other is not None:
        rows[f"with {heads_in_words(heads)} silenced"] = other
        series.append(Series(colour="B", symbol="diamond"))
    rows["this word in A and B"] = curve
    series.append(Series(colour="text", numbered=True))
    parted = parting_layer(curve, band)
    lows = [curve.min(), band.different.min(), band.same.min(), *([] if other is None else [other.min()])]
    low, high = _with_room(float(min(lows)), 1)
    return Chart(
        grid=over_states(f"How similar the two “{name}” are", rows, low=low, high=high),
        look="curves",
        series=tuple(series),
        value="cosine similarity",
        lines=[] if parted is None else [(parted + 1, f"parted from L{parted}")],
    )


def _edges(usual: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The low and the high end of what is usual: of (L + 1, 3), its first and its last column."""
    return usual[:, 0], usual[:, 2]


def curves_over_states(
    caption: str,
    curves: Mapping[str, FloatArray],
    *,
    colours: Sequence[Colour],
    value: str,
    percent: bool = False,
    lines: Sequence[tuple[float, str]] = (),
) -> Chart:
    """Curves of (L + 1,) each, by the hidden state at which something was put in place.

    Args:
        percent: whether they are probabilities, whose axis is fixed.
    """
    values = np.stack(list(curves.values()))
    low, high = (0.0, 1.0) if percent else _with_room(float(values.min()), float(values.max()))
    return Chart(
        grid=over_states(caption, curves, low=low, high=high),
        look="curves",
        series=tuple(
            Series(colour=colour, dash=DASHES[index % 2], symbol=SYMBOLS[index % 2])
            for index, colour in enumerate(colours)
        ),
        value=value,
        percent=percent,
        across="put in place after",
        lines=lines,
    )


def parts_of_speech_chart(caption: str, probabilities: FloatArray, classes: WordClasses, shown: Sequence[int]) -> Chart:
    """A bar for each hidden state: how likely a probe finds each part of speech, and how good that probe is.

    Args:
        probabilities: (L + 1, C).
        shown: the classes that have a part of their own; the rest is one part.
    """
    rest = np.clip(1 - probabilities[:, list(shown)].sum(axis=1), 0, 1)
    parts = {classes.tags[tag]: probabilities[:, tag] for tag in shown} | {"other": rest}
    accuracies = zip(classes.accuracy.tolist(), classes.control_accuracy.tolist(), strict=True)
    return Chart(
        grid=over_states(caption, parts, low=0, high=1),
        look="stacked bars",
        series=(*(Series(colour=tag) for tag in shown), Series(colour="muted")),
        percent=True,
        notes=tuple((f"{right:.0%}", f"+{100 * (right - chance):.0f}") for right, chance in accuracies),
        across="how often its probe is right, points above chance",
    )


def _with_room(low: float, high: float) -> tuple[float, float]:
    """A range in which curves keep off the ends."""
    room = ROOM * max(high - low, ROOM)
    return low - room, high + room


def over_states(caption: str, rows: Mapping[str, FloatArray], *, low: float, high: float) -> NumberGrid:
    """(L + 1,) numbers each, as rows over the hidden states."""
    values = np.stack(list(rows.values()))
    columns = ["emb.", *(f"L{layer}" for layer in range(values.shape[1] - 1))]
    return NumberGrid(caption, list(rows), columns, values, low=low, high=high, digits=3)
