"""What a model reads: texts as tokens, words and the places where they stand."""
