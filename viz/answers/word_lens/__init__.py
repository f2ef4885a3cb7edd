"""The word lens: one word in two sentences, and after which layers its two occurrences differ.

A file for each of its questions; each is answered by a function of its own, because the page has widgets between them.
"""
