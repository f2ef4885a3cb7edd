"""Training the small encoder-decoder: it learns, and never sees the items that it is evaluated on."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from encoder.lab.training import seq2seq
from encoder.lab.training import train as command
from encoder.lab.training.seq2seq import CONFIG, IGNORED_TARGET, Settings, Training, collate, epoch_batches, loss_of
from encoder.lab.training.task_measuring import alignment_hits, exact_matches, held_out_items
from encoder.shipped.card import figure_of, read_card
from encoder.shipped.seq2seq import Seq2SeqBackend, load_seq2seq
from encoder.shipped.tasks import TASKS, draw_item, words_item

TINY = replace(CONFIG, hidden_size=16, num_attention_heads=2, intermediate_size=32, hidden_dropout_prob=0.1)
SETTINGS = Settings(config=TINY, epochs=3, batches=4, batch_items=6)
WEIGHTS = Path("encoder/shipped/weights")

pytestmark = pytest.mark.usefixtures("one_thread")


# Batches --------------------------------------------------------------------------------------------------------------


def test_the_decoder_reads_what_it_has_to_write_one_step_later() -> None:
    training = Training(SETTINGS)
    tokenizer = training.tokenizer
    batch = collate([words_item("reverse", ["time", "flies"]), words_item("sort", ["a"])], tokenizer)
    time, flies, a = (tokenizer.ids[word] for word in ("time", "flies", "a"))
    start, end, pad = tokenizer.start_id, tokenizer.end_id, tokenizer.pad_id
    assert batch.source.tolist() == [
        [tokenizer.ids["[reverse]"], time, flies, end],
        [tokenizer.ids["[sort]"], a, end, pad],
    ]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert batch.read.tolist() == [[start, flies, time], [start, a, pad]]
    assert batch.write.tolist() == [[flies, time, end], [a, end, IGNORED_TARGET]]


def test_padding_has_no_part_in_the_loss() -> None:
    training = Training(SETTINGS)
    training.model.eval()
    items = [words_item("sort", ["a", "time"]), words_item("sort", ["time", "like"])]
    alone = [loss_of(training.model, collate([item], training.tokenizer)) for item in items]
    longer = words_item("reverse", ["time", "flies", "like", "an", "arrow"])
    batch = collate([*items, longer], training.tokenizer)
    of_two = loss_of(training.model, type(batch)(*(tensor[:2] for tensor in batch)))
    torch.testing.assert_close(of_two, sum(alone) / 2)


def test_training_never_draws_what_is_held_out() -> None:
    settings = dataclasses.replace(SETTINGS, batches=40)
    epochs = [list(epoch_batches(settings, epoch)) for epoch in range(3)]
    assert list(epoch_batches(settings, 0)) == epochs[0] != epochs[1]
    drawn = [item for batches in epochs for items in batches for item in items]
    assert not any(item.held_out for item in drawn)
    assert {item.task for item in drawn} == set(TASKS)
    keys = {item.key for item in drawn}
    for task in TASKS:
        items = held_out_items(task, 300)
        assert all(item.held_out for item in items)
        assert len({item.source for item in items}) == 300
        assert keys.isdisjoint(item.key for item in items)


# Learning -------------------------------------------------------------------------------------------------------------


def test_the_loss_falls() -> None:
    still = replace(TINY, hidden_dropout_prob=0.0)
    training = Training(Settings(epochs=4, batches=25, batch_items=24, config=still, learning_rate=1e-2))
    training.run(training.run_epoch)
    assert training.history[-1]["loss"] < 0.8 * training.history[0]["loss"]


# Measuring ------------------------------------------------------------------------------------------------------------


def test_an_answer_is_right_to_the_letter_and_only_if_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    training = Training(SETTINGS)
    tokenizer, model = training.tokenizer, training.model
    items = [words_item("reverse", ["time", "flies"])] * 4
    right = [tokenizer.ids["flies"], tokenizer.ids["time"], tokenizer.end_id]
    answers = [[*right, 0], [*right[:2], right[0], right[2]], [*right[:2], 5, 5], [right[1], right[0], right[2], 0]]

    class Answer:
        ids = torch.tensor(answers)

    monkeypatch.setattr(model, "write", lambda *args: Answer())
    assert exact_matches(model, tokenizer, items).tolist() == [True, False, False, False]


def test_alignment_counts_tokens_that_attend_to_their_source() -> None:
    backend = load_seq2seq()
    item = draw_item("reverse", np.random.default_rng(0), held_out=True)
    generation = backend.generate(item.task, item.source)
    hits = alignment_hits(backend, [item])
    count = len(item.source.split())
    assert hits.tokens == count
    assert hits.chance == pytest.approx(1 / len(generation.source.tokens))
    for layer, heads in enumerate(hits.heads):
        most = generation.weights("cross", layer).argmax(-1)
        expected = [sum(most[head, step] == count - step for step in range(count)) for head in range(len(heads))]
        assert heads.tolist() == expected


def test_wrong_answers_say_nothing_about_alignment() -> None:
    training = Training(SETTINGS)
    backend = Seq2SeqBackend("untrained", training.model, training.tokenizer)
    hits = alignment_hits(backend, held_out_items("date", 3))
    assert (hits.tokens, hits.mean, hits.heads.tolist()) == (0, 0, [[0, 0], [0, 0]])


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_writes_weights_and_a_card_that_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seq2seq, "CONFIG", TINY)
    arguments = ["seq2seq", "--out", str(tmp_path), "--epochs", "1", "--batches", "2", "--held-out", "3"]
    assert command.main(arguments) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"seq2seq.safetensors", "seq2seq.json", "seq2seq.md"}
    card = read_card(tmp_path / "seq2seq.json")
    assert card["settings"]["step"] == 2
    assert figure_of(card, "date_exact_match").n == 3
    assert "drawn anew when the settings stood" in (tmp_path / "seq2seq.md").read_text()
    assert load_seq2seq(tmp_path).generate("date", "march 3, 1987").source.num_layers == 2
