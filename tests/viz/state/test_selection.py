"""What follows from the selection: what is encoded, and which heads are drawn."""

from dataclasses import replace

from encoder.runs.links import Link
from viz.state.codecs import Cut
from viz.state.fields import opening_of, with_values
from viz.state.selection import DEFAULT, Mode, Place, Selection, Texts, texts_in


def runs(a: str, b: str, mode: Mode = "pair") -> tuple[tuple[str, str | None], ...]:
    return Selection(texts=Texts(a=a, b=b, mode=mode)).runs


def test_the_runs_follow_from_texts_and_mode() -> None:
    assert runs("x", "y") == (("x", "y"),)
    assert runs("x", "y", "separate") == (("x", None), ("y", None))
    assert runs("x", " \n") == (("x", None),)
    assert runs("x", " \n", "separate") == (("x", None),)
    assert runs("", "y") == (("", "y"),)


def test_texts_are_compared_and_words_seen_in_two_runs_and_other_things_in_one() -> None:
    compared = replace(DEFAULT, view="compare")
    assert compared.encodes_apart
    assert not replace(compared, compare=replace(compared.compare, kind="heads")).encodes_apart
    assert not replace(DEFAULT, view="heat map").encodes_apart
    assert len(replace(DEFAULT, view="word lens").runs) == 2


def test_each_run_has_its_own_cut_links_in_views_that_show_cuts() -> None:
    cuts = Cut(run="A", query=(2,), key=(1,)), Cut(run="B", query=(3,), key=(0,), layer=4, head=5, percent=35)
    apart = with_values(DEFAULT, {"cut": cuts, "view": "heat map"})
    links = Link(query=(2,), key=(1,)), Link(query=(3,), key=(0,), layer=4, head=5, factor=0.35)
    assert apart.changed_runs == tuple((*texts, (link,)) for texts, link in zip(apart.runs, links, strict=True))
    assert {run: apart.cuts_of(run) for run in ("A", "pair", "B")} == {"A": cuts[:1], "pair": cuts[:1], "B": cuts[1:]}
    assert replace(apart, view="word lens").cuts_of("A") == ()
    assert (texts_in("pair"), texts_in("B")) == (["A", "B"], ["B"])


def test_the_opening_depends_on_the_model_and_on_no_layer() -> None:
    assert opening_of(replace(DEFAULT, model="scratch")) != opening_of(DEFAULT)
    assert opening_of(with_values(DEFAULT, {"layer": 3})) == opening_of(DEFAULT)


def test_the_decoder_has_a_layer_and_a_head_of_its_own() -> None:
    encoder = Selection(place=Place(layer=3, head=7))
    decoder = replace(encoder, view="decoder").with_place(Place(layer=1, head=2))
    assert (encoder.layer, encoder.head) == (3, 7)
    assert (decoder.layer, decoder.head) == (1, 2)
    assert replace(decoder, view="norms").shown_place == encoder.place
