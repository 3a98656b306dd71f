"""Warnings go to the thread that raised them, and everything is put back."""

import threading
import warnings

import pytest

from openbook.errors import InterruptedFit
from openbook.judge.folds.thread_warnings import collected_warnings


def test_distinct_warnings_are_kept_and_not_shown():
    with collected_warnings() as messages:
        for _ in range(3):
            warnings.warn("few rows", stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert messages == ["UserWarning: few rows", "DeprecationWarning: old"]


def test_afterwards_warnings_are_what_they_were():
    filters, show = list(warnings.filters), warnings.showwarning
    with collected_warnings():
        pass
    assert warnings.filters == filters
    assert warnings.showwarning is show
    with pytest.warns(UserWarning, match="loud again"):
        warnings.warn("loud again", stacklevel=1)


def test_afterwards_even_if_it_fails():
    show = warnings.showwarning
    with pytest.raises(ZeroDivisionError), collected_warnings():
        1 / 0  # noqa: B018
    assert warnings.showwarning is show


def test_threads_hear_their_own():
    both_in, first_out = threading.Barrier(2), threading.Event()
    told = {}

    def listen(name, *, last):
        with collected_warnings() as messages:
            both_in.wait()
            warnings.warn(name, stacklevel=1)
            if last:
                first_out.wait()
                warnings.warn(f"{name} again", stacklevel=1)
        told[name] = messages
        first_out.set()

    show = warnings.showwarning
    threads = [threading.Thread(target=listen, args=(name,), kwargs={"last": name == "b"}) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == {"a": ["UserWarning: a"], "b": ["UserWarning: b", "UserWarning: b again"]}
    assert warnings.showwarning is show


def test_listening_within_listening():
    with collected_warnings() as outer:
        with collected_warnings() as inner:
            warnings.warn("inside", stacklevel=1)
        warnings.warn("outside", stacklevel=1)
    assert (inner, outer) == (["UserWarning: inside"], ["UserWarning: outside"])


def test_a_fit_stopped_by_hand_stops_the_listener():
    with pytest.raises(KeyboardInterrupt), collected_warnings():
        warnings.warn("stopped in epoch 3", InterruptedFit, stacklevel=1)
    with pytest.warns(InterruptedFit):  # nobody listens: it is a warning like any other
        warnings.warn("stopped in epoch 3", InterruptedFit, stacklevel=1)
