"""What comes to predict, in the columns and codes of training."""

import numpy as np
import pytest

from openbook.data import MISSING, UNSEEN, Nominal, Numeric, Schema, Text, read
from openbook.data.conform import conform
from openbook.errors import DataError

SCHEMA = Schema((Numeric("age"), Nominal("sex", ("f", "m"))))


def test_columns_are_matched_by_name_and_extra_ones_ignored():
    new = conform(read([{"zip": "x", "sex": "m", "age": 3.0}]), SCHEMA)
    assert new.schema == SCHEMA
    assert new.row(0) == {"age": 3.0, "sex": "m"}


def test_a_missing_column_is_named_with_its_nearest():
    with pytest.raises(DataError, match=r"column 'sex' is missing\. Did you mean 'sexe'\?"):
        conform(read([{"sexe": "m", "age": 3.0}]), SCHEMA)


def test_codes_follow_the_values_of_training():
    new = conform(read([{"age": 1, "sex": s} for s in ("m", None, "x", "f")]), SCHEMA)
    assert new.data("sex").tolist() == [1, MISSING, UNSEEN, 0]


def test_texts_become_numbers_where_training_had_them():
    table = read([{"age": "3", "sex": "f"}, {"age": "?", "sex": "f"}], kinds={"age": "nominal"})
    assert np.array_equal(conform(table, SCHEMA).data("age"), [3, np.nan], equal_nan=True)
    odd = read([{"age": "3", "sex": "f"}, {"age": "old", "sex": "f"}])
    with pytest.raises(DataError, match="column 'age' was numeric in training, but row 1 holds 'old'"):
        conform(odd, SCHEMA)


def test_numbers_in_place_of_words_are_refused_even_one_row_at_a_time():
    for rows in ([{"age": 1.0, "sex": 2.0}], [{"age": 1.0, "sex": 2.0}, {"age": 1.0, "sex": 3.0}]):
        with pytest.raises(
            DataError, match=r"column 'sex' was nominal in training .*but now contains numbers"
        ):
            conform(read(rows), SCHEMA)


def test_numbers_that_were_categories_are_categories():
    schema = Schema((Nominal("floor", ("1", "2", "3")),))
    new = conform(read(np.array([[2.0], [7.0], [np.nan]])), Schema(schema.attributes, named=False))
    assert new.data("floor").tolist() == [1, UNSEEN, MISSING]


def test_unnamed_columns_are_matched_by_position():
    unnamed = Schema((Numeric("x0"), Numeric("x1")), named=False)
    new = conform(read(np.array([[1.0, 2.0]])), unnamed)
    assert new.row(0) == {"x0": 1.0, "x1": 2.0}
    with pytest.raises(DataError, match="X has 3 features, but OneR is expecting 2 features as input"):
        conform(read(np.zeros((1, 3))), unnamed, "OneR")


def test_growing_appends_new_values():
    table = read([{"age": 1.0, "sex": s} for s in ("x", "m", "d")])
    grown = conform(table, SCHEMA, grow=True)
    assert grown.schema["sex"] == Nominal("sex", ("f", "m", "d", "x"))
    assert grown.column("sex").tolist() == ["x", "m", "d"]


def test_anything_can_be_text():
    new = conform(read([{"note": 3.0}, {"note": None}]), Schema((Text("note"),)))
    assert new.column("note").tolist() == ["3", None]


def test_the_hint_for_a_missing_column_names_none_that_the_model_has():
    """income_2 is nearest to income, but is another column of the model."""
    schema = Schema((Numeric("income"), Numeric("income_2")))
    rows = read([{"income_2": 1, "age": 3}])
    with pytest.raises(DataError, match=r"column 'income' is missing\. There are: income_2, age\.$"):
        conform(rows, schema)
    with pytest.raises(DataError, match=r"column 'income' is missing\. Did you mean 'incomes'\?$"):
        conform(read([{"income_2": 1, "incomes": 3}]), schema)
