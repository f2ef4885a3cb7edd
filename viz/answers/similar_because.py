"""Why two sentences are similar: their cosine, split over pairs of their words, and whether that split holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from encoder.attribution.removal_curves import removal_counts, verdict
from encoder.comparison.similarity_map import POINTS, SimilarityMap
from encoder.comparison.text_vectors import cosine_of_runs
from encoder.measures.units import Level, units_of
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.names import BUNDLED, SCRATCH_BERT
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Chart, Columns, Part, Row, Sentence, Table
from viz.answers.verdicts import in_words
from viz.figures.pairs import MOST_WORDS, pair_lines, pair_map
from viz.figures.removal_curves import removal_curves
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible, numbered, shorten
from viz.wording.numbers import written
from viz.wording.unknown_words import KNOWS_NO_WORD, knows_no_word

EXPLANATION: Final = Explanation(
    "A cell says how much a word of A and a word of B add to the cosine together: blue raises it, orange lowers it. "
    "The lines show the same; pairs below a sixth of the largest have none. "
    "Each sentence is encoded alone, and its vector is the mean of its last states, or that of the model's own "
    "pooling. Along the path from a sentence of [MASK] to the words, integrated Jacobians track what each word adds to "
    "that vector (Möller et al. 2023).",
    "The path from [MASK] is one of many, and another reference gives other numbers. That two words add to the cosine "
    "does not show that they mean the same. Attention is not used here, and is not an explanation.",
)
NEEDS_TWO: Final = "This asks why two sentences are similar: type a second one, B."
SENTENCE_ENCODERS: Final = (BUNDLED, SCRATCH_BERT)
UNIT: Final = "cosine, without the rest"
NAMED: Final = 3  # pairs named in a sentence
LONGEST_NAME: Final = 24  # characters of a word in that sentence
MOST_MISSING: Final = 0.01  # share of the cosine above which it is reported
SMALL: Final = 0.01  # cosine below which no share is reported

Texts = tuple[Tokens, Tokens]  # A and B, each encoded alone


def cosine(a: Trace, b: Trace, *, embeds_texts: bool) -> Answer:
    """The cosine of two sentences, with its caveats.

    Args:
        embeds_texts: whether the model's files say that it was trained to embed texts.
    """
    parts = [Sentence(f"A and B have a cosine of {written(cosine_of_runs(a, b), '.3f')}", "heading")]
    if a.model_name not in SENTENCE_ENCODERS and not embeds_texts:
        parts.append(
            Sentence(
                "This model is not known to be trained on the similarity of sentences: its cosine can be high for any "
                "two of them. The split is true all the same.",
                "caption",
            )
        )
    if knows_no_word([a.tokens, b.tokens]):
        parts.append(Sentence(KNOWS_NO_WORD, "info"))
    return Answer(tuple(parts))


def pairs(found: SimilarityMap, texts: Texts, level: Level) -> Answer:
    """What each pair of words adds to the cosine: a map, the largest pairs by name, and the sum."""
    values = found.values
    a, b = (_labels(text, level) for text in texts)
    charts = [
        Chart(
            name="similar-because-pairs",
            alt=f"What {len(a)} words of A, downward, and {len(b)} words of B, across, add to the cosine in pairs.",
            figure=lambda theme: pair_map(values, a, b, theme=theme),
        )
    ]
    if max(len(a), len(b)) <= MOST_WORDS:
        charts.append(
            Chart(
                name="similar-because-lines",
                alt="The same as lines from words of A to words of B; the strongest are the widest.",
                figure=lambda theme: pair_lines(values, a, b, theme=theme),
            )
        )
    parts: list[Part | Row] = [
        Row(tuple((chart,) for chart in charts), "content"),
        Sentence(f"**Most is added by** {_largest_pairs(values, a, b)}. {_sum_in_words(found)}"),
        Sentence(
            f"The rest belongs to no pair. It is the cosine with [MASK] in place of every word of A, "
            f"{written(found.cosine_a_masked, '.3f')}, plus that with every word of B masked, "
            f"{written(found.cosine_b_masked, '.3f')}, minus that with all words masked, "
            f"{written(found.cosine_both_masked, '.3f')}. Masked sentences still have special tokens, "
            "a length, and whatever masks mean to this model.",
            "caption",
        ),
    ]
    if found.points < POINTS:
        estimate = f"An estimate at {found.points} points of the path, until the split at {POINTS} is computed."
        return Answer((*parts, Sentence(estimate, "caption")))
    table = Table(
        name="similar-because",
        title="The pairs as a table",
        columns=lambda: {"A": numbered(a), **dict(zip(numbered(b), values.T, strict=True))},
        on_page="folded",
    )
    return Answer((*parts, table))


def removals(own: FloatArray, random: FloatArray | None, *, units: int, model_name: str) -> Answer:
    """The sum of the remaining pairs as pairs are removed, and whether their order beats random orders.

    Args:
        own: (S,) with the largest pairs removed first.
        random: (R, S) in random orders; None while they are computed.
        units: number of pairs.
    """
    counts = removal_counts(units)
    parts: list[Part] = [Sentence("Does it hold for these sentences?", "heading")]
    if random is not None:
        result = verdict(own, random, units=units)
        parts.append(Sentence(in_words(result, UNIT, model_name=model_name, text="The shorter sentence")))
    parts += [
        Chart(
            name="similar-because-test",
            alt="Curves of the sum of all pairs over the number of removed pairs, in several orders.",
            figure=lambda theme: removal_curves(
                own, counts, unit=UNIT, units_removed="pairs of words", random=random, theme=theme
            ),
        ),
        Sentence(
            "Removing a pair replaces its word of A and its word of B by [MASK]; the pair that adds most is removed "
            "first, and each word is in one pair at most. The curves show the sum of all pairs: it ends at 0, where no "
            "word of one sentence is left. The cosine alone would rise again, because masks are similar to masks.",
            "caption",
        ),
        Table(
            name="similar-because-test",
            title="The curves as a table",
            columns=lambda: _curves(counts, own, random),
            on_page="folded",
        ),
    ]
    return Answer(tuple(parts))


def _labels(tokens: Tokens, level: Level) -> tuple[str, ...]:
    return units_of(tokens, level=level, special="hide").labels


def _largest_pairs(values: FloatArray, a: Sequence[str], b: Sequence[str]) -> str:
    largest = np.argsort(-values, axis=None, kind="stable")[:NAMED].tolist()
    return ", ".join(
        f"“{_name(a[row])}” and “{_name(b[column])}” {written(values[row, column], '+.3f')}"
        for row, column in (divmod(index, len(b)) for index in largest)
    )


def _name(label: str) -> str:
    return escape_markdown(shorten(make_visible(label), LONGEST_NAME))


def _sum_in_words(found: SimilarityMap) -> str:
    """The sum of the pairs, the rest that belongs to no pair, and the error against the cosine, as Markdown."""
    error, size = found.completeness_error, abs(found.cosine)
    share = f", {error / size:.2%} of the cosine" if size > SMALL else ""
    caution = ""
    if error > MOST_MISSING * size:
        caution = " **That is more than 1 % of the cosine**: small pairs say nothing here."
    missing = "below 0.0001" if error < 0.0001 else f"{error:.4f}"
    return (
        f"Sum of all pairs **{written(found.values.sum(), '+.3f')}**, the rest "
        f"**{written(found.references, '+.3f')}**, total **{written(found.cosine, '.3f')}**; completeness error "
        f"{missing}{share}, at {found.points} points.{caution}"
    )


def _curves(counts: Sequence[int], own: FloatArray, random: FloatArray | None) -> Columns:
    columns: Columns = {"pairs_removed": counts, "this_order": own}
    others = {} if random is None else {f"random_{index}": curve for index, curve in enumerate(random)}
    return {**columns, **others}
