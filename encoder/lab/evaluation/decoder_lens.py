"""Measure what can be read from each encoder layer: `python -m encoder.evaluation.decoder_lens --held-out N`.

The shipped encoder-decoder runs N held-out items of each task with its decoder reading the encoder's embeddings, the
states after layer 0, and so on. Prints one JSON object with the exact-match accuracy for each task and state. The
shipped result is `encoder/shipped/weights/seq2seq-decoder-lens.json`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from tqdm import tqdm

from encoder.arguments import positive
from encoder.errors import reports_errors
from encoder.experiments.decoder_lens import write_from_every_state
from encoder.lab.command import command_parser
from encoder.lab.training.task_measuring import TITLES, are_right, held_out_items, source_batches
from encoder.models.device import add_device_option, choose_device
from encoder.shipped.card import Figure
from encoder.shipped.names import SEQ2SEQ
from encoder.shipped.seq2seq import Seq2SeqBackend, lens_figure_name, load_seq2seq
from encoder.shipped.tasks import TASKS, Item, Task


def measure(backend: Seq2SeqBackend, task: Task, items: Sequence[Item]) -> list[Figure]:
    """Exact match on items of a task: one figure for the embeddings, and one for each of L layers."""
    right = [0] * (backend.num_layers + 1)
    for batch, source in source_batches(backend.model, backend.tokenizer, items):
        texts = write_from_every_state(backend.model, source.input_ids, source.attention_mask)
        for state, written in enumerate(texts):
            right[state] += sum(are_right(written.ids, backend.tokenizer, batch))
    unchanged = sum(item.source == item.target for item in items) / len(items)
    return [
        Figure(
            name=lens_figure_name(task, state),
            title=f"{TITLES[task]}, exact match from {'the embeddings' if state == 0 else f'layer {state - 1}'}",
            test_set="held-out items, those of the model card",
            value=count / len(items),
            n=len(items),
            baseline=unchanged,
            baseline_name="the source as it is",
        )
        for state, count in enumerate(right)
    ]


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for faulty weights or device."""
    parser = command_parser("encoder.evaluation.decoder_lens", __doc__)
    parser.add_argument("--held-out", type=positive, required=True, metavar="N", help="items of each task")
    add_device_option(parser)
    args = parser.parse_args(arguments)
    backend = load_seq2seq().to(choose_device(args.device))
    figures = [
        asdict(figure)
        for task in tqdm(TASKS, desc="held-out items", disable=None)
        for figure in measure(backend, task, held_out_items(task, args.held_out))
    ]
    command = f"{parser.prog} --held-out {args.held_out}"
    sys.stdout.write(json.dumps({"name": SEQ2SEQ, "command": command, "figures": figures}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
