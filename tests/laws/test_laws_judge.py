"""Laws of judging: adjusted p-values, paired rows, rows that are locked away."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openbook.judge import holm, lock_away, mcnemar


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_a_p_value_and_keeps_the_order(p):
    adjusted = holm(p)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_mcnemar_is_symmetric_and_its_interval_holds_the_difference(pairs):
    a, b = np.array(pairs).T
    assert mcnemar(a, b) == mcnemar(b, a).negated()
    assert mcnemar(a, a).p_value == 1
    assert 0 <= mcnemar(a, b).p_value <= 1


@given(
    st.lists(st.integers(0, 6), min_size=50, max_size=300),
    st.integers(0, 99),
    st.sampled_from([0.1, 0.2, 0.25]),
)
def test_what_is_locked_away_and_the_rest_are_all_rows_and_every_class_trains(y, seed, share):
    y = np.array(y)
    rest, locked = lock_away(None, y, share=share, random_state=seed)
    assert np.array_equal(np.sort(np.concatenate([rest, locked])), np.arange(len(y)))
    assert set(y[rest]) == set(y)
    for label, rows in zip(*np.unique(y, return_counts=True), strict=True):
        assert abs((y[locked] == label).sum() - share * rows) <= 1
