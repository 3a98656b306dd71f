"""The fold: order, laziness, pieces that load themselves, and statistics that join and part."""

import os
import sys
import threading
import time
from dataclasses import dataclass
from operator import add

import joblib
import numpy as np
import polars as pl
import pytest

from openbook.fold import Statistics, each, each_until, fold, less
from openbook.kernels.counts import Counts
from openbook.kernels.moments import Moments


@dataclass(frozen=True)
class Word:
    """A piece that is still to be loaded."""

    text: str

    def load(self):
        return self.text


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_pieces_are_loaded_where_they_are_needed_and_merged_in_order(workers):
    words = [Word(letter) for letter in "abcdefgh"]
    with joblib.parallel_config(backend="threading", n_jobs=workers):
        assert fold(words, str.upper, add) == "ABCDEFGH"
        assert fold((word for word in words), str.upper, add) == "ABCDEFGH"
        assert fold([Word("a")], str.upper, add) == "A"


def test_processes_fold_to_the_same():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert fold(["a", "b", "c"], str.upper, add) == "ABC"


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_home_as_it_is(workers):
    def step(word):
        if word == "c":
            msg = "no c today"
            raise LookupError(msg)
        return word

    with (
        joblib.parallel_config(backend="threading", n_jobs=workers),
        pytest.raises(LookupError, match="no c today"),
    ):
        fold(list("abcdef"), step, add)


def test_results_are_merged_as_they_come():
    """Never all at once: the states of many chunks would not fit into memory."""
    alive, most = [], []

    def step(number):
        alive.append(number)
        return [number]

    def merge(a, b):
        most.append(len(alive))
        del alive[0]
        return a + b

    assert fold(list(range(40)), step, merge) == list(range(40))
    assert max(most) < 10


@dataclass(frozen=True)
class Pair(Statistics):
    total: np.ndarray
    parts: tuple


def test_statistics_add_up_part_by_part():
    a = Pair(np.array([1.0, 2.0]), (np.array([[1.0]]), (np.array([3.0]),)))
    b = Pair(np.array([10.0, 20.0]), (np.array([[5.0]]), (np.array([4.0]),)))
    both = a + b
    assert both.total.tolist() == [11, 22]
    assert both.parts[0].tolist() == [[6]]
    assert both.parts[1][0].tolist() == [7]
    assert (both - b).arrays().keys() == {"total", "parts.0", "parts.1.0"}
    assert (both - b).total.tolist() == [1, 2]


def test_values_that_came_later_count_as_zero_before():
    early = Counts((np.array([[1.0, 2.0], [3.0, 4.0]]),), (np.zeros((2, 1)),))
    late = Counts((np.array([[1.0, 1.0, 9.0], [1.0, 1.0, 1.0]]),), (np.ones((2, 1)),))
    assert (early + late).tables[0].tolist() == [[2, 3, 9], [4, 5, 1]]
    assert (late + early).tables[0].tolist() == [[2, 3, 9], [4, 5, 1]]
    assert (late - early).tables[0].tolist() == [[0, -1, 9], [-2, -3, 1]]


def test_what_rounding_leaves_is_nothing():
    assert 0.1 + 0.2 - 0.3 != 0
    assert less(np.array([0.1 + 0.2, 5.0]), np.array([0.3, 7.0])).tolist() == [0, -2]


def test_amounts_are_what_cannot_be_negative():
    moments = Moments(np.ones((1, 1)), np.full((1, 1), -5.0), np.zeros((1, 1)))
    pair = Pair(np.array([3.0]), (moments,))
    assert [amount.ravel().tolist() for amount in pair.amounts()] == [[3], [1], [0]]


def test_arrays_of_another_shape_or_type_are_refused():
    pair = Pair(np.zeros(2), (np.zeros((1, 1)),))
    good = {"total": np.array([1.0, 2.0]), "parts.0": np.array([[3.0]])}
    assert pair.filled(good).total.tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"array 'total' is float64\(3,\), expected float64\(2,\)"):
        pair.filled({**good, "total": np.zeros(3)})
    with pytest.raises(ValueError, match=r"array 'parts\.0' is int64\(1, 1\), expected float64\(1, 1\)"):
        pair.filled({**good, "parts.0": np.zeros((1, 1), dtype=int)})
    with pytest.raises(KeyError, match="total"):
        pair.filled({"parts.0": np.zeros((1, 1))})


