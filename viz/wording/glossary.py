"""The terms of the page, each in one plain sentence: under a dotted line in explanations, and listed in Help."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Term:
    """A term, what it means, and who introduced it.

    Attributes:
        also: other spellings in sentences; a plural in "s" needs no entry.
    """

    name: str
    definition: str
    source: str = ""
    also: tuple[str, ...] = ()


GLOSSARY: Final[Mapping[str, tuple[Term, ...]]] = {
    "Text": (
        Term("token", "One position of the model's input: a wordpiece, or a special token such as [CLS]."),
        Term(
            "wordpiece",
            "A word, or a part of one, from the model's fixed vocabulary. A piece that starts with ## continues a "
            "word.",
            "Wu et al. 2016",
        ),
        Term(
            "[CLS]",
            "The token at the start of every text. Classifiers often read its vector, and many heads look "
            "at it when they have nothing to find.",
            "Devlin et al. 2019",
        ),
        Term("[SEP]", "The token at the end of each sentence.", "Devlin et al. 2019"),
        Term(
            "[MASK]",
            "The token for a hidden word. BERT was trained to guess the words behind it.",
            "Devlin et al. 2019",
        ),
        Term("token type", "A number that tells the model which sentence a token belongs to: 0 for A, 1 for B."),
    ),
    "Model": (
        Term(
            "embedding",
            "The vector that a token starts with, the sum of one for its word, its position and its token type.",
        ),
        Term("layer", "One step of the model: attention, then a feed-forward block. Layers are counted from 0."),
        Term(
            "head",
            "One of several attention patterns that a layer computes side by side, each with its own queries, keys "
            "and values.",
            "Vaswani et al. 2017",
            ("attention head",),
        ),
        Term("query", "The vector with which a token asks what it needs from the other tokens."),
        Term("key", "The vector with which a token answers queries: the better they match, the larger the weight."),
        Term("value vector", "The vector that a token hands over to the tokens that look at it."),
        Term(
            "attention score",
            "The product of a query and a key, divided by the square root of their length. Softmax turns the "
            "scores of a row into weights.",
            "Vaswani et al. 2017",
        ),
        Term(
            "weight",
            "The share of its attention that a token gives to another one; a row adds up to 1. The learned "
            "numbers of a model are called weights, too.",
            also=("attention weight",),
        ),
        Term("softmax", "The function that turns any numbers into positive ones that sum to 1."),
        Term("feed-forward block", "The part of a layer that processes each token by itself, after attention."),
        Term(
            "residual connection",
            "The path on which a block's input is added to its output, so that a token keeps what it had.",
            "He et al. 2016",
            ("residual",),
        ),
        Term(
            "layer norm",
            "A rescaling of each token's vector, after every block of BERT, to one mean and one spread.",
            "Ba et al. 2016",
        ),
        Term("bias", "A learned number that is added whatever the text is.", also=("biases",)),
        Term("hidden state", "A token's vector between two layers.", also=("state",)),
        Term(
            "classification head",
            "The last part of a classifier: it turns vectors of the model into one logit for each class.",
            also=("prediction head", "regression head"),
        ),
        Term("logit", "The number that a classifier gives to a class before softmax makes it a probability."),
        Term("log odds", "The difference of two logits: 0 if both classes are equally likely.", also=("log-odds",)),
        Term("pooling", "How the vectors of all tokens become one for the sentence, for example by their mean."),
        Term(
            "cross-attention",
            "Attention from the text that a decoder writes to the text that the encoder read.",
            "Vaswani et al. 2017",
        ),
        Term(
            "low-rank adapter",
            "A small trained change of a model's weights, the product of two thin matrices.",
            "Hu et al. 2021",
        ),
    ),
    "Measures": (
        Term("cosine", "How alike the directions of two vectors are: 1 for the same one, 0 for unrelated ones."),
        Term("L2 norm", "The length of a vector.", also=("norm",)),
        Term(
            "entropy",
            "How widely a token spreads its attention, in bits: 0 for a single token, more for many.",
            "Shannon 1948",
        ),
        Term(
            "value-weighted norm",
            "The length of what a token really takes from another one: the weight times its transformed value vector.",
            "Kobayashi et al. 2020",
        ),
        Term(
            "rollout",
            "Attention multiplied from layer to layer, with half of each step for the token itself, to reach back "
            "to the input.",
            "Abnar and Zuidema 2020",
        ),
        Term(
            "GlobEnc",
            "Like rollout, with the lengths of vectors in place of weights, through residual connections and layer "
            "norms.",
            "Modarressi et al. 2022",
        ),
        Term(
            "ALTI",
            "Like rollout, with how much nearer each token's vector brings the attention block to its output.",
            "Ferrando et al. 2022",
        ),
        Term(
            "DecompX",
            "A split of every vector into what each input token contributed, feed-forward blocks included.",
            "Modarressi et al. 2023",
        ),
        Term(
            "total variation distance",
            "Half the sum of the absolute differences of two rows of weights: 0 for equal rows, 1 for rows with "
            "nothing in common.",
        ),
    ),
    "Probes": (
        Term(
            "probe",
            "A small linear classifier that was trained on labelled text to read something, such as noun or verb, "
            "off the model's vectors.",
            "Alain and Bengio 2017",
            ("linear probe",),
        ),
        Term(
            "selectivity",
            "How much better a probe learns real labels than random ones. If it is low, the probe itself did the "
            "learning.",
            "Hewitt and Liang 2019",
        ),
        Term("part of speech", "The grammatical class of a word: noun, verb, adjective.", also=("parts of speech",)),
        Term("held-out", "Set aside, and never used in training."),
    ),
    "Explanations": (
        Term(
            "integrated gradients",
            "A split of the model's answer among the words, from its gradients on the way from an empty text to "
            "the real one.",
            "Sundararajan et al. 2017",
        ),
        Term("Jacobian", "The gradients of every number of a vector at once.", "Möller et al. 2023"),
        Term("baseline", "The model's output for a text in which every word is hidden; words add to it."),
        Term(
            "completeness error",
            "By how much the parts of a split miss the number that was split. If it is large, do not rely on the "
            "sizes.",
            "Sundararajan et al. 2017",
        ),
        Term("leave one out", "The change of the answer when one word alone is removed."),
        Term(
            "Shapley value",
            "What a word adds on average, whichever other words are already there.",
            "Shapley 1953",
            ("Shapley sampling", "Shapley"),
        ),
        Term(
            "AOPC",
            "How far the probability of the model's answer falls on average as the words named first are removed; "
            "more is better.",
            "Samek et al. 2017",
        ),
        Term("greedy search", "A search that removes, at every step, the word whose removal lowers the answer most."),
        Term("guided search", "A short search for the best order, among the words that integrated DecompX names."),
    ),
    "Experiments and controls": (
        Term(
            "silencing",
            "A test of a head: its output is replaced by zero, and the model runs on.",
            "Michel et al. 2019",
            ("silenced", "silence"),
        ),
        Term(
            "patching",
            "A test of a state: it is replaced by the one from another sentence, and the model runs on.",
            "Vig et al. 2020",
            ("patched", "patch"),
        ),
        Term(
            "control",
            "The same measurement where no effect is expected, for comparison.",
            also=("random control",),
        ),
        Term(
            "permutation control",
            "The same measurement with the labels shuffled many times. It shows what chance alone gives.",
            also=("permuted",),
        ),
        Term("p-value", "How often chance alone gives a result as large as this one.", also=("p <", "p =")),
        Term(
            "95 % interval",
            "A range that holds the true value in 95 of 100 measurements on other rows of the same kind.",
            "Student 1908 for means, Wilson 1927 for shares",
        ),
        Term("rank correlation", "How alike two orders are: 1 for the same order, 0 for unrelated ones."),
        Term(
            "DecoderLens",
            "What a decoder writes if it reads an earlier layer of the encoder.",
            "Langedijk et al. 2023",
        ),
        Term("exact match", "The share of items on which the whole output is right."),
    ),
    "Data": (
        Term(
            "EWT dev",
            "The development part of the English Web Treebank: sentences from the web with parts of speech and "
            "grammar marked by hand.",
            "Silveira et al. 2014",
            ("EWT",),
        ),
        Term(
            "SST dev",
            "The development part of the Stanford Sentiment Treebank: sentences of film reviews with ratings.",
            "Socher et al. 2013",
            ("SST-2", "SST"),
        ),
        Term("dev set", "The part of a data set for checking a model while it is built.", also=("development set",)),
        Term(
            "dependency relation",
            "The grammatical link from a word to the one that it belongs to, such as subject to verb.",
            "Universal Dependencies",
        ),
    ),
}
TERMS: Final = tuple(term for terms in GLOSSARY.values() for term in terms)
_BY_SPELLING: Final = {spelling.casefold(): term for term in TERMS for spelling in (term.name, *term.also)}
_SPELLINGS: Final = "|".join(re.escape(spelling) for spelling in sorted(_BY_SPELLING, key=len, reverse=True))
_TERM: Final = re.compile(rf"(?<![\w/-])(?<!arrow )(?P<term>{_SPELLINGS})(?:s|es)?(?![\w/-])", re.IGNORECASE)
_SKIPPED: Final = (
    r"`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)|“[^”]*”"  # code, formulas, links, and words of the user's text
)
_MARKED: Final = re.compile(f"{_SKIPPED}|{_TERM.pattern}", re.IGNORECASE)


def mark_terms(text: str) -> Iterator[tuple[str, Term | None]]:
    """Markdown in parts, those with a term where it appears first."""
    end, seen = 0, set[str]()
    for match in _MARKED.finditer(text):
        term = _BY_SPELLING[match["term"].casefold()] if match["term"] else None
        if term and term.name not in seen:
            seen.add(term.name)
            yield text[end : match.start()], None
            yield match[0], term
            end = match.end()
    yield text[end:], None
