"""The training of the small encoder: it learns, it repeats itself, and it survives being killed."""

import dataclasses
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import encoder
from encoder.catalogue import bundled_folder
from encoder.config import EncoderConfig
from encoder.errors import CheckpointError
from encoder.model import Encoder
from encoder.sentiment import load_bundled_sentiment
from encoder.tokenizer import Tokenizer
from encoder.trained import in_eight_bits, load_scratch, read_step, steps
from encoder.training import checkpointing, multitask, scratch
from encoder.training import train as command
from encoder.training.card import read_card
from encoder.training.data import TAG_IDS, TAGS, Homograph, Review, TaggedSentence
from encoder.training.examples import (
    NONE,
    batches_of,
    collate,
    encode_as_typed,
    encode_homographs,
    encode_reviews,
    encode_words,
)
from encoder.training.measuring import DevSets, measure
from encoder.training.multitask import Corpus, Settings, Training, learning_rate_at, train, with_pieces_dropped
from encoder.training.silver import with_silver_tags, with_soft_sentiment, with_states

TINY = EncoderConfig(
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    position_embedding="sinusoidal",
    attention_probs_dropout_prob=0.0,
)
SETTINGS = Settings(config=TINY, epochs=3, batch_tokens=100, phrases=4, learning_rate=1e-2, averaging=0.8)
NOUN, VERB = TAG_IDS["NOUN"], TAG_IDS["VERB"]


def review(text: str, sentiment: int) -> Review:
    return Review(
        text=text, treebank_text=text, score=(0.1, 0.5, 0.9)[sentiment], sentiment=sentiment, fine_class=2 * sentiment
    )


REVIEWS = [
    *(review(f"a good {noun}", 2) for noun in ("movie", "film", "plot", "story")),
    *(review(f"a bad {noun}", 0) for noun in ("movie", "film", "plot", "story")),
    *(review(f"a {noun}", 1) for noun in ("movie", "film", "plot", "story")),
]
TAGGED = [
    TaggedSentence(name="a", words=("Time", "flies"), tags=(NOUN, VERB), space_after=(True, True)),
    TaggedSentence(name="b", words=("Birds", "do", "n't", "fly"), tags=(NOUN, 3, 9, VERB), space_after=(1, 0, 1, 1)),
]


@pytest.fixture(scope="module")
def tokenizer(bundled_folder: Path) -> Tokenizer:
    return Tokenizer.from_folder(bundled_folder)


@pytest.fixture(scope="module")
def table() -> torch.Tensor:
    return torch.randn(30522, 24, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def corpus(tokenizer: Tokenizer) -> Corpus:
    tagged = encode_words(tokenizer, [row.words for row in TAGGED], [row.tags for row in TAGGED])
    return Corpus(always=encode_reviews(tokenizer, REVIEWS) + tagged, sometimes=encode_reviews(tokenizer, REVIEWS[:8]))


DEV = DevSets(REVIEWS, TAGGED, [])


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Two threads wait for each other longer than models this small take to compute."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def trained(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer, state: Path | None = None, **changes: object
) -> Training:
    training = Training(dataclasses.replace(SETTINGS, **changes), table)
    train(training, corpus, DEV, tokenizer, state=state, quiet=True)
    return training


def assert_same(one: Training, other: Training) -> None:
    assert one.history == other.history
    assert (one.step, one.epoch, one.best["step"]) == (other.step, other.epoch, other.best["step"])
    for name in one.average:
        assert torch.equal(one.average[name], other.average[name]), name
        assert torch.equal(one.best["tensors"][name], other.best["tensors"][name]), name
    assert one.kept.keys() == other.kept.keys()


# Examples -----------------------------------------------------------------------------------------------------------


def test_a_words_tag_stands_at_its_first_piece(tokenizer: Tokenizer) -> None:
    (example,) = encode_words(tokenizer, [["unfairest", "flies"]], [[0, VERB]])
    pieces = tokenizer.inner.convert_ids_to_tokens(example.ids.tolist())
    assert pieces == ["[CLS]", "unfair", "##est", "flies", "[SEP]"]
    assert example.tags.tolist() == [NONE, 0, NONE, VERB, NONE]


def test_as_typed_a_contraction_keeps_the_tags_of_both_its_words(tokenizer: Tokenizer) -> None:
    (example,) = encode_as_typed(tokenizer, TAGGED[1:])
    pieces = tokenizer.inner.convert_ids_to_tokens(example.ids.tolist())
    tags = dict(zip(pieces, example.tags.tolist(), strict=True))
    assert pieces == ["[CLS]", "birds", "don", "'", "t", "fly", "[SEP]"]
    assert tags == {"[CLS]": NONE, "birds": NOUN, "don": 3, "'": 9, "t": NONE, "fly": VERB, "[SEP]": NONE}


