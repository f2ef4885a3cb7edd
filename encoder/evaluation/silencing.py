"""`encoder.lab.evaluation.silencing`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.evaluation.silencing", run_name="__main__")
