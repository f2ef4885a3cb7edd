"""The curves of the activation functions, against their formulas."""

from math import erf, sqrt

import numpy as np

from encoder.experiments.anatomy.input_examples import HIGH, LOW, POINTS, activation_curves, relu


def test_the_curves_are_those_of_the_formulas() -> None:
    curves = activation_curves()
    assert set(curves) == {"GELU", "ReLU"}
    for points, _ in curves.values():
        np.testing.assert_allclose(points, np.linspace(LOW, HIGH, POINTS), atol=1e-6)
    points, gelu = curves["GELU"]
    np.testing.assert_allclose(gelu, [x * (1 + erf(x / sqrt(2))) / 2 for x in points], atol=1e-6)
    np.testing.assert_array_equal(curves["ReLU"][1], relu(points))
    np.testing.assert_array_equal(relu(np.array([-2.0, 0.0, 3.0], np.float32)), [0, 0, 3])
