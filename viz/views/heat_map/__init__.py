"""Heat map: one layer, queries down and keys across."""
