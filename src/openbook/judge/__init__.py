"""Judging: splits, metrics, intervals, tests, evaluations and comparisons."""

from openbook.judge.comparison import Choice, Comparison, difference
from openbook.judge.curve import Curve
from openbook.judge.curves import complexity_curve, iteration_curve, learning_curve
from openbook.judge.evaluate import FoldError, compare, evaluate, evaluate_fold
from openbook.judge.evaluation import Evaluation
from openbook.judge.importance import ColumnImportance, Importance, permutation_importance
from openbook.judge.intervals import Interval, bootstrap, corrected_t, exact, jackknife, wald, wilson
from openbook.judge.metrics import METRICS, Metric, Predictions, confusion
from openbook.judge.results import FoldResult
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
    "GroupFolds",
    "Importance",
    "Interval",
    "Metric",
    "Predictions",
    "Protocol",
    "TestResult",
    "TimeOrdered",
    "bootstrap",
    "compare",
    "complexity_curve",
    "confusion",
    "corrected_t",
    "corrected_t_test",
    "difference",
    "evaluate",
    "evaluate_fold",
    "exact",
    "holm",
    "iteration_curve",
    "jackknife",
    "learning_curve",
    "lock_away",
    "mcnemar",
    "paired_bootstrap",
    "permutation_importance",
    "protocol",
    "wald",
    "wilson",
]
