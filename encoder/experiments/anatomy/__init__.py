"""The from-scratch encoder taken apart: one pass over a text, step by step, with the tensors that it really used.

`record` watches a pass, `masks` and `what_if` watch changed ones, `readout` ends in probabilities, `cells` works one
number out, `steps` tells all of it in order, and `sizes` counts parameters.
"""
