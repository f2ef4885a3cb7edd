"""Headlight in its own window: `make desktop`, or `python -m viz.desktop`.

The page and its server are the same as in a browser. The server is a separate process, which ends with the window.
`requirements.txt` lists the packages that only the window needs.
"""
