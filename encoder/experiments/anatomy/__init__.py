"""The numbers of the anatomy: every tensor of one pass through our own encoder, and how each number was computed.

- `record` runs the encoder on a text and records the tensors of one layer; `changes` runs it with a mask or a change.
- `cells` shows how one number was computed: in a record, under a mask or change, in a position vector, or by a head.
- `readout` applies a classification and a regression head; `step_examples` and `parameter_counts` belong to single
  steps.
- `names` has the keys of steps, masks and changes.

`viz.answers.anatomy.steps` renders the steps, and says how to add one.
"""
