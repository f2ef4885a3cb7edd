"""Models side by side: trained and untrained, one sentence."""
