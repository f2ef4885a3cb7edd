"""What the lens found, in one or two sentences above its pictures."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.measures.similarity import cosines_by_layer, parting_layer
from encoder.shipped.probes import has_probes, word_classes
from viz import cache
from viz.panels.word_lens.choice import Occurrence


def in_short(occurrences: Sequence[Occurrence]) -> str:
    """How the occurrences part and what the probe reads at the end; empty where there is neither."""
    found = []
    model_name = occurrences[0].trace.model_name
    if len(occurrences) == 2:
        a, b = occurrences
        curve = cosines_by_layer(a.states, b.states)
        parted = parting_layer(curve, cache.band(model_name))
        verdict = "the two do not part" if parted is None else f"the two part from L{parted} on"
        found.append(f"{verdict} (cosine {curve[0]:.2f} at the embeddings, {curve[-1]:.2f} after the last layer)")
    if has_probes(model_name):
        read = []
        for each in occurrences:
            classes = word_classes(each.trace)
            first, last = classes.probabilities[[0, -1], each.at]  # (C,)
            was, now = (classes.tags[row.argmax()] for row in (first, last))
            turned = f"{was} → {now}" if was != now else now
            read.append(f"{turned} in {each.letter} ({last.max():.0%})")
        found.append(f"the probe reads {' and '.join(read)}")
    return "; ".join(found)
