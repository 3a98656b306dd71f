"""A small bibliography, kept in bibliography.toml: where the learners and methods of a study come from."""

import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files


@cache
def bibliography() -> dict[str, dict[str, str]]:
    """The references of learners, by their registered names, and of methods, by what they do."""
    text = files("openbook.report").joinpath("bibliography.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = tomllib.loads(text)
    return found


def references(learners: Collection[str], methods: Collection[str]) -> list[tuple[str, str]]:
    """The references of the learners and methods used, each once and in alphabetical order, and for what.

    Examples
    --------
    >>> [(what, text[:7]) for text, what in references(["c45", "zero_r"], ["cross-validation"])]
    [('cross-validation', 'Kohavi,'), ('c45', 'Quinlan')]
    """
    known, found = bibliography(), dict[str, list[str]]()
    for part, names in (("learners", learners), ("methods", methods)):
        for name in names:
            if text := known[part].get(name):
                found.setdefault(text, []).append(name)
    return [(text, ", ".join(dict.fromkeys(found[text]))) for text in sorted(found)]
