"""What a study found, as data; `html.py` and the command line show it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from openbook.data import Column, Table
from openbook.data.describe import Description
from openbook.features.scores import AttributeScores
from openbook.judge import Choice, Comparison, Evaluation, Importance, TestResult, Verdict, difference
from openbook.judge.choice.comparison import Row
from openbook.judge.curves.curve import Curve
from openbook.judge.curves.diagnose import Diagnosis
from openbook.judge.errors.mistakes import Mistakes
from openbook.judge.errors.segments import Segments
from openbook.judge.risk.costs import Costs
from openbook.judge.risk.fairness import Fairness
from openbook.judge.risk.leaks import Leaks
from openbook.work import Work

__all__ = ["Example", "Looks", "StudyResult"]


@dataclass(frozen=True)
class Example:
    """A row that was predicted, and how.

    Parameters
    ----------
    row : its position in the table, from 0
    cells : its inputs
    truth : its target
    locked : whether it is one of the rows that were locked away, and so the model the one in the file; else
        the model is that of the fold that had not seen the row
    works : the derivation by learner, of `StudyResult.models`
    kind : "typical", "doubtful" or "wrong"; of numbers "typical", "too high" or "too low"
    words : what it is an example of, as part of a sentence
    name : what the row is called, where a column says so
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
    """What a closer look found; `why_not` says why one that was asked for is None.

    Parameters
    ----------
    label : the learner that is looked at: the choice, or where that is a baseline the one worked beside it
    attributes : what each column tells of the target, by itself
    importance : how much worse the learner predicts rows that it had not seen, once a column is shuffled
    curve : its score over the number of training rows
    diagnosis : what is wrong with it, and what may help
    segments : where it errs most
    mistakes : the rows that it is most sure of, and wrong about
    leaks : what may make its score too good
    without_suspects : the learner evaluated without the columns that give the target away; None where
        there are none, or no others
    fairness : of the choice, by sensitive column
    costs : what the decisions of the choice cost
    threshold : the choice with its decision threshold tuned inside each fold, evaluated
    why_not : mapping of a look to the reason why it was not taken
    """

    label: str
    attributes: AttributeScores | None = None
    importance: Importance | None = None
    curve: Curve | None = None
    diagnosis: Diagnosis | None = None
    segments: Segments | None = None
    mistakes: Mistakes | None = None
    leaks: Leaks | None = None
    without_suspects: Evaluation | None = None
    fairness: Mapping[str, Fairness] = field(default_factory=dict)
    costs: Costs | None = None
    threshold: Evaluation | None = None
    why_not: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyResult:
    """The outcome of a study.

    Parameters
    ----------
    name : what the data are called
    plan : the plan, as TOML
    target : the column that is predicted
    notes : how the plan came about, and what there was no time for, in words
    description : of the whole table
    protocol : how the learners were judged, in words
    comparison : of all learners, on the rows that were not locked away
    baselines : their labels
    choice : the chosen learner, and why
    verdict : whether anything beats the baseline
    tests : the choice and the baselines on the rows that were locked away; empty where none were
    models : the learners that are worked, fitted on the rows that were not locked away: the chosen one and,
        where that is a baseline, the best of the others that are offered
    training : those rows, inputs and target
    rows : how many those are
    examples : predictions of rows that the model had not seen, worked: a typical one first
    looks : a closer look at the learner: curves, importances, segments, and so on
    versions : of the software
    folder : where plan.toml, results.jsonl, report.html and model.openbook are
    columns : the inputs that each learner was given
    roles : the column or columns of each role that is used, as in the plan
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

    def __repr__(self) -> str:
        from openbook.report.summary import summary_text

        return summary_text(self)

    def _repr_html_(self) -> str:
        from openbook.report.summary import summary_html

        return summary_html(self)

    @cached_property
    def ranking(self) -> tuple[Row, ...]:
        """A line for each learner, the best first; tests may take their time, so they are made once."""
        return tuple(self.comparison.rows())

    @property
    def best_baseline(self) -> str | None:
        """The label of the baseline with the best score."""
        return next((row.label for row in self.ranking if row.label in self.baselines), None)

    @cached_property
    def over_baseline(self) -> TestResult | None:
        """The choice's score minus that of the best baseline; None where the choice is one."""
        if self.best_baseline is None or self.choice.label in self.baselines:
            return None
        return self.comparison.against_baseline().get(self.choice.label)

    @cached_property
    def refuted(self) -> tuple[str, TestResult] | None:
        """The baseline that beats the choice on the rows that were locked away, and by how much; or None."""
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
        """The evaluation of a learner; of the chosen one at the threshold in use, where that was tuned."""
        tuned = self.looks.threshold if label == self.choice.label else None
        return tuned or self.comparison[label]

    @property
    def model(self) -> Any:
        """The chosen learner, fitted."""
        return self.models[self.choice.label]

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def model_file(self) -> Path:
        return self.folder / "model.openbook"
