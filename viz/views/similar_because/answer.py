"""Why two sentences are similar: their cosine, split over pairs of their words, and whether that split holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from encoder.attribution.removal_curves import removal_counts, verdict
from encoder.comparison.exact_splits import ExactSplit
from encoder.comparison.similarity_map import POINTS, SimilarityMap
from encoder.comparison.text_vectors import similarity_of_runs
from encoder.measures.near_ties import largest_first
from encoder.measures.units import Level, units_of
from encoder.models.pooling import COMPARED_BY, Pooling, Similarity
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.names import is_untrained
from encoder.text.readings import knows_no_word
from encoder.text.tokens import USUAL_TOKENS, Tokens
from viz.answers.answer import Answer, Chart, Columns, Part, Row, Sentence, Table
from viz.answers.verdicts import area_in_words, in_words
from viz.figures.pairs import MOST_WORDS, least_height_of_pairs, pair_lines, pair_map
from viz.figures.removal_curves import removal_curves
from viz.wording.explanations import Explanation
from viz.wording.labels import in_markdown, numbered
from viz.wording.numbers import percent, written

EXPLANATION: Final = Explanation(
    "Each cell shows how much a word of A and a word of B add to the cosine together (to the dot product, where the "
    "model's folder compares texts by it): blue raises it, orange lowers it. The lines show the same, without pairs "
    "below a sixth of the largest. Each sentence is read alone; integrated Jacobians follow what each word adds to the "
    "sentence's vector, from [MASK] to the word itself (Möller et al. 2023).",
    "Two words that add to the cosine need not mean the same, and a start other than [MASK] gives other numbers.",
)
NEEDS_TWO: Final = "To see why two sentences are similar, type a second one as sentence B."
NO_PAIRS_OF_LONG: Final = (
    "The cosine is of the whole texts. Its pairs of words take a derivative for every word, so they are for texts of "
    f"up to {USUAL_TOKENS} tokens: shorten the longer one."
)
KNOWS_NO_WORD: Final = "The model knows none of these words: it reads the same piece, “unknown”, for each of them."
UNIT: Final = "sum of the pairs"
NAMES: Final[Mapping[str, str]] = {"cosine": "cosine", "dot": "dot product", "maxsim": "MaxSim"}
WHY_EXACT: Final = (
    "A word of the vocabulary that both texts weigh adds the product of its weights, to the pair of tokens that these "
    "come from.",
    "MaxSim adds up, for each token of A, its largest product with a token of B.",
)
NAMED: Final = 3  # pairs named in a sentence
MOST_MISSING: Final = 0.01  # share of the cosine above which it is reported
SMALL: Final = 0.01  # cosine below which no share is reported

Texts = tuple[Tokens, Tokens]  # A and B, each encoded alone


def similarity(a: Trace, b: Trace, *, pooling: Pooling) -> Answer:
    """The cosine of two sentences, or their dot product where it is what is split, with its caveats.

    Args:
        pooling: of the model.
    """
    name, value = NAMES[pooling.split_by], similarity_of_runs(a, b, pooling)
    parts = [Sentence(f"A and B have a {name} of {written(value, '.3f')}", "heading"), *_instead(pooling.similarity)]
    if not pooling.embeds_texts:
        parts.append(
            Sentence(
                "This model was not trained to compare sentences, as far as its files say. Its cosine can be high for "
                "any two of them; the split is right all the same.",
                "caption",
            )
        )
    if knows_no_word([a.tokens, b.tokens]):
        parts.append(Sentence(KNOWS_NO_WORD, "info"))
    return Answer(tuple(parts))


def pairs(found: SimilarityMap, texts: Texts, level: Level) -> Answer:
    """What each pair of words adds to the similarity: a map, the largest pairs by name, and the sum."""
    values, name = found.values, NAMES[found.similarity]
    a, b = (_labels(text, level) for text in texts)
    charts = [_map_of_pairs(found, a, b)]
    if max(len(a), len(b)) <= MOST_WORDS:
        charts.append(
            Chart(
                name="similar-because-lines",
                alt="The same as lines from words of A to words of B; the strongest are the widest.",
                figure=lambda theme: pair_lines(values, a, b, theme=theme),
                least_height=least_height_of_pairs(max(len(a), len(b))),
            )
        )
    parts: list[Part | Row] = [
        Row(tuple((chart,) for chart in charts), "content"),
        Sentence(f"**These pairs add most:** {_largest_pairs(values, a, b)}. {_sum_in_words(found)}"),
    ]
    if found.points < POINTS:
        estimate = f"This is an estimate from {found.points} points of the path; the split with {POINTS} follows."
        return Answer((*parts, Sentence(estimate, "caption")))
    rest = (
        f"The rest belongs to no pair: it is what remains when words are masked. It is the {name} with all of A "
        f"masked ({written(found.cosine_a_masked, '.3f')}), plus the {name} with all of B masked "
        f"({written(found.cosine_b_masked, '.3f')}), minus the {name} with both masked "
        f"({written(found.cosine_both_masked, '.3f')})."
    )
    return Answer((*parts, _table_of_pairs(values, a, b, rest)))


def exact(found: ExactSplit) -> Answer:
    """The similarity of A as a query and B as a text, and what each pair of words adds to it."""
    name = NAMES[found.similarity]
    pairs, rest = written(found.values.sum(), "+.3f"), written(found.rest, "+.3f")
    return Answer(
        (
            Sentence(f"A as a query and B as a text have a {name} of {written(found.score, '.3f')}", "heading"),
            _map_of_pairs(found, found.a, found.b),
            Sentence(
                f"**These pairs add most:** {_largest_pairs(found.values, found.a, found.b)}. All pairs **{pairs}**, "
                f"the rest **{rest}**, together **{written(found.score, '.3f')}**, without an error."
            ),
            _table_of_pairs(
                found.values,
                found.a,
                found.b,
                f"{WHY_EXACT[found.similarity == 'maxsim']} The rest is of special tokens, "
                "which belong to no word, and of the markers and the [MASK] tokens that some folders add.",
            ),
        )
    )


def strongest_pairs(found: SimilarityMap | ExactSplit, texts: Texts, level: Level, *, similarity: Similarity) -> Answer:
    """The map of pairs, and the largest by name.

    Args:
        similarity: by which the texts are ranked.
    """
    a, b = (_labels(text, level) for text in texts)
    largest = Sentence(f"**These pairs add most:** {_largest_pairs(found.values, a, b)}.")
    return Answer((_map_of_pairs(found, a, b), largest, *_instead(similarity)))


def _instead(similarity: Similarity) -> tuple[Sentence, ...]:
    """That the cosine is split in place of a distance."""
    if similarity in NAMES:
        return ()
    said = (
        f"This model compares texts by {COMPARED_BY[similarity]}, which pairs of words do not add up to: the cosine is"
    )
    return (Sentence(f"{said} split here.", "caption"),)


def _map_of_pairs(found: SimilarityMap | ExactSplit, a: Sequence[str], b: Sequence[str]) -> Chart:
    return Chart(
        name="similar-because-pairs",
        alt=f"What {len(a)} words of A, downward, and {len(b)} words of B, across, add to "
        f"the {NAMES[found.similarity]} in pairs.",
        figure=lambda theme: pair_map(found.values, a, b, theme=theme),
        least_height=least_height_of_pairs(len(a)),
    )


def _table_of_pairs(values: FloatArray, a: Sequence[str], b: Sequence[str], note: str) -> Table:
    return Table(
        name="similar-because",
        title="The pairs as a table",
        columns=lambda: {"A": numbered(a), **dict(zip(numbered(b), values.T, strict=True))},
        note=note,
    )


def removals(
    own: FloatArray,
    random: FloatArray | None,
    *,
    units: int,
    model_name: str,
    texts: Sequence[Tokens] = (),
    exact: ExactSplit | None = None,
) -> Answer:
    """What remains of the similarity as pairs are removed, and whether their order beats random orders.

    Args:
        own: (S,) with the largest pairs removed first.
        random: (R, S) in random orders; None while they are computed.
        units: number of pairs.
        texts: A and B.
        exact: the split, if it is an exact one.
    """
    counts, unit, shown = removal_counts(units), UNIT, "the sum of all pairs"
    if exact is not None:
        unit = f"{NAMES[exact.similarity]} of words"
        shown = f"the {NAMES[exact.similarity]}, less what [MASK] in place of all words of a text leaves of it"
    parts: list[Part] = [Sentence("Does it hold for these sentences?", "heading")]
    note = ""
    if random is not None:
        result = verdict(own, random, units=units)
        parts.append(Sentence(in_words(result, model_name=model_name, text="The shorter sentence", texts=texts)))
        note = area_in_words(result, unit) if result.testable and not is_untrained(model_name) else ""
    parts += [
        Chart(
            name="similar-because-test",
            alt=f"Curves of {shown}, over the number of removed pairs, in several orders.",
            figure=lambda theme: removal_curves(
                own, counts, unit=unit, units_removed="pairs of words", random=random, theme=theme
            ),
        ),
        Table(
            name="similar-because-test",
            title="Details and numbers of the test",
            columns=lambda: _curves(counts, own, random),
            note="The test replaces both words of a pair by [MASK], the pair that adds most first; each word is in one "
            f"pair at most. The curves show {shown}. They end at 0, when one sentence has no word left. {note}",
        ),
    ]
    return Answer(tuple(parts))


def _labels(tokens: Tokens, level: Level) -> tuple[str, ...]:
    return units_of(tokens, level=level, special="hide").labels


def _largest_pairs(values: FloatArray, a: Sequence[str], b: Sequence[str]) -> str:
    largest = largest_first(values, NAMED)
    return ", ".join(
        f"“{in_markdown(a[row])}” and “{in_markdown(b[column])}” {written(values[row, column], '+.3f')}"
        for row, column in (divmod(index, len(b)) for index in largest)
    )


def _sum_in_words(found: SimilarityMap) -> str:
    """The sum of the pairs, the rest that belongs to no pair, and the error against the whole, as Markdown."""
    error, size, name = found.completeness_error, abs(found.cosine), NAMES[found.similarity]
    share = f", {percent(error / size, 2)} of the {name}" if size > SMALL else ""
    caution = ""
    if error > MOST_MISSING * size:
        caution = f" **That is more than 1 % of the {name}: do not rely on small pairs here.**"
    missing = "below 0.0001" if error < 0.0001 else f"{error:.4f}"
    return (
        f"All pairs **{written(found.values.sum(), '+.3f')}**, the rest **{written(found.references, '+.3f')}**, "
        f"together **{written(found.cosine, '.3f')}** (completeness error {missing}{share}, from {found.points} "
        f"points).{caution}"
    )


def _curves(counts: Sequence[int], own: FloatArray, random: FloatArray | None) -> Columns:
    columns: Columns = {"pairs_removed": counts, "this_order": own}
    others = {} if random is None else {f"random_{index}": curve for index, curve in enumerate(random)}
    return {**columns, **others}
