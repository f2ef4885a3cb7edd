"""The views: a folder each. Only `widgets.py` imports Streamlit.

**To add a view**, write its folder, and add its name to `View` (`viz.state.selection`) and a line to `PANELS`
(`viz.views.registered`). The rest is found by the name of the folder:

- `answer.py`, or a package of that name: what the view says and shows, as functions of runs, selection and results.
- `steps.py`: what is computed and what it costs (`viz.recipes.step`), and the answers made of the results, in their
  order. Page, stage, slides, claims and commands run the same steps. Of a view of a table of texts, a stop shows the
  recipe that has its name.
- `slide.py`: its `slide` is what a stop of a tour shows (`viz.recipes.slide`) of a view without a canvas.
- `widgets.py`: the function of its name (`word_lens` of "word lens") draws it on the page, with the answers between its
  widgets. `Panel` says what it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from encoder.collection.table import Collection
    from viz.answers.room import Room
    from viz.recipes.slide import Shown, StaticSlide
    from viz.recipes.step import Recipe
    from viz.state.selection import Selection, View


def recipe_of_table(view: View) -> Callable[[Collection, Selection, Room], Recipe[Any]]:
    """What a stop shows of a view of a table of texts, on the stage and on its slide."""
    recipe: Callable[[Collection, Selection, Room], Recipe[Any]] = _of(view, "steps", view.replace(" ", "_"))
    return recipe


def static_slide(shown: Shown) -> StaticSlide:
    """What a stop shows of a view of sentences. Raises HeadlightError."""
    slide: Callable[[Shown], StaticSlide] = _of(shown.selection.view, "slide", "slide")
    return slide(shown)


def _of(view: View, module: str, name: str) -> Any:
    return getattr(import_module(f"{__name__}.{view.replace(' ', '_')}.{module}"), name)
