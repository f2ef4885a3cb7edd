"""The page's selection and its address.

The browser sends its address with every run, and receives a new one only after a run, so the address may be stale. It
is read only when the page opens and when the browser goes back or forward.

Every address that is written becomes an entry of the browser's history. While the user types, the page changes with
almost every key press; the address is written when the typing pauses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from viz.state.address import LONGEST_QUOTE, from_query, left_out, means_start, to_query
from viz.state.fields import FIELDS, TEXTS_OF_ENCODER, default_of, text_of, value_of, with_values
from viz.state.reducer import Change, reduce_apart
from viz.state.selection import DEFAULT, Selection, View
from viz.state.starts import opening


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The selection, and what is needed to read the next address.

    Attributes:
        address: parameters that the page last read or wrote.
        held: whether the user is still typing, which delays the address.
        problems: sentences about ignored parameters of a link, until the user's first change.
        drawn: whether a run was completed, or another address was read. Before that, the browser's widgets may be newer
            than the address: the page was open when its server was restarted.
        touched: whether the user has changed something since the address was read.
        left_view: the view before an example opened its own one, until the user chooses a view.
    """

    selection: Selection = field(default_factory=Selection)
    address: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    problems: tuple[str, ...] = ()
    drawn: bool = False
    touched: bool = False
    left_view: View | None = None


def opened(params: Mapping[str, str]) -> Page:
    """A page that opens with an address."""
    selection, problems = _read(params)
    return Page(selection=selection, address=params, problems=problems)


def changed(page: Page, change: Change, *, decoder: bool | None = None, held: bool = False) -> Page:
    """The page after a user's change.

    Args:
        decoder: whether the change is of the decoder's place or the encoder's; None for the one that the page shows.
        held: whether another key press may follow, which delays the address.
    """
    decoder = page.selection.shows_decoder if decoder is None else decoder
    selection = reduce_apart(page.selection, change, decoder=decoder)
    left_view = None if "view" in change else page.left_view
    return replace(page, selection=selection, held=held, problems=(), touched=True, left_view=left_view)


def arrived(page: Page, params: Mapping[str, str]) -> Page:
    """The page after the browser went back or forward to an address.

    Texts too long for an address stay where the new address names none.
    """
    if params == page.address:
        return page
    before = page.selection
    selection, problems = _read(params, before)
    kept = {name: value_of(before, name) for name in left_out(before) if not _names_text(params, name)}
    selection = with_values(selection, kept)
    return Page(selection=selection, address=params, problems=problems, drawn=True)


def _read(params: Mapping[str, str], before: Selection = DEFAULT) -> tuple[Selection, tuple[str, ...]]:
    """A selection and the problems of an address, as `from_query`; a view alone opens with its start."""
    selection, problems = from_query(params, before)
    if means_start(params, selection.view):
        selection = with_values(DEFAULT, opening(DEFAULT, selection.view))
    return selection, problems


def replaced_of_link(page: Page, selection: Selection) -> tuple[str, ...]:
    """A sentence for each parameter of the page's address that another selection does not have."""
    sentences = []
    for name in page.address:
        if name in FIELDS and value_of(page.selection, name) != value_of(selection, name):
            shown = text_of(selection, name)
            instead = f": the page shows {shown}" if shown else ""
            sentences.append(f"{name}={text_of(page.selection, name)[:LONGEST_QUOTE]!r} is not there{instead}.")
    return tuple(sentences)


def _names_text(params: Mapping[str, str], text: str) -> bool:
    """Whether an address determines a text: one that names sentence A determines all texts of its page."""
    return text in params or ("a" in params and text in TEXTS_OF_ENCODER)


def written(page: Page) -> Page:
    """The page with the address of its selection, unless that is delayed."""
    return replace(page, address=page.address if page.held else to_query(page.selection))


def linked(page: Page) -> Selection:
    """The selection whose texts the page's address restores, once it is written."""
    if page.held:
        return from_query(page.address, page.selection)[0]
    return with_values(page.selection, {name: default_of(name) for name in left_out(page.selection)})
