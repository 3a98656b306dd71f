r"""The readable twin of logistic regression: the trace, the coefficients, and one prediction term by term.

    z = b + Σ_j w_j x_j,    P(c₁ | x) = 1/(1 + e^-z)    or    P(c | x) = e^(s_c) / Σ_k e^(s_k)

It computes a prediction in plain Python from the coefficients in units of the columns, and uses nothing that
the learner uses to predict, so tests compare the two.
"""

import math

import numpy as np

from openbook.border.learner import class_statements
from openbook.linear.maximum import FIXED_STEP, penalties_of
from openbook.text.columns import telling_words
from openbook.words.numbers import figure, fraction, times
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: The score of a row, with an intercept and without.
SCORE, SCORE_ONLY = r"b + \sum_j w_j x_j", r"\sum_j w_j x_j"

#: The loss of a row, and its derivative by a coefficient as a product.
_TWO_CLASSES: tuple[Step, ...] = (
    Step("loss of a row", r"\ell = -y \ln p - (1 - y) \ln(1 - p)", note="p = P(y = 1 | x), and y is 0 or 1"),
    Step("∂ℓ/∂p", r"-\frac{y}{p} + \frac{1 - y}{1 - p} = \frac{p - y}{p (1 - p)}"),
    Step("∂p/∂z", r"\frac{e^{-z}}{(1 + e^{-z})^2} = p (1 - p)"),
    Step("∂z/∂w_j", "x_j"),
    Step("∂ℓ/∂w_j", r"\frac{p - y}{p (1 - p)} \cdot p (1 - p) \cdot x_j = (p - y) x_j"),
)
_MORE_CLASSES: tuple[Step, ...] = (
    Step("loss of a row", r"\ell = -\ln P(y \mid x) = \ln \sum_k e^{s_k} - s_y"),
    Step("∂ℓ/∂s_c", r"P(c \mid x) - [y = c]", note="[y = c] is 1 for the class of the row, else 0"),
    Step("∂s_c/∂w_cj", "x_j"),
    Step("∂ℓ/∂w_cj", r"(P(c \mid x) - [y = c]) \cdot x_j"),
)

#: Steps of the trace that are shown, the last among them; entries of a gradient; and terms of sparse columns.
SHOWN_STEPS, SHOWN_ENTRIES, SHOWN_TERMS = 20, 8, 40


def derive_model(model) -> Work:
    """How the model was learnt: what is maximised, the trace, the coefficients."""
    labels = class_statements(model)
    if len(labels) == 2:
        score = Step("z", SCORE if model.fit_intercept else SCORE_ONLY)
        rule = (score, Step(f"P({labels[1]} | x)", r"\frac{1}{1 + e^{-z}}"))
    else:
        rule = (Step("s_c", r"b_c + \sum_j w_{c j} x_j"), Step("P(c | x)", r"\frac{e^{s_c}}{\sum_k e^{s_k}}"))
    steps = (_chain_rule(model), _trace(model), *_gradients(model))
    likelihood = Work("likelihood", (*_objective(model), *steps, *_against_shares(model)))
    title = f"Logistic regression for {model.target_}: how it was fitted"
    return Work(title, (*rule, likelihood, *_coefficients(model)), "; ".join(model.notes_))


def _objective(model):
    formula = r"\sum_i \ln P(y_i \mid x_i)"
    l1, l2 = penalties_of(model)
    if l2:
        formula += rf" - \frac{{1}}{{2}} {times(l2)}\sum_j w_j^2"
    if l1:
        formula += rf" - {times(l1)}\sum_j |w_j|"
    note = ""
    if (l1 or l2) and model.scale:
        note = "w: coefficients of numeric columns in standard units"
    yield Step("maximised", formula, note=note)


