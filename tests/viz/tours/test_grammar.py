"""The grammar of claims and points."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viz.tours.strategies import claims, points
from viz.tours.grammar import GrammarError, format_claim, format_point, measure_in_words, parse_claim, parse_point
from viz.tours.tour import Claim, Measure, Number, Point, Word


def sentence_of(parse: Callable[[str], object], text: str) -> str | None:
    """Why a text is refused, None where it is read."""
    try:
        parse(text)
    except GrammarError as error:
        return str(error)
    return None


@given(claims)
def test_a_claim_is_read_back(claim: Claim) -> None:
    assert parse_claim(format_claim(claim)) == claim


@given(points)
@settings(deadline=None)
def test_a_point_is_read_back(point: Point) -> None:
    assert parse_point(format_point(point)) == point


@given(st.text(max_size=100) | st.lists(st.sampled_from([*'weight(layer=0,"a"→)>1.5#AB:', "probe"])).map("".join))
def test_any_other_text_is_refused_with_a_sentence(text: str) -> None:
    for parse in (parse_claim, parse_point):
        sentence = sentence_of(parse, text)
        assert sentence is None or sentence.endswith(".")


def test_spellings() -> None:
    plain = parse_claim('weight(layer=0, head=4, B:"flies"#2 → "fruit") >= 0.50')
    assert plain == parse_claim('weight( head = 4,layer=0,B: “flies”#2->"fruit" )≥0.50')
    assert plain == Claim(
        Measure("weight", (("layer", "0"), ("head", "4")), (Word("flies", "B", 2), Word("fruit"))), ">=", Number("0.50")
    )
    assert parse_claim('probe(layer=all, "flies", VERB) > 0.5') == parse_claim(
        'probe(layer=all, "flies", "VERB") > 0.5'
    )
    assert parse_claim(r'norm(layer=0, "a \"b\" \\") < 1').measure.words == (Word('a "b" \\'),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "After “the beginning” the name of a measure is needed."),
        ("weight", "After “weight” “(” is needed."),
        ("height() > 1", "“height” is no measure: it can be weight, entropy"),
        ('weight(layer=0, "a" → "b") > 1', "“weight” takes layer=…, head=…, kind=… if wanted"),
        ('weight(layer=0, head=4, "a", "b") > 1', "“weight” takes"),
        ('cosine(layer=0, "a" → "b") > 1', "“cosine” takes"),
        ('cosine(layer=highest, "a", "b") > 1', "layer=highest is not possible in “cosine”"),
        ('weight(layer=0, head=most, "a" → "b") > 1', "a whole number or mean or highest or lowest"),
        ('norm(layer=0, size=2, "a") > 1', "“norm” takes no “size”"),
        ('norm(layer=0, layer=1, "a") > 1', "given twice"),
        ('norm(layer=0, "a"#0) > 1', "counted from 1"),
        ('norm(layer=0, " ") > 1', "at least one letter"),
        ('norm(layer=0, "a") > ', "After “, a ) >” a number is needed."),
        ('norm(layer=0, "a") > 1 or True', "Nothing may follow"),
        ('norm(layer=0, "a") = norm(layer=1, "a")', "After “=” a number is needed"),
        ('effect(layer=0, "a") > 1', "layer=… and head=…, or silenced=…"),
        ('effect(silenced=all, "a") > 1', "heads as layer.head"),
        ("().__class__ > 1", "“.__class__ > 1” cannot be read"),
        ('weight(layer=0, head=4, "a" < "b") > 1', "“,” or “)” is needed"),
        ('weight(layer=0, head=4, "a") > 1', '"word" -> "word"'),
        ("() > 1", "After “the beginning” the name"),
        ("norm(lambda: 0) > 1", "cannot be read"),
        ("x" * 501, "501 characters"),
    ],
)
def test_an_invalid_claim_gets_a_reason(text: str, sentence: str) -> None:
    with pytest.raises(GrammarError, match=re.escape(sentence)):
        parse_claim(text)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ('weight(layer=0, head=4, A:"flies" → "time")', "layer 0, head 4, flies → time"),
        (
            'weight(layer=0, head=4, text="they pay attention", "pay" → "attention")',
            "layer 0, head 4, pay → attention in “they pay attention”",
        ),
        ('weight(layer=highest, head=highest, "it" → "trophy")', "highest of all heads, it → trophy"),
        ('weight(layer=1, head=1, "-"#1 → "march")', "layer 1, head 1, “-” → march"),
        ('weight(layer=5, head=mean, "[CLS]" → "boring")', "mean of layer 5, [CLS] → boring"),
        ('cosine(layer=5, A:"flies", B:"flies")', "cosine of both flies after layer 5"),
        ('cosine(layer=embeddings, A:"time", B:"fruit")', "cosine of time and fruit at the start"),
        ('norm(layer=embeddings, A:"[CLS]")', "length of [CLS] in A at the start"),
        ('probe(layer=5, A:"flies", VERB)', "flies in A: VERB after layer 5"),
        ('probe(layer=all, A:"flies", VERB)', "flies in A: VERB from all layers"),
        ("share(layer=0, head=5, to=separators)", "layer 0, head 5 to [SEP]"),
        ("share(layer=0, head=5, kind=decoder, to=next)", "layer 0, head 5 (decoder) to the token after"),
        ("corpus(layer=0, head=4, to=together)", "layer 0, head 4 joins words that go together, over a corpus"),
        ("corpus(layer=0, head=2, to=first)", "layer 0, head 2 to [CLS], over a corpus"),
        ('attribution("bad", by=shapley, removal=delete)', "bad adds (shapley, delete)"),
        ("prediction(negative)", "negative"),
        ("prediction(silenced=0.2-5.9, negative)", "negative without layer 0, head 2; layer 5, head 9"),
        ("entropy(layer=0, head=4)", "entropy of layer 0, head 4"),
        ("share(layer=0, head=2, to=previous)", "layer 0, head 2 to the token before"),
        ('effect(layer=0, head=4, B:"flies")', "effect of layer 0, head 4 on flies in B"),
        ('control("flies")', "chance for flies"),
        ('log_odds(layer=0, head=4, "flies")', "log-odds of flies without layer 0, head 4"),
        ('cut(layer=0, head=4, A:"flies" → "time", VERB)', "VERB without flies → time in layer 0, head 4"),
        ('cut("flies" → "time", NOUN)', "NOUN without flies → time"),
        ('patched(layer=2, to=B, A:"flies" → B:"flies")', "flies patched after layer 2, cosine to B"),
        ('attribution("bad", by=decompx)', "bad adds (decompx)"),
        ("faithfulness(by=leave_one_out)", "beats random orders (leave one out)"),
        ('similarity("dog", "puppy")', "dog and puppy add"),
        ("difference(layer=4, head=8)", "difference of layer 4, head 8"),
        ('writes(step=0, "arrow")', "step 0 writes arrow"),
    ],
)
def test_a_measure_says_what_its_number_is_about(measure: str, words: str) -> None:
    assert measure_in_words(parse_claim(f"{measure} > 0").measure) == words


@pytest.mark.parametrize("kind", ["cell", "line"])
def test_an_arrow_is_typed_on_any_keyboard(kind: str) -> None:
    typed = {parse_point(f"{kind}({words})") for words in ('"a" → "b"', '"a" -> "b"', '"a"->“b”', '"a" > "b"')}
    assert len(typed) == 1
    with pytest.raises(GrammarError, match=re.escape(f'A point is written {kind}("flies" -> "fruit").')):
        parse_point(f'{kind}("a")')


def test_an_arrow_in_a_claim_may_be_typed_as_a_relation() -> None:
    assert parse_claim('weight(layer=0, head=4, "a" > "b") > 0.5') == parse_claim(
        'weight(layer=0, head=4, "a" → "b") > 0.5'
    )


@pytest.mark.parametrize(
    "text", ["area(1)", 'cell("a")', 'cell("a", "b")', 'token("a" → "b")', "head(layer=mean, head=1)"]
)
def test_an_invalid_point_gets_a_reason(text: str) -> None:
    with pytest.raises(GrammarError, match=r"is no kind of point|A point is written"):
        parse_point(text)
