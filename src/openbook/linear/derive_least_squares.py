r"""The readable twin of linear regression: normal equations solved by hand, and a prediction term by term.

It starts from the model's sums and solves them by elimination, row by row; or, with an L1 penalty, shows that
every coefficient follows from the others. It uses nothing that the solvers use, so tests compare the two.
With too many columns to follow by hand, the solution is taken from the model.
"""

import math

import numpy as np
from scipy.special import stdtrit

from openbook.data import Nominal, Numeric
from openbook.text.columns import telling_words
from openbook.words.numbers import figure, fraction, times
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: The most columns whose normal equations are shown, and the most that are solved by hand.
_SHOWN, _BY_HAND = 8, 20
#: The coefficients of sparse columns that are shown.
_LARGEST = 20

_BEST_INTERCEPT = r"\bar{y} - \sum_j \beta_j \bar{x}_j"

LEVEL = 0.95


def derive_model(model) -> Work:
    """How the model was learnt: the equations, their solution, and how sure it is."""
    title = f"Linear regression for {model.target_}: how it was fitted"
    functions = f"x is each function of {model.basis!r}, of columns in standard units" if model.basis else ""
    parts: list[Step | Grid | Work] = [
        Step("ŷ", _sum(model), note=functions),
        Step("minimise", _criterion(model), note=_penalty_note(model)),
        *_recipe(model),
    ]
    targets = range(len(model.targets_))
    if len(targets) == 1:
        parts += _target_parts(model, 0)
    else:
        parts += [Work(model.targets_[t], tuple(_target_parts(model, t))) for t in targets]
    return Work(title, tuple(parts), "; ".join(model.notes_))


def _recipe(model):
    """Objective, derivative, set to zero, second derivative; what is solved follows with the numbers."""
    if model.loss == "huber":
        return
    l1, l2 = float(model.l1), float(model.l2)
    by_beta = r"-\sum_i w_i x_{ij} (y_i - \hat{y}_i)"
    by_beta += rf" + {times(l2)}\beta_j" if l2 else ""
    by_beta += rf" + {times(l1)}\operatorname{{sign}}(\beta_j)" if l1 else ""
    steps = [Step("derivative by β_j", rf"\frac{{\partial J}}{{\partial \beta_j}} = {by_beta}")]
    zero = r"\frac{\partial J}{\partial \beta_j} = 0"
    if model.fit_intercept:
        penalised = model.penalise_intercept and l2
        by_b = r"-\sum_i w_i (y_i - \hat{y}_i)" + (rf" + {times(l2)}b" if penalised else "")
        steps.insert(0, Step("derivative by b", rf"\frac{{\partial J}}{{\partial b}} = {by_b}"))
        best = r"\frac{W}{W + l_2} (\bar{y} - \sum_j \beta_j \bar{x}_j)" if penalised else _BEST_INTERCEPT
        steps.append(Step("set to zero", rf"\frac{{\partial J}}{{\partial b}} = 0 \Rightarrow b = {best}"))
        zero += r", \quad b \text{ put in}"
    steps.append(Step("set to zero", zero, note="the normal equations, solved below"))
    second = r"\frac{\partial^2 J}{\partial \beta_j^2} = \sum_i w_i x_{ij}^2"
    second += rf" + {figure(l2)}" if l2 else ""
    note = "a sum of squares, not below zero: J is convex, and the solution a minimum"
    steps.append(Step("second derivative", second, note=note))
    yield Work("the recipe", tuple(steps))


def _sum(model):
    return r"b + \sum_j \beta_j x_j" if model.fit_intercept else r"\sum_j \beta_j x_j"


