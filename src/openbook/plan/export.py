"""A plan as a Python script that stands alone: it uses openbook, and none of its plans."""

from typing import Any

from openbook.plan.plan import Plan
from openbook.registry import learner

__all__ = ["export"]

_HEAD = '''\
"""{title}

Made by `openbook export`. It reads the data, judges the learners on the same folds, chooses one and fits it:
the same figures as the study's, without its plan, its folder and its report.
"""
'''


def export(plan: Plan) -> str:
    """The script."""
    roles, settings = plan.roles, plan.protocol
    models = {c.label: plan.model(c.label) for c in plan.learners}
    parts = [
        _HEAD.format(
            title=f"A study of {plan.data.name}: predicting {roles.target}.".replace("\\", "/").replace(
                '"', "'"
            )
        ),
        _imports(plan, models),
        "# The data, as it was when the plan was made.",
        _data(plan),
        f"X, y = table.drop_missing({roles.target!r}).split({roles.target!r})",
        f"X = X.drop(*{list(roles.ignore)!r})" if roles.ignore else None,
        "",
        "# The learners, and how they are judged.",
        "models = {",
        *(f"    {label!r}: {_call(model)}," for label, model in models.items()),
        "}",
        *_locked(plan),
        f"split = protocol(y_train, {plan.task!r}, seed={settings.seed}{_folds(plan)})",
        "comparison = compare(",
        f"    models, X_train, y_train, split, metrics={list(plan.metrics)!r}, baseline={_baseline(plan)!r}",
        ")",
        "print(comparison)",
        "",
        "# The simplest learner that is not significantly worse than the best.",
        "choice = comparison.simplest_not_worse()",
        "model = models[choice.label].fit(X_train, y_train)",
        'print("\\nchosen:", choice.label)',
        *_final_test(plan),
        "",
        "# One prediction, worked.",
        f"print(model.work(X.take([{'test[0]' if settings.test_share else '0'}])))",
        'ob.save(model, "model.openbook")',
    ]
    return "\n".join(part for part in parts if part is not None) + "\n"


def _imports(plan: Plan, models: dict[str, Any]) -> str:
    names: dict[str, set[str]] = {"openbook.judge": {"compare", "protocol"}}
    if plan.protocol.test_share:
        names["openbook.judge"] |= {"evaluate", "lock_away"}
    for candidate in plan.learners:
        module, name = learner(candidate.learner).place.split(":")
        names.setdefault(module, set()).add(name)
    for model in models.values():
        for value in model.get_params(deep=False).values():
            if hasattr(value, "__dataclass_fields__"):
                package = ".".join(type(value).__module__.split(".")[:2])
                names[package].add(type(value).__name__)
    lines = [f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names)]
    return "\n".join(["import openbook as ob", *lines, ""])


def _data(plan: Plan) -> str:
    kinds = f", {dict(plan.data.kinds)!r}" if plan.data.kinds else ""
    if plan.data.set:
        loaded = f"ob.load({plan.data.set!r})"
        return f"table = ob.read({loaded}{kinds})" if kinds else f"table = {loaded}"
    return f"table = ob.read({plan.data.path!r}{kinds})"


def _call(model: Any) -> str:
    """The learner as code, with the parameters that are not its defaults."""
    usual = type(model)().get_params(deep=False)
    given = {k: v for k, v in model.get_params(deep=False).items() if v != usual[k]}
    arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"{type(model).__name__}({arguments})"


def _folds(plan: Plan) -> str:
    settings = plan.protocol
    return "" if settings.folds is None else f", folds={settings.folds}, repeats={settings.repeats}"


def _baseline(plan: Plan) -> str:
    return (*plan.baselines, plan.learners[0].label)[0]


def _locked(plan: Plan) -> list[str]:
    settings = plan.protocol
    if not settings.test_share:
        return ["X_train, y_train = X, y"]
    return [
        f"share, seed = {settings.test_share!r}, {settings.seed}",
        f"train, test = lock_away(X, y, share, seed, {plan.task!r})",
        "X_train, y_train = X.take(train), y.take(train)",
    ]


def _final_test(plan: Plan) -> list[str]:
    if not plan.protocol.test_share:
        return []
    return [
        "",
        "# The rows that were locked away, met once.",
        f"print(evaluate(models[choice.label], X, y, [(train, test)], metrics={list(plan.metrics)!r}))",
    ]
