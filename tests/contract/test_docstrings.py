"""`help(X)` is sufficient on its own: type, default and meaning of every parameter, and an example.

For every public class and function, and every public method of such a class:

- "Parameters" describes each parameter of the signature as `name : type, default=value`, with its meaning
  below; shared meanings come from `openbook.words.parameters`;
- a function that returns something says what, under "Returns" or "Yields";
- a class or function has an example, and a line "Guide: docs/guide/….md" that names its page;
- fitted attributes are listed under "Attributes"; so are the fields of results (dataclasses, named tuples),
  which nobody makes by hand;
- nothing refers to the docstring of another ("as for …").
"""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import openbook
from openbook.registry import LEARNERS

ROOT = Path(__file__).parents[2]

#: Methods of scikit-learn's that every estimator inherits.
FOREIGN = {"get_params", "set_params", "get_metadata_routing", "set_output"}


def rooms():
    found = [module.name for module in pkgutil.iter_modules(openbook.__path__, "openbook.") if module.ispkg]
    return ["openbook", *found]


def public():
    """Every public class and function of every room, under its own name."""
    for room in rooms():
        module = importlib.import_module(room)
        for name in getattr(module, "__all__", ()):
            made = getattr(module, name)
            if inspect.isfunction(made) or inspect.isclass(made):
                yield pytest.param(made, id=f"{room}.{name}")


def methods(cls):
    """The public methods that help shows, but for scikit-learn's own and functions kept as values."""
    for name, made in inspect.getmembers(cls):
        if not (inspect.isfunction(made) or inspect.ismethod(made)):
            continue
        public = not name.startswith("_") and "." in made.__qualname__
        ours = made.__module__.startswith("openbook") and name not in FOREIGN
        if public and ours and not name.endswith("_request"):
            yield made


def section(doc, title):
    """The lines of a section of a docstring."""
    lines = inspect.cleandoc(doc).splitlines()
    starts = [
        i for i, line in enumerate(lines) if line == title and lines[i + 1 : i + 2] == ["-" * len(title)]
    ]
    if not starts:
        return []
    rest = lines[starts[0] + 2 :]
    ends = [i - 1 for i, line in enumerate(rest) if i and line and set(line) == {"-"}]
    return rest[: ends[0]] if ends else rest


def described(doc, title="Parameters"):
    """What a section says: name -> (type, meaning)."""
    found, names = {}, []
    for line in section(doc, title):
        if line and not line.startswith(" "):
            head, _, kind = line.partition(" : ")
            names = [name.strip().lstrip("*") for name in head.split(",")]
            found |= {name: [kind, ""] for name in names}
        else:
            for name in names:
                found[name][1] += line.strip()
    return found


def is_record(made):
    """Whether it is a dataclass or a named tuple, whose fields may be described as attributes."""
    if not inspect.isclass(made) or hasattr(made, "get_params"):
        return False
    return dataclasses.is_dataclass(made) or hasattr(made, "_fields")


def _plain(text):
    """Either sort of quotation mark is fine."""
    return text.replace('"', "'")


def complaints(made, doc):
    """What is missing in the description of the parameters."""
    try:
        parameters = inspect.signature(made).parameters.values()
    except ValueError:
        return
    told = described(doc)
    fields = described(doc, "Attributes") if is_record(made) else {}
    told = fields | told
    for one in parameters:
        if one.name in {"self", "cls"} or one.name.startswith("_"):
            continue
        if one.name not in told:
            yield f"{one.name} is not described"
            continue
        kind, meaning = told[one.name]
        if not kind:
            yield f"{one.name} has no type"
        if not meaning:
            yield f"{one.name} has no meaning"
        said = one.name in fields or one.default is one.empty
        default = one.default.__name__ if inspect.isfunction(one.default) else repr(one.default)
        if not said and _plain(f"default={default}") not in _plain(kind):
            yield f"{one.name} does not say default={default}"


def own_doc(made):
    doc = inspect.getdoc(made) or ""
    assert doc, f"{made.__qualname__} has no docstring"
    assert not re.search(r"\bas (for|in) `", doc), f"{made.__qualname__} refers to another docstring"
    return doc


def returns(made, doc):
    """Whether it says what comes back."""
    if section(doc, "Returns") or section(doc, "Yields"):
        return True
    source = inspect.getsource(made)
    return not re.search(r"^\s+(return [^\n]|yield )", source, re.MULTILINE)


@pytest.mark.parametrize("made", list(public()))
def test_help_is_sufficient(made):
    doc = own_doc(made)
    assert list(complaints(made, doc)) == []
    assert ">>>" in doc, "has no example"
    page = re.search(r"Guide: (docs/\S+\.md)", doc)
    assert page, "names no page of the guide"
    assert (ROOT / page[1]).exists()
    if inspect.isfunction(made):
        assert returns(made, doc), "does not say what it returns"


@pytest.mark.parametrize("made", [one for one in public() if inspect.isclass(one.values[0])])
def test_help_of_methods_is_sufficient(made):
    found = {}
    for method in methods(made):
        doc = own_doc(method)
        if missing := list(complaints(method, doc)):
            found[method.__name__] = missing
    assert found == {}


#: What the type of an attribute begins with: a word of these, the name of a class, or a choice of texts.
TYPES = re.compile(
    r"(array|bool|callable|classifier|clusterer|collection|csr_matrix|date|dict|estimator|float|frozenset|int"
    r"|label|learner|list|mapping|ndarray|number|object|sequence|set|splitter|str|tuple)\b|[A-Z\"{]"
)


@pytest.mark.parametrize("made", [one for one in public() if inspect.isclass(one.values[0])])
def test_attributes_have_a_type_and_a_meaning(made):
    told = described(own_doc(made), "Attributes")
    assert [name for name, (kind, meaning) in told.items() if not TYPES.match(kind) or not meaning] == []


def fitted_attributes(model):
    names = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    return set(names) - {"schema_", "n_features_in_", "feature_names_in_", "target_", "note_"}


@pytest.mark.parametrize(
    "entry", [e for e in LEARNERS.values() if e.place.rpartition(":")[0] in rooms()], ids=str
)
def test_fitted_attributes_are_listed(entry):
    X, y = openbook.load("iris").split("species")
    if entry.task == "regression":
        X, y = X.drop("petal length (cm)"), X.column("petal length (cm)")
    model = entry.make()
    if model.refusal(X.schema):
        X, y = openbook.load("weather").split("play")
    if entry.task == "text":
        X = ["to be or not", "to be"]
    model.fit(X, y)  # which is ignored by what learns without a target
    told = described(own_doc(entry.cls), "Attributes")
    assert fitted_attributes(model) - set(told) == set()
