"""What the steps of the anatomy show: tensors, and what a step has besides."""
