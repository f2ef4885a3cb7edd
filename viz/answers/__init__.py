"""What every view says and shows: a pure function for each view, without Streamlit and without a browser.

A function takes runs, what is selected of them and numbers that take time, and returns an `Answer`: sentences, charts
(Plotly figures) and tables in reading order. The page (`viz.panels.answer`), slides and saved pages
(`viz.html.answers`) render the same answer. Attention itself is not in here: our own canvas views draw it.

**To add a chart to a view**, add a `Chart` to the parts of its answer, and nothing else::

    Chart(
        name="lengths",  # of its file, and in Streamlit's key
        title="How long the vectors are",
        alt="A bar for each token.",
        figure=lambda theme: length_bars(lengths, labels, theme=theme),  # a function of viz.figures
    )

**To convert a view** that still draws for itself:

1. Move what its panel computes and writes into `viz/answers/VIEW.py`. The panel keeps widgets, progress and what is
   cached; it hands arrays over and calls `show_answer(answer, view=..., place=...)`. What stands between widgets is an
   answer of its own: a view may have several functions here.
2. Numbers to take along are a `Table`; "nothing to show, because" is a `Sentence` with the role "info".
3. In `viz.slides.build`, return `StaticSlide(answers=...)` with the same function, and delete the slide's own builders.
4. Test numbers once, on the answer (`tests/viz/answers`); tests of the page ask only whether it is shown.
"""
