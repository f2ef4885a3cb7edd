"""Headlight in a window of its own: `make desktop`, or `python -m viz.desktop`.

The page is the same as in a browser, and so is its server, which is a process beside the window and ends with it.
`requirements.txt` names what the window needs and the rest of Headlight does not.
"""
