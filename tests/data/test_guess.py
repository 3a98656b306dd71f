"""The rules for the kinds, and the reasons they give."""

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Text, read
from openbook.errors import DataError


def guessed(*cells):
    table = read([{"c": cell} for cell in cells])
    return table.schema["c"], table.why["c"], table.data("c")


def test_numbers_as_texts():
    attribute, why, data = guessed("1", " 2.5 ", "?", "1e3", "-.5")
    assert attribute == Numeric("c")
    assert why == "every known cell is a number"
    np.testing.assert_array_equal(data, [1, 2.5, np.nan, 1000, -0.5])


@pytest.mark.parametrize("cell", ["1_000", "0x10", "1 2", "12A", "--1", "١", "1e", "."])
def test_what_is_not_a_number(cell):
    assert guessed(cell)[0] == Nominal("c", (cell,))


@pytest.mark.parametrize("mark", [".", "-", "n/a", "#N/A", "Unknown"])
def test_marks_of_no_number_are_missing_among_numbers_and_dates(mark):
    for cells, kind in ((["12", mark, "6.5"], "numeric"), (["1949-02", mark, "1950-11"], "datetime")):
        table = read([{"c": cell} for cell in cells])
        assert table.schema["c"].kind == kind
        assert table["c"].missing.tolist() == [False, True, False]
        assert table.notes == (f"c: {mark!r} (1 cell) is read as missing",)
    for others in (["a", "b"], ["007", "008"], ["+"]):  # values like others
        assert mark in guessed(mark, *others)[0].values
    kept = read([{"c": "1"}, {"c": mark}], missing=["?"])
    assert kept.schema["c"].kind == "nominal"


def test_a_model_reads_marks_of_no_number_in_new_rows():
    from openbook.linear import LinearRegression

    model = LinearRegression().fit([{"x": 1, "y": 1.0}, {"x": 2, "y": 2.0}, {"x": 4, "y": 4.0}], "y")
    assert model.predict([{"x": "."}, {"x": "3"}]).round(6).tolist() == [2.333333, 3.0]


def test_none_is_counted_among_the_values_where_it_is_one():
    assert guessed(*["None", "hip", "gable"] * 20)[1] == "words: 3 distinct values"


def test_decimal_commas():
    attribute, why, data = guessed("3,14", "2", "-0,5", "NA")
    assert attribute == Numeric("c", decimal=",")
    assert why == "every known cell is a number (decimal comma), such as '-0,5' = -0.5"
    np.testing.assert_array_equal(data, [3.14, 2, -0.5, np.nan])


def test_a_comma_before_three_digits_may_mean_thousands():
    attribute, why, _ = guessed("1,234", "56,789")
    assert attribute.kind == "nominal"
    assert why.startswith("in '1,234' the comma may mean decimals or thousands; read with decimal=','")
    with pytest.raises(DataError, match="column 'c' can be read in two ways: in '1,234' the comma may mean"):
        read([{"c": "1,234"}], kinds={"c": "numeric"})
    for marks, number in (({"decimal": ","}, 1.234), ({"thousands": ","}, 1234.0)):
        assert read([{"c": "1,234"}], **marks).data("c").tolist() == [number]
    assert guessed("0,125")[0].kind == "numeric"  # no thousands begin with 0
    assert guessed("1,234", "1,5")[0].kind == "numeric"


def test_points_and_commas_mixed_are_not_numbers():
    assert guessed("1.5", "1,5")[0].kind == "nominal"


def test_codes_keep_their_zeros():
    attribute, why, data = guessed("01234", "99999", "00501")
    assert attribute == Nominal("c", ("00501", "01234", "99999"))
    assert why == "codes such as '00501' start with a zero, which a number would lose"
    assert data.tolist() == [1, 2, 0]
    assert guessed("0", "0.5", "-05")[0].kind == "numeric"


