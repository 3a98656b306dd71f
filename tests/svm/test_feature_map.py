"""The map of a polynomial kernel, and lines side by side: by hand, and by the kernel itself."""

import math

import numpy as np
import pytest

from openbook import read
from openbook.errors import ParameterError
from openbook.svm import SVC, polynomial_map, separators
from openbook.svm.kernels import PolynomialKernel

SQUARE, SIDES = [[0, 0], [0, 2], [2, 0], [2, 2]], ["left", "left", "right", "right"]


class TestMap:
    def test_degree_two_by_hand(self):
        phi = polynomial_map(2)
        assert phi.terms == ("x1²", "√2 x1 x2", "x2²")
        assert phi([3, -1])[0] == pytest.approx([9, -3 * math.sqrt(2), 1])

    def test_with_a_constant_and_a_factor(self):
        # (2 x z + 3)³ = 8 x³z³ + 36 x²z² + 54 x z + 27
        phi = polynomial_map(["x"], degree=3, gamma=2, coef0=3)
        assert phi.factors == pytest.approx((8, 36, 54, 27))
        assert phi.terms == ("√8 x³", "6 x²", "√54 x", "√27")

    @pytest.mark.parametrize(("degree", "gamma", "coef0"), [(1, 0.5, 0), (2, 1, 1), (3, 0.25, 2), (4, 1, 0)])
    def test_products_are_the_kernel(self, degree, gamma, coef0):
        rng = np.random.default_rng(degree)
        X, Z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
        phi = polynomial_map(3, degree, gamma, coef0)
        kernel = PolynomialKernel(degree, gamma, coef0).matrix(X, Z)
        assert phi(X) @ phi(Z).T == pytest.approx(kernel)
        assert phi.kernel(X[0], Z[0]) == pytest.approx(kernel[0, 0])
        assert len(phi.terms) == math.comb(3 + degree - (coef0 == 0), degree)

    def test_work_checks_both_ways(self):
        work = polynomial_map(2, coef0=1).work([1, 2], [3, -4])
        assert (work["K(x, z)"].result, work["φ(x) · φ(z)"].result) == (16, pytest.approx(16))
        assert work.conclusion.startswith("The two agree")

    def test_xor_is_linear_in_it(self):
        """√2 x1 x2 alone tells the classes apart."""
        X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
        found = separators(polynomial_map(2)(X), [0, 1, 1, 0], {"product": ([0, -1, 0], 0)})
        assert found.margins["product"] == pytest.approx(2 * math.sqrt(2))

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: polynomial_map(2, degree=0), "degree must be a whole number of at least 1"),
            (lambda: polynomial_map([1, 2], [3, 4]), "degree must be a whole number"),
            (lambda: polynomial_map(2, coef0=-1), "coef0 >= 0, got gamma=1.0, coef0=-1"),
            (lambda: polynomial_map(50, degree=3), "has 23,426 terms"),
            (lambda: polynomial_map(2)([1, 2, 3]), "φ is of 2 columns, and these rows have 3"),
        ],
    )
    def test_refusals(self, call, message):
        with pytest.raises(ParameterError, match=message):
            call()


class TestSeparators:
    def test_by_hand(self):
        lines = {"middle": ([1, 0], -1), "steep": ([3, 1], -4), "flat": ([0, 1], -1)}
        found = separators(SQUARE, SIDES, lines)
        # 3 x + y - 4 at (0, 2) and (2, 0): ∓2 over √10
        assert found.margins == pytest.approx({"middle": 2, "steep": 4 / math.sqrt(10), "flat": -2})
        assert found.mistakes == {"middle": 0, "steep": 0, "flat": 2}
        assert found.nearest == {"middle": (0, 1, 2, 3), "steep": (1, 2), "flat": (1, 2)}
        assert found.best == "middle"
        assert found.work().conclusion == "The widest margin: middle, 2."

    def test_none_is_wider_than_that_of_support_vectors(self):
        model = SVC(C=math.inf, kernel="linear", scale=False, calibrate=None).fit(SQUARE, SIDES)
        own = separators(SQUARE, SIDES, {"own": (model.coef_[0], model.intercept_[0])})
        assert own.margins["own"] == pytest.approx(model.margin_[0], rel=1e-3)

    def test_no_line_separates(self):
        found = separators([[0.0], [1], [2]], ["a", "b", "a"], {"one": ([1], -0.5)})
        assert found.work().conclusion == "None of them separates a from b."

    @pytest.mark.parametrize(
        ("lines", "y", "message"),
        [
            ({"l": ([0, 0], 1)}, SIDES, "line 'l' needs 2 weights, not all 0"),
            ({}, SIDES, "at least one line is needed"),
            ({"l": ([1, 0], 1)}, [1, 2, 3, 4], "a line parts two classes"),
            ({"l": ([1, 0], 1)}, [1, 2], "one for each of the 2 labels"),
        ],
    )
    def test_refusals(self, lines, y, message):
        with pytest.raises(ParameterError, match=message):
            separators(SQUARE, y, lines)


def test_lines_between_the_rows_of_a_table():
    table = read({"x": [0.0, 4.0], "y": [1.0, 1.0], "side": ["left", "right"]})
    assert separators(table, "side", {"half": ([1, 0], -2)}).margins == {"half": 4.0}
    assert separators(table.drop("side"), ["left", "right"], {"half": ([1, 0], -2)}).margins == {"half": 4.0}


def test_lines_print_side_by_side():
    assert "middle  2.82843" in repr(
        separators([[1, 1], [4, 4], [2, 2]], list("aba"), {"middle": ([1, 1], -6)})
    )
