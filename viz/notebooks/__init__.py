"""`head_view`, `model_view`, `heat_map` and `neuron_view` for notebooks, with BertViz's arguments."""
