"""Judging: splits, metrics, intervals, tests, evaluations and comparisons."""

from openbook.data.adjustments import bonferroni, false_discovery, holm
from openbook.elsewhere import look_elsewhere
from openbook.judge.chance.bayesian import Posterior, correlated_t, posterior
from openbook.judge.chance.generalisation import Generalisation, generalisation
from openbook.judge.chance.intervals import (
    Interval,
    bootstrap,
    corrected_t,
    exact,
    jackknife,
    rows_needed,
    wald,
    wilson,
)
from openbook.judge.chance.ranks import Friedman, friedman, wilcoxon
from openbook.judge.chance.significance import TestResult, corrected_t_test, mcnemar, paired_bootstrap
from openbook.judge.choice.choose import Choice, choose
from openbook.judge.choice.comparison import Comparison, difference
from openbook.judge.choice.over_sets import OverSets, compare_over_sets
from openbook.judge.choice.pairs import Pairs
from openbook.judge.choice.side_by_side import SideBySide, side_by_side
from openbook.judge.choice.verdict import Verdict, anything_to_learn
from openbook.judge.curves.bias_variance import Generator, bias_variance
from openbook.judge.curves.curve import Curve
from openbook.judge.curves.decomposition import BiasVariance
from openbook.judge.curves.diagnose import Diagnosis, diagnose, diagnose_model
from openbook.judge.curves.evaluation_bias import EvaluationBias, evaluation_bias
from openbook.judge.curves.make import complexity_curve, iteration_curve, learning_curve
from openbook.judge.errors.disagreement import Disagreement, disagreement
from openbook.judge.errors.documents import DocumentErrors, document_errors
from openbook.judge.errors.importance import ColumnImportance, Importance, permutation_importance
from openbook.judge.errors.mistakes import Mistakes, confident_mistakes
from openbook.judge.errors.notable import NotablePrediction, notable_predictions
from openbook.judge.errors.segments import Segments, worst_segments
from openbook.judge.folds.evaluate import compare, evaluate, evaluate_fold
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.fit_folds import FoldError
from openbook.judge.folds.holdout import Holdout
from openbook.judge.folds.label_folds import IterativeStratification
from openbook.judge.folds.lock_away import lock_away
from openbook.judge.folds.results import FoldResult
from openbook.judge.folds.splits import Protocol, protocol
from openbook.judge.folds.splitters import Bootstrap632, GroupFolds, TimeOrdered
from openbook.judge.risk.costs import Costs, cost_metric, costs, tie_cost_ratio, total_cost
from openbook.judge.risk.fairness import Fairness, fairness
from openbook.judge.risk.leaks import Leaks, leaks
from openbook.judge.risk.permuted_target import LeakTest, leak_test
from openbook.judge.scores.calibration import Calibration
from openbook.judge.scores.confusion import Confusion
from openbook.judge.scores.metrics import METRICS, Metric, Predictions, confusion
from openbook.judge.scores.multilabel import MultiLabel
from openbook.judge.scores.precision_recall import PrecisionRecall
from openbook.judge.scores.rates import Rate
from openbook.judge.scores.regression import Regression
from openbook.judge.scores.roc import Roc, auc
from openbook.judge.scores.score_pictures import draw_cost_curves, draw_rocs
from openbook.judge.scores.sequences import SequenceScores, SpanCounts, sequence_scores
from openbook.judge.tuning.tune import Tuned, Tuning, tune

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
    "DocumentErrors",
    "Evaluation",
    "EvaluationBias",
    "Fairness",
    "FoldError",
    "FoldResult",
    "Friedman",
    "Generalisation",
    "Generator",
    "GroupFolds",
    "Holdout",
    "Importance",
    "Interval",
    "IterativeStratification",
    "LeakTest",
    "Leaks",
    "Metric",
    "Mistakes",
    "MultiLabel",
    "NotablePrediction",
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
    "SequenceScores",
    "SideBySide",
    "SpanCounts",
    "TestResult",
    "TimeOrdered",
    "Tuned",
    "Tuning",
    "Verdict",
    "anything_to_learn",
    "auc",
    "bias_variance",
    "bonferroni",
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
    "document_errors",
    "draw_cost_curves",
    "draw_rocs",
    "evaluate",
    "evaluate_fold",
    "evaluation_bias",
    "exact",
    "fairness",
    "false_discovery",
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
    "notable_predictions",
    "paired_bootstrap",
    "permutation_importance",
    "posterior",
    "protocol",
    "rows_needed",
    "sequence_scores",
    "side_by_side",
    "tie_cost_ratio",
    "total_cost",
    "tune",
    "wald",
    "wilcoxon",
    "wilson",
    "worst_segments",
]

__getattr__ = look_elsewhere(__name__)
