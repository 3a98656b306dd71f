"""Analyses ("looks") of the chosen learner of a study, on the rows that are not held out.

Each look is a call of the library with settings that follow from the plan and the number of rows, so that a
study that is run again sees the same. With few rows, curves, importances and segments are skipped. Each look
is logged at once; looks that evaluate the learner again are logged fold by fold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.base import clone

from openbook.data import Schema, Text
from openbook.decide import TunedThresholdClassifierCV
from openbook.errors import OpenbookError
from openbook.features import MEASURES, AttributeScores, Measure, score_attributes
from openbook.fold import each, each_until
from openbook.judge import (
    Comparison,
    Evaluation,
    FoldResult,
    Metric,
    TestResult,
    difference,
    notable_predictions,
)
from openbook.judge.choice.comparison import loses_little
from openbook.judge.curves.curve import Curve
from openbook.judge.curves.diagnose import Diagnosis, diagnose
from openbook.judge.curves.make import curve_of_sizes
from openbook.judge.curves.remedies import BAGGING, BOOSTING, REPEATS, THRESHOLD
from openbook.judge.curves.run import CurveRun
from openbook.judge.errors.documents import DocumentErrors, document_errors
from openbook.judge.errors.importance import Importance, importance_over_folds
from openbook.judge.errors.mistakes import Mistakes, confident_mistakes
from openbook.judge.errors.segments import Segments, worst_segments
from openbook.judge.folds.examples import Examples, RowsOfFold, Split
from openbook.judge.folds.fit_folds import fold_result
from openbook.judge.folds.splits import TINY
from openbook.judge.risk.costs import Costs, costs
from openbook.judge.risk.fairness import Fairness, fairness
from openbook.judge.risk.leaks import Leaks, leaks
from openbook.judge.scores.metrics import metrics_of
from openbook.judge.scores.positive import FEW_OF_ALL
from openbook.judge.scores.sequences import SequenceScores
from openbook.plan.judging import failure_words
from openbook.plan.log import Log
from openbook.plan.money import by_decision
from openbook.plan.plain_json import Known
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows
from openbook.prepare import Prepared
from openbook.registry import learner
from openbook.report import Example, Looks

if TYPE_CHECKING:  # few studies need these, and the room is large
    from openbook.label import AskedEffect, AssumptionCheck, UnlabelledEffect

#: The reason of a look that is skipped for lack of time.
NO_TIME = "there was no time left"

#: The looks in their order, and the types of their results; None for those whose folds are logged instead.
LOOKS: dict[str, Any] = {
    "attributes": AttributeScores,
    "leaks": Leaks,
    "without_suspects": None,
    "unlabelled": None,
    "asked": None,
    "threshold": None,
    "sequences": dict[str, SequenceScores],
    "mistakes": Mistakes,
    "documents": DocumentErrors,
    "segments": Segments,
    "fairness": dict[str, Fairness],
    "costs": Costs,
    "importance": Importance,
    "curve": Curve,
    "diagnosis": Diagnosis,
}

#: The looks that are skipped with fewer than TINY rows.
_MANY_ROWS = ("leaks", "without_suspects", "mistakes", "segments", "importance", "curve", "diagnosis")

#: A curve has two rounds of folds up to _FEW rows, and fewer folds from _MANY rows on. With more than _WIDE
#: columns, the number of rows is multiplied by columns / _WIDE.
_FEW, _MANY, _WIDE = 2_000, 10_000, 50
#: Importances: the shuffles of a column, the most columns, the rows that are predicted in all, and the fewest
#: in each fold.
_SHUFFLES, _SHUFFLED, _PREDICTED, _FEWEST_PREDICTED = 3, 60, 500_000, 100

#: A learning curve takes about as long as this many fits.
_CURVE_FITS = 10


def asked_looks(plan: Plan, inputs: Schema | None = None) -> list[str]:
    """The looks of a plan: fairness if a column is sensitive, documents if texts are read, and so on."""
    asked = {
        "fairness": plan.roles.sensitive,
        "costs": plan.costs,
        "documents": inputs is not None and inputs.of(Text) and plan.task != "regression",
        "threshold": plan.tunes_threshold,
        "unlabelled": plan.uses_unlabelled,
        "asked": plan.roles.asked and plan.task == "classification",
        "sequences": plan.roles.sequence and plan.task == "classification",
    }
    return [look for look in LOOKS if asked.get(look, True)]


def curve_folds(n_rows: int, n_columns: int) -> tuple[int, int]:
    """The folds of a learning curve, and how often they are repeated.

    >>> curve_folds(800, 10), curve_folds(5_000, 10), curve_folds(80_000, 10), curve_folds(240, 5_000)
    ((5, 2), (5, 1), (3, 1), (3, 1))
    """
    effort = n_rows * max(1.0, n_columns / _WIDE)
    return 5 if effort < _MANY else 3, 2 if effort < _FEW else 1


@dataclass(frozen=True)
class Looking:
    """The looks at a study.

    Parameters
    ----------
    rows, log : of the study
    comparison : of all learners
    choice : the label of the chosen learner
    models : the fitted learners that are derived; the last of them is analysed
    deadline : the time on the monotonic clock after which no look counts, or None
    """

    rows: StudyRows
    log: Log
    comparison: Comparison
    choice: str
    models: Mapping[str, Any]
    deadline: float | None = None

    def looks(self, workers: int, done: Callable[[], None]) -> Looks:
        """All looks of the plan; `done` is called after each."""
        found: dict[str, Any] = {}
        why_not: dict[str, str] = {}
        with joblib.parallel_config(backend="threading", n_jobs=workers):
            for name in asked_looks(self.rows.plan, self.rows.X.schema):
                if reason := self._reason(name):
                    why_not[name] = reason
                else:
                    try:
                        found[name] = self._cached(name, workers)
                    except OpenbookError as error:
                        why_not[name] = str(error)
                    except TimeoutError:
                        why_not[name] = NO_TIME
                    except Exception as error:  # noqa: BLE001 (a look that fails costs no more than itself)
                        why_not[name] = f"it failed: {failure_words(error)}"
                done()
        return Looks(self.label, **found, why_not=why_not)

    def _reason(self, name: str) -> str:
        """Why a look is skipped; empty if it is not."""
        takes = getattr(self.rows.model(self.label), "_takes_unlabelled", False)
        if name in ("curve", "diagnosis") and takes:
            return (
                f"a curve over labelled rows says little about {self.label}, which also uses unlabelled ones"
            )
        if name in _MANY_ROWS and self.rows.protocol.n_tested < TINY:
            return f"{self.rows.protocol.n_tested} rows are too few"
        if name == "diagnosis" and self.evaluation.too_rare:
            return FEW_OF_ALL
        leaks: Leaks | None = vars(self).get("leaks")
        without = vars(self).get("without_suspects")
        harmless = loses_little(self.comparison, self.label, without)
        if name == "diagnosis" and leaks is not None and leaks.suspects and not harmless:
            return f"it has no meaning while {' and '.join(leaks.suspects)} can give the target away"
        if name == "diagnosis" and leaks is not None and leaks.many_copies:
            return "it has no meaning while copies of the test rows are among the training rows"
        if self.deadline is not None and monotonic() + self._fits(name) * self._fold_seconds > self.deadline:
            return NO_TIME
        return ""

    def _cached(self, name: str, workers: int) -> Any:
        """The result of a look, from the log if it is there."""
        if (kind := LOOKS[name]) is None:
            return self._in_time(name, workers)
        found = self.log.cached(name, kind, lambda: self._in_time(name, workers), self._known)
        vars(self)[name] = found  # for the looks that use it
        return found

    @property
    def _known(self) -> Known:
        """The objects that a look refers to, which the log writes by name."""
        own = [which for which in self.rows.metrics if isinstance(which, Metric)]
        metrics = {**metrics_of(self.rows.plan.task), **{metric.name: metric for metric in own}}
        return {Metric: metrics, Measure: MEASURES, Evaluation: dict(self.comparison.evaluations)}

    def _in_time(self, name: str, workers: int) -> Any:
        """The result of a look; TimeoutError if it takes too long."""
        if self.deadline is None:
            return getattr(self, name)

        def look(name: str) -> Any:  # on a thread of its own, whose workers must be set again
            with joblib.parallel_config(backend="threading", n_jobs=workers):
                return getattr(self, name)

        for found in each_until(self.deadline, [name], look):
            return found
        raise TimeoutError

    def _fits(self, name: str) -> int:
        """The estimated time of a look, in folds."""
        if name in ("unlabelled", "asked", "threshold", "importance"):
            return len(self.evaluation.first_round)
        return _CURVE_FITS if name == "curve" else 0

    @property
    def _fold_seconds(self) -> float:
        """The mean time of a fold of the learner."""
        return float(np.mean([fold.fit_seconds + fold.predict_seconds for fold in self.evaluation.folds]))

    @property
    def label(self) -> str:
        return list(self.models)[-1]

    @property
    def evaluation(self) -> Evaluation:
        return self.comparison[self.label]

    @property
    def random_state(self) -> int:
        return self.rows.plan.protocol.random_state

    @cached_property
    def attributes(self) -> Any:
        train = self.rows.train
        return score_attributes(self.rows.X.take(train), self.rows.y.take(train))

    @cached_property
    def leaks(self) -> Any:
        found = leaks(self.rows.X, self.rows.y, self.evaluation, self.rows.order.get("groups"))
        if not self.rows.copies:
            return found
        own = ("duplicate rows", "near-duplicate rows")  # a row of weight 3 is three equal rows
        kept = tuple(one for one in found.findings if one.kind not in own)
        return replace(found, findings=kept, copied=0.0)

    @cached_property
    def without_suspects(self) -> Evaluation | None:
        """The same learner on the folds of the first round, without the columns that give the target away."""
        rows, inputs = self.rows, self.rows.inputs(self.label)
        if self._reason("leaks"):
            return None
        kept = [name for name in inputs.names if name not in self.leaks.suspects]
        gone = [name for name in inputs.names if name in self.leaks.suspects]
        if not kept or not gone:
            return None
        return self._evaluated(f"without {', '.join(gone)}", self.label, rows.model(self.label, gone), kept)

    def _evaluated(self, part: str, label: str, model: Any, names: Sequence[str]) -> Evaluation:
        """A model on the folds of the first round, from the log if they are there."""
        return self.rows.evaluation(label, self._judged(part, label, model, self.rows.examples.select(names)))

    def _effect(self, label: str, folds: Sequence[FoldResult]) -> tuple[float, float, TestResult]:
        """The accuracy of a learner in the first round and in these folds, and the test of the difference."""
        first, second = (
            self.rows.evaluation(label, some) for some in (self.comparison[label].first_round, folds)
        )
        test = difference(first, second, "accuracy")
        return first.score("accuracy"), second.score("accuracy"), test

    def _judged(
        self, part: str, label: str, model: Any, examples: Examples, without: np.ndarray | None = None
    ) -> list[FoldResult]:
        """The folds of the first round, from the log if they are there, trained `without` some rows."""

        def judge(i: int) -> FoldResult:
            train, test = self.rows.splits[i]
            kept = train if without is None else train[~without[train]]
            return fold_result(label, model, RowsOfFold(examples, Split(i, kept, test)))

        indices = [fold.index for fold in self.comparison[label].first_round]
        return [self.log.judged(part, label, i, partial(judge, i)) for i in indices]

    @cached_property
    def unlabelled(self) -> "UnlabelledEffect | None":
        """The best learner of unlabelled rows, on the folds of the first round, with them and without."""
        rows, plan = self.rows, self.rows.plan
        labels = [row.label for row in self.comparison.rows()]
        takers = [one for one in labels if learner(plan.contestant(one).candidate.learner).unlabelled]
        if rows.unlabelled is None or not takers:
            return None
        from openbook.label import UnlabelledEffect

        label = takers[0]
        examples = rows.examples.select(rows.columns[label])
        folds = self._judged("labelled", label, rows.model(label), replace(examples, unlabelled=None))
        n_rows, check = (len(examples), len(rows.unlabelled)), self._assumption(label, examples)
        with_them, without, test = self._effect(label, folds)
        return UnlabelledEffect(label, *n_rows, with_them, without, test, check)

    @cached_property
    def asked(self) -> "AskedEffect | None":
        """The learner in the first round, with the rows whose labels were requested and without them."""
        rows, label = self.rows, self.label
        if rows.asked is None or not rows.asked.any():
            return None
        from openbook.label import AskedEffect

        examples = rows.examples.select(rows.columns[label])
        folds = self._judged("not asked", label, rows.model(label), examples, rows.asked)
        n_asked = int(rows.asked[rows.train].sum())
        return AskedEffect(label, len(rows.train) - n_asked, n_asked, *self._effect(label, folds))

    def _assumption(self, label: str, examples: Examples) -> "AssumptionCheck":
        """The check of the assumption of a learner of unlabelled rows, on the rows as it sees them."""
        from openbook.label.assumptions import ScarceRows, assumption_of

        plan, scarce = self.rows.plan, ScarceRows.of_examples(examples)
        contestant = plan.contestant(label)
        learner = contestant.candidate.seeded(plan.protocol.random_state)
        if steps := plan.steps(contestant.hypothesis):
            scarce = scarce._replace(X=Prepared(learner, steps).fit(scarce.X, scarce.y).prepared(scarce.X))
        return assumption_of(learner, scarce)

    @cached_property
    def sequences(self) -> dict[str, SequenceScores]:
        """Rows, whole sequences and spans, of every learner, the best first."""
        return {row.label: self.comparison[row.label].sequence_scores() for row in self.comparison.rows()}

    @cached_property
    def mistakes(self) -> Any:
        return confident_mistakes(self._decided(self.label), self.rows.X)

    @cached_property
    def documents(self) -> DocumentErrors:
        return document_errors(self._decided(self.label), self.rows.X)

    @cached_property
    def segments(self) -> Any:
        return worst_segments(self._decided(self.label), self.rows.X, random_state=self.random_state)

    def _decided(self, label: str) -> Evaluation:
        """The evaluation with the decisions of the model: at its own threshold, if it has one."""
        return (self.threshold if label == self.choice else None) or self.comparison[label]

    @cached_property
    def fairness(self) -> dict[str, Any]:
        rows = self.rows
        names = dict.fromkeys((*rows.X.names, *rows.plan.roles.sensitive))
        table = rows.table.select(list(names)).take(rows.known)
        evaluation = self._decided(self.choice)
        positive = rows.plan.roles.positive
        return {
            name: fairness(evaluation, table, name, positive, random_state=self.random_state)
            for name in rows.plan.roles.sensitive
        }

    @cached_property
    def costs(self) -> Any:
        return costs(self.comparison[self.choice], by_decision(self.rows.plan.costs))

    @cached_property
    def importance(self) -> Any:
        """The importance for the models of the first round's folds, on a limited number of their test rows.

        Of very many columns, those with the highest scores by themselves are shuffled.
        """
        rows, names = self.rows, self.rows.columns[self.label]
        columns = [name for name in self.attributes.names if name in set(names)][:_SHUFFLED]
        in_sequences = rows.plan.contestant(self.label).candidate.of_sequences
        splits = [rows.splits[fold.index] for fold in self.evaluation.first_round]
        shuffled = min(len(names), _SHUFFLED) * _SHUFFLES * len(splits)
        most = max(_FEWEST_PREDICTED, _PREDICTED // shuffled)

        def fitted(split: tuple[np.ndarray, np.ndarray]) -> tuple[Any, Any, Any, int]:
            train, test = split
            spread = test[np.linspace(0, len(test) - 1, min(len(test), most), dtype=int)]
            some = test[:most] if in_sequences else spread  # rows of a sequence stay together
            X, y = rows.inputs(self.label).take(some), rows.y.take(some)
            return rows.fitted(self.label, train), X, y, len(train)

        chosen = columns if len(names) > _SHUFFLED and len(columns) == _SHUFFLED else None
        if in_sequences:  # the column that names the sequences is no feature
            chosen = columns
        folds = each(splits, fitted, apart=True) if rows.few else map(fitted, splits)
        return importance_over_folds(folds, rows.metrics[0], _SHUFFLES, self.random_state, columns=chosen)

    @cached_property
    def curve(self) -> Curve:
        """The learning curve of the tuned settings: tuning at every size would take too long."""
        rows = self.rows
        X, y = rows.inputs(self.label).take(rows.train), rows.y.take(rows.train)
        decides = "error" if rows.metrics[0] == "accuracy" else rows.metrics[0]
        cv = rows.fitting(*curve_folds(len(rows.train), len(rows.columns[self.label])))
        order = (rows.to_judge.groups, rows.to_judge.weights)
        run = CurveRun.of(self._unfitted, X, y, cv, decides, self.random_state, self.label, *order)
        return curve_of_sizes(replace(run, apart=rows.few), self._unfitted)

    @property
    def _unfitted(self) -> Any:
        """The learner, unfitted and without its threshold, which probabilities do not need."""
        model = self.models[self.label]
        return clone(model.estimator if isinstance(model, TunedThresholdClassifierCV) else model)

    @cached_property
    def threshold(self) -> Evaluation | None:
        """The choice with a threshold tuned inside each fold of the first round; None without one."""
        rows, label = self.rows, self.choice
        model, two = rows.decider(label), rows.classes is not None and len(rows.classes) == 2
        if not (two and isinstance(model, TunedThresholdClassifierCV)):
            return None
        return self._evaluated("threshold", label, model, rows.columns[label])

    @cached_property
    def diagnosis(self) -> Any:
        baseline = self.comparison[self.comparison.baseline]
        found = diagnose(self.evaluation, self.curve, baseline, self.comparison)
        plan = self.rows.plan
        candidate = plan.contestant(self.label).candidate
        ensemble = learner((candidate.inner or candidate).learner).members
        done = {THRESHOLD: plan.costs or plan.tunes_threshold, REPEATS: plan.protocol.repeats is None}
        done |= dict.fromkeys((BAGGING, BOOSTING), bool(ensemble))
        return replace(found, remedies=tuple(one for one in found.remedies if not done.get(one)))


def worked_examples(
    rows: StudyRows, models: Mapping[str, Any], judged: Evaluation, tested: Evaluation | None
) -> Iterator[Example]:
    """The predictions that a report derives, of rows that the model had not seen (`judge.errors.notable`).

    If rows were held out, they are among those, by the model in the file; else they are among the rows of the
    folds, by the model of the fold.

    Parameters
    ----------
    rows : of the study
    models : the fitted learners that are derived, by label
    judged : the evaluation of the chosen one in the folds
    tested : its evaluation on the held-out rows, if there are any
    """

    @cache
    def of_fold(label: str, fold: int) -> Any:
        return models[label] if tested is not None else rows.fitted(label, rows.splits[fold][0])

    for picked in notable_predictions(judged if tested is None else tested):
        i = picked.row
        works = {label: of_fold(label, picked.fold).work(rows.to_work(label, i)) for label in models}
        yield Example(
            row=int(rows.known[i]),
            cells=rows.X.take([i]).row(0),
            truth=rows.y[i],
            locked=tested is not None,
            works=works,
            kind=picked.kind,
            words=picked.words,
            name=None if rows.names is None else rows.names[i],
        )
