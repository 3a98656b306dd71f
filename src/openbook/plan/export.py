"""A plan as a Python script that stands alone: it uses openbook, and none of its plans."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from openbook.plan.plan import Plan, defaults
from openbook.registry import learner

__all__ = ["export"]

_HEAD = '''\
"""A study of {name}: predicting {target}.

Made by `openbook export`. It reads the data, judges the learners on the same folds, chooses one and fits it:
the same figures as the study's, without its plan, its folder and its report.
"""

{imports}

# The data.
table = {table}
X, y = table.drop_missing({target!r}).split({target!r})
'''

_MODELS = """
# The learners, and how they are judged.
seed = {seed}
metrics = {metrics!r}
models = {{
{models}
}}
"""

_LOCKED = """\
train, test = lock_away(X, y, {share!r}, seed, {task!r})
X_train, y_train = X.take(train), y.take(train)
"""

_COMPARE = """\
split = protocol(y_train, {task!r}, seed{folds})
{compare}
print(comparison)

# The simplest learner that is not significantly worse than the best.
choice = comparison.simplest_not_worse()
model = models[choice.label].fit(X_train, y_train)
print("chosen:", choice.label)
"""

_TEST = """
# The rows that were locked away, met once.
print(evaluate(model, X, y, [(train, test)], metrics, name=choice.label))
"""

_WORK = """
# One prediction, worked.
print(model.work(X.take([{row}])))
ob.save(model, "model.openbook")
"""


def export(plan: Plan) -> str:
    """The script."""
    settings = plan.protocol
    models = {c.label: plan.model(c.label) for c in plan.learners}
    words = {
        "name": _one_line(plan.data.name),
        "target": plan.roles.target,
        "imports": "\n".join(_imports(plan, models)),
        "table": _table(plan),
        "seed": settings.seed,
        "metrics": list(plan.metrics),
        "models": "\n".join(f"    {label!r}: {_call(model)}," for label, model in models.items()),
        "share": settings.test_share,
        "task": plan.task,
        "folds": "" if settings.folds is None else f", folds={settings.folds}, repeats={settings.repeats}",
        "compare": _comparison(plan),
        "row": "test[0]" if settings.test_share else "0",
    }
    head = _HEAD.replace("predicting {target}", f"predicting {_braced(_one_line(plan.roles.target))}")
    parts = [
        head,
        f"X = X.drop(*{_braced(repr(list(plan.roles.ignore)))})\n" if plan.roles.ignore else "",
        _MODELS,
        _LOCKED if settings.test_share else "X_train, y_train = X, y\n",
        _COMPARE,
        _TEST if settings.test_share else "",
        _WORK,
    ]
    return "".join(parts).format(**words)


def _comparison(plan: Plan) -> str:
    """The call of `compare`."""
    baseline = (*plan.baselines, plan.learners[0].label)[0]
    call = f"comparison = compare(models, X_train, y_train, split, metrics, baseline={baseline!r}"
    if not plan.ensembles:
        return f"{call})"
    teams = "".join(f"    {label!r}: {list(members)!r},\n" for label, members in plan.ensembles.items())
    return (
        "# An ensemble is offered only where it is significantly better than the best of these.\n"
        f"ensembles = {{\n{teams}}}\n{call}, ensembles=ensembles)"
    )


def _one_line(text: str) -> str:
    """Text that cannot end the docstring that it stands in."""
    return repr(text)[1:-1].replace('"', "'").replace("\\", "/")


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _imports(plan: Plan, models: dict[str, Any]) -> Iterator[str]:
    names = {"openbook.judge": {"compare", "protocol"}}
    if plan.protocol.test_share:
        names["openbook.judge"] |= {"evaluate", "lock_away"}
    for candidate in plan.learners:
        module, name = learner(candidate.learner).place.split(":")
        names.setdefault(module, set()).add(name)
        values = _given(models[candidate.label]).values()
        names[module] |= {type(value).__name__ for value in values if is_dataclass(value)}
    yield "import openbook as ob"
    for module in sorted(names):
        yield f"from {module} import {', '.join(sorted(names[module]))}"


def _table(plan: Plan) -> str:
    kinds = f", {dict(plan.data.kinds)!r}" if plan.data.kinds else ""
    if plan.data.set is None:
        return f"ob.read({plan.data.path!r}{kinds})"
    loaded = f"ob.load({plan.data.set!r})"
    return f"ob.read({loaded}{kinds})" if kinds else loaded


def _call(model: Any) -> str:
    """The learner as code."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in _given(model).items())
    return f"{type(model).__name__}({arguments})"


def _given(model: Any) -> dict[str, Any]:
    """The parameters that are not the learner's defaults."""
    usual = defaults(type(model))
    return {name: value for name, value in model.get_params(deep=False).items() if value != usual[name]}
