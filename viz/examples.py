"""Sentences worth looking at, for the picker in the sidebar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["pair", "separate"]


@dataclass(frozen=True, slots=True)
class Example:
    """Two sentences, and what to look for in them.

    Attributes:
        word: the initial word of the lens.
        claims: the statements of `look_for` about the default model, as claims of a tour; checked by a test.
        mode: how the sentences are encoded.
    """

    title: str
    a: str
    b: str
    look_for: str
    word: str
    claims: tuple[str, ...]
    mode: Mode = "separate"


EXAMPLES = (
    Example(
        "flies: verb or noun?",
        "time flies like an arrow",
        "fruit flies like a banana",
        "“flies” is a verb in A and a noun in B. In layer 0, head 4 it looks at “time” in A and at “fruit” in B.",
        word="flies",
        claims=(
            'probe(layer=all, A:"flies", VERB) > 0.5',
            'probe(layer=all, B:"flies", NOUN) > 0.5',
            'weight(layer=0, head=4, A:"flies" → "time") > 0.5',
            'weight(layer=0, head=4, B:"flies" → "fruit") > 0.5',
        ),
    ),
    Example(
        "flies: both sentences as one pair",
        "time flies like an arrow",
        "fruit flies like a banana",
        "as in chapter 3 of Natural Language Processing with Transformers, every word sees both sentences. In layer 0, "
        "head 4, “flies” of A looks at “fruit” in B too, and the model takes it for a noun.",
        word="flies",
        claims=(
            'weight(layer=0, head=4, A:"flies" → B:"fruit") > 0.3',
            'probe(layer=all, A:"flies", NOUN) > 0.5',
            'probe(layer=all, B:"flies", NOUN) > 0.5',
        ),
        mode="pair",
    ),
    Example(
        "flies: higher or on corn?",
        "the lighter aircraft flies higher",
        "the corn field is full of flies",
        "“flies” is a verb in A and a noun in B.",
        word="flies",
        claims=('probe(layer=all, A:"flies", VERB) > 0.5', 'probe(layer=all, B:"flies", NOUN) > 0.5'),
    ),
    Example(
        "bank: river or money?",
        "she sat on the bank of the river and watched the boats",
        "he opened a savings account at the bank in town",
        "in layer 0, head 4 “bank” looks at “river” in A and at “account” in B.",
        word="bank",
        claims=(
            'weight(layer=0, head=4, A:"bank" → "river") > 0.5',
            'weight(layer=0, head=4, B:"bank" → "account") > 0.5',
        ),
    ),
    Example(
        "bat: animal or club?",
        "a bat slept upside down in the dark cave",
        "the batter swung the bat and missed the ball",
        "two nouns with the same spelling. The word lens shows how their vectors, similar at first, diverge: cosine "
        ".96 at the embeddings, .76 after the last layer.",
        word="bat",
        claims=(
            'probe(layer=all, A:"bat", NOUN) > 0.5',
            'probe(layer=all, B:"bat", NOUN) > 0.5',
            'cosine(layer=embeddings, A:"bat", B:"bat") = 0.96',
            'cosine(layer=5, A:"bat", B:"bat") = 0.76',
        ),
    ),
    Example(
        "bark: tree or dog?",
        "the bark of the old oak was rough and brown",
        "the dogs bark at every stranger who walks past",
        "“bark” is a noun in A and a verb in B.",
        word="bark",
        claims=('probe(layer=all, A:"bark", NOUN) > 0.5', 'probe(layer=all, B:"bark", VERB) > 0.5'),
    ),
    Example(
        "light: weight or lamp?",
        "the suitcase was light enough to carry upstairs",
        "please turn off the light before you leave",
        "“light” is an adjective in A and a noun in B.",
        word="light",
        claims=('probe(layer=all, A:"light", ADJ) > 0.5', 'probe(layer=all, B:"light", NOUN) > 0.5'),
    ),
    Example(
        "watch: look or clock?",
        "we watch the stars every night",
        "her watch stopped at midnight",
        "“watch” is a verb in A and a noun in B.",
        word="watch",
        claims=('probe(layer=all, A:"watch", VERB) > 0.5', 'probe(layer=all, B:"watch", NOUN) > 0.5'),
    ),
    Example(
        "duck: bird or stoop?",
        "i saw her duck behind the wall when the ball came",
        "i saw her duck swim across the pond",
        "“duck” is a verb in A, but the model takes it for a noun in both sentences.",
        word="duck",
        claims=('probe(layer=all, A:"duck", NOUN) > 0.5', 'probe(layer=all, B:"duck", NOUN) > 0.5'),
    ),
    Example(
        "can: able or tin?",
        "they can fish in the lake all summer",
        "they opened a can of fish for supper",
        "“can” is an auxiliary verb in A and a noun in B.",
        word="can",
        claims=('probe(layer=all, A:"can", AUX) > 0.5', 'probe(layer=all, B:"can", NOUN) > 0.5'),
    ),
    Example(
        "lead: metal or guide?",
        "the old pipes were made of lead",
        "the guides lead the group up the mountain",
        "“lead” is a noun in A and a verb in B.",
        word="lead",
        claims=('probe(layer=all, A:"lead", NOUN) > 0.5', 'probe(layer=all, B:"lead", VERB) > 0.5'),
    ),
    Example(
        "a pronoun",
        "the trophy did not fit in the suitcase because it was too big",
        "the trophy did not fit in the suitcase because it was too small",
        "“it” is the trophy in A and the suitcase in B. Layer 3, head 1 looks at “trophy” in both.",
        word="it",
        claims=(
            'weight(layer=3, head=1, A:"it" → A:"trophy") > 0.5',
            'weight(layer=3, head=1, B:"it" → B:"trophy") > 0.5',
        ),
    ),
    Example(
        "a negation",
        "the film was good and i enjoyed it",
        "the film was not good and i did not enjoy it",
        "layer 0, head 2 looks at the word before: from “good” at “was” in A and at “not” in B.",
        word="good",
        claims=(
            'weight(layer=0, head=2, A:"good" → A:"was") > 0.5',
            'weight(layer=0, head=2, B:"good" → B:"not"#1) > 0.5',
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Two sentences that differ in one thing, and its name."""

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
