"""A decision tree for classes."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from openbook.border.class_weight import class_factors
from openbook.border.learner import Classifier, most_probable
from openbook.border.rows import RowWeights, infinite_cell
from openbook.border.rules import Maybe, Number, OneOf
from openbook.data import Column, Intervals, Numeric, Schema, Table
from openbook.errors import RefusalError
from openbook.fold import each
from openbook.prepare.discretise import equal_cuts, mdl_cuts
from openbook.tree.derive.splits import min_leaf_weight
from openbook.tree.engine.nodes import SPREAD, add_along_paths, leaves_of
from openbook.tree.engine.prune import PRUNINGS
from openbook.tree.engine.stump import Presorted, best_stump, presort
from openbook.tree.learner import DecisionTreeParameters, Growing, TreeLearner


class GrowingClassifier(Growing, Classifier):
    """What learners that grow trees for classes share."""

    criterion: Annotated[str, OneOf("gini", "entropy", "gain_ratio")] = "gini"
    class_weight = None

    def _target(self, y):
        target, codes = super()._target(y)
        if len(self.classes_) > np.iinfo(np.uint16).max:
            msg = f"{target!r} has {len(self.classes_):,} classes; if it is a number, use a tree for numbers"
            raise RefusalError(msg)
        return target, codes

    def _weighed(self, training):
        if self.class_weight is None:
            return training
        weights = np.bincount(training.y, training.w, minlength=len(self.classes_))
        return training._replace(w=training.w * class_factors(self, weights)[training.y])


class TreeClassifier(GrowingClassifier, TreeLearner):
    """What trees for classes share."""

    numeric: Annotated[str, OneOf("binary", "multiway")] = "binary"

    def _prepared(self, rows):
        rows = super()._prepared(rows)
        if self.numeric == "binary":
            return rows
        schema = in_intervals(rows, self.bins, self._n_classes)
        self._remember(schema)
        return rows.under(schema)

    def _held_out(self, tree, X, y, w):
        """The weight of each class among the rows that come to each node."""
        totals = np.zeros((tree.size, self._n_classes))
        add_along_paths(tree, X, y, w, totals)
        return totals

    def _leaf_values(self):
        return self.tree_.value / self.tree_.value.sum(axis=1, keepdims=True)

    def _proba(self, X):
        return self._outputs(X)

    def _decided(self, matrix):
        """The code of the class that it decides for, of each row of cells (see `nodes`)."""
        leaves = np.empty(len(matrix), dtype=np.intp)
        leaves_of(self.tree_, matrix, leaves)
        codes = most_probable(self._leaf_values())[leaves]
        if (spread := leaves == SPREAD).any():
            codes[spread] = most_probable(self._outputs_at(matrix[spread]))
        return codes

    def _encoded(self, X, y, w=None):
        return self._presorted(X, y) or super()._encoded(X, y, w)

    def _presorted(self, X, y):
        """The rows for plain stumps of two classes, where that is what it grows; else None."""
        unasked = ("significance", "pre_prune", "prune", "max_features", "bins", "class_weight")
        plain = dict.fromkeys(unasked) | {"max_depth": 1, "numeric": "binary", "min_samples_split": 2}
        plain |= {"criterion": "gini", "splitter": "best", "min_impurity_decrease": 0, "ccp_alpha": 0}
        if any(getattr(self, name) != value for name, value in plain.items()):
            return None
        rows = self._training_rows(X, y, None)
        codes = np.concatenate([chunk.y for chunk in rows.pieces])
        if rows.whole is None or self._n_classes != 2 or (presorted := presort(rows.whole, codes)) is None:
            return None
        return StumpRows(rows.whole, y, presorted, self._learnt())


def in_intervals(rows, bins, n_classes):
    """The schema with numbers as intervals: so many of about equal weight, or those that MDL accepts."""
    tables, targets, weights = zip(*each(rows.pieces, tuple), strict=True)
    y, w = np.concatenate(targets), np.concatenate(weights)
    attributes = []
    for attribute in rows.schema:
        if not isinstance(attribute, Numeric):
            attributes.append(attribute)
            continue
        x = np.concatenate([table.data(attribute.name) for table in tables]).astype(float)
        if np.isinf(x).any():
            raise infinite_cell(rows)
        known = ~np.isnan(x)
        if bins is None:
            cuts = mdl_cuts(x[known], y[known], n_classes)
        else:
            values, places = np.unique(x[known], return_inverse=True)
            cuts = equal_cuts(values, np.bincount(places, w[known], len(values)), bins)
        attributes.append(Intervals.of(attribute, cuts))
    return Schema(tuple(attributes), rows.schema.named)


class StumpRows(NamedTuple):
    """Rows for many stumps; see `EncodedRows`.

    X : Table; y : Column, the target as `fit` takes it
    """

    X: Table
    y: Column
    presorted: Presorted
    learnt: dict

    def grow(self, member, w):
        """Make a copy of the learner the best stump under these weights; gives the class of each row."""
        settings = (min_leaf_weight(member, w.sum()), member.min_gain, member.missing == "fractional")
        stump = best_stump(self.presorted, self.X, w, *settings)
        if stump is None:  # nothing to gain: a leaf
            member.fit(self.X, self.y, sample_weight=w.view(RowWeights))
            return np.full(len(w), most_probable(member.tree_.value)[0])
        member.__dict__.update(self.learnt)
        member._become(stump.tree, stump.candidates)  # noqa: SLF001 (a tree of its own)
        return stump.decisions


class DecisionTreeClassifier(DecisionTreeParameters, TreeClassifier):
    """A decision tree for classification: typed columns, missing values, multiway splits, pruning.

    Numbers and ordinal values are cut in two, halfway between neighbouring values; of splits with the same
    gain the first wins. The probabilities of a leaf are the shares of the classes among its training rows.

    Parameters
    ----------
    criterion : {"gini", "entropy", "gain_ratio"}, default="gini"
        The measure of impurity whose decrease, the gain, a split is judged by. "gain_ratio" follows C4.5 in
        all its details.
    nominal : {"multiway", "subset"}, default="multiway"
    missing : {"fractional", "majority", "branch"}, default="fractional"
    rare_values : {"pool", "keep"}, default="pool"
    splitter : {"best", "random"}, default="best"
        Whether the best cut of each column is searched for, or one is drawn at random from its range.
    max_depth : int or None, default=None
    min_samples_split : float, default=2
    min_samples_leaf : float, default=1
    min_weight_fraction_leaf : float, default=0.0
    max_leaf_nodes : int or None, default=None
    min_impurity_decrease : float, default=0.0
    min_gain : float, default=0.0
        A split must gain more than this.
    max_features : int, float, "sqrt", "log2", "log2+1" or None, default=None
        How many columns, drawn at random, each node looks at: a number, a share, or a rule; None for all.
    prune : str or None, default=None
        How the grown tree is pruned: by the errors on rows held out, from the leaves up ("reduced_error") or
        the best cut first ("best_first"); by training errors plus a penalty for each leaf ("pessimistic"); by
        C4.5's upper bound of the error ("confidence"); or by errors plus `ccp_alpha` for each leaf
        ("cost_complexity"); None for not at all.
    ccp_alpha : float, default=0.0
        The price of a leaf in cost-complexity pruning: impurity + ccp_alpha · leaves is minimised. Above 0 it
        prunes even if `prune` is None.
    validation_fraction : float, default=0.25
    bins : int or None, default=None
    random_state : int, RandomState or None, default=None
    significance : float or None, default=None
        The significance level of a chi-squared test that a split must pass; None for no test.
    pre_prune : {"pessimistic"} or None, default=None
        Do not split a node if the pessimistic error would not fall; None to ignore this.
    penalty : float, default=0.5
        The errors that a leaf counts for in the pessimistic error.
    confidence : float, default=0.25
        The level of C4.5's bound; the smaller, the more is pruned.
    class_weight : mapping of class to weight, "balanced" or None, default=None
    numeric : {"binary", "multiway"}, default="binary"

    Attributes
    ----------
    tree_ : Tree
    classes_ : ndarray of shape (n_classes,)
    feature_importances_ : ndarray of shape (n_columns,)
    candidates_ : Candidates
    pruning_ : Pruning

    Notes
    -----
    Guide: docs/guide/trees.md

    References
    ----------
    Quinlan (1986), Induction of decision trees; (1993), C4.5. Breiman, Friedman, Olshen and Stone (1984),
    Classification and regression trees.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    >>> model.get_n_leaves(), model.score(X, y)
    (5, 1.0)
    """

    criterion: str = "gini"
    significance: Annotated[float | None, Maybe(Number(above=0, at_most=0.5))] = None
    pre_prune: Annotated[str | None, Maybe(OneOf("pessimistic"))] = None
    prune: Annotated[str | None, Maybe(OneOf(*PRUNINGS["classification"]))] = None
    penalty: float = 0.5
    confidence: float = 0.25
    class_weight: Any = None
    numeric: str = "binary"
