"""What is found in the bytes of a delimited file; expected values are counted by hand."""

import numpy as np
import pytest

from openbook.data import lines


def content(text):
    return np.frombuffer(text.encode(), np.uint8)


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ("1,2\n3,4\n", ",", set()),
        ("1,02\n3,4\n", ",", {1}),
        ("007,2\n3,4\n", ",", {0}),
        ("1,2\n03,4\n5,06", ",", {0, 1}),
        ("1,0.5\n0,0\n10,100\n", ",", set()),
        ("1;2;3\n4;05;6\n", ";", {1}),
        ("1\t2\t03\r\n", "\t", {2}),
        ("1|2\n3|04\n", "|", {1}),
        ('"a,b",2,03\n', ",", {2}),
        ('"two\nlines",02,3\n', ",", {1}),
        ('x,"07"\n', ",", {1}),
        ("x, 07\n", ",", {1}),
        ("0", ",", set()),
        ("", ",", set()),
    ],
)
def test_columns_of_codes(text, separator, expected):
    assert lines.columns_of_codes(content(text), separator) == expected


def test_the_header_is_not_looked_at():
    assert lines.columns_of_codes(content("01,02\n3,04\n"), ",", start=6) == {1}


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_blocks_may_end_anywhere(monkeypatch, block):
    monkeypatch.setattr(lines, "_BLOCK", block)
    data = content('a,b,c\n"x,\ny",2,03\n4,05,6\n')
    assert lines.columns_of_codes(data, ",") == {1, 2}
    assert lines.count_separators(data, ",") == 6
    assert [int(end) for ends, _ in lines.records(data, ",") for end in ends] == [5, 17, 24]


def test_separators_in_quotes_do_not_count():
    data = content('a,b\n"x,y",2\n')
    assert lines.count_separators(data, ",") == 2
