"""The top of the package: what it has, and where else a class is."""

import pytest

import openbook


def test_a_learner_is_pointed_to_in_its_room():
    with pytest.raises(AttributeError, match=r"It is in .*: from openbook\.linear import Ridge$"):
        _ = openbook.Ridge


@pytest.mark.parametrize("name", ["Gradient", "nothing", "__wrapped__"])
def test_what_is_nowhere_is_called_so(name):
    with pytest.raises(AttributeError, match=f"^module 'openbook' has no attribute '{name}'$"):
        getattr(openbook, name)
