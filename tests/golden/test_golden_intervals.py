"""The interval of an error rate, digit by digit."""

import pytest

from openbook.judge import wald, wilson


def test_the_error_interval(golden):
    record = golden("error_interval.own_1")
    n, level = record["data"]["n"], record["data"]["confidence"]
    wrong, expected = record["data"]["error"] * n, record["expected"]
    plain, score = wald(wrong, n, level), wilson(wrong, n, level)
    assert (plain.low, plain.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-15)
    wilsons = expected["wilson_low"], expected["wilson_high"]
    assert (score.low, score.high) == pytest.approx(wilsons, abs=1e-15)
    work = plain.work()
    for label, key in {"z": "z", "se": "standard_error", "h": "half_width"}.items():
        assert work[label].result == pytest.approx(expected[key], abs=1e-14), key
