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
from openbook.judge import Comparison, Evaluation, FoldResult, Metric, difference, notable_predictions
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
from openbook.judge.folds.splits import TINY, Protocol
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

#: Why a look is not taken, once the time is up.
NO_TIME = "there was no time left"

#: The looks, in the order in which they are taken, and the types of what they find; None for those of which
#: the folds are kept instead.
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

#: Those that fewer than TINY rows have no use for.
_MANY_ROWS = ("leaks", "without_suspects", "mistakes", "segments", "importance", "curve", "diagnosis")

#: Up to so many rows a curve is drawn twice over, and from so many on with fewer folds. Rows of more columns
#: than WIDE count as so many times more.
_FEW, _MANY, _WIDE = 2_000, 10_000, 50
#: Importances: how often a column is shuffled, the most columns that are, and how many rows are predicted in
#: all, in each fold at least the fewest.
_SHUFFLES, _SHUFFLED, _PREDICTED, _FEWEST_PREDICTED = 3, 60, 500_000, 100

#: A learning curve takes about as long as so many fits.
_CURVE_FITS = 10


def asked_looks(plan: Plan, inputs: Schema | None = None) -> list[str]:
    """What a plan asks for: fairness where a column is sensitive, documents where texts are read."""
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
    """All that the looks need.

    Parameters
    ----------
    rows, log : of the study
    comparison : of all learners
    choice : the label of the chosen one
    models : the fitted learners that are worked; the last of them is looked at
    deadline : the time on the monotonic clock after which no look counts, or None
    """

    rows: StudyRows
    log: Log
    comparison: Comparison
    choice: str
    models: Mapping[str, Any]
    deadline: float | None = None

    def looks(self, workers: int, tell: Callable[[], None]) -> Looks:
        """Take them all; `tell` is called after each."""
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
                tell()
        return Looks(self.label, **found, why_not=why_not)

    def _reason(self, name: str) -> str:
        """Why a look is not taken, or nothing."""
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
        """What a look found, as the log has it; where it has nothing, it is taken."""
        if (kind := LOOKS[name]) is None:
            return self._in_time(name, workers)
        found = self.log.cached(name, kind, lambda: self._in_time(name, workers), self._known)
        vars(self)[name] = found  # for the looks that go on from it
        return found

    @property
    def _known(self) -> Known:
        """What a look refers to, and the log has by name only."""
        own = [which for which in self.rows.metrics if isinstance(which, Metric)]
        metrics = {**metrics_of(self.rows.plan.task), **{metric.name: metric for metric in own}}
        return {Metric: metrics, Measure: MEASURES, Evaluation: dict(self.comparison.evaluations)}

    def _in_time(self, name: str, workers: int) -> Any:
        """What a look finds; TimeoutError where it takes too long."""
        if self.deadline is None:
            return getattr(self, name)

        def look(name: str) -> Any:  # on a thread of its own, which does not know of the workers yet
            with joblib.parallel_config(backend="threading", n_jobs=workers):
                return getattr(self, name)

        for found in each_until(self.deadline, [name], look):
            return found
        raise TimeoutError

    def _fits(self, name: str) -> int:
        """About how many folds a look takes as long as."""
        folds = len(self.evaluation.first_round)
        again = {
            "unlabelled": folds,
            "asked": folds,
            "threshold": folds,
            "importance": folds,
            "curve": _CURVE_FITS,
        }
        return again.get(name, 0)

    @property
    def _fold_seconds(self) -> float:
        """Of the learner that is looked at."""
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

    @property
    def _training(self) -> tuple[Any, Any]:
        rows = self.rows
        return rows.inputs(self.label).take(rows.train), rows.y.take(rows.train)

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
        return replace(
            found, findings=tuple(one for one in found.findings if one.kind not in own), copied=0.0
        )

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
        """A model on the folds of the first round, as far as the log does not hold them yet."""
        return self.rows.evaluation(label, self._judged(part, label, model, self.rows.examples.select(names)))

    def _judged(
        self, part: str, label: str, model: Any, examples: Examples, without: np.ndarray | None = None
    ) -> list[FoldResult]:
        """The folds of the first round, as far as the log does not hold them yet; some rows may not train."""

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
        both = [rows.evaluation(label, some) for some in (self.comparison[label].first_round, folds)]
        means = [evaluation.score("accuracy") for evaluation in both]
        test = difference(both[0], both[1], "accuracy")
        n_rows, check = (len(examples), len(rows.unlabelled)), self._assumption(label, examples)
        return UnlabelledEffect(label, *n_rows, means[0], means[1], test, check)

    @cached_property
    def asked(self) -> "AskedEffect | None":
        """The learner that is looked at, in the first round, with the rows asked for and without them."""
        rows, label = self.rows, self.label
        if rows.asked is None or not rows.asked.any():
            return None
        from openbook.label import AskedEffect

        examples = rows.examples.select(rows.columns[label])
        folds = self._judged("not asked", label, rows.model(label), examples, rows.asked)
        both = [rows.evaluation(label, some) for some in (self.evaluation.first_round, folds)]
        means = [evaluation.score("accuracy") for evaluation in both]
        test = difference(both[0], both[1], "accuracy")
        n_asked = int(rows.asked[rows.train].sum())
        return AskedEffect(label, len(rows.train) - n_asked, n_asked, means[0], means[1], test)

    def _assumption(self, label: str, examples: Examples) -> "AssumptionCheck":
        """What a learner of unlabelled rows assumes, held against the rows as it sees them."""
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
        """The evaluation with the decisions that the model makes: at its own threshold, if it has one."""
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
        """Of the models of the first round's folds, on rows that they had not seen: as many as time allows.

        Of very many columns, those are shuffled that tell most of the target by themselves.
        """
        rows, names = self.rows, self.rows.columns[self.label]
        columns = [name for name in self.attributes.names if name in set(names)][:_SHUFFLED]
        in_sequences = rows.plan.contestant(self.label).candidate.of_sequences
        splits = [rows.splits[fold.index] for fold in self.evaluation.first_round]
        shuffled = min(len(names), _SHUFFLED) * _SHUFFLES * len(splits)
        most = max(_FEWEST_PREDICTED, _PREDICTED // shuffled)

        def fitted(split: tuple[np.ndarray, np.ndarray]) -> tuple[Any, Any, Any, int]:
            train, test = split
            some = test[np.linspace(0, len(test) - 1, min(len(test), most), dtype=int)]
            if in_sequences:  # neighbours stay together
                some = test[:most]
            X, y = rows.inputs(self.label).take(some), rows.y.take(some)
            return rows.fitted(self.label, train), X, y, len(train)

        chosen = columns if len(names) > _SHUFFLED and len(columns) == _SHUFFLED else None
        if in_sequences:  # what names the sequences is no feature
            chosen = columns
        folds = each(splits, fitted, apart=True) if rows.few else map(fitted, splits)
        return importance_over_folds(folds, rows.metrics[0], _SHUFFLES, self.random_state, columns=chosen)

    @cached_property
    def curve(self) -> Curve:
        """Of the settings that tuning settled on: tuning at every size would take too long."""
        rows = self.rows
        X, y = self._training
        decides = rows.metrics[0]
        run = CurveRun.of(
            self._unfitted,
            X,
            y,
            cv=self._fewer_folds,
            which="error" if decides == "accuracy" else decides,
            random_state=self.random_state,
            name=self.label,
            groups=rows.to_judge.groups,
            weights=rows.to_judge.weights,
        )
        return curve_of_sizes(replace(run, apart=rows.few), self._unfitted)

    @property
    def _unfitted(self) -> Any:
        """The learner that is looked at; without its threshold, which probabilities do not need."""
        model = self.models[self.label]
        return clone(model.estimator if isinstance(model, TunedThresholdClassifierCV) else model)

    @cached_property
    def threshold(self) -> Evaluation | None:
        """The choice with a threshold tuned inside each fold of the first round; None without one."""
        rows, label = self.rows, self.choice
        model = rows.decider(label)
        if (
            not isinstance(model, TunedThresholdClassifierCV)
            or rows.classes is None
            or len(rows.classes) != 2
        ):
            return None
        return self._evaluated("threshold", label, model, rows.columns[label])

    @property
    def _fewer_folds(self) -> Protocol:
        rows = self.rows
        return rows.fitting(*curve_folds(len(rows.train), len(rows.columns[self.label])))

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
    """The predictions that a report works, of rows that the model had not seen (`judge.errors.notable`).

    Where the chosen learner met rows that were held out they are among those, and the model is the one in
    the file; else they are among the rows of the folds, and the model is that of the fold.

    Parameters
    ----------
    rows : of the study
    models : the fitted learners that are worked, by label
    judged : the evaluation of the chosen one in the folds
    tested : its evaluation on the rows that were held out, if there are such rows
    """

    @cache
    def of_fold(label: str, fold: int) -> Any:
        return models[label] if tested is not None else rows.fitted(label, rows.splits[fold][0])

    for picked in notable_predictions(judged if tested is None else tested):
        row = rows.X.take([picked.row])
        yield Example(
            row=int(rows.known[picked.row]),
            cells=row.row(0),
            truth=rows.y[picked.row],
            locked=tested is not None,
            works={
                label: of_fold(label, picked.fold).work(rows.to_work(label, picked.row)) for label in models
            },
            kind=picked.kind,
            words=picked.words,
            name=None if rows.names is None else rows.names[picked.row],
        )
