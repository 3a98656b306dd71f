"""A discrete joint distribution over named variables.

    marginal                   P(a) = Σ_b P(a, b)
    conditional                P(a | b) = P(a, b) / P(b)
    chain rule                 P(a, b, c) = P(a) P(b | a) P(c | a, b)
    addition rule              P(a or b) = P(a) + P(b) - P(a and b)
    conditional independence   P(a, b | c) = P(a | c) P(b | c) for every c with P(c) > 0
    expectation, variance      E[v] = Σ P(a) v(a),  Var[v] = Σ P(a) (v(a) - E[v])²

An event gives some variables a value each, or a set of values, one of which they have.

The table has one axis per variable, in the order of the variables, and a place on it for each of its values.
Values are spelt as categories are everywhere: true, 3, red. Missing values: a distribution has none; rows of
a Table that miss a value of one of the variables are left out of the count.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from openbook.data.attributes import Categorical
from openbook.data.schema import Schema, one_by_one
from openbook.data.table import Table
from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import SUM_TOLERANCE, Floats, as_floats
from openbook.measures.cells import (
    as_number,
    as_tuple,
    check_weights,
    shape_of,
    spell_event,
    tabulate,
    value_code,
    value_codes,
)
from openbook.measures.joint_work import (
    derive_either,
    derive_independence,
    derive_marginal,
    derive_product,
    joint_grid,
)
from openbook.work import Work


@dataclass(frozen=True, eq=False)
class Joint:
    """A probability for every combination of the variables' values.

    Most are made by `from_mapping`, `from_rows`, `from_counts` or `from_table`.

    Attributes
    ----------
    attributes : tuple of Nominal or Ordinal
        The variables and their values.
    table : array with one axis per variable
        The probabilities; they must sum to one.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> joint = Joint.from_mapping(
    ...     ["sky", "walk"],
    ...     {("blue", True): 0.5, ("blue", False): 0.25, ("grey", True): 0.0625, ("grey", False): 0.1875},
    ... )
    >>> joint.marginal("sky").to_dict()
    {'blue': 0.75, 'grey': 0.25}
    >>> joint.given(sky="grey").to_dict()
    {'true': 0.25, 'false': 0.75}
    >>> joint.independent("sky", "walk")
    False
    """

    attributes: tuple[Categorical, ...]
    table: Floats

    def __post_init__(self) -> None:
        Schema(self.attributes)  # refuses names that repeat
        if not self.attributes:
            raise ParameterError("a joint distribution needs at least one variable")
        object.__setattr__(self, "table", as_floats(self.table, "the table"))
        shape = shape_of(self.attributes)
        if self.table.shape != shape:
            msg = f"the table of {', '.join(self.names)} must have the shape {shape}, got {self.table.shape}"
            raise ParameterError(msg)
        check_weights(self.attributes, self.table, "probability")
        if abs((total := float(self.table.sum())) - 1) > SUM_TOLERANCE:
            msg = f"the probabilities of {', '.join(self.names)} sum to {total:.10g}, not to one"
            raise ParameterError(msg)

    @classmethod
    def from_mapping(cls, names: str | Sequence[str], cells: Mapping[Any, float]) -> "Joint":
        """From probabilities by tuple of values, or by value for one variable. What is left out has none.

        Parameters
        ----------
        names : str or sequence of str
            The names of the variables.
        cells : mapping
            The probability of each combination.

        Returns
        -------
        Joint

        Examples
        --------
        >>> Joint.from_mapping("coin", {"heads": 0.5, "tails": 0.5}).to_dict()
        {'heads': 0.5, 'tails': 0.5}
        """
        return cls(*tabulate(one_by_one([names]), cells.items()))

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]], p: str = "p") -> "Joint":
        """From rows that hold a value of each variable, and the probability under `p`.

        Parameters
        ----------
        rows : sequence of mapping
            The rows.
        p : str, default="p"
            The key of the probability.

        Returns
        -------
        Joint

        Examples
        --------
        >>> Joint.from_rows([{"coin": "heads", "p": 0.5}, {"coin": "tails", "p": 0.5}]).names
        ('coin',)
        """
        names = tuple(name for name in (rows[0] if rows else ()) if name != p)
        for i, row in enumerate(rows):
            if set(row) != {*names, p}:
                raise ParameterError(f"row {i} must hold {', '.join([*names, p])}; it holds {', '.join(row)}")
        return cls(*tabulate(names, [(tuple(row[name] for name in names), row[p]) for row in rows]))

    @classmethod
    def from_counts(cls, names: str | Sequence[str], counts: Mapping[Any, float]) -> "Joint":
        """From counts by tuple of values, or by value for one variable; each is divided by their total.

        Parameters
        ----------
        names : str or sequence of str
            The names of the variables.
        counts : mapping
            The count of each combination.

        Returns
        -------
        Joint

        Examples
        --------
        >>> Joint.from_counts("result", {"won": 6, "lost": 2}).to_dict()
        {'won': 0.75, 'lost': 0.25}
        """
        attributes, table = tabulate(one_by_one([names]), counts.items())
        return cls._from_count_table(attributes, table)

    @classmethod
    def from_table(cls, table: Table, *names: str | Iterable[str]) -> "Joint":
        """From the rows of a Table: how often the values of these nominal columns (default: all) meet.

        Rows that miss a value in one of them are left out.

        Parameters
        ----------
        table : Table
            The table to count.
        *names : str or iterable of str
            The names of the variables, one by one or as a list.

        Returns
        -------
        Joint

        Examples
        --------
        >>> from openbook.data import Nominal
        >>> coin = Nominal("coin", ("heads", "tails"))
        >>> Joint.from_table(Table(Schema((coin,)), [np.array([0, 1, 1, -1, 1])])).to_dict()
        {'heads': 0.25, 'tails': 0.75}
        """
        attributes = []
        for name in one_by_one(names) or table.names:
            attribute = table.schema[name]
            if not isinstance(attribute, Categorical):
                msg = f"column {name!r} is {attribute.kind}; a joint table needs nominal ones: bin or drop it"
                raise ParameterError(msg)
            attributes.append(attribute)
        shape = shape_of(attributes)
        codes = np.stack([table.data(attribute.name) for attribute in attributes]).astype(np.intp)
        known = codes[:, (codes >= 0).all(axis=0)]
        counts = np.bincount(np.ravel_multi_index(tuple(known), shape), minlength=math.prod(shape))
        return cls._from_count_table(tuple(attributes), counts.reshape(shape).astype(np.float64))

    @classmethod
    def _from_count_table(cls, attributes: tuple[Categorical, ...], counts: Floats) -> "Joint":
        check_weights(attributes, counts, "count")
        if not counts.any():
            msg = f"nothing was counted: {', '.join(a.name for a in attributes)} never occur together"
            raise ParameterError(msg)
        return cls(attributes, counts / counts.sum())

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(attribute.name for attribute in self.attributes)

    def values(self, name: str) -> tuple[str, ...]:
        """The values of a variable.

        Parameters
        ----------
        name : str
            The name of the variable.

        Returns
        -------
        tuple of str
        """
        return self.attributes[self._axis(name)].values

    def to_dict(self) -> dict[Any, float]:
        """Each probability by its tuple of values; for one variable, by its value."""
        keys = product(*(attribute.values for attribute in self.attributes))
        return {_bare(key): float(p) for key, p in zip(keys, self.table.flat, strict=True)}

    def probability(self, /, **event: Any) -> float:
        """P(event), summed over the variables that the event does not name.

        Parameters
        ----------
        **event : value of a variable, or a set of values
            The value of each variable, by its name; of a set, it has any.

        Returns
        -------
        float

        Examples
        --------
        >>> Joint.from_mapping(["a", "b"], {(0, 0): 0.5, (0, 1): 0.25, (1, 1): 0.25}).probability(a=0)
        0.75
        >>> die = Joint.from_mapping("face", {face: 0.125 for face in range(1, 9)})
        >>> die.probability(face={2, 4, 6, 8})
        0.5
        """
        return float(self.table[self._cells(event)].sum())

    def either(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
        """P(a or b), by the addition rule; `addition_rule` derives it.

        Parameters
        ----------
        a, b : mapping of variable to value, or to a set of values
            The two events.

        Returns
        -------
        float

        Examples
        --------
        >>> joint = Joint.from_mapping(["a", "b"], {(0, 0): 0.5, (0, 1): 0.25, (1, 1): 0.25})
        >>> joint.either({"a": 0}, {"b": 1})
        1.0
        """
        return self.probability(**a) + self.probability(**b) - self._both(a, b)

    def _both(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
        """P(a and b), where the two may name the same variable."""
        holds = np.zeros((2, *self.table.shape), dtype=bool)
        for mask, event in zip(holds, (a, b), strict=True):
            mask[self._cells(event)] = True
        return float(self.table[holds.all(axis=0)].sum())

    def addition_rule(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> Work:
        """The addition rule: derive P(a or b) = P(a) + P(b) - P(a and b).

        Parameters
        ----------
        a, b : mapping of variable to value, or to a set of values
            The two events.

        Returns
        -------
        Work

        Examples
        --------
        >>> joint = Joint.from_mapping(["a", "b"], {(0, 0): 0.5, (0, 1): 0.25, (1, 1): 0.25})
        >>> joint.addition_rule({"a": 0}, {"b": 1})["P(a = 0 or b = 1)"].numbers
        '0.75 + 0.5 - 0.25'
        """
        return derive_either(self, a, b)

    def sample(self, n_samples: int = 1, random_state: int = 0) -> Table:
        """Rows drawn from the distribution.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, default=0
            Random seed.

        Returns
        -------
        Table
            A column for each variable.

        Examples
        --------
        >>> coin = Joint.from_mapping("coin", {"heads": 0.5, "tails": 0.5})
        >>> coin.sample(3).column("coin").tolist()
        ['tails', 'heads', 'heads']
        """
        shares = self.table.ravel() / self.table.sum()
        cells = np.random.default_rng(random_state).choice(len(shares), n_samples, p=shares)
        codes = np.unravel_index(cells, self.table.shape)
        columns = [code.astype(a.dtype) for a, code in zip(self.attributes, codes, strict=True)]
        return Table(Schema(self.attributes), columns)

    def marginal(self, *names: str | Iterable[str]) -> "Joint":
        """P(names), summed over the other variables, in the order of the names.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the variables, one by one or as a list.

        Returns
        -------
        Joint
        """
        chosen = one_by_one(names)
        axes = [self._axis(name) for name in chosen]
        if len(set(axes)) < len(axes) or not axes:
            msg = f"name each variable once, and at least one; got {', '.join(chosen) or 'none'}"
            raise ParameterError(msg)
        others = tuple(axis for axis in range(self.table.ndim) if axis not in axes)
        ranks = np.argsort(np.argsort(axes))  # where each axis stands once the others are summed out
        table = self.table.sum(axis=others).transpose(ranks)
        return Joint(tuple(self.attributes[axis] for axis in axes), table)

    def given(self, /, **evidence: Any) -> "Joint":
        """P(other variables | evidence).

        Parameters
        ----------
        **evidence : value of a variable, or a set of values
            The value of each variable that is known, by its name.

        Returns
        -------
        Joint
        """
        left = tuple(attribute for attribute in self.attributes if attribute.name not in evidence)
        axes = tuple(self._axis(name) for name in evidence)
        table = self.table[self._cells(evidence)].sum(axis=axes)
        if not left:
            msg = f"the evidence names every variable ({', '.join(self.names)}); leave out what you ask for"
            raise ParameterError(msg)
        if not table.any():
            raise ParameterError(f"P({spell_event(evidence)}) is 0, so nothing can be conditioned on it")
        return Joint(left, table / table.sum())

    def conditional(self, *names: str | Iterable[str], given: str | Sequence[str]) -> "dict[Any, Joint]":
        """P(names | given): one distribution for each combination of the given variables' values.

        Keys are tuples of values, or values where one variable is given. Combinations of probability 0 are
        left out, since nothing can be conditioned on them.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the variables, one by one or as a list.
        given : str or sequence of str
            The names of the variables that are known.

        Returns
        -------
        dict
        """
        evidence = one_by_one([given])
        return {
            key: self.given(**dict(zip(evidence, as_tuple(key), strict=True))).marginal(*names)
            for key, p in self.marginal(*evidence).to_dict().items()
            if p > 0
        }

    def independent(
        self,
        a: str | Sequence[str],
        b: str | Sequence[str],
        given: str | Sequence[str] = (),
        tolerance: float = 1e-9,
    ) -> bool:
        """Whether |P(a, b | given) - P(a | given) P(b | given)| <= tolerance for all values.

        Values of the given variables that have probability 0 say nothing either way.

        Parameters
        ----------
        a, b : str or sequence of str
            The names of the variables on the one side and on the other.
        given : str or sequence of str, default=()
            The names of the variables that are known.
        tolerance : float, default=1e-09
            The largest difference that counts as none.

        Returns
        -------
        bool
        """
        groups = [one_by_one([given]), one_by_one([a]), one_by_one([b])]
        sizes = [math.prod(len(self.values(name)) for name in group) for group in groups]
        table = self.marginal(*groups[0], *groups[1], *groups[2]).table.reshape(sizes)
        weight = table.sum(axis=(1, 2))
        table = table[weight > 0] / weight[weight > 0, np.newaxis, np.newaxis]
        product_of_marginals = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True)
        return bool(np.abs(table - product_of_marginals).max() <= tolerance)

    def independence(
        self, a: str | Sequence[str], b: str | Sequence[str], given: str | Sequence[str] = ()
    ) -> Work:
        """Derive whether a and b are independent: P(a, b) beside P(a) P(b), cell by cell.

        Parameters
        ----------
        a, b : str or sequence of str
            The names of the variables on the one side and on the other.
        given : str or sequence of str, default=()
            The names of the variables that are known.

        Returns
        -------
        Work

        Examples
        --------
        >>> coins = Joint.from_mapping(["a", "b"], {(i, j): 0.25 for i in "HT" for j in "HT"})
        >>> coins.independence("a", "b").conclusion
        'All agree: a and b are independent.'
        """
        return derive_independence(self, one_by_one([a]), one_by_one([b]), one_by_one([given]))

    def expectation(
        self, name: str | Sequence[str], values: Mapping[Any, float] | Callable[..., float] | None = None
    ) -> float:
        """E[v] = Σ P(a) v(a), where `values` gives a number for each value of the variable.

        Parameters
        ----------
        name : str or sequence of str
            The variable, or several for a function of them.
        values : mapping, callable or None, default=None
            A number for each value of the variable, or a function of the values (as text) of those named;
            None if the values are numbers themselves.

        Returns
        -------
        float

        Examples
        --------
        >>> day = Joint.from_mapping("day", {"sunny": 0.3, "rainy": 0.7})
        >>> round(day.expectation("day", {"sunny": 1, "rainy": 3}), 12)
        2.4
        >>> round(Joint.from_mapping("face", {face: 1 / 6 for face in range(1, 7)}).expectation("face"), 12)
        3.5
        >>> dice = Joint.from_mapping(["a", "b"], {(i, j): 1 / 36 for i in range(1, 7) for j in range(1, 7)})
        >>> round(dice.expectation(["a", "b"], lambda a, b: max(int(a), int(b))), 4)  # 161 / 36
        4.4722
        """
        names = one_by_one([name])
        return float(self.marginal(*names).table.ravel() @ self._numbers(names, values))

    def variance(
        self, name: str | Sequence[str], values: Mapping[Any, float] | Callable[..., float] | None = None
    ) -> float:
        """Var[v] = Σ P(a) (v(a) - E[v])², where `values` gives a number for each value of the variable.

        Parameters
        ----------
        name : str or sequence of str
            The variable, or several for a function of them.
        values : mapping, callable or None, default=None
            A number for each value of the variable, or a function of the values (as text) of those named;
            None if the values are numbers themselves.

        Returns
        -------
        float
        """
        names = one_by_one([name])
        deviations = self._numbers(names, values) - self.expectation(names, values)
        return float(self.marginal(*names).table.ravel() @ deviations**2)

    def work(self, /, *names: str | Iterable[str], **evidence: Any) -> Work:
        r"""Derive P(names | evidence), or the marginal P(names) where there is no evidence.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the variables, one by one or as a list.
        **evidence : value of a variable
            The value of each variable that is known, by its name.

        Returns
        -------
        Work

        Examples
        --------
        >>> joint = Joint.from_mapping(["a", "b"], {("x", 0): 0.1, ("x", 1): 0.3, ("y", 1): 0.6})
        >>> joint.work("a", b=1)["P(a = x | b = 1)"].numbers
        '\\frac{0.3}{0.9}'
        """
        return derive_marginal(self, one_by_one(names), evidence)

    def chain_rule(self, /, **event: Any) -> Work:
        """Derive P(event) as a product, one variable after the other in the order of the event, and check it.

        Parameters
        ----------
        **event : value of a variable
            The value of each variable, by its name.

        Returns
        -------
        Work

        Examples
        --------
        >>> joint = Joint.from_mapping(["a", "b"], {("x", 0): 0.1, ("x", 1): 0.3, ("y", 1): 0.6})
        >>> print(joint.chain_rule(a="x", b=1).conclusion)
        The joint table gives 0.3 too.
        """
        return derive_product(self, event)

    def __repr__(self) -> str:
        return Work(f"P({', '.join(self.names)})", (joint_grid(self),)).text()

    def _axis(self, name: str) -> int:
        if name not in self.names:
            raise ParameterError(f"no variable {name!r}. {did_you_mean(name, self.names)}")
        return self.names.index(name)

    def _cells(self, event: Mapping[str, Any]) -> tuple[Any, ...]:
        """The index of the cells in which the event holds: the codes of each axis."""
        index = [np.arange(size) for size in self.table.shape]
        for name, wanted in event.items():
            axis = self._axis(name)
            index[axis] = np.array(value_codes(self.attributes[axis], wanted))
        return np.ix_(*index)

    def _numbers(
        self, names: Sequence[str], values: Mapping[Any, float] | Callable[..., float] | None
    ) -> Floats:
        """The number of each combination of the variables' values, in order."""
        attributes = [self.attributes[self._axis(name)] for name in names]
        if len(names) > 1 and not callable(values):
            msg = f"a mapping is of one variable; for {', '.join(names)} give a function of their values"
            raise ParameterError(msg)
        combinations = list(product(*(a.values for a in attributes)))
        if isinstance(values, Mapping):
            by_code = {value_code(attributes[0], value): number for value, number in values.items()}
            given = [by_code.get(code, np.nan) for code in range(len(combinations))]
        else:
            number_of = as_number if values is None else values
            given = [number_of(*combination) for combination in combinations]
        numbers = as_floats(given, "values")
        if not np.isfinite(numbers).all():
            value = ", ".join(combinations[int(np.argmin(np.isfinite(numbers)))])
            raise ParameterError(f"the value {value!r} of {', '.join(names)!r} needs a finite number")
        return numbers


def _bare(key: tuple[str, ...]) -> Any:
    return key[0] if len(key) == 1 else key
