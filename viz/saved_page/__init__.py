"""A saved page: one file with the views of one or two texts, or of an encoder-decoder.

`contents.py` has the records of a page. `traces.py` and `generations.py` make its runs, `pages.py` puts runs together,
and `document.py` writes the file.
"""
