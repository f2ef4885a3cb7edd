"""What a table of texts says and shows: predictions, errors, slices."""
