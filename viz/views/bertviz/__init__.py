"""BertViz's own views."""
