"""What the words of a text contribute to each other's states, and to the model's output."""
