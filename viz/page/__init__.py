"""The page from top to bottom: its opening and its body; a lesson has a sidebar."""
