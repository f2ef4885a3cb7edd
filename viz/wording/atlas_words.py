"""Names of habits and relations of heads on the page, and their figures."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.atlas.names import (
    CLS_NAME,
    DIRECTIONS,
    ITSELF,
    OTHER_SENTENCE,
    PUNCTUATION,
    SAME_WORD,
    SEP_1_NAME,
    SEP_2_NAME,
    TOGETHER,
)
from encoder.atlas.records import Habit, Relation, Silencing
from viz.wording.labels import make_visible
from viz.wording.numbers import written

# A dependent and its head, for the relations of Universal Dependencies that English has.
RELATIONS = {
    "acl": ("clause modifier", "noun"),
    "acl:relcl": ("relative clause", "noun"),
    "advcl": ("adverbial clause", "verb"),
    "advmod": ("adverb", "word it modifies"),
    "amod": ("adjective", "noun"),
    "appos": ("apposition", "noun"),
    "aux": ("auxiliary", "verb"),
    "aux:pass": ("passive auxiliary", "verb"),
    "case": ("case", "noun"),
    "cc": ("conjunction", "conjunct"),
    "ccomp": ("clausal complement", "verb"),
    "compound": ("part of a compound", "noun"),
    "compound:prt": ("particle", "verb"),
    "conj": ("conjunct", "first conjunct"),
    "cop": ("copula", "predicate"),
    "csubj": ("clausal subject", "verb"),
    "det": ("determiner", "noun"),
    "expl": ("expletive", "verb"),
    "flat": ("further part of a name", "first part"),
    "iobj": ("indirect object", "verb"),
    "mark": ("marker", "clause"),
    "nmod": ("noun modifier", "noun"),
    "nmod:poss": ("possessor", "noun"),
    "nmod:unmarked": ("unmarked noun modifier", "noun"),
    "nsubj": ("subject", "verb"),
    "nsubj:pass": ("passive subject", "verb"),
    "nummod": ("number", "noun"),
    "obj": ("object", "verb"),
    "obl": ("oblique", "verb"),
    "obl:unmarked": ("unmarked oblique", "verb"),
    "parataxis": ("joined clause", "main clause"),
    "xcomp": ("open complement", "verb"),
}
HABITS = {
    CLS_NAME: "[CLS]",
    SEP_1_NAME: "[SEP]",
    SEP_2_NAME: "second [SEP]",
    ITSELF: "the word itself",
    SAME_WORD: "the same word elsewhere",
    OTHER_SENTENCE: "the other sentence",
    PUNCTUATION: "punctuation",
    TOGETHER: "the word that goes with it",
}
REVIEWS = {"sst_dev": "SST dev"}


def relation_name(relation: str, direction: str) -> str:
    """From the word that looks to the right one, as in “object → verb”."""
    dependent, head = RELATIONS.get(relation, (f"dependent ({relation})", "head"))
    return f"{dependent} → {head}" if direction == DIRECTIONS[0] else f"{head} → {dependent}"


def place_name(offset: int) -> str:
    """The word at an offset after another one, or before it if negative."""
    if abs(offset) == 1:
        return "the next word" if offset > 0 else "the previous word"
    return f"the word {abs(offset)} places {'behind' if offset > 0 else 'before'}"


def habit_name(habit: str) -> str:
    """The target of the measured attention."""
    if habit.startswith("offset "):
        return place_name(int(habit.removeprefix("offset ")))
    return HABITS.get(habit, habit)


def short_relation(relation: str, direction: str) -> str:
    """As in “obj→” where the object looks, and “→obj” where it is looked at."""
    return f"{relation}→" if direction == DIRECTIONS[0] else f"→{relation}"


def short_habit(habit: str) -> str:
    """A few letters for where attention goes."""
    if habit.startswith("offset "):
        return short_place(int(habit.removeprefix("offset ")))
    shorter = {SEP_1_NAME: "[SEP]", SAME_WORD: "same word", PUNCTUATION: "punctuation", TOGETHER: "pairs"}
    return shorter.get(habit, habit)


def short_place(offset: int) -> str:
    """The next word, the previous one, or the offset with its sign."""
    return {1: "next word", -1: "word before"}.get(offset, written(offset, "+d"))


def figure(value: float) -> str:
    """Two decimals, as in “.74”; numbers from 1 on keep the digit before the point."""
    text = f"{value:.2f}"
    return text.removeprefix("0") if 0 <= value < 1 else text


def percent(share: float) -> str:
    """A share in percent, without a line break opportunity."""
    return f"{100 * share:.0f}\u00a0%"


def relation_sentence(relation: Relation) -> str:
    """How often a head finds a relation, compared with the best fixed offset."""
    source, target = relation_name(relation.relation, relation.direction).split(" → ")
    return (
        f"From {source} to {target}, this head looks most at the right word in {percent(relation.accuracy)} of "
        f"{relation.n:,} cases ({between(relation.low, relation.high)}; {percent(relation.offset_accuracy)} at the "
        "best fixed distance)."
    )


def between(low: float, high: float) -> str:
    """An interval in percent."""
    return f"{100 * low:.0f} to {percent(high)}"


def pairs_in_words(pairs: Sequence[tuple[str, str]]) -> str:
    """Words with those that a head looks at from them, as in “pay → attention, United → States”."""
    return ", ".join(f"{make_visible(query)} → {make_visible(key)}" for query, key in pairs)


def position_sentence(offset: int, share: float) -> str:
    """The share of words at which a head looks most at the word at one offset."""
    return f"For {percent(share)} of words, this head looks most at {place_name(offset)}."


def habit_sentence(habit: Habit, baseline: float) -> str:
    """What a head looks at more than other heads do."""
    if habit.habit == TOGETHER:
        return (
            f"Joins words that go together: {100 * habit.mean:.0f} points more often than words as far away and as "
            f"frequent ({100 * habit.low:.0f} to {100 * habit.high:.0f}, {habit.n:,} sentences)."
        )
    than = "even attention" if baseline == habit.chance else "the median head"
    return (
        f"Looks at {habit_name(habit.habit)} with {percent(habit.mean)} of a word's attention "
        f"({between(habit.low, habit.high)}, {habit.n:,} sentences; {than} gives {percent(baseline)})."
    )


def silencing_sentence(found: Silencing) -> str:
    """The loss of the model's outputs without a head, compared with other heads."""
    sentence = (
        f"Switching this head off changes sentence vectors by {found.shift:.4f} (1 − cosine, {found.n:,} sentences); "
        f"{found.larger_than} of the {found.others} others matter less."
    )
    if found.accuracy is None or found.accuracy_change is None or found.num_reviews is None:
        return sentence
    before, after = (f"{100 * share:.1f}\u00a0%" for share in (found.accuracy, found.accuracy + found.accuracy_change))
    return f"{sentence} Accuracy on {found.num_reviews:,} reviews ({reviews_name(found)}): {before} → {after}."


def reviews_name(found: Silencing) -> str:
    """The name of the reviews that the accuracy was measured on; a custom file by its name."""
    return REVIEWS.get(found.reviews or "", found.reviews or "reviews")


def points(change: float) -> str:
    """A change of a share in percentage points, with its sign."""
    return written(100 * change, "+.1f")
