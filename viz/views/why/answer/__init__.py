"""Why this prediction? What each word adds to a number of the model, and whether that holds without some words."""
