"""What the page says of tokens, heads, views and methods, in words that saved files share."""
