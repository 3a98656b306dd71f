"""Bundled sets: small classics, scikit-learn's own, and some that are drawn.

>>> load("loan").head(3)
Table of 3 rows, 4 columns
owner    status   income   cheat
nominal  nominal  numeric  nominal
Yes      Single   125      No
No       Married  100      No
No       Single   70       No
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from inspect import signature
from typing import Any

from openbook.data.arrays import from_rows
from openbook.data.attributes import Attribute, Nominal, Numeric
from openbook.data.reading import Reading
from openbook.data.schema import Schema
from openbook.data.sets.shapes import SHAPES, polynomial
from openbook.data.sets.synthetic import credit
from openbook.data.table import Table
from openbook.errors import ParameterError, did_you_mean
from openbook.words.sentences import listed

__all__ = ["BundledSet", "credit", "load", "sets"]


@dataclass(frozen=True)
class BundledSet:
    """A set that comes with openbook: what it is about, and what is to be predicted.

    Attributes
    ----------
    name : str
        The name by which `load` finds it.
    description : str
        What it describes.
    rows : int
        The number of rows.
    target : str
        The column to predict.
    task : str, default="classification"
        Whether the target holds classes or numbers.
    make : callable, default=credit
        A function that makes the table.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> iris = sets()["iris"]
    >>> iris.rows, iris.target
    (150, 'species')
    """

    name: str
    description: str
    rows: int
    target: str
    task: str = "classification"
    make: Callable[..., Table] = field(default=credit, repr=False, compare=False)


def load(name: str, **options: Any) -> Table:
    """A bundled set; `sets()` lists them.

    Parameters
    ----------
    name : str
        The name of the set.
    **options : int or float
        `rows` and `random_state` for "credit" and the shapes, which are drawn: "ring", "moons", "xor",
        "blobs", "spirals" and "polynomial". Shapes also take `noise`, the polynomial its `degree`.

    Returns
    -------
    Table
        The table.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> load("weather").shape
    (14, 5)
    """
    known = sets()
    if name not in known:
        msg = f"there is no bundled data set {name!r}. {did_you_mean(str(name), tuple(known))}"
        raise ParameterError(msg)
    accepted = tuple(signature(known[name].make).parameters)
    if options and not accepted:
        drawn = listed([repr(each) for each in ("credit", *SHAPES, "polynomial")], most=10)
        msg = f"the data set {name!r} has no options, got {', '.join(options)}; only {drawn} are generated"
        raise ParameterError(msg)
    if unknown := [option for option in options if option not in accepted]:
        msg = f"data set {name!r} has no option {unknown[0]!r}. {did_you_mean(unknown[0], accepted)}"
        raise ParameterError(msg)
    return known[name].make(**options)


def sets() -> dict[str, BundledSet]:
    """The bundled sets by name.

    Returns
    -------
    dict of str to BundledSet
        Name, description, number of rows and target of each set.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> sets()["weather"].target
    'play'
    """
    return dict(_SETS)


def _from_csv(name: str) -> Table:
    lines = resources.files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return from_rows(list(csv.DictReader(lines)), Reading())


def _from_sklearn(name: str, target: str) -> Table:
    """One of scikit-learn's toy sets, typed: its classes by name, where it has classes."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    why = "as scikit-learn gives it"
    inputs = tuple(Numeric(str(feature)) for feature in bunch.feature_names)
    if "target_names" in bunch:
        classes = Nominal(target, tuple(str(value) for value in bunch.target_names))
        label: Attribute = classes
        answer = bunch.target.astype(classes.dtype)
    else:
        label, answer = Numeric(target), bunch.target
    schema = Schema((*inputs, label))
    return Table(schema, [*bunch.data.T, answer], why=dict.fromkeys(schema.names, why))


def _bundled(name: str, rows: int, target: str, description: str) -> BundledSet:
    return BundledSet(name, description, rows, target, make=lambda: _from_csv(name))


def _of_sklearn(
    name: str, rows: int, target: str, description: str, task: str = "classification"
) -> BundledSet:
    return BundledSet(name, description, rows, target, task, make=lambda: _from_sklearn(name, target))


_SETS = {
    each.name: each
    for each in (
        _bundled("weather", 14, "play", "play tennis today? four nominal attributes of the weather"),
        _bundled("weather_numeric", 14, "play", "the same days, temperature in °F and humidity in percent"),
        _bundled(
            "loan", 10, "cheat", "will a borrower cheat? home owner, marital status, income in thousands"
        ),
        _bundled("flu", 5, "diagnosis", "cold or flu? four symptoms of five patients"),
        _bundled("covid", 14, "infected", "infected? fever, cough and breathing trouble"),
        _of_sklearn("iris", 150, "species", "three species of iris by the size of their flowers"),
        _of_sklearn("wine", 178, "cultivar", "three cultivars of wine by chemical analysis"),
        _of_sklearn("breast_cancer", 569, "diagnosis", "malignant or benign, by measurements of cell nuclei"),
        _of_sklearn("digits", 1797, "digit", "handwritten digits in 8 x 8 pixels"),
        _of_sklearn(
            "diabetes",
            442,
            "progression",
            "progression of diabetes within a year, inputs standardised",
            "regression",
        ),
        BundledSet(
            "credit",
            "synthetic loans: mixed kinds, missing values, 8% defaults (rows=…, random_state=…)",
            1000,
            "default",
        ),
        *(
            BundledSet(
                name, f"drawn: {words} (rows=…, noise=…, random_state=…)", 200, "class", make=SHAPES[name]
            )
            for name, words in {
                "ring": "a disc inside a ring",
                "moons": "two half circles that reach into each other",
                "xor": "four quadrants, opposite ones alike",
                "blobs": "three normal clouds",
                "spirals": "two arms of a spiral",
            }.items()
        ),
        BundledSet(
            "polynomial",
            "drawn: a noisy curve (rows=…, noise=…, random_state=…, degree=…)",
            100,
            "y",
            "regression",
            make=polynomial,
        ),
    )
}
