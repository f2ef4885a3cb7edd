"""The steps of the anatomy: words, formulas, tensors and numbers worked out, and what single steps have besides."""
