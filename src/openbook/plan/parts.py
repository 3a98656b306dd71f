"""The parts of a plan: the roles of columns, the protocol, the learners and the hypotheses."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from inspect import signature
from typing import Any, get_args

from sklearn.base import BaseEstimator

from openbook.border.rules import check_parameters
from openbook.data import Table
from openbook.data.date_parts import with_calendar
from openbook.errors import OpenbookError, PlanError, did_you_mean
from openbook.judge.folds.splitters import TestGroups
from openbook.plan.counts import WeightKind
from openbook.registry import learner, name_of
from openbook.registry.costs import Shape, fit_seconds
from openbook.words.parameters import documented

#: Inner folds by which the thresholds of labels are tuned.
_INNER_FOLDS = 5


@dataclass(frozen=True)
class Roles:
    """The roles of the columns; those not named are inputs.

    Attributes
    ----------
    target : str
        The column that is predicted.
    ignore : tuple of str, default=()
        Columns that are not used.
    id : str or None, default=None
        The column that names the rows; not a feature.
    group : str or None, default=None
        Rows of one group are never in both training and test; not a feature. With a time,
        `Protocol.test_groups` decides whether a group's past may be in training and its future in the test.
    time : str or None, default=None
        The time of each row: the past trains and the future tests; not a feature.
    sensitive : tuple of str, default=()
        Columns by which the choice is checked for fairness; inputs, unless they are ignored too.
    weight : str or None, default=None
        The weight of each row, a frequency or an importance (`Protocol.weights`); not a feature.
    positive : str or None, default=None
        Of two classes, the positive one; None goes by `openbook.judge.scores.positive`.
    sequence : str or None, default=None
        The sequence to which each row belongs, in the order of the table. A sequence trains or tests as a
        whole; only sequence models see the column.
    asked : str or None, default=None
        Holds "yes" for rows whose label a classifier requested, as `openbook label` writes it. They are only
        for training; not a feature.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> Roles("play", ignore=("day",)).target
    'play'
    """

    target: str
    ignore: tuple[str, ...] = ()
    id: str | None = None
    group: str | None = None
    time: str | None = None
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    positive: str | None = None
    sequence: str | None = None
    asked: str | None = None

    def __post_init__(self) -> None:
        sensitive = (("sensitive", name) for name in self.sensitive)
        for role, name in (*self.named.items(), *sensitive):
            if name == self.target:
                raise PlanError(f"roles.{role}: {name!r} is the target; name another column, or none")
        if self.weight is not None and self.weight in (self.id, self.group, self.time, *self.sensitive):
            raise PlanError(f"roles.weight: {self.weight!r} has another role already; name another column")
        for role in ("group", "time") if self.sequence is not None else ():
            if getattr(self, role) is not None:
                raise PlanError(f"roles.{role}: sequences are kept whole and in order already; leave it out")

    @property
    def named(self) -> dict[str, str]:
        """The column of each role that has one column."""
        roles = {role: getattr(self, role) for role in ("id", "group", "time", "weight", "sequence", "asked")}
        return {role: name for role, name in roles.items() if name is not None}

    @property
    def bound(self) -> bool:
        """Whether a column orders, groups or weighs the rows."""
        return not {"group", "time", "weight", "sequence"}.isdisjoint(self.named)

    @property
    def together(self) -> str | None:
        """The column whose rows train or test as a whole: of groups or sequences."""
        return self.group or self.sequence

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column with a role, each once."""
        return tuple(dict.fromkeys((self.target, *self.ignore, *self.named.values(), *self.sensitive)))

    @property
    def no_inputs(self) -> tuple[str, ...]:
        """The columns that no learner sees."""
        return tuple(dict.fromkeys((self.target, *self.ignore, *self.named.values())))

    def inputs(self, table: Table) -> Table:
        """The columns that learners see, with the parts of the dates that order the rows.

        Parameters
        ----------
        table : Table
            All columns.

        Returns
        -------
        Table
        """
        dated = table if self.time is None else with_calendar(table, self.time)
        return dated.drop(*self.no_inputs)


