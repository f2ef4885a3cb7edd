"""What a head's card says, and what it opens to."""

import re
from dataclasses import replace

import numpy as np
from safetensors.numpy import load

from encoder.atlas.names import LEVELS, TARGETS
from encoder.atlas.reader import Atlas, shipped_atlas
from encoder.atlas.records import Example
from encoder.shipped.names import steps
from tests.rounding import Written
from viz.payloads.head_cards import card_lines, cards, details, half_way, labels, quantile_message, quantiles_id
from viz.wording.atlas_words import silencing_sentence


def test_a_card_begins_with_what_the_head_usually_does(atlas: Atlas) -> None:
    assert card_lines(atlas.cards[2, 0])[0].startswith(
        "From object to verb, this head looks most at the right word in 74\u00a0% of 1,191 cases (71 to 76\u00a0%; "
        "36\u00a0% at the best fixed distance). Such as "
    )
    assert card_lines(atlas.cards[2, 0])[-1] == (
        "Switching this head off changes sentence vectors by 0.0023 (1 − cosine, 256 sentences); 21 of the 71 others "
        "matter less. Accuracy on 872 reviews (SST dev): 82.2\u00a0% → 82.7\u00a0%."
    )
    assert card_lines(atlas.cards[0, 4])[0] == (
        "Joins words that go together: 24 points more often than words as far away and as frequent (21 to 27, 452 "
        "sentences). Such as Pay → attention, United → States, Save → money."
    )
    previous, positional, _ = card_lines(atlas.cards[0, 2])
    assert re.fullmatch(r"Looks at the previous word with 93.%.*; even attention gives 10.%\)\. Such as .*\.", previous)
    assert re.fullmatch(r"For 9\d\u00a0% of words, this head looks most at the previous word\.", positional)
    assert re.search(r"\[CLS\] with 83.%.*; the median head gives 49.%\)\.", card_lines(atlas.cards[2, 7])[0])
    assert card_lines(atlas.cards[5, 0])[0] == "No habit stands out."
    sent = cards(atlas)
    assert len(sent["lines"]) == 72
    assert sent["source"] == "Measured on EWT dev, chosen on EWT train, 2026-11-28."
    assert sent["credit"] == "UD English EWT 2.16: Silveira et al. 2014, CC BY-SA 4.0."


def test_a_heads_label_is_what_stands_out(atlas: Atlas) -> None:
    sent = labels(atlas)
    assert sent["source"] == "What stands out, measured on EWT dev:"
    assert sent["of"]["2.0"] == {"word": "object → verb", "title": "object → verb", "kind": "syntactic"}
    clause = "verb → adverbial clause"
    assert sent["of"]["2.2"] == {"word": clause, "title": clause, "kind": "syntactic"}
    assert sent["of"]["0.2"] == {"word": "word before", "title": "the previous word", "kind": "positional"}
    assert sent["of"]["0.4"] == {"word": "pairs", "title": "the word that goes with it", "kind": "habit"}
    assert "5.0" not in sent["of"]
    assert sent["of"]["0.5"] == {"word": "word before", "title": "the previous word", "kind": "habit"}
    assert sent["of"]["3.11"] == {"word": "punctuation", "title": "punctuation", "kind": "habit"}


def test_details_have_every_figure_and_the_relation_first(atlas: Atlas) -> None:
    opened: list[Example] = []

    def link(example: Example) -> str:
        opened.append(example)
        return f"?number={len(opened)}"

    found = details(atlas, 2, 0, link)
    silencing, relations, habits = found["tables"]
    assert relations["rows"][0] == [
        "object → verb",
        ".74 [.71, .76]",
        ".36 (−2)",
        "1,191",
        ".73, offset .36",
        "syntactic",
    ]
    assert len(relations["rows"]) == len(atlas.relations(2, 0))
    assert [row[0] for row in habits["rows"][-3:]] == ["entropy", "span", "the word that goes with it"]
    assert habits["rows"][-3][1].split()[1] == "bits"
    assert silencing["rows"] == [
        ["1 − cosine of a sentence's vectors with and without it", ".0023 [.0020, .0027]", ".0040", ".0530", "256"],
        ["accuracy on SST dev, 82.2\u00a0% with all heads", "+0.5 [−0.6, +1.6] points", "+0.1", "−1.8", "872"],
    ]
    assert [group["title"] for group in found["examples"]] == [
        f"{about}, {kind}"
        for about in ("object → verb", "the previous word")
        for kind in ("where the head looks hardest", "drawn at random", "where it fails")
    ]
    assert [len(group["sentences"]) for group in found["examples"]] == [20, 20, 10] * 2
    first = found["examples"][0]["sentences"][0]
    assert first["address"] == "?number=1"
    assert first["words"] == list(opened[0].words)


def test_a_model_whose_heads_were_not_silenced_says_nothing_of_it(atlas: Atlas) -> None:
    without = replace(atlas, cards={at: replace(card, silencing=None) for at, card in atlas.cards.items()})
    assert not any("Switching" in line for line in card_lines(without.cards[2, 0]))
    assert len(details(without, 2, 0, lambda example: "")["tables"]) == 2
    vectors_only = replace(
        atlas.cards[2, 0].silencing, accuracy=None, accuracy_change=None, reviews=None, num_reviews=None
    )
    assert silencing_sentence(vectors_only).endswith("21 of the 71 others matter less.")


def test_quantiles_are_sent_by_layer_head_target_and_level(atlas: Atlas) -> None:
    message = quantile_message(atlas, "bundled")
    assert message.id == quantiles_id("bundled")
    sent = load(message.data)["quantiles"]
    assert sent.shape == (6, 12, len(TARGETS), len(LEVELS))
    weights = np.square(sent[2, 0, 0] / 65535)
    np.testing.assert_allclose(weights, atlas.cards[2, 0].quantiles["another word"], atol=Written(2e-5))


def test_habits_of_the_from_scratch_model_are_listed_by_training_step() -> None:
    atlas = shipped_atlas("scratch")
    assert atlas is not None
    _, training, *_ = details(atlas, 3, 3, lambda example: "")["tables"]
    assert training["header"] == ["to", *(f"{step:,}" for step in steps()), "half from"]
    previous = training["rows"][0]
    assert (previous[0], previous[1], previous[-2], previous[-1]) == ("the previous word", ".10", ".20", "575")
    assert len(details(atlas, 1, 1, lambda example: "")["tables"]) == 3  # no habit of this head is far from even


def test_half_way_is_where_a_course_stays_above_half_of_its_end() -> None:
    assert half_way([0.0, 0.3, 0.1, 0.2, 0.4]) == 3
    assert half_way([0.4, 0.4]) == 0
    assert half_way([-0.1, 0.0, 0.02]) == 2
