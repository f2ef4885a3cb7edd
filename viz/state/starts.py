"""What a view opens with while a visitor has typed and chosen nothing: an example that it has a clear answer to.

The first example of the page suits views of one head. Another view would say of it that nothing is clear. The values of
a start go when its view is left, so that they are never mistaken for a choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from encoder.shipped.names import TUNED
from viz.state.fields import value_of
from viz.state.selection import COLLECTION_VIEWS, DEFAULT, Selection, View

_REVIEW: Final = {"model": TUNED, "a": "the film was not good", "mode": "separate"}
STARTS: Final[Mapping[View, Mapping[str, Any]]] = MappingProxyType(
    {
        "predictions": {**_REVIEW, "b": "the film was good"},
        "why": {**_REVIEW, "b": ""},
        "routes": {**_REVIEW, "a": "never a dull moment", "b": ""},
        "texts": {"model": TUNED},
        "driving words": {"model": TUNED},
        "search": {"collection": "passages", "find": "how much sleep do adults need"},
        "swaps": {"collection": "swaps"},
        "word map": {"collection": "words"},
    }
)
OF_SENTENCES: Final = ("model", "a", "b", "mode")  # whose choice speaks against a start
OF_TABLES: Final = ("model", "collection", "find", "word", "rows")


def opening(selection: Selection, view: View) -> dict[str, Any]:
    """The changes that open a view, with its start if nothing was chosen, and without that of the view that is left."""
    left = STARTS.get(selection.view, {})
    untouched = {name: value_of(DEFAULT, name) for name in (*OF_SENTENCES, *OF_TABLES)}
    now = {name: value_of(selection, name) for name in untouched}
    back = {name: untouched[name] for name in left} if now == {**untouched, **left} else {}
    spoken = OF_TABLES if view in COLLECTION_VIEWS else OF_SENTENCES
    is_untouched = all({**now, **back}[name] == untouched[name] for name in spoken) and not selection.tour
    return {**back, **(STARTS.get(view, {}) if is_untouched else {}), "view": view}
