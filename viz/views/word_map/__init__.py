"""One word: each of its occurrences in a table, layer by layer."""
