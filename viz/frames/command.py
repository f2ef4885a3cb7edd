"""`headlight texts search`: a table in the order of a query, why a text was not found, and all queries that fail."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Final, Literal

from encoder.collection.missed_case import FOUND
from encoder.collection.search import documents_of
from encoder.errors import ArgumentError
from viz.frames import Texts, texts
from viz.wording.numbers import percent, percent_counted

if TYPE_CHECKING:
    from encoder import Backend

FIRST: Final = (1, 3, 10)  # hits among which relevant texts are counted
HITS: Final = 10  # that are listed
NO_CAUSE: Final = "no cause holds"


def run(given: argparse.Namespace) -> None:
    """Run the command, and print what was found. Raises HeadlightError."""
    from encoder.catalogue import load

    if given.why_not is not None and given.query is None:
        raise ArgumentError("--why-not needs a query.")
    if given.first is not None and given.query is None:
        raise ArgumentError("--first needs a query.")
    table, model = texts(given.table, text=given.text, text_b=given.text_b, label=given.label), load(given.model)
    if given.query is None:
        found = _of_all(model, table)
        lines = [*map(_found_in_words, found["found"]), *map(_cause_in_words, found["causes"])]
        lines += [f"Not among the first {FOUND}, by place:"] if found["failures"] else []
        lines += [f"{each['place']:>6,}  {each['query']}: {each['cause'] or NO_CAUSE}" for each in found["failures"]]
    else:
        found = _of_query(model, table, given.query, first=given.first or HITS, expected=given.why_not)
        lines = [f"{each['score']:>8.3f}  row {each['row']}  {each['text']}" for each in found["hits"]]
        lines += [_why_in_words(found["why_not"])] if "why_not" in found else []
    said = json.dumps(found, indent=1, ensure_ascii=False) if given.json else "\n".join(lines)
    sys.stdout.write(f"{said}\n")


def _of_query(model: Backend, table: Texts, query: str, *, first: int, expected: int | None) -> dict[str, Any]:
    """The first hits, and why a text is not among them."""
    columns = table.collection.columns
    frame = table.search(model, query).iloc[:first]
    score = next(name for name in frame.columns if name not in columns)
    hits = zip(frame.index.tolist(), frame[score].tolist(), frame[documents_of(table.collection)], strict=True)
    found: dict[str, Any] = {
        "query": query,
        "ranked by": score,
        "hits": [{"row": row, "score": value, "text": text} for row, value, text in hits],
    }
    if expected is not None:
        why = table.why_not(model, query, expected)
        found["why_not"] = {"row": why.row, "found": why.found, **why.rest}
    return found


def _of_all(model: Backend, table: Texts) -> dict[str, Any]:
    """How often a relevant text is found, by the model and by words alone, and why not."""
    failures = table.missed(model)
    rankers: dict[str, Backend | Literal["bm25"]] = {model.name: model, "BM25": "bm25"}
    return {
        "queries": failures.attrs["queries"],
        "found": [{"by": name} | table.relevant_among(each, FIRST).to_dict() for name, each in rankers.items()],
        "causes": failures.attrs["causes"],
        "failures": failures.astype(object).where(failures.notna(), None).to_dict("records"),
    }


def _found_in_words(found: dict[Any, Any]) -> str:
    shares = ", ".join(f"among the first {k} for {percent_counted(found[k])}" for k in FIRST[1:])
    return f"{found['by']}: a relevant text is first for {percent_counted(found[1])} of the queries, {shares}."


def _cause_in_words(found: dict[str, Any]) -> str:
    interval = f"95 % interval {percent(found['from'])} to {percent(found['to'])}"
    return f"{percent(found['share'])} of the failures ({interval}): {found['cause'] or NO_CAUSE}"


def _why_in_words(why: dict[str, Any]) -> str:
    said = [f"Row {why['row']} is at place {why['place']:,}."]
    said.append(f"By words alone: place {why['bm25']:,}." if why["bm25"] else "It has no word of the query.")
    if not why["found"]:
        said.append(f"Cause: {why['cause'] or NO_CAUSE}.")
        if why["edit"] and (words := " ".join(why["edit"]["words"])):
            said.append(f"With “{words}” added to the query: place {why['edit']['place']:,}.")
    return " ".join(said)
