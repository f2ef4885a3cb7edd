"""Models that can be opened, and what every one of them can do."""
