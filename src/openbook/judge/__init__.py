"""Judging: splits, metrics, intervals, tests, evaluations and comparisons."""

from openbook.judge.bayesian import Posterior, correlated_t, posterior
from openbook.judge.bias_variance import Generator, bias_variance
from openbook.judge.calibration import Calibration
from openbook.judge.choice import Choice, choose
from openbook.judge.comparison import Comparison, difference
from openbook.judge.confusion import Confusion
from openbook.judge.costs import Costs, cost_metric, costs
from openbook.judge.curve import Curve
from openbook.judge.curves import complexity_curve, iteration_curve, learning_curve
from openbook.judge.decomposition import BiasVariance
from openbook.judge.diagnose import Diagnosis, diagnose, diagnose_model
from openbook.judge.disagreement import Disagreement, disagreement
from openbook.judge.evaluate import FoldError, compare, evaluate, evaluate_fold
from openbook.judge.evaluation import Evaluation
from openbook.judge.fairness import Fairness, fairness
from openbook.judge.generalisation import Generalisation, generalisation
from openbook.judge.importance import ColumnImportance, Importance, permutation_importance
from openbook.judge.intervals import Interval, bootstrap, corrected_t, exact, jackknife, wald, wilson
from openbook.judge.leaks import Leaks, leaks
from openbook.judge.metrics import METRICS, Metric, Predictions, confusion
from openbook.judge.mistakes import Mistakes, confident_mistakes
from openbook.judge.multilabel import MultiLabel
from openbook.judge.over_sets import OverSets, compare_over_sets
from openbook.judge.pairs import Pairs
from openbook.judge.permuted_target import LeakTest, leak_test
from openbook.judge.precision_recall import PrecisionRecall
from openbook.judge.ranks import Friedman, friedman, wilcoxon
from openbook.judge.rates import Rate
from openbook.judge.regression import Regression
from openbook.judge.results import FoldResult
from openbook.judge.roc import Roc, auc
from openbook.judge.segments import Segments, worst_segments
from openbook.judge.side_by_side import SideBySide, side_by_side
from openbook.judge.significance import TestResult, corrected_t_test, holm, mcnemar, paired_bootstrap
from openbook.judge.splits import Bootstrap632, GroupFolds, Protocol, TimeOrdered, lock_away, protocol
from openbook.judge.telling import Telling, telling
from openbook.judge.tune import Tuned, Tuning, tune
from openbook.judge.verdict import Verdict, anything_to_learn

__all__ = [
    "METRICS",
    "BiasVariance",
    "Bootstrap632",
    "Calibration",
    "Choice",
    "ColumnImportance",
    "Comparison",
    "Confusion",
    "Costs",
    "Curve",
    "Diagnosis",
    "Disagreement",
    "Evaluation",
    "Fairness",
    "FoldError",
    "FoldResult",
    "Friedman",
    "Generalisation",
    "Generator",
    "GroupFolds",
    "Importance",
    "Interval",
    "LeakTest",
    "Leaks",
    "Metric",
    "Mistakes",
    "MultiLabel",
    "OverSets",
    "Pairs",
    "Posterior",
    "PrecisionRecall",
    "Predictions",
    "Protocol",
    "Rate",
    "Regression",
    "Roc",
    "Segments",
    "SideBySide",
    "Telling",
    "TestResult",
    "TimeOrdered",
    "Tuned",
    "Tuning",
    "Verdict",
    "anything_to_learn",
    "auc",
    "bias_variance",
    "bootstrap",
    "choose",
    "compare",
    "compare_over_sets",
    "complexity_curve",
    "confident_mistakes",
    "confusion",
    "corrected_t",
    "corrected_t_test",
    "correlated_t",
    "cost_metric",
    "costs",
    "diagnose",
    "diagnose_model",
    "difference",
    "disagreement",
    "evaluate",
    "evaluate_fold",
    "exact",
    "fairness",
    "friedman",
    "generalisation",
    "holm",
    "iteration_curve",
    "jackknife",
    "leak_test",
    "leaks",
    "learning_curve",
    "lock_away",
    "mcnemar",
    "paired_bootstrap",
    "permutation_importance",
    "posterior",
    "protocol",
    "side_by_side",
    "telling",
    "tune",
    "wald",
    "wilcoxon",
    "wilson",
    "worst_segments",
]
