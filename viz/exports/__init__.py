"""Pages that are one file: the views of `viz/components` with everything that they draw, without Python and a network.

A page is made of runs (`traces.py`, `generations.py`, `arrays.py`), described by the records of `contents.py`, whose
numbers `packed.py` makes small and `text_bytes.py` makes text. `document.py` puts them into HTML, with `page.js` and
`start.js`, which `bundle.mjs` makes of the views and of `browser/`. `slides.py` has the records of a tour as slides,
and `slides_document.py` writes them. `notebook.py` shows a page in a notebook. See docs/exports.md.
"""