def _around(model, name):
    """A column or target as the sums of squares have it: around its mean, unless there is no intercept."""
    return rf"({name}_i - \bar{{{name}}})" if model.fit_intercept else f"{name}_i"


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    functions = model._functions()(X)[[0]]  # noqa: SLF001 (the model's other half)
    functions = functions.toarray()[0] if model.encoding_.sparse else functions[0]
    # in units of the columns: own coefficients are U times those of the functions, and values follow
    values = model._own_values(np.append(1.0, functions))  # noqa: SLF001
    estimates = model._units @ model._weights  # noqa: SLF001
    works, conclusions = [], []
    for t, name in enumerate(model.targets_):
        parts, prediction = _row_parts(model, X, values, estimates[:, t], t)
        works.append(Work(name, tuple(parts)))
        conclusions.append(f"{name} = {figure(prediction)}")
    parts = works if len(works) > 1 else works[0].parts
    title = f"Linear regression for {model.target_}: one prediction"
    return Work(title, tuple(parts), f"The prediction: {', '.join(conclusions)}.")


def by_elimination(matrix, right):
    """Solve a system of equations as on paper; an equation that others make up gives its unknown 0.

    >>> by_elimination([[2.0, 1.0], [1.0, 3.0]], [5.0, 10.0])
    [1.0, 3.0]
    """
    rows = [[*map(float, row), float(r)] for row, r in zip(matrix, right, strict=True)]
    n = len(rows)
    size = [abs(row[j]) for j, row in enumerate(rows)]
    solved = []
    for j in range(n):
        if rows[j][j] <= 1e-11 * size[j]:
            continue
        solved.append(j)
        for i in range(j + 1, n):
            factor = rows[i][j] / rows[j][j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[j], strict=True)]
    unknowns = [0.0] * n
    for j in reversed(solved):
        known = math.fsum(rows[j][k] * unknowns[k] for k in range(j + 1, n))
        unknowns[j] = (rows[j][n] - known) / rows[j][j]
    return unknowns


def by_columns(matrix, right, l1, l2, start=None, rounds=2000, *, positive=False):
    """The lasso and the elastic net as on paper: one coefficient after the other, until none moves."""
    d = len(right)
    coef = [0.0] * d if start is None else list(start)
    for _ in range(rounds):
        moved = False
        for j in range(d):
            new = _drawn(matrix, right, coef, j, l1) / (matrix[j][j] + l2) if matrix[j][j] + l2 > 0 else 0.0
            new = max(new, 0.0) if positive else new
            moved = moved or abs(new - coef[j]) > 1e-13 * max(1.0, abs(new))
            coef[j] = new
        if not moved:
            break
    return coef


def _by_hand(model, matrix, right, given):
    l1, l2 = model.l1, model.l2
    if l1 or model.positive:
        return by_columns(matrix, right, l1, l2, given, rounds=1, positive=model.positive)
    with_penalty = [[v + l2 * (i == j) for j, v in enumerate(row)] for i, row in enumerate(matrix)]
    return by_elimination(with_penalty, right)


def _drawn(matrix, right, coef, j, l1):
    """The rest that column j can still explain, drawn towards zero by l1."""
    rest = right[j] - math.fsum(matrix[j][k] * coef[k] for k in range(len(right)) if k != j)
    return math.copysign(max(abs(rest) - l1, 0.0), rest)


def _criterion(model):
    if model.loss == "huber":
        loss = r"\sum_i w_i \left(\sigma + \sigma H\left(\frac{y_i - \hat{y}_i}{\sigma}\right)\right)"
    else:
        loss = r"\frac{1}{2} \sum_i w_i (y_i - \hat{y}_i)^2"
    if model.l1 > 0:
        loss += rf" + {times(float(model.l1))}\sum_j |\beta_j|"
    if model.l2 > 0:
        loss += rf" + \frac{{{figure(float(model.l2))}}}{{2}} \sum_j \beta_j^2"
        if model.penalise_intercept and model.fit_intercept:
            loss += rf" + \frac{{{figure(float(model.l2))}}}{{2}} b^2"
    return rf"J = {loss}"


def _penalty_note(model):
    notes = []
    if model.loss == "huber":
        share = figure(float(model.epsilon))
        notes.append(f"H is quadratic for errors up to {share} σ and linear beyond")
    if model.positive:
        notes.append("no coefficient may be below 0: what would be is 0")
    if (model.l1 > 0 or model.l2 > 0) and model.scale and model.basis is None:
        notes.append("the penalties apply to columns in standard units")
    return "; ".join(notes)


