"""Links of earlier versions: each restores the same page, and its address stays the same."""

from urllib.parse import parse_qsl, urlencode

import pytest

from viz.state.address import from_query, to_query
from viz.state.fields import FIELDS, default_of

SAME = "same"  # the address stays as it is
NOTHING = ""
PAIR = "mode=pair"  # the base, whose address may not be empty: that opens something else
LINKS = [
    ("", SAME),
    ("a=dogs+bark", "a=dogs+bark&b="),
    ("a=dogs+bark&b=loudly&mode=separate", SAME),
    ("b=loudly", "a=time+flies+like+an+arrow&b=loudly"),
    ("a=&b=", SAME),
    ("layer=3&head=7", SAME),
    ("layer=03", "layer=3"),
    ("layer=9999&head=9999", SAME),
    ("layer=0&head=4&view=heat+map", PAIR),
    ("head=mean", SAME),
    ("head=mean&heads=1.2", SAME),
    ("heads=all", SAME),
    ("heads=none", SAME),
    ("heads=0.5", SAME),
    ("heads=5.0.5", SAME),
    ("query=3&key=4&pinned_in=B", SAME),
    ("query=0", SAME),
    ("sentences=A%E2%86%92B", SAME),
    ("scale=largest", SAME),
    ("scale=auto", PAIR),
    ("method=globenc&reach=layer", SAME),
    ("view=head+view&method=norms", SAME),
    ("method=weights&reach=input", PAIR),
    ("view=head+view", SAME),
    ("view=bertviz&bertviz=model+view", SAME),
    ("level=words&special=hide", SAME),
    ("special=renormalise", SAME),
    ("tags=all", SAME),
    ("tags=0", SAME),
    ("tags=12", SAME),
    ("view=word+lens&at_a=1&at_b=4", SAME),
    ("further=own&typed=noun+%7C+flies+buzz", SAME),
    ("further=bank", SAME),
    ("further=none", SAME),
    ("silenced=3.7-4.11", SAME),
    ("effect=part+of+speech", SAME),
    ("effect=shift&carried=shift", SAME),
    ("view=anatomy&walk=what-if&what_if=unscaled.dropout", SAME),
    ("view=anatomy&walk=mask&mask=causal&row=3&column=300", SAME),
    ("view=compare", "mode=pair&view=compare"),
    ("view=compare&compared_number=similarity", SAME),
    ("view=compare&compare=models&with_model=scratch", SAME),
    ("model=scratch&view=compare&compare=steps&with_step=61", SAME),
    ("view=models&models=scratch.bundled-sentiment&trained=61&pictured=all+heads", SAME),
    ("view=models&models=", SAME),
    ("view=decoder", "mode=pair&view=decoder"),
    ("view=decoder&layer=1&head=2&heads=0.1&query=5&pinned_in=decoder", SAME),
    ("view=decoder&task=sort&source=a+b", SAME),
    ("writer=t5-small&task=date&source=x", SAME),
    ("view=decoder&kind=all&picture=head+view&at_step=0", SAME),
    ("model=scratch%3Astep%3D100", SAME),
    ("model=bert-base-uncased&layer=11", SAME),
    ("utm_source=mail", NOTHING),
    ("what_if=", PAIR),
    ("tags=off", PAIR),
    ("mode=pair", SAME),
    ("mode=separate", SAME),
    ("mode=separate&layer=3", SAME),
]
OMITTED = (
    "a=time+flies+like+an+arrow&b=fruit+flies+like+a+banana&mode=pair&model=bundled&layer=0&head=4"
    "&pinned_in=A&sentences=all&scale=auto&method=weights&reach=input&view=heat+map&stage=0"
    "&bertviz=head+view&level=wordpieces&special=show&first=0&tags=off&further=auto&effect=final+vector"
    "&carried=part+of+speech&why=class&why_layer=9999&why_side=A&why_method=integrated-gradients"
    "&why_removal=mask&removed=0&compare=texts&compared_number=class&with_model=bundled-sentiment&matched=number"
    "&with_step=0&models=scratch-untrained.scratch.bundled&trained=9999&pictured=one+head&walk=text&mask=none&writer=seq2seq&task=reverse"
    "&source=time+flies+like+an+arrow&kind=cross&picture=heat+map&collection=reviews&rows=all&order=errors"
    "&from_view=texts&swap_measure=class&forms=form&stop=1"
)


def params(link: str) -> dict[str, str]:
    return dict(parse_qsl(link, keep_blank_values=True))


@pytest.mark.parametrize(("link", "address"), LINKS)
def test_a_link_stays_the_address_that_it_was(link: str, address: str) -> None:
    selection, problems = from_query(params(link))
    assert problems == ()
    assert to_query(selection) == params(link if address == SAME else address)


def test_the_order_of_parameters_does_not_matter() -> None:
    link = "view=decoder&layer=1&head=2&task=sort&source=b+a&level=words"
    backwards = urlencode(list(reversed(params(link).items())))
    assert from_query(params(link)) == from_query(params(backwards))


def test_the_values_that_addresses_omit_never_change() -> None:
    omitted = {name: FIELDS[name].codec.encode(default_of(name)) for name in FIELDS}
    assert urlencode({name: text for name, text in omitted.items() if text}) == OMITTED