def test_numbers_with_a_few_odd_cells():
    attribute, why, _ = guessed(*map(str, range(17)), "abc", "3", "x")
    assert attribute.kind == "nominal"
    assert why == (
        "2 of 20 cells are not numbers, first 'abc' in row 17;"
        " if that means missing, read with missing=[…, 'abc']"
    )
    assert guessed("1", "2", "x")[1].startswith("1 of 3 cells is not a number, first 'x' in row 2")


def test_words():
    attribute, why, data = guessed("sunny", "rain", None, "Rain", "rain ")
    assert attribute == Nominal("c", ("Rain", "rain", "sunny"))
    assert why == "words: 3 distinct values"
    assert data.tolist() == [2, 1, -1, 0, 1]


def test_booleans_are_spelled_alike():
    assert guessed("True", "FALSE", "true")[:2] == (Nominal("c", ("false", "true")), "true or false")
    assert guessed(True, None)[:2] == (Nominal("c", ("false", "true")), "true or false")
    assert guessed("TRUE", "unknown")[0].values == ("true", "unknown")


def test_nothing_known():
    attribute, why, data = guessed(None, "", "?")
    assert attribute == Numeric("c")
    assert why == "no known cell; assumed to be numeric"
    assert np.isnan(data).all()


def test_free_text():
    sentences = [f"the patient came back on day {i} with a cough" for i in range(4)]
    attribute, why, data = guessed(*sentences, None)
    assert attribute == Text("c")
    assert why == "free text: 10 words on average, and most cells differ"
    assert data.tolist() == [*sentences, None]
    assert guessed(*[sentences[0]] * 9)[0].kind == "nominal"  # the same again and again


def test_of_scripts_without_spaces_pairs_of_characters_count_as_words():
    why = "free text: 5 words on average, and most cells differ"
    assert guessed("今天天气很好", "明天也许下雨")[:2] == (Text("c"), why)  # six characters, five pairs
    assert guessed("红", "蓝色", "红")[0] == Nominal("c", ("红", "蓝色"))


def test_unlike_texts_whose_words_recur_are_free_text():
    """Names with titles say something by their words; names of rows do not."""
    named = [f"Person{i}, {('Mr.', 'Mrs.', 'Mr.')[i % 3]} X{i}" for i in range(30)]  # 20 Mr. and 10 Mrs.
    told = "free text: nearly all cells differ, but their words recur, as 'Mr.' does"
    assert guessed(*named)[:2] == (Text("c"), told)
    assert guessed(*named, *named[:2])[0].kind == "nominal"  # 30 of 32 differ
    assert guessed(*[f"sample {i}" for i in range(30)])[0].kind == "nominal"  # a word that all have
    assert guessed(*named[:14])[0].kind == "nominal"  # no word in ten of them, but for Mr. in 10 of 14
    few = [*(f"a{i} Ltd" for i in range(10)), *(f"b{i} c{i}" for i in range(11))]
    assert guessed(*few)[0].kind == "nominal"  # 10 of 21 have the word


def test_one_long_cell_is_enough():
    assert guessed("x" * 200, "y")[0].kind == "nominal"
    assert guessed("x" * 201, "y")[:2] == (Text("c"), "free text: a cell has 201 characters")


def test_too_many_values(monkeypatch):
    monkeypatch.setattr("openbook.data.guess.MOST_VALUES", 3)
    assert guessed("a", "b", "c")[0].kind == "nominal"
    assert guessed("a", "b", "c", "d")[:2] == (Text("c"), "free text: more than 3 distinct texts")
    assert guessed("1", "2", "3", "4")[0].kind == "numeric"
    assert guessed("01", "02", "03", "04")[0].kind == "text"
    assert read([{"c": v} for v in "abcd"], kinds={"c": "nominal"}).schema["c"].values == ("a", "b", "c", "d")


def test_values_are_sorted_by_number_if_all_are():
    assert read([{"c": v} for v in ("10", "9", "1")], kinds="nominal").schema["c"].values == ("1", "9", "10")
    assert read([{"c": v} for v in ("10", "9", "b")], kinds="nominal").schema["c"].values == ("10", "9", "b")
