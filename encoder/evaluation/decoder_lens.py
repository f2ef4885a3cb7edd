"""`encoder.lab.evaluation.decoder_lens`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("encoder.lab.evaluation.decoder_lens", run_name="__main__")
