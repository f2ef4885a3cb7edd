"""What the sentiment heads of our models tell apart, in the order of their logits; needs no torch."""

SENTIMENTS = ("negative", "neutral", "positive")
