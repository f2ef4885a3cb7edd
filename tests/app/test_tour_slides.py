"""A tour is saved as slides from its box: on the model and with the texts of the page."""

from __future__ import annotations

from tests.app.app_script import Offered, open_page
from tests.viz.html.reading import contents_of, plots_in

OWN = "my own sentence about flies"


def test_the_box_of_a_tour_offers_it_as_slides(offered: Offered) -> None:
    open_page(tour="twelve-steps", stop="8", view="anatomy", a=OWN, b="")
    html = offered["slides.html"]().decode()
    slides = contents_of(html)["slides"]
    assert len(slides) == 12
    assert slides[7]["title"] == "Scores become weights"
    rows = [plot["layout"].get("yaxis", {}).get("ticktext") for plot in plots_in(html)]
    assert ["[CLS]", *OWN.split(), "[SEP]"] in rows


def test_slides_omit_a_model_without_consent(offered: Offered) -> None:
    open_page(tour="time-flies", stop="1", model="bert-base-uncased")
    html = offered["slides.html"]().decode()
    assert [slide["picture"] for slide in contents_of(html)["slides"]] == [None] * 12
    assert html.count("is not opened unasked: choose it on the page first.") >= 12
