"""The commands that list the bundled data sets, learners, metrics, outlier detectors and steps."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openbook.judge.scores.metrics import Task

#: The tasks of studies, as headings.
_TASKS: "dict[Task, str]" = {
    "classification": "Classification",
    "regression": "Regression",
    "multilabel": "Several labels at once",
}
_METRICS = {
    "accuracy": "share of correct predictions",
    "error": "share of wrong predictions",
    "balanced_accuracy": "mean recall of the classes",
    "precision": "share of the predicted positives that are positive",
    "recall": "share of the positives that are found",
    "specificity": "share of the negatives that are recognised",
    "f1": "harmonic mean of precision and recall",
    "macro_f1": "mean F1 of the classes",
    "weighted_f1": "mean F1 of the classes, weighted by their rows",
    "kappa": "agreement beyond chance (Cohen)",
    "quadratic_kappa": "agreement beyond chance, with squared distances between ranks (weighted kappa)",
    "rank_error": "mean distance between the ranks of the predicted and the true class",
    "mcc": "correlation of truth and prediction (Matthews)",
    "log_loss": "mean negative log probability of the true class",
    "brier": "mean squared error of the probabilities",
    "roc_auc": "area under the ROC curve",
    "average_precision": "area under the precision-recall curve",
    "mse": "mean squared error",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "r2": "share of the variance that is explained",
    "correlation": "correlation of truth and prediction (Pearson)",
}
_OF_LABELS = {
    "micro_f1": "F1 over all labels of all rows together",
    "macro_f1": "mean F1 of the labels",
    "subset_accuracy": "share of rows with all labels correct",
    "hamming_loss": "share of wrong labels",
    "jaccard": "mean Jaccard index: labels in both sets, divided by labels in either",
    "micro_precision": "share of the predicted labels that are correct",
    "micro_recall": "share of the labels that are found",
    "macro_precision": "mean precision of the labels",
    "macro_recall": "mean recall of the labels",
}


def list_sets() -> None:
    """List the bundled data sets."""
    from openbook.cli.screen import columns, console, say
    from openbook.data.sets import sets

    screen = console()
    rows = [(each.name, f"{each.rows:,} rows", each.target, each.description) for each in sets().values()]
    columns(screen, rows, right=(1,))
    say(screen, "\nExample: openbook study wine")


def list_learners() -> None:
    """List the learners that a study can use."""
    from openbook.cli.screen import columns, console, heading, say
    from openbook.registry import learners

    screen = console()
    for task, title in _TASKS.items():
        heading(screen, title)
        entries = learners(task)
        columns(screen, [(each.name, "*" if each.study else " ", each.summary) for each in entries])
    say(
        screen,
        "\n* part of every study, where the data allow it; the others need parameters in a plan.toml."
        "\nExample: openbook study wine --learner random_forest",
    )


def list_metrics() -> None:
    """List the scores by which a study can rank the learners."""
    from openbook.cli.screen import columns, console, heading, say
    from openbook.judge.scores.metrics import metrics_of

    screen = console()
    for task, title in _TASKS.items():
        heading(screen, title)
        words, metrics = _OF_LABELS if task == "multilabel" else _METRICS, metrics_of(task).values()
        columns(screen, [(m.name, "↑" if m.greater_is_better else "↓", words[m.name]) for m in metrics])
    arrows = "↑ higher is better, ↓ lower is better."
    say(screen, f"\n{arrows}\nExample: openbook study wine --metric log_loss")


def list_steps() -> None:
    """List the steps by which a study can prepare the columns."""
    from openbook.cli.screen import columns, console, say
    from openbook.prepare import VERBS

    screen = console()
    columns(screen, [(f'"{verb.example}"', verb.summary) for verb in VERBS.values()])
    say(
        screen,
        "\nA step is a verb, columns and options. Without columns it applies to all of the right kind."
        '\nExample: openbook study credit --prepare "impute" --prepare "log income"',
    )


def list_detectors() -> None:
    """List the methods that find outliers."""
    from openbook.cli.screen import columns, console, say
    from openbook.registry import learners

    screen = console()
    columns(screen, [(each.name, each.summary) for each in learners("outliers")])
    say(screen, "\nExample: openbook outliers wine --detector lof")
