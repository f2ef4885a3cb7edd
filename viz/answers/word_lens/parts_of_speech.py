"""Picture 3: the part of speech that a probe predicts for each occurrence, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import WordClasses, has_probes, word_classes
from viz.answers.answer import Answer, Chart, Columns, Row, Sentence, Table
from viz.answers.word_lens.word import Occurrence, numbered_heading
from viz.figures.class_probabilities import belief_bars, likeliest_classes
from viz.wording.explanations import Explanation
from viz.wording.labels import state_names

COLOURS = 5  # classes with a colour of their own


def parts_of_speech(occurrences: Sequence[Occurrence], *, shows_accuracy: bool = True) -> Answer:
    """Probabilities by layer for each occurrence, with the accuracy of each layer's probe.

    Args:
        shows_accuracy: whether the charts include the probes' accuracies.
    """
    heading = numbered_heading(3, "What the model takes it for")
    if not has_probes(occurrences[0].trace.model_name):
        why = "No probe was trained for this model, so this picture cannot be drawn. The other pictures need none."
        return Answer((heading, Sentence(why, "info")))
    found = [word_classes(each.trace) for each in occurrences]
    read = [
        classes.probabilities[:, each.word_index] for classes, each in zip(found, occurrences, strict=True)
    ]  # (L + 1, C) each
    shown = likeliest_classes(read, COLOURS)
    row = Row(
        tuple(
            (_chart(each, probabilities, found[0], shown, shows_accuracy),)
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
        "Each bar is one linear probe's probabilities for the word's part of speech, read off its state after that "
        f"layer. Under it: how often that probe is right on {found[0].n:,} held-out words of "
        f"{found[0].test_set}, and by how many points that exceeds a probe of the same size that learned "
        "random tags (its selectivity; Hewitt and Liang 2019).",
        "That a probe can read something does not show that the model uses it; and the probabilities are a "
        "probe's, not calibrated chances.",
    )
    return Answer((heading, row, table), explanation)


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
