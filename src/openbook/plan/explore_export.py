"""The plan of a study without a target as a Python script that stands alone."""

from collections.abc import Iterator

from openbook.plan.explore_plan import ExplorePlan
from openbook.plan.export import home_of, one_line, source_code, table_code

__all__ = ["export_exploration"]


def export_exploration(plan: ExplorePlan) -> str:
    """The script."""
    parts = (_head(plan), _data(plan), _groups(plan), _oddities(plan), _associations(plan))
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(plan: ExplorePlan) -> Iterator[str]:
    names = {
        "openbook.associate": {"association_rules", "frequent_itemsets"},
        "openbook.cluster": {"choose_k", "cluster_quality", "describe_clusters"},
    }
    if plan.roles.aside is not None:
        names["openbook.cluster"].add("contingency")
        names["openbook.data"] = {"Categorical"}
    for model in (plan.clusterer(), plan.detector()):
        names.setdefault(home_of(model), set()).add(type(model).__name__)
    yield f'"""A study of {one_line(plan.data.name)} without a target.'
    yield ""
    yield "Made by `openbook export`. It looks for clusters, outliers and association rules: the same"
    yield "figures as the study's, without its plan, its folder and its report. Of very large tables the"
    yield "study takes samples, and this script takes all rows."
    yield from ('"""', "", "import openbook as ob")
    for module in sorted(names):
        yield f"from {module} import {', '.join(sorted(names[module], key=lambda n: (n.islower(), n)))}"


def _data(plan: ExplorePlan) -> Iterator[str]:
    left_out = ", ".join(map(repr, plan.roles.columns))
    yield from ("", "# The data.", f"table = {table_code(plan.data)}", "print(ob.describe(table))")
    yield f"X = table.drop({left_out})"


def _groups(plan: ExplorePlan) -> Iterator[str]:
    random_state, most = plan.random_state, plan.groups.most
    yield from ("", "# The groups.", f"model = {source_code(plan.clusterer())}")
    yield f"chosen = choose_k(X, range(1, {most + 1}), model, random_state={random_state})"
    yield "print(chosen)"
    yield "several = [k for k in chosen.votes.values() if k > 1]"
    yield "k = chosen.k if chosen.k > 1 else min(several, key=lambda k: (-several.count(k), k), default=2)"
    yield "labels = model.set_params(n_clusters=k).fit(X).predict(X)"
    yield "print(cluster_quality(X, labels))"
    yield "print(describe_clusters(X, labels, used=X.names))"
    if plan.roles.aside is not None:
        yield f"aside = table.column({plan.roles.aside!r})"
        yield "if isinstance(aside.attribute, Categorical):"
        yield "    print(contingency(labels, aside))"
        yield "else:"
        yield "    print(describe_clusters(table.select([aside.name]), labels, used=X.names))"
    yield 'ob.save(model, "model.openbook")'


def _oddities(plan: ExplorePlan) -> Iterator[str]:
    yield from ("", "# The outliers.", f"detector = {source_code(plan.detector())}.fit(X)")
    yield "scores = detector.oddness(X)"
    yield f'for row in (-scores).argsort(kind="stable")[:{plan.oddities.shown}]:'
    yield "    print(row, detector.reasons(X.take([row])))"


def _associations(plan: ExplorePlan) -> Iterator[str]:
    asked = plan.associations
    yield from ("", "# The associations that chance does not explain, those of the largest leverage first.")
    yield f"itemsets = frequent_itemsets(X, {asked.min_support!r}, {asked.max_length})"
    yield f"rules = association_rules(itemsets, {asked.min_confidence!r}, max_consequent=1)"
    yield "for rule in sorted(rules.significant(), key=lambda rule: -rule.leverage):"
    yield '    print(f"{rule}: {rule.both} rows, confidence {rule.confidence:.3g}, lift {rule.lift:.3g}")'