def _target_parts(model, t):
    if model.encoding_.sparse:
        yield from _sparse_parts(model, t)
        return
    normal, shrink = model._normal, model._shrink  # noqa: SLF001
    system = normal if shrink == 1 else normal.drawn_in(model.l2)
    matrix, right = system.columns.tolist(), system.cross[:, t].tolist()
    d = len(right)
    given = model._weights[1:, t].tolist()  # noqa: SLF001
    roots = model._shrinkage(d)  # noqa: SLF001
    shrunk = (normal.columns + roots.T @ roots).tolist() if len(roots) else matrix
    coef = _by_hand(model, shrunk, right, given) if d <= _BY_HAND else given
    if d == 1:
        yield from _one_column(model, matrix[0][0], right[0], coef[0])
    else:
        yield from _equations(model, matrix, right)
        if len(roots):
            yield _random_effects(model)
        if (model.l1 or model.positive) and d <= _BY_HAND:
            yield from _thresholds(model, matrix, right, coef)
    if model.fit_intercept:
        products = [m * b for m, b in zip(normal.mean.tolist(), coef, strict=True)]
        mean = float(normal.target_mean[t])
        explained = joined(products) if d == 1 else f"({joined(products)})"
        numbers, formula = f"{figure(mean)} - {explained}", _BEST_INTERCEPT
        result = shrink * (mean - math.fsum(products))
        if shrink != 1:
            weight = figure(normal.weight)
            formula = rf"\frac{{W}}{{W + l_2}} ({formula})"
            numbers = rf"\frac{{{weight}}}{{{weight} + {figure(float(model.l2))}}} ({numbers})"
        yield Step("intercept b", formula, numbers, result)
    yield _table(model, t)
    yield from _fit_steps(model, t, normal.cross[:, t].tolist(), normal.columns.tolist(), coef)


def _sparse_parts(model, t):
    """Too many columns for S to be written down: it is multiplied with vectors, and the largest are shown."""
    normal = model._normal  # noqa: SLF001
    sums = "S v = Σ w x (x · v) - N x̄ (x̄ · v)" if model.fit_intercept else "S v = Σ w x (x · v)"
    rule = r"(S + l_2 I) \beta = c" if model.l2 else r"S \beta = c"
    how = "L-BFGS, which sets coefficients to 0" if model.l1 else "conjugate gradients"
    yield Step("normal equations", rule, note=f"solved by {how}; sparse columns stay sparse: {sums}")
    estimates = (model._units @ model._weights)[:, t]  # noqa: SLF001
    if model.fit_intercept:
        yield Step("intercept b", _BEST_INTERCEPT, result=float(estimates[0]))
    most = np.argsort(-np.abs(estimates[1:]), kind="stable")[:_LARGEST].tolist()
    rows = [(model.names_[j], float(estimates[1 + j])) for j in most]
    note = "in units of the columns"
    note += f"; the largest of {len(estimates) - 1:,}" if len(estimates) - 1 > len(rows) else ""
    yield Grid("coefficients", ("term", "coefficient"), rows, note)
    total, r2 = float(normal.targets[t]), float(np.atleast_1d(model.r2_)[t])
    yield Step("TSS", rf"\sum_i w_i {_around(model, 'y')}^2", result=total)
    yield Step("RSS", r"\sum_i w_i (y_i - \hat{y}_i)^2", result=(1 - r2) * total)
    yield Step("R²", r"1 - \frac{RSS}{TSS}", result=r2)


