"""What the words of a text contribute: to each other's states, and to what the model says."""
