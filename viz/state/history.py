"""The page between its address and its widgets.

The browser tells the server its address with every run, and hears of a new one only after a run: an address may be
late. It is therefore read when the page opens and when the browser went back or forward, and at no other time.

Every address that is written becomes an entry of the browser's history. While somebody types, the page changes with
almost every key; its address waits until they pause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from viz.state.address import from_query, left_out, to_query
from viz.state.fields import TEXTS_OF_ENCODER, value_of, with_values
from viz.state.reducer import Change, reduce_apart
from viz.state.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The selection, and what is needed to read the next address.

    Attributes:
        address: parameters that the page last read or wrote.
        held: whether somebody is still typing, so that the address stays as it is.
        problems: sentences about parameters of a link that were ignored; nobody has changed anything since.
        drawn: whether a run has drawn the page to its end, or another address has come. Before that, the browser's
            widgets may be newer than the address: the page was open when its server was started again.
    """

    selection: Selection = field(default_factory=Selection)
    address: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    problems: tuple[str, ...] = ()
    drawn: bool = False


def opened(params: Mapping[str, str]) -> Page:
    """A page that opens with an address."""
    selection, problems = from_query(params)
    return Page(selection=selection, address=params, problems=problems)


def changed(page: Page, change: Change, *, decoder: bool | None = None, held: bool = False) -> Page:
    """The page after somebody's change.

    Args:
        decoder: whether the decoder's place is meant, or the encoder's; None for the one that the page shows.
        held: whether another key may follow, until which the address is held.
    """
    decoder = page.selection.shows_decoder if decoder is None else decoder
    selection = reduce_apart(page.selection, change, decoder=decoder)
    return replace(page, selection=selection, held=held, problems=())


def arrived(page: Page, params: Mapping[str, str]) -> Page:
    """The page after the browser went back or forward, to an address.

    Texts that no address can hold stay where the new address names none.
    """
    if params == page.address:
        return page
    before = page.selection
    selection, problems = from_query(params, before)
    kept = {name: value_of(before, name) for name in left_out(before) if not _names_text(params, name)}
    selection = with_values(selection, kept)
    return replace(page, selection=selection, address=params, held=False, problems=problems, drawn=True)


def _names_text(params: Mapping[str, str], text: str) -> bool:
    """Whether an address says what a text is: one that names sentence A means all texts of its page."""
    return text in params or ("a" in params and text in TEXTS_OF_ENCODER)


def written(page: Page) -> Page:
    """The page with the address that stands for its selection, unless that is held."""
    return replace(page, address=page.address if page.held else to_query(page.selection))


def linked(page: Page) -> Selection:
    """What the page's address brings back, once it is written."""
    return from_query(written(page).address, page.selection)[0]
