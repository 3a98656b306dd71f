"""A plan as a Python script that stands alone: it uses openbook, and none of its plans."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from sklearn.base import BaseEstimator

from openbook.decide import MinimumRisk, TunedThresholdClassifierCV
from openbook.judge import TimeOrdered, Tuning
from openbook.plan.money import COST, by_decision
from openbook.plan.parts import Contestant, Hypothesis, defaults
from openbook.plan.plan import Plan
from openbook.plan.source import Source

__all__ = ["export", "home_of", "one_line", "source_code", "table_code"]


def export(plan: Plan) -> str:
    """The script."""
    models = {each.label: plan.model(each.label) for each in plan.contestants}
    parts = [
        _head(plan, models),
        _data(plan),
        _learners(plan, models),
        _judging(plan),
        _choosing(plan),
        _testing(plan) if plan.protocol.test_share else [],
        _working(plan),
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(plan: Plan, models: dict[str, Any]) -> list[str]:
    return [
        f'"""A study of {one_line(plan.data.name)}: predicting {one_line(plan.roles.target)}.',
        "",
        "Made by `openbook export`. It reads the data, judges the learners on the same folds, chooses one",
        "and fits it: the same figures as the study's, without its plan, its folder and its report.",
        '"""',
        "",
        "import openbook as ob",
        *_imports(plan, models),
    ]


def _data(plan: Plan) -> Iterator[str]:
    roles = plan.roles
    target = repr(roles.target)
    yield from ("", "# The data.", f"table = {table_code(plan.data)}")
    if plan.uses_unlabelled:
        yield "# The study had unlabelled rows for the learners that use them; this script leaves them out."
    positive = "" if roles.positive is None else f", {roles.positive!r}"
    last = [f"y = positive_last(y{positive})  # the positive one of two classes is the second"]
    last = last if plan.task == "classification" else []
    if len(roles.no_inputs) == 1 and not roles.named:
        yield from (f"X, y = table.drop_missing({target}).split({target})", *last)
        return
    if roles.time is not None:
        yield f"table = with_calendar(table, {roles.time!r})  # weekdays and the like; the time itself goes"
    yield f"table = table.drop_missing({target})"
    if plan.protocol.weights == "frequency":
        yield f"counts = table.data({roles.weight!r}).astype(int)  # how many rows each row stands for"
        yield "table = table.take([row for row, count in enumerate(counts) for _ in range(count)])"
    if roles.time is not None:
        yield f"when = time_codes(table.column({roles.time!r}), len(table))"
        yield 'table = table.take(when.argsort(kind="stable"))'
    gone = [name for name in roles.no_inputs if name != roles.sequence]
    yield from (f"X, y = table.drop(*{gone!r}), table.column({target})", *last)
    for name, column in (("groups", roles.together), ("time", roles.time)):
        if column is not None:
            yield f"{name} = table.column({column!r})"
    if roles.asked is not None:
        yield f"asked = asked_rows(table.column({roles.asked!r}))  # these rows train, and are never tested"
    if plan.weighs:
        yield f"weights = table.data({roles.weight!r})  # they count in learning, and not in the scores"


def _learners(plan: Plan, models: dict[str, Any]) -> Iterator[str]:
    yield from (
        "",
        "# The learners, and how they are judged.",
        f"random_state = {plan.protocol.random_state}",
    )
    if plan.costs:
        yield f"costs = {by_decision(plan.costs)!r}  # the cost of each decision, by the true class"
        names = ", ".join("cost" if name == COST else repr(name) for name in plan.metrics)
        yield "cost = cost_metric(costs, y)"
        yield f"metrics = [{names}]"
    else:
        yield f"metrics = {list(plan.metrics)!r}"
    yield "models = {"
    yield from (f"    {label!r}: {source_code(model)}," for label, model in models.items())
    yield "}"
    if _own_columns(plan):
        yield "# The columns that learners are given."
        yield "columns = {"
        for each in plan.contestants:
            yield f"    {each.label!r}: {_columns(each, plan.roles.sequence)},"
        yield "}"


def _own_columns(plan: Plan) -> bool:
    """Whether not all learners are given the same columns."""
    return bool(plan.hypotheses) or plan.roles.sequence is not None


def _columns(each: Contestant, sequence: str | None) -> str:
    hypothesis = each.hypothesis or Hypothesis("all columns")
    among, gone = list(hypothesis.attributes), list(hypothesis.without)
    if sequence is not None and each.candidate.of_sequences:
        among += [sequence] if among else []
    elif sequence is not None:
        gone.append(sequence)
    named = f" if name in {among!r}" if among else ""
    left_out = f" if name not in {gone!r}" if gone else ""
    return f"[name for name in X.names{named}{left_out}]" if named or left_out else "X.names"


