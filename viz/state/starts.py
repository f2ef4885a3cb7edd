"""What a view opens with while a visitor has typed and chosen nothing: an example that it has a clear answer to.

The first example of the page suits views of one head. Another view would say of it that nothing is clear. The values of
a start go when its view is left, so that they are never mistaken for a choice. An address that names a view alone opens
its start, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from encoder.shipped.names import TUNED
from viz.state.fields import value_of
from viz.state.selection import COLLECTION_VIEWS, DEFAULT, Selection, View

_REVIEW: Final = {"model": TUNED, "a": "the film was not good", "mode": "separate"}
# A query that ships, and its passage: of 41 that were tried, 22 pass the view's test.
_COMPASS: Final = {
    "a": "how does a compass find north",
    "b": "A magnetised needle that can turn freely lines up with the field of the Earth, so one of its ends always "
    "shows roughly the same direction.",
}
STARTS: Final[Mapping[View, Mapping[str, Any]]] = {
    "predictions": {**_REVIEW, "b": "the film was good"},
    "why": {**_REVIEW, "b": ""},
    "routes": {**_REVIEW, "a": "never a dull moment", "b": ""},
    "similar because": _COMPASS,
    "compare": {**_REVIEW, "a": "the film was good", "b": "the film was bad"},
    "texts": {"model": TUNED},
    "driving words": {"model": TUNED},
    "search": {"collection": "passages", "find": "what does a conductor do in a concert"},
    "swaps": {"model": TUNED, "collection": "swaps", "part": "negation and typos"},
    "word map": {"collection": "words", "word": "bank"},
    "decoder": {"at_step": 0},
}
OF_SENTENCES: Final = ("model", "a", "b", "mode")  # whose choice speaks against a start
OF_TABLES: Final = ("model", "collection", "part", "find", "word", "rows")
OF_DECODER: Final = ("writer", "task", "source", "at_step")


def opening(selection: Selection, view: View) -> dict[str, Any]:
    """The changes that open a view, with its start if nothing was chosen, and without that of the view that is left."""
    left = STARTS.get(selection.view, {})
    untouched = {name: value_of(DEFAULT, name) for name in (*OF_SENTENCES, *OF_TABLES, *OF_DECODER)}
    now = {name: value_of(selection, name) for name in untouched}
    back = {name: untouched[name] for name in left} if now == {**untouched, **left} else {}
    spoken = OF_TABLES if view in COLLECTION_VIEWS else OF_DECODER if view == "decoder" else OF_SENTENCES
    is_untouched = all({**now, **back}[name] == untouched[name] for name in spoken) and not selection.tour
    return {**back, **(STARTS.get(view, {}) if is_untouched else {}), "view": view}
