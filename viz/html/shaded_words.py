"""Words on coloured backgrounds, as HTML."""

from __future__ import annotations

from html import escape

from viz.answers.answer import ShadedWords
from viz.wording.labels import direction, make_visible

FULL = 50  # percent of the colour behind the largest weight, so that the word stays legible


def html_of_shaded_words(part: ShadedWords, colour: str) -> str:
    """A line of words under CSS's `--sentence-size` and `--sentence-line`; `colour` is CSS."""
    high = max(float(part.weights.max()), 1e-6)
    words = []
    for index, (word, weight) in enumerate(zip(part.words, part.weights.tolist(), strict=True)):
        share = round(FULL * weight / high)
        frame = f"outline:2px solid {colour};" if index == part.marked else ""
        words.append(
            f'<bdi style="background:color-mix(in srgb,{colour} {share}%,transparent);{frame}border-radius:4px;'
            f'padding:1px 4px" title="{weight:.4f}">{escape(make_visible(word))}</bdi>'
        )
    return (
        f'<div class="shaded-words" dir="{direction(part.words)}" '
        'style="font-size:var(--sentence-size,17px);line-height:var(--sentence-line,1.9);'
        'max-height:9.5lh;overflow:auto;overflow-wrap:anywhere">'
        f'<span dir="ltr" style="font-size:0.82em;opacity:.7">{escape(part.title)}</span> {" ".join(words)}</div>'
    )
