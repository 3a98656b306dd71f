"""Columns by formula, rules between columns, and columns left out, as steps."""

import numpy as np
import pytest

from openbook import open_model, read, save
from openbook.errors import RefusalError
from openbook.prepare import FormulaColumn, Prepared, RowRule, step
from openbook.tree import CART

PEOPLE = read({"weight": [80.0, 60.0, None], "height": [2.0, 1.5, 1.8], "sex": ["m", "f", "f"]})


def test_a_column_by_formula_stands_behind_the_others():
    out = step("formula bmi = weight / height^2").fit_transform(PEOPLE)
    assert out.names == ("weight", "height", "sex", "bmi")
    np.testing.assert_allclose(out["bmi"].data, [20, 60 / 2.25, np.nan])
    tall = step("formula tall = height > 1.7 or sex = f").fit_transform(PEOPLE)
    assert tall["tall"].tolist() == ["yes", "yes", "yes"]


def test_the_work_puts_the_cells_in():
    made = FormulaColumn("bmi = weight / height^2").fit(PEOPLE)
    bmi = made.work({"weight": 80.0, "height": 2.0, "sex": "m"})["bmi"]
    assert (bmi.numbers, bmi.result) == (r"\frac{80}{2^{2}}", 20.0)
    assert made.work({"weight": None, "height": 2.0})["bmi"].result == "missing"
    work = FormulaColumn("x = (weight - height) * 2 - -height").fit(PEOPLE).work()
    assert str(work).splitlines()[2].strip() == "x = (weight - height) · 2 - -height"


def test_formulas_and_rules_are_steps_of_a_model(tmp_path):
    y = ["no", "yes", "no"]
    steps = ["rule weight > 0 where sex = m", "formula bmi = weight / height^2", "drop weight height"]
    model = Prepared(CART(), steps).fit(PEOPLE, y)
    assert model.prepared(PEOPLE).names == ("sex", "bmi")
    again = open_model(save(model, tmp_path / "m.openbook"))
    np.testing.assert_array_equal(again.predict_proba(PEOPLE), model.predict_proba(PEOPLE))


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(RefusalError, match=r"finds no column 'wieght'. Did you mean 'weight'"):
        FormulaColumn("x = wieght * 2").fit(PEOPLE)
    with pytest.raises(RefusalError, match="leaves no row"):
        RowRule("height > 5").fit(PEOPLE)
