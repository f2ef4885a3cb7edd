"""Data: the numbers that the heat map draws."""
