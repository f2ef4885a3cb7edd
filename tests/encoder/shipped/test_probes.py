"""Parts of speech read off every layer: what ships, and how probes are fitted."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

import encoder
from encoder import Backend
from encoder.errors import CheckpointError, NoProbesError
from encoder.lab.training import probes as training
from encoder.lab.training.data import Homograph, TaggedSentence
from encoder.lab.training.probes import Settings, fit
from encoder.measures.units import word_states
from encoder.models.labels import TAG_IDS, TAGS
from encoder.shipped.names import WEIGHTS
from encoder.shipped.probes import PROBES, load_probes, word_classes

SENTENCE = "The old man the boats, don't they?"
WORDS = ("the", "old", "train", "the", "young", ".")


@pytest.mark.parametrize("name", PROBES)
def test_every_word_has_a_distribution_over_the_tags_at_every_layer(name: str) -> None:
    backend = encoder.load(name)
    trace = backend.trace(SENTENCE, "Time flies like an arrow.")
    classes = word_classes(trace)
    words = len(trace.tokens.words)
    assert classes.tags == TAGS
    assert classes.probabilities.shape == (backend.num_layers + 1, words, 17)
    assert classes.combined.shape == (words, 17)
    np.testing.assert_allclose(classes.probabilities.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(classes.combined.sum(-1), 1, atol=1e-5)
    assert classes.accuracy.shape == classes.control_accuracy.shape == (backend.num_layers + 1,)
    assert (classes.accuracy > 0.5).all()
    np.testing.assert_allclose(classes.selectivity, classes.accuracy - classes.control_accuracy)
    assert classes.n > 20_000
    assert "EWT dev" in classes.test_set


@pytest.mark.parametrize(
    ("sentence", "word", "tag"),
    [
        ("time flies like an arrow", 1, "VERB"),
        ("fruit flies like a banana", 1, "NOUN"),
        ("I will book a room.", 2, "VERB"),
        ("She read a book.", 3, "NOUN"),
    ],
)
def test_the_same_word_is_a_noun_here_and_a_verb_there(bundled: Backend, sentence: str, word: int, tag: str) -> None:
    classes = word_classes(bundled.trace(sentence))
    assert classes.tags[classes.combined[word].argmax()] == tag
    assert classes.combined[word].max() > 0.6


def test_our_encoder_with_berts_weights_gives_the_same_tags(bundled: Backend, scratch_bert: Backend) -> None:
    theirs, ours = (word_classes(backend.trace(SENTENCE)) for backend in (bundled, scratch_bert))
    np.testing.assert_allclose(ours.probabilities, theirs.probabilities, atol=1e-4)


def test_other_models_are_one_clear_error() -> None:
    with pytest.raises(NoProbesError, match=r"No probes were trained for scratch-untrained.*bundled"):
        word_classes(encoder.load("scratch-untrained").trace("a"))


def test_probes_that_do_not_fit_are_refused_with_both_shapes(bundled: Backend) -> None:
    trace = bundled.trace("a word")
    probes = load_probes("bundled")
    narrow = type(probes)(probes.weight[:, :, :100], probes.bias, probes.combined_weight, probes.combined_bias)
    with pytest.raises(CheckpointError, match=r"\(7, 17, 100\).*\(7, 17, 384\)"):
        narrow.read(trace)


def test_missing_probes_are_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"bundled-probes\.safetensors.*install Headlight again"):
        load_probes("bundled", tmp_path)


def test_words_that_were_cut_off_have_no_tag(bundled: Backend) -> None:
    trace = bundled.trace(["word"] * 300)
    classes = word_classes(trace)
    assert np.isnan(classes.combined[-1]).all()
    assert np.isnan(classes.probabilities[:, -1]).all()
    np.testing.assert_allclose(classes.combined[:250].sum(-1), 1, atol=1e-5)


def test_the_files_are_small() -> None:
    for stem in {*PROBES.values()}:
        assert (WEIGHTS / f"{stem}.safetensors").stat().st_size <= 1_000_000


# Fitting -------------------------------------------------------------------------------------------------------------


def test_control_tags_are_fixed_per_form_with_real_frequencies() -> None:
    tags = np.repeat([TAG_IDS["NOUN"], TAG_IDS["VERB"]], [700, 300])
    forms = [f"form{index}" for index in range(2000)]
    labels = training.control_tags(forms, tags, seed=0)
    counts = Counter(labels.tolist())
    assert set(counts) == {TAG_IDS["NOUN"], TAG_IDS["VERB"]}
    assert counts[TAG_IDS["NOUN"]] / 2000 == pytest.approx(0.7, abs=0.04)
    np.testing.assert_array_equal(training.control_tags(["Form1", "FORM1"], tags, seed=0), labels[[1, 1]])
    assert (training.control_tags(forms, tags, seed=1) != labels).any()


def test_a_probe_finds_what_is_there_and_plain_weights_give_the_same() -> None:
    random = np.random.default_rng(0)
    targets = random.integers(0, 17, 600)
    states = np.eye(17, 20)[targets][:, None] * [[[1.0], [0.0]]][0] + random.normal(size=(600, 2, 20)) * 0.2 + 3
    fitted = fit(
        states.astype(np.float16),
        torch.from_numpy(targets)[:, None].expand(-1, 2),
        Settings(batch=64),
        what="test",
        epochs=20,
        learning_rate=2e-2,
        weight_decay=1e-3,
    )
    right = (fitted(torch.from_numpy(states).float()).argmax(-1).numpy() == targets[:, None]).mean(0)
    assert right[0] > 0.95
    assert right[1] < 0.5  # nothing is there
    weight, bias = fitted.plain()
    plain = torch.einsum("npd,pcd->npc", torch.from_numpy(states).float(), weight) + bias
    torch.testing.assert_close(plain, fitted(torch.from_numpy(states).float()), atol=1e-3, rtol=1e-3)


def test_states_are_collected_word_by_word(bundled: Backend) -> None:
    sentence = TaggedSentence(name="", words=WORDS, tags=(5, 0, 15, 5, 7, 12), space_after=(True,) * 6)
    homograph = Homograph(words=WORDS, index=2, tag=15, split="train", balanced=True)
    words = training.collect(bundled, [sentence, sentence], description="two sentences", homographs=[homograph])
    assert words.states.shape == (12, 7, 384)
    assert words.forms == WORDS * 2
    assert words.ambiguous.nonzero()[0].tolist() == [2, 8]
    expected = word_states(*(lambda trace: (trace.hidden_states, trace.tokens))(bundled.trace(list(WORDS))))
    np.testing.assert_allclose(words.states[:6].transpose(1, 0, 2), expected, atol=5e-3)