@dataclass(frozen=True)
class Protocol:
    """How the learners are judged.

    Attributes
    ----------
    split : str
        "cross-validation", "leave-one-out" for fewer than 50 rows, "leave-one-group-out" for few groups, or
        "time-ordered" where there is a time.
    folds, repeats : int or None, default=None
        The folds and repeats of cross-validation; blocks of time are folds that cannot be repeated.
    test_share : float, default=0.0
        The share of rows held out for the one final test; 0 for none.
    random_state : int, default=0
        The random seed.
    search : str or None, default=None
        How parameters are tuned inside the folds: "grid" tries every combination, "halving" most of them on
        few rows only; None if there are none.
    test_groups : TestGroups or None, default=None
        With groups and a time: "new" if tested groups are not in training, "known" if their earlier rows are;
        None otherwise.
    weights : WeightKind or None, default=None
        With weights: "frequency" if a row counts as that many rows, "importance" if its weight counts in
        fitting only; None is "importance".

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> Protocol("cross-validation", folds=10, repeats=5).test_share
    0.0
    """

    split: str
    folds: int | None = None
    repeats: int | None = None
    test_share: float = 0.0
    random_state: int = 0
    search: str | None = None
    test_groups: TestGroups | None = None
    weights: WeightKind | None = None

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise PlanError(f"protocol.{fault}")

    def _faults(self) -> Iterator[str]:
        """The faults of the protocol, in words."""
        choices = {"split": SPLITS, "search": (None, *SEARCHES)}
        choices |= {"test_groups": (None, *get_args(TestGroups)), "weights": (None, *get_args(WeightKind))}
        for name, known in choices.items():
            if (value := getattr(self, name)) not in known:
                yield f"{name} must be one of {', '.join(filter(None, known))}, got {value!r}"
        given = (self.folds is not None, self.repeats is not None)
        if self.split == "cross-validation" and not all(given):
            yield "folds and repeats are needed for cross-validation"
        if self.split.startswith("leave") and any(given):
            yield f"folds and repeats mean nothing for {self.split}; remove them"
        if self.split == "time-ordered" and given != (True, False):
            yield "time-ordered needs folds, and cannot have repeats"
        for name, least in (("folds", 1 if self.split == "time-ordered" else 2), ("repeats", 1)):
            if (value := getattr(self, name)) is not None and value < least:
                yield f"{name} must be at least {least}, got {value}"
        if not 0 <= self.test_share < 1:
            yield f"test_share must be at least 0 and below 1, got {self.test_share:g}"
        if fault := seed_fault(self.random_state):
            yield fault


def seed_fault(seed: int) -> str:
    """What is wrong with a random seed, in words; empty if nothing is."""
    return "" if 0 <= seed < 2**32 else f"random_state must be a whole number from 0 to 2**32 - 1, got {seed}"


SEARCHES = ("grid", "halving")
SPLITS = ("cross-validation", "leave-one-out", "leave-one-group-out", "time-ordered")