def test_of_a_homograph_only_the_word_in_question_counts_and_dev_rows_are_left_out(tokenizer: Tokenizer) -> None:
    row = Homograph(words=("Time", "flies"), index=1, tag=VERB, split="train", balanced=True)
    others = [dataclasses.replace(row, split="dev"), dataclasses.replace(row, balanced=False)]
    (example,) = encode_homographs(tokenizer, [row, *others], weight=3.0)
    assert example.tags.tolist() == [NONE, NONE, VERB, NONE]
    assert example.tag_weight == 3.0


def test_padding_and_unknown_labels_are_marked(tokenizer: Tokenizer) -> None:
    tagged = encode_words(tokenizer, [TAGGED[0].words], [TAGGED[0].tags])
    batch = collate([*encode_reviews(tokenizer, REVIEWS[:1]), *tagged])
    assert batch.mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    assert batch.sentiment.sum(1).tolist() == [1, 0]
    assert batch.score.isnan().tolist() == [False, True]
    assert batch.tags.tolist() == [[NONE] * 5, [NONE, NOUN, VERB, NONE, NONE]]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(40, 200), st.booleans())
def test_every_example_is_in_one_batch_and_no_batch_is_over_budget(
    lengths: list[int], budget: int, shuffled: bool
) -> None:
    array = np.array(lengths)
    batches = batches_of(array, budget, np.random.default_rng(0) if shuffled else None)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(array[batch].max() * len(batch) <= budget for batch in batches)


def test_dropped_pieces_leave_the_special_ones() -> None:
    ids = torch.tensor([[101, 2051, 10029, 102, 0]])
    assert with_pieces_dropped(ids, 1.0).tolist() == [[101, 100, 100, 102, 0]]
    assert with_pieces_dropped(ids, 0.0).tolist() == ids.tolist()


def test_the_learning_rate_rises_and_falls_to_zero() -> None:
    highest = SETTINGS.learning_rate
    rates = [learning_rate_at(at, warm_up=SETTINGS.warm_up, learning_rate=highest) for at in np.linspace(0, 1, 101)]
    assert rates[0] == 0
    assert max(rates) == pytest.approx(highest)
    assert np.argmax(rates) == 5
    assert rates[-1] == pytest.approx(0, abs=1e-9)


# Teachers -----------------------------------------------------------------------------------------------------------


def test_a_teachers_states_are_standardised_and_stand_at_their_own_tokens(corpus: Corpus) -> None:
    torch.manual_seed(0)
    teacher = Encoder(TINY.with_changes(initializer_range=0.3)).eval()
    alone = teacher(torch.tensor(corpus.always[3].ids)[None]).hidden_states[1][0].detach().numpy()
    taught = with_states(teacher, 1, corpus.always, batch_tokens=40)
    states = np.concatenate([example.states for example in taught]).astype(np.float32)
    assert_allclose(states.mean(0), 0, atol=0.01)
    assert_allclose(states.std(0), 1, atol=0.01)
    assert np.corrcoef(alone[:, 5], taught[3].states[:, 5].astype(np.float32))[0, 1] > 0.999
    batch = collate([taught[0], dataclasses.replace(taught[-1], states=None)])
    assert batch.has_state.tolist() == [[True] * 5 + [False] * (batch.ids.shape[1] - 5), [False] * batch.ids.shape[1]]
    assert batch.states.shape == (5, 16)


def test_hints_are_learned_too(corpus: Corpus, table: torch.Tensor) -> None:
    torch.manual_seed(0)
    teacher = Encoder(TINY.with_changes(hidden_size=24, initializer_range=0.3)).eval()
    taught = Corpus(
        with_states(teacher, 1, [dataclasses.replace(example, sentiment=None, tags=None) for example in corpus.always])
    )
    settings = dataclasses.replace(SETTINGS, epochs=20, piece_dropout=0.0)
    training = Training(settings, table)
    losses = [training.run_epoch(multitask.epoch_batches(taught, settings, epoch), quiet=True) for epoch in range(20)]
    assert losses[-1] < 0.6 * losses[0]


