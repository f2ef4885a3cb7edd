"""The collections that ship: columns, counts, labels, and what each file promises of its rows."""

import itertools
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "encoder" / "collection" / "shipped"
SENSES = ROOT / "encoder" / "experiments" / "senses" / "sentences.tsv"

COLUMNS = {
    "reviews": ["text", "label", "topic", "hard"],
    "words": ["text", "word", "sense", "tag"],
    "passages": ["text", "query", "relevant", "topic"],
    "negations": ["text", "text_b", "kind"],
    "swaps": ["set", "template", "expects"],
}
ROWS = {"reviews": 240, "words": 280, "passages": 150, "negations": 200, "swaps": 86}
TEXTS = {
    "reviews": ["text"],
    "words": ["text"],
    "passages": ["text"],
    "negations": ["text", "text_b"],
    "swaps": ["template"],
}
MAY_BE_EMPTY = {"hard", "expects"}
SLOT = re.compile(r"\{([^{}]*)\}")

every_file = pytest.mark.parametrize("name", COLUMNS)


def lines(name: str) -> list[str]:
    content = (FOLDER / f"{name}.tsv").read_bytes().decode("utf-8")
    assert content.endswith("\n")
    return content.removesuffix("\n").split("\n")


def rows(name: str) -> list[dict[str, str]]:
    header, *records = (line.split("\t") for line in lines(name))
    return [dict(zip(header, record, strict=True)) for record in records]


def fillings(template: str) -> list[str]:
    """Every text that a template stands for: its slots are filled independently."""
    pieces = SLOT.split(template)
    choices = [piece.split("|") if at % 2 else [piece] for at, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


@every_file
def test_columns_and_counts_are_as_documented(name: str) -> None:
    records = rows(name)
    assert list(records[0]) == COLUMNS[name]
    assert len(records) == ROWS[name]
    assert f"| `{name}.tsv` | {ROWS[name]} |" in (FOLDER / "README.md").read_text(encoding="utf-8")


@every_file
def test_cells_are_clean_and_plain(name: str) -> None:
    for line in lines(name):
        assert line.isascii(), line
        assert '"' not in line, line
        assert all(character == "\t" or character.isprintable() for character in line), line
    for row in rows(name):
        for column, cell in row.items():
            assert cell or column in MAY_BE_EMPTY, row
            assert cell == " ".join(cell.split()), row
            assert not re.search(r" [.,;:!?]|,,|\.\.|[,;][^ ]|\b(\w+) \1\b", cell), cell


@every_file
def test_no_text_occurs_twice(name: str) -> None:
    for column in TEXTS[name]:
        counts = Counter(row[column].lower() for row in rows(name))
        assert [text for text, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", ["reviews", "words", "passages"])
def test_sentences_start_and_end_as_sentences_do(name: str) -> None:
    for row in rows(name):
        assert row["text"][0].isupper(), row
        assert row["text"][-1] in ".!?", row


def test_reviews_have_the_documented_labels() -> None:
    records = rows("reviews")
    assert Counter(row["label"] for row in records) == {"positive": 100, "negative": 100, "neutral": 40}
    assert set(Counter(row["topic"] for row in records).values()) == {30}
    hard = Counter(row["hard"] for row in records)
    assert set(hard) == {"", "negation", "irony", "mixed", "comparison", "understatement", "wish"}
    assert 0.3 <= 1 - hard[""] / len(records) <= 0.4


def test_sixty_reviews_are_short_enough_for_every_subset() -> None:
    lengths = [len(row["text"].split()) for row in rows("reviews")]
    assert 4 <= min(lengths) <= max(lengths) <= 30
    assert sum(length <= 10 for length in lengths) == 60


def test_ambiguous_words_occur_exactly_once() -> None:
    for row in rows("words"):
        assert len(re.findall(rf"\b{row['word']}\b", row["text"])) == 1, row
        assert row["text"].lower().count(row["word"]) == 1, row


def test_senses_are_balanced_and_have_one_tag_each() -> None:
    records = rows("words")
    counts = Counter(row["sense"] for row in records)
    assert all(16 <= count <= 20 for count in counts.values())
    assert all(row["sense"].startswith(f"{row['word']}:") for row in records)
    assert len({row["word"] for row in records}) == 7
    tags = defaultdict(set)
    for row in records:
        tags[row["sense"]].add(row["tag"])
    assert set.union(*tags.values()) == {"NOUN", "VERB", "ADJ"}
    assert all(len(found) == 1 for found in tags.values())


def test_ambiguous_words_repeat_no_sentence_of_the_sense_experiment() -> None:
    known = {line.split("\t")[-1] for line in SENSES.read_text(encoding="utf-8").splitlines()}
    assert [row["text"] for row in rows("words") if row["text"] in known] == []


def test_each_query_has_three_passages_and_one_is_relevant() -> None:
    answers = defaultdict(list)
    topics = defaultdict(set)
    for row in rows("passages"):
        answers[row["query"]].append(row["relevant"])
        topics[row["query"]].add(row["topic"])
        assert 12 <= len(row["text"].split()) <= 45, row
    assert len(answers) == 50
    assert all(sorted(found) == ["no", "no", "yes"] for found in answers.values())
    assert all(len(found) == 1 for found in topics.values())


def test_negations_differ_from_what_they_negate() -> None:
    signs = {
        "not": r"\bnot\b|cannot",
        "n't": r"n't\b",
        "no": r"\bno\b",
        "never": r"\bnever\b",
        "none": r"\bNone of\b",
        "neither": r"\bneither\b",
        "nobody": r"\bnobody\b|\bno one\b",
        "nothing": r"\bnothing\b",
        "without": r"\bwithout\b",
        "hardly": r"\b(?:hardly|barely|scarcely|rarely|seldom)\b",
        "fails to": r"\bfail(?:s|ed)? to\b",
        "prefix": r"\b(?:un|in|im|il|dis)\w+",
        "stopped": r"\b(?:stopped|ceased|quit|given up|no longer)\b",
        "lacks": r"\black|\bshort of\b",
        "refuses": r"\b(?:refused|denied|forbade|declined|avoided|rejected)\b",
        "far from": r"\b(?:far from|anything but)\b",
        "too": r"\btoo \w+ to\b",
    }
    for row in rows("negations"):
        sign = re.compile(signs[row["kind"]], re.IGNORECASE)
        assert sign.search(row["text_b"]), row
        assert row["text"] != row["text_b"]
    assert {row["kind"] for row in rows("negations")} == set(signs)


def test_templates_have_balanced_slots_of_two_to_four_fillers() -> None:
    counts = Counter(row["set"] for row in rows("swaps"))
    assert set(counts) == {"pronouns and jobs", "names", "number and agreement", "negation and typos"}
    assert all(15 <= count <= 25 for count in counts.values())
    for row in rows("swaps"):
        slots = [slot.split("|") for slot in SLOT.findall(row["template"])]
        assert slots, row
        assert not re.search(r"[{}|]", SLOT.sub("", row["template"])), row
        for fillers in slots:
            assert 2 <= len(set(fillers)) == len(fillers) <= 4, row
            assert all(filler and filler == filler.strip() for filler in fillers), row
        assert row["template"].count("[MASK]") <= 1


def test_every_filling_is_a_sentence_with_the_right_article() -> None:
    for row in rows("swaps"):
        for text in fillings(row["template"]):
            assert text[0].isupper() or text.startswith("[MASK]"), text
            assert text[-1] in ".!?", text
            assert not re.search(r"\ba [aeiou]|\ban (?!hour)[^aeiou]", text, re.IGNORECASE), text
