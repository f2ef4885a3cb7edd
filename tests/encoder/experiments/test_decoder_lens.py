"""DecoderLens: the texts are those of a decoder that reads each state, found without a cache, a state at a time."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from encoder.errors import CheckpointError
from encoder.experiments.decoder_lens import decoder_lens, write_from_every_state
from encoder.lab.evaluation import decoder_lens as command
from encoder.shipped.seq2seq import exact_match, lens_exact_match, load_seq2seq
from encoder.shipped.tasks import EXAMPLES, TASKS, Task
from encoder.transformer.config import EncoderConfig
from encoder.transformer.seq2seq import Seq2Seq

TINY = EncoderConfig(
    vocab_size=11,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=12,
    max_position_embeddings=7,
    type_vocab_size=1,
    initializer_range=0.8,
)
START, END = 1, 2

pytestmark = pytest.mark.usefixtures("one_thread")


def tiny(norm: str) -> Seq2Seq:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        model = Seq2Seq(replace(TINY, norm=norm), start_id=START, end_id=END)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.3 * torch.randn_like(parameter))
    return model.eval()


@torch.no_grad()
def brute_force(model: Seq2Seq, source_ids: torch.Tensor, layers: int) -> list[int]:
    """Greedy decoding of one text from the encoder's state after some layers, all of the text read at every step."""
    encoder, state = model.encoder, model.encoder.embeddings(source_ids)
    for layer in encoder.layers[:layers]:
        state = layer(state)
    if model.config.norm == "pre":
        state = encoder.final_norm(state)
    ids = [START]
    while len(ids) <= TINY.max_position_embeddings and END not in ids[1:]:
        ids.append(int(model.decoder(torch.tensor([ids]), state).logits[0, -1].argmax()))
    return ids[1:]


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_every_text_is_that_of_a_slow_decoder_that_reads_the_state(norm: str) -> None:
    model = tiny(norm)
    sources = ([3, 4, 5, 6], [7, 8, 9], [10, 3])
    batch = torch.tensor([ids + [0] * (4 - len(ids)) for ids in sources])  # (3, 4)
    found = write_from_every_state(model, batch, (batch > 0).long())
    assert len(found) == 3
    texts = set()
    for layers, written in enumerate(found):
        for row, ids in zip(written.ids.tolist(), sources, strict=True):
            slow = brute_force(model, torch.tensor([ids]), layers)
            assert row[: len(slow)] == slow
            assert set(row[len(slow) :]) <= {0}
            texts.add((layers, tuple(slow)))
    assert len({text for _, text in texts}) > len(sources), "all states gave the same texts: nothing was compared"


@pytest.mark.parametrize("task", TASKS)
def test_the_last_text_is_what_the_model_writes_and_earlier_ones_are_not(task: Task) -> None:
    backend = load_seq2seq()
    texts = decoder_lens(backend, backend.tokenize(task, EXAMPLES[task]))
    generation = backend.generate(task, EXAMPLES[task])
    assert len(texts) == backend.num_layers + 1
    assert texts[-1].tokens.ids == generation.written.ids
    assert texts[-1].complete == generation.complete
    assert texts[0].tokens.sentences != generation.written.sentences


def test_a_text_that_does_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = load_seq2seq()
    monkeypatch.setattr(backend.model, "end_id", backend.tokenizer.ids["[START]"])  # is never written
    texts = decoder_lens(backend, backend.tokenize("reverse", "time flies"))
    assert not any(text.complete for text in texts)
    assert {len(text.tokens) for text in texts} == {backend.model.config.max_position_embeddings}


def test_the_figures_that_ship_are_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--held-out", "40"]) == 0
    measured = {row["name"]: row for row in json.loads(capsys.readouterr().out)["figures"]}
    for task in TASKS:
        shipped = lens_exact_match(task, 2)
        assert shipped[-1].value == exact_match(task).value
        assert [figure.n for figure in shipped] == [exact_match(task).n] * 3
        for figure in shipped:
            assert measured[figure.name]["value"] == pytest.approx(figure.value, abs=0.25)  # 3 standard errors of 40
            assert measured[figure.name]["title"] == figure.title
        assert shipped[0].value < 0.5 < shipped[-1].value


def test_no_items_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--held-out", "0"])
    assert "not a whole number from 1" in capsys.readouterr().err


def test_missing_figures_are_reported(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot be read"):
        lens_exact_match("sort", 2, tmp_path)