def _chain_rule(model):
    """The gradient of the loss of a row by a coefficient, link after link; and of all rows."""
    l1, l2 = penalties_of(model)
    if len(model.classes_) == 2:
        links, p, y = _TWO_CLASSES, "p_i", "y_i"
    else:
        links, p, y = _MORE_CLASSES, r"P(c \mid x_i)", "[y_i = c]"
    total, curve = rf"\sum_i ({p} - {y}) x_{{ij}}", rf"-\sum_i {p} (1 - {p}) x_{{ij}}^2"
    total += rf" + {times(l2)}w_j" if l2 else ""
    total += rf" + {times(l1)}\operatorname{{sign}}(w_j)" if l1 else ""
    curve += rf" - {figure(l2)}" if l2 else ""
    ends = (
        Step("set to zero", f"{total} = 0", note="no formula solves this, so steps lead there"),
        Step("second derivative", curve, note="of what is maximised: not above zero, so it is a maximum"),
    )
    return Work("the gradient by the chain rule", (*links, *ends))


def _trace(model):
    trace = model.trace_.tolist()
    rows = [(i, *point) for i, point in enumerate(trace)]
    cut = len(rows) > SHOWN_STEPS
    if cut:
        rows = [*rows[: SHOWN_STEPS - 1], rows[-1]]
    note = f"Steps {SHOWN_STEPS - 1} to {len(trace) - 2} are left out." if cut else ""
    name = "log-likelihood, penalised" if any(penalties_of(model)) else "log-likelihood"
    title = f"{'epochs' if model.solver_ == 'sgd' else 'steps'} of {model.solver_}"
    if model.max_iter == 0:
        title, note = "given coefficients", "max_iter=0: nothing is learnt."
    return Grid(title, ("step", name, "largest slope", "step length"), rows, note)


def _gradients(model):
    """The gradient at every plain step, where it is kept and narrow enough to read."""
    gradients = np.roll(model.gradients_, 1, axis=2)  # the intercept first
    plain = model.solver_ in {"none", *FIXED_STEP}
    if not plain or not gradients.size or gradients[0].size > SHOWN_ENTRIES:
        return
    labels = [""] if len(gradients[0]) == 1 else [f" of {label}" for label in class_statements(model)]
    terms = ["b", *model.encoding_.names][not model.fit_intercept :]
    components = gradients[:, :, not model.fit_intercept :].reshape(len(gradients), -1)
    rows = [(i, *row) for i, row in enumerate(components.tolist())]
    if len(rows) > SHOWN_STEPS:
        rows = [*rows[: SHOWN_STEPS - 1], rows[-1]]
    units = "columns in standard units" if model.scale else "columns as they are"
    note = f"the derivative of what is maximised by each coefficient; {units}"
    yield Grid("gradient", ("step", *(f"{term}{label}" for label in labels for term in terms)), rows, note)


def _against_shares(model):
    fitted, shares = model.log_likelihood_, model.null_log_likelihood_
    yield Step("ln L", r"\sum_i \ln P(y_i \mid x_i)", result=fitted)
    yield Step("ln L₀", r"\sum_c N_c \ln \frac{N_c}{N}", result=shares, note="the class frequencies alone")
    if shares < 0:
        numbers = rf"1 - \frac{{{figure(-fitted)}}}{{{figure(-shares)}}}"
        yield Step("R²", r"1 - \frac{\ln L}{\ln L_0}", numbers, 1.0 - fitted / shares, "McFadden")


def _coefficients(model):
    """The coefficients in units of the columns, and what the data say of their certainty."""
    labels = class_statements(model)
    if len(labels) > 2:
        estimates = np.column_stack([model.intercept_, model.coef_]).T.tolist()
        terms = ("intercept", *model.encoding_.names)
        scores = [(term, *factors) for term, factors in zip(terms, estimates, strict=True)]
        yield Grid("scores", ("term", *labels), *_largest(model, scores))
    table = model.coefficients()
    names = [name for name in table.names if name != "class"]
    header = [name.replace("_", " ") for name in names]
    cells = zip(*(table.column(name).tolist() for name in names), strict=True)
    rows = [[None if _unknown(value) else value for value in row] for row in cells]
    width = len(model.encoding_) + model.fit_intercept
    if model.covariance_ is not None:
        note = "p: Wald test of a zero coefficient; low and high: 95% interval of the odds ratio"
        for k, label in enumerate(labels[1:]):
            title = f"odds of {label} against {labels[0]}"
            yield Grid(title, header, rows[k * width : (k + 1) * width], note)
    elif len(labels) == 2:
        rows, note = _largest(model, rows)
        if any(penalties_of(model)) and not note:
            note = "A penalised fit has no standard errors; C=math.inf gives them."
        yield Grid(f"odds of {labels[1]}", header, rows, note)


