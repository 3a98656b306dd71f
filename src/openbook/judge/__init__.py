"""Judging: splits, metrics, intervals, tests, evaluations and comparisons."""

from openbook.judge.bayesian import Posterior, correlated_t, posterior
from openbook.judge.comparison import Choice, Comparison, difference
from openbook.judge.curve import Curve
from openbook.judge.curves import complexity_curve, iteration_curve, learning_curve
from openbook.judge.evaluate import FoldError, compare, evaluate, evaluate_fold
from openbook.judge.evaluation import Evaluation
from openbook.judge.importance import ColumnImportance, Importance, permutation_importance
from openbook.judge.intervals import Interval, bootstrap, corrected_t, exact, jackknife, wald, wilson
from openbook.judge.metrics import METRICS, Metric, Predictions, confusion
from openbook.judge.over_sets import OverSets, compare_over_sets
from openbook.judge.pairs import Pairs
from openbook.judge.ranks import Friedman, friedman, wilcoxon
from openbook.judge.results import FoldResult
from openbook.judge.side_by_side import SideBySide, side_by_side
from openbook.judge.significance import TestResult, corrected_t_test, holm, mcnemar, paired_bootstrap
from openbook.judge.splits import Bootstrap632, GroupFolds, Protocol, TimeOrdered, lock_away, protocol

__all__ = [
    "METRICS",
    "Bootstrap632",
    "Choice",
    "ColumnImportance",
    "Comparison",
    "Curve",
    "Evaluation",
    "FoldError",
    "FoldResult",
    "Friedman",
    "GroupFolds",
    "Importance",
    "Interval",
    "Metric",
    "OverSets",
    "Pairs",
    "Posterior",
    "Predictions",
    "Protocol",
    "SideBySide",
    "TestResult",
    "TimeOrdered",
    "bootstrap",
    "compare",
    "compare_over_sets",
    "complexity_curve",
    "confusion",
    "corrected_t",
    "corrected_t_test",
    "correlated_t",
    "difference",
    "evaluate",
    "evaluate_fold",
    "exact",
    "friedman",
    "holm",
    "iteration_curve",
    "jackknife",
    "learning_curve",
    "lock_away",
    "mcnemar",
    "paired_bootstrap",
    "permutation_importance",
    "posterior",
    "protocol",
    "side_by_side",
    "wald",
    "wilcoxon",
    "wilson",
]
