"""`encoder.lab.training.measure_again`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.training.measure_again", run_name="__main__")
