"""Where cuts fall: halfway, in as few digits as the numbers have, and never on the larger number."""

import numpy as np
import pytest

from openbook.tree.columns import midpoint


@pytest.mark.parametrize(
    ("a", "b", "halfway"),
    [
        (1.57, 1.58, 1.575),
        (0.01, 0.03, 0.02),  # 0.01 + (0.03 - 0.01) / 2 is 0.019999999999999997
        (1.0, 1.00000123, 1.000000615),  # ten digits are needed, and fewer would do to part the two
        (0.0, 0.0, 0.0),
    ],
)
def test_halfway_to_fifteen_digits(a, b, halfway):
    assert float(midpoint(a, b)) == halfway


def test_of_neighbours_it_is_the_smaller():
    """Between two neighbouring numbers there is none; halfway rounds to the even one, here the larger."""
    a = np.nextafter(1.0, 2.0)
    b = np.nextafter(a, 2.0)
    assert a + (b - a) / 2 == b
    assert float(midpoint(a, b)) == a
