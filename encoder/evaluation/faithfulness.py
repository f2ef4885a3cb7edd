"""`encoder.lab.evaluation.faithfulness`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.evaluation.faithfulness", run_name="__main__")
