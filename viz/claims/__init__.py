"""Checks the claims of a tour on the current model."""
