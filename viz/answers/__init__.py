"""The answer of every view: a pure function for each view, without Streamlit and without a browser.

A function takes runs, the selection and expensive results, and returns an `Answer`: sentences, charts
(Plotly figures) and tables in reading order. The page (`viz.panels.answer`), slides and saved pages
(`viz.exports.answers`) render the same answer. Attention itself is not here: our own canvas views draw it.

**To add a chart to a view**, add a `Chart` to the parts of its answer, and nothing else::

    Chart(
        name="lengths",  # of its file, and in Streamlit's key
        title="How long the vectors are",
        alt="A bar for each token.",
        figure=lambda theme: length_bars(lengths, labels, theme=theme),  # a function of viz.figures
    )

**To convert a view** that still draws for itself:

1. Move computations and text from its panel into `viz/answers/VIEW.py`. The panel keeps widgets, progress and caching;
   it passes arrays and calls `show_answer(answer, view=..., place=...)`. Parts between two widgets are an answer of
   their own: a view may have several functions here.
2. Downloads are a `Table`; the reason for an empty view is a `Sentence` with the role "info".
3. In `viz.slides.making`, return `Still(answers=...)` with the same function, and delete the slide's
   builders; when no slide uses a look of `viz.exports.charts` any more, delete the look and its drawing in
   `viz/exports/browser`.
4. Test numbers once, on the answer (`tests/viz/answers`); tests of the page ask only whether it is shown.
"""
