"""Every measure of a claim, against the same number by brute force from the Python API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from encoder.attribution.cuts import cut as cut_link
from encoder.errors import HeadlightError, SelectionError
from encoder.measures.combined_attention import attention_to_copied_tokens_by_head
from encoder.models.labels import TAGS
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from encoder.shipped.probes import word_classes
from tests.viz.claims.numbers import CLOSE, A, number
from viz.claims.of_encoders import OF_ENCODERS
from viz.claims.of_tables import OF_TABLES
from viz.claims.of_writers import OF_WRITERS
from viz.claims.stops import open_encoder, open_writer, subject_of, written_by
from viz.claims.subject import Subject
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.measures import MEASURES

if TYPE_CHECKING:
    from encoder import Backend


@pytest.fixture(scope="module")
def written() -> Generation:
    page = with_values(DEFAULT, {"view": "decoder", "task": "reverse", "source": A})
    return written_by(page, open_writer("seq2seq", asked=False))


def all_weights(trace: Trace) -> np.ndarray:
    """(L, H, T, T)."""
    return np.stack([trace.weights(layer) for layer in range(trace.num_layers)])


def entropies(weights: np.ndarray) -> np.ndarray:
    """Mean entropy of the rows, in bits."""
    return -(weights * np.log2(np.maximum(weights, 1e-30))).sum(-1).mean(-1)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_every_measure_of_the_grammar_is_worked_out() -> None:
    assert set(OF_ENCODERS) | set(OF_WRITERS) | set(OF_TABLES) == set(MEASURES)


# [CLS] time flies like an arrow [SEP] un ##fl ##app ##able fruit flies [SEP]
PAIR: dict[str, Callable[[np.ndarray], float]] = {
    'weight(layer=2, head=3, "time" → A:"flies")': lambda w: w[2, 3, 1, 2],
    'weight(layer=2, head=mean, B:"flies" → "fruit")': lambda w: w[2, :, 12, 11].mean(),
    'weight(layer=2, head=highest, B:"flies" → "fruit")': lambda w: w[2, :, 12, 11].max(),
    'weight(layer=highest, head=highest, "flies"#2 → "fruit")': lambda w: w[:, :, 12, 11].max(),
    'weight(layer=lowest, head=mean, "flies"#2 → "fruit")': lambda w: w[:, :, 12, 11].mean(1).min(),
    'weight(layer=1, head=0, "fruit" → "unflappable")': lambda w: w[1, 0, 11, 7:11].sum(),
    'weight(layer=1, head=0, "unflappable" → "fruit")': lambda w: w[1, 0, 7:11, 11].mean(),
    'weight(layer=1, head=0, "TIME" → "[SEP]"#2)': lambda w: w[1, 0, 1, 13],
    'weight(layer=1, head=0, "time" → B:"[SEP]")': lambda w: w[1, 0, 1, 13],
    'weight(layer=1, head=0, "##fl" → "[CLS]")': lambda w: w[1, 0, 8, 0],
    'weight(layer=1, head=0, kind=encoder, "time" → "fruit")': lambda w: w[1, 0, 1, 11],
    "entropy(layer=3, head=5)": lambda w: entropies(w)[3, 5],
    "entropy(layer=lowest, head=lowest)": lambda w: entropies(w).min(),
    "share(layer=0, head=2, to=previous)": lambda w: np.mean([0, *(w[0, 2, i, i - 1] for i in range(1, 14))]),
    "share(layer=0, head=2, to=next)": lambda w: np.mean([*(w[0, 2, i, i + 1] for i in range(13)), 0]),
    "share(layer=0, head=2, to=itself)": lambda w: np.mean([w[0, 2, i, i] for i in range(14)]),
    "share(layer=0, head=2, to=separators)": lambda w: w[0, 2][:, [6, 13]].sum(-1).mean(),
}


@pytest.mark.parametrize("measure", PAIR)
def test_measures_of_weights(measure: str, pair: Subject) -> None:
    assert pair.first.tokens.labels[7:13] == ("un", "##fl", "##app", "##able", "fruit", "flies")
    np.testing.assert_allclose(number(measure, pair), PAIR[measure](all_weights(pair.first)), **CLOSE)


def test_measures_of_states(apart: Subject) -> None:
    a, b = apart.traces["A"].hidden_states, apart.traces["B"].hidden_states
    for layer in range(6):
        words = f'(layer={layer}, A:"flies", B:"flies")'
        np.testing.assert_allclose(number(f"cosine{words}", apart), cosine(a[layer + 1, 2], b[layer + 1, 6]), **CLOSE)
    unflappable = b[0, 1:5].mean(0)
    np.testing.assert_allclose(
        number('cosine(layer=embeddings, A:"flies", "unflappable")', apart), cosine(a[0, 2], unflappable), **CLOSE
    )
    np.testing.assert_allclose(
        number('norm(layer=embeddings, "unflappable")', apart), np.linalg.norm(unflappable), **CLOSE
    )


def test_probe_probabilities(apart: Subject) -> None:
    classes = word_classes(apart.traces["B"])
    noun = TAGS.index("NOUN")
    for state, layer in enumerate(["embeddings", *range(6)]):
        found = number(f'probe(layer={layer}, B:"flies", NOUN)', apart)
        np.testing.assert_allclose(found, classes.probabilities[state, 2, noun], **CLOSE)
    np.testing.assert_allclose(number('probe(layer=all, B:"flies", NOUN)', apart), classes.combined[2, noun], **CLOSE)


def test_effects_of_silencing(bundled: Backend, apart: Subject) -> None:
    plain = apart.traces["A"].hidden_states[-1]

    def distance(*heads: tuple[int, int]) -> np.ndarray:
        changed = bundled.trace(A, silenced_heads=heads).hidden_states[-1]
        return np.array([1 - cosine(one, other) for one, other in zip(plain, changed, strict=True)])

    by_head = np.array([[distance((layer, head)) for head in range(12)] for layer in range(6)])  # (L, H, T)
    for measure, expected in {
        'effect(layer=0, head=4, A:"flies")': by_head[0, 4, 2],
        'effect(silenced=0.4-1.3, A:"flies")': distance((0, 4), (1, 3))[2],
        'effect(layer=highest, head=highest, A:"flies")': by_head[..., 2].max(),
        'effect(layer=5, head=lowest, A:"flies")': by_head[5, :, 2].min(),
        'control(A:"flies")': np.quantile(by_head[..., [1, 3, 4, 5]], 0.95),
    }.items():
        np.testing.assert_allclose(number(measure, apart), expected, rtol=1e-3, atol=1e-5)


def test_effects_on_log_odds(bundled: Backend, apart: Subject) -> None:
    plain = word_classes(apart.traces["A"]).probabilities[-1, 1]
    first, second = np.argsort(-plain)[:2]

    def odds(probabilities: np.ndarray) -> float:
        return float(np.log(probabilities[first] / probabilities[second]))

    changed = word_classes(bundled.trace(A, silenced_heads=[(0, 4)])).probabilities[-1, 1]
    expected = odds(changed) - odds(plain)
    np.testing.assert_allclose(number('log_odds(layer=0, head=4, A:"flies")', apart), expected, rtol=1e-3)
    assert number('log_odds(layer=0, head=lowest, A:"flies")', apart) <= expected + 1e-4


def test_patched_words(apart: Subject) -> None:
    a, b = apart.traces["A"].hidden_states[-1, 2], apart.traces["B"].hidden_states[-1, 6]
    words = 'A:"flies" → B:"flies"'
    np.testing.assert_allclose(number(f"patched(layer=5, {words})", apart), 1, **CLOSE)
    np.testing.assert_allclose(number(f"patched(layer=5, to=B, {words})", apart), cosine(a, b), **CLOSE)
    middle = number(f"patched(layer=3, {words})", apart)
    assert cosine(a, b) < middle < 1


def test_cut_links(bundled: Backend, apart: Subject) -> None:
    found = cut_link(bundled, A, "flies", "time")
    outputs = dict(zip(found.outputs, found.after.tolist(), strict=True))
    for label in ("VERB", "NOUN"):
        expected = outputs["part of speech", "flies", label]
        np.testing.assert_allclose(number(f'cut(A:"flies" → "time", {label})', apart), expected, **CLOSE)
    assert number('cut(layer=0, head=4, A:"flies" → "time", VERB)', apart) == pytest.approx(0.70, abs=0.006)
    with pytest.raises(SelectionError, match="encoded separately"):
        number('cut(A:"flies" → B:"flies", VERB)', apart)


def test_class_probabilities() -> None:
    model = open_encoder("bundled-sentiment", asked=False)
    subject = subject_of(with_values(DEFAULT, {"a": "a good film", "b": ""}), model)
    for heads, silenced in (((), ""), (((5, 9), (0, 2)), "silenced=5.9-0.2, ")):
        prediction = model.trace("a good film", silenced_heads=heads).prediction
        assert prediction.probabilities is not None
        for label, expected in zip(prediction.labels, prediction.probabilities, strict=True):
            np.testing.assert_allclose(number(f'prediction({silenced}"{label.upper()}")', subject), expected, **CLOSE)


def test_measures_of_an_encoder_decoder(written: Generation) -> None:
    assert written.written.labels[:2] == ("arrow", "an")
    for kind, query, key in (("cross", 1, 4), ("decoder", 2, 1), ("encoder", 1, 2)):
        labels = written.query_tokens(kind).labels[query], written.key_tokens(kind).labels[key]
        measure = f'weight(layer=1, head=2, kind={kind}, "{labels[0]}" → "{labels[1]}")'
        np.testing.assert_allclose(number(measure, written), written.weights(kind, 1)[2, query, key], **CLOSE)
        assert number(f"entropy(layer=1, head=2, kind={kind})", written) == pytest.approx(
            float(entropies(written.weights(kind, 1))[2]), abs=1e-4
        )
    assert number('weight(layer=1, head=2, "arrow" → "an")', written) == pytest.approx(
        float(written.weights("cross", 1)[2, 1, 4])
    )
    copied = attention_to_copied_tokens_by_head(written)
    assert number("share(layer=1, head=2, to=copied)", written) == pytest.approx(float(copied[1, 2]))
    own = written.weights("decoder", 0)[1]
    assert number("share(layer=0, head=1, kind=decoder, to=itself)", written) == pytest.approx(
        float(np.diag(own).mean())
    )
    assert number('writes(step=0, "arrow")', written) == written.candidates[0][0].probability


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ('weight(layer=6, head=0, A:"flies" → "time")', "There is no layer 6: the last one is 5."),
        ('weight(layer=0, head=12, A:"flies" → "time")', "There is no head 12: the last one is 11."),
        ('weight(layer=0, head=0, "flies" → "time")', r'"flies" occurs 2 times in this text: "flies"#1 to "flies"#2'),
        ('weight(layer=0, head=0, "flies"#3 → "time")', "there is no #3"),
        ('weight(layer=0, head=0, "banana" → "time")', r'"banana" is not in this text'),
        ('weight(layer=0, head=0, A:"fruit" → "time")', r'"fruit" is not in sentence A'),
        ('weight(layer=0, head=0, kind=cross, "fruit" → "time")', "in the view Decoder"),
        ('probe(layer=0, "time", COLOUR)', "is no part of speech"),
        ('probe(layer=0, "[CLS]", NOUN)', "has no part of speech"),
        ("prediction(joy)", "no class “joy”|predicts no classes"),
        ("prediction(silenced=9.9, joy)", "L9 H9"),
        ('effect(silenced=9.9, "time")', "L9 H9"),
        ("share(layer=0, head=0, to=copied)", "the decoder's tasks only"),
        ('writes(step=0, "arrow")', "in the view Decoder"),
    ],
)
def test_why_a_measure_does_not_apply(measure: str, why: str, pair: Subject) -> None:
    with pytest.raises(HeadlightError, match=why):
        number(measure, pair)


def test_separately_encoded_words_do_not_look_at_each_other(apart: Subject) -> None:
    with pytest.raises(HeadlightError, match="encoded separately"):
        number('weight(layer=0, head=0, "time" → "fruit")', apart)


def test_a_model_without_probes() -> None:
    backend = open_encoder("scratch-untrained", asked=False)
    without = subject_of(with_values(DEFAULT, {"a": "time flies", "b": ""}), backend)
    for measure in ('probe(layer=0, "time", NOUN)', 'log_odds(layer=0, head=0, "time")'):
        with pytest.raises(HeadlightError, match="No probes"):
            number(measure, without)
    states = (backend.trace("time flies", silenced_heads=heads).hidden_states[-1, 1] for heads in ((), ((0, 0),)))
    np.testing.assert_allclose(number('effect(layer=0, head=0, "time")', without), 1 - cosine(*states), **CLOSE)


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ('cosine(layer=0, "time", "flies")', "measured of encoders"),
        ("entropy(layer=2, head=0)", "no layer 2"),
        ("share(layer=0, head=0, to=previous)", "no share to=previous"),
        ("share(layer=0, head=0, kind=encoder, to=copied)", "not known here"),
        ('writes(step=9, "arrow")', "There is no step 9"),
        ('writes(step=0, "banana")', "not among the likeliest"),
    ],
)
def test_why_a_measure_does_not_apply_to_an_encoder_decoder(measure: str, why: str, written: Generation) -> None:
    with pytest.raises(HeadlightError, match=why):
        number(measure, written)
