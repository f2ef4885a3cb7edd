"""Tours: a talk as a readable file, one stop after another. The format is on one page, in `README.md`."""
