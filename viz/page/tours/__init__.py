"""Tours in the app: the box beside the picture, its claims, and the tour that is being made."""
