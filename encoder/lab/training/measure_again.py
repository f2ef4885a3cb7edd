"""Measure a model card's figures again: `python -m encoder.training.measure_again CARD [--data FOLDER]`.

Prints the table of the card's Markdown, from the weights that ship.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, cast

import numpy as np
from safetensors.torch import load_file

from encoder.catalogue import load
from encoder.errors import reports_errors
from encoder.lab.command import command_parser
from encoder.lab.training import mask, measuring, probes, seq2seq, task_measuring
from encoder.lab.training.data import find_file, read_noun_verb, read_reviews, read_tagged
from encoder.lab.training.evaluate import evaluate_reviews
from encoder.lab.training.figures import sentiment_card_figures
from encoder.lab.training.output import table_of
from encoder.shipped.bundled import HEAD, bundled_folder
from encoder.shipped.card import Figure
from encoder.shipped.mask_accuracy import MASK_HEADS
from encoder.shipped.mask_head import load_mask_head
from encoder.shipped.multi_task import MultiTaskHeads, MultiTaskModel, load_scratch, word_table
from encoder.shipped.names import BUNDLED, SCRATCH, SEQ2SEQ, TUNED, WEIGHTS
from encoder.shipped.probes import PROBES
from encoder.shipped.sentiment import load_bundled
from encoder.shipped.seq2seq import load_seq2seq
from encoder.text.tokenizer import Tokenizer


def _of_sentiment(model: str, data: Path) -> Sequence[Figure]:
    return sentiment_card_figures(evaluate_reviews(load(model), read_reviews(find_file(data, "sst_dev.tsv"))))


def _of_scratch(data: Path) -> Sequence[Figure]:
    folder = bundled_folder()
    backend = load_scratch(folder)
    model = MultiTaskModel(backend.encoder.config, word_table(folder))
    model.encoder, model.heads = backend.encoder, cast(MultiTaskHeads, backend.heads)
    return measuring.measure(model, Tokenizer.from_folder(folder), measuring.read_dev_sets(data))


def _of_probes(model: str, data: Path) -> Sequence[Figure]:
    trained_on = read_tagged(find_file(data, "ewt_train.jsonl"))
    return probes.measure(
        load(model),
        load_file(WEIGHTS / f"{PROBES[model]}.safetensors"),
        np.array([tag for sentence in trained_on for tag in sentence.tags]),
        read_tagged(find_file(data, "ewt_dev.jsonl")),
        read_noun_verb(find_file(data, "noun_verb_challenge_dev.jsonl")),
        probes.Settings(),
    )


def _of_mask_head(data: Path) -> Sequence[Figure]:
    texts = [mask.text_of(row) for row in read_tagged(find_file(data, "ewt_dev.jsonl"))]
    return mask.measure(load_bundled(bundled_folder()), load_mask_head(BUNDLED), texts, mask.Settings())


def _of_seq2seq(_: Path) -> Sequence[Figure]:
    count = seq2seq.Settings().held_out
    return task_measuring.measure(load_seq2seq(), count=count, aligned=task_measuring.MAX_ALIGNMENT_ITEMS)[0]


CARDS: Final[Mapping[str, Callable[[Path], Sequence[Figure]]]] = {
    HEAD: partial(_of_sentiment, BUNDLED),
    TUNED: partial(_of_sentiment, TUNED),
    SCRATCH: _of_scratch,
    PROBES[BUNDLED]: partial(_of_probes, BUNDLED),
    PROBES[SCRATCH]: partial(_of_probes, SCRATCH),
    MASK_HEADS[BUNDLED]: _of_mask_head,
    SEQ2SEQ: _of_seq2seq,
}


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for faulty data."""
    parser = command_parser("encoder.training.measure_again", __doc__)
    parser.add_argument("card", choices=CARDS)
    parser.add_argument("--data", type=Path, default=Path(), help="folder with the data files, plain or gzipped")
    given = parser.parse_args(arguments)
    sys.stdout.write("\n".join(table_of(CARDS[given.card](given.data))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
