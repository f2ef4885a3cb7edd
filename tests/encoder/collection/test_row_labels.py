"""Labels of a table: names win, numbers fit all rows or none, lists and vectors differ, misfits are reported."""

import numpy as np
import pytest

from encoder.collection.row_labels import (
    LabelClasses,
    answers_in,
    chosen_classes,
    gold_of,
    label_rule,
    proposed_classes,
    rule_in_words,
    translated,
)
from encoder.errors import DataError

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
        (["1", "-1", "0"], ("bad", "good"), "numbers", [1, -1, 0]),  # -1 is that of rows without a label
        (["1", "0", "so-so"], ("bad", "good"), "numbers", [1, 0, -1]),
        (["1", "-1"], ("bad", "good"), "refused", [-1, -1]),
        (["0", "1"], ABC, "refused", [-1, -1]),  # of SST: nothing says whether 1 is b or c
        (["-1", "0", "1"], ABC, "refused", [-1, -1, -1]),
        (["True", "False"], ABC, "refused", [-1, -1]),
        (["LABEL_0", "LABEL_1"], ABC, "refused", [-1, -1]),
        (["0", "1"], ("LABEL_0", "LABEL_1", "LABEL_2"), "refused", [-1, -1]),
        (["LABEL_1", "LABEL_0"], ("LABEL_0", "LABEL_1", "LABEL_2"), "names", [1, 0]),
        (["2.0", "0.0", "1.0"], ABC, "numbers", [2, 0, 1]),
        (["[0, 1, 0]", "[1.0, 0.0, 0.0]"], ABC, "vectors", [1, 0]),
        (["[0, 1, 1]", "[1, 0, 0]"], ABC, "refused", [-1, -1]),
        (["neg", "pos"], ("negative", "positive"), "refused", [-1, -1]),
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
        (["0", "3"], ABC, "refused", [-1, -1]),
        (["1.5", "0", "1", "2"], ABC, "numbers", [-1, 0, 1, 2]),
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
        (["[3, 1]", "[2]"], "refused", [[-1] * 3, [-1] * 3]),
        (["[27, 3]"], "refused", [[-1] * 3]),
    ],
)
def test_labels_of_several_classes(labels: list[str], rule: str, gold: list[list[int]]) -> None:
    found = label_rule(labels, ABC, several=True)
    assert found == rule
    assert gold_of(labels, ABC, found, several=True)[0].tolist() == gold


def test_a_row_is_counted_once_however_many_of_its_labels_are_unknown() -> None:
    assert gold_of(["a,x,y", "x", "b"], ABC, "names", several=True)[1] == {"x": 2}


@pytest.mark.parametrize(
    ("labels", "names", "said"),
    [
        (["0", "1"], ONE_TWO_THREE, "The labels 0, 1 are neither the names of the model's classes nor all of their"),
        (["0", "1", "2"], ABC, "read as numbers of classes: 0 = “a”, 1 = “b”, 2 = “c”"),
        (["1", "3"], ABC, "say which class each label stands for"),
        (["4"], STARS, "the numbers in the names"),
        (["a", "b", "NaN"], ABC, ""),
    ],
)
def test_an_unusual_reading_gets_a_remark(labels: list[str], names: tuple[str, ...], said: str) -> None:
    found = rule_in_words(label_rule(labels, names), labels, names)
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize(
    ("given", "labels", "read"),
    [
        ({"pos": "b", "neg": "a"}, ["pos", " NEG", "x"], ["b", "a", "x"]),
        ({0: "a", 1.0: 2}, ["0", "1.0"], ["a", "class number 2"]),
        ({True: "b", "false": None}, ["True", "False"], ["b", ""]),
        (["u", "v"], ["v", "u", ""], ["class number 1", "class number 0", ""]),
        ("numbers", ["1", "[1, 0]", "x"], ["class number 1", '["class number 1", "class number 0"]', "x"]),
        ({"pos": np.int64(1)}, ["pos"], ["class number 1"]),
    ],
)
def test_users_choose_the_classes_of_labels(given: LabelClasses, labels: list[str], read: list[str]) -> None:
    found = [translated(label, chosen_classes(given, labels)) for label in labels]
    assert found == read
    assert gold_of(found[:1], ABC, label_rule(found, ABC), several=True)[0].max() == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"up": "a"}, "'up' is not in the column: it has pos, neg"),
        ({"pos": "a", "POS": "b"}, "two classes"),
        (["neg", "pos", "neg"], "'neg' is given two classes"),
        ({"pos": True}, r"labels=\{'pos': True\}: give a class by its name or its number"),
    ],
)
def test_chosen_classes_fit_the_labels(given: LabelClasses, said: str) -> None:
    with pytest.raises(DataError, match=said):
        chosen_classes(given, ["pos", "neg"])


@pytest.mark.parametrize(
    ("labels", "names", "classes"),
    [
        (["neg", "pos", "neu"], ("negative", "neutral", "positive"), [0, 2, 1]),
        (["positively"], ("neg", "pos"), [1]),
        (["1", "3", "2"], ABC, [0, 2, 1]),
        (["0", "1"], ABC, [-1, -1]),
        (["ne"], ("negative", "neutral"), [-1]),
    ],
)
def test_classes_are_proposed_and_not_used(labels: list[str], names: tuple[str, ...], classes: list[int]) -> None:
    assert list(proposed_classes(labels, names).values()) == classes
    assert label_rule(labels, names) == "refused"


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
