"""`encoder.lab.training.train`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.training.train", run_name="__main__")