def _judging(plan: Plan) -> Iterator[str]:
    settings, task = plan.protocol, repr(plan.task)
    order = [role for role, name in (("groups", plan.roles.together), ("time", plan.roles.time)) if name]
    only = "" if plan.roles.asked is None else ", train_only=asked"
    if settings.test_share:
        given = "".join(f", {role}={role}" for role in order) + _known(plan) + only
        yield f"train, test = lock_away(X, y, {settings.test_share!r}, random_state, {task}{given})"
        yield "X_train, y_train = X.take(train), y.take(train)"
    else:
        yield "X_train, y_train = X, y"
    cut = ".take(train)" if settings.test_share else ""
    folds = "" if settings.folds is None else f", n_splits={settings.folds}"
    folds += "" if settings.repeats is None else f", repeats={settings.repeats}"
    given = "".join(f", {role}={role}{cut}" for role in order)
    only += "[train]" if only and settings.test_share else ""
    yield f"cv = protocol(y_train, {task}, random_state{folds}{given}{_known(plan)}{only})"
    baselines = list(plan.baselines) or [plan.contestants[0].label]
    more = _more(plan, train=True)
    if not _own_columns(plan):
        call = f"compare(models, X_train, y_train, cv, metrics, baseline={baselines!r}{more})"
        yield f"comparison = {call}"
    else:
        inputs = "X_train.select(columns[label])"
        yield "evaluations = {"
        yield f"    label: evaluate(model, {inputs}, y_train, cv, metrics, name=label{more})"
        yield "    for label, model in models.items()"
        yield "}"
        yield f"comparison = Comparison(evaluations, {baselines[0]!r}, {baselines!r})"
    yield "print(comparison)"


def _choosing(plan: Plan) -> Iterator[str]:
    yield from ("", "# Which model, and why.")
    margin = "" if plan.margin is None else f", margin={plan.margin!r}"
    yield f"choice = choose(comparison, {plan.choose!r}{margin})"
    yield 'print(anything_to_learn(comparison).headline, choice.reason, sep="\\n")'
    inputs = "X_train.select(columns[choice.label])" if _own_columns(plan) else "X_train"
    chosen = "chosen" if _with_threshold(plan) else "models[choice.label]"
    more = _fitting(plan, "train" if plan.protocol.test_share else "", chosen)
    yield from _deciding(plan)
    yield f"model = {chosen}.fit({inputs}, y_train{more})"
    if _tuned(plan):
        yield 'model = getattr(model, "model_", model)  # what tuning settled on'
    yield 'print("chosen:", choice.label)'
    yield 'ob.save(model, "model.openbook")'


def _deciding(plan: Plan) -> Iterator[str]:
    """The chosen learner with a threshold that is tuned around it, where the study tunes one."""
    tuned = _with_threshold(plan)
    if not tuned:
        return
    yield "chosen = models[choice.label]"
    call = "chosen = TunedThresholdClassifierCV(chosen, random_state=random_state)"
    why = "# the decision threshold is tuned on training rows"
    if len(tuned) == len(plan.contestants):
        yield f"{call}  {why}"
    else:
        yield from (f"if choice.label in {tuned!r}:", f"    {call}  {why}")


def _with_threshold(plan: Plan) -> list[str]:
    """Those whose threshold is tuned, if they are chosen."""
    labels = [each.label for each in plan.contestants]
    return [label for label in labels if isinstance(plan.decider(label), TunedThresholdClassifierCV)]


def _testing(plan: Plan) -> Iterator[str]:
    yield from ("", "# The final test on the held-out rows.")
    inputs = "X.select(columns[label])" if _own_columns(plan) else "X"
    ordered = ", ordered=True" if plan.roles.time else ""
    model = "chosen if label == choice.label else models[label]" if _with_threshold(plan) else "models[label]"
    call = f"evaluate({model}, {inputs}, y, [(train, test)], metrics, name=label{_more(plan)}{ordered})"
    yield "tests = {"
    yield f"    label: {call}"
    yield f"    for label in dict.fromkeys([choice.label, *{list(plan.baselines)!r}])"
    yield "}"
    yield 'print(*tests.values(), sep="\\n")'


def _working(plan: Plan) -> Iterator[str]:
    yield from ("", "# Notable predictions for rows that the model had not seen, step by step.")
    if plan.protocol.test_share:
        yield "for each in notable_predictions(tests[choice.label]):"
        yield '    print(f"{each.words}\\n{model.work(X.take([each.row]))}")'
        return
    yield "folds = list(cv.split(X_train, y_train))"
    yield "for each in notable_predictions(comparison[choice.label]):"
    yield "    rows = folds[each.fold][0]"
    inputs = ".select(columns[choice.label])" if _own_columns(plan) else ""
    more = _fitting(plan, "rows", "models[choice.label]")
    yield f"    fitted = models[choice.label].fit(X{inputs}.take(rows), y.take(rows){more})"
    yield '    print(f"{each.words}\\n{fitted.work(X.take([each.row]))}")'


def _more(plan: Plan, *, train: bool = False) -> str:
    """What `evaluate` is told besides: groups, for knobs that are tuned inside, and weights."""
    some = train and plan.protocol.test_share
    more = ""
    if plan.roles.together is not None:
        more += ", groups=groups.take(train)" if some else ", groups=groups"
    if plan.weighs:
        more += ", sample_weight=weights[train]" if some else ", sample_weight=weights"
    if plan.roles.time is not None and (_tuned(plan) or _with_threshold(plan)):
        more += ", time=time.take(train)" if some else ", time=time"
    return more + _known(plan)


