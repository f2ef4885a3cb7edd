"""HTML in one file that needs neither Python nor a network: the base of saved pages, notebooks and slides.

`document.py` writes the HTML, with the style sheets of this folder and with `page.js`, `slides.js` and `start.js`,
which `bundle.mjs` builds from `viz/components` and `browser/`. `answers.py` renders answers, `markdown.py` words.
`quantised.py` rounds arrays, and `text_bytes.py` writes them as text. See docs/exports.md.
"""
