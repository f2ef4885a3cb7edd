"""Views for notebooks: `tokens_view`, and `head_view`, `model_view`, `heat_map`, `neuron_view` as BertViz has them."""
