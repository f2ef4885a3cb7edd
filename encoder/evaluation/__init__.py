"""The commands of `encoder.lab.evaluation`, under their names in the docs."""
