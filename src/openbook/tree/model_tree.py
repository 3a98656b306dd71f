r"""Model trees: a tree with a linear model in every node (M5: Quinlan, 1992; M5': Wang and Witten, 1997).

    grown       by squared error, until a node's spread is below 5% of the root's or no split leaves
                `min_samples_leaf` rows on both sides
    a line      at every node, by least squares over the numeric columns that are tested above or below it, as
                far as there are 4 rows a term; terms are dropped one by one, the least useful first, while
                that lowers the adjusted error

                    e' = sqrt(sum_i w_i r_i^2 / n) (n + v) / (n - v)        v terms, the constant counted

    pruned      from the leaves up, where e' of the node's own line is no more than e' of the subtree, whose v
                are the terms of all its lines and its tests
    smoothed    on the way up from the leaf, with n rows below, k = 15 and q the line of the node above:

                    p' = (n p + k q) / (n + k)

Nominal and ordinal columns are tested only. Missing cells go down the heavier branch, and count as the mean
of the node's rows in a line. A number outside the training range counts as the nearest end of it, which
limits extrapolation.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rules import Number
from openbook.data import Numeric
from openbook.kernels.jit import inner, jit
from openbook.tree.derive.lines import derive_line_row, derive_lines, line_words
from openbook.tree.engine.nodes import LEAF, SPREAD, cells, cut_back, leaves_of, parents
from openbook.tree.engine.prune import Decision, Pruned
from openbook.tree.regressor import TreeRegressor
from openbook.work.conditions import exact_digits, in_sql

#: How many rows the line of the node above counts for.
SMOOTHING = 15.0
#: The factor of the adjusted error where there are no more rows than terms (as in WEKA's M5P).
TOO_FEW = 10.0
#: A line has no more terms than its rows over this.
ROWS_A_TERM = 4
#: A column that those before it explain but for this share is left out.
EXPLAINED = 1e-5
#: Errors that differ by less, as a share of the target's own, are equal.
ROUNDING = 1e-9


class Lines(NamedTuple):
    """The linear models, one a node.

    constant, squares, error : float64 (n,), the constant; the sum of squared errors, and the adjusted error
    slope, mean : float64 (n, n_columns), 0 if a column is not in the line; what stands for missing cells
    low, high : float64 (n_columns,), the numbers seen in training, 0 for columns that are not numeric
    """

    constant: np.ndarray
    slope: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def of(self, nodes):
        """The lines of some of the nodes."""
        return Lines(*(a if name in ("low", "high") else a[nodes] for name, a in self._asdict().items()))


class Line(NamedTuple):
    """One of them, over some of the columns."""

    constant: float
    slope: np.ndarray
    mean: np.ndarray
    squares: float


class ModelTreeRegressor(Declared, TreeRegressor):
    r"""A model tree (M5): a decision tree with a linear model in every leaf, smoothed by those above it.

    For a function that is linear in pieces, a few leaves do what a tree of constants needs many for.

    .. math:: \hat{y} = \frac{n p + k q}{n + k}

    Parameters
    ----------
    min_samples_leaf : float, default=4
        The weight that both branches of a split must have.
    min_spread : float, default=0.05
        A node whose standard deviation is a smaller share of the root's is not split.
    smoothing : bool, default=True
        Whether the prediction p of a leaf is smoothed by the lines q on the way to the root.

    Attributes
    ----------
    tree_ : Tree
        The nodes; their values are the means of the rows.
    lines_ : Lines
        The linear model of each node: constant, slope, mean (for missing cells), error (adjusted), low, high.
    feature_importances_ : ndarray of shape (n_columns,)
        Each column's share of the gain of the tests.
    candidates_ : Candidates
    pruning_ : Pruning

    Notes
    -----
    Guide: docs/guide/trees.md

    References
    ----------
    Quinlan (1992), Learning with continuous classes. Wang and Witten (1997), Inducing model trees for
    continuous classes.

    Examples
    --------
    >>> x = [[float(i)] for i in range(40)]
    >>> y = [i / 2 if i < 20 else 90 - 2 * i for i in range(40)]
    >>> model = ModelTreeRegressor(smoothing=False).fit(x, y)
    >>> model.get_n_leaves(), model.predict([[4.0], [30.5]]).round(6).tolist()
    (2, [2.0, 29.0])
    """

    _takes_means = True  # its lines are of numbers
    nominal = "subset"
    missing = "majority"
    prune = "adjusted_error"

    min_samples_leaf: Annotated[float, Number(at_least=1)] = 4
    min_spread: Annotated[float, Number(at_least=0, at_most=1)] = 0.05
    smoothing: bool = True

    def knobs(self):
        return {"min_samples_leaf": (4, 10, 25), "smoothing": (True, False)}

    def _pruned(self, tree, rows, training, held_out):  # noqa: ARG002 (nothing is held out)
        narrow = tree.value[:, 1] * tree.weight[0] < self.min_spread**2 * tree.value[0, 1] * tree.weight
        narrow &= tree.attribute != LEAF
        wide, kept = cut_back(tree, narrow)
        X = np.concatenate([cells(table) for table in rows.tables()])
        lines = lines_of(wide, X, training.y, training.w, self._numeric())
        decisions = decide(wide, lines, self.prune)
        ends = np.zeros(wide.size, dtype=bool)
        ends[[d.node for d in decisions if d.pruned]] = True
        pruned, left = cut_back(wide, ends)
        self.lines_ = lines.of(left)
        decisions = [d._replace(node=int(kept[d.node])) for d in decisions]
        return Pruned(pruned, kept[left], tuple(decisions))

    def _numeric(self):
        return np.array([isinstance(attribute, Numeric) for attribute in self.schema_])

    def _predict(self, X):
        matrix, k = cells(X), SMOOTHING if self.smoothing else 0.0
        leaves, out = np.empty(len(X), dtype=np.intp), np.empty(len(X))
        leaves_of(self.tree_, matrix, leaves)
        predict_lines(leaves, parents(self.tree_), self.tree_.weight, self.lines_, matrix, k, out)
        return out

    def line_at(self, node):
        """The linear model by which a node predicts: smoothed, where `smoothing` says so.

        Parameters
        ----------
        node : int
            The number of the node among those of `tree_`, as `apply` gives it; 0 is the root.

        Returns
        -------
        LeafLine
            `print` shows it; `sql()` writes it as an SQL expression.
        """
        check_is_fitted(self)
        k = SMOOTHING if self.smoothing else 0.0
        return smoothed_line(self.lines_, self.schema_, self.tree_, node, k)

    def complexity(self):
        return self.tree_.size + int(np.count_nonzero(self.lines_.slope))

    def _work(self):
        return derive_lines(self, super()._work())

    def _work_row(self, X):
        return derive_line_row(self, X, SMOOTHING if self.smoothing else 0.0)

    def _arrays(self):
        return super()._arrays() | {f"lines.{name}": a for name, a in self.lines_._asdict().items()}

    def _restore(self, arrays):
        lines = Lines(**{name: arrays[f"lines.{name}"] for name in Lines._fields})
        super()._restore({name: a for name, a in arrays.items() if not name.startswith("lines.")})
        check_lines(lines, self.tree_, self._numeric())
        self.lines_ = lines


@dataclass(frozen=True)
class LeafLine:
    """What a leaf predicts: constant + sum_j slope_j x_j, with x_j kept within what training has shown.

    terms : (attribute, slope, what a missing cell adds, lowest, highest) for each column in the line
    """

    constant: float
    terms: tuple[tuple[Numeric, float, float, float, float], ...]

    def __str__(self):
        return line_words(self.constant, [(attribute.name, slope) for attribute, slope, *_ in self.terms])

    def to_json(self):
        """The line as JSON values, every number in full."""
        return {"constant": self.constant, "slopes": {a.name: slope for a, slope, *_ in self.terms}}

    def sql(self, quote='"'):
        """The line as an SQL expression."""
        return " + ".join(
            [f"({exact_digits(self.constant)})", *(_term_sql(*term, quote) for term in self.terms)]
        )


def _term_sql(attribute, slope, missing, low, high, quote):
    x = in_sql(attribute, quote)
    ends = [
        (f"{x} IS NULL", missing),
        (f"{x} < {exact_digits(low)}", slope * low),
        (f"{x} > {exact_digits(high)}", slope * high),
    ]
    cases = " ".join(f"WHEN {test} THEN {exact_digits(value)}" for test, value in ends)
    return f"CASE {cases} ELSE {exact_digits(slope)} * {x} END"


def smoothed_line(lines, schema, tree, leaf, k):
    """The line that a leaf predicts by, smoothed by those above it if k is not 0: as `predict_lines` does."""
    above, path = parents(tree), [leaf]
    while k > 0 and above[path[-1]] >= 0:
        path.append(above[path[-1]])
    left, shares = 1.0, np.empty(len(path))
    for i in reversed(range(1, len(path))):  # the root is mixed in last, with what its child says
        n = float(tree.weight[path[i - 1]])
        shares[i], left = left * k / (n + k), left * n / (n + k)
    shares[0] = left
    constant, slope = shares @ lines.constant[path], shares @ lines.slope[path]
    missing = shares @ (lines.slope[path] * lines.mean[path])
    figures = (slope, missing, lines.low, lines.high)
    terms = ((schema.attributes[j], *(float(each[j]) for each in figures)) for j in np.flatnonzero(slope))
    return LeafLine(float(constant), tuple(terms))


def lines_of(tree, X, y, w, numeric):
    """The line of every node, for a tree in which a row has one way.

    numeric : bool (n_columns,)
    """
    n, n_columns = tree.size, X.shape[1]
    known = np.isfinite(X) & numeric
    low = np.min(X, axis=0, where=known, initial=np.inf)
    high = np.max(X, axis=0, where=known, initial=-np.inf)
    some = known.any(axis=0)
    lines = Lines(
        np.empty(n),
        np.zeros((n, n_columns)),
        np.zeros((n, n_columns)),
        np.empty(n),
        np.empty(n),
        np.where(some, low, 0.0),
        np.where(some, high, 0.0),
    )
    leaves = np.empty(len(X), dtype=np.intp)
    leaves_of(tree, X, leaves)
    sizes = np.bincount(leaves, minlength=n)
    members = dict(enumerate(np.split(np.argsort(leaves, kind="stable"), np.cumsum(sizes)[:-1])))
    tested = columns_tested(tree, numeric)
    for node in reversed(range(n)):  # children before parents
        if below := tree.children(node):
            members[node] = np.concatenate([members.pop(child) for child in below])
        own, columns = members[node], np.flatnonzero(tested[node])
        line = fitted_line(X[np.ix_(own, columns)], y[own], w[own])
        lines.constant[node], lines.squares[node] = line.constant, line.squares
        lines.error[node] = adjusted(line.squares, w[own].sum(), 1 + np.count_nonzero(line.slope))
        lines.slope[node, columns], lines.mean[node, columns] = line.slope, line.mean
    return lines


def decide(tree, lines, rule):
    """Which subtrees give way to a line, from the leaves up."""
    squares, terms = lines.squares.tolist(), (1 + np.count_nonzero(lines.slope, axis=1)).tolist()
    leaves, decisions = [1] * tree.size, []
    spread = float(np.sqrt(tree.value[0, 1] / tree.weight[0]))
    for node in np.flatnonzero(tree.attribute != LEAF)[::-1].tolist():
        below, n = tree.children(node), float(tree.weight[node])
        squares_below, terms_below = sum(squares[c] for c in below), sum(terms[c] for c in below) + 1
        before, after = adjusted(squares_below, n, terms_below), adjusted(squares[node], n, terms[node])
        pruned = after <= before + ROUNDING * spread
        decisions.append(Decision(node, sum(leaves[c] for c in below), before, after, pruned, rule))
        if not pruned:
            squares[node], terms[node], leaves[node] = squares_below, terms_below, decisions[-1].leaves
    return decisions


def columns_tested(tree, numeric):
    """Which numeric columns are tested above a node, at it or below it, bool (n_nodes, n_columns)."""
    tested = np.zeros((tree.size, len(numeric)), dtype=bool)
    inner_nodes = np.flatnonzero(tree.attribute != LEAF)
    tested[inner_nodes, tree.attribute[inner_nodes]] = numeric[tree.attribute[inner_nodes]]
    above = parents(tree)
    on_the_way = tested.copy()
    for node in range(1, tree.size):
        on_the_way[node] |= on_the_way[above[node]]
    for node in reversed(range(1, tree.size)):
        tested[above[node]] |= tested[node]
    return tested | on_the_way


def fitted_line(X, y, w):
    """The line through some rows, over the columns of X, its useless terms dropped."""
    n, known = w.sum(), ~np.isnan(X)
    mean = np.where(known, X, 0.0).T @ w / np.maximum(known.T @ w, np.finfo(float).tiny)
    largest = np.max(np.abs(X), axis=0, where=known, initial=0.0)
    y_mean = y @ w / n
    Z = np.where(known, X - mean, 0.0) * np.sqrt(w)[:, None]
    t = (y - y_mean) * np.sqrt(w)
    norm = np.sqrt((Z**2).sum(axis=0))
    total = t @ t
    slope, terms = np.zeros(len(mean)), np.flatnonzero(norm > ROUNDING * largest * np.sqrt(n))
    if len(terms) and n >= 2 * ROWS_A_TERM:
        Z = Z[:, terms] / norm[terms]
        useful = useful_terms(Z, t, n)
        slope[terms[useful]] = np.linalg.lstsq(Z[:, useful], t)[0] / norm[terms[useful]]
        t = t - Z @ (slope[terms] * norm[terms])
    squares = t @ t
    constant, parts = y_mean - slope @ mean, abs(y_mean) + np.abs(slope * mean).sum()
    constant = constant if abs(constant) > ROUNDING * parts else 0.0
    return Line(constant, slope, mean, squares if squares > ROUNDING**2 * total else 0.0)


def useful_terms(Z, t, n):
    """The columns of Z (of length 1) that explain t, without those that earlier ones explain. The one that
    explains least, the last of equals, is dropped, again and again, while the adjusted error does not rise or
    the rows are too few.
    """
    terms = independent(Z)
    Q, R = np.linalg.qr(Z[:, terms])
    inverse, b = np.linalg.inv(R), Q.T @ t
    slope, inverse = inverse @ b, inverse @ inverse.T  # of the columns' products
    total = t @ t
    rest = max(total - b @ b, 0.0)  # what no term explains
    slack = ROUNDING * np.sqrt(total / n)
    while len(terms):
        rise = slope**2 / np.diag(inverse)  # of the squared error, were a term dropped
        weakest = int(np.flatnonzero(rise <= rise.min() + ROUNDING * total)[-1])
        fewer = adjusted(rest + rise[weakest], n, len(terms))
        enough = ROWS_A_TERM * (len(terms) + 1) <= n
        if enough and fewer > adjusted(rest, n, len(terms) + 1) + slack:
            break
        others = np.arange(len(terms)) != weakest
        toll = inverse[others, weakest] / inverse[weakest, weakest]
        slope = slope[others] - toll * slope[weakest]
        inverse = inverse[np.ix_(others, others)] - np.outer(toll, inverse[weakest, others])
        rest, terms = rest + rise[weakest], terms[others]
    return terms


def independent(Z):
    """The columns of Z (of length 1) that those before do not explain (Gram and Schmidt, twice over)."""
    basis = np.zeros((len(Z), 0))
    terms = []
    for j, column in enumerate(Z.T):
        left = column - basis @ (basis.T @ column)
        if np.sqrt(left @ left) > EXPLAINED:
            left -= basis @ (basis.T @ left)
            basis = np.column_stack([basis, left / np.sqrt(left @ left)])
            terms.append(j)
    return np.array(terms)


def adjusted(squares, n, v):
    """The adjusted error of a line with v terms over n rows.

    >>> adjusted(8.0, 2.0, 1), adjusted(12.0, 3.0, 3)
    (6.0, 20.0)
    """
    return float(np.sqrt(squares / n) * ((n + v) / (n - v) if n > v else TOO_FEW))


@inner
def on_line(lines, node, X, i):
    """What a node's line says of row i."""
    said = lines.constant[node]
    for j in range(X.shape[1]):
        if lines.slope[node, j] != 0:
            cell = (
                lines.mean[node, j] if np.isnan(X[i, j]) else min(max(X[i, j], lines.low[j]), lines.high[j])
            )
            said += lines.slope[node, j] * cell
    return said


@jit(_nrt=False)
def predict_lines(leaves, above, weight, lines, X, k, out):
    """Fill in the prediction of each row: its leaf's line, smoothed by those above if k is not 0."""
    for i in range(X.shape[0]):
        node = leaves[i]
        said = on_line(lines, node, X, i)
        while k > 0 and above[node] >= 0:
            n, node = weight[node], above[node]
            said = (n * said + k * on_line(lines, node, X, i)) / (n + k)
        out[i] = said


def check_lines(lines, tree, numeric):
    """Raise ValueError unless these can be the lines of a tree in which a row has one way."""
    n, n_columns = tree.size, len(numeric)
    shapes = {"slope": (n, n_columns), "mean": (n, n_columns), "low": (n_columns,), "high": (n_columns,)}
    sound = all(
        a.shape == shapes.get(name, (n,)) and a.dtype == float and np.isfinite(a).all()
        for name, a in lines._asdict().items()
    )
    if not sound or lines.slope[:, ~numeric].any() or (tree.missing[tree.attribute != LEAF] == SPREAD).any():
        raise ValueError("its linear models are none")
