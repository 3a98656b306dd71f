"""The evaluation of a learner: its folds, and the scores, means and intervals that follow from them.

A round is a run of folds that test each row at most once. The score is that of all rows of a round together,
averaged over the rounds. Scores that rank rows, such as the area under the ROC curve, are averaged over the
folds instead, since the probabilities of two models may not be comparable (under leave-one-out over rounds).
Parts in which a score is undefined are left out.

The interval of a score follows from the rows, not from the number of folds: see `spread`. With groups or
time, rows that belong together count as one.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from openbook.data.attributes import as_text
from openbook.data.label_sets import LabelSets
from openbook.draw import Picture
from openbook.errors import DataError
from openbook.judge.chance.coverage import GROUP, Way, coverage_remark
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.rounds import Rounds
from openbook.judge.chance.spread import Spread, blocks_of
from openbook.judge.folds.results import FoldResult
from openbook.judge.scores.metrics import DEFAULTS, Metric, Predictions, Task, metric
from openbook.judge.scores.positive import too_rare
from openbook.judge.scores.sequences import SequenceScores, sequence_scores
from openbook.words.numbers import shown
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work

if TYPE_CHECKING:
    import polars as pl

Which = str | Metric | None

#: Rows, predictions and score of a part that a score is averaged over.
_Part = tuple[np.ndarray, Predictions, float]


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(ShowsWork):
    """The predictions of a learner, fold by fold, and the scores that follow.

    Attributes
    ----------
    name : str
        The name of the learner.
    task : "classification", "regression" or "multilabel"
    classes : ndarray or None
        The labels behind the class codes, or those that rows may have; None for regression.
    folds : tuple of FoldResult
        The result of each fold.
    metrics : tuple of str or Metric, default=()
        The metrics to show, the one for ranking first; names or Metrics.
    words : str, default=""
        How the rows were split.
    groups : ndarray or None, default=None
        The group of every row position, as codes; None without groups.
    ordered : bool, default=False
        Whether the rows were tested in order of time.

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> evaluation = ob.evaluate(OneR(), *ob.load("iris").split("species"), cv=5)
    >>> round(evaluation.score(), 3), len(evaluation.folds)
    (0.94, 5)
    >>> print(evaluation.interval("accuracy"))
    [0.886, 0.969] (95%, Wilson for 133 effective rows)
    """

    name: str
    task: Task
    classes: np.ndarray | None
    folds: tuple[FoldResult, ...]
    metrics: tuple[str | Metric, ...] = ()
    words: str = ""
    groups: np.ndarray | None = field(default=None, kw_only=True)
    ordered: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.classes is not None:
            object.__setattr__(self, "classes", np.asarray(self.classes))
        object.__setattr__(self, "folds", tuple(self.folds))
        object.__setattr__(self, "metrics", tuple(self.metrics) or DEFAULTS[self.task])
        for which in self.metrics:
            metric(which, self.task)
        if not self.folds:
            raise DataError(f"{self.name}: an evaluation needs at least one fold")
        if self.task != "regression":
            for fold in self.folds:
                self._check_codes(fold)

    def _check_codes(self, fold: FoldResult) -> None:
        k = self.n_classes
        for codes in (fold.y_true, fold.y_pred):
            if self.task == "multilabel":
                if codes.dtype != bool or codes.shape != (fold.n_test, k):
                    raise DataError(f"{self.name}, fold {fold.index}: not the cells of {k} labels")
                continue
            if codes.dtype.kind not in "iu" or (len(codes) and not (codes.min() >= 0 and codes.max() < k)):
                raise DataError(f"{self.name}, fold {fold.index}: not the codes of {k} classes")
        if fold.proba is not None and (given := fold.proba.shape[1]) != k:
            raise DataError(f"{self.name}, fold {fold.index}: probabilities of {given} classes, not {k}")

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @property
    def n_groups(self) -> int:
        """The number of groups among the tested rows; 0 without groups."""
        return 0 if self.groups is None else len(np.unique(np.asarray(self.groups)[self._rows]))

    @property
    def predicts(self) -> str:
        """What the learner predicts, in words."""
        words = {"classification": "classes", "regression": "numbers", "multilabel": "several labels"}
        return words[self.task]

    @property
    def too_rare(self) -> bool:
        """Whether all classes but one have too few rows to compare learners on them."""
        return self.task == "classification" and too_rare(np.bincount(self.one_round.truth))

    @property
    def _of_one_class(self) -> bool:
        """Whether all tested rows are of one of several classes, so the losses of the others are unknown."""
        several = self.task == "classification" and self.n_classes > 1
        return several and len(np.unique(self.one_round.truth)) == 1

    @property
    def size(self) -> float:
        """The complexity; infinity for a learner without one."""
        return math.inf if self.complexity is None else self.complexity

    @property
    def by_rows(self) -> bool:
        """Whether rows rather than folds show the spread: one held-out set, or leave-one-out."""
        if len(self.folds) == 1:
            return True
        return all(fold.n_test == 1 for fold in self.folds) and len(self._rows) == len(self.folds)

    @cached_property
    def _rows(self) -> np.ndarray:
        """The rows tested, each once."""
        return np.unique(np.concatenate([fold.rows for fold in self.folds]))

    @property
    def n_train(self) -> float:
        """How many rows a fold trains on, in the mean."""
        return float(np.mean([fold.n_train for fold in self.folds]))

    @property
    def n_test(self) -> float:
        """How many rows a fold tests, in the mean."""
        return float(np.mean([fold.n_test for fold in self.folds]))

    @property
    def complexity(self) -> float | None:
        """How big the fitted models are: the median over the folds; None if the learner does not say."""
        sizes = [fold.complexity for fold in self.folds if fold.complexity is not None]
        return float(np.median(sizes)) if sizes else None

    @property
    def warnings(self) -> dict[str, int]:
        """The learner's warnings, each with the number of folds in which it was raised."""
        return dict(Counter(text for fold in self.folds for text in fold.warnings))

    def metric(self, which: Which = None) -> Metric:
        """The metric of that name; None for the one that decides.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        Metric
        """
        return metric(self.metrics[0] if which is None else which, self.task)

    @cached_property
    def predictions(self) -> Predictions:
        """The predictions of all folds, one after the other."""
        return self._joined(self.folds)

    def _joined(self, folds: Sequence[FoldResult]) -> Predictions:
        return Predictions.joined([fold.predictions(self.n_classes) for fold in folds])

    @cached_property
    def rounds(self) -> tuple[tuple[FoldResult, ...], ...]:
        """The folds in runs that test each row at most once."""
        tested = np.zeros(1 + max(int(fold.rows.max()) for fold in self.folds), dtype=bool)
        rounds: list[list[FoldResult]] = [[]]
        for fold in self.folds:
            if tested[fold.rows].any():
                rounds.append([])
                tested[:] = False
            tested[fold.rows] = True
            rounds[-1].append(fold)
        return tuple(tuple(each) for each in rounds)

    @property
    def first_round(self) -> tuple[FoldResult, ...]:
        """The first folds, up to the first that tests a row again."""
        return self.rounds[0]

    @cached_property
    def one_round(self) -> Predictions:
        """The predictions of the first round: each row at most once."""
        return self._joined(self.first_round)

    def sequence_scores(self, level: float = 0.95) -> SequenceScores:
        """The accuracy of rows and of whole sequences, and F1 of spans where labels are BIO.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        SequenceScores
            Of the rows of the first round; the groups are the sequences.
        """
        if self.groups is None or self.classes is None:
            raise DataError("sequences are scored by groups, and of classes; evaluate with groups=…")
        folds = self.first_round
        rows = np.concatenate([fold.rows for fold in folds])
        order = np.argsort(rows, kind="stable")
        truth = self.classes[np.concatenate([fold.y_true for fold in folds])[order]]
        said = self.classes[np.concatenate([fold.y_pred for fold in folds])[order]]
        return sequence_scores(truth, said, self.groups[rows[order]], level)

    def scores(self, which: Which = None) -> np.ndarray:
        """The score of each fold; NaN if it is undefined.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        ndarray
        """
        function = self.metric(which)
        if function not in self._scores:
            scores = [function(fold.predictions(self.n_classes)) for fold in self.folds]
            self._scores[function] = np.array(scores)
        return self._scores[function].copy()

    @cached_property
    def _scores(self) -> dict[Metric, np.ndarray]:
        """The scores computed so far."""
        return {}

    def mean(self, which: Which = None) -> float:
        """The mean of the folds' scores; NaN if one of them is undefined.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        float
        """
        return float(self.scores(which).mean())

    def pooled(self, which: Which = None) -> float:
        """The score of all predictions together, as if one model had made them.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        float
        """
        return self.metric(which)(self.predictions)

    def score(self, which: Which = None) -> float:
        """The score to report: of the rows of a round (of a fold where rows are ranked), then the mean.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        float
        """
        return self.spread(which).score

    def spread(self, which: Which = None) -> Spread:
        """The score with the influence of every row on it.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        Spread
        """
        function = self.metric(which)
        if function not in self._spreads:
            self._spreads[function] = self._spread(function)
        return self._spreads[function]

    @cached_property
    def _spreads(self) -> dict[Metric, Spread]:
        """The spreads computed so far."""
        return {}

    def _spread(self, function: Metric) -> Spread:
        parts = self._parts(function)
        score = float(np.mean([value for _, _, value in parts])) if parts else math.nan
        whole = self._scored(function, self.rounds) if function.within_folds else parts
        influence = self._influence(function, parts)
        if function.within_folds and not self._clusters:
            # a fold ranks a row among few others, a round among all; a share S varies as S (1 - S) does
            of_round = float(np.mean([value for _, _, value in whole] or [0]))
            variance = of_round * (1 - of_round)
            scale = math.sqrt(score * (1 - score) / variance) if variance > 0 else 1.0
            influence = scale * self._influence(function, whole)
        if self._by_model:
            for fold in self.folds:
                of_fold = np.searchsorted(self._rows, fold.rows)
                influence[:, of_fold] -= influence[:, of_fold].mean()
        rounds = None
        if self._fold_of is not None:  # in a fold, other rounds change a row's rank, too
            rounds = Rounds(self._influence(function, whole), self._fold_of)
        support = float(function.support(self.one_round))
        levels = len(self.folds) if self._by_model else 1
        return Spread(score, influence.mean(axis=0), self._clusters, support, self._shared, rounds, levels)

    def _influence(self, function: Metric, parts: Sequence[_Part]) -> np.ndarray:
        """How much each row (columns) moves the mean over parts, in each round (rows)."""
        rows, rounds, score = self._rows, len(self.rounds), np.mean([value for _, _, value in parts] or [0])
        found, times = np.zeros((rounds, len(rows))), np.zeros(len(rows), dtype=np.intp)
        for tested, predictions, value in parts:
            moved, at = function.influence_of(predictions) + (value - score), np.searchsorted(rows, tested)
            found[times[at], at] = rounds * len(rows) / (len(tested) * len(parts)) * moved
            times[at] += 1
        return found

    @cached_property
    def _fold_of(self) -> np.ndarray | None:
        """The fold of each row (columns) in each round (rows), where several rounds test all of them."""
        found = np.full((len(self.rounds), len(self._rows)), -1)
        for of_round, folds in zip(found, self.rounds, strict=True):
            for number, fold in enumerate(folds):
                of_round[np.searchsorted(self._rows, fold.rows)] = number
        return found if len(found) > 1 and (found >= 0).all() else None

    @property
    def _shared(self) -> float:
        """ρ by the rule of thumb, for one round of folds: see `spread`.

        All rows of a group influence the models that test other groups in the same way. A numeric target does
        so in proportion to its error, a label only if it changes a decision. With many groups, each has
        little influence.
        """
        if self.by_rows or self.ordered:
            return 0.0
        usual = self.n_test / self.n_train
        if self.groups is None:
            return usual / 2
        if self.task != "regression":
            return usual
        return min(3 * usual, 10 / self.n_groups)

    def _parts(self, function: Metric) -> list[_Part]:
        """The parts that a score is averaged over: folds or rounds."""
        by_fold = self._scored(function, [(fold,) for fold in self.folds]) if function.within_folds else []
        return by_fold or self._scored(function, self.rounds)

    def _scored(self, function: Metric, parts: Iterable[Sequence[FoldResult]]) -> list[_Part]:
        """The parts in which the score is defined."""
        joined = [(np.concatenate([f.rows for f in some]), self._joined(some)) for some in parts]
        scored = [(rows, predictions, function(predictions)) for rows, predictions in joined]
        return [part for part in scored if not math.isnan(part[2])]

    @cached_property
    def _clusters(self) -> dict[str, np.ndarray]:
        """The ways in which tested rows depend on each other: the code of each row's group, and of its block
        of time.
        """
        clusters = {}
        if self.groups is not None:
            clusters["groups"] = np.unique(np.asarray(self.groups)[self._rows], return_inverse=True)[1]
        if self.ordered:
            in_time = np.concatenate([fold.rows for fold in self.first_round])
            tested = [fold.n_test for fold in self.folds] if self._by_model else [len(in_time)]
            blocks = np.zeros(len(self._rows), dtype=np.intp)
            blocks[np.searchsorted(self._rows, in_time)] = blocks_of(tested)
            clusters["blocks of time"] = blocks
        return {kind: codes for kind, codes in clusters.items() if codes.max() > 0}

    @cached_property
    def _by_model(self) -> bool:
        """Whether rows in order of time are compared with those of the same model, if each tests two blocks.

        With groups, several models test the rows of a group, so they are not.
        """
        tested = [fold.n_test for fold in self.folds]
        return self.ordered and self.groups is None and min(tested) >= 2 * math.sqrt(sum(tested))

    def interval(self, which: Which = None, level: float = 0.95) -> Interval:
        """The interval of `score`, from the rows: see `spread`.

        Parameters
        ----------
        which : str, Metric or None, default=None
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        function = self.metric(which)
        rare = function.rare
        if self._of_one_class and not function.is_share:
            return Interval(math.nan, math.nan, level, "all rows that were tested are of one class")
        if rare is not None and self.predictions.proba is not None and rare.possible(self.predictions):
            interval = self.spread(rare.rest).with_rare(self.spread(rare.share), rare.each, level)
            if self.ordered and not self._by_model:  # that early models give more 0s counts as chance here
                interval = replace(interval, method=f"{interval.method}, rough: rather too wide")
        else:
            spread = self.spread(function)
            share = function.is_share or (function.of_unit and spread.error == 0)
            interval = spread.interval(share, level, function.lowest, function.power)
            if self.ordered and function.within_folds:  # where neighbours are alike, that is easier
                interval = replace(interval, method=f"{interval.method}, ranked within blocks of time")
        return interval.within(function.lowest, function.highest)

    def coverage_remark(self, *metrics: Which) -> str:
        """A sentence on the intervals that cover too rarely or too often in simulations, or "".

        Parameters
        ----------
        *metrics : str, Metric or None
            Those whose intervals are shown.

        Returns
        -------
        str
        """
        n = max(fold.n_train + fold.n_test for fold in self.folds)
        rows: dict[Way, float] = {"time": n} if self.ordered else {}
        if self.groups is not None:
            rows["groups"] = min(n, GROUP * self.n_groups)
        elif not self.ordered:
            rows = {"held out": 5 * self.n_test} if len(self.folds) == 1 else {"folds": n}
        functions = [self.metric(which) for which in metrics]
        return coverage_remark(rows, [(each.words, each.simulated_as) for each in functions])

    @property
    def averaging(self) -> str:
        """How scores come from the folds, in words."""
        if len(self.rounds) == 1:
            return "scores are of all rows together"
        return f"scores are means over {len(self.rounds)} rounds"

    @property
    def times(self) -> dict[str, np.ndarray]:
        """The seconds that each fold took: to "fit" and to "predict"."""
        return {
            "fit": np.array([fold.fit_seconds for fold in self.folds]),
            "predict": np.array([fold.predict_seconds for fold in self.folds]),
        }

    def to_polars(self) -> "pl.DataFrame":
        """Every prediction of every fold: fold, row, truth, prediction, and the probability of each class."""
        import polars as pl

        p = self.predictions
        columns = {
            "fold": np.repeat([fold.index for fold in self.folds], [fold.n_test for fold in self.folds]),
            "row": np.concatenate([fold.rows for fold in self.folds]),
            "truth": self.decoded(p.truth),
            "predicted": self.decoded(p.predicted),
        }
        if p.proba is not None and self.classes is not None:
            for label, column in zip(self.classes, p.proba.T, strict=True):
                columns[f"P({label})"] = column
        return pl.DataFrame(columns)

    def decoded(self, values: np.ndarray) -> np.ndarray:
        """Truths or predictions as people write them: labels, numbers, or sets of labels.

        Parameters
        ----------
        values : ndarray
            Class codes, numbers, or whether rows have each label.

        Returns
        -------
        ndarray
        """
        if self.task == "multilabel" and self.classes is not None:
            sets = LabelSets(values, tuple(map(as_text, self.classes.tolist())))
            return np.array(sets.written(), dtype=object)
        return values if self.classes is None else self.classes[values]

    def draw(self) -> Picture:
        """The confusion table of one round; of numbers the residuals, of several labels F1 of each."""
        from openbook.judge.scores.confusion import Confusion
        from openbook.judge.scores.multilabel import MultiLabel
        from openbook.judge.scores.regression import Regression

        if self.task == "multilabel":
            return MultiLabel.from_evaluation(self).draw()
        if self.classes is None:
            return Regression.from_evaluation(self).draw()
        return Confusion.from_evaluation(self).draw()

    def work(self) -> Work:
        """The scores with their intervals, to print or to show."""
        return Work(f"Evaluation of {self.name}", tuple(self._grids()))

    def _shown(self) -> list[Metric]:
        """The metrics that its predictions allow."""
        has_proba = self.predictions.proba is not None
        metrics = [self.metric(which) for which in self.metrics]
        return [each for each in metrics if has_proba or not each.needs_proba]

    def _grids(self) -> list[Grid]:
        functions = self._shown()
        rows, remark = [self._row(each) for each in functions], self.coverage_remark(*functions)
        folds = f"{len(self.folds)} folds" if len(self.folds) > 1 else "one held-out set"
        note = f"{self.words or folds}; {len(self._rows):,} rows tested; {self.averaging}. {remark}".rstrip()
        grids = [Grid("", ("metric", "score", "interval", "method"), rows, note)]
        if self.warnings:
            grids.append(Grid("Warnings", ("of", "folds"), tuple(self.warnings.items())))
        return grids

    def _row(self, function: Metric) -> tuple[str, ...]:
        score, interval = self.score(function), self.interval(function)
        method = f"{100 * interval.level:g}%, {interval.method}"
        if math.isnan(score):
            folds = int(np.isnan(self.scores(function)).sum())
            return function.words, "undefined", "", f"in {folds} of {len(self.folds)} folds"
        return function.words, shown(score), interval.ends, method
