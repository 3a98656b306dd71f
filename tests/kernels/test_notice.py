"""What is said while kernels are compiled, by a clock whose seconds are given."""

import pytest

from openbook.kernels import notice


@pytest.fixture
def clock(monkeypatch):
    """A clock at 100 s, a function that moves it on, and the lines that it says."""
    clock, now, lines = notice.Clock(), [100.0], []
    monkeypatch.setattr(notice, "monotonic", lambda: now[0])
    clock.say = lines.append

    def wait(seconds):
        now[0] += seconds

    return clock, wait, lines


def compiled(clock, wait, seconds):
    clock.begin()
    wait(seconds)
    clock.end()


def test_a_second_of_compiling_is_not_worth_a_word(clock):
    clock, wait, lines = clock
    compiled(clock, wait, 0.9)
    wait(60)  # of other work
    assert lines == []
    compiled(clock, wait, 0.2)
    assert lines == ["Compiling kernels, once: later runs start at once …"]


def test_functions_inside_each_other_are_counted_and_their_time_is_not_added_up(clock):
    clock, wait, lines = clock
    clock.begin()
    for _ in range(3):
        compiled(clock, wait, 2)
    clock.end()
    assert lines == [
        "Compiling kernels, once: later runs start at once …",
        "Compiling kernels: 4 functions after 6 s …",
    ]


def test_nothing_is_said_where_nobody_listens(clock):
    clock, wait, lines = clock
    clock.say = None
    compiled(clock, wait, 10)
    assert lines == []


def test_numba_moves_the_clock(monkeypatch):
    from openbook.kernels.jit import jit

    told = []
    monkeypatch.setattr(notice.clock, "begin", lambda: told.append("begin"))
    monkeypatch.setattr(notice.clock, "end", lambda: told.append("end"))
    jit(cache=False)(lambda x: x + 1)(1)
    assert told[0] == "begin"
    assert told[-1] == "end"
    assert told.count("begin") == told.count("end")
