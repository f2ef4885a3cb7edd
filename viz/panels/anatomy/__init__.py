"""The view "Anatomy": the encoder taken apart, step by step, with the tensors of the text on the page.

A step is a module of `viz.panels.anatomy.steps`; its docstring says how to add one. `panel` draws the step that is
open; `draw`, `windows` and `opened_cell` draw its tensors and work a cell out; `latex`, `worked_out` and `source_code`
prepare what they show and know nothing of Streamlit. The numbers come from `encoder.experiments.anatomy`.
"""