def _one_column(model, square, product, slope):
    name = model.names_[0]
    x, y = _around(model, "x"), _around(model, "y")
    squares, products = rf"\sum_i w_i {x}^2", rf"\sum_i w_i {x} {y}"
    if model._shrink != 1:  # noqa: SLF001 (b put in, drawn towards 0)
        squares = r"\sum_i w_i x_i^2 - \frac{(\sum_i w_i x_i)^2}{W + l_2}"
        products = r"\sum_i w_i x_i y_i - \frac{\sum_i w_i x_i \sum_i w_i y_i}{W + l_2}"
    yield Step("S_xx", squares, result=square, note=name)
    yield Step("S_xy", products, result=product)
    l1, l2 = float(model.l1), float(model.l2)
    top, bottom = figure(product), figure(square) + (f" + {figure(l2)}" if l2 else "")
    if l1:
        formula = r"\frac{soft(S_{xy}, l_1)}{S_{xx} + l_2}"
        top = rf"soft({top}, {figure(l1)})"
    else:
        formula = r"\frac{S_{xy}}{S_{xx} + l_2}" if l2 else r"\frac{S_{xy}}{S_{xx}}"
    yield Step("slope", formula, fraction(top, bottom), slope)


def _equations(model, matrix, right):
    if model.l1 or model.positive:
        rule = r"\beta_j = \frac{soft(c_j - \sum_{k \ne j} S_{jk} \beta_k, l_1)}{S_{jj} + l_2}"
    else:
        rule = r"(S + l_2 I) \beta = c" if model.l2 else r"S \beta = c"
    sums = "S_jk = Σ w (x_j - x̄_j)(x_k - x̄_k) and c_j = Σ w (x_j - x̄_j)(y - ȳ)"
    if not model.fit_intercept:
        sums = "S_jk = Σ w x_j x_k and c_j = Σ w x_j y"
    if model._shrink != 1:  # noqa: SLF001
        sums += ", and for the penalised intercept l2 W / (W + l2) times x̄_j x̄_k and x̄_j ȳ more"
    yield Step("normal equations", rule, note=f"{sums}: at β the gradient is 0")
    if 0 < len(right) <= _SHOWN:
        rows = [(name, *row, r) for name, row, r in zip(model.names_, matrix, right, strict=True)]
        yield Grid("S and c", ("", *model.names_, "c"), rows)


def _random_effects(model):
    pooled = [a for a in model.schema_ if isinstance(a, Nominal) and a.needed > 0]
    rows = ", ".join(f"n0 = {figure(a.needed)} for {a.name}" for a in pooled)
    note = f"in place of S: it draws the k values of a column with pooled values together; {rows}"
    return Step("random effects", r"S + n_0 \left(I - \frac{1}{k} 1 1^\top\right)", note=note)


def _thresholds(model, matrix, right, coef):
    for j, name in enumerate(model.names_):
        rest = right[j] - math.fsum(matrix[j][k] * b for k, b in enumerate(coef) if k != j)
        numbers = rf"\frac{{soft({figure(rest)}, {figure(float(model.l1))})}}{{{figure(matrix[j][j])}"
        numbers += (f" + {figure(float(model.l2))}" if model.l2 else "") + "}"
        note = "at most l1 is left to explain, so the coefficient is 0" if coef[j] == 0 else ""
        note = "it would be below 0, so the coefficient is 0" if note and rest < -model.l1 else note
        yield Step(name, "", numbers, coef[j], note)


def _table(model, t):
    table = model.coefficients(LEVEL)
    names = [name for name in table.names if name != "target"]
    width = model.fit_intercept + len(model.names_)
    block = slice(t * width, (t + 1) * width)
    columns = [table.column(name).tolist()[block] for name in names]
    rows = [
        tuple(None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row)
        for row in zip(*columns, strict=True)
    ]
    note = "in units of the columns" + (f"; low to high: {LEVEL:.0%} interval" if len(names) > 2 else "")
    return Grid("coefficients", [name.replace("_", " ") for name in names], rows, note)


