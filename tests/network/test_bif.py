"""BIF files: there and back, and hostile ones."""

import pytest

from openbook.errors import DataError
from openbook.network import heart_disease, random_network, read_bif, write_bif

GOOD = """// a comment
network "unknown" { property version 1.0; }
variable a { type discrete [ 2 ] { yes, no }; property x = y; }
variable b { type discrete [ 3 ] { u, v, w }; }
probability ( a ) { table 0.2, 0.8; }
probability ( b | a ) { (yes) 0.1, 0.2, 0.7; default 0.3, 0.3, 0.4; }
"""


def read(words, tmp_path):
    file = tmp_path / "net.bif"
    file.write_text(words, encoding="utf-8")
    return read_bif(file)


def test_a_file_is_read(tmp_path):
    network = read(GOOD, tmp_path)
    assert network.tables_["a"].tolist() == [0.2, 0.8]
    assert network.tables_["b"].tolist() == [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]


def test_tables_may_stand_before_variables_and_names_may_be_signs(tmp_path):
    signs = """probability ( ";" | "{" ) { ("}") 0.1, 0.9; ("|") 0.2, 0.8; }
    probability ( "{" ) { table 0.25, 0.75; } /* a comment */
    variable ";" { type discrete [ 2 ] { "a b", "" }; }
    variable "{" { type discrete { "}" "|" }; }"""
    network = read(signs, tmp_path)
    assert network.parents(";") == ("{",)
    assert network.query(";", given={"{": "|"})["a b"] == 0.2
    again = read_bif(write_bif(network, tmp_path / "again.bif"))
    assert again.tables_[";"].tolist() == [[0.1, 0.9], [0.2, 0.8]]


@pytest.mark.parametrize(
    "network", [heart_disease(), random_network(9, max_parents=3)], ids=["names with spaces", "random"]
)
def test_there_and_back(network, tmp_path):
    again = read_bif(write_bif(network, tmp_path / "net.bif"))
    assert again.graph_.parents == network.graph_.parents
    for name, table in network.tables_.items():
        assert again.tables_[name] == pytest.approx(table, rel=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0.2, 0.8;", "0.2, x;"), "line 5: a probability is a number from 0 to 1, got 'x'"),
        (("0.2, 0.8;", "0_0.2, 0.8;"), "line 5: a probability is a number from 0 to 1, got '0_0.2'"),
        (("0.2, 0.8;", "0.2;"), "line 5: expected 2 probabilities, got 1"),
        (("0.2, 0.8;", "0.2, 0.9;"), "'a': its probabilities sum to 1.1"),
        (("(yes)", "(maybe)"), "line 6: 'a' has no value 'maybe'"),
        (("b | a", "b | z"), "line 6: variable 'z' is not declared"),
        (("( a ) { table 0.2, 0.8; }", "( a | b ) { default 0.2, 0.8; }"), "circle"),
        (("variable b", "variable a"), "line 4: variable 'a' is declared twice"),
        (("default 0.3, 0.3, 0.4;", ""), "some values of the parents have no probabilities"),
        (("default 0.3", "(no) nan"), "line 6: a probability is a number from 0 to 1, got 'nan'"),
        (("default 0.3", "(no) 1e999"), "line 6: a probability is a number from 0 to 1, got '1e999'"),
        (("table 0.2, 0.8", "table -0.2, 1.2"), "line 5: a probability is a number from 0 to 1, got '-0.2'"),
        (
            ("discrete [ 2 ] { yes, no };", "continuous;"),
            "line 3: .* is 'continuous', not discrete",
        ),
        (("[ 2 ]", f"[ {'9' * 900} ]"), "variable 'a' has 2 values, but says 99999999999999999999$"),
        (("yes, no", "yes, yes"), "line 3: variable 'a' lists a value twice"),
        (("variable b", "variable {"), "line 4: expected a name, got '{'"),
        (("variable b", f"variable {'b' * 2000}"), "line 4: a name has more than 1,000 letters"),
        (("variable b", "/* " * 50_000), "line 4: cannot read .* a comment or a quotation does not end"),
        (("[ 2 ]", "[ 3 ]"), "variable 'a' has 2 values, but says 3"),
        (("probability ( b | a )", "probability ( a )"), "the probabilities of 'a' are given twice"),
        (
            ("0.2, 0.8;", "0.2, 0.8; table 0.3, 0.7;"),
            "line 5: the probabilities of these values are given twice",
        ),
        (("default 0.3, 0.3, 0.4; }", ""), "the file ends in the middle of a block"),
        (("probability ( a )", "likelihood ( a )"), "expected network, variable or probability"),
    ],
)
def test_a_bad_file_is_refused_by_its_line(change, message, tmp_path):
    with pytest.raises(DataError, match=message):
        read(GOOD.replace(*change), tmp_path)


def test_a_small_file_cannot_ask_for_a_large_table(tmp_path):
    values = ", ".join(f"v{i}" for i in range(2000))
    nodes = "".join(f"variable n{i} {{ type discrete [ 2000 ] {{ {values} }}; }}\n" for i in range(4))
    with pytest.raises(DataError, match="the table of 'n0' would have 16,000,000,000,000 numbers"):
        read(nodes + "probability ( n0 | n1, n2, n3 ) { }", tmp_path)
    nodes = "".join(f"variable n{i} {{ type discrete [ 1 ] {{ v }}; }}\n" for i in range(70))
    with pytest.raises(DataError, match="line 71: with 69 parents"):
        read(nodes + f"probability ( {', '.join(f'n{i}' for i in range(70))} ) {{ table 1; }}", tmp_path)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "zip.bif").write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(DataError, match="not a text file"):
        read_bif(tmp_path / "zip.bif")
    with pytest.raises(DataError, match="no variable is declared"):
        read("", tmp_path)
    with pytest.raises(DataError, match="No such file"):
        read_bif(tmp_path / "nowhere.bif")


@pytest.mark.parametrize("cut", range(15, len(GOOD) - 10, 17))
def test_a_cut_file_gives_one_error(cut, tmp_path):
    with pytest.raises(DataError, match=r"\A[^\n]+\Z"):
        read(GOOD[:cut], tmp_path)
