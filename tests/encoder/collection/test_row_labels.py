"""Labels of a table: names win, numbers fit all rows or none, lists and vectors are told apart, misfits are said."""

import pytest

from encoder.collection.row_labels import answers_in, gold_of, label_rule, rule_in_words

STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
ABC, ONE_TWO_THREE = ("a", "b", "c"), ("1", "2", "3")


@pytest.mark.parametrize(
    ("labels", "names", "rule", "gold"),
    [
        (["1.0", "0.0", "", "1"], ("bad", "good"), "numbers", [1, 0, -1, 1]),
        (["GOOD", "bad", "so-so"], ("bad", "good"), "names", [1, 0, -1]),
        (["good", "1"], ("bad", "good"), "names", [1, -1]),
        (["true", "False"], ("bad", "good"), "numbers", [1, 0]),
        (["LABEL_1", "LABEL_0"], ("bad", "good"), "numbers", [1, 0]),
        (["1", "-1"], ("bad", "good"), "numbers", [1, -1]),  # -1 is that of rows without a label
        (["1", "0", "n/a"], ("bad", "good"), "numbers", [1, 0, -1]),
        (["[1]", "['good']"], ("bad", "good"), "names", [-1, 1]),
        (["[1]", "[0]"], ("bad", "good"), "numbers", [1, 0]),
        (["4.0 stars", "1 star"], STARS, "names", [3, 0]),
        (["4.0", "1.0"], STARS, "numbers in names", [3, 0]),
        (["0", "1", "4"], STARS, "refused", [-1, -1, -1]),
        (["0", "1", "2", "3", "4"], STARS, "numbers", [0, 1, 2, 3, 4]),
        (["1", "2", "3"], ONE_TWO_THREE, "names", [0, 1, 2]),
        (["2.0", "3.0"], ONE_TWO_THREE, "names", [1, 2]),
        (["0", "1", "2"], ONE_TWO_THREE, "numbers", [0, 1, 2]),
        (["0", "1"], ONE_TWO_THREE, "refused", [-1, -1]),
        (["1", "2", "3"], ABC, "numbers from 1", [0, 1, 2]),
        (["0", "1", "2"], ABC, "numbers", [0, 1, 2]),
        (["0", "3"], ABC, "refused", [-1, -1]),
        (["2", "7"], ABC, "refused", [-1, -1]),
        (["1.5", "2"], ABC, "numbers", [-1, 2]),
    ],
)
def test_labels_of_one_class(labels: list[str], names: tuple[str, ...], rule: str, gold: list[int]) -> None:
    found = label_rule(labels, names)
    assert found == rule
    read, unknown = gold_of(labels, names, found)
    assert read.tolist() == gold
    assert sum(unknown.values()) == sum(bool(label) for label, index in zip(labels, gold, strict=True) if index == -1)


@pytest.mark.parametrize(
    ("labels", "rule", "gold"),
    [
        (["[2, 0]", "['b']", "[]"], "names", [[-1] * 3, [0, 1, 0], [0, 0, 0]]),
        (["[2, 0]", "[1]"], "numbers", [[1, 0, 1], [0, 1, 0]]),
        (['["c", "a"]', "[b]"], "names", [[1, 0, 1], [0, 1, 0]]),
        (["['c', 'a']", "[array(['b'], dtype=object)]"], "names", [[1, 0, 1], [-1] * 3]),
        (["c; A", "none", "b"], "names", [[1, 0, 1], [0, 0, 0], [0, 1, 0]]),
        (["1,0,1", "0,0,0"], "vectors", [[1, 0, 1], [0, 0, 0]]),
        (["[1 0 1]", "[1.0, 0.0, 0.0]"], "vectors", [[1, 0, 1], [1, 0, 0]]),
        (["1,0", "2"], "numbers", [[1, 1, 0], [0, 0, 1]]),
        (["[3, 1]", "[2]"], "numbers from 1", [[1, 0, 1], [0, 1, 0]]),
        (["[27, 3]"], "refused", [[-1] * 3]),
    ],
)
def test_labels_of_several_classes(labels: list[str], rule: str, gold: list[list[int]]) -> None:
    found = label_rule(labels, ABC, several=True)
    assert found == rule
    assert gold_of(labels, ABC, found, several=True)[0].tolist() == gold


@pytest.mark.parametrize(
    ("labels", "names", "said"),
    [
        (["0", "1"], ONE_TWO_THREE, "The labels 0, 1 fit neither the names of the model's classes (1, 2, 3)"),
        (["0", "1", "2"], ONE_TWO_THREE, "counted from 0: 0 is “1”"),
        (["1", "3"], ABC, "counted from 1: 1 is “a”"),
        (["4"], STARS, "the numbers in the names"),
        (["0", "1"], ABC, ""),
        (["a", "b"], ABC, ""),
        (["0"], ("LABEL_0", "LABEL_1"), ""),
    ],
)
def test_an_unusual_reading_is_said(labels: list[str], names: tuple[str, ...], said: str) -> None:
    found = rule_in_words(label_rule(labels, names), labels, names)
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("in Paris", ["in Paris"]),
        ('{"text": ["Paris", "in Paris"], "answer_start": [3, 0]}', ["Paris", "in Paris"]),
        ("{'text': ['Paris'], 'answer_start': array([3], dtype=int32)}", ["Paris"]),
        ("{'text': array(['Paris', 'in Paris'], dtype=object), 'answer_start': array([3, 0])}", ["Paris", "in Paris"]),
        ('{"text": [], "answer_start": []}', []),
        ('["Paris"]', ["Paris"]),
        ("[sic] Paris", ["[sic] Paris"]),
        ("", []),
    ],
)
def test_answers_of_squad_are_their_texts(cell: str, texts: list[str]) -> None:
    assert answers_in(cell) == texts
