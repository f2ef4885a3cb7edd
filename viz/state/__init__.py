"""What the page shows: the selection, where it is stored, and how views change it."""
