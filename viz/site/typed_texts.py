"""What a page without a server knows of texts that are typed, before the model has read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from viz.saved_page.contents import ATTENTION_VIEWS, Page, described_run, title_of_view
from viz.saved_page.pages import MOST_BESIDE
from viz.wording.labels import HEADINGS

_OF_ALL_LAYERS: Final = "model view"


def typed_facts(page: Page, views: Iterable[str], model_title: str, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The part of a site's facts about typed texts; `viz/html/browser/contents.mjs` describes it.

    Args:
        page: of the first texts.
        sizes: of the model's files.
    """
    run = page.runs[0]
    return {
        "runs": {
            place: described_run(
                replace(
                    run,
                    place=place,
                    heading=heading,
                    texts=("A", "B") if place == "pair" else (place,),
                    pair=place == "pair",
                )
            )
            for place, heading in HEADINGS.items()
        },
        "most_beside": MOST_BESIDE,
        "seen": {view: _seen(view, model_title) for view in views},
        "unloaded": {count: _unloaded(count, len(run.layers), sizes) for count in range(1, len(run.layers))},
    }


def _seen(view: str, model_title: str) -> dict[str, Any]:
    """The title line of presentation mode."""
    return {
        "model": model_title,
        "shows": title_of_view(view),
        "follows": view in ATTENTION_VIEWS and view != _OF_ALL_LAYERS,
        "shows_heads": view == "head view",
    }


def _unloaded(count: int, layers: int, sizes: Mapping[str, int]) -> dict[str, str]:
    """What stands under a map of the first layers, and the button that loads the others."""
    loaded = count if count > 1 else 0  # of layer 0 the heads may be all there is
    size = sum(sizes[f"layer-{layer}.onnx"] for layer in range(loaded, layers))
    return {
        "says": f"{count} of {layers} layers {'are' if count > 1 else 'is'} loaded.",
        "load": f"Load the others ({size / 1e6:.0f} MB)",
    }