def test_the_bundled_models_probe_tags_what_it_is_sure_of(tokenizer: Tokenizer) -> None:
    reviews = [review("The movie is surprisingly unfunny.", 0)]
    (example,) = with_silver_tags(encoder.load("bundled"), reviews, encode_reviews(tokenizer, reviews), confidence=0.5)
    pieces = tokenizer.inner.convert_ids_to_tokens(example.ids.tolist())
    tags = {piece: TAGS[tag] for piece, tag in zip(pieces, example.tags.tolist(), strict=True) if tag != NONE}
    assert (tags["the"], tags["movie"], tags["is"]) == ("DET", "NOUN", "AUX")
    assert not any(piece.startswith(("##", "[")) for piece in tags)
    assert example.sentiment.tolist() == [1, 0, 0]
    (unsure,) = with_silver_tags(encoder.load("bundled"), reviews, [example], confidence=1.1)
    assert set(unsure.tags.tolist()) == {NONE}


def test_soft_labels_lie_between_the_label_and_the_teachers_answer(tokenizer: Tokenizer) -> None:
    texts = ["a dull, lifeless mess", "time flies like an arrow, and fruit flies like a banana", "mess"]
    examples = encode_reviews(tokenizer, [review(text, 0) for text in texts])
    teacher = load_bundled_sentiment(bundled_folder())
    for text, example in zip(texts, with_soft_sentiment(teacher, examples, share=0.25, batch_tokens=40), strict=True):
        said = teacher.trace(text).prediction
        assert_allclose(example.sentiment, 0.75 * np.array([1, 0, 0]) + 0.25 * said.probabilities, atol=1e-5)
        assert example.score == pytest.approx(0.75 * 0.1 + 0.25 * said.score, abs=1e-5)


def test_soft_labels_leave_what_has_no_sentiment(tokenizer: Tokenizer) -> None:
    teacher = load_bundled_sentiment(bundled_folder())
    (tagged,) = with_soft_sentiment(teacher, encode_words(tokenizer, [["time"]], [[NOUN]]), share=0.5)
    assert tagged.sentiment is None
    assert np.isnan(tagged.score)


# Learning -----------------------------------------------------------------------------------------------------------


def test_the_loss_falls_and_the_training_rows_are_learned(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer
) -> None:
    settings = dataclasses.replace(
        SETTINGS, config=TINY.with_changes(hidden_dropout_prob=0.0), epochs=60, batch_tokens=200, piece_dropout=0.0
    )
    training = Training(settings, table)
    losses = [training.run_epoch(multitask.epoch_batches(corpus, settings, epoch), quiet=True) for epoch in range(60)]
    assert losses[-1] < 0.3 * losses[0]
    figures = {figure.name: figure.value for figure in measure(training.averaged(), tokenizer, DEV)}
    assert figures["three_class_accuracy"] == 1
    assert figures["tag_accuracy"] == 1
    assert figures["score_mae"] < 0.1


def test_the_word_vectors_stay_as_they_are(corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer) -> None:
    before = table.clone()
    training = trained(corpus, table, tokenizer, epochs=1)
    assert torch.equal(table, before)
    assert not any("table" in name or "position" in name for name in training.best["tensors"])


def test_the_same_seed_gives_the_same_weights_and_another_one_others(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer
) -> None:
    first, again = trained(corpus, table, tokenizer), trained(corpus, table, tokenizer)
    assert_same(first, again)
    other = trained(corpus, table, tokenizer, seed=1)
    assert any(not torch.equal(first.average[name], other.average[name]) for name in first.average)