def _fit_steps(model, t, right, matrix, coef):
    normal = model._normal  # noqa: SLF001
    if model.loss == "huber":
        yield Step("σ", result=model.scale_, note="the scale of the errors, estimated together with β")
        return
    total = float(normal.targets[t])
    gain = 2 * math.fsum(b * c for b, c in zip(coef, right, strict=True))
    gain -= math.fsum(coef[j] * matrix[j][k] * coef[k] for j in range(len(coef)) for k in range(len(coef)))
    explained = math.fsum(m * b for m, b in zip(normal.mean.tolist(), coef, strict=True))
    off = float(normal.target_mean[t]) - explained
    gain -= normal.weight * ((1 - model._shrink) * off) ** 2  # noqa: SLF001
    residual = max(total - gain, 0.0)
    yield Step("TSS", rf"\sum_i w_i {_around(model, 'y')}^2", result=total)
    yield Step("RSS", r"\sum_i w_i (y_i - \hat{y}_i)^2", rf"{figure(total)} - {figure(gain)}", residual)
    ratio = rf"1 - \frac{{{figure(residual)}}}{{{figure(total)}}}"
    yield Step("R²", r"1 - \frac{RSS}{TSS}", ratio, 1 - residual / total if total > 0 else None)
    if model.dof_ is not None:
        drawn = math.fsum((model._shrinkage(len(coef)) @ coef) ** 2)  # noqa: SLF001
        rest = figure(residual) + (f" + {figure(drawn)}" if drawn else "")
        numbers = rf"\frac{{{rest}}}{{{figure(normal.weight)} - {model._fixed}}}"  # noqa: SLF001
        result = (residual + drawn) / model.dof_ if model.dof_ > 0 else None
        about = "the variance of the errors" + ("; n0 Σ (β_v - mean)² is added to RSS" if drawn else "")
        yield Step("σ²", r"\frac{RSS}{N - p}", numbers, result, about)


def _row_parts(model, X, values, estimates, t):
    terms = ["intercept", *model.names_][not model.fit_intercept :]
    values, estimates = values[-len(terms) :], estimates[-len(terms) :]
    products = [float(v * b) for v, b in zip(values, estimates, strict=True)]
    prediction = math.fsum(products)
    rows = [
        (term, X.schema.told(term, float(v)), float(b), p)
        for term, v, b, p in zip(terms, values, estimates, products, strict=True)
    ]
    rows = telling_words(model.encoding_.words, rows)
    dense = X.schema.attributes[: len(X.schema) - model.encoding_.sparse]
    absent = [a.name for a in dense if _absent(a, X.data(a.name)[0])]
    note = f"missing or not seen in training, set to the mean: {', '.join(absent)}" if absent else ""
    parts: list[Grid | Step] = [Grid("terms", ("term", "value", "coefficient", "product"), rows, note)]
    parts.append(Step("ŷ", _sum(model), joined(p for p in products if p), prediction))
    if model.sigma2_ is not None:
        parts += _precision(model, values, prediction, float(np.atleast_1d(model.sigma2_)[t]))
    return parts, prediction


def _precision(model, values, prediction, variance):
    covariance = model._covariance()[-len(values) :, -len(values) :]  # noqa: SLF001 (the model's other half)
    leverage = max(float(values @ covariance @ values), 0.0)
    error, wider = math.sqrt(variance * leverage), math.sqrt(variance * (1 + leverage))
    numbers = rf"\sqrt{{{figure(variance)} \cdot {figure(leverage)}}}"
    note = "h = x'(X'X)⁻¹x" + (", with 1 for the intercept in x" if model.fit_intercept else "")
    yield Step("standard error of ŷ", r"\sqrt{\sigma^2 h}", numbers, error, note)
    t = float(stdtrit(model.dof_, (1 + LEVEL) / 2))
    numbers = rf"{figure(prediction)} \pm {figure(t)} \cdot {figure(wider)}"
    ends = f"{figure(prediction - t * wider)} to {figure(prediction + t * wider)}"
    label = f"{LEVEL:.0%} interval of a new row"
    yield Step(label, r"\hat{y} \pm t \sqrt{\sigma^2 (1 + h)}", numbers, ends)


def _absent(attribute, cell):
    return not math.isfinite(cell) if isinstance(attribute, Numeric) else cell < 0
