"""Threads besides the page's: one for all short computations, jobs that can be cancelled, and background loading."""
