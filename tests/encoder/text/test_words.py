"""Words are what people call words, whatever the tokenizer; pieces are labelled so that they can be told apart."""

import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tokenizers import AddedToken, pre_tokenizers, processors

from encoder.attribution.target import _as_listed
from encoder.errors import InputError
from encoder.measures.word_tags import best_spans
from encoder.runs.trace import TokenPrediction
from encoder.text import words
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Span, notes_on_words
from encoder.text.words import roles_of, words_in
from tests.encoder.text.token_checks import check_invariants, check_words_of_text
from tests.encoder.text.tokenizer_families import NAMES, family

GOLD = Path(__file__).with_name(
    "gold_words.txt"
)  # sentences of our own: a language, a tab, words with "|" between them
EWT = Path(__file__).parents[4] / "shared" / "data" / "ewt_dev.jsonl.gz"

TEXTS = {
    "We sat on the bank.": "We sat on the bank .",
    "rock'n'roll, dogs' unaffable embeddings": "rock'n'roll , dogs ' unaffable embeddings",
    "</script>Ünïcode Straße": "< / script > Ünïcode Straße",
    "مرحبا بالعالم 👩‍👩‍👧 时间飞逝": "مرحبا بالعالم 👩‍👩‍👧 时间 飞逝",
    "(film) film… film! don't it’s 'tis O'Neill's": "( film ) film … film ! don't it’s ' tis O'Neill's",
    "Great film.  Two  spaces.\n\nNew\tparagraph": "Great film . Two spaces . New paragraph",
    "  leading, trailing \r\n": "leading , trailing",
    "a\x0cb\x85c\u2028d\u3000e\x1cf": "a b c d e f",
    "so 😂😂 great👍🏽film 👩‍💻! 🇩🇪🇫🇷 1️⃣ ❤️": "so 😂😂 great👍🏽film 👩‍💻 ! 🇩🇪🇫🇷 1️⃣ ❤️",
    "5€ for $3.5 km/h": "5€ for $ 3 . 5 km / h",
    "नमस्ते दुनिया।": "नमस्ते दुनिया ।",
    "שָׁלוֹם עוֹלָם": "שָׁלוֹם עוֹלָם",
    "می‌خواهم بروم.": "می‌خواهم بروم .",
    "cafe\u0301's is tie\u0302\u0301ng Vie\u0323\u0302t": "cafe\u0301's is tie\u0302\u0301ng Vie\u0323\u0302t",
    "\u1106\u1161\u1109\u1175\u11af 마실": "\u1106\u1161\u1109\u1175\u11af 마실",
    "아버지가 방에 들어가신다.": "아버지가 방에 들어가신다 .",
    "東京に住んでいます。2024年": "東京 に 住ん で い ます 。 2024 年",
    "か\u3099っこうで、カタカナ": "か\u3099っこう で 、 カタカナ",
    "ฉันรักแมว": "ฉัน รัก แมว",
    "ខ្ញុំស្រឡាញ់ឆ្មា": "ខ្ញុំ ស្រឡាញ់ ឆ្មា",
    "T\x10his a\u00adb \ufeffis x\u200by": "T\x10his a\u00adb is x\u200by",
    "\u0301 a´b 1-${n}": "\u0301 a´b 1 - $ { n }",
}


@pytest.fixture(scope="module")
def families() -> dict[str, Tokenizer]:
    return {name: family(name) for name in NAMES}


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_every_tokenizer_has_the_same_words(families: dict[str, Tokenizer], text: str) -> None:
    for name, tokenizer in families.items():
        tokens = tokenizer(text)
        assert " ".join(tokens.words) == TEXTS[text], name
        check_invariants(tokens, tokenizer.inner.vocab_size)
        check_words_of_text(tokens)
        paired = tokenizer("the film", text)
        assert paired.words == ("the", "film", *tokens.words), name


# Against words that people marked


def read_gold(language: str) -> Iterator[tuple[str, list[Span]]]:
    """The sentences of a language, and their words; blanks are no words, and stand where they are typed."""
    for line in GOLD.read_text("utf-8").splitlines():
        name, _, marked = line.partition("\t")
        if name == language:
            yield marked.replace("|", ""), list(_spans(marked.replace(" ", "| |").split("|")))


