"""`encoder.lab.training.evaluate`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.training.evaluate", run_name="__main__")
