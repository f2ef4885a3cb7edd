"""Why here? Where one score comes from."""
