"""Words for tokens, heads, views and methods, shared by the page and saved files."""
