"""Steps that the views of a table of texts share."""

from __future__ import annotations

from typing import Final

import pyarrow.compute as pc

from encoder import Backend
from encoder.collection.kinds.base import Results
from encoder.collection.near_duplicates import NearDuplicates, near_duplicates
from encoder.collection.results import results_of_all
from encoder.collection.search import GrowingVectors, embed_rows
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import Vectors
from encoder.progress import Progress, no_progress
from viz.recipes.step import LongStep

BYTES_PER_TOKEN: Final = 4  # of English
SPECIAL_TOKENS: Final = 3


def results_of(collection: Collection) -> LongStep[Results]:
    """The model's predictions for every row."""
    return LongStep(
        results_of_all,
        (collection,),
        tokens=estimated_tokens(collection),
        what=f"Predictions of {len(collection):,} rows",
        key="rows",
        table=collection,
    )


def vectors_of(collection: Collection) -> LongStep[Vectors]:
    """The vectors of the texts that are searched."""
    return LongStep(
        embed_all,
        (collection,),
        tokens=estimated_tokens(collection),
        what=f"Vectors of {len(collection):,} texts",
        key="vectors",
        table=collection,
    )


def duplicates_of(collection: Collection) -> LongStep[NearDuplicates]:
    """Pairs of texts that share nearly all of their words."""
    what = f"Near-duplicates of {len(collection):,} texts"
    return LongStep(find_near_duplicates, (collection,), tokens=0, what=what, table=collection)


def find_near_duplicates(_: Backend, collection: Collection, *, progress: Progress = no_progress) -> NearDuplicates:
    """As `near_duplicates`, which needs no model."""
    return near_duplicates(collection, progress=progress)


def embed_all(backend: Backend, collection: Collection, *, progress: Progress = no_progress) -> Vectors:
    """The vectors of a collection's texts. Raises what `embed_rows` does."""
    return embed_rows(backend, GrowingVectors(collection), progress=progress)


def estimated_tokens(collection: Collection) -> int:
    """About how many tokens the rows have."""
    columns = [column for column in (collection.text, collection.text_b) if column]
    nbytes = sum(pc.sum(pc.binary_length(collection.table.column(column))).as_py() or 0 for column in columns)
    return nbytes // BYTES_PER_TOKEN + SPECIAL_TOKENS * len(collection)
