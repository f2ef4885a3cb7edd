"""The part of speech that a probe predicts for each occurrence, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import WordClasses, has_probes, word_classes
from viz.answers.answer import Answer, Chart, Columns, Row, Sentence, Table
from viz.answers.word_places import Occurrence, heading
from viz.figures.class_probabilities import belief_bars, likeliest_classes
from viz.wording.explanations import Explanation
from viz.wording.labels import state_names
from viz.wording.tags import TAG_NAMES

COLOURS = 5  # classes with a colour of their own
OTHERWISE: Final = "Which part of speech?"


def parts_of_speech(
    occurrences: Sequence[Occurrence], *, shows_accuracy: bool = True, shown: Sequence[int] | None = None
) -> Answer:
    """Probabilities by layer for each occurrence, with the accuracy of each layer's probe.

    Args:
        shows_accuracy: whether the charts include the probes' accuracies.
        shown: the classes with a colour of their own; None for the likeliest.
    """
    if not has_probes(occurrences[0].trace.model_name):
        why = "No classifier was trained for this model's parts of speech."
        return Answer((heading(OTHERWISE), Sentence(why, "info")))
    found = [word_classes(each.trace) for each in occurrences]
    read = [
        classes.probabilities[:, each.word_index] for classes, each in zip(found, occurrences, strict=True)
    ]  # (L + 1, C) each
    with_colours = likeliest_classes(read, COLOURS) if shown is None else shown
    title = title_of([found[0].tags[probabilities[-1].argmax()] for probabilities in read])
    row = Row(
        tuple(
            (_chart(each, probabilities, found[0], with_colours, shows_accuracy),)
            for each, probabilities in zip(occurrences, read, strict=True)
        )
    )
    table = Table(
        name="belief",
        title="The probabilities as a table",
        columns=lambda: _columns([each.letter for each in occurrences], read, found[0]),
        on_page="download",
    )
    explanation = Explanation(
        "A bar shows how likely a small classifier (a linear probe) finds each part of speech, from the word's vector "
        f"after one layer. Under it: how often that probe is right on {found[0].n:,} words of {found[0].test_set}, "
        "and by how many points that exceeds a probe of random tags (its selectivity; Hewitt and Liang 2019).",
        "That a probe can read something does not show that the model uses it.",
    )
    return Answer((heading(title), row, table), explanation)


def title_of(tags: Sequence[str]) -> str:
    """The question that the charts answer, of the part of speech after the last layer of each occurrence."""
    names = [TAG_NAMES[tag].split(" ", 1)[1] for tag in dict.fromkeys(tags)]
    return f"{' or '.join(names).capitalize()}?" if len(names) > 1 else OTHERWISE


def _chart(
    each: Occurrence, probabilities: FloatArray, classes: WordClasses, shown: Sequence[int], shows_accuracy: bool
) -> Chart:
    return Chart(
        name=f"belief-{each.letter}",
        title=each.title,
        alt=f"A bar for each layer: how likely a probe finds each part of speech for “{each.name}” in {each.letter}.",
        figure=lambda theme: belief_bars(
            probabilities,
            classes.tags,
            shown=shown,
            accuracy=classes.accuracy,
            control_accuracy=classes.control_accuracy,
            theme=theme,
            shows_accuracy=shows_accuracy,
        ),
    )


def _columns(letters: Sequence[str], read: Sequence[FloatArray], classes: WordClasses) -> Columns:
    """A row for each hidden state of each sentence; `read` are (L + 1, C)."""
    states, texts = len(classes.accuracy), len(letters)
    columns: Columns = dict(zip(classes.tags, np.concatenate(read).T, strict=True))
    return {
        **columns,
        "sentence": np.repeat(letters, states),
        "entry": state_names(states) * texts,
        "accuracy": np.tile(classes.accuracy, texts),
        "control_accuracy": np.tile(classes.control_accuracy, texts),
    }
