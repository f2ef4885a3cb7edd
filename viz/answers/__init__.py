"""The answer of every view: a pure function for each view, without Streamlit and without a browser.

A function takes runs, the selection and expensive results, and returns an `Answer`: sentences, charts (Plotly figures),
tables, formulas and code in reading order. The page (`viz.panels.shared.answer`), slides and saved pages
(`viz.html.answers`) render the same answer. Attention itself is not here: our own canvas views draw it.

**To add a chart to a view**, add a `Chart` to the parts of its answer, and nothing else::

    Chart(
        name="lengths",  # of its file, and in Streamlit's key
        title="How long the vectors are",
        alt="A bar for each token.",
        figure=lambda theme: length_bars(lengths, labels, theme=theme),  # a function of viz.figures
    )

**To add a view:**

1. Put computations and text into `viz/answers/VIEW.py`. The panel keeps widgets, progress and caching; it passes arrays
   and calls `show_answer(answer, view=..., place=...)`. Parts between two widgets are an answer of their own: a view
   may have several functions here.
2. Downloads are a `Table`; the reason for an empty view is a `Sentence` with the role "info".
3. In `viz.slides.build`, return `StaticSlide(answers=...)` with the same function.
4. Test numbers once, on the answer (`tests/viz/answers`); tests of the page ask only whether it is shown.
"""
