"""Rows far outside the training data: by hand, kept in the model file, and told by `openbook predict`."""

import json
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

import openbook as ob
from openbook.baseline import OneR
from openbook.cli.main import app
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.data.limits import far_outside, limits_of
from openbook.errors import ModelFileError

SCHEMA = Schema((Numeric("income"), Nominal("city", ("Bonn", "Köln"))))
TRAINING = Table(SCHEMA, [np.arange(101.0), np.zeros(101, dtype=SCHEMA["city"].dtype)])


def rows(incomes, cities):
    city = Nominal("city", tuple(dict.fromkeys(cities)))
    codes = np.array([city.values.index(name) for name in cities], dtype=city.dtype)
    return Table(Schema((Numeric("income"), city)), [np.array(incomes, dtype=float), codes])


def test_limits_by_hand():
    """Of 0, 1, …, 100: quantiles 5, 50 and 95, so far is below 5 - 3 · 45 and above 95 + 3 · 45."""
    assert limits_of(TRAINING) == {"income": (0.0, 100.0, -130.0, 230.0)}


def test_rows_far_outside_are_named_with_their_cells():
    limits = limits_of(TRAINING)
    new = rows([50, 9_999_999, 230, np.nan, 10], ["Bonn", "Köln", "Bonn", "Bonn", "Mainz"])
    assert far_outside([new], SCHEMA, limits) == (
        "2 rows lie far outside the training data: row 1 (income 9,999,999; trained on 0 to 100);"
        " row 4 (city 'Mainz' is new)"
    )
    assert far_outside([TRAINING], SCHEMA, limits) == ""
    many = rows([1e6] * 5, ["Bonn"] * 5)
    assert far_outside([many], SCHEMA, limits).endswith("; and 2 more rows")
    assert far_outside([many.head(2), many.take(slice(2, None))], SCHEMA, limits) == far_outside(
        [many], SCHEMA, limits
    )


@pytest.fixture
def model(tmp_path):
    y = np.where(np.arange(101) < 50, "no", "yes")
    return ob.save(OneR().fit(TRAINING, y), tmp_path / "m.openbook", TRAINING)


def test_the_model_file_keeps_the_limits(model, tmp_path):
    opened = ob.open_model(model)
    assert opened.training_limits_ == limits_of(TRAINING)
    assert ob.open_model(ob.save(opened, tmp_path / "again.openbook")).training_limits_ == limits_of(TRAINING)


def test_files_without_limits_open_and_bad_limits_are_refused(model, tmp_path):
    for change, message in ((None, ""), ({"income": [3, 2, 1, 0]}, "limits must be in order")):
        other = tmp_path / "other.openbook"
        with zipfile.ZipFile(model) as old, zipfile.ZipFile(other, "w") as new:
            for info in old.infolist():
                data = old.read(info)
                if info.filename == "model.json":
                    record = json.loads(data)
                    del record["limits"]
                    data = json.dumps(record if change is None else {**record, "limits": change})
                new.writestr(info, data)
        if change is None:
            assert not hasattr(ob.open_model(other), "training_limits_")
        else:
            with pytest.raises(ModelFileError, match=message):
                ob.open_model(other)


def test_predict_warns_on_standard_error(model, tmp_path):
    (tmp_path / "new.csv").write_text("income,city\n7,Bonn\n5000,Bonn\n8,Mainz\n")
    result = CliRunner().invoke(app, ["predict", str(model), str(tmp_path / "new.csv")])
    assert result.exit_code == 0, result.stderr
    assert (
        "warning: 2 rows lie far outside the training data: row 1 (income 5000; trained on 0 to 100); row 2"
        in " ".join(result.stderr.split())
    )
    assert result.stdout.startswith("income,city,prediction\n")


def test_a_new_value_is_ordinary_where_rare_values_are_pooled():
    """It counts as one of the others, which the model knows."""
    pooled = Schema((SCHEMA["income"], Nominal("city", ("Bonn", "other values"), "other values")))
    new = rows([50, 9_999_999], ["Mainz", "Mainz"])
    assert far_outside([new], pooled, limits_of(TRAINING)) == (
        "1 row lies far outside the training data: row 1 (income 9,999,999; trained on 0 to 100)"
    )
