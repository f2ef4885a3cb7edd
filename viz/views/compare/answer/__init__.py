"""Compare: where two runs differ, in attention, in the states of words, and in what the model says."""
