"""Frequent itemsets: by hand, against every subset counted, from every form of data, and what is refused."""

from itertools import chain, combinations

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from openbook import load, read
from openbook.associate import Transactions, frequent_itemsets
from openbook.associate.apriori import levels
from openbook.errors import DataError, ParameterError

# The market baskets of Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining.
BASKETS = [
    ["bread", "milk"],
    ["bread", "diapers", "beer", "eggs"],
    ["milk", "diapers", "beer", "cola"],
    ["bread", "milk", "diapers", "beer"],
    ["bread", "milk", "diapers", "cola"],
]


def found(itemsets):
    return {frozenset(each.items): each.count for each in itemsets}


def counted(baskets, least, longest=None):
    """Every set of items, counted."""
    sets = [frozenset(basket) for basket in baskets]
    items = sorted(set(chain.from_iterable(sets)))
    counts = {
        frozenset(some): sum(each.issuperset(some) for each in sets)
        for k in range(1, (longest or len(items)) + 1)
        for some in combinations(items, k)
    }
    return {some: count for some, count in counts.items() if count >= least}


@pytest.mark.parametrize("algorithm", ["bitset", "apriori", "fp_growth"])
def test_market_baskets_by_hand(algorithm):
    itemsets = frequent_itemsets(BASKETS, min_support=0.6, algorithm=algorithm)
    assert found(itemsets) == {
        frozenset({"bread"}): 4,
        frozenset({"milk"}): 4,
        frozenset({"diapers"}): 4,
        frozenset({"beer"}): 3,
        frozenset({"bread", "milk"}): 3,
        frozenset({"bread", "diapers"}): 3,
        frozenset({"milk", "diapers"}): 3,
        frozenset({"beer", "diapers"}): 3,
    }
    assert itemsets[0].items == ("bread",)  # the most frequent, of equals the first
    assert itemsets[0].support == 0.8
    assert itemsets.support("diapers", "beer") == 0.6
    assert np.isnan(itemsets.support("beer", "milk"))


def test_apriori_shows_its_levels():
    work = frequent_itemsets(BASKETS, min_support=0.6).work()
    first, second, third = work.parts
    assert [row[:2] for row in first.rows] == [
        ("beer", 3), ("bread", 4), ("cola", 2), ("diapers", 4), ("eggs", 1), ("milk", 4)
    ]  # fmt: skip
    assert len(second.rows) == 6  # pairs of the four frequent items
    # only bread's two pairs share their first item; two baskets hold what they make
    assert third.rows == (("bread and diapers and milk", 2, 0.4, "no"),)
    assert third.note == "0 of 1 candidate frequent."
    assert work.conclusion == "8 sets of items in at least 3 of 5 transactions."


def test_apriori_counts_no_set_with_an_infrequent_part():
    a, b, c = 0, 1, 2
    baskets = [frozenset(each) for each in ((a, b), (a, b), (a, c), (a, c), (b,), (c,))]
    first, second, third = levels(baskets, 3, least=2)
    assert first.frequent == {(a,): 4, (b,): 3, (c,): 3}
    assert second.counts == {(a, b): 2, (a, c): 2, (b, c): 0}
    assert third.counts == {}
    assert third.pruned == ((a, b, c),)  # since b and c are never together


BASKET_LISTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(BASKET_LISTS, st.integers(1, 8), st.sampled_from([None, 1, 2, 3]))
def test_all_algorithms_find_what_counting_every_set_finds(baskets, least, longest):
    support = min(1.0, least / len(baskets))
    least = max(1, round(support * len(baskets)))
    expected = counted(baskets, least, longest)
    for algorithm in ("bitset", "apriori", "fp_growth"):
        itemsets = frequent_itemsets(baskets, support, max_length=longest, algorithm=algorithm)
        assert found(itemsets) == expected
        counts = itemsets.counts.tolist()
        assert counts == sorted(counts, reverse=True)


