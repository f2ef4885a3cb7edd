"""A tour as slides: every stop's runs, claims and pictures, made without a page; `python -m viz.slides TOUR FILE`."""
