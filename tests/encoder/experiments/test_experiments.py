"""Sweeps and patches on both backends: in batches as one by one, and as changing the weights by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.errors import CheckpointError, SelectionError, ShapeError
from encoder.experiments.patching import patch_word
from encoder.experiments.silencing import draw_control_words, sweep_heads
from encoder.measures.head_effects import control_from_other_words, exceeds_control, select_words
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.units import occurrence_states
from encoder.models.interventions import Intervention, Patch
from encoder.models.labels import TAG_IDS
from encoder.shipped.probes import Probes, load_probes
from encoder.text.occurrences import positions_of_span

TIME, FRUIT = "time flies like an arrow", "fruit flies like a banana"
FLIES = (2,)
# Measured: 7e-7 between batches and single runs, cosines of vectors that differ by the order of sums.
CLOSE = {"rtol": 0, "atol": 1e-5}
ODDS = {"rtol": 1e-4, "atol": 1e-3}

both_backends = pytest.mark.parametrize("name", ["bundled", "scratch-bert", "scratch"])


def backend_of(request: pytest.FixtureRequest, name: str) -> Backend:
    backend: Backend = request.getfixturevalue(name.replace("-", "_"))
    return backend


# The sweep -----------------------------------------------------------------------------------------------------------


@both_backends
def test_a_sweep_in_batches_equals_silencing_one_by_one(request: pytest.FixtureRequest, name: str) -> None:
    backend, probes = backend_of(request, name), load_probes(name)
    tokens = backend.tokenize("time flies like an unbelievably fast arrow")
    words = [FLIES, positions_of_span(tokens, (19, 31))]
    assert len(words[1]) == 5
    other = occurrence_states(backend.trace(FRUIT).hidden_states, FLIES)[-1:]  # (1, D)
    found = sweep_heads(backend, tokens, words, probes=probes, other=other[0])
    assert found.distance.shape == (2, backend.num_layers, backend.num_heads)
    plain = backend.run(tokens)
    for layer in range(backend.num_layers):
        for head in range(0, backend.num_heads, 3):
            trace = backend.run(tokens, silenced_heads=[(layer, head)])
            for at, positions in enumerate(words):
                before, after = (occurrence_states(each.hidden_states, positions)[-1:] for each in (plain, trace))
                cosine = cosines_by_layer(before, after)[0]
                assert_allclose(found.distance[at, layer, head], 1 - cosine, **CLOSE)
                shift = cosines_by_layer(before, other)[0] - cosines_by_layer(after, other)[0]
                assert_allclose(found.shift[at, layer, head], shift, **CLOSE)
                first, second = found.classes[at]
                odds = [
                    np.log(probabilities[-1, word, first] / probabilities[-1, word, second])
                    for probabilities, word in ((probes.read(each)[0], [1, 4][at]) for each in (plain, trace))
                ]
                assert_allclose(found.log_odds[at, layer, head], odds[1] - odds[0], **ODDS)


def test_without_probes_the_rest_still_works_and_progress_is_reported(scratch: Backend) -> None:
    seen: list[tuple[int, int]] = []
    tokens = scratch.tokenize("flies")
    found = sweep_heads(scratch, tokens, [(1,)], progress=lambda done, of: seen.append((done, of)))
    total = scratch.num_layers * scratch.num_heads
    assert seen == [(done, total) for done in range(1, total + 1)]
    assert found.log_odds is None
    assert draw_control_words(tokens, (1,), count=9) == []


def test_what_progress_raises_ends_the_sweep(scratch: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("encoder.models.base.BATCH_TOKENS", 14)  # two copies
    batches: list[int] = []
    run_batch = scratch._run_batch
    monkeypatch.setattr(scratch, "_run_batch", lambda texts, of: batches.append(len(texts)) or run_batch(texts, of))

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep_heads(scratch, scratch.tokenize(TIME), [FLIES], progress=stop)
    assert batches == [2]


def test_a_sweep_of_no_word_is_refused(scratch: Backend) -> None:
    with pytest.raises(ShapeError, match=r"^A sweep needs at least one word\.$"):
        sweep_heads(scratch, scratch.tokenize(TIME), [])
    with pytest.raises(ShapeError, match="at least one token"):
        sweep_heads(scratch, scratch.tokenize(TIME), [()])
    with pytest.raises(SelectionError, match="0 to 6"):
        sweep_heads(scratch, scratch.tokenize(TIME), [(7,)])


def test_other_words_share_no_token_and_are_the_same_again(bundled: Backend) -> None:
    tokens = bundled.tokenize("time, unbelievably, flies like an arrow!")
    assert tokens.labels[9] == "flies"
    everything = draw_control_words(tokens, (9,), count=99)
    assert everything == [(1,), (3, 4, 5, 6, 7), (10,), (11,), (12,)], "no punctuation, no special tokens"
    some = draw_control_words(tokens, (9,), count=2)
    assert some == draw_control_words(tokens, (9,), count=2)
    assert len(some) == 2
    assert set(some) <= set(everything)


def test_heads_of_the_bundled_model_beat_the_control_on_flies(bundled: Backend) -> None:
    """What the lens shows first: heads beyond chance, for "flies" in "time flies like an arrow"."""
    probes = load_probes("bundled")
    sweeps = []
    for text in (TIME, FRUIT):
        tokens = bundled.tokenize(text)
        sweeps.append(
            sweep_heads(bundled, tokens, [FLIES, *draw_control_words(tokens, FLIES, count=16)], probes=probes)
        )
    control = control_from_other_words([select_words(sweep, range(1, len(sweep.distance))) for sweep in sweeps])
    assert (control.n_words, control.n) == (8, 576)
    assert control.expected == pytest.approx(3.6)
    # Measured: 13 heads on the log-odds, 4 on the final vector.
    assert exceeds_control(sweeps[0].log_odds[0], control.log_odds).sum() > 2 * control.expected
    assert exceeds_control(sweeps[0].distance[0], control.distance)[0, 4]


# Patching ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "pairs"),
    [
        # "unbelievably" has five pieces: their mean goes into the one of "flies" ...
        ("an unbelievably fast arrow", TIME, [([2, 3, 4, 5, 6], 2)]),
        # ... and the one of "flies" into all five.
        (TIME, "an unbelievably fast arrow", [([2], place) for place in range(2, 7)]),
        # As many pieces on both sides: each into its counterpart.
        ("an unbelievably fast arrow", "so unbelievably fast", [([place], place) for place in range(2, 7)]),
    ],
    ids=["five to one", "one to five", "five to five"],
)
def test_words_of_other_lengths_get_the_mean(
    scratch: Backend, source: str, target: str, pairs: list[tuple[list[int], int]]
) -> None:
    of_a = tuple(dict.fromkeys(place for places, _ in pairs for place in places))
    of_b = tuple(place for _, place in pairs)
    found = patch_word(scratch, (scratch.tokenize(source), of_a), (scratch.tokenize(target), of_b))
    assert found.averaged is (len(of_a) != len(of_b))
    unpatched_a = occurrence_states(scratch.trace(source).hidden_states, of_a)[-1:]
    (states_a,) = scratch.hidden_states([scratch.tokenize(source)])
    for entry, of_source in enumerate(states_a):
        patches = tuple(
            Patch(state_index=entry, positions=(place,), state=of_source[places].mean(axis=0))
            for places, place in pairs
        )
        (states,) = scratch.hidden_states([scratch.tokenize(target)], [Intervention(patches=patches)])
        final = occurrence_states(states[-1], of_b)[None]
        assert_allclose(found.to_a[entry], cosines_by_layer(final, unpatched_a)[0], **CLOSE)
    assert (found.probabilities, found.unpatched_a, found.unpatched_b) == (None, None, None)


def test_the_meaning_of_flies_travels_with_the_word(bundled: Backend) -> None:
    probes = load_probes("bundled")
    a, b = ((bundled.tokenize(text), FLIES) for text in (TIME, FRUIT))
    there, back = patch_word(bundled, a, b, probes=probes), patch_word(bundled, b, a, probes=probes)
    # Measured: cosine to the source .631 .742 .802 .834 .880 .884 1, and back .631 .880 .897 .907 .918 .916 1.
    assert there.to_a == pytest.approx([0.631, 0.742, 0.802, 0.834, 0.880, 0.884, 1], abs=0.005)
    assert (there.first_state_nearer_to_a, back.first_state_nearer_to_a) == (3, 1)
    assert (there.unpatched_a.argmax(), there.unpatched_b.argmax()) == (TAG_IDS["VERB"], TAG_IDS["NOUN"])
    assert there.probabilities.argmax(axis=1).tolist() == [TAG_IDS["NOUN"]] + [TAG_IDS["VERB"]] * 6


@pytest.mark.parametrize("text", [TIME, "Time flies like an Arrow"])
def test_a_word_that_has_not_shifted_is_nearer_to_neither_text(bundled: Backend, text: str) -> None:
    found = patch_word(bundled, (bundled.tokenize(TIME), FLIES), (bundled.tokenize(text), FLIES))
    assert found.has_no_shift
    assert found.first_state_nearer_to_a is None
    assert not patch_word(bundled, (bundled.tokenize(TIME), FLIES), (bundled.tokenize(FRUIT), FLIES)).has_no_shift


def test_patching_a_word_that_is_not_there_is_refused(scratch: Backend) -> None:
    tokens = scratch.tokenize(TIME)
    for a, b in (((7,), FLIES), (FLIES, (7,))):
        with pytest.raises(SelectionError, match="0 to 6"):
            patch_word(scratch, (tokens, a), (tokens, b))
    with pytest.raises(ShapeError, match="at least one token"):
        patch_word(scratch, (tokens, ()), (tokens, FLIES))


def test_probes_of_another_model_are_refused() -> None:
    probes = load_probes("bundled")
    with pytest.raises(CheckpointError, match="width 384; these are 128 wide"):
        probes.scores(np.ones((1, 128), np.float32), 0)
    with pytest.raises(SelectionError, match=r"Hidden state 7 .* 0 to 6"):
        probes.scores(np.ones((1, 384), np.float32), 7)


def test_the_scores_of_a_probe_are_those_behind_its_probabilities(scratch: Backend) -> None:
    probes: Probes = load_probes("scratch")
    trace = scratch.trace(TIME)
    probabilities, _ = probes.read(trace)
    for entry in range(scratch.num_layers + 1):
        scores = probes.scores(trace.hidden_states[entry, 1:-1], entry)
        assert_allclose(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True), probabilities[entry], atol=1e-5)
