"""The numbers of the anatomy: every tensor of one pass through our own encoder, and how each number in them came about.

- `record` runs the encoder on a text and keeps the tensors of one layer; `masks` and `what_if` run it changed.
- `cells` works one number of a record out, `changed_cells` one under a mask or a change, `position_cells` one of the
  position vectors, `readout_cells` one of a head on top; `arithmetic` has what they are made of.
- `readout` applies a classification and a regression head; `input_examples`, `activations` and `parameter_counts` are
  the numbers beside single steps.
- `our_models` says which models can be taken apart; `names` has the keys of steps, masks and changes.

What a step says and draws is in `viz.answers.anatomy.steps`, which also says how to add one.
"""
