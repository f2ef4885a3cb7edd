"""Two texts or two runs held against each other: what differs, and why a model says that two texts are alike."""
