"""Parameter rules are data: one function words every error, and the model file writes values by them.

class OneR(Declared, Folding, Classifier):
    bins: Annotated[int, Whole(at_least=2)] = 10

ParameterError: OneR: bins must be a whole number of at least 2, got 1.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Protocol

from openbook.data.attributes import Attribute
from openbook.errors import ParameterError, did_you_mean


class ParameterRule(Protocol):
    """What a parameter may be."""

    def demand(self) -> str:
        """What it must be, to follow "must be"."""

    def allows(self, value: Any) -> bool: ...

    def to_json(self, value: Any) -> Any:
        """The value as JSON; called only for values that the rule allows."""

    def from_json(self, record: Any) -> Any:
        """The value behind `to_json`; raises ValueError or TypeError on nonsense."""


class _Plain:
    """Values that are JSON as they are."""

    def to_json(self, value: Any) -> Any:
        return value.tolist() if hasattr(value, "tolist") else value

    def from_json(self, record: Any) -> Any:
        return record


class OneOf(_Plain):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def demand(self) -> str:
        return "one of " + ", ".join(map(repr, self.words))

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words


class SomeOf(OneOf):
    """A list of some of a few words, each once."""

    def demand(self) -> str:
        return "a list of some of " + ", ".join(map(repr, self.words))

    def allows(self, value: Any) -> bool:
        listed = isinstance(value, list | tuple) and len(set(value)) == len(value)
        return listed and all(map(super().allows, value))

    def from_json(self, record: Any) -> Any:
        return tuple(record)


@dataclass(frozen=True)
class Number(_Plain):
    """A finite number, at least `at_least` or more than `above`, and no more than `at_most`.

    With `unlimited`, infinity is allowed too.
    """

    at_least: float = -math.inf
    above: float = -math.inf
    at_most: float = math.inf
    unlimited: bool = False

    def demand(self) -> str:
        words = "a number"
        if self.at_least > -math.inf:
            words += f" of at least {self.at_least:g}"
        elif self.above > -math.inf:
            words += f" above {self.above:g}"
        if self.unlimited:
            return f"{words}, or math.inf"
        return words if self.at_most == math.inf else f"{words} and at most {self.at_most:g}"

    def allows(self, value: Any) -> bool:
        return (
            isinstance(value, Real)
            and not isinstance(value, bool)
            and (math.isfinite(value) or (self.unlimited and value == math.inf))
            and float(value) >= self.at_least
            and float(value) > self.above
            and float(value) <= self.at_most
        )

    def to_json(self, value: Any) -> Any:
        return "inf" if value == math.inf else super().to_json(value)

    def from_json(self, record: Any) -> Any:
        return math.inf if record == "inf" else record


@dataclass(frozen=True)
class Whole(_Plain):
    """A whole number of at least `at_least`."""

    at_least: int = 0

    def demand(self) -> str:
        return f"a whole number of at least {self.at_least}"

    def allows(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= self.at_least


class Workers(_Plain):
    """A number of workers as joblib takes it: -1 for one per core, -2 for all cores but one."""

    def demand(self) -> str:
        return "a whole number other than 0"

    def allows(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and value != 0


class Names(_Plain):
    """A list of names, each once: of columns, say."""

    def demand(self) -> str:
        return "a list of names, each once"

    def allows(self, value: Any) -> bool:
        listed = isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)
        return listed and len(set(value)) == len(value)

    def from_json(self, record: Any) -> Any:
        return list(record)


class Ascending(_Plain):
    """A list of numbers, ascending."""

    def demand(self) -> str:
        return "a list of numbers, ascending"

    def allows(self, value: Any) -> bool:
        listed = isinstance(value, list | tuple) and all(map(Number().allows, value))
        return listed and all(a < b for a, b in pairwise(value))

    def from_json(self, record: Any) -> Any:
        return list(record)


@dataclass(frozen=True)
class Flag(_Plain):
    """Yes or no."""

    def demand(self) -> str:
        return "True or False"

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True)
class Ends:
    """The ends of a range: two numbers, the smaller first."""

    def demand(self) -> str:
        return "two numbers, the smaller first"

    def allows(self, value: Any) -> bool:
        pair = isinstance(value, tuple | list) and len(value) == 2 and all(map(Number().allows, value))
        return pair and value[0] < value[1]

    def to_json(self, value: Any) -> Any:
        return [float(end) for end in value]

    def from_json(self, record: Any) -> Any:
        return tuple(record)


class WordOr:
    """One of a few words, or what the inner rule allows."""

    def __init__(self, inner: ParameterRule, *words: str | None) -> None:
        self.inner, self.words = inner, words

    def demand(self) -> str:
        return f"{', '.join(map(repr, self.words))} or {self.inner.demand()}"

    def _is_word(self, value: Any) -> bool:
        return (value is None or isinstance(value, str)) and value in self.words

    def allows(self, value: Any) -> bool:
        return self._is_word(value) or self.inner.allows(value)

    def to_json(self, value: Any) -> Any:
        return value if self._is_word(value) else self.inner.to_json(value)

    def from_json(self, record: Any) -> Any:
        return record if self._is_word(record) else self.inner.from_json(record)


class Maybe(WordOr):
    """None, or what the inner rule allows."""

    def __init__(self, inner: ParameterRule) -> None:
        super().__init__(inner, None)


WORKERS = Maybe(Workers())


class Auto(WordOr):
    """The word "auto", or what the inner rule allows."""

    def __init__(self, inner: ParameterRule) -> None:
        super().__init__(inner, "auto")


class ValueOf:
    """A small frozen value of one of these dataclasses, whose fields are JSON: Laplace(1.0)."""

    def __init__(self, *types: type) -> None:
        self.types = {cls.__name__: cls for cls in types}

    def demand(self) -> str:
        return "one of " + ", ".join(f"{name}(…)" for name in self.types)

    def allows(self, value: Any) -> bool:
        return isinstance(value, tuple(self.types.values()))

    def to_json(self, value: Any) -> Any:
        return {"type": type(value).__name__, **asdict(value)}

    def from_json(self, record: Any) -> Any:
        fields = dict(record)
        name = fields.pop("type")
        if name not in self.types:
            raise ValueError(f"unknown value {name!r}. {did_you_mean(str(name), tuple(self.types))}")
        return self.types[name](**fields)


@dataclass(frozen=True)
class Anything(_Plain):
    """Whatever the learner itself checks while it fits; `what` says it in words."""

    what: str

    def demand(self) -> str:
        return self.what

    def allows(self, value: Any) -> bool:  # noqa: ARG002 (the learner looks)
        return True


@dataclass(frozen=True)
class NamedOr(Anything):
    """One of a few words, or a function."""

    words: tuple[str, ...] = ()

    def demand(self) -> str:
        return f"one of {', '.join(map(repr, self.words))}, or {self.what}"

    def allows(self, value: Any) -> bool:
        return callable(value) or (isinstance(value, str) and value in self.words)


@dataclass(frozen=True)
class ColumnKinds(Anything):
    """Kinds as `openbook.read` takes them; attributes are written as in a schema."""

    what: str = "None or kinds as in openbook.read"

    def to_json(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        kinds = {key: kind.to_json() if isinstance(kind, Attribute) else kind for key, kind in value.items()}
        # columns may go by position, and JSON has no numbers for keys
        return kinds if all(isinstance(key, str) for key in kinds) else [list(pair) for pair in kinds.items()]

    def from_json(self, record: Any) -> Any:
        if not isinstance(record, Mapping | list):
            return record
        return {
            key: Attribute.from_json(kind) if isinstance(kind, Mapping) else kind
            for key, kind in dict(record).items()
        }


def check_value(name: str, value: Any, rule: ParameterRule) -> None:
    """Refuse a value of a function's parameter that its rule does not allow."""
    if not rule.allows(value):
        raise ParameterError(f"{name} must be {rule.demand()}, got {value!r}")


def check_parameters(learner: Any, rules: Mapping[str, ParameterRule]) -> None:
    """Raise ParameterError for the first parameter that breaks its rule."""
    for name, rule in rules.items():
        value = getattr(learner, name)
        if not rule.allows(value):
            raise ParameterError(f"{type(learner).__name__}: {name} must be {rule.demand()}, got {value!r}.")
