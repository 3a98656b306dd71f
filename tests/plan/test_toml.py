"""What the writer writes, the standard library's reader reads."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.errors import PlanError
from openbook.plan.toml import to_toml

# TOML cannot hold half a surrogate pair, and NaN is not equal to itself.
texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = texts | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8)


@given(st.dictionaries(texts, values, max_size=6))
def test_reading_gives_back_what_was_written(document):
    assert tomllib.loads(to_toml(document)) == document


def test_every_kind_of_value_is_spelt_as_toml_spells_it():
    written = to_toml(
        {"a b": 'say "hi"\n', "n": 1, "x": 0.5, "on": True, "t": {"list": [1, 2], "v": {"type": "Laplace"}}}
    )
    assert written == (
        '"a b" = "say \\"hi\\"\\n"\nn = 1\nx = 0.5\non = true\n\n'
        '[t]\nlist = [1, 2]\nv = { type = "Laplace" }\n'
    )


def test_none_is_left_out():
    assert to_toml({"a": None, "b": 1, "c": {"d": None}}) == "b = 1\n\n[c]\n"


def test_nan_survives():
    assert math.isnan(tomllib.loads(to_toml({"x": math.nan}))["x"])


def test_what_toml_cannot_hold_is_refused_by_name():
    with pytest.raises(PlanError, match=r"priors: .* cannot be written to a plan"):
        to_toml({"priors": object()})
    with pytest.raises(PlanError, match=r"half a character \(U\+D800\)"):
        to_toml({"name": "\ud800"})
