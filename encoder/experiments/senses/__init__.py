"""Words in sentences that are labelled with their sense, and how well a model tells the senses apart."""
