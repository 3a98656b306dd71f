"""The work of Grubbs' test shows the test that rejected, and survives the model file."""

import numpy as np
import pytest

import openbook as ob
from openbook.outlier import Grubbs

TEMPERATURES = [24.0, 28.9, 28.9, 29.0, 29.1, 29.1, 29.2, 29.2, 29.3, 29.4]


def test_the_test_that_rejected_is_shown():
    """n = 10, m = 28.61, G = |24 - m| / s = 2.8 above the critical 2.29 of Grubbs' table for ten numbers."""
    model = Grubbs().fit(np.array(TEMPERATURES)[:, None])
    ((test,),) = model.tests_
    mean, deviation = np.mean(TEMPERATURES), np.std(TEMPERATURES, ddof=1)
    assert test[:4] == pytest.approx((10, mean, deviation, 24.0))
    assert test[4] == pytest.approx((mean - 24) / deviation)
    assert test[5] == pytest.approx(2.29, abs=0.001)
    text = model.work().text()
    assert "tests that rejected" in text
    line = next(line for line in text.splitlines() if line.split()[:2] == ["x0", "10"])
    assert "28.61" in line


def test_where_nothing_was_rejected_no_test_is_shown(tmp_path):
    model = Grubbs().fit(np.array(TEMPERATURES[1:])[:, None])
    assert model.tests_ == ((),)
    assert "tests that rejected" not in model.work().text()
    assert ob.open_model(ob.save(model, tmp_path / "g.openbook")).tests_ == ((),)


def test_the_tests_are_in_the_model_file(tmp_path):
    x = np.column_stack([TEMPERATURES, TEMPERATURES[::-1], np.arange(10.0)])
    model = Grubbs().fit(x)
    assert ob.open_model(ob.save(model, tmp_path / "g.openbook")).tests_ == model.tests_
