"""Many texts at once: a table of them, a model's output for every row, and what follows from all rows together."""
