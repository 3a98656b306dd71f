"""The results of a study, as data; `html.py` and the command line show them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbook.data import Column, Table
from openbook.data.describe import Description
from openbook.features.scores import AttributeScores
from openbook.judge import Choice, Comparison, Evaluation, Importance, TestResult, Verdict, difference
from openbook.judge.choice.comparison import RankingRow
from openbook.judge.curves.curve import Curve
from openbook.judge.curves.diagnose import Diagnosis
from openbook.judge.errors.documents import DocumentErrors
from openbook.judge.errors.mistakes import Mistakes
from openbook.judge.errors.segments import Segments
from openbook.judge.risk.costs import Costs
from openbook.judge.risk.fairness import Fairness
from openbook.judge.risk.leaks import Leaks
from openbook.judge.scores.sequences import SequenceScores
from openbook.report.exploration import InFolder
from openbook.work import Work

if TYPE_CHECKING:  # few studies need these, and the room is large
    from openbook.label import AskedEffect, UnlabelledEffect


@dataclass(frozen=True)
class Example:
    """A row and the derivation of its prediction.

    Attributes
    ----------
    row : int
        The position of the row in the table, from 0.
    cells : mapping
        The inputs of the row.
    truth : label or number
        The target of the row.
    locked : bool
        Whether the row was held out, so that the model is the one in the file; else it is the model of the
        fold that tested the row.
    works : mapping of str to Work
        The derivation by learner, of `StudyResult.models`.
    kind : str, default="typical"
        The kind of example: "typical", "doubtful" or "wrong"; of numbers "typical", "too high" or "too low".
    words : str, default=""
        The kind of example, as part of a sentence.
    name : str or None, default=None
        The ID of the row, if there is a column of IDs.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> result = ob.study("weather", only=["naive_bayes"], progress=False)
    >>> result.examples[0].kind
    'typical'
    """

    row: int
    cells: Mapping[str, Any]
    truth: Any
    locked: bool
    works: Mapping[str, Work]
    kind: str = "typical"
    words: str = ""
    name: Any = None


@dataclass(frozen=True)
class Looks:
    """The results of the analyses of a learner; `why_not` gives the reason for each that was skipped.

    Attributes
    ----------
    label : str
        The analysed learner: the choice or, if that is a baseline, the best other learner.
    attributes : AttributeScores or None, default=None
        The information of each column about the target, on its own.
    importance : Importance or None, default=None
        The fall of the score on test rows when a column is shuffled.
    curve : Curve or None, default=None
        The score over the number of training rows.
    diagnosis : Diagnosis or None, default=None
        The diagnosis of the learner, and what may help.
    segments : Segments or None, default=None
        The segments with the most errors.
    mistakes : Mistakes or None, default=None
        The wrong predictions of which it is most certain.
    documents : DocumentErrors or None, default=None
        The classes of texts that it confuses, and the effect of their length.
    leaks : Leaks or None, default=None
        Possible leaks, which make the score too good.
    without_suspects : Evaluation or None, default=None
        The learner evaluated without the columns that give the target away; None if there are none, or no
        others.
    fairness : mapping of str to Fairness
        The fairness of the choice, by sensitive column.
    costs : Costs or None, default=None
        The costs of the decisions of the choice.
    unlabelled : UnlabelledEffect or None, default=None
        The effect of the rows without a target on the best learner that uses them.
    asked : AskedEffect or None, default=None
        The effect of the rows with requested labels on the learner.
    sequences : mapping of str to SequenceScores
        The scores of every learner by sequences, if rows belong to sequences.
    threshold : Evaluation or None, default=None
        The choice with its decision threshold tuned inside each fold, evaluated.
    why_not : mapping of str to str
        The reason for each analysis that was skipped.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> result = ob.study("weather", only=["naive_bayes"], progress=False)
    >>> result.looks.attributes.names[0]
    'outlook'
    """

    label: str
    attributes: AttributeScores | None = None
    importance: Importance | None = None
    curve: Curve | None = None
    diagnosis: Diagnosis | None = None
    segments: Segments | None = None
    mistakes: Mistakes | None = None
    documents: DocumentErrors | None = None
    leaks: Leaks | None = None
    without_suspects: Evaluation | None = None
    fairness: Mapping[str, Fairness] = field(default_factory=dict)
    costs: Costs | None = None
    unlabelled: "UnlabelledEffect | None" = None
    asked: "AskedEffect | None" = None
    sequences: Mapping[str, SequenceScores] = field(default_factory=dict)
    threshold: Evaluation | None = None
    why_not: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyResult(InFolder):
    """The outcome of a study.

    Attributes
    ----------
    name : str
        The name of the data.
    plan : str
        The plan, as TOML.
    target : str
        The column that is predicted.
    notes : tuple of str
        The reasons of the plan, and what the time limit left out, in words.
    description : Description
        The description of the whole table.
    protocol : str
        The evaluation protocol, in words.
    comparison : Comparison
        The comparison of all learners, on the rows that were not held out.
    baselines : tuple of str
        The labels of the baselines.
    choice : Choice
        The chosen learner, and why.
    verdict : Verdict
        Whether anything beats the baseline.
    tests : mapping of str to Evaluation
        The choice and the baselines, tested on the held-out rows; empty if there are none.
    models : mapping
        The learners whose work is shown, fitted on the rows that are not held out: the chosen one and, if
        that is a baseline, the best other one.
    training : tuple of (Table, Column)
        The rows that are not held out, inputs and target.
    rows : int
        The number of these rows.
    examples : tuple of Example
        Derived predictions of rows that the model had not seen, a typical one first.
    looks : Looks
        The analyses of the learner: curves, importances, segments, and so on.
    versions : mapping of str to str
        The versions of the software.
    folder : Path
        The folder with plan.toml, results.jsonl, report.html and model.openbook.
    columns : mapping of str to tuple of str
        The inputs that each learner was given.
    roles : mapping
        The column or columns of each role that is used, as in the plan.
    questions : mapping of str to str
        Answers to the questions of a responsible study, as in the plan.
    learners : mapping of str to str
        The registered name of each learner that took part, by its label.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> result = ob.study("weather", only=["naive_bayes"], progress=False)
    >>> result.choice.label, result.rows
    ('naive Bayes', 14)
    """

    name: str
    plan: str
    target: str
    notes: tuple[str, ...]
    description: Description
    protocol: str
    comparison: Comparison
    baselines: tuple[str, ...]
    choice: Choice
    verdict: Verdict
    tests: Mapping[str, Evaluation]
    models: Mapping[str, Any]
    training: tuple[Table, Column]
    rows: int
    examples: tuple[Example, ...]
    looks: Looks
    versions: Mapping[str, str]
    folder: Path
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    roles: Mapping[str, Any] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    learners: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        from openbook.report.summary import summary_text

        return summary_text(self)

    def _repr_html_(self) -> str:
        from openbook.report.summary import summary_html

        return summary_html(self)

    @cached_property
    def ranking(self) -> tuple[RankingRow, ...]:
        """A line for each learner, the best first; cached, since the tests may take some time."""
        return tuple(self.comparison.rows())

    @property
    def best_baseline(self) -> str | None:
        """The label of the baseline with the best score."""
        return next((row.label for row in self.ranking if row.label in self.baselines), None)

    @cached_property
    def over_baseline(self) -> TestResult | None:
        """The choice's score minus that of the best baseline; None if the choice is one."""
        if self.best_baseline is None or self.choice.label in self.baselines:
            return None
        return self.comparison.against_baseline().get(self.choice.label)

    @cached_property
    def refuted(self) -> tuple[str, TestResult] | None:
        """The baseline that beats the choice on the held-out rows, and the test; or None."""
        if not self.tests or self.choice.label in self.baselines:
            return None
        chosen, metric = self.tests[self.choice.label], self.comparison.metric()
        others = [label for label in self.tests if label in self.baselines]
        if not others:
            return None
        best = min(others, key=lambda label: metric.loss(self.tests[label].score()))
        test = difference(chosen, self.tests[best])
        worse = metric.better(0, test.difference) and test.p_value < 0.05
        return (best, test) if worse else None

    def decided(self, label: str) -> Evaluation:
        """The evaluation of a learner; of the chosen one at its tuned threshold, if it has one.

        Parameters
        ----------
        label : str
            The label of the learner.

        Returns
        -------
        Evaluation
        """
        tuned = self.looks.threshold if label == self.choice.label else None
        return tuned or self.comparison[label]

    @property
    def model(self) -> Any:
        """The chosen learner, fitted."""
        return self.models[self.choice.label]
