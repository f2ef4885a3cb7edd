"""Predictions: what the model predicts for the text."""
