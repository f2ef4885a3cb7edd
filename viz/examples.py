"""Sentences worth looking at, for the list of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["pair", "separate"]


@dataclass(frozen=True, slots=True)
class Example:
    """Two sentences, a question about them, and what the page shows of them.

    Attributes:
        answer: to the question, by the model, and where it is wrong.
        word: the initial word of the lens; "" for sentences that share no word.
        claims: what the answer says about the default model, as claims of a tour; checked by a test.
        mode: how the sentences are encoded.
        view: the view that shows it; None for the one that is open.
    """

    title: str
    question: str
    answer: str
    a: str
    b: str
    word: str
    claims: tuple[str, ...]
    mode: Mode = "separate"
    layer: int = 0
    head: int = 4
    view: Literal["head view", "predictions"] | None = None

    @property
    def selection(self) -> dict[str, str | int]:
        """The values of the page's selection, by the names of its fields."""
        shown: dict[str, str | int] = {
            "a": self.a,
            "b": self.b,
            "mode": self.mode,
            "layer": self.layer,
            "head": self.head,
        }
        return shown | {"view": self.view} if self.view else shown


EXAMPLES = (
    Example(
        "flies: verb or noun?",
        "Is “flies” a verb or a noun?",
        "Both.",  # the first screen says beside it how the model reads the word, and where the head looks
        "time flies like an arrow",
        "fruit flies like a banana",
        word="flies",
        claims=(
            'probe(layer=all, A:"flies", VERB) > 0.5',
            'probe(layer=all, B:"flies", NOUN) > 0.5',
            'probe(layer=5, A:"flies", VERB) > 0.5',
            'probe(layer=5, B:"flies", NOUN) > 0.5',
            'weight(layer=0, head=4, A:"flies" → "time") > 0.5',
            'weight(layer=0, head=4, B:"flies" → "fruit") > 0.5',
        ),
    ),
    Example(
        "flies: read as one pair",
        "What changes if both sentences are read together?",
        "Every word sees both sentences, as in chapter 3 of Natural Language Processing with "
        "Transformers. “flies” of A looks at “fruit” in B, too, and the model is wrong: it takes it for a "
        "noun.",
        "time flies like an arrow",
        "fruit flies like a banana",
        word="flies",
        claims=(
            'weight(layer=0, head=4, A:"flies" → B:"fruit") > 0.3',
            'probe(layer=all, A:"flies", NOUN) > 0.5',
            'probe(layer=all, B:"flies", NOUN) > 0.5',
        ),
        mode="pair",
        view="head view",
    ),
    Example(
        "flies: higher or on corn?",
        "Is “flies” a verb or a noun?",
        "A verb in A and a noun in B, and the model is right about both.",
        "the lighter aircraft flies higher",
        "the corn field is full of flies",
        word="flies",
        claims=(
            'probe(layer=all, A:"flies", VERB) > 0.9',
            'probe(layer=all, B:"flies", NOUN) > 0.9',
            'probe(layer=5, A:"flies", VERB) > 0.9',
            'probe(layer=5, B:"flies", NOUN) > 0.9',
        ),
    ),
    Example(
        "bank: river or money?",
        "Is “bank” beside a river or full of money?",
        "Beside a river in A, full of money in B. A part of speech cannot tell, for both are nouns; in "
        "layer 0, head 4 the word looks at “river” in A and at “account” in B.",
        "she sat on the bank of the river and watched the boats",
        "he opened a savings account at the bank in town",
        word="bank",
        claims=(
            'probe(layer=5, A:"bank", NOUN) > 0.5',
            'probe(layer=5, B:"bank", NOUN) > 0.5',
            'weight(layer=0, head=4, A:"bank" → "river") > 0.5',
            'weight(layer=0, head=4, B:"bank" → "account") > 0.5',
        ),
    ),
    Example(
        "bat: animal or club?",
        "Is the “bat” an animal or a club?",
        "An animal in A, a club in B. A part of speech cannot tell, for both are nouns. The two vectors "
        "diverge, from a cosine of 0.96 to 0.76 after the last layer: that they differ is all that it "
        "says.",
        "a bat slept upside down in the dark cave",
        "the batter swung the bat and missed the ball",
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
        "Is “bark” on a tree or from a dog?",
        "On a tree in A, from a dog in B: a noun and a verb. After the last layer the model cannot decide "
        "about A, 49 % noun and 48 % verb; from all layers together it is right.",
        "the bark of the old oak was rough and brown",
        "the dogs bark at every stranger who walks past",
        word="bark",
        claims=(
            'probe(layer=all, A:"bark", NOUN) > 0.5',
            'probe(layer=all, B:"bark", VERB) > 0.5',
            'probe(layer=5, A:"bark", NOUN) < 0.55',
            'probe(layer=5, A:"bark", VERB) > 0.4',
            'probe(layer=5, B:"bark", VERB) > 0.9',
        ),
    ),
    Example(
        "light: weight or lamp?",
        "Is “light” an adjective or a noun?",
        "An adjective in A, a noun in B. After the last layer the model is wrong about A: it reads a "
        "verb, 65 %. From all layers together it is right.",
        "the suitcase was light enough to carry upstairs",
        "please turn off the light before you leave",
        word="light",
        claims=(
            'probe(layer=all, A:"light", ADJ) > 0.5',
            'probe(layer=all, B:"light", NOUN) > 0.5',
            'probe(layer=5, A:"light", VERB) > 0.5',
            'probe(layer=5, B:"light", NOUN) > 0.5',
        ),
    ),
    Example(
        "watch: look or clock?",
        "Is “watch” a verb or a noun?",
        "A verb in A, a noun in B. After the last layer the model no longer knows B: the likeliest is a "
        "pronoun, 29 %. From all layers together it is right.",
        "we watch the stars every night",
        "her watch stopped at midnight",
        word="watch",
        claims=(
            'probe(layer=all, A:"watch", VERB) > 0.5',
            'probe(layer=all, B:"watch", NOUN) > 0.5',
            'probe(layer=5, A:"watch", VERB) > 0.5',
            'probe(layer=5, B:"watch", NOUN) < 0.3',
            'probe(layer=5, B:"watch", PRON) > 0.25',
        ),
    ),
    Example(
        "duck: bird or stoop?",
        "Is “duck” a verb or a noun?",
        "A verb in A, a noun in B. The model is wrong about A: it takes both for nouns, and their vectors stay alike.",
        "i saw her duck behind the wall when the ball came",
        "i saw her duck swim across the pond",
        word="duck",
        claims=(
            'probe(layer=all, A:"duck", NOUN) > 0.5',
            'probe(layer=all, B:"duck", NOUN) > 0.5',
            'probe(layer=5, A:"duck", NOUN) > 0.5',
            'cosine(layer=5, A:"duck", B:"duck") > 0.9',
        ),
    ),
    Example(
        "can: able or tin?",
        "Is “can” an auxiliary verb or a noun?",
        "An auxiliary verb in A and a noun in B, and the model is right about both. After layer 0 it "
        "still takes both for auxiliaries.",
        "they can fish in the lake all summer",
        "they opened a can of fish for supper",
        word="can",
        claims=(
            'probe(layer=all, A:"can", AUX) > 0.5',
            'probe(layer=all, B:"can", NOUN) > 0.5',
            'probe(layer=5, B:"can", NOUN) > 0.5',
            'probe(layer=0, B:"can", AUX) > 0.5',
        ),
    ),
    Example(
        "lead: metal or guide?",
        "Is “lead” a noun or a verb?",
        "A noun in A and a verb in B, and the model is right about both.",
        "the old pipes were made of lead",
        "the guides lead the group up the mountain",
        word="lead",
        claims=(
            'probe(layer=all, A:"lead", NOUN) > 0.5',
            'probe(layer=all, B:"lead", VERB) > 0.5',
            'probe(layer=5, A:"lead", NOUN) > 0.5',
            'probe(layer=5, B:"lead", VERB) > 0.5',
        ),
    ),
    Example(
        "a pronoun",
        "What does “it” stand for?",
        "The trophy in A, the suitcase in B. The model does not tell them apart: layer 3, head 1 looks at "
        "“trophy” in both, and the two vectors of “it” stay the same, with a cosine of 0.99.",
        "the trophy did not fit in the suitcase because it was too big",
        "the trophy did not fit in the suitcase because it was too small",
        word="it",
        claims=(
            'weight(layer=3, head=1, A:"it" → A:"trophy") > 0.5',
            'weight(layer=3, head=1, B:"it" → B:"trophy") > 0.5',
            'cosine(layer=5, A:"it", B:"it") = 0.99',
        ),
        layer=3,
        head=1,
    ),
    Example(
        "a negation",
        "Does a head see “not”?",
        "It looks as if it did: in layer 0, head 2, “good” gives “not” all of its attention in B. In A it "
        "gives “was” as much: the head looks at the word before.",
        "the film was good and i enjoyed it",
        "the film was not good and i did not enjoy it",
        word="good",
        claims=(
            'weight(layer=0, head=2, A:"good" → A:"was") > 0.99',
            'weight(layer=0, head=2, B:"good" → B:"not"#1) > 0.99',
            "corpus(layer=0, head=2, to=previous) > 0.9",
        ),
        head=2,
    ),
    Example(
        "masked words",
        "Which words fit at the masks?",
        "In A a modal verb is far likelier than all other words, in B a pronoun.",
        "i hope that he [MASK] come tomorrow.",
        "thank [MASK] very much for your help.",
        word="",
        claims=(
            'masked(A:"[MASK]", will) > 0.4',
            'masked(A:"[MASK]", is) < 0.15',
            'masked(B:"[MASK]", you) > 0.6',
            'masked(B:"[MASK]", me) < 0.1',
        ),
        view="predictions",
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
