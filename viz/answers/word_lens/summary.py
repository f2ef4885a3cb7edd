"""The findings of the lens, in a few sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from encoder.measures.similarity import ReferenceBand, cosines_by_layer, divergence_layer
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.word_lens.word import Occurrence
from viz.wording.labels import heads_in_words
from viz.wording.numbers import written


def summary(occurrences: Sequence[Occurrence], band: ReferenceBand | None, silenced: Mapping[str, Trace]) -> str:
    """How the occurrences diverge, the last probe's prediction, and the effect of silenced heads on both.

    Args:
        band: cosines of pairs with one sense and with two; None for one occurrence.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
    Returns:
        Markdown; "" where there is nothing to say.
    """
    found = []
    if band is not None:
        curve, verdict = _divergence(occurrences, band)
        found.append(
            f"the two {verdict} (cosine {written(curve[0], '.2f')} at the embeddings, "
            f"{written(curve[-1], '.2f')} after the last layer)"
        )
    if has_probes(occurrences[0].trace.model_name):
        read = []
        for each in occurrences:
            was, now, share = _reading(each)
            read.append(f"{f'{was} → {now}' if was != now else now} in {each.letter} ({share:.0%})")
        found.append(f"the probe reads {' and '.join(read)}")
    sentences = ["; ".join(found)] if found else []
    if silenced:
        sentences.append(_with_silenced(occurrences, band, silenced))
    return f"**In short:** {'. '.join(sentences)}." if sentences else ""


def _with_silenced(occurrences: Sequence[Occurrence], band: ReferenceBand | None, silenced: Mapping[str, Trace]) -> str:
    """The effect of silencing, compared with the runs with all heads."""
    changed = [replace(each, trace=silenced[each.letter]) for each in occurrences]
    found = []
    if band is not None:
        (before, verdict), (after, new_verdict) = (_divergence(pair, band) for pair in (occurrences, changed))
        still = "still " if verdict == new_verdict else ""
        found.append(
            f"the two {still}{new_verdict} "
            f"(cosine {written(after[-1], '.2f')} after the last layer; with all heads {written(before[-1], '.2f')})"
        )
    if has_probes(occurrences[0].trace.model_name):
        read = []
        for own, other in zip(occurrences, changed, strict=True):
            (_, tag, share), (_, new_tag, new_share) = _reading(own), _reading(other)
            otherwise = f"{tag}, {share:.0%}" if tag != new_tag else f"{share:.0%}"
            read.append(f"{new_tag} in {own.letter} ({new_share:.0%}; with all heads {otherwise})")
        found.append(f"the probe reads {' and '.join(read)}")
    if not found:
        cosines = [
            cosines_by_layer(own.states, other.states)[-1] for own, other in zip(occurrences, changed, strict=True)
        ]
        kept = [f"{written(cosine, '.2f')} in {each.letter}" for each, cosine in zip(occurrences, cosines, strict=True)]
        found.append(f"the cosine of the word's final vector to its own with all heads is {' and '.join(kept)}")
    return f"With {heads_in_words(next(iter(silenced.values())).silenced_heads)} silenced, {'; '.join(found)}"


def _divergence(pair: Sequence[Occurrence], band: ReferenceBand) -> tuple[FloatArray, str]:
    """(L + 1,) cosines of the two occurrences, and from which layer on they diverge, as the end of a sentence."""
    curve = cosines_by_layer(pair[0].states, pair[1].states)
    diverged = divergence_layer(curve, band)
    return curve, "do not diverge" if diverged is None else f"diverge from L{diverged} on"


def _reading(each: Occurrence) -> tuple[str, str, float]:
    """The likeliest part of speech at the embeddings and after the last layer, and the probability of the latter."""
    classes = word_classes(each.trace)
    first, last = classes.probabilities[[0, -1], each.word_index]  # (C,)
    return classes.tags[np.argmax(first)], classes.tags[np.argmax(last)], float(last.max())
