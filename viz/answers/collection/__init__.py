"""What the views of a table of texts say and show."""
