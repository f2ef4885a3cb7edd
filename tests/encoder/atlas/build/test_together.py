"""Words that go together: the lift of heads whose looks are made up, in sentences whose pairs are planted."""

import numpy as np
import pyarrow as pa
import pytest

from encoder.atlas.build.claims import habit_rows, head_rows
from encoder.atlas.build.counts import Counts
from encoder.atlas.build.together import Associations, PairLooks
from encoder.atlas.names import TOGETHER
from encoder.atlas.tables import TEXTS, looks_schema

HEADS = ("partner", "previous", "random", "seldom")  # what each looks at


def made_up(seed: int, count: int) -> list[list[str]]:
    """Sentences of ten words, all as frequent; in every twelfth one “pay” and “heed” stand at two random places."""
    generator = np.random.default_rng(seed)
    sentences = [generator.choice([f"w{number}" for number in range(120)], 10).tolist() for _ in range(count)]
    for words in sentences[::12]:
        first, second = generator.choice(10, 2, replace=False)
        words[first], words[second] = "pay", "Heed"
    return sentences


def texts_of(sentences: list[list[str]]) -> pa.Table:
    rows = [
        {"where": f"here:{number}", "words": words, "tokens": [*range(1, len(words) + 2)]}
        for number, words in enumerate(sentences)
    ]
    return pa.Table.from_pylist(rows, schema=TEXTS)


def looks_of(sentences: list[list[str]], seed: int = 0) -> pa.Table:
    generator = np.random.default_rng(seed)
    rows = []
    for number, words in enumerate(sentences):
        forms = [word.lower() for word in words]
        for word, form in enumerate(forms):
            other = {"pay": "heed", "heed": "pay"}.get(form, "")
            anywhere = int(generator.choice(np.delete(np.arange(len(words)), word)))
            partner = forms.index(other) if other in forms else anywhere
            to = (partner, word - 1 if word else 1, anywhere, partner if number % 24 else anywhere)
            of_heads = {f"L0 H{head} {name}": value for head, at in enumerate(to) for name, value in
                        (("to", at), ("weight", 50 + head))}  # fmt: skip
            rows.append({"sentence": number, "word": word, **of_heads})
    return pa.Table.from_pylist(rows, schema=looks_schema(1, len(HEADS)))


def counted(associations: Associations, sentences: list[list[str]], *, own: bool) -> tuple[Counts, PairLooks]:
    found, counts = PairLooks(associations, 1, len(HEADS), without_own=own), Counts.none(1, len(HEADS))
    for half in (sentences[:1000], sentences[1000:]):
        found.add(texts_of(half), looks_of(half))
    found.count(counts)
    return counts, found


def test_a_head_is_measured_against_words_as_far_away_and_as_frequent() -> None:
    chosen, measured = made_up(1, 3600), made_up(2, 3600)
    associations = Associations([texts_of(chosen)])
    choosing, _ = counted(associations, chosen, own=True)
    measuring, found = counted(associations, measured, own=False)
    rows = {row["head"]: row for row in habit_rows(measuring) if row["habit"] == TOGETHER}
    assert rows[0]["n"] == 300
    assert rows[0]["mean"] == pytest.approx(8 / 9, abs=0.03)  # it looks at one of nine other words at random
    assert abs(rows[1]["mean"]) < 0.03  # often right where the partner is the word before, and as often where it is not
    assert rows[2]["low"] < 0 < rows[2]["high"]
    assert rows[3]["low"] < rows[3]["mean"] < rows[0]["low"]
    assert [row["habit"] for row in head_rows(choosing, measuring)] == [
        TOGETHER,
        None,
        None,
        TOGETHER,
    ]
    best = next(row for row in found.examples(0, 0) if row["kind"] == "hardest")
    assert measured[int(best["where"].partition(":")[2])][best["query"]].lower() in ("pay", "heed")
    assert best["value"] == 0.5


def test_one_sentence_of_its_own_makes_no_pair() -> None:
    words = [[f"a{n}" for n in range(8)]] * 5
    associations = Associations([texts_of([*words, *[["other", "words", "here"]] * 60])])
    one, two = associations.words(["a0", "a1"])
    pair = np.array([one]), np.array([two])
    assert associations.bits(*pair, without_own=False) == pytest.approx(np.log2(5 * 65 / 25))
    assert associations.bits(*pair, without_own=True) == -np.inf
    assert associations.bits(np.array([one, -1]), np.array([one, two]), without_own=False).tolist() == [-np.inf] * 2


def test_two_sentences_of_a_pair_and_words_without_a_token_are_left_out() -> None:
    associations = Associations([texts_of(made_up(1, 3600))])
    row = {"where": "here:0", "words": ["pay", "heed", "pay", "heed"], "tokens": [1, None, 2, 3, 5], "b_start": 2}
    found = PairLooks(associations, 1, len(HEADS), without_own=False)
    pairs = found._pairs([row])
    assert [(int(pairs.query[at]), int(pairs.key[at])) for at in np.flatnonzero(pairs.partner)] == [(2, 3), (3, 2)]
