"""What heads that read each token say of words."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from encoder.errors import SelectionError
from encoder.measures.word_tags import (
    LONGEST_SPAN,
    WordTags,
    answer_probabilities,
    best_spans,
    edge_words,
    entities,
    first_pieces,
    no_answer_margin,
    read_scheme,
    scheme_in_words,
    strict_spans,
    word_tags,
)
from encoder.runs.trace import TokenPrediction
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Tokens
from tests.encoder.random_models import A, B, Zoo

LABELS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")


@pytest.fixture(scope="module")
def pair(zoo: Zoo) -> Tokens:
    return zoo.backend("bert").tokenize(A, B)


def tagged(tokens: Tokens, *labels: str, of: tuple[str, ...] = LABELS) -> WordTags:
    """Tags of a text's words, each with a probability of .6, the first with .8."""
    firsts = first_pieces(tokens)
    shares = np.zeros((len(firsts), len(of)), np.float32)
    for row, label in enumerate(labels):
        shares[row, of.index(label)] = 0.6 if row else 0.8
    return WordTags(of, tuple(firsts), tuple(firsts.values()), shares)


def named(tokens: Tokens, *labels: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(entity.label, entity.words) for entity in entities(tagged(tokens, *labels), tokens)]


def test_a_word_has_the_tag_of_its_first_piece(zoo: Zoo) -> None:
    trace = zoo.backend("bert").trace("bananas like time")
    logits = np.arange(len(trace.tokens) * 5, dtype=np.float32).reshape(-1, 5) ** 2 % 7
    positions = tuple(range(len(trace.tokens)))
    prediction = TokenPrediction(task="tags", positions=positions, logits=logits, labels=LABELS)
    found = word_tags(dataclasses.replace(trace, token_prediction=prediction))
    assert trace.tokens.word_ids[1:4] == (0, 0, 1)
    assert (found.words, found.positions) == ((0, 1, 2), (1, 3, 4))
    assert_allclose(found.probabilities, prediction.probabilities[[1, 3, 4]])
    assert found.names_entities
    assert word_tags(trace) is None


def test_a_text_without_words_has_no_tags() -> None:
    assert WordTags(("O",), (), (), np.zeros((0, 1), np.float32)).likeliest == ()
    assert WordTags((), (), (), np.zeros((0, 0), np.float32)).likeliest == ()


def test_an_entity_does_not_go_on_from_a_to_b(pair: Tokens) -> None:
    assert named(pair, "O", "O", "O", "O", "B-LOC", "I-LOC", "O") == [("LOC", (4,)), ("LOC", (5,))]
    assert entities(tagged(pair, "B-LOC", "I-LOC"), pair)[0].probability == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("scheme", "tags", "expected"),
    [
        ("BIOES", "B-PER E-PER O S-PER O", [("PER", (0, 1)), ("PER", (3,))]),
        ("BIOES", "B-LOC I-LOC E-LOC E-LOC S-PER", [("LOC", (0, 1, 2)), ("LOC", (3,)), ("PER", (4,))]),
        ("BILOU", "B-LOC I-LOC L-LOC U-PER I-PER", [("LOC", (0, 1, 2)), ("PER", (3,)), ("PER", (4,))]),
        ("BMES", "B-ORG M-ORG E-ORG S-ORG O", [("ORG", (0, 1, 2)), ("ORG", (3,))]),
        ("BIO", "B_PER I_PER O B_LOC I_PER", [("PER", (0, 1)), ("LOC", (3,)), ("PER", (4,))]),
        ("BIO", "PER-B PER-I O X-B X-I", [("PER", (0, 1)), ("X", (3, 4))]),
        ("BIO", "b-per i-per o b-account_number i-account_number", [("per", (0, 1)), ("account_number", (3, 4))]),
        ("BIO", "I-PER I-PER O I-LOC B-LOC", [("PER", (0, 1)), ("LOC", (3,)), ("LOC", (4,))]),
        ("BIO", "I-PER I-PER O I-LOC I-LOC", [("PER", (0, 1)), ("LOC", (3, 4))]),
        ("BIO", "B-X B-X I-Y I-X O", [("X", (0,)), ("X", (1,)), ("Y", (2,)), ("X", (3,))]),
        ("BIO", "B-O I-O O B-O O", [("O", (0, 1)), ("O", (3,))]),
        ("BILOU", "BEGIN-PER LAST-PER O UNIT-PER X", [("PER", (0, 1)), ("PER", (3,))]),
        ("BIO", "B I O B B", [("entity", (0, 1)), ("entity", (3,)), ("entity", (4,))]),
        ("BIO", "B-PER I-PER _ I-PER B-LOC", [("PER", (0, 1)), ("PER", (3,)), ("LOC", (4,))]),
        ("IO", "MISC MISC O LOC MISC", [("MISC", (0, 1)), ("LOC", (3,)), ("MISC", (4,))]),
        ("", "NOUN VERB NOUN X NOUN", []),
        ("", "B-PER PER B-PER PER PER", []),  # no more tags with marks than without
        ("", "Q-PER Z-PER O Q-LOC Z-LOC", []),
        ("", "LABEL_0 LABEL_1 LABEL_2 LABEL_0 LABEL_0", []),
        ("", "original replaced original original replaced", []),
    ],
)
def test_entities_are_whole_by_the_scheme_of_their_tags(
    scheme: str, tags: str, expected: list[tuple[str, tuple[int, ...]]], pair: Tokens
) -> None:
    labels = tuple(dict.fromkeys(tags.split()))
    found = tagged(pair, *tags.split(), *tags.split(), of=labels)
    assert read_scheme(labels).name == scheme
    assert found.names_entities == bool(scheme)
    of_a = [(each.label, each.words) for each in entities(found, pair) if each.words[0] < 5]
    assert of_a == expected
    first = next((label for label in labels if label != "O" and not label.startswith("I-")), labels[0])
    kinds = {kind for kind, _ in expected}
    of = f"of {len(kinds)} kind{'s' * (len(kinds) > 1)} by the scheme {scheme}, as in {first}."
    assert (of if scheme else "no known scheme") in scheme_in_words(labels)


