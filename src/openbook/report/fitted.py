"""A fitted model as text and tables: coefficients, probabilities, rules, importances, layers.

    inside(model, X)        blocks for the page; the command line prints the text and the tables

X are the training rows. Trees and ensembles are in portrait.py, since they are drawn.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from openbook.border.learner import class_names
from openbook.data import Nominal, Word
from openbook.data import Table as Rows
from openbook.data.attributes import as_text
from openbook.linear.laplace import odds_estimates
from openbook.report.blocks import Block, Fold, Paragraph, Sheet, TableLine, grids, picture_figure
from openbook.text.columns import encoded
from openbook.words.numbers import figure, short, shown, shown_p
from openbook.words.sentences import plural
from openbook.work import Grid

#: The most rows of a table that are not folded, values of a column, classes, and tables of columns.
_MOST_ROWS, _MOST_VALUES, _MOST_CLASSES, _MOST_TABLES = 15, 12, 8, 6
#: The most features of a sequence model and terms of a sum, such as words, the largest weights first.
_MOST_FEATURES, _MOST_TERMS = 60, 500
#: The most encoded columns for which the discriminants are solved again.
_MOST_SOLVED = 500
_LEVEL = 0.95
#: The coordinates of a centroid that are shown.
_HEAVIEST = 8
_SORTED = "Sorted by the effect of one standard deviation."


def learner_inside(model: Any) -> Any:
    """The fitted learner inside one that tunes it or decides by it; None for others.

    The `estimator_` of an ensemble, of which its members are copies, is a property, not an attribute.
    """
    own = getattr(model, "__dict__", {})
    return own.get("model_", own.get("estimator_"))


def unwrapped(model: Any) -> Any:
    """The innermost learner of one that tunes it or decides by it."""
    inner = learner_inside(model)
    return model if inner is None or type(model).__name__ in _SHOWN else unwrapped(inner)


def prepared_rows(model: Any, X: Rows) -> Rows:
    """The rows as the inner learner sees them, after the preparation steps."""
    if hasattr(model, "prepared"):
        return model.prepared(X)
    inner = learner_inside(model)
    return X if inner is None else prepared_rows(inner, X)


def inside(model: Any, X: Rows, *, weighted: bool = False) -> list[Block]:
    """The model in text and tables; empty for learners that are drawn instead.

    X are the training rows, and `weighted` is whether they had weights.
    """
    if not type(model).__module__.startswith("openbook."):
        return []
    if type(model).__name__ == "LogisticRegression":
        return _logistic(model, encoded(X, model.schema_), weighted=weighted)
    show = _SHOWN.get(type(model).__name__)
    return [] if show is None else show(model)


def _cut(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> list[Block]:
    """A table; of a long one the first rows, and the others in a fold."""
    lines = [TableLine(tuple(row)) for row in rows]
    first = Sheet(caption, tuple(header), tuple(lines[:_MOST_ROWS]), note)
    if not (more := tuple(lines[_MOST_ROWS:])):
        return [first]
    return [first, Fold(plural(len(more), "more row"), [Sheet("", tuple(header), more)])]


def _number(value: float) -> str:
    """Four digits; of a large number, those before the decimal point."""
    return short(value) if abs(value) >= 1e3 else figure(value, 4)


def _range(low: float, high: float) -> str:
    return "–" if math.isnan(low) or math.isnan(high) else f"[{_number(low)}, {_number(high)}]"


def _by_weight(values: np.ndarray) -> np.ndarray:
    """The intercept, then the others from the largest."""
    return np.append(0, 1 + np.argsort(-np.abs(values[1:]), kind="stable"))


def _linear(model: Any) -> list[Block]:
    table = model.coefficients(_LEVEL)
    terms, own = table.data("term"), table.data("coefficient")
    sure = "low" in table.names
    order = _by_weight(np.nan_to_num(table.data("t")) if sure else own)
    header = ["term", "coefficient", *(["95% interval", "p"] if sure else [])]
    rows = []
    for i in order:
        cells = [terms[i], _number(own[i])]
        if sure:
            low, high, p = (table.data(name)[i] for name in ("low", "high", "p"))
            cells += [_range(low, high), "–" if math.isnan(p) else shown_p(p)]
        rows.append(cells)
    text = (
        f"A linear model: {model.target_} is the intercept plus the sum of the coefficients times their"
        " columns. A coefficient is the change in the prediction per unit of its column, the others held"
        f" constant.{_nominal_words(model)}"
    )
    if sure:
        note = "Intervals and p-values: Student’s t, unpenalised least squares. Sorted by |t|."
    else:
        why = "There are as many terms as rows"
        if model.dof_ is None:
            why = "The fit is penalised" if model.l1 > 0 or model.l2 > 0 else "The loss is not squared"
        note = f"{why}, so there are no intervals. Sorted by absolute value."
    return [Paragraph(text), *_cut("Coefficients", header, rows, note)]


def _rocchio(model: Any) -> list[Block]:
    """The coordinates in which each centroid differs most from their mean: of texts, words."""
    text = (
        "Rocchio’s classifier: each class has a centroid, the mean direction of its rows, and a row belongs"
        " to the class whose centroid has the smallest angle to it."
    )
    names = model.schema_.names if model.encoding_ is None else model.encoding_.names
    differences, rows = model.centroids_ - model.centroids_.mean(0), []
    for label, apart in zip(model.classes_.tolist(), differences, strict=True):
        most = np.argsort(-np.abs(apart), kind="stable")[:_HEAVIEST].tolist()
        rows.append((as_text(label), ", ".join(f"{names[j]} ({shown(apart[j], sign='+')})" for j in most)))
    return [Paragraph(text), *_cut("Centroids", ("class", "where it differs most from the mean"), rows)]


def _proportional_odds(model: Any) -> list[Block]:
    classes = class_names(model)
    text = (
        f"A model of proportional odds. A row’s score is the sum of the coefficients times their columns; the"
        f" larger it is, the higher its {model.target_}. One unit more of a column multiplies the odds of a"
        " higher class by its odds ratio, the others held constant, between any two neighbouring classes."
    )
    order = np.argsort(-np.abs(model.coef_ * model.encoding_.scale), kind="stable")
    names = model.encoding_.names
    rows = [(names[j], _number(model.coef_[j]), _number(math.exp(model.coef_[j]))) for j in order]
    thresholds = zip(classes, model.thresholds_.tolist(), strict=False)  # the highest class has none
    cuts = [(f"{label} or lower", _number(threshold)) for label, threshold in thresholds]
    return [
        Paragraph(text),
        *_cut("Coefficients", ("term", "coefficient", "odds ratio"), rows, _SORTED),
        *_cut("Thresholds", ("class", "largest score at which it is at least as probable as not"), cuts),
    ]


def _logistic(model: Any, X: Rows, *, weighted: bool) -> list[Block]:
    classes = class_names(model)
    names = ["intercept", *model.encoding_.names]
    against = f" against {classes[0]}" if len(classes) > 2 else ""
    odds = f"The log odds of {model.target_} = {f'each class{against}' if against else classes[1]}"
    text = (
        f"A logistic regression. {odds} are the intercept plus the sum of the coefficients times their"
        " columns. One unit more of a column multiplies the odds by its odds ratio, the others held constant."
        f"{_nominal_words(model)}"
    )
    tables: list[list[Block]] = []
    spread = np.append(1.0, model.encoding_.scale)
    sure = False
    for estimates in odds_estimates(model, X, weighted=weighted):
        own, ratios, intervals = estimates.coefficients, estimates.odds_ratios, estimates.intervals(_LEVEL)
        sure = estimates.errors is not None
        header = ["term", "coefficient", "odds ratio", *(["95% interval of the odds ratio"] if sure else [])]
        rows = []
        for i in _by_weight(own * spread)[:_MOST_TERMS]:
            cells = [names[i], _number(own[i]), "–" if i == 0 else _number(ratios[i])]
            if sure:
                cells.append("–" if i == 0 else _range(*intervals[i].tolist()))
            rows.append(cells)
        caption = f"Coefficients for {model.target_} = {as_text(estimates.label)}{against}"
        tables.append(_cut(caption, header, rows, _interval_note(model, sure=sure)))
    first, *others = tables[:_MOST_CLASSES]
    blocks: list[Block] = [Paragraph(text), *first]
    if others:
        blocks.append(Fold(f"{len(others)} more against {classes[0]}", [b for each in others for b in each]))
    return blocks


def _nominal_words(model: Any) -> str:
    """The reference of the values of nominal columns, in a sentence; empty if there are none."""
    if not model.schema_.of(Nominal):
        return ""
    other = "its first value" if model.encoding_.reference else "the average of its values"
    return f" A value of a nominal column is compared with {other}."


def _interval_note(model: Any, *, sure: bool) -> str:
    if not sure:
        return _SORTED
    if model.covariance_ is not None:
        return f"Intervals: Wald, maximum likelihood. {_SORTED}"
    fit = f"the fit with the L2 penalty C = {model.C:g}, which shrinks coefficients towards 0"
    return f"Intervals: normal approximation around {fit}. {_SORTED}"


def _naive_bayes(model: Any) -> list[Block]:
    classes = class_names(model)[:_MOST_CLASSES]
    text = "Naive Bayes multiplies the prior probability of a class by the probabilities of the row’s values"
    blocks: list[Block] = [Paragraph(f"{text} given that class."), *_priors(model, model.prior_)]
    for likelihood in sorted(model.likelihoods_, key=lambda one: one.name != "multinomial"):  # words first
        if likelihood.name == "categorical":
            blocks += _value_tables(likelihood, classes)
        elif likelihood.name == "gaussian":
            blocks += _normal_curves(likelihood, classes)
        elif likelihood.name == "multinomial" and len(model.classes_) > 1:
            blocks += _heavy_events(likelihood, classes)
        else:
            columns = plural(len(likelihood.schema), "column")
            blocks.append(Paragraph(f"{columns} with the distribution “{likelihood.name}”."))
    return blocks


def _priors(model: Any, shares: Any) -> list[Block]:
    labels = map(as_text, model.classes_.tolist())
    rows = [(label, f"{share:.1%}") for label, share in zip(labels, shares, strict=True)]
    return _cut("Prior probabilities", (model.target_, "prior"), rows)


def _value_tables(likelihood: Any, classes: Sequence[str]) -> list[Block]:
    tables: list[Sheet] = []
    columns = zip(likelihood.attributes, likelihood.counts, likelihood.tables, strict=True)
    for attribute, counts, logs in columns:
        shares = np.exp(logs[2:])  # after the rows for unseen and missing values
        order, rows = np.argsort(-counts.sum(axis=0), kind="stable"), []
        for v in order[:_MOST_VALUES]:
            cells = (f"{shares[v, c]:.3f} ({counts[c, v]:g})" for c in range(len(classes)))
            rows.append(TableLine((attribute.values[v], *cells)))
        rest = len(order) - _MOST_VALUES
        note = f"{rest:,} rarer values are not shown." if rest > 0 else ""
        header = (attribute.name, *classes)
        tables.append(Sheet(f"P({attribute.name} | class), and rows", header, tuple(rows), note))
    shown: list[Block] = [*tables[:_MOST_TABLES]]
    if folded := tables[_MOST_TABLES:]:
        shown.append(Fold(plural(len(folded), "more column"), folded))
    return shown


def _normal_curves(likelihood: Any, classes: Sequence[str]) -> list[Block]:
    mean, spread = likelihood.mean, np.sqrt(likelihood.variance)
    rows = [
        (name, *(f"{_number(mean[c, j])} ± {_number(spread[c, j])}" for c in range(len(classes))))
        for j, name in enumerate(likelihood.schema.names)
    ]
    return _cut("Mean ± standard deviation of each class", ("column", *classes), rows)


def _heavy_events(likelihood: Any, classes: Sequence[str]) -> list[Block]:
    """Of counts, mostly of words: the most informative ones for each class in training."""
    logs, counts = likelihood.logs, likelihood.counts
    names = [a.word if isinstance(a, Word) else a.name for a in likelihood.schema]
    rows = []
    for c, label in enumerate(classes):
        ahead = logs[:, c] - np.delete(logs, c, axis=1).max(axis=1)
        most = np.argsort(-counts[c] * ahead, kind="stable")[:_HEAVIEST]
        words = [f"{names[j]} ({shown(ahead[j], sign='+')})" for j in most.tolist() if ahead[j] > 0]
        rows.append((label, ", ".join(words) or "–"))
    what = "words" if any(isinstance(a, Word) for a in likelihood.schema) else "columns"
    note = (
        "In brackets ln P(word | class) / P(word | next class), which each occurrence adds to the log odds."
        " Sorted by that times the count in training."
    ).replace("word", what.removesuffix("s"))
    caption = f"The {what} that speak most for each class, of {len(names):,}"
    return _cut(caption, ("class", what), rows, note)


def _zero_r(model: Any) -> list[Block]:
    likely = as_text(model.classes_[int(np.argmax(model.prior_))])
    text = f"A baseline: it predicts {likely}, the most frequent class, for every row."
    return [Paragraph(text), *_priors(model, model.prior_)]


def _constant(model: Any) -> list[Block]:
    value = figure(float(model.predict([dict.fromkeys(model.schema_.given.names)])[0]), 4)
    return [Paragraph(f"A baseline: it predicts the {model.strategy}, {value}, for every row.")]


def _one_r(model: Any) -> list[Block]:
    grid = next(p for p in model.work().parts if isinstance(p, Grid) and p.title == model.attribute_)
    rows = [[str(row[0]), str(row[-2]), figure(sum(row[1:-2])), figure(row[-1])] for row in grid.rows]
    header = (model.attribute_, f"predicted {model.target_}", "rows", "errors")
    return [Paragraph(f"One rule, on {model.attribute_}."), *_cut("The rule", header, rows)]


def _discriminant(model: Any) -> list[Block]:
    classes = class_names(model)[:_MOST_CLASSES]
    names = [model.encoding_.names[i] for i in model.used_]
    linear = not hasattr(model, "covariances_")
    shape = "one covariance matrix for all classes" if linear else "a covariance matrix for each class"
    text = f"Each class is a normal distribution with its own mean; there is {shape}."
    means = model.means_[: len(classes)].T
    if linear:
        rows = [(name, *map(_number, own)) for name, own in zip(names, means, strict=True)]
        caption = "Class means"
    else:
        spreads = np.sqrt(np.diagonal(model.covariances_, axis1=1, axis2=2))[: len(classes)].T
        rows = [
            (name, *(f"{_number(m)} ± {_number(s)}" for m, s in zip(own, spread, strict=True)))
            for name, own, spread in zip(names, means, spreads, strict=True)
        ]
        caption = "Mean ± standard deviation of each class"
    blocks = [Paragraph(text), *_priors(model, model.priors_), *_cut(caption, ("column", *classes), rows)]
    if linear and len(names) <= _MOST_SOLVED:
        own = np.column_stack([model.intercept_, model.coef_])[: len(classes)].T
        named = zip(["intercept", *names], own, strict=True)
        terms = [(name, *map(_number, weights)) for name, weights in named]
        note = "The class with the largest sum of coefficients times columns is predicted."
        blocks += _cut("Coefficients of the discriminants", ("term", *classes), terms, note)
    return blocks


def _neighbours(model: Any) -> list[Block]:
    work = model.work()
    columns = next((p for p in work.parts if isinstance(p, Grid) and p.title == "columns"), None)
    weights = "with equal weight" if model.weights == "uniform" else f"with the weights “{model.weights}”"
    outcome = "they vote" if hasattr(model, "classes_") else "the prediction is their mean"
    k = min(model.n_neighbors, model.n_samples_fit_)
    text = (
        f"{work.conclusion} A prediction finds the k = {k} stored rows that are nearest to"
        f" the new one, by the distance “{model.effective_metric_}”; {outcome}, {weights}."
    )
    return [Paragraph(text), *([Sheet.of(columns, "Distance of two rows")] if columns is not None else [])]


def _graph(model: Any) -> list[Block]:
    """Labels along a graph: the rows of the graph."""
    mean = f"A prediction is the mean over the k = {model.n_neighbors} stored rows that are nearest."
    return [*_semi_supervised(model), Paragraph(mean)]


def _semi_supervised(model: Any) -> list[Block]:
    """A learner of unlabelled rows: its rounds or clusters, and its assumption."""
    work = model.work()
    return [Paragraph(work.conclusion), *grids(work)]


def _machine(model: Any) -> list[Block]:
    n = len(model.support_)
    kernel = model.kernel if isinstance(model.kernel, str) else "own"
    scale = f", gamma {_number(model.gamma_)}" if kernel in ("rbf", "poly") else ""
    vectors = f"{plural(n, 'support vector')} of the training rows decide"
    text = f"A support vector machine: {vectors}; kernel “{kernel}”{scale}, C = {model.C:g}."
    if hasattr(model, "margin_"):
        widths = ", ".join(_number(width) for width in np.atleast_1d(model.margin_)[:_MOST_CLASSES])
        text += f" Width of the margin: {widths}."
    blocks: list[Block] = [Paragraph(text)]
    if kernel == "linear":
        own = np.atleast_2d(model.coef_)
        names = model.encoding_.names
        order = np.argsort(-np.abs(own * model.encoding_.scale).max(axis=0), kind="stable")
        rows = [[names[j], *(_number(w) for w in own[:_MOST_CLASSES, j])] for j in order[:_MOST_TERMS]]
        heads = [f"weight {c + 1}" for c in range(len(own))] if len(own) > 1 else ["weight"]
        if len(getattr(model, "classes_", ())) == len(own):
            heads = class_names(model)
        blocks += _cut("Weights", ["column", *heads][: len(rows[0])], rows, _SORTED)
    return blocks


def _network(model: Any) -> list[Block]:
    layers = next(p for p in model.work().parts if isinstance(p, Grid) and p.title == "layers")
    weights = sum(row[-1] or 0 for row in layers.rows)
    text = f"A network of {plural(len(layers.rows) - 1, 'layer')} with {weights:,} weights."
    text = f"{text} {model.work().conclusion}"
    return [Paragraph(text), Sheet.of(layers, "Layers")]


def _belief_network(model: Any) -> list[Block]:
    graph, target = model.network_.graph_, model.network_.nodes_[-1].name
    rows = [[node, ", ".join(above) or "–"] for node, above in graph.parents.items()]
    posterior = f"the posterior of {target} follows from one table per node"
    text = f"A belief network. Each column depends on its parents; {posterior}. Missing cells are summed out."
    return [Paragraph(text), *_cut("The graph", ["node", "parents"], rows), picture_figure(model.draw())]


def _labels_in_order(model: Any) -> list[Block]:
    text = (
        f"A conditional random field. The score of a sequence of {model.target_} is the sum of the weights of"
        " its rows' features and of each label after the one before. The most probable sequence is predicted."
    )
    labels = class_names(model)
    pairs = zip(labels, model.transitions_, strict=True)
    after = [[label, *(figure(w, 3) for w in row)] for label, row in pairs]
    features, coef = model.features_.features, model.coef_
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:_MOST_FEATURES]
    rows = [[str(features[i]), *(figure(w, 3) for w in coef[:, i])] for i in order.tolist()]
    note = f"{model.complexity():,} weights are not 0. Sorted by absolute weight."
    return [
        Paragraph(text),
        *_cut("Weights of a label (column) after a label (row)", ["after", *labels], after),
        *_cut("Weights of features", ["feature", *labels], rows, note),
    ]


def _states_in_order(model: Any) -> list[Block]:
    target = model.target_
    text = (
        f"A hidden Markov model: its states are the values of {target}. Each depends on the one before, the"
        " cells of a row on its state. The most probable sequence is predicted. Missing cells are summed out."
    )
    return [Paragraph(text), *grids(model.work())]


_SHOWN: dict[str, Callable[[Any], list[Block]]] = {
    "ZeroR": _zero_r,
    "ZeroRegressor": _constant,
    "OneR": _one_r,
    "NaiveBayes": _naive_bayes,
    "NaiveBayesEM": _naive_bayes,
    "ClusterThenLabel": _semi_supervised,
    "CoTraining": _semi_supervised,
    "PretrainedClassifier": _semi_supervised,
    "SelfTrainingClassifier": _semi_supervised,
    "TriTraining": _semi_supervised,
    "LabelPropagation": _graph,
    "LabelSpreading": _graph,
    "BeliefNetworkClassifier": _belief_network,
    "ConditionalRandomField": _labels_in_order,
    "HiddenMarkovClassifier": _states_in_order,
    "LinearRegression": _linear,
    "Ridge": _linear,
    "Lasso": _linear,
    "ElasticNet": _linear,
    "ProportionalOdds": _proportional_odds,
    "Rocchio": _rocchio,
    "LinearDiscriminantAnalysis": _discriminant,
    "QuadraticDiscriminantAnalysis": _discriminant,
    "KNeighborsClassifier": _neighbours,
    "KNeighborsRegressor": _neighbours,
    "SVC": _machine,
    "SVR": _machine,
    "MLPClassifier": _network,
    "MLPRegressor": _network,
}
