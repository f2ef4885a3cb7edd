"""Search: which texts of a table match a query, and why."""
