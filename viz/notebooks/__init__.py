"""Views for notebooks: `tokens_view`, `routes`, and BertViz's `head_view`, `model_view`, `heat_map`, `neuron_view`."""
