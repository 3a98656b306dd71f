"""The worked examples of outliers, digit by digit."""

import numpy as np
import pytest

from openbook.outlier import (
    BoxFences,
    Grubbs,
    InverseDensity,
    LocalOutlierFactor,
    NeighbourDistance,
    RelativeDensity,
    ZScore,
)
from openbook.outlier.grubbs import grubbs_critical


def column(record):
    return np.array(record["data"]["x"])[:, None]


def test_temperatures_by_deviations(golden):
    record = golden("outliers.temperatures")
    X, expected = column(record), record["expected"]
    most = [[expected["most_extreme"]]]
    mle, sample = (ZScore(variance).fit(X) for variance in ("mle", "sample"))
    assert mle.mean_[0] == pytest.approx(expected["mean"], rel=1e-14)
    assert mle.deviation_[0] == pytest.approx(expected["sigma_mle"], rel=1e-13)
    assert mle.deviation_[0] ** 2 == pytest.approx(expected["variance_mle"], rel=1e-13)
    assert sample.deviation_[0] == pytest.approx(expected["sigma_sample"], rel=1e-13)
    assert mle.oddness(most)[0] == pytest.approx(-expected["z_mle"], rel=1e-13)
    assert sample.oddness(most)[0] == pytest.approx(-expected["z_sample"], rel=1e-13)
    assert bool(mle.predict(most)[0] == -1) is expected["beyond_3_sigma_mle"]
    assert mle.oddness(X).max() < expected["max_possible_abs_z_mle"]
    assert X[mle.oddness(X).argmax(), 0] == expected["most_extreme"]


def test_temperatures_by_grubbs(golden):
    record = golden("outliers.temperatures")
    X, expected = column(record), record["expected"]
    model = Grubbs(repeat=False).fit(X)
    assert model.critical_[0] == pytest.approx(expected["grubbs_critical_05_two_sided"], rel=1e-12)
    assert grubbs_critical(expected["n"]) == model.critical_[0]
    statistic = model.oddness([[expected["most_extreme"]]])[0] * model.critical_[0]
    assert statistic == pytest.approx(expected["grubbs_g"], rel=1e-13)
    assert bool(model.predict(X)[0] == -1) is expected["grubbs_rejects"]
    assert model.rejected_ == ((expected["most_extreme"],),)


@pytest.mark.parametrize(("quartiles", "key"), [("linear", "linear"), ("halves", "halves_without_median")])
def test_temperatures_in_a_box(golden, quartiles, key):
    record = golden("outliers.temperatures_boxplot")
    X, expected = column(record), record["expected"][key]
    model = BoxFences(quartiles).fit(X)
    found = [model.q1_[0], model.q3_[0], model.iqr_[0], *model.fences_[0]]
    names = ("q1", "q3", "iqr", "low_fence", "high_fence")
    assert found == pytest.approx([expected[name] for name in names], rel=1e-13)
    assert X[model.predict(X) == -1, 0].tolist() == expected["outliers"]


def test_seven_points(golden):
    record = golden("outliers.own_density_7")
    X, expected = np.array(record["data"]["points"]), record["expected"]
    own = {"n_neighbors": record["data"]["k"], "scale": False}
    kth, inverse, relative, lof = (
        detector(**own).fit(X)
        for detector in (NeighbourDistance, InverseDensity, RelativeDensity, LocalOutlierFactor)
    )
    assert lof.kneighbors(X)[1].tolist() == expected["neighbours"]
    assert kth.oddness(X) == pytest.approx(expected["kth_distance"], rel=1e-14)
    assert inverse.density(X) == pytest.approx(expected["density"], rel=1e-14)
    assert relative.relative_density(X) == pytest.approx(expected["relative_density"], rel=1e-14)
    assert lof.lrd_ == pytest.approx(expected["lrd"], rel=1e-14)
    assert lof.oddness(X) == pytest.approx(expected["lof"], rel=1e-14)
    assert lof.scores_ == pytest.approx(expected["lof"], rel=1e-14)
    assert kth.scores_.argmax() == expected["top_by_kth_distance"]
    assert lof.scores_.argmax() == expected["top_by_lof"]
    assert relative.relative_density(X).argmin() == expected["lowest_relative_density"]
