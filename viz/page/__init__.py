"""The page from top to bottom: its opening, its sidebar, and its body."""