@documented
@dataclass(frozen=True)
class Candidate:
    """A learner that a study evaluates.

    Attributes
    ----------
    label : str
        Its name in the output.
    learner : str
        Its registered name.
    parameters : mapping
        The parameters as plain values; a learner inside another is a mapping of `learner` and its
        `parameters`.
    knobs : mapping of str to list
        Parameters to tune, each with the values to try; they are tried inside every fold.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> from openbook.baseline import OneR
    >>> Candidate.of("1R", OneR(bins=5))
    Candidate(label='1R', learner='one_r', parameters={'bins': 5}, knobs={})
    """

    label: str
    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, label: str, model: Any, knobs: Mapping[str, Collection[Any]] | None = None) -> "Candidate":
        """The candidate behind a learner; parameters at their defaults are not listed.

        Parameters
        ----------
        label : str
            Its name in the output.
        model : estimator
        knobs : mapping of str to collection or None, default=None
            Parameters to tune, each with the values to try.

        Returns
        -------
        Candidate
        """
        usual, given = defaults(type(model)), model.get_params(deep=False)
        changed = {name: value for name, value in given.items() if value != usual[name]}
        rules = type(model)._rules
        check_parameters(model, rules)

        def spelt(name: str, value: Any) -> Any:
            if isinstance(value, BaseEstimator):
                inner = cls.of(label, value)
                parameters = {"parameters": inner.parameters} if inner.parameters else {}
                return {"learner": inner.learner, **parameters}
            return _spelt(rules[name].to_json(value) if name in rules else value)

        parameters = {name: spelt(name, value) for name, value in changed.items()}
        tried = {name: [spelt(name, value) for value in values] for name, values in (knobs or {}).items()}
        return cls(label, name_of(model), parameters, tried)

    @property
    def inner(self) -> "Candidate | None":
        """The learner that it wraps, if the plan names one; it is fitted for each of several labels."""
        inside = self.parameters.get("estimator")
        if inside is None:
            return None
        named = isinstance(inside, Mapping) and "learner" in inside
        if not named or set(inside) > {"learner", "parameters"}:
            raise PlanError(f"{self._where}: estimator needs a learner and its parameters, got {inside!r}")
        return Candidate(self.label, inside["learner"], inside.get("parameters", {}))

    def seconds(self, shape: Shape) -> float:
        """The estimated seconds of a fit on rows of this shape; `shape.k` is the number of classes or labels.

        Parameters
        ----------
        shape : Shape
            The rows, the columns, and the classes or labels.

        Returns
        -------
        float
        """
        if self.inner is None:
            return fit_seconds(self.learner, shape, self.parameters)
        tuned = 1 + _INNER_FOLDS * ("thresholds" in self.parameters)
        return tuned * shape.k * self.inner.seconds(shape._replace(k=2))

    @property
    def of_sequences(self) -> bool:
        """Whether it predicts the rows of a sequence together."""
        return learner(self.learner).task == "sequence"

    def make(self) -> Any:
        """A new, unfitted learner; PlanError where a parameter is unknown or breaks its rule."""
        return self._made({name: self._value(name, value) for name, value in self.parameters.items()})

    def seeded(self, random_state: int) -> Any:
        """A new, unfitted learner; a random one without a seed of its own gets this one.

        Parameters
        ----------
        random_state : int

        Returns
        -------
        estimator
        """
        model = self.make()
        if model.get_params(deep=False).get("random_state", 0) is None:
            model.set_params(random_state=random_state)
        return model

    def values(self) -> dict[str, list[Any]]:
        """The values to try for each knob; PlanError where one is unknown or breaks its rule."""
        tried = {name: [self._value(name, value) for value in values] for name, values in self.knobs.items()}
        for name, values in tried.items():
            if not values:
                raise PlanError(f"{self._where}: knobs.{name} has no values; list some, or leave it out")
            for value in values:
                self._made({name: value})
        return tried

    @property
    def _where(self) -> str:
        return f"learners.{self.label}"

    def _value(self, name: str, value: Any) -> Any:
        """A parameter's value as the learner takes it."""
        try:
            entry = learner(self.learner)
        except OpenbookError as error:
            raise PlanError(f"{self._where}: {error}") from None
        known = defaults(entry.cls)
        if name not in known:
            hint = did_you_mean(name, tuple(known))
            raise PlanError(f"{self._where}: {self.learner} has no parameter {name!r}. {hint}")
        if name == "estimator" and (inner := self.inner) is not None:
            return inner.make()
        rule = entry.cls._rules.get(name)  # type: ignore[attr-defined]
        if value == NONE and (rule is None or rule.allows(None)):
            return None
        try:
            return rule.from_json(value) if rule else value
        except (OpenbookError, KeyError, TypeError, ValueError) as error:
            demand = f"must be {rule.demand()}" if rule else "cannot be read"
            raise PlanError(f"{self._where}: {name} {demand}, got {value!r} ({error})") from None

    def _made(self, parameters: dict[str, Any]) -> Any:
        try:
            entry = learner(self.learner)
            model = entry.make(**parameters)
            check_parameters(model, entry.cls._rules)  # type: ignore[attr-defined]
        except (OpenbookError, TypeError) as error:
            raise PlanError(f"{self._where}: {error}") from None
        return model


def defaults(cls: type) -> dict[str, Any]:
    """The parameters of a learner's class and their defaults."""
    return {name: parameter.default for name, parameter in signature(cls).parameters.items()}


#: The spelling of None, since TOML has no null.
NONE = "none"


def _spelt(value: Any) -> Any:
    if value is None:
        return NONE
    if isinstance(value, Mapping):
        return {key: _spelt(part) for key, part in value.items() if part is not None}
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Hypothesis:
    """A set of columns from which the target may be predicted, and the learners that try it.

    Attributes
    ----------
    name : str
        Its name in the output.
    attributes : tuple of str, default=()
        The inputs, by name; empty for all.
    without : tuple of str, default=()
        Inputs to leave out.
    learners : tuple of str, default=()
        The labels of the learners that try it; empty for all.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> Hypothesis("wind", attributes=("windy",)).columns(["outlook", "windy"])
    ('windy',)
    """

    name: str
    attributes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()

    def columns(self, inputs: Collection[str]) -> tuple[str, ...]:
        """The inputs of the hypothesis; PlanError if one is absent or none is left.

        Parameters
        ----------
        inputs : collection of str
            The names of all inputs.

        Returns
        -------
        tuple of str
        """
        for name in (*self.attributes, *self.without):
            if name not in inputs:
                hint = did_you_mean(name, tuple(inputs))
                raise PlanError(f"hypotheses.{self.name}: {name!r} is no input. {hint}")
        chosen = self.attributes or tuple(inputs)
        left = tuple(name for name in inputs if name in chosen and name not in self.without)
        if not left:
            raise PlanError(f"hypotheses.{self.name}: no column is left; name fewer in without")
        return left


@dataclass(frozen=True)
class Contestant:
    """A learner on the columns of a hypothesis: one line of the ranking."""

    label: str
    candidate: Candidate
    hypothesis: Hypothesis | None = None


def plain_value(part: Any) -> dict[str, Any]:
    """The fields of a part as a record."""
    return {f.name: _listed(getattr(part, f.name)) for f in fields(part)}


def _listed(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
