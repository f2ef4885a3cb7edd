"""The claims of a tour, worked out on the model that runs."""