def _known(plan: Plan) -> str:
    """That groups which are tested may also train, where they may."""
    return ", test_groups='known'" if plan.protocol.test_groups == "known" else ""


def _fitting(plan: Plan, rows: str, model: str) -> str:
    """What `fit` is told besides: the weights of some rows, or of all; and their groups, if it tunes."""
    more = ""
    if plan.weighs:
        more += f", sample_weight=weights[{rows}]" if rows else ", sample_weight=weights"
    takers = ["Tuning"] if _tuned(plan) else []
    if model == "chosen":
        takers.append("TunedThresholdClassifierCV")
    order = [
        name for name, of in (("groups", plan.roles.together), ("time", plan.roles.time)) if of is not None
    ]
    if order and takers:
        given = ", ".join(f'"{name}": {name}.take({rows})' if rows else f'"{name}": {name}' for name in order)
        more += f", **({{{given}}} if isinstance({model}, {' | '.join(takers)}) else {{}})"
    return more


def _tuned(plan: Plan) -> bool:
    return any(candidate.knobs for candidate in plan.learners)


def one_line(text: str) -> str:
    """Text that cannot end the docstring that it stands in."""
    return repr(text)[1:-1].replace('"', "'").replace("\\", "/")


def _imports(plan: Plan, models: dict[str, Any]) -> Iterator[str]:
    names = {
        "openbook.judge": {
            "protocol",
            "anything_to_learn",
            "choose",
            "notable_predictions",
            *(["evaluate", "Comparison"] if _own_columns(plan) else ["compare"]),
        }
    }
    needed = {
        "openbook.judge.scores.positive": plan.task == "classification" and "positive_last",
        "openbook.data.label_sets": plan.data.labels and "with_label_sets",
        "openbook.label.answers": plan.roles.asked and "asked_rows",
        "openbook.decide": _with_threshold(plan) and "TunedThresholdClassifierCV",
    }
    names |= {module: {name} for module, name in needed.items() if isinstance(name, str)}
    if plan.costs:
        names["openbook.judge"].add("cost_metric")
    if plan.roles.time:
        names["openbook.data.date_parts"] = {"with_calendar"}
        names["openbook.judge.folds.splitters"] = {"time_codes"}
        if _tuned(plan):
            names["openbook.judge"].add("TimeOrdered")
    if plan.protocol.test_share:
        names["openbook.judge"] |= {"evaluate", "lock_away"}
    for model in models.values():
        for part in _parts(model):
            names.setdefault(home_of(part), set()).add(type(part).__name__)
    for module in sorted(names):
        yield f"from {module} import {', '.join(sorted(names[module], key=_as_sorted))}"


def _as_sorted(name: str) -> tuple[bool, str]:
    return not name[:1].isupper(), name


def _parts(value: Any) -> Iterator[Any]:
    """The learners and the small values that a call is made of."""
    if isinstance(value, BaseEstimator):
        yield value
        for part in _given(value).values():
            yield from _parts(part)
    elif is_dataclass(value):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _parts(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _parts(part)


def home_of(part: Any) -> str:
    """The module to import a learner or a small value from: the package that its file is in."""
    return ".".join(type(part).__module__.split(".")[:2])


def table_code(data: Source) -> str:
    """How the table is read, as code."""
    kinds = f", {dict(data.kinds)!r}" if data.kinds else ""
    if data.set is None:
        options = "".join(f", {name}={value!r}" for name, value in data.read_with.items())
        read = f"ob.read({data.path!r}{kinds}{options})"
    else:
        loaded = f"ob.load({data.set!r})"
        read = f"ob.read({loaded}{kinds})" if kinds else loaded
    return f"with_label_sets({read}, {list(data.labels)!r})" if data.labels else read


def source_code(value: Any) -> str:
    """A learner, or what it is given, as code."""
    if isinstance(value, MinimumRisk):
        return f"MinimumRisk({source_code(value.estimator)}, costs)"
    if isinstance(value, Tuning):
        decides = "cost" if value.metric == COST else repr(value.metric)
        inner = "" if value.cv is None else f", cv={_inner(value.cv)}"
        search = "" if value.search == "grid" else f", search={value.search!r}"
        settings = f"{value.knobs!r}{inner}, metric={decides}{search}, random_state=random_state"
        return f"Tuning({source_code(value.model)}, {settings})"
    if isinstance(value, BaseEstimator):
        arguments = ", ".join(f"{name}={source_code(given)}" for name, given in _given(value).items())
        return f"{type(value).__name__}({arguments})"
    return repr(value)


def _inner(split: TimeOrdered) -> str:
    return "TimeOrdered(test_groups='known')" if split.test_groups == "known" else "TimeOrdered()"


def _given(model: Any) -> dict[str, Any]:
    """The parameters that are not the learner's defaults."""
    usual = defaults(type(model))
    return {name: value for name, value in model.get_params(deep=False).items() if value != usual[name]}
