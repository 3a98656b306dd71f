"""Each public parameter has the word of docs/conventions.md, and the words that it replaces are not used."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import openbook

#: What has a replaced word all the same, and why.
REASONS = {
    ("ClusterQuality", "distance"): "a result: the metric by which pairs were measured",
    ("Picture", "height"): "of a drawing, in pixels",
    ("BiasVariance", "method"): "a result: the decomposition that was used",
    ("Evaluation", "folds"): "a result: the folds themselves",
    ("Interval", "method"): "a result: the name of the interval",
    ("TestResult", "method"): "a result: the name of the test",
    ("bias_variance", "method"): "the decomposition, by its authors; no linkage",
    ("Protocol", "split"): "the key of plan.toml: a kind of division in words",
    ("Protocol", "folds"): "the key of plan.toml",
}

PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"


def words():
    """The table of the page: each word, and the words that it replaces."""
    part = PAGE.read_text(encoding="utf-8").partition("## Names of parameters\n")[2].partition("\n## ")[0]
    lines = [line.split("|")[1:4] for line in part.splitlines() if line.startswith("| `")]
    return {re.findall(r"`(\w+)`", line[0])[0]: re.findall(r"`(\w+)`", line[2]) for line in lines}


def public():
    """Every public class and function, with its signature."""
    for found in pkgutil.iter_modules(openbook.__path__, "openbook."):
        if not found.ispkg or found.name == "openbook.cli":
            continue
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", ()):
            made = getattr(module, name)
            if inspect.isfunction(made) or (inspect.isclass(made) and "__init__" in vars(made)):
                yield pytest.param(made, id=f"{found.name}.{name}")


def test_the_page_lists_the_words():
    assert {"cv", "random_state", "metric", "repeats", "costs"} <= set(words())


@pytest.mark.parametrize("made", list(public()))
def test_no_parameter_has_a_word_that_another_replaces(made):
    instead = {old: new for new, olds in words().items() for old in olds}
    found = {
        name: instead[name]
        for name in inspect.signature(made).parameters
        if name in instead and (made.__name__, name) not in REASONS
    }
    assert found == {}, "write the word on the right instead"


def test_every_reason_is_needed():
    used = {
        (made.values[0].__name__, name)
        for made in public()
        for name in inspect.signature(made.values[0]).parameters
    }
    assert set(REASONS) <= used
