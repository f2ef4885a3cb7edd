"""Numbers of position vectors, worked out."""

import math

import numpy as np
import pytest

from encoder.experiments.anatomy.cells import position_product, sinusoid
from encoder.experiments.anatomy.input_examples import position_table, sinusoidal_table
from encoder.models.scratch import ScratchBackend


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (3, 4), (17, 383), (40, 5), (500, 100)])
def test_a_number_of_the_sinusoidal_encoding_is_its_sine_or_cosine(row: int, column: int) -> None:
    table = sinusoidal_table(512, 384)
    cell = sinusoid(table, row=row, column=column)
    assert cell.angle == pytest.approx(row * 10000 ** (-(column // 2 * 2) / 384))
    assert cell.value == float(table[row, column])
    # The table is made in single precision, where an angle of 500 is known to 3e-5.
    assert cell.value == pytest.approx(getattr(math, cell.function)(cell.angle), abs=1e-4)
    assert cell.function == ("cos" if column % 2 else "sin")
    assert cell.wavelength * cell.frequency == pytest.approx(2 * math.pi)


def test_two_positions_are_compared_by_the_vectors_that_the_model_adds(backend: ScratchBackend) -> None:
    table = position_table(backend.encoder)
    for one, other in ((0, 0), (2, 7), (9, 1)):
        product = position_product(table, one=one, other=other)
        np.testing.assert_array_equal(product.left, table[one])
        np.testing.assert_array_equal(product.right, table[other])
        assert product.total == pytest.approx(product.value, rel=1e-5, abs=1e-6)
