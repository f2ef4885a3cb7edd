"""Headlight's speed as ratios: every figure is set against another one that was measured in the same run.

`make bench` writes `bench/results/results.md` and `results.json`.
"""
