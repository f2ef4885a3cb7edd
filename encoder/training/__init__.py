"""The commands of `encoder.lab.training`, under their names in the model cards."""
