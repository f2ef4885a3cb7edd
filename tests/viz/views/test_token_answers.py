"""What the views say of heads that read each token, compare choices, or give one number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from encoder.attribution.target import resolve_target
from encoder.comparison.compare import compare
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.runs.trace import Prediction, Trace
from tests.encoder.random_models import BERT_SIZES, A, B, build, save, wordpiece_tokenizer
from tests.viz.answers.parts import charts, sentences
from viz.answers.answer import Answer, Table
from viz.answers.question import asked, kinds_of
from viz.answers.strongest_link import next_steps
from viz.claims.of_encoders import OF_ENCODERS
from viz.claims.subject import subject_of_runs
from viz.payloads.tokens import tags_of_head
from viz.state.selection import DEFAULT, Selection
from viz.theme import THEMES
from viz.tours.grammar import parse_claim
from viz.views.compare.answer.differences import outputs
from viz.views.compare.answer.sides import Sides
from viz.views.predictions.answer import answer_of, explanation_of, predictions
from viz.views.why.answer.measured import measured_methods
from viz.views.why.answer.words import title_in_words

LABELS = ("O", "B-LOC", "I-LOC", "B-PER")
NAMES = {"id2label": dict(enumerate(LABELS)), "label2id": {label: index for index, label in enumerate(LABELS)}}


@pytest.fixture(scope="module")
def backends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Backend]:
    tokenizer, root = wordpiece_tokenizer(), tmp_path_factory.mktemp("heads")
    heads: dict[str, tuple[str, dict[str, Any]]] = {
        "tags": ("ForTokenClassification", NAMES),
        "span": ("ForQuestionAnswering", {}),
        "choices": ("ForMultipleChoice", {}),
    }
    return {
        name: load_folder(
            name,
            save(
                build(f"Bert{head}", "BertConfig", vocab_size=len(tokenizer), **BERT_SIZES, **settings),
                root / name,
                tokenizer,
            ),
        )
        for name, (head, settings) in heads.items()
    }


def with_logits(trace: Trace, logits: dict[int, list[float]]) -> Trace:
    """A trace whose head says this of some tokens, and nothing of the others."""
    array = np.zeros_like(trace.token_prediction.logits)
    if trace.token_prediction.task == "tags":
        array[:, 0] = 5
    for position, row in logits.items():
        array[position] = row
    return replace(trace, token_prediction=replace(trace.token_prediction, logits=array))


@pytest.fixture
def tagged(backends: dict[str, Backend]) -> Trace:
    """“time flies” is a place, and “banana” a person."""
    trace = backends["tags"].trace("time flies like a banana")
    return with_logits(trace, {1: [0, 4, 0, 0], 2: [0, 0, 2, 0], 5: [0, 0, 0, 3]})


@pytest.fixture
def answered(backends: dict[str, Backend]) -> Trace:
    trace = backends["span"].trace(A, B)
    start = trace.tokens.sentence_b_start
    return with_logits(trace, {start: [6, 0], start + 1: [0, 6]})


def tables(answer: Answer) -> dict[str, Table]:
    return {part.name: part for part in answer.parts if isinstance(part, Table)}


def columns_of(answer: Answer, name: str) -> dict[str, Any]:
    return {column: list(values) for column, values in tables(answer)[name].columns().items()}


def test_entities_are_named_with_their_probability(tagged: Trace) -> None:
    answer = predictions(tagged)
    assert sentences(answer)[0] == "The model finds **time flies** (LOC, 83 %) and **banana** (PER, 87 %)."
    found = columns_of(answer, "entities")
    assert list(found["entity"]) == ["time flies", "banana"]
    assert list(found["kind"]) == ["LOC", "PER"]


def test_each_word_has_its_tag_and_its_probability_below(tagged: Trace) -> None:
    [chart] = charts(predictions(tagged))
    words, tags, shares = chart.figure(THEMES["light"]).data
    assert list(words.text) == [f"<b>{word}</b>" for word in ("time", "flies", "like", "a", "banana")]
    assert list(tags.text) == ["B-LOC", "I-LOC", "O", "O", "B-PER"]
    assert [text.replace("&#37;", "%") for text in shares.text] == ["95 %", "71 %", "98 %", "98 %", "87 %"]
    table = columns_of(predictions(tagged), "tags")
    np.testing.assert_allclose(table["probability"][0], np.exp(4) / (np.exp(4) + 3), rtol=1e-5)
    assert explanation_of(tagged) is not None


def test_a_text_without_entity_says_so(tagged: Trace) -> None:
    assert sentences(predictions(with_logits(tagged, {})))[0] == "The model finds **no entity**."


def test_tags_without_prefixes_name_the_least_certain_word(tagged: Trace) -> None:
    assert tagged.token_prediction is not None
    plain = replace(tagged.token_prediction, labels=("NOUN", "VERB", "DET", "ADP"))
    said = sentences(predictions(replace(tagged, token_prediction=plain)))[0]
    assert said == "The model tags 5 words. It is least sure of “flies”: **DET** (71 %)."


def test_the_token_strip_shows_the_tags_of_the_head(tagged: Trace, answered: Trace) -> None:
    assert tags_of_head(tagged) == ("B-LOC", "I-LOC", "", "", "B-PER")
    assert tags_of_head(answered) == ()


def test_the_best_answer_comes_first(answered: Trace) -> None:
    answer = predictions(answered)
    assert sentences(answer)[0].startswith("The model answers **fruit flies** (")
    shares = columns_of(answer, "answers")["probability"]
    assert list(shares) == sorted(shares, reverse=True)
    count = len(B.split())
    np.testing.assert_allclose(shares[0], (np.exp(6) / (np.exp(6) + count - 1)) ** 2, rtol=1e-4)
    tokens, starts, ends = charts(answer)[0].figure(THEMES["dark"]).data
    assert [text.split()[0] for text in (starts.text[0], ends.text[1])] == ["start", "end"]
    assert (len(tokens.text), starts.text[1], ends.text[0]) == (count, "", "")


def test_a_model_that_finds_no_answer_says_so(answered: Trace) -> None:
    start = answered.tokens.sentence_b_start
    unanswered = with_logits(answered, {start: [6, 0], start + 1: [0, 6], 0: [7, 6.5]})
    first, second, *_ = sentences(predictions(unanswered))
    assert first.startswith("The model says that B holds **no answer**; the likeliest span is **fruit flies** (")
    assert "their logits sum to 1.50 more" in second
    sides = Sides(a=unanswered, b=answered, names=("first", "second"), places=("A", "B"), note="")
    compared = columns_of(outputs(compare(unanswered, answered), sides), "compare-answers")
    assert compared["answer"] == ["no answer (else: fruit flies)", "fruit flies"]


def test_a_question_without_its_text_says_what_to_type(backends: dict[str, Backend]) -> None:
    [said] = sentences(predictions(backends["span"].trace(A)))
    assert "answers the question in A from the text in B" in said


def test_choices_are_shown_with_their_probabilities(backends: dict[str, Backend]) -> None:
    trace = backends["choices"].trace(A, "fruit | like a banana | an arrow")
    answer = predictions(trace)
    best = trace.prediction.labels[int(trace.prediction.logits.argmax())]
    assert sentences(answer)[0].startswith(f"The model prefers **{best}** (")
    assert list(columns_of(answer, "labels")["choice"]) == ["fruit", "like a banana", "an arrow"]
    assert kinds_of(trace)[0] == "score"
    chosen = replace(DEFAULT, why=replace(DEFAULT.why, label=2, rival=0))
    found = asked({"pair": trace}, chosen, backends["choices"].trace)
    assert (found.question.label, found.question.rival, found.compares) == (2, 0, True)
    assert found.labels == dict(enumerate(trace.prediction.labels))
    target = resolve_target(backends["choices"], found.question)
    said = title_in_words(found.question, target)
    assert said == "The score of “an arrow”, compared with that of “fruit”, which is held fixed"
    assert "at least two choices in B" in backends["choices"].trace(A).notes[-1]


def prediction(count: int, *, shares: np.ndarray | None, **settings: Any) -> Prediction:
    labels = tuple(f"label {index}" for index in range(count))
    return Prediction(labels=labels, logits=np.zeros(count, np.float32), probabilities=shares, **settings)


def test_of_many_classes_the_ten_likeliest_are_drawn() -> None:
    shares = np.random.default_rng(0).dirichlet(np.ones(150)).astype(np.float32)
    answer = answer_of(prediction(150, shares=shares))
    likeliest = np.sort(shares)[::-1][:10]
    np.testing.assert_allclose(charts(answer)[0].figure(THEMES["light"]).data[0].x, likeliest, rtol=1e-6)
    assert "The 10 likeliest of 150" in sentences(answer)[1]
    table = tables(answer)["labels"]
    assert table.on_page == "folded"
    np.testing.assert_allclose(columns_of(answer, "labels")["probability"], np.sort(shares)[::-1])


def test_labels_that_may_hold_at_once_are_all_named() -> None:
    shares = np.array([0.9, 0.2, 0.8], np.float32)
    assert (
        sentences(answer_of(prediction(3, shares=shares)))[0]
        == "The model says **label 0** (90 %), **label 2** (80 %)."
    )
    none = sentences(answer_of(prediction(3, shares=shares / 4)))[0]
    assert none == "The model says that **no label** holds; the likeliest is **label 0** (22 %)."


def test_a_pair_has_one_score_and_numbers_without_probabilities_say_so() -> None:
    one = Prediction(labels=("score",), logits=np.zeros(1, np.float32), probabilities=None, score=-1.5)
    assert sentences(answer_of(one, pair=True))[0] == "The model gives this pair a score of **−1.500**."
    assert "not probabilities" in sentences(answer_of(prediction(3, shares=None)))[0]


def test_a_head_for_pairs_asks_for_the_second_sentence(tagged: Trace) -> None:
    labels = ("entailment", "neutral", "contradiction")
    shares = np.array([0.2, 0.3, 0.5], np.float32)
    found = Prediction(labels=labels, logits=np.log(shares), probabilities=shares)
    answer = predictions(replace(tagged, token_prediction=None, prediction=found))
    assert sentences(answer)[0].startswith("**This model judges a pair of sentences**")
    assert sentences(answer)[1] == "The model says **contradiction** (50 %)."


def test_why_opens_on_what_the_head_says(tagged: Trace, answered: Trace) -> None:
    def question(trace: Trace, selection: Selection = DEFAULT) -> Any:
        return asked({"pair": trace}, selection, lambda _: trace)

    found = question(tagged)
    assert (found.question.kind, found.question.word, found.labels[1]) == ("tag", 0, "B-LOC")
    found = question(answered, replace(DEFAULT, why=replace(DEFAULT.why, kind="end", label=6)))
    assert (found.question.kind, found.question.label, found.labels[6]) == ("end", 6, "flies")
    one = Prediction(labels=("score",), logits=np.zeros(1, np.float32), probabilities=None, score=-1.5)
    assert question(replace(tagged, token_prediction=None, prediction=one)).question.kind == "score"
    assert next_steps((), {"pair": answered}, DEFAULT)[0] == ("Why this answer?", {"view": "why", "why": "start"})


def test_figures_of_one_corpus_are_not_shown_with_other_models() -> None:
    assert measured_methods("bundled-sentiment").parts
    assert not measured_methods("my/reranker").parts


def test_compare_lists_the_words_with_another_tag(tagged: Trace, answered: Trace) -> None:
    def compared(a: Trace, b: Trace) -> Answer:
        sides = Sides(a=a, b=b, names=("first", "second"), places=("A", "B"), note="")
        return outputs(compare(a, b), sides)

    other = with_logits(tagged, {1: [0, 4, 0, 0], 2: [9, 0, 0, 0], 5: [0, 0, 0, 3]})
    columns = columns_of(compared(tagged, other), "compare-tags")
    assert columns["word"] == ["flies"]
    assert (columns["tag, first"], columns["tag, second"]) == (["I-LOC"], ["O"])
    np.testing.assert_allclose(columns["probability, first"], [np.exp(2) / (np.exp(2) + 3)], rtol=1e-5)
    assert "compare-tags" not in tables(compared(tagged, tagged))
    assert columns_of(compared(answered, answered), "compare-answers")["answer"] == ["fruit flies"] * 2


def test_claims_read_tags_and_answers(backends: dict[str, Backend], tagged: Trace, answered: Trace) -> None:
    def number(claim: str, backend: Backend, trace: Trace) -> float:
        measure = parse_claim(claim).measure
        subject = subject_of_runs(backend, [trace], None)
        return OF_ENCODERS[measure.name](measure, subject)

    assert number('tag("flies", "I-LOC") > 0.5', backends["tags"], tagged) == pytest.approx(0.711, abs=1e-3)
    assert number('start(B:"fruit") > 0.5', backends["span"], answered) > 0.98
    assert number('end(B:"fruit") < 0.5', backends["span"], answered) < 0.01
    with pytest.raises(SelectionError, match="no tag “X”"):
        number('tag("flies", X) > 0.5', backends["tags"], tagged)
    with pytest.raises(SelectionError, match="tags no words"):
        number('tag("fruit", X) > 0.5', backends["span"], answered)
    silenced = backends["tags"].run(tagged.tokens, silenced_heads=[(0, 1)]).token_prediction
    changed = number('tag("flies", O, silenced=0.1) > 0', backends["tags"], tagged)
    assert changed == pytest.approx(float(silenced.probabilities[2, 0]))
