"""The word lens: one word in two sentences, and after which layers its two occurrences differ.

One file and one function for each question, because the page has widgets between them.
"""
