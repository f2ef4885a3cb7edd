"""Build an atlas of a model and ship it for the page, in one step."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from encoder.atlas.build.assembly import build
from encoder.atlas.build.corpus import MOST_WORDS, check_column, has_columns
from encoder.atlas.build.measuring import BATCH_SENTENCES, Measurer, Setting
from encoder.atlas.build.shards import Source
from encoder.atlas.build.shipping import folder_name, ship
from encoder.engines.choice import choose_engine
from encoder.engines.local import usable_cores
from encoder.errors import DataError
from encoder.models.device import choose_device

UNSHIPPED = "{}.build"  # next to the shipped atlas; removed when it is complete


def build_and_ship(
    model: str,
    corpus: Sequence[Path],
    out: Path,
    *,
    column: str | None = None,
) -> Path:
    """Measure what every head does over a corpus, which is split into halves by document.

    An interrupted build is continued. The corpus is named after its files.

    Args:
        model: a name that `encoder.load` takes.
        out: parent of the new folder.
        column: of the sentences, in .csv, .tsv and .jsonl files.
    Returns:
        The folder of the shipped atlas.
    Raises:
        HeadlightError: as `build` and `ship`; or a table is given without the column of its sentences.
    """
    for path in corpus:
        check_column(path, column)
    if column is not None and not any(map(has_columns, corpus)):
        raise DataError(f"No file has columns, so none is called {column!r}: leave out --column.")
    place = str(choose_device())
    setting = Setting(model=model, device=place, batch_sentences=BATCH_SENTENCES)
    files = tuple(corpus)
    source = Source(choose=files, measure=files, most_words=MOST_WORDS, column=column)
    workers = usable_cores() if place == "cpu" else 1
    start = partial(Measurer, setting)
    engine = choose_engine("local", start, workers, None, on_gpu=place != "cpu")
    folder = out / folder_name(model)
    unshipped = folder.with_name(UNSHIPPED.format(folder.name))
    build(setting, source, unshipped, engine, resume=True)
    names = ", ".join(path.name for path in corpus)
    ship(unshipped, out, chosen_on="the other half", measured_on=f"half of {names}")
    shutil.rmtree(unshipped)
    return folder