def _spans(pieces: Iterable[str]) -> Iterator[Span]:
    end = 0
    for piece in pieces:
        start, end = end, end + len(piece)
        if piece.strip():
            yield start, end


def f1(sentences: Iterable[tuple[str, list[Span]]]) -> tuple[float, float]:
    """The F1 of word boundaries, and of whole words."""
    found = [(set(gold), set(words_in(text, roles_of(text))[0])) for text, gold in sentences]
    edges = [tuple({edge for word in of for edge in word} for of in pair) for pair in found]
    assert found
    return tuple(
        2 * sum(len(gold & ours) for gold, ours in some) / sum(len(gold) + len(ours) for gold, ours in some)
        for some in (edges, found)
    )


@pytest.mark.skipif(not EWT.exists(), reason="the treebank EWT is not next to the project (shared/data)")
def test_words_are_those_of_the_english_treebank() -> None:
    sentences = []
    for line in gzip.decompress(EWT.read_bytes()).splitlines():
        row = json.loads(line)
        end, spans = 0, []
        for word in row["words"]:
            start = row["text"].index(word, end)
            end = start + len(word)
            spans.append((start, end))
        sentences.append((row["text"], spans))
    boundaries, whole = f1(sentences)
    assert boundaries > 0.97
    assert whole > 0.91, "the treebank cuts don't in two, and leaves 3.5, ... and http://a.b whole"


@pytest.mark.parametrize(
    ("language", "boundaries", "whole"),
    [
        *[("ja", 0.95, 0.9), ("zh", 0.94, 0.9), ("zh-Hant", 0.9, 0.85), ("th", 0.93, 0.9)],
        *((language, 0.99, 0.98) for language in ("hi", "ar", "he", "ko", "vi")),
    ],
)
def test_words_are_those_that_people_mark(language: str, boundaries: float, whole: float) -> None:
    found = f1(read_gold(language))
    assert found[0] > boundaries, found
    assert found[1] > whole, found


# What no segmenter knows


def test_pieces_are_words_where_nothing_segments_a_script(families: dict[str, Tokenizer]) -> None:
    tokens = families["RoBERTa"]("ᦑᦸᧅ ok")
    assert tokens.unsegmented
    assert len(tokens.words) == 3 + 1
    assert "every token is taken for a word" in notes_on_words(tokens)[0]
    check_invariants(tokens, 400)


@pytest.mark.parametrize(
    ("package", "text", "language"), [("budoux", "東京に", "Japanese"), ("icu4py.breakers", "แมว", "Thai")]
)
def test_a_missing_segmenter_is_reported(
    monkeypatch: pytest.MonkeyPatch, package: str, text: str, language: str
) -> None:
    words._budoux.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    tokens = family("Gemma")(f"the {text}")
    assert tokens.words == ("the", *text)
    assert language in notes_on_words(tokens)[0]
    words._budoux.cache_clear()


def test_a_word_without_a_token_gets_a_remark(families: dict[str, Tokenizer]) -> None:
    tokens = families["BERT"]("I love แมวรัก!")
    assert tokens.words == ("I", "love", "แมว", "รัก", "!")
    assert [tokens.labels[tokens.word_ids.index(word)] for word in (2, 4)] == ["[UNK]", "!"]
    assert "“รัก”" in notes_on_words(tokens)[0]
    assert notes_on_words(families["BERT"]("I love it!")) == ()


# Labels


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("RoBERTa", "ï 😂a", "ï 1/2|ï 2/2|␣|😂 1/4|😂 2/4|😂 3/4|😂 4/4|a"),
        ("ModernBERT", "a  a\n\na\ta", "a|␣|a|⏎|⏎|a|⇥|a"),
        ("RoBERTa", " a\u00a0a", "a|␣ 1/2|␣ 2/2|a"),
        ("XLM-R", "a the", "␣|a|the"),
        ("XLM-R", "東 a", "␣|<unk>|␣|a"),
        ("T5", "the {a}", "the|␣|<unk>|a|<unk>"),
        ("XLM-R", "a… a", "␣|a|… 1/3|… 2/3|… 3/3|␣|a"),
        ("Gemma", "like   京\n", "like|␣|␣|京 1/3|京 2/3|京 3/3|⏎"),
        ("BERT", "the { 😂", "the|[UNK]|[UNK]"),
        ("XLM-R", "½ a", "␣|<unk>|␣|a"),
    ],
)
def test_labels_tell_pieces_apart(families: dict[str, Tokenizer], name: str, text: str, labels: str) -> None:
    tokens = families[name](text)
    assert "|".join(tokens.labels) == labels


