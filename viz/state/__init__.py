"""What the page shows: the selection, where it is kept, and how views change it."""
