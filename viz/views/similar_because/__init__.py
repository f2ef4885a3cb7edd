"""Similar because: the cosine of two texts, by pairs of words."""