def test_results_keep_the_order_of_the_pieces_whichever_is_ready_first():
    second_is_ready = threading.Event()

    def step(piece):
        if piece == "first":
            assert second_is_ready.wait(30)
        else:
            second_is_ready.set()
        return piece

    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert list(each(["first", "second"], step)) == ["first", "second"]
        second_is_ready.clear()
        assert list(each(["first", "second"], step, in_order=False)) == ["second", "first"]


# until a time


@pytest.mark.parametrize("apart", [False, True])
def test_results_come_as_they_are_there_until_time_is_up(apart):
    def work(piece):
        if piece == 2:
            time.sleep(30)
        return piece

    assert sorted(each_until(time.monotonic() + 3, [0, 1, 2, 3, 4], work, 2, apart=apart)) == [0, 1, 3, 4]
    assert sorted(each_until(None, [0, 1, 3], work, 2, apart=apart)) == [0, 1, 3]
    assert list(each_until(None, [0, 1, 3], work, 1, apart=apart)) == [0, 1, 3]
    assert list(each_until(time.monotonic() - 1, [0, 1], work, 2, apart=apart)) == []


@pytest.mark.parametrize("apart", [False, True])
def test_what_goes_wrong_on_the_way_goes_wrong(apart):
    def work(piece):
        raise ValueError(f"piece {piece}")

    with pytest.raises(ValueError, match="piece 0"):
        list(each_until(time.monotonic() + 5, [0], work, 2, apart=apart))


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_processes_are_others_and_pieces_of_those_that_die_are_done_here():
    here = os.getpid()
    assert here not in each_until(None, range(4), lambda _: os.getpid(), 2, apart=True)

    def work(piece):
        if piece % 2 and os.getpid() != here:
            os._exit(1)
        return piece

    assert sorted(each_until(None, range(9), work, 2, apart=True)) == list(range(9))


class OddError(ValueError):
    """An error that does not pickle."""

    def __init__(self, first, second):
        super().__init__(first + second)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_what_was_wrong_is_said_where_the_error_itself_does_not_come_home():
    def work(_):
        raise OddError("both ", "parts")

    with pytest.raises(RuntimeError, match="OddError: both parts"):
        list(each_until(None, [0, 1], work, 2, apart=True))


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_processes_keep_the_order_of_pieces_where_they_are_asked_to():
    def work(piece):
        time.sleep(0.05 * (piece == 0))
        return piece, os.getpid()

    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = list(each(range(5), work, apart=True))
        assert [piece for piece, _ in found] == [0, 1, 2, 3, 4]
        assert os.getpid() not in dict(found).values()
    assert {by for _, by in each(range(3), work, apart=True)} == {os.getpid()}  # one worker needs no other


# each of these sorts or reads with the threads of polars, which a fork leaves behind
FRAME = pl.DataFrame({"a": [2, 1]})
POLARS = {
    "a new column": lambda _: pl.Series([2, 1]).sort().to_list(),
    "a frame from before": lambda _: FRAME.sort("a")["a"].to_list(),
    "a lazy frame": lambda _: FRAME.lazy().sort("a").collect()["a"].to_list(),
    "a file": lambda path: pl.read_csv(path)["a"].sort().to_list(),
}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
@pytest.mark.parametrize("use", POLARS)
def test_what_needs_the_threads_of_polars_is_done_in_this_process(use, tmp_path):
    (tmp_path / "a.csv").write_text("a\n2\n1\n")
    FRAME.sort("a")  # now the threads are there

    def work(piece):
        try:
            found = POLARS[use](tmp_path / "a.csv")
        except Exception:  # noqa: BLE001 (as a study that goes on without a learner)
            return "failed", 0
        return found, os.getpid()

    found = list(each_until(time.monotonic() + 20, range(3), work, 2, apart=True))
    assert len(found) == 3, "a process waits for ever"
    assert found == [([1, 2], os.getpid())] * 3
