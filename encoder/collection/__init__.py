"""Many texts at once: a table of them, what a model says of every row, and what follows from all rows together."""
