"""A plan as a standalone Python script, which uses openbook but no plan.

The script of a study is templates/study.py.jinja, that of an exploration templates/exploration.py.jinja.
"""

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from openbook.decide import MinimumRisk, TunedThresholdClassifierCV
from openbook.judge import Tuning
from openbook.plan.explore_plan import ExplorePlan
from openbook.plan.money import COST, by_decision
from openbook.plan.parts import Contestant, Hypothesis, defaults
from openbook.plan.plan import Plan
from openbook.plan.source import Source
from openbook.report.templates import environment


def export(plan: Plan) -> str:
    """The script of a study."""
    models = {each.label: plan.model(each.label) for each in plan.contestants}
    own = plan.hypotheses or plan.roles.sequence is not None  # not all learners are given the same columns
    named = {"groups": plan.roles.together, "time": plan.roles.time}
    order = {role: name for role, name in named.items() if name is not None}
    thresholds = [
        each.label
        for each in plan.contestants
        if isinstance(plan.decider(each.label), TunedThresholdClassifierCV)
    ]
    tuned = any(candidate.knobs for candidate in plan.learners)
    script = _Script(plan, order, thresholds, tuned)
    return _rendered(
        "study",
        plan=plan,
        roles=plan.roles,
        protocol=plan.protocol,
        target=repr(plan.roles.target),
        imports=_imports(_names(plan, own=bool(own), script=script), models.values()),
        table=_table_code(plan.data),
        order=order,
        costs=by_decision(plan.costs),
        metrics="[" + ", ".join("cost" if name == COST else repr(name) for name in plan.metrics) + "]",
        models=models,
        columns={each.label: _columns(each, plan.roles.sequence) for each in plan.contestants} if own else {},
        thresholds=thresholds,
        tuned=tuned,
        evaluated=script.evaluated,
        fitted=script.fitted,
    )


def export_exploration(plan: ExplorePlan) -> str:
    """The script of a study without a target."""
    names = {
        "openbook.associate": {"association_rules", "frequent_itemsets"},
        "openbook.border.directions": {"in_directions", "without_directions"},
        "openbook.cluster": {"choose_k", "cluster_quality", "describe_clusters"},
    }
    if plan.roles.aside is not None:
        names["openbook.cluster"].add("contingency")
        names["openbook.data"] = {"Categorical"}
    imports = _imports(names, (plan.clusterer(), plan.detector()))
    return _rendered("exploration", plan=plan, imports=imports, table=_table_code(plan.data))


def _rendered(name: str, **facts: Any) -> str:
    scripts = environment("plan")
    scripts.filters |= {"repr": repr, "code": _code, "in_one_line": _in_one_line}
    return scripts.get_template(f"{name}.py.jinja").render(facts)


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


class _Script(NamedTuple):
    """The facts that the calls of a script depend on."""

    plan: Plan
    order: dict[str, str]
    thresholds: list[str]
    tuned: bool

    def evaluated(self, *, train: bool = False) -> str:
        """Further arguments of `evaluate`: groups, the time if knobs or thresholds are tuned, and weights."""
        some = train and self.plan.protocol.test_share
        taken, chosen = (".take(train)", "[train]") if some else ("", "")
        more = f", groups=groups{taken}" if "groups" in self.order else ""
        more += f", sample_weight=weights{chosen}" if self.plan.weighs else ""
        more += f", time=time{taken}" if "time" in self.order and (self.tuned or self.thresholds) else ""
        return more + (", test_groups='known'" if self.plan.protocol.test_groups == "known" else "")

    def fitted(self, rows: str, model: str) -> str:
        """Further arguments of `fit`: the weights of some rows, or of all; and their groups, if it tunes."""
        some = f"[{rows}]" if rows else ""
        more = f", sample_weight=weights{some}" if self.plan.weighs else ""
        takers = ["Tuning"] * self.tuned + ["TunedThresholdClassifierCV"] * (model == "chosen")
        if self.order and takers:
            taken = f".take({rows})" if rows else ""
            given = ", ".join(f'"{name}": {name}{taken}' for name in self.order)
            more += f", **({{{given}}} if isinstance({model}, {' | '.join(takers)}) else {{}})"
        return more


