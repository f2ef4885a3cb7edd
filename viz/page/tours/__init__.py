"""Tours in the app: the panel of the current stop, its claims, and the editor of the user's tour."""
