"""`encoder.lab.senses`, under its name in the docs."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.senses", run_name="__main__")
