"""A tour as slides, made without the app: `python -m viz.slides TOUR FILE`.

`build.py` computes the content of every stop, with a file for each of the larger views. `contents.py` has the records
of slides, and `document.py` writes the file.
"""
