"""Sentences worth looking at, for the picker in the sidebar."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """Two sentences, what to look for in them, and the word that the lens begins with."""

    title: str
    a: str
    b: str
    look_for: str
    word: str


EXAMPLES = (
    Example(
        "flies: verb or noun?",
        "time flies like an arrow",
        "fruit flies like a banana",
        "“flies” is a verb in A and part of a noun in B; “like” changes its role with it.",
        word="flies",
    ),
    Example(
        "flies: higher or on corn?",
        "the lighter aircraft flies higher",
        "the corn field is full of flies",
        "“flies” ends B as a noun, and stands before its adverb as a verb in A.",
        word="flies",
    ),
    Example(
        "bank: river or money?",
        "she sat on the bank of the river and watched the boats",
        "he opened a savings account at the bank in town",
        "which words “bank” looks at: “river” in A, “account” in B?",
        word="bank",
    ),
    Example(
        "bat: animal or club?",
        "a bat slept upside down in the dark cave",
        "the batter swung the bat and missed the ball",
        "two nouns with one spelling, told apart by the company they keep.",
        word="bat",
    ),
    Example(
        "bark: tree or dog?",
        "the bark of the old oak was rough and brown",
        "the dogs bark at every stranger who walks past",
        "a noun in A, a verb in B.",
        word="bark",
    ),
    Example(
        "light: weight or lamp?",
        "the suitcase was light enough to carry upstairs",
        "please turn off the light before you leave",
        "an adjective in A, a noun in B.",
        word="light",
    ),
    Example(
        "watch: look or clock?",
        "we watch the stars every night",
        "her watch stopped at midnight",
        "a verb in A, a noun in B.",
        word="watch",
    ),
    Example(
        "duck: bird or stoop?",
        "i saw her duck behind the wall when the ball came",
        "i saw her duck swim across the pond",
        "the same four words begin both sentences; only what follows decides.",
        word="duck",
    ),
    Example(
        "can: able or tin?",
        "they can fish in the lake all summer",
        "they opened a can of fish for supper",
        "an auxiliary verb in A, a noun in B.",
        word="can",
    ),
    Example(
        "lead: metal or guide?",
        "the old pipes were made of lead",
        "the guides lead the group up the mountain",
        "different words that are spelt alike.",
        word="lead",
    ),
    Example(
        "a pronoun",
        "the trophy did not fit in the suitcase because it was too big",
        "the trophy did not fit in the suitcase because it was too small",
        "“it” is the trophy in A and the suitcase in B. Does any head look at the right noun?",
        word="it",
    ),
    Example(
        "a negation",
        "the film was good and i enjoyed it",
        "the film was not good and i did not enjoy it",
        "what attends to “not”?",
        word="good",
    ),
)


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Two sentences that differ in one thing, and what that is called."""

    phenomenon: str
    a: str
    b: str


MINIMAL_PAIRS = (
    MinimalPair(
        "agreement",
        "the key to the cabinets is on the table",
        "the keys to the cabinets are on the table",
    ),
    MinimalPair(
        "agreement",
        "the author near the senators laughs",
        "the author near the senators laugh",
    ),
    MinimalPair(
        "agreement",
        "the dog that chased the cats sleeps now",
        "the dogs that chased the cats sleep now",
    ),
    MinimalPair(
        "agreement",
        "this old story was told every winter",
        "these old stories were told every winter",
    ),
    MinimalPair(
        "negation",
        "the film was good",
        "the film was not good",
    ),
    MinimalPair(
        "negation",
        "nobody said that the plan would work",
        "somebody said that the plan would work",
    ),
    MinimalPair(
        "negation",
        "she has ever been to paris",
        "she has never been to paris",
    ),
    MinimalPair(
        "negation",
        "the train left with all of the passengers",
        "the train left without any of the passengers",
    ),
    MinimalPair(
        "pronouns",
        "the trophy did not fit in the suitcase because it was too big",
        "the trophy did not fit in the suitcase because it was too small",
    ),
    MinimalPair(
        "pronouns",
        "the nurse thanked the man because he had helped",
        "the nurse thanked the man because she had helped",
    ),
    MinimalPair(
        "pronouns",
        "anna told maria that she had won",
        "anna asked maria whether she had won",
    ),
    MinimalPair(
        "pronouns",
        "the boys saw themselves in the mirror",
        "the boys saw them in the mirror",
    ),
    MinimalPair(
        "ambiguity",
        "he saw the man with the telescope",
        "he saw the man with the dog",
    ),
    MinimalPair(
        "ambiguity",
        "she sat on the bank and fished",
        "she sat on the bench and fished",
    ),
    MinimalPair(
        "ambiguity",
        "the old man the boats",
        "the old man sailed the boats",
    ),
    MinimalPair(
        "ambiguity",
        "i saw her duck behind the wall",
        "i saw her duck in the pond",
    ),
)
