"""Why this prediction? What each word adds to the answer."""