def test_a_training_killed_in_the_middle_of_an_epoch_ends_as_one_that_was_not(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = trained(corpus, table, tokenizer)
    state = tmp_path / "state.pt"
    killed = Training(SETTINGS, table)
    real, calls = multitask.loss_of, []

    def dies(*args: object) -> torch.Tensor:
        calls.append(1)
        if len(calls) == whole.step * 2 // 3 - 1:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(multitask, "loss_of", dies)
    with pytest.raises(KeyboardInterrupt):
        train(killed, corpus, DEV, tokenizer, state=state, quiet=True)
    monkeypatch.setattr(multitask, "loss_of", real)
    torch.manual_seed(99)
    resumed = Training(SETTINGS, table)
    resumed.resume(state)
    assert resumed.epoch == 1
    train(resumed, corpus, DEV, tokenizer, state=state, quiet=True)
    assert_same(resumed, whole)


def test_training_stops_early_and_keeps_the_best(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = iter([1.0, 3.0, 2.0, 2.5, 9.0])
    monkeypatch.setattr(multitask, "validation", lambda figures: next(values))
    training = trained(corpus, table, tokenizer, epochs=5, patience=2)
    assert training.epoch == 4
    assert training.best["epoch"] == 2


# Saving -------------------------------------------------------------------------------------------------------------


def test_another_trainings_state_and_a_damaged_one_are_refused(table: torch.Tensor, tmp_path: Path) -> None:
    state = tmp_path / "state.pt"
    with pytest.raises(CheckpointError, match="nothing to resume"):
        Training(SETTINGS, table).resume(state)
    Training(SETTINGS, table).save(state)
    with pytest.raises(CheckpointError, match=r"other settings \(seed: 0 there, 3 here\)"):
        Training(dataclasses.replace(SETTINGS, seed=3), table).resume(state)
    state.write_bytes(state.read_bytes()[:-2000])
    with pytest.raises(CheckpointError, match="cannot be resumed"):
        Training(SETTINGS, table).resume(state)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    checkpointing.save_text(path, "old")

    def fails(temporary: Path) -> None:
        temporary.write_text("half of the n")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checkpointing.write_atomically(path, fails)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_eight_bits_keep_every_number_to_half_a_percent_of_its_rows_largest(tmp_path: Path) -> None:
    tensors = {"matrix": torch.randn(5, 40), "zero": torch.zeros(2, 3), "vector": torch.randn(7)}
    path = tmp_path / "steps.safetensors"
    checkpointing.save_tensors(path, {f"7/{name}": value for name, value in in_eight_bits(tensors).items()})
    back = read_step(path, 7)
    assert back.keys() == tensors.keys()
    error = (back["matrix"] - tensors["matrix"]).abs().amax(1) / tensors["matrix"].abs().amax(1)
    assert error.max() < 0.005
    assert torch.equal(back["zero"], tensors["zero"])
    assert torch.equal(back["vector"], tensors["vector"].half().float())


def test_the_steps_that_ship_are_spread_and_include_the_first_and_the_last() -> None:
    assert scratch.spread(range(18), 11) == [0, 2, 3, 5, 7, 8, 10, 12, 14, 15, 17]
    assert scratch.spread([4, 1], 11) == [1, 4]
    assert scratch.spread([], 11) == []


# The command --------------------------------------------------------------------------------------------------------


def write_data(folder: Path) -> None:
    header = "text\tscore\tlabel3\tclass5\tnatural"
    names = ("negative", "neutral", "positive")
    rows = [f"{row.text}\t{row.score}\t{names[row.sentiment]}\t{row.fine_class}\t{row.text}" for row in REVIEWS]
    for name, columns in (("sst_train", ""), ("sst_dev", ""), ("sst_phrases_train", "\tscore_exact")):
        text = "\n".join([header + columns, *(row + ("\t" if columns else "") for row in rows)]) + "\n"
        (folder / f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode()))
    tagged = "".join(json.dumps({"words": ["Time", "flies"], "upos": ["NOUN", "VERB"]}) + "\n" for _ in range(3))
    for name in ("ewt_train", "ewt_dev"):
        (folder / f"{name}.jsonl").write_text(tagged)
    homograph = {"words": ["Time", "flies"], "index": 1, "upos": "VERB", "split": "train", "balanced": True}
    (folder / "noun_verb_homographs.jsonl").write_text(json.dumps(homograph) + "\n")
    challenge = {"words": ["Time", "flies"], "index": 1, "label": "VERB"}
    (folder / "noun_verb_challenge_dev.jsonl").write_text(json.dumps(challenge) + "\n")


def test_the_command_trains_writes_weights_and_a_card_and_the_loader_reads_them(
    tmp_path: Path, bundled_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "CONFIG", TINY)
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    write_data(data)
    arguments = ["scratch", "--data", str(data), "--out", str(out), "--epochs", "2"]
    assert command.main(arguments) == 0
    names = {path.name for path in out.iterdir()}
    assert names == {"scratch.safetensors", "scratch-steps.safetensors", "scratch.json", "scratch.md"}
    card = read_card(out / "scratch.json")
    assert card["settings"]["seed"] == 0
    assert [row["step"] for row in card["extra"]["curve"]] == list(steps(out))
    assert "CC BY-SA 4.0" in (out / "scratch.md").read_text()
    with torch.random.fork_rng():
        backend = load_scratch(bundled_folder, weights=out)
    assert backend.trace("a good movie").prediction.trained


def test_the_command_names_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bundled_folder: Path
) -> None:
    assert command.main(["scratch", "--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "holds neither sst_train.tsv" in capsys.readouterr().err


def test_epochs_draw_different_phrases_and_the_same_ones_again(corpus: Corpus) -> None:
    def drawn(epoch: int) -> list[list[int]]:
        batches = multitask.epoch_batches(corpus, SETTINGS, epoch)
        return [example.ids.tolist() for batch in batches for example in batch]

    assert drawn(0) == drawn(0)
    assert drawn(0) != drawn(1)
    assert len(drawn(0)) == len(corpus.always) + SETTINGS.phrases
    assert_array_equal(sorted(map(len, drawn(0)))[-1:], [max(len(row) for row in drawn(1))])
