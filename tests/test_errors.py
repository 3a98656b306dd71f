"""Errors name what there is, in full."""

from openbook.errors import UnknownColumn, did_you_mean


def test_names_are_listed_in_full():
    names = [f"column_{i}" for i in range(40)]
    assert did_you_mean("zzz", names) == f"There are: {', '.join(names)}."
    assert "column_39" in str(UnknownColumn("zzz", names))


def test_a_near_name_is_enough():
    assert did_you_mean("colour", ["colour_1", "size"]) == "Did you mean 'colour_1'?"