def _in_one_line(text: str) -> str:
    """Text that cannot end the docstring that contains it."""
    return repr(text)[1:-1].replace('"', "'").replace("\\", "/")


def _names(plan: Plan, *, own: bool, script: _Script) -> dict[str, set[str]]:
    """The imports of a study's script, besides its learners."""
    judge = {"protocol", "anything_to_learn", "choose", "notable_predictions"}
    judge |= {"evaluate", "Comparison"} if own else {"compare"}
    judge |= {"cost_metric"} if plan.costs else set()
    judge |= {"TimeOrdered"} if plan.roles.time and script.tuned else set()
    judge |= {"evaluate", "lock_away"} if plan.protocol.test_share else set()
    names = {
        "openbook.judge": judge,
        "openbook.judge.scores.positive": {"positive_last"} if plan.task == "classification" else set(),
        "openbook.data.label_sets": {"with_label_sets"} if plan.data.labels else set(),
        "openbook.data.asked": {"asked_rows"} if plan.roles.asked else set(),
        "openbook.decide": {"TunedThresholdClassifierCV"} if script.thresholds else set(),
        "openbook.data.date_parts": {"with_calendar"} if plan.roles.time else set(),
        "openbook.judge.folds.splitters": {"time_codes"} if plan.roles.time else set(),
    }
    return {module: some for module, some in names.items() if some}


def _imports(names: dict[str, set[str]], models: Iterable[Any]) -> dict[str, list[str]]:
    """The names of each module, classes first; those of learners among them."""
    for model in models:
        for part in _parts(model):
            home = ".".join(type(part).__module__.split(".")[:2])  # the package that its file is in
            names.setdefault(home, set()).add(type(part).__name__)
    return {
        module: sorted(some, key=lambda name: (not name[:1].isupper(), name))
        for module, some in sorted(names.items())
    }


def _parts(value: Any) -> Iterator[Any]:
    """The learners and dataclasses in the arguments of a call."""
    parts: Iterable[Any] = value if isinstance(value, list | tuple) else ()
    if isinstance(value, BaseEstimator) or is_dataclass(value):
        yield value
    if isinstance(value, BaseEstimator):
        parts = _changed_parameters(value).values()
    elif isinstance(value, dict):
        parts = value.values()
    for part in parts:
        yield from _parts(part)


def _table_code(data: Source) -> str:
    """The code that reads the table."""
    kinds = f", {dict(data.kinds)!r}" if data.kinds else ""
    if data.set is None:
        options = "".join(f", {name}={value!r}" for name, value in data.read_with.items())
        read = f"ob.read({data.path!r}{kinds}{options})"
    else:
        loaded = f"ob.load({data.set!r})"
        read = f"ob.read({loaded}{kinds})" if kinds else loaded
    return f"with_label_sets({read}, {list(data.labels)!r})" if data.labels else read


def _code(value: Any) -> str:
    """A learner, or an argument, as code."""
    if isinstance(value, MinimumRisk):
        return f"MinimumRisk({_code(value.estimator)}, costs)"
    if isinstance(value, Tuning):
        decides = "cost" if value.metric == COST else repr(value.metric)
        known = "test_groups='known'" if value.cv is not None and value.cv.test_groups == "known" else ""
        inner = "" if value.cv is None else f", cv=TimeOrdered({known})"
        search = "" if value.search == "grid" else f", search={value.search!r}"
        settings = f"{value.knobs!r}{inner}, metric={decides}{search}, random_state=random_state"
        return f"Tuning({_code(value.model)}, {settings})"
    if isinstance(value, BaseEstimator):
        arguments = ", ".join(f"{name}={_code(given)}" for name, given in _changed_parameters(value).items())
        return f"{type(value).__name__}({arguments})"
    return repr(value)


def _changed_parameters(model: Any) -> dict[str, Any]:
    """The parameters that are not the learner's defaults."""
    usual = defaults(type(model))
    return {name: value for name, value in model.get_params(deep=False).items() if value != usual[name]}