def test_many_rows_need_many_words_of_bits():
    rng = np.random.default_rng(0)
    matrix = rng.random((1_000, 12)) < np.linspace(0.3, 0.9, 12)
    itemsets = frequent_itemsets(matrix, min_support=0.2)
    for each in itemsets:
        columns = [int(name[1:]) for name in each.items]
        assert each.count == matrix[:, columns].all(axis=1).sum()
    by_levels = frequent_itemsets(matrix, min_support=0.2, algorithm="apriori")
    assert by_levels.codes == itemsets.codes


def test_any_number_of_workers_finds_the_same():
    matrix = np.random.default_rng(1).random((500, 20)) < 0.4
    one = frequent_itemsets(matrix, 0.05)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        three = frequent_itemsets(matrix, 0.05)
    assert one.codes == three.codes
    assert (one.counts == three.counts).all()


def test_the_same_baskets_in_every_form():
    names = ["beer", "bread", "cola", "diapers", "eggs", "milk"]
    matrix = np.array([[name in basket for name in names] for basket in BASKETS])
    expected = found(frequent_itemsets(BASKETS, 0.4))
    assert len(expected) > 8
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for data in (
        [tuple(basket) for basket in BASKETS],
        [{*basket} for basket in BASKETS],
        [[*basket, "bread"] if "bread" in basket else basket for basket in BASKETS],
        pandas.DataFrame(matrix, columns=names),
        polars.DataFrame(matrix, schema=names),
    ):
        assert found(frequent_itemsets(data, 0.4)) == expected
    for data in (matrix, matrix.astype(int), csr_array(matrix.astype(float))):
        assert found(frequent_itemsets(data, 0.4, names=names)) == expected
        assert frequent_itemsets(data, 0.4)[0].items == ("x1",)


def test_a_table_of_categories():
    itemsets = frequent_itemsets(load("weather"), min_support=2 / 14)
    assert itemsets.support("play = Yes") == 9 / 14
    assert itemsets.support("outlook = sunny", "humidity = high", "play = No") == 3 / 14
    assert itemsets.support("windy = false") == 8 / 14  # both values of a yes or no count among others


def test_a_missing_cell_holds_no_item():
    table = read([{"a": "x", "b": "u"}, {"a": None, "b": "u"}, {"a": "x", "b": None}, {"a": "y", "b": "u"}])
    itemsets = frequent_itemsets(table, 0.25)
    assert found(itemsets) == {
        frozenset({"a = x"}): 2,
        frozenset({"a = y"}): 1,
        frozenset({"b = u"}): 3,
        frozenset({"a = x", "b = u"}): 1,
        frozenset({"a = y", "b = u"}): 1,
    }


def test_numbers_are_cut_into_intervals_of_about_equal_rows():
    table = read([{"x": float(i), "y": "odd" if i % 2 else "even"} for i in range(9)])
    names = Transactions.of(table).names
    assert names == ("x <= 2.5", "x in (2.5, 5.5]", "x > 5.5", "y = even", "y = odd")
    assert frequent_itemsets(table, 0.3).support("x in (2.5, 5.5]") == 3 / 9
    assert frequent_itemsets(table, 0.3, bins=2).support("x <= 4.5") == 5 / 9


def test_shares_that_are_whole_numbers_of_rows():
    rows = [["a"]] * 29 + [["b"]] * 71
    assert frequent_itemsets(rows, 0.29).support("a") == 0.29  # 0.29 * 100 is a hair above 29
    assert frequent_itemsets([["a"], ["b"]], 1e-9).counts.tolist() == [1, 1]
    assert len(frequent_itemsets([["a"], ["b"]], 0.6)) == 0


def test_an_explosion_is_stopped():
    rows = [[str(i) for i in range(30)]] * 4
    message = r"more than 1,000 itemsets are in 4 of 4 transactions or more; raise min_support above 1"
    for algorithm, longest in (("bitset", None), ("apriori", 3)):
        with pytest.raises(ParameterError, match=message):
            frequent_itemsets(rows, 1.0, most=1000, algorithm=algorithm, max_length=longest)
    assert len(frequent_itemsets(rows, 1.0, most=465, max_length=2)) == 465  # just enough


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 0}, "min_support must be .* above 0"),
        ({"min_support": 1.5}, "min_support must be .* at most 1"),
        ({"max_length": 0}, "max_length must be a whole number"),
        ({"algorithm": "fp"}, "algorithm must be .*bitset"),
        ({"bins": 1}, "bins must be at least 2, got 1"),
    ],
)
def test_parameters_are_checked(options, message):
    with pytest.raises(ParameterError, match=message):
        frequent_itemsets(load("weather"), **options)


