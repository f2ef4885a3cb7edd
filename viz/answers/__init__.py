"""What an answer is, and what the answers of several views share, without Streamlit and without a browser.

A function takes runs, the selection and expensive results, and returns an `Answer`: sentences, charts (Plotly figures),
tables, formulas and code in reading order. The page (`viz.widgets.answer`), slides and saved pages
(`viz.html.answers`) render the same answer. Attention itself is not here: our own canvas views draw it.

**To add a chart to a view**, add a `Chart` to the parts of its answer, and nothing else::

    Chart(
        name="lengths",  # of its file, and in Streamlit's key
        title="How long the vectors are",
        alt="A bar for each token.",
        figure=lambda theme: length_bars(lengths, labels, theme=theme),  # a function of viz.figures
    )

Downloads are a `Table`; the reason for an empty view is a `Sentence` with the role "info". Numbers are tested once, on
the answer (`tests/viz/views`); tests of the page ask only whether it is shown. To add a view, see `viz.views`.
"""
