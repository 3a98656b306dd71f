"""Linear learners of word counts: 20,000 sparse rows of about a hundred words out of 100,000, ten classes.

Quality is the objective that both minimise, over the number of rows, worked out from each one's coefficients.
"""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.multinomial import make as make_counts

ROWS, WORDS_PER_ROW, CLASSES = 20_000, 5, 10
#: Both stop where no gradient of the mean loss is larger.
GRADIENT = 1e-4
#: LIBLINEAR also minimises b²/2 over the square of this.
INTERCEPT = 10
#: The penalty of ridge regression.
RIDGE = 1.0
#: How often perceptrons meet each row.
EPOCHS = 5


def make(rows, seed):
    """One label in twenty is drawn anew, so that no plane parts the classes by right."""
    X, y = make_counts(rows, seed, WORDS_PER_ROW * rows, CLASSES, tilt=0.4)
    rng = np.random.default_rng(seed)
    return X, np.where(rng.random(rows) < 0.05, rng.integers(0, CLASSES, rows), y)


def fit_logistic(given):
    from openbook.linear import LogisticRegression

    return LogisticRegression(tol=GRADIENT).fit(*given)


def fit_logistic_sklearn(given):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(tol=GRADIENT, max_iter=1000).fit(*given)


def fit_machine(given):
    from openbook.svm import SVC

    return SVC(kernel="linear", loss="squared_hinge", calibrate=None).fit(*given)


def fit_machine_liblinear(given):
    from sklearn.svm import LinearSVC

    return LinearSVC(intercept_scaling=INTERCEPT, random_state=0).fit(*given)


def numbers(given):
    """Targets for ridge: a sum over one word in twenty, and noise."""
    X, _ = given
    rng = np.random.default_rng(0)
    effects = rng.normal(size=X.shape[1]) * (rng.random(X.shape[1]) < 0.05)
    return X, X @ effects + rng.normal(50, 1, X.shape[0])


def fit_ridge(given):
    from openbook.linear import LinearRegression

    return LinearRegression(l2=RIDGE).fit(*given)


def fit_ridge_sklearn(given):
    from sklearn.linear_model import Ridge

    return Ridge(RIDGE).fit(*given)


def fit_ridge_lsqr(given):
    from sklearn.linear_model import Ridge

    return Ridge(RIDGE, solver="lsqr", tol=1e-6).fit(*given)


def fit_perceptron(given):
    from openbook.linear import Perceptron

    return Perceptron(max_iter=EPOCHS, shuffle=True, keep="average").fit(*given)


def fit_perceptron_sklearn(given):
    from sklearn.linear_model import Perceptron

    return Perceptron(max_iter=EPOCHS, tol=None).fit(*given)


def predict(model, given):
    return model.predict(given[0])


def logistic_objective(model, given, predicted):  # noqa: ARG001 (every quality is asked so)
    X, y = given
    scores = X @ model.coef_.T + model.intercept_
    logs = np.log(np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)) + scores.max(axis=1)
    loss = (logs - scores[np.arange(len(y)), y]).sum()
    return {"objective": float(loss + 0.5 * (model.coef_**2).sum()) / len(y)}


def ridge_objective(model, given, predicted):
    loss = 0.5 * ((given[1] - predicted) ** 2).sum()
    return {"objective": float(loss + 0.5 * RIDGE * (model.coef_**2).sum()) / len(predicted)}


def machine_objective(model, given, predicted):  # noqa: ARG001
    X, y = given
    signs = np.where(y[:, None] == np.arange(CLASSES), 1.0, -1.0)
    slack = np.maximum(0.0, 1 - signs * (X @ model.coef_.T + model.intercept_))
    return {"objective": float(0.5 * (model.coef_**2).sum() + (slack**2).sum()) / len(y)}


def share_right(model, given, predicted):  # noqa: ARG001
    return {"training rows right": float((predicted == given[1]).mean())}


SPARSE_LOGISTIC = Workload(
    name="sparse-logistic",
    title="Logistic regression, sparse, 100,000 columns, 10 classes",
    rows=ROWS,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_logistic, predict, logistic_objective),
        "LogisticRegression": Contestant(
            tuple, fit_logistic_sklearn, predict, logistic_objective, needs="sklearn"
        ),
    },
    goals=(Goal("fit", "times", 1, ("LogisticRegression",)),),
    tolerance=2e-3,
    rounds=1,
    runs=1,
    warm_rows=100,
)

SPARSE_MACHINE = Workload(
    name="sparse-svm-linear",
    title="A linear support vector machine for each class, sparse, 100,000 columns, 10 classes",
    rows=ROWS,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_machine, predict, machine_objective),
        "LinearSVC": Contestant(tuple, fit_machine_liblinear, predict, machine_objective, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 1.5, ("LinearSVC",)),),
    tolerance=2e-3,
    rounds=1,
    runs=1,
    warm_rows=100,
)

SPARSE_RIDGE = Workload(
    name="sparse-ridge",
    title="Ridge regression, sparse, 100,000 columns",
    rows=ROWS,
    make=make,
    contestants={
        OURS: Contestant(numbers, fit_ridge, predict, ridge_objective),
        "Ridge": Contestant(numbers, fit_ridge_sklearn, predict, ridge_objective, needs="sklearn"),
        "Ridge, LSQR": Contestant(numbers, fit_ridge_lsqr, predict, ridge_objective, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 1, ("Ridge", "Ridge, LSQR")),),
    tolerance=2e-3,
    rounds=1,
    runs=1,
    warm_rows=100,
)

SPARSE_PERCEPTRON = Workload(
    name="sparse-perceptron",
    title="The perceptron, 5 epochs in random order, sparse, 100,000 columns, 10 classes",
    rows=ROWS,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_perceptron, predict, share_right),
        "Perceptron": Contestant(tuple, fit_perceptron_sklearn, predict, share_right, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 1, ("Perceptron",)),),
    tolerance=0.05,  # scikit-learn's learns each class against the rest
    rounds=1,
    runs=3,
    warm_rows=100,
)