def test_blanks_are_no_words_and_a_space_before_a_word_belongs_to_it(families: dict[str, Tokenizer]) -> None:
    tokens = families["RoBERTa"]("x  y\n\n z")
    assert tokens.words == ("x", "y", "z")
    assert tuple(zip(tokens.labels, tokens.word_ids, strict=True)) == (
        *(("x", 0), ("␣", None), ("␣", 1), ("y", 1), ("⏎", None), ("⏎", None), ("␣", 2), ("z", 2)),
    )
    assert families["XLM-R"]("東 the").word_ids == (0, 0, 1)
    assert families["RoBERTa"]("x [MASK]").word_ids == (0, None, 1), "a mask is one token"


def test_no_letter_is_lost_after_an_added_token() -> None:
    tokenizer = family("RoBERTa")
    tokenizer.inner.add_tokens([AddedToken("<name>", normalized=False)])
    rust = tokenizer.inner.backend_tokenizer
    rust.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    rust.post_processor = processors.ByteLevel(trim_offsets=True, add_prefix_space=True)
    tokens = Tokenizer(tokenizer.inner)("<name>film<name> film")
    assert tokens.words == ("<name>", "film", "<name>", "film")
    spans = [tokens.sentences[0][slice(*span)] for span in tokens.spans if span]
    assert "".join(spans) == "<name>film<name>film"


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_found_among_line_breaks(families: dict[str, Tokenizer], name: str) -> None:
    tokens = families[name]("film?", "a time.\r\n\r\n\r\n and like the film\r\n")
    places = [place for place, word in enumerate(tokens.word_ids) if word == len(tokens.words) - 1]
    logits = np.full((len(tokens), 2), -20, np.float32)
    logits[places[0], 0] = logits[places[-1], 1] = 20
    prediction = TokenPrediction(
        task="span", positions=tuple(range(len(tokens))), logits=logits, labels=("start", "end")
    )
    span = best_spans(prediction, tokens)[0]
    assert span.text == "film"


@pytest.mark.parametrize(("name", "piece"), [("RoBERTa", "Ġthe"), ("XLM-R", "▁the"), ("Gemma", "▁the")])
def test_lists_of_pieces_say_whether_a_space_is_before(families: dict[str, Tokenizer], name: str, piece: str) -> None:
    tokenizer = families[name]
    vocabulary = tokenizer.inner.get_vocab()
    if piece not in vocabulary:
        tokenizer.inner.add_tokens([piece])
    ids = [tokenizer.inner.convert_tokens_to_ids(each) for each in (piece, "e", "<mask>")]
    assert tokenizer.labels_of(ids) == ("␣the", "e", "<mask>")


# Lists of words


@pytest.mark.parametrize("name", NAMES)
def test_a_list_of_words_is_read_as_its_text(families: dict[str, Tokenizer], name: str) -> None:
    tokenizer = families[name]
    words = ["film", ",", "the film", "is", "don", "'t", "(", "東京に", "😂", ")"]
    listed, typed = tokenizer(words, ["the", "film"]), tokenizer(" ".join(words), "the film")
    assert listed.ids == typed.ids
    assert listed.labels == typed.labels
    assert listed.words == (*words, "the", "film")
    for position, word in enumerate(listed.word_ids):
        span, sentence = listed.spans[position], listed.sentence_ids[position]
        if word is not None and span is not None and sentence is not None:
            surface = listed.sentences[sentence][slice(*span)].strip()
            assert surface in listed.words[word] or name in ("Gemma", "T5", "XLM-R", "DeBERTa-v3"), surface


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_a_word_is_refused(families: dict[str, Tokenizer], name: str) -> None:
    for text in (" \n\t", "\u200b\ufeff", "\x00\x01", [" ", ""]):
        with pytest.raises(InputError, match="Sentence A is empty"):
            families[name](text)


def test_a_masked_word_is_found_with_and_without_its_space() -> None:
    assert _as_listed("the", ("␣the", "s")) == "␣the"
    assert _as_listed("the", ("␣the", "the")) == "the"
    assert [_as_listed(given, ("␣the",)) for given in ("film", 0, None)] == ["film", 0, None]
