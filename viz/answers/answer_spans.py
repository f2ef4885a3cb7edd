"""The answer to a question: the likeliest spans of the text in B, and where they start and end."""

from __future__ import annotations

from typing import Final

from encoder.errors import SelectionError
from encoder.measures.word_tags import (
    LONGEST_SPAN,
    AnswerSpan,
    answer_positions,
    answer_probabilities,
    best_spans,
    no_answer_margin,
)
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import TokenPrediction, Trace
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Chart, Columns, Sentence, Table, explained
from viz.figures.tagged_words import tagged_words
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.numbers import percent, percent_counted, written

EXPLANATION: Final = Explanation(
    "A question-answering head gives each token of the text one logit as the start of the answer and one as its end. "
    "Softmax over the text turns them into probabilities, and the probability of a span is their product.",
    "A model that was never trained on texts without an answer names a span in each.",
)
LONGEST_ANSWER: Final = 120  # characters
LEAST_SHOWN: Final = 0.005  # smaller probabilities are not written under a token


def answer_of_spans(prediction: TokenPrediction, tokens: Tokens) -> Answer:
    """The best answer in a sentence, the tokens of B with the probabilities of a start and an end, and both as tables.

    Args:
        prediction: of a head for "span".
    """
    try:
        spans, shares = best_spans(prediction, tokens), answer_probabilities(prediction, tokens)
    except SelectionError as error:
        return Answer((explained(error),))
    best = spans[0]
    return Answer(
        (
            *_said(best, no_answer_margin(prediction, tokens)),
            Sentence(
                f"A is the question, and B the text. An answer has at most {LONGEST_SPAN} tokens; its probability is "
                "that of its start times that of its end.",
                "caption",
            ),
            _chart(best, shares, tokens),
            _spans_table(spans),
            Table(
                name="starts-and-ends",
                title="Starts and ends as a table",
                columns=lambda: _columns(prediction, shares, tokens),
            ),
        )
    )


def _said(best: AnswerSpan, margin: float) -> list[Sentence]:
    """The best answer, or that there is none.

    Args:
        margin: how much larger the score of "no answer" is than that of the best span.
    """
    named = escape_markdown(shorten(make_visible(best.text), LONGEST_ANSWER))
    said = f"**{named}** ({percent_counted(best.probability)})"
    if margin <= 0:
        return [Sentence(f"The model answers {said}.", "subheading")]
    return [
        Sentence(f"The model says that B holds **no answer**; the likeliest span is {said}.", "subheading"),
        Sentence(
            f"“No answer” is a start and an end at the first token: their logits sum to {written(margin, '.2f')} more "
            "than those of the span.",
            "caption",
        ),
    ]


def best_answer(trace: Trace) -> tuple[AnswerSpan, float] | None:
    """The likeliest answer of a run, and the margin of "no answer"; None without such a head, or without a B."""
    prediction = trace.token_prediction
    if prediction is None or prediction.task != "span" or 1 not in trace.tokens.sentence_ids:
        return None
    return best_spans(prediction, trace.tokens)[0], no_answer_margin(prediction, trace.tokens)


def _spans_table(spans: list[AnswerSpan]) -> Table:
    columns: Columns = {"answer": [span.text for span in spans], "probability": [span.probability for span in spans]}
    return Table(name="answers", title="The likeliest answers", columns=lambda: columns, on_page="open", decimals=4)


def _chart(best: AnswerSpan, shares: FloatArray, tokens: Tokens) -> Chart:
    positions = answer_positions(tokens)
    labels = [tokens.labels[place] for place in positions]
    below = [
        [f"{name} {percent(share)}" if share >= LEAST_SHOWN else "" for name, share in _edges(shares, place)]
        for place in positions
    ]
    hover = [
        "\n".join([label, *(f"{name} {percent(share, 1)}" for name, share in _edges(shares, place))])
        for label, place in zip(labels, positions, strict=True)
    ]
    marked = [best.start <= place <= best.end for place in positions]
    return Chart(
        name="starts-and-ends",
        title="Where the answer starts and ends",
        alt=f"The {len(labels)} tokens of B, with the probability of a start and of an end under them.",
        figure=lambda theme: tagged_words(labels, below, marked=marked, hover=hover, theme=theme),
    )


def _edges(shares: FloatArray, place: int) -> list[tuple[str, float]]:
    return [("start", float(shares[place, 0])), ("end", float(shares[place, 1]))]


def _columns(prediction: TokenPrediction, shares: FloatArray, tokens: Tokens) -> Columns:
    positions = list(answer_positions(tokens))
    return {
        "position": positions,
        "token": [tokens.pieces[place] for place in positions],
        "start_logit": prediction.logits[positions, 0],
        "start_probability": shares[positions, 0],
        "end_logit": prediction.logits[positions, 1],
        "end_probability": shares[positions, 1],
    }
