"""The view "Anatomy": the encoder taken apart, step by step, with the tensors of the text on the page.

A step is a module of `viz.answers.anatomy.steps`; its docstring says how to add one. `panel` draws the step that is
open, with its code; `draw` and `opened_cell` draw its tensors and work a cell out, and `extras` has the widgets of
single steps. The numbers come from `encoder.experiments.anatomy`.
"""
