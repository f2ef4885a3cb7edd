"""What cut links change, in sentences: the outputs that change most, next to random links."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.cuts import LinkEffects, Output, cut, link_effects
from encoder.runs.arrays import softmax
from encoder.runs.links import Link
from encoder.shipped.probes import load_probes
from tests.encoder.random_models import A, B
from viz.answers.answer import Answer, Sentence
from viz.answers.cuts import about, effects
from viz.answers.strongest_link import strongest_links
from viz.recipes.cuts import without_look
from viz.recipes.runner import StepRunner
from viz.state.reducer import reduce
from viz.state.selection import DEFAULT


def said(found: LinkEffects) -> str:
    return one_sentence(effects(found))


def one_sentence(answer: Answer) -> str:
    [part] = answer.parts
    assert isinstance(part, Sentence)
    return part.text


@pytest.fixture(scope="module")
def everywhere(bundled: Backend) -> LinkEffects:
    return cut(bundled, A, "flies", "time")


def test_the_largest_changes_are_named_with_the_range_of_random_links(everywhere: LinkEffects) -> None:
    sentence = said(everywhere)
    assert sentence.startswith("**Without “flies” → “time” in all layers:** verb 93 % → **6 %** (random links: 3")
    assert "noun 5 % → **88 %**" in sentence
    assert sentence.endswith(").")
    assert "last vector" not in sentence
    assert "Each of 20 random links" in about(everywhere)
    assert "The last vector of “flies” moves by 0.29 (random links: 0.00 to 0.23)." in about(everywhere)
    assert "off the last layer by a probe" in about(everywhere)


def test_a_link_without_effect_says_so(bundled: Backend) -> None:
    sentence = said(cut(bundled, A, "[CLS]", "an", layer=5, head=1))
    assert sentence.startswith(
        r"**Without “\[CLS\]” → “an” in layer 5, head 1:** no probability changes by half a point"
    )


def test_what_the_word_is_read_as_comes_before_larger_changes(bundled: Backend) -> None:
    sentence = said(cut(bundled, B, "flies", "fruit"))
    assert ":** noun 96 % → **94 %** (random links: 69 to 97 %); negative 83 % → **70 %**" in sentence


def test_a_weakened_link_says_how_much_is_left(bundled: Backend) -> None:
    sentence = said(cut(bundled, A, "flies", "time", factor=0.25))
    assert sentence.startswith("**With 25 % of “flies” → “time” in all layers:** verb 93 %")


def test_a_masked_word_that_is_no_longer_listed_says_so(everywhere: LinkEffects) -> None:
    output = Output("word at mask", "[MASK]", "flies")
    numbers = {"before": np.array([0.4], np.float32), "after": np.array([np.nan], np.float32)}
    sentence = said(replace(everywhere, outputs=(output,), random=np.zeros((0, 1)), **numbers))
    assert "flies for \\[MASK\\] 40 % → **below the listed words**" in sentence


def test_several_links_have_one_sentence_and_no_random_links(bundled: Backend) -> None:
    links = [Link(query=2, key=1), Link(query=2, key=3, layer=0)]
    found = link_effects(bundled, bundled.tokenize(A), links)
    assert said(found).startswith("**Without these 2 links together:** verb 93 % →")
    assert "random" not in said(found) + about(found)
    assert "gets its weight" in about(found)
    weakened = link_effects(bundled, bundled.tokenize(A), [links[0], replace(links[1], factor=0.5)])
    assert said(weakened).startswith("**With these 2 links changed:**")
    assert "gets what the row loses" in about(weakened)


def without(backend: Backend, *letters: str, **change: Any) -> str:
    """What is said of the strongest link of the shared word, or of the first text's, in the sentences of `letters`."""
    selection = reduce(DEFAULT, change)
    places = ["pair"] if len(selection.runs) == 1 else letters
    traces = {place: backend.trace(*texts) for place, texts in zip(places, selection.runs, strict=False)}
    answer, _ = StepRunner(lambda name: backend).answer(
        without_look(traces, strongest_links(traces, selection)), backend.name
    )
    return one_sentence(answer)


def test_the_first_screen_says_what_a_word_is_without_its_look(bundled: Backend, everywhere: LinkEffects) -> None:
    rows = {output.label: row for row, output in enumerate(everywhere.outputs)}
    noun = rows["NOUN"]
    drawn = 100 * everywhere.random[:, noun]
    in_a, in_b = without(bundled, "A", "B").split(" In B, ")
    assert in_a == (
        f"In A, without any look at “time”, the model reads it as **a noun** ({everywhere.after[noun]:.0%}, before "
        f"{everywhere.before[noun]:.0%}; random links: {drawn.min():.0f} to {drawn.max():.0f}%)."
    ).replace("%", " %")
    run = bundled.trace(B, links=[Link(query=2, key=[1, 3, 4, 5])])
    alone = softmax(load_probes(bundled.name).scores(run.hidden_states[-1][2], bundled.num_layers)).max()
    assert in_b.startswith("without “fruit”, it stays a noun (94 %; random links: 69 to 97 %)")
    assert in_b.endswith(f", as when “flies” sees no other word ({alone:.0%}).".replace("%", " %"))


def test_a_link_that_others_make_up_for_says_what_the_word_is_without_all_of_them(bundled: Backend) -> None:
    said = without(bundled, "A", "B", a="the suitcase was light enough to carry upstairs", b="turn off the light")
    assert "at “suitcase”, it stays a verb (62 %; random links: 60 to 66 %); when “light” sees no other word" in said


def test_a_smaller_change_of_the_same_reading_says_both_numbers(bundled: Backend) -> None:
    said = without(bundled, "A", "B", a="the bark of the oak", b="the dogs bark at every stranger who walks past")
    assert "In B, without “dogs”, it stays a verb, at 53 % (before 100 %; random links: 100 %)." in said


def test_without_a_probe_it_is_the_class_or_how_far_the_word_moves() -> None:
    assert without(encoder.load("bundled-sentiment"), b="").startswith(
        "Without any look at “time”, the class stays “negative” ("
    )
    assert ", its last vector moves by 0." in without(encoder.load("scratch-untrained"), b="", head=0)
