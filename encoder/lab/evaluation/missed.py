"""How often the planted cause of a search that fails is named.

Each plant changes one query's table of `passages`, among sentences of SST, so that its relevant text is no longer among
the first five for a known reason. Plants that do not make it fail are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from encoder.catalogue import load
from encoder.collection.missed import Cause, Missed, why_not
from encoder.collection.search import GrowingVectors, scores_of_queries
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import vectors_of_tokens
from encoder.errors import reports_errors
from encoder.lab.training.data import read_reviews
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray

DISTRACTORS: Final = 250
Chance = np.random.Generator


class Plant(NamedTuple):
    """A search that should fail: the wanted text is the first of the texts."""

    query: str
    texts: list[str]


def asked() -> list[tuple[str, str]]:
    """The queries of the shipped passages, each with the text that answers it."""
    table = shipped_collection("passages")
    columns = [table.column(name) for name in ("query", "text", "relevant")]
    return [(query, text) for query, text, relevant in zip(*columns, strict=True) if relevant == "yes"]


def _cut_off(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    before = " ".join(others[index] for index in chance.permutation(len(others))[:60])
    return Plant(query, [f"{before} {text}"])


def _several_topics(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    around = [others[index].rstrip(".!? ") + "." for index in chance.permutation(len(others))[:7]]
    return Plant(query, [" ".join([*around[:4], text, *around[4:]])])


def _number(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    """One record of many that differ in their number; another one says the same in other words."""
    ask, said = NUMBERED[int(chance.integers(len(NUMBERED)))]
    own, *numbers = (chance.choice(9000, size=40, replace=False) + 1000).tolist()
    rest = [ask.format(number).capitalize() + "." for number in numbers]
    return Plant(ask.format(own), [said.format(own), *rest])


def _name(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    """One record of many that differ in a name."""
    own, *names = (NAMES[index] for index in chance.permutation(len(NAMES)))
    rest = [
        f"{name} {done} the {thing}."
        for name in names
        for done, thing in zip(("lost", "found"), chance.choice(THINGS, 2), strict=True)
    ]
    return Plant(
        f"the {chance.choice(THINGS)} that {own} lost", [f"Nobody but {own} was there when it went missing.", *rest]
    )


def _negation(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    kinds = (
        ("a {} that is not safe for children", "A {} that is safe for children", "This {} is not safe for children"),
        ("a {} without sugar", "A {} with sugar", "There is no sugar in this {}"),
        ("{} that never closes", "{} that closes early", "This {} never closes"),
    )
    ask, affirmed, negated = kinds[int(chance.integers(len(kinds)))]
    things = [THINGS[index] for index in chance.permutation(len(THINGS))]
    own = things[0]
    texts = [f"{negated.format(own)}, and nobody minds.", *(f"{affirmed.format(own)}: {each}." for each in things[:12])]
    return Plant(ask.format(own), texts)


def _copies(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    copied = f"{query.capitalize()}? Ask somebody who knows."
    return Plant(query, [text, *[copied] * 8])


def _other_language(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    return Plant(query, [ABROAD[int(chance.integers(len(ABROAD)))]])


def _unknown_words(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    letters = [chr(code) for code in range(0x13A0, 0x13D0)]  # Cherokee
    words = ["".join(chance.choice(letters, 5)) for _ in text.split()]
    return Plant(query, [" ".join(words)])


def _beside_hubs(model: Backend) -> Callable[..., Plant]:
    """Plants beside the texts, of 200 lists of words of all queries, that are nearest to the most queries."""
    queries = [query for query, _ in asked()]
    words, chance = " ".join(queries).split(), np.random.default_rng(0)
    lists = [" ".join(chance.choice(words, 18, replace=False)) for _ in range(200)]
    similar = scores_of_queries(model, queries, _vectors(model, lists))  # (Q, 200)
    hubs = [lists[at] for at in np.argsort(-similar.mean(axis=0))[:10]]
    return lambda query, text, others, chance: Plant(query, [text, *hubs])


def _one_word(query: str, text: str, others: Sequence[str], chance: Chance) -> Plant:
    words = [word for word in query.split() if len(word) > 3]
    return Plant(words[int(chance.integers(len(words)))], [text])


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
PLANTS: Final[dict[Cause, tuple[Callable[..., Plant], ...]]] = {
    "cut off": (_cut_off,),
    "unknown words": (_unknown_words,),
    "other language": (_other_language,),
    "copies before it": (_copies,),
    "number or name": (_number, _name),
    "negation": (_negation,),
    "several topics": (_several_topics,),
    "near to everything": (),
    "one word": (_one_word,),
}


class Base(NamedTuple):
    """The texts that every plant is searched among, each with a query, and their vectors."""

    texts: list[str]
    queries: list[str]
    vectors: FloatArray

    @classmethod
    def of(cls, model: Backend, reviews: Sequence[str]) -> Base:
        """The shipped passages and other texts."""
        passages = shipped_collection("passages")
        texts = [*passages.column("text"), *reviews]
        return cls(texts, [*passages.column("query"), *["a good film"] * len(reviews)], _vectors(model, texts))


def _vectors(model: Backend, texts: Sequence[str]) -> FloatArray:
    return np.asarray(vectors_of_tokens(model, list(map(model.for_role("document").tokenize, texts)), "document"))


def planted(
    model: Backend, base: Base, *, each: int, seed: int, causes: Iterable[Cause] = tuple(PLANTS)
) -> Iterator[tuple[Cause, Missed]]:
    """The planted cause and what is said of searches that fail, `each` of them for every cause."""
    hubs = _beside_hubs(model)
    for cause in causes:
        kinds = PLANTS[cause] or (hubs,)
        chance = np.random.default_rng([seed, len(cause)])
        made = 0
        for index in range(10 * each):
            query, text = asked()[int(chance.integers(len(asked())))]
            plant = kinds[index % len(kinds)](query, text, base.texts[-len(base.texts) // 3 :], chance)
            rest = [at for at, other in enumerate(base.texts) if other != text]
            queries = [plant.query] * len(plant.texts) + [base.queries[at] for at in rest]
            table = pa.table({"query": queries, "text": [*plant.texts, *(base.texts[at] for at in rest)]})
            into = GrowingVectors(Collection.of("planted", table, text="query", text_b="text"))
            into.append(_vectors(model, plant.texts))
            into.append(base.vectors[rest])
            found = why_not(model, into.collection, plant.query, 0, into)
            if not found.found:
                made += 1
                yield cause, found
            if made == each:
                break


def evaluate(model: Backend, reviews: Sequence[str], *, each: int, seed: int) -> dict[str, Any]:
    """How often each planted cause is named, and what is named in its place."""
    named: dict[Cause, Counter[str]] = {}
    for cause, found in planted(model, Base.of(model, reviews), each=each, seed=seed):
        named.setdefault(cause, Counter())[found.cause or "none"] += 1
    right = sum(counts[cause] for cause, counts in named.items())
    return {"model": model.name, "right": right, "of": sum(map(Counter.total, named.values())), "named": named}


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = argparse.ArgumentParser(
        prog="python -m encoder.lab.evaluation.missed", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--sst", type=Path, required=True, help="sentences that are searched besides: sst_dev.tsv.gz")
    parser.add_argument("--model", required=True)
    parser.add_argument("--each", type=int, default=12, metavar="N", help="plants of each cause")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    reviews = [review.text for review in islice(read_reviews(args.sst), DISTRACTORS)]
    figures = evaluate(load(args.model), reviews, each=args.each, seed=args.seed)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
