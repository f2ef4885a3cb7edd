"""How often the planted cause of a search that fails is named: `python -m encoder.lab.evaluation.missed --data FOLDER`.

A plant counts if the text is found before, and not after it: a text that is found has no cause. Two sets of plants
share neither texts nor ways to plant. The causes were written with the first set, *passages*, and not with *keywords*.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from encoder.arguments import positive
from encoder.catalogue import load
from encoder.collection.missed import Missed, why_not
from encoder.collection.missed_case import FOUND
from encoder.collection.missed_causes import Cause
from encoder.collection.search import GrowingVectors, rank, scores_of_query
from encoder.collection.table import Collection
from encoder.errors import reports_errors
from encoder.lab.command import command_parser
from encoder.lab.evaluation.keyword_plants import keywords
from encoder.lab.evaluation.plants import Plant, Plants, passages, vectors_of
from encoder.measures.inference import share
from encoder.models.base import Backend

SETS: Final[Mapping[str, Callable[[Backend, Path], Plants]]] = {"passages": passages, "keywords": keywords}
TRIED: Final = 30  # plants, for each that is wanted
CONTROLS: Final = 3  # times as many texts about something else as plants of a cause


def planted(
    model: Backend, plants: Plants, *, each: int, seed: int, causes: Iterable[Cause | None] | None = None
) -> Iterator[tuple[Cause | None, Missed]]:
    """The planted cause and the named one, of searches that fail, `each` of them for every cause."""
    for cause in plants.kinds if causes is None else causes:
        kinds, chance, made = plants.kinds[cause], np.random.default_rng([seed, len(cause or "")]), 0
        wanted = each if cause else CONTROLS * each
        for index in range(TRIED * wanted):
            plant = kinds[index % len(kinds)](chance)
            if plant is None or (plant.before and not _finds(model, plant, plants)):
                continue
            rest = [at for at, other in enumerate(plants.texts) if other != plant.source]
            queries = [plant.query] * len(plant.texts) + [plants.queries[at] for at in rest]
            table = pa.table({"query": queries, "text": [*plant.texts, *(plants.texts[at] for at in rest)]})
            into = GrowingVectors(Collection.of("planted", table, text="query", text_b="text"))
            into.append(vectors_of(model, plant.texts))
            into.append(plants.vectors[rest])
            found = why_not(model, into.collection, plant.query, 0, into)
            if not found.found:
                made += 1
                yield cause, found
            if made == wanted:
                break


def _finds(model: Backend, plant: Plant, plants: Plants) -> bool:
    """Whether the text is found before anything is planted."""
    ranking = rank(scores_of_query(model, plant.before, plants.vectors))
    return ranking.place_of(plants.texts.index(plant.source)) <= FOUND


def evaluate(model: Backend, plants: Plants, *, each: int, seed: int) -> dict[str, Any]:
    """How often each planted cause is named, and what is named in its place.

    Returns:
        Shares with Wilson's intervals: of the planted causes that are named, and of texts about something else for
        which a cause is named all the same, `false`; and for each planted cause, how often each was named.
    """
    named: dict[str, Counter[str]] = {}
    for cause, found in planted(model, plants, each=each, seed=seed):
        named.setdefault(cause or "none", Counter())[found.cause or "none"] += 1
    of_causes = {cause: counts for cause, counts in named.items() if cause != "none"}
    nothing = named.get("none", Counter())
    right = share(
        sum(counts[cause] for cause, counts in of_causes.items()), sum(map(Counter.total, of_causes.values()))
    )
    false = share(nothing.total() - nothing["none"], nothing.total())
    return {"model": model.name, "right": right, "false": false, "named": named}


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = command_parser("encoder.lab.evaluation.missed", __doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="of the texts that are searched")
    parser.add_argument("--model", required=True, metavar="NAME")
    parser.add_argument("--plants", choices=SETS, default="passages")
    parser.add_argument("--each", type=positive, default=11, metavar="N", help="plants of each cause")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    model = load(args.model)
    figures = evaluate(model, SETS[args.plants](model, args.data), each=args.each, seed=args.seed)
    for name in ("right", "false"):
        of = figures[name]
        figures[name] = f"{of.value:.0%} of {of.n} (95 % interval {of.low:.0%} to {of.high:.0%})"
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