def test_what_holds_no_items_is_refused():
    with pytest.raises(DataError, match="column 'note' is text, which contains no items; leave it out"):
        frequent_itemsets(read([{"note": "a"}, {"note": "b"}], kinds={"note": "text"}))
    with pytest.raises(DataError, match="the matrix holds 3, but transactions must be 0 or 1"):
        frequent_itemsets(np.array([[0, 3], [1, 0]]))
    with pytest.raises(DataError, match="2 names for a matrix of 3 columns"):
        frequent_itemsets(np.eye(3, dtype=int), names=["a", "b"])
    with pytest.raises(DataError, match="two columns of the matrix have the same name"):
        frequent_itemsets(np.eye(2, dtype=int), names=["a", "a"])
    with pytest.raises(DataError, match="names are for the columns of a matrix"):
        frequent_itemsets(BASKETS, names=["a"])
    with pytest.raises(DataError, match="there are no transactions"):
        frequent_itemsets(np.zeros((0, 2), dtype=int))
    with pytest.raises(DataError, match=r"no item 'beeer'\. Did you mean 'beer'"):
        frequent_itemsets(BASKETS, 0.2).support("beeer")


def test_lists_hold_each_item_once_whatever_it_is():
    mixed = Transactions.of([["b", "a", "b", None], [1, True, 1.0], [], ("a",), {"c"}, (x for x in "ab")])
    assert mixed.names == ("1", "a", "b", "c", "true")
    assert [sorted(each) for each in mixed] == [[1, 2], [0, 4], [], [1], [3], [1, 2]]
    numbers = Transactions.of([[3, 1, 3], [2]])
    assert numbers.names == ("1", "2", "3")
    assert [sorted(each) for each in numbers] == [[0, 2], [1]]
    unhashable = Transactions.of([[["x"], ["x"]], [["y"]]])
    assert unhashable.names == ("['x']", "['y']")
    assert [sorted(each) for each in unhashable] == [[0], [1]]
    assert list(Transactions.of([[], [None]])) == [frozenset(), frozenset()]


def test_repeats_are_found_in_the_widest_baskets(monkeypatch):
    monkeypatch.setattr("openbook.associate.transactions._MOST_PAIRS", 1)
    assert [sorted(each) for each in Transactions.of([["b", "a", "b"], ["c"]])] == [[0, 1], [2]]


def test_fp_growth_shows_its_tree():
    items, ordered, tree, *mined = frequent_itemsets(BASKETS, 0.6, algorithm="fp_growth").work().parts
    assert items.rows == (("bread", 4), ("diapers", 4), ("milk", 4), ("beer", 3))
    assert ordered.rows[1:3] == ((1, "bread, diapers, beer"), (2, "diapers, milk, beer"))
    assert tree.rows[:4] == (("bread", 4), ("· milk", 1), ("· diapers", 3), ("· · beer", 1))
    beer, milk = mined[:2]  # from the rarest on
    assert beer.parts[0].rows == (("bread, diapers", 1), ("diapers, milk", 1), ("bread, diapers, milk", 1))
    assert beer.parts[1].rows == (("beer", 3), ("beer and diapers", 3))
    assert milk.parts[0].rows == (("bread", 1), ("diapers", 1), ("bread, diapers", 2))


@settings(max_examples=30, deadline=None)
@given(BASKET_LISTS, st.integers(1, 4))
def test_closed_and_maximal_sets_by_comparing_all(baskets, least):
    itemsets = frequent_itemsets(baskets, min(1.0, least / len(baskets)))
    every = {frozenset(each.items): each.count for each in itemsets}
    closed = {one for one in every if not any(one < other and every[one] == every[other] for other in every)}
    assert {frozenset(each.items) for each in itemsets.closed()} == closed
    assert {frozenset(each.items) for each in itemsets.maximal()} == {
        one for one in every if not any(one < other for other in every)
    }