@given(st.lists(st.sampled_from(LABELS), min_size=10, max_size=10))
def test_every_tagged_word_is_in_one_entity(pair: Tokens, labels: list[str]) -> None:
    words = [word for _, of_entity in named(pair, *labels) for word in of_entity]
    assert words == [index for index, label in enumerate(labels) if label != "O"]


def spans_of(tokens: Tokens, starts: dict[int, float], ends: dict[int, float]) -> TokenPrediction:
    logits = np.zeros((len(tokens), 2), np.float32)
    for edge, of_edge in enumerate((starts, ends)):
        for position, logit in of_edge.items():
            logits[position, edge] = logit
    positions = tuple(range(len(tokens)))
    return TokenPrediction(task="span", positions=positions, logits=logits, labels=("start", "end"))


def test_the_best_answer_lies_in_b_and_ends_after_it_starts(pair: Tokens) -> None:
    start = pair.sentence_b_start
    prediction = spans_of(pair, {1: 9, start + 2: 5, start + 4: 3, start: 2}, {2: 9, start + 1: 5, start + 3: 4})
    shares = answer_probabilities(prediction, pair)
    assert_allclose(shares.sum(0), 1, atol=1e-6)
    lower_ends = dataclasses.replace(prediction, logits=prediction.logits - np.array([0, 200], np.float32))
    assert_allclose(answer_probabilities(lower_ends, pair), shares, atol=1e-6)
    assert (shares.dtype, shares[:start].any()) == (np.float32, False)
    best, *others = best_spans(prediction, pair)
    joint = shares[:, :1] @ shares[:, 1:].T
    assert (best.start, best.end, best.text, len(others)) == (start + 2, start + 3, "like a", 4)
    assert best.probability == pytest.approx(float(joint[start + 2, start + 3]))
    assert all(start <= span.start <= span.end and span.probability <= best.probability for span in others)
    assert list(edge_words(prediction, pair, 0).values())[:2] == [start + 2, start + 4]


def test_the_first_token_stands_for_no_answer(pair: Tokens) -> None:
    start = pair.sentence_b_start
    assert no_answer_margin(spans_of(pair, {0: 3, start: 2}, {0: 4, start + 1: 2.5}), pair) == pytest.approx(2.5)
    assert no_answer_margin(spans_of(pair, {0: 1, start: 2}, {0: 4, start + 1: 4}), pair) == pytest.approx(-1)
    bare = dataclasses.replace(pair, special=(False, *pair.special[1:]))
    assert no_answer_margin(spans_of(pair, {0: 3}, {0: 4}), bare) == -np.inf


def test_an_answer_has_a_largest_length(tokenizer: Tokenizer) -> None:
    tokens = tokenizer("who?", " ".join(["word"] * 60))
    start = tokens.sentence_b_start
    prediction = spans_of(tokens, {start: 20}, {start + LONGEST_SPAN: 20, start + LONGEST_SPAN - 1: 10})
    assert best_spans(prediction, tokens)[0].end == start + LONGEST_SPAN - 1
    one = tokenizer("who?", "me")
    assert [span.text for span in best_spans(spans_of(one, {}, {}), one)] == ["me"]


def test_a_question_without_a_text_is_one_clear_error(zoo: Zoo) -> None:
    tokens = zoo.backend("bert").tokenize(A)
    with pytest.raises(SelectionError, match=r"^This model answers .*: type both, and read them together\.$"):
        best_spans(spans_of(tokens, {}, {}), tokens)


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-TEL I-TEL I-TEL I-TEL", {("TEL", 0, 3)}),
        ("B-TEL I-TEL I-TEL O", {("TEL", 0, 2)}),
        ("O I-TEL I-TEL", set()),  # without a beginning
        ("B-TEL I-PER B-PER", {("TEL", 0, 0), ("PER", 2, 2)}),
        ("B-TEL E-TEL S-PER B-PER I-PER", {("TEL", 0, 1), ("PER", 2, 2)}),  # the last one has no end
        ("PER PER O TEL PER", {("PER", 0, 1), ("TEL", 3, 3), ("PER", 4, 4)}),
    ],
)
def test_whole_entities_are_those_of_seqeval_in_strict_mode(tags: str, spans: set[tuple[str, int, int]]) -> None:
    """1,200 random rows of IOB2, IOBES and BILOU gave precision and recall of seqeval 1.2.2."""
    found = tags.split()
    assert strict_spans(found, read_scheme(["O", *dict.fromkeys(found)])) == spans
