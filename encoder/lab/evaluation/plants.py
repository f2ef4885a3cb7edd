"""Searches that fail for a known reason: queries of the shipped passages, among sentences of SST.

Each plant changes what one query is searched among, so that its relevant text is no longer among the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from encoder.collection.missed_causes import Cause
from encoder.collection.search import scores_of_queries
from encoder.collection.shipped_sets import shipped_collection
from encoder.comparison.exact_splits import vectors_of_tokens
from encoder.lab.training.data import find_file, read_reviews
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray

DISTRACTORS: Final = 250
Chance = np.random.Generator


class Plant(NamedTuple):
    """A search that should fail.

    Attributes:
        texts: the wanted one first, then those that are put before it.
        source: of the wanted text among the other texts, which is left out.
        before: the query that finds the source; "" if there is none.
    """

    query: str
    texts: list[str]
    source: str
    before: str = ""


Planted = tuple[str, list[str]]  # a query, and the texts of a plant
Kind = Callable[[str, str, Sequence[str], Chance], Planted]


class Plants(NamedTuple):
    """Texts that every plant is searched among, each with a query, and the kinds of plants of each cause.

    Attributes:
        vectors: (N, D) of the texts.
        kinds: a kind returns None where the draw does not suit it. Plants of None have no cause: the wanted text is not
            about the query.
    """

    texts: list[str]
    queries: list[str]
    vectors: FloatArray
    kinds: Mapping[Cause | None, Sequence[Callable[[Chance], Plant | None]]]


def vectors_of(model: Backend, texts: Sequence[str]) -> FloatArray:
    """(N, D) vectors of texts as documents."""
    return np.asarray(vectors_of_tokens(model, list(map(model.for_role("document").tokenize, texts)), "document"))


def passages(model: Backend, data: Path) -> Plants:
    """Plants of the shipped passages. Raises DataError."""
    reviews = islice(read_reviews(find_file(data, "sst_dev.tsv")), DISTRACTORS)
    return passages_among(model, [review.text for review in reviews])


def passages_among(model: Backend, others: Sequence[str]) -> Plants:
    """The same among given texts."""
    table = shipped_collection("passages")
    kinds: dict[Cause | None, tuple[Kind, ...]] = KINDS | {"near to everything": (_beside_hubs(model),)}
    texts = [*table.column("text"), *others]
    return Plants(
        texts=texts,
        vectors=vectors_of(model, texts),
        queries=[*table.column("query"), *["a good film"] * len(others)],
        kinds={cause: [partial(_of_passage, kind, others) for kind in of_cause] for cause, of_cause in kinds.items()},
    )


def _of_passage(kind: Kind, others: Sequence[str], chance: Chance) -> Plant:
    query, text = asked()[int(chance.integers(len(asked())))]
    return Plant(*kind(query, text, others, chance), source=text, before="" if kind in OF_THEIR_OWN else query)


def asked() -> list[tuple[str, str]]:
    """The queries of the shipped passages, each with the text that answers it."""
    table = shipped_collection("passages")
    columns = [table.column(name) for name in ("query", "text", "relevant")]
    return [(query, text) for query, text, relevant in zip(*columns, strict=True) if relevant == "yes"]


def _cut_off(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    before = " ".join(others[index] for index in chance.permutation(len(others))[:60])
    return query, [f"{before} {text}"]


def _several_topics(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    around = [others[index].rstrip(".!? ") + "." for index in chance.permutation(len(others))[:7]]
    return query, [" ".join([*around[:4], text, *around[4:]])]


def _number(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    """One record of many that differ in their number; another one says the same in other words."""
    ask, said = NUMBERED[int(chance.integers(len(NUMBERED)))]
    own, *numbers = (chance.choice(9000, size=40, replace=False) + 1000).tolist()
    rest = [ask.format(number).capitalize() + "." for number in numbers]
    return (ask.format(own), [said.format(own), *rest])


def _name(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    """One record of many that differ in a name."""
    own, *names = (NAMES[index] for index in chance.permutation(len(NAMES)))
    rest = [
        f"{name} {done} the {thing}."
        for name in names
        for done, thing in zip(("lost", "found"), chance.choice(THINGS, 2), strict=True)
    ]
    return (
        f"the {chance.choice(THINGS)} that {own} lost",
        [f"Nobody but {own} was there when it went missing.", *rest],
    )


def _negation(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    kinds = (
        ("a {} that is not safe for children", "A {} that is safe for children", "This {} is not safe for children"),
        ("a {} without sugar", "A {} with sugar", "There is no sugar in this {}"),
        ("{} that never closes", "{} that closes early", "This {} never closes"),
    )
    ask, affirmed, negated = kinds[int(chance.integers(len(kinds)))]
    things = [THINGS[index] for index in chance.permutation(len(THINGS))]
    own = things[0]
    texts = [f"{negated.format(own)}, and nobody minds.", *(f"{affirmed.format(own)}: {each}." for each in things[:12])]
    return (ask.format(own), texts)


def _copies(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    copied = f"{query.capitalize()}? Ask somebody who knows."
    return query, [text, *[copied] * 8]


def _other_language(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    return query, [ABROAD[int(chance.integers(len(ABROAD)))]]


def _unknown_words(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    letters = [chr(code) for code in range(0x13A0, 0x13D0)]  # Cherokee
    words = ["".join(chance.choice(letters, 5)) for _ in text.split()]
    return query, [" ".join(words)]


def _beside_hubs(model: Backend) -> Kind:
    """Plants beside the texts, of 200 lists of words of all queries, that are nearest to the most queries."""
    queries = [query for query, _ in asked()]
    words, chance = " ".join(queries).split(), np.random.default_rng(0)
    lists = [" ".join(chance.choice(words, 18, replace=False)) for _ in range(200)]
    similar = scores_of_queries(model, queries, vectors_of(model, lists))  # (Q, 200)
    hubs = [lists[at] for at in np.argsort(-similar.mean(axis=0))[:10]]
    return lambda query, text, others, chance: (query, [text, *hubs])


def _of_something_else(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    return query, [others[int(chance.integers(len(others)))]]


def _one_word(query: str, text: str, others: Sequence[str], chance: Chance) -> Planted:
    words = [word for word in query.split() if len(word) > 3]
    return (words[int(chance.integers(len(words)))], [text])


NUMBERED: Final = (
    ("invoice {} is unpaid", "The customer still owes us what number {} asks for."),
    ("order {} was sent back", "Goods returned: see {}."),
    ("room {} has no heating", "It stays cold in {} at night."),
)
NAMES: Final = (
    *("Ada Brandt", "Boris Keller", "Chloe Okafor", "Dilan Yildiz", "Edda Storm", "Farid Haddad", "Greta Lind"),
    *("Hugo Marchetti", "Ines Duarte", "Jonas Pohl", "Keiko Mori", "Liam Byrne", "Mila Novak", "Noor Aziz"),
    *("Otto Fink", "Petra Vogel"),
)
THINGS: Final = (
    "drink",
    "toy",
    "shop",
    "soap",
    "lamp",
    "cake",
    "paint",
    "chair",
    "bottle",
    "market",
    "library",
    "coat",
)
ABROAD: Final = (
    "Die meisten Erwachsenen brauchen sieben bis neun Stunden Schlaf in der Nacht.",
    "Les roses sont taillées au printemps, quand les bourgeons commencent à gonfler.",
    "Los gatos duermen más de la mitad del día y cazan de noche.",
    "Il violino produce il suono quando l'archetto fa vibrare le corde.",
    "Bijen maken honing van nectar, die zij in de raten laten indrogen.",
    "As folhas do repolho são comidas por lagartas de borboletas brancas.",
)

OF_THEIR_OWN: Final = (_number, _name, _negation, _other_language, _of_something_else)  # no passage, or another one
KINDS: Final[dict[Cause | None, tuple[Kind, ...]]] = {
    "cut off": (_cut_off,),
    "unknown words": (_unknown_words,),
    "other language": (_other_language,),
    "copies before it": (_copies,),
    "number or name": (_number, _name),
    "negation": (_negation,),
    "several topics": (_several_topics,),
    "one word": (_one_word,),
    None: (_of_something_else,),
}
