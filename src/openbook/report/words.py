"""The sentences of a report; the command line says some of them too."""

import math

from openbook.data.findings import Finding, plural
from openbook.judge import Evaluation, difference
from openbook.report.study import StudyResult

__all__ = [
    "beside_baseline",
    "best_baseline",
    "caution",
    "metric_name",
    "model_words",
    "place",
    "protocol_words",
    "score_words",
    "test_words",
]

_METRICS = {
    "balanced_accuracy": "Balanced accuracy",
    "macro_f1": "Macro F1",
    "log_loss": "Log loss",
    "brier": "Brier score",
    "roc_auc": "ROC AUC",
    "mse": "MSE",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}


def metric_name(name: str) -> str:
    return _METRICS.get(name, name.capitalize())


def score_words(score: float) -> str:
    """A score in few digits."""
    if math.isnan(score):
        return "undefined"
    return f"{score:.3f}" if abs(score) < 100 else f"{score:.4g}"


def best_baseline(result: StudyResult) -> str | None:
    """The label of the baseline with the best score."""
    ranked = [row.label for row in result.comparison.rows()]
    return next((label for label in ranked if label in result.baselines), None)


def beside_baseline(result: StudyResult) -> str:
    """How the choice stands beside the baselines, for those who read one sentence."""
    chosen = result.choice.label
    if chosen in result.baselines:
        return (
            f"{chosen} is a baseline: on these {plural(result.rows, 'row')} nothing is significantly better than so"
            " simple a rule. More rows or better columns may change that; a larger model of the same rows will not."
        )
    if (baseline := best_baseline(result)) is None:
        return ""
    test = difference(result.comparison[chosen], result.comparison[baseline])
    return f"Against {baseline}, the best baseline: {test}."


def test_words(result: StudyResult, chosen: Evaluation) -> str:
    return (
        f"{plural(len(chosen.predictions.truth), 'row')} were locked away before any learner was tried. After the"
        f" choice was made, {result.choice.label} and the baselines were fitted on the other rows and met these once."
        " This is the fairest figure in this report, and stays so only as long as nobody chooses by it."
    )


def model_words(result: StudyResult) -> str:
    """What the model file holds."""
    label, rows = result.choice.label, f"{result.rows:,} rows"
    if result.tests:
        return (
            f"model.openbook holds {label}, fitted on the {rows} that were not locked away: the very model that the"
            " final test is about. A model of all rows may be a little better, but nothing here was measured on it."
        )
    return (
        f"model.openbook holds {label}, fitted on all {rows}; its score is that of models of fewer rows each."
    )


def protocol_words(result: StudyResult) -> list[str]:
    """How the learners were judged, a sentence each."""
    learners = plural(len(result.comparison.evaluations), "learner")
    split = result.protocol.partition(". ")[0]
    locked = "No rows were locked away for a final test, since there are too few."
    if result.tests:
        rows = len(next(iter(result.tests.values())).predictions.truth)
        locked = f"{rows:,} rows were locked away, each class in its share, and met once, at the very end."
    return [
        f"{learners} were judged on {plural(result.rows, 'row')} by {split}.",
        "Everything was fitted inside the fold: no row that a learner was judged on had a part in learning it.",
        locked,
        f"Learners are ranked by {metric_name(result.comparison.metric().name)}.",
    ]


def caution(result: StudyResult) -> str:
    """What the protocol cannot show, where the rows are few."""
    rest = result.protocol.partition(". ")[2]
    return f"{rest}. Read the intervals before the scores." if rest else ""


def place(finding: Finding) -> str:
    """Where a finding is: its columns, or the table."""
    if not finding.columns:
        return "The table"
    more = f" and {len(finding.columns) - 4} more" if len(finding.columns) > 4 else ""
    return ", ".join(finding.columns[:4]) + more
