"""The options of a study, shared by `openbook study`, `openbook.study` and `make_plan`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from openbook.judge.folds.splitters import TestGroups
from openbook.plan.candidates import Effort
from openbook.plan.counts import WeightKind
from openbook.plan.parts import Hypothesis


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """The options of a study; those that are not given follow from the rows.

    Attributes
    ----------
    ignore : collection of str, default=()
        Columns to leave out, besides likely identifiers.
    id : str or None, default=None
        The column that names the rows; not used as a feature.
    group : str or None, default=None
        The column of the group of each row; rows of one group never both train and test.
    time : str or None, default=None
        The column of the time of each row; the past trains and the future tests.
    test_groups : TestGroups or None, default=None
        With a group and a time, "new" (the default) tests groups that are not in training; "known" tests the
        future of groups whose past is in training.
    sensitive : collection of str, default=()
        The columns by which the choice is checked for fairness.
    weight : str or None, default=None
        The column with the weights: frequencies, or importances in fitting.
    weight_kind : WeightKind or None, default=None
        "frequency" if a row stands for that many rows, "importance" if its weight counts in fitting only;
        None takes whole numbers as frequencies.
    positive : str or None, default=None
        The positive one of two classes; None chooses it by its name or its share of the rows.
    sequence : str or None, default=None
        The column that identifies the sequence of each row, such as a sentence, with rows in order. Sequences
        are never split, and sequence models are evaluated too.
    asked : str or None, default=None
        The column with "yes" for rows whose label a classifier requested. They are only for training, never
        for testing. None takes the column that `openbook label` writes, if there is one.
    costs : mapping of str to mapping of str to float, str, Path or None, default=None
        The costs of errors, `costs[truth][predicted]`, or the path of a CSV file with the columns truth,
        predicted and cost. Decisions are then those of least expected cost, and learners are ranked by the
        cost per row.
    hypotheses : collection of Hypothesis, default=()
        Sets of columns to compare, see `Hypothesis`; none for all columns.
    prepare : collection of str, default=()
        Steps that prepare the inputs inside each fold, in order: "log income", "impute age median". See
        `openbook.prepare.VERBS`.
    rules : str, Path or None, default=None
        The path of a text file of hand-written rules, which then compete with the learners; see
        `openbook.baseline.RuleClassifier`.
    only : collection of str, default=()
        Registered names of the learners to evaluate; baselines are always added.
    choose : str, default="simplest"
        Which learner to choose: the "simplest" within one standard error of the best, the "best", or the
        label or name of a learner.
    margin : float or None, default=None
        Instead of one standard error, how much worse than the best the simplest may be, in units of the
        metric.
    metric : str or None, default=None
        The score that decides, by name; None for the usual one.
    cv : int or None, default=None
        The number of folds; None chooses it by the number of rows.
    repeats : int or None, default=None
        How often the folds are drawn; None chooses it by the number of rows.
    test_share : float or None, default=None
        The share of rows held out for the final test; None chooses it by the number of rows.
    random_state : int, default=0
        The random seed.
    effort : {"quick", "usual", "thorough"}, default="usual"
        "quick" uses fewer folds, and only learners that are fast on this many rows; "thorough" tunes the
        learners' parameters inside the folds, with more repeats.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> StudyOptions(group="patient", only=["naive_bayes"]).group
    'patient'
    """

    ignore: Collection[str] = ()
    id: str | None = None
    group: str | None = None
    time: str | None = None
    test_groups: TestGroups | None = None
    sensitive: Collection[str] = ()
    weight: str | None = None
    weight_kind: WeightKind | None = None
    positive: str | None = None
    sequence: str | None = None
    asked: str | None = None
    costs: Mapping[str, Mapping[str, float]] | str | Path | None = None
    hypotheses: Collection[Hypothesis] = ()
    prepare: Collection[str] = ()
    rules: str | Path | None = None
    only: Collection[str] = ()
    choose: str = "simplest"
    margin: float | None = None
    metric: str | None = None
    cv: int | None = None
    repeats: int | None = None
    test_share: float | None = None
    random_state: int = 0
    effort: Effort = "usual"
