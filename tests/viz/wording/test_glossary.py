"""The glossary has the page's terms, and explanations mark each where it appears first."""

import re

import pytest

from viz.wording.glossary import GLOSSARY, TERMS, mark_terms

# What the views say that chapter 3 of Natural Language Processing with Transformers does not, as they spell it.
BEYOND_CHAPTER_3 = (
    *("wordpiece", "token type", "log odds", "log-odds", "pooling", "residual connection", "low-rank adapter"),
    *("cosine", "L2 norm", "entropy", "value-weighted norms", "Rollout", "GlobEnc", "ALTI", "DecompX"),
    *("total variation distance", "linear probe", "probes", "selectivity", "held-out", "parts of speech"),
    *("integrated gradients", "Jacobians", "baseline", "completeness error"),
    *("Leave one out", "Shapley", "AOPC", "greedy search", "Guided search", "Silenced", "patched", "control"),
    *("permuted", "p <", "95 % interval", "rank correlation", "DecoderLens", "Exact match", "EWT dev", "SST dev"),
    *("SST-2", "dependency relation", "[CLS]", "[SEP]", "[MASK]", "biases", "regression head", "dev set"),
)


@pytest.mark.parametrize("term", BEYOND_CHAPTER_3)
def test_every_term_beyond_chapter_3_has_an_entry(term: str) -> None:
    assert any(found and part == term for part, found in mark_terms(term))


@pytest.mark.parametrize("definition", [term.definition for term in TERMS])
def test_a_definition_is_a_sentence_or_two(definition: str) -> None:
    assert definition.endswith(".")
    assert 1 <= len(re.findall(r"[.?!](?: |$)", definition)) <= 2
    assert not re.search(r"[*_`$<>]", definition)


def test_the_glossary_is_short_and_names_nothing_twice() -> None:
    names = [term.name.casefold() for terms in GLOSSARY.values() for term in terms]
    assert len(set(names)) == len(names)
    assert 40 <= len(names) <= 65


def test_a_term_is_marked_where_it_appears_first() -> None:
    parts = list(mark_terms("A query meets keys; each query has a layer norm. Two norms, and the arrow keys."))
    assert "".join(text for text, _ in parts) == (
        "A query meets keys; each query has a layer norm. Two norms, and the arrow keys."
    )
    assert [(text, term.name) for text, term in parts if term] == [
        *(("query", "query"), ("keys", "key"), ("layer norm", "layer norm"), ("norms", "L2 norm"))
    ]


def test_code_formulas_links_and_the_users_words_are_not_marked() -> None:
    text = "`softmax(q)`, $key$, [logit](https://example.org), “head” and a head"
    assert [part for part, term in mark_terms(text) if term] == ["head"]
    assert "".join(part for part, _ in mark_terms(text)) == text


def test_words_that_contain_a_term_are_not_marked() -> None:
    assert [term for _, term in mark_terms("keyboard, headless, tokenizer, half-layer") if term] == []