def _largest(model, rows):
    """The rows (term, coefficients …), of many sparse columns the largest; and a note."""
    if not model.encoding_.sparse or len(rows) <= SHOWN_TERMS:
        return rows, ""
    order = sorted(rows, key=lambda row: -max(map(abs, row[1 : 1 + len(model.coef_)])))
    return order[:SHOWN_TERMS], f"the largest of {len(rows):,}"


def _unknown(value):
    return isinstance(value, float) and not math.isfinite(value)


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    labels = class_statements(model)
    cells, words = _cells(model, X), model.encoding_.words
    scored = labels[1:] if len(labels) == 2 else labels
    scores, parts = [], []
    for label, coef, intercept in zip(scored, model.coef_.tolist(), model.intercept_.tolist(), strict=True):
        terms = [w * x for (_, x, _), w in zip(cells, coef, strict=True)]
        values = [model.schema_.told(name, x) for name, x, _ in cells]
        names = [name for name, *_ in cells]
        rows = list(zip(names, values, coef, terms, strict=True))
        score = math.fsum([intercept, *terms])
        name = "z" if len(labels) == 2 else f"s({label})"
        formula = SCORE if model.fit_intercept else SCORE_ONLY
        shown = [t for (n, x, _), t in zip(cells, terms, strict=True) if x or n not in words]
        step = Step(name, formula, joined([intercept, *shown] if model.fit_intercept else shown), score)
        gaps = [n for n, _, filled in cells if filled]
        note = f"missing or not seen in training, set to the mean: {', '.join(gaps)}" if gaps else ""
        title = f"log odds of {label}" if len(labels) == 2 else f"score of {label}"
        rows = telling_words(words, rows)
        parts.append(Work(title, (Grid("terms", ("column", "x", "w", "w x"), rows, note), step)))
        scores.append(score)
    steps, probabilities = _sigmoid(labels, scores[0]) if len(labels) == 2 else softmax_steps(labels, scores)
    winner = labels[probabilities.index(max(probabilities))]
    parts.append(Work("probability", steps))
    title = f"Logistic regression for {model.target_}: one prediction"
    return Work(title, tuple(parts), f"Most probable: {winner}.")


def _cells(model, X):
    """The encoded columns' names, their values in their own units, and whether the mean had to stand in."""
    encoding = model.encoding_
    encoded = (encoding.row(X) * encoding.scale + encoding.shift).tolist()
    dense = X.names[: len(X.names) - encoding.sparse]
    missing = [bool(X.column(name).missing[0]) or _unseen(X, name) for name in dense]
    missing += [False] * encoding.sparse
    filled = [
        missing[j] and not name.endswith(" missing")
        for name, j in zip(encoding.names, encoding.columns, strict=True)
    ]
    return list(zip(encoding.names, encoded, filled, strict=True))


def _unseen(X, name):
    return X.data(name).dtype.kind == "i" and int(X.data(name)[0]) < 0


def _sigmoid(labels, z):
    power = math.exp(-abs(z))
    p = (1.0 if z >= 0 else power) / (1.0 + power)
    rest = (power if z >= 0 else 1.0) / (1.0 + power)
    steps = (
        Step(f"P({labels[1]} | x)", r"\frac{1}{1 + e^{-z}}", rf"\frac{{1}}{{1 + e^{{{figure(-z)}}}}}", p),
        Step(f"P({labels[0]} | x)", r"\frac{1}{1 + e^{z}}", rf"\frac{{1}}{{1 + e^{{{figure(z)}}}}}", rest),
    )
    return steps, [rest, p]


def softmax_steps(labels, scores, formula=r"\frac{e^{s_c}}{\sum_k e^{s_k}}"):
    """The steps from scores to the probabilities of the classes, and these; a score may be minus infinity."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    shares = [power / total for power in powers]
    shown = [rf"e^{{{figure(score)}}}" if score > -math.inf else "" for score in scores]
    below = joined(filter(None, shown))
    steps = [
        Step(f"P({label} | x)", formula, fraction(above, below) if above else "0", share)
        for label, above, share in zip(labels, shown, shares, strict=True)
    ]
    return tuple(steps), shares
