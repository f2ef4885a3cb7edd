"""Tours: a talk as a readable file, one stop after another. The format is described in docs/tours.md."""
