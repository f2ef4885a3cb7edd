"""What a visitor of a page without a server sets: a form, its examples, and what a link to the page names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final, get_args

from encoder.measures.unit_attention import Sentences
from viz.examples import EXAMPLES, Example
from viz.saved_page.contents import Page
from viz.state.fields import FIELDS, text_of
from viz.state.messages import RELEASED
from viz.state.selection import ADDRESS_BASE, DEFAULT, Scale
from viz.wording.explanations import Explanation, heat_map_explanation
from viz.wording.settings import LEVELS, MODES, OWN_SENTENCES, READING, SHOWING, SPECIAL_TOKENS, SPECIALS, TAGS

ABOUT_PAGE: Final = "The model runs in this browser: nothing that is typed here leaves it."
EXPLANATIONS: Final[Mapping[str, Explanation]] = {
    "heat map pair": heat_map_explanation(pair=True, special="show"),
    "heat map hide": heat_map_explanation(pair=False, special="hide"),
}
"""Those that depend on what a visitor sets, by the view and the setting."""
_SETTINGS: Final = (("mode", READING, MODES), ("level", SHOWING, LEVELS), ("special", SPECIAL_TOKENS, SPECIALS))
_NO_TOKEN: Final = {"query": "", "key": "", "at_a": "", "at_b": ""}  # neither pinned nor chosen for the word lens
_ANY: Final = ".*"
_STATUS: Final = " ".join(f'<span class="{name}"></span>' for name in ("remark", "answer", "progress"))


def page_of_site(page: Page, about: Iterable[str]) -> Page:
    """A saved page as the first screen of a site: its form shows the sentences.

    Args:
        about: the model, in full sentences.
    """
    selection = {**page.selection, "at_a": RELEASED, "at_b": RELEASED}
    return replace(page, sentences=(), about=tuple(about), notes=(ABOUT_PAGE, *page.notes[1:]), selection=selection)


def input_facts(
    page: Page, model_name: str, views: Sequence[str], tags: Mapping[str, str], training: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The part of a site's facts that scripts read for its form and its links.

    Args:
        tags: from `viz.site.strips.tag_settings`.
        training: from `viz.site.steps.training_facts`.
    """
    models = (model_name, *(step["model"] for step in training))
    return {
        "model": model_name,
        "training": training,
        "examples": [_described(example, page, model_name) for example in _examples(page)],
        "fields": _fields(page, {"view": views, "model": models}, tags),
    }


def form(page: Page, texts: tuple[str, str], tags: Mapping[str, str], slider: str, lessons: Mapping[str, str]) -> str:
    """The form, as HTML in which all texts are escaped; its fields have the names of a link's parameters.

    Args:
        tags: from `viz.site.strips.tag_settings`.
        slider: from `viz.site.steps.steps_slider`.
        lessons: their titles, by their addresses.
    """
    fields = [
        f'<label>{label}<input name="{name}" value="{escape(text)}" placeholder=" "></label>'
        for name, label, text in zip("ab", ("Sentence A", "Sentence B (optional)"), texts, strict=True)
    ]
    examples = {str(index): example.title for index, example in enumerate(_examples(page))}
    settings = [_select(name, label, options) for name, label, options in (*_SETTINGS, ("tags", TAGS, tags)) if options]
    return f"""<form class="texts" autocomplete="off">
{"".join(fields)}{_select("example", "Example", examples, placeholder=OWN_SENTENCES)}
<div class="tools">
<details><summary class="tool">Settings</summary><div class="settings">{"".join(settings)}</div></details>
<button type="button" class="tool" name="present" title="Larger, without this form (P)">Present</button>
<button type="button" class="tool" name="copy">Copy link</button>
<button type="button" class="tool" name="silence"></button>
<button type="button" class="tool" name="clear">Use all heads</button>
{_menu(lessons)}</div>
<input type="hidden" name="silenced" value="">
<p class="status" role="status">{_STATUS}</p>
{slider}</form>"""


def _menu(lessons: Mapping[str, str]) -> str:
    """The lessons, which are pages of their own."""
    links = (f'<li><a href="{escape(address)}">{escape(title)}</a></li>' for address, title in lessons.items())
    return (
        f'<details class="lessons"><summary class="tool">Lessons</summary><ul>{"".join(links)}</ul></details>'
        if lessons
        else ""
    )


def _select(name: str, label: str, options: Mapping[str, str], *, placeholder: str = "") -> str:
    first = f'<option value="" disabled hidden>{escape(placeholder)}</option>' if placeholder else ""
    written = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options.items())
    return f'<label>{escape(label)}<select name="{name}">{first}{written}</select></label>'


def _examples(page: Page) -> list[Example]:
    """Those of the page's views."""
    return [example for example in EXAMPLES if (example.view or page.view) in page.views]


def _described(example: Example, page: Page, model_name: str) -> dict[str, Any]:
    """An example, with its head if the model has one of that number; what it says was checked on one model."""
    says = model_name == DEFAULT.model
    has_head = example.layer in page.runs[0].layers and example.head < page.runs[0].num_heads
    link = {name: str(value) for name, value in example.selection.items() if has_head or name not in ("layer", "head")}
    return {
        "question": example.question if says else "",
        "answer": example.answer if says else "",
        "word": example.word,
        "link": _NO_TOKEN | {"heads": ""} | link,
    }


def _fields(page: Page, named: Mapping[str, Sequence[str]], tags: Iterable[str]) -> list[dict[str, Any]]:
    """The parameters of a link that the page reads and writes; `viz/html/browser/contents.mjs` describes them.

    Args:
        named: the views and models that the page has.
    """
    layers, heads = len(page.runs[0].layers), page.runs[0].num_heads
    base = replace(ADDRESS_BASE, place=replace(ADDRESS_BASE.place, head=min(ADDRESS_BASE.head, heads - 1)))
    texts = {name: text_of(base, name) for name in FIELDS}
    named = {**named, "method": [texts["method"]]}
    titles = {"view": "view", "model": "model", "method": "measure"}  # of fields whose other values are reported
    patterns = _patterns(layers, heads, tags) | {name: _one_of(values) for name, values in named.items()}
    return [
        {
            "name": name,
            "pattern": pattern,
            "title": titles.get(name, ""),
            "initial": named["model"][0] if name == "model" else texts[name],
            "omitted": None if name in ("a", "b", "mode") else texts[name],
        }
        for name, pattern in patterns.items()
    ]


def _patterns(layers: int, heads: int, tags: Iterable[str]) -> dict[str, str]:
    """What each parameter of a link can be, as regular expressions of JavaScript; another value is ignored."""
    layer, head = (_one_of(map(str, range(count))) for count in (layers, heads))
    silenced = rf"(?:{layer})\.(?:{head})"
    return {
        "a": _ANY,
        "b": _ANY,
        **{name: _one_of(options) for name, _, options in _SETTINGS},
        "tags": _one_of(tags),
        "layer": layer,
        "head": f"{head}|mean",
        "heads": rf"(?:all|none|(?:{head})(?:\.(?:{head}))*)?",
        **dict.fromkeys(_NO_TOKEN, r"\d{1,4}|"),
        "pinned_in": "A|B",
        "sentences": _one_of(get_args(Sentences)),
        "scale": _one_of(get_args(Scale)),
        "silenced": rf"(?:{silenced}(?:-{silenced})*)?",
        "why_method": _ANY,
    }


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, texts))
