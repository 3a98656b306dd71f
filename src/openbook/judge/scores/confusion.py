r"""The confusion matrix: counts of true and predicted classes, and every rate that follows.

    counts : (k, k), rows truth, columns predicted

Of two classes one is positive, by habit the second:

    prevalence (TP + FN)/n    TPR, recall TP/(TP + FN)    PPV, precision TP/(TP + FP)    LR+ TPR/FPR
    accuracy   (TP + TN)/n    FNR         FN/(TP + FN)    FDR            FP/(TP + FP)    LR- FNR/TNR
    error      (FP + FN)/n    TNR         TN/(TN + FP)    NPV            TN/(TN + FN)    DOR LR+/LR-
                              FPR         FP/(TN + FP)    FOR            FN/(TN + FN)

and F1, kappa, MCC. Of several classes there are accuracy, error, kappa and MCC, the rates of each class
against the rest, and averages. A rate that is 0/0 is NaN, with a reason; x/0 is infinite. Shares have
Wilson's interval, the others the delta method's (`openbook.judge.scores.rates`).

The F1 of an average can mean two things: `f1`, the mean of the classes' F1, or `f1_of_means`, the F1 of mean
precision and mean recall. They differ; both are given, and "macro F1" means the first.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.draw import Picture
from openbook.draw.heat import heat_map
from openbook.errors import DataError, ParameterError, check_named
from openbook.judge.chance.intervals import Interval
from openbook.judge.scores.averages import Average, averages_of
from openbook.judge.scores.count_labels import counted_labels, plain_labels, whole
from openbook.judge.scores.rates import (
    FISHER,
    LOG,
    LOGIT,
    Rate,
    RateValue,
    cohens_kappa,
    delta,
    f_beta,
    mcc,
    share,
    smooth,
)
from openbook.judge.scores.two_classes import ALSO, RATIO_OF, RATIOS, SEVERAL, SHARES, TWO_CLASSES, why_none
from openbook.judge.scores.two_classes import cost as cost_of
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import ShowsWork, Step, Work

if TYPE_CHECKING:
    from openbook.judge.folds.evaluation import Evaluation


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Confusion(ShowsWork):
    """Confusion matrix: counts of rows by true and predicted class.

    Attributes
    ----------
    counts : ndarray
        Whole numbers, (k, k), rows truth and columns predicted.
    labels : sequence, default=()
        Of the k classes; if empty, 0 to k - 1.
    positive : label or None, default=None
        Of two classes, the label of the positive one; None for the second.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> table = Confusion([[120, 20], [15, 45]], ["healthy", "ill"])
    >>> table.tpr, table.lr_plus
    (0.75, 5.25)
    >>> print(table.rate("tpr"))
    0.750 [0.628, 0.842] (95%, Wilson)
    >>> print(Confusion.of(["no", "no", "yes"], ["no", "no", "no"], positive="yes").rate("ppv"))
    undefined: no row is predicted yes
    """

    counts: np.ndarray
    labels: Sequence[Any] = ()
    positive: Any = None

    prevalence = RateValue()
    accuracy = RateValue()
    error = RateValue()
    tpr = RateValue()
    fnr = RateValue()
    fpr = RateValue()
    tnr = RateValue()
    ppv = RateValue()
    npv = RateValue()
    fdr = RateValue()
    for_ = RateValue()
    lr_plus = RateValue()
    lr_minus = RateValue()
    dor = RateValue()
    f1 = RateValue()
    kappa = RateValue()
    mcc = RateValue()
    precision = RateValue()
    recall = RateValue()
    sensitivity = RateValue()
    specificity = RateValue()

    def __post_init__(self) -> None:
        labels = plain_labels(self.labels if len(self.labels) else range(len(self.counts)))
        object.__setattr__(self, "counts", whole(self.counts, len(labels)))
        object.__setattr__(self, "labels", labels)
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise DataError(
                f"a confusion table needs two or more different labels, got {list(labels)};"
                " name them: labels=[…]"
            )
        if self.positive is None and len(labels) == 2:
            object.__setattr__(self, "positive", labels[1])
        if self.positive is not None and (len(labels) > 2 or self.positive not in labels):
            what = f"positive is {self.positive!r}, but the labels are {list(labels)}"
            raise ParameterError(f"{what}; of several classes, per_class() takes each as positive in turn")

    @classmethod
    def of(
        cls, truth: Any, predicted: Any, labels: Sequence[Any] | None = None, positive: Any = None
    ) -> "Confusion":
        """Count labels.

        Parameters
        ----------
        truth, predicted : array-like
            Arrays, Series or Columns of labels, a pair for each row.
        labels : sequence or None, default=None
            All classes in order; None takes those that occur, sorted.
        positive : label or None, default=None
            Of two classes, the positive one; None for the second.

        Returns
        -------
        Confusion
        """
        counts, known = counted_labels(truth, predicted, labels)
        return cls(counts, known, positive)

    @classmethod
    def from_evaluation(cls, evaluation: "Evaluation", positive: Any = None) -> "Confusion":
        """Of the rows of one round, each predicted once by a model that had not seen it.

        Parameters
        ----------
        evaluation : Evaluation
            The evaluation of a learner, as `evaluate` makes it.
        positive : label or None, default=None

        Returns
        -------
        Confusion
        """
        from openbook.judge.scores.metrics import confusion

        if evaluation.task != "classification" or evaluation.classes is None:
            what = f"{evaluation.name} predicts {evaluation.predicts}, and a confusion table counts classes"
            hint = "" if evaluation.classes is None else "; MultiLabel has one for each label"
            raise ParameterError(what + hint)
        return cls(confusion(evaluation.one_round), evaluation.classes.tolist(), positive)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @property
    def negative(self) -> Any:
        """Of two classes, the one that is not positive."""
        return next(label for label in self.labels if label != self.positive)

    @property
    def tp(self) -> int:
        return int(self.table[1, 1])

    @property
    def fn(self) -> int:
        return int(self.table[1, 0])

    @property
    def fp(self) -> int:
        return int(self.table[0, 1])

    @property
    def tn(self) -> int:
        return int(self.table[0, 0])

    @property
    def table(self) -> np.ndarray:
        """The counts, of two classes with the positive one second."""
        if len(self.labels) > 2:
            raise ParameterError(
                f"there are {len(self.labels)} classes, and TP, FN, FP and TN are of two;"
                f" use per_class()[{self.labels[0]!r}]"
            )
        return self.counts if self.labels[1] == self.positive else self.counts[::-1, ::-1]

    def rate(self, name: str, level: float = 0.95) -> Rate:
        """A rate with its interval.

        Parameters
        ----------
        name : "tpr", "ppv", "lr_plus" … as listed above; of several classes accuracy, error, kappa and mcc
            Also "balanced_accuracy", the mean of the classes' recalls, and of two "youden", TPR - FPR.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        Rate
        """
        name, several = ALSO.get(name, name), len(self.labels) > 2
        if name == "balanced_accuracy" or (name == "youden" and not several):
            return self._balanced(name, level)
        if several and name in {*TWO_CLASSES} - {*SEVERAL}:
            raise ParameterError(
                f"{name} is a rate of two classes, and here are {len(self.labels)};"
                f" use per_class()[{self.labels[0]!r}].{name}, macro, micro or weighted"
            )
        check_named("rate", name, SEVERAL if several else TWO_CLASSES)
        if self.n == 0:
            return Rate.undefined("there are no rows", name, level)
        if name in ("accuracy", "error"):
            right = int(np.trace(self.counts))
            return share(right if name == "accuracy" else self.n - right, self.n, "", name, level)
        if name == "kappa":
            why = "every row has the same class and the same prediction"
            return smooth(cohens_kappa, self.counts, FISHER, why, name, level)
        if name == "mcc":
            return smooth(mcc, self.counts, FISHER, self._constant(), name, level)
        if name == "f1":
            return self.f_beta(1, level)
        if name in SHARES:
            cells = SHARES[name]
            top, bottom = (sum(getattr(self, cell) for cell in part) for part in cells[1:])
            return share(top, bottom, why_none(cells.bottom, self.positive, self.negative), name, level)
        return self._ratio(name, level)

    def _balanced(self, name: str, level: float) -> Rate:
        """The mean of the classes' recalls, or Youden's J of two classes: twice that less one, TPR - FPR."""
        mean = replace(self.average("macro", level).recall, name=name)
        if name == "balanced_accuracy":
            return mean
        at = mean.interval
        ends = Step("ends of J", "2 s - 1", note="s is the balanced accuracy")
        interval = replace(at, low=2 * at.low - 1, high=2 * at.high - 1, steps=(*at.steps, ends))
        return replace(mean, value=2 * mean.value - 1, interval=interval)

    def _ratio(self, name: str, level: float) -> Rate:
        if name == "dor":
            top, bottom = float(self.tp * self.tn), float(self.fp * self.fn)
            why = "" if top or bottom else "TP · TN and FP · FN are both 0"
        else:
            over, under = (self.rate(each) for each in RATIOS[name][1:])
            top, bottom = over.value, under.value
            why = over.why or under.why
            if top == bottom == 0:
                why = f"{RATIOS[name][1].upper()} and {RATIOS[name][2].upper()} are both 0"
        if why:
            return Rate.undefined(why, name, level)
        value = top / bottom if bottom else math.inf
        return Rate(value, delta(RATIO_OF[name], self.table, LOG, value, level), name=name)

    def f_beta(self, beta: float, level: float = 0.95) -> Rate:
        """F: the harmonic mean of precision and recall, in which recall counts beta times as much.

        Parameters
        ----------
        beta : float
            How many times as much recall counts as precision.
        level : float, default=0.95

        Returns
        -------
        Rate
        """
        if not beta > 0:
            raise ParameterError(f"beta must be above 0, got {beta}; 2 favours recall, 0.5 precision")
        why = f"no row is {self.positive} or predicted so"
        return smooth(partial(f_beta, beta=beta), self.table, LOGIT, why, f"f{beta:g}", level)

    def detection_cost(
        self, cost_fn: float, cost_fp: float, prior: float | None = None, level: float = 0.95
    ) -> Rate:
        """The cost of errors per row: cost_fn · prior · FNR + cost_fp · (1 - prior) · FPR.

        Parameters
        ----------
        cost_fn, cost_fp : float
            Of a positive row that is missed, and of a false alarm.
        prior : float or None, default=None
            The share of positive rows where the model is used; None takes their share in the table.
        level : float, default=0.95

        Returns
        -------
        Rate
        """
        if min(cost_fn, cost_fp) < 0 or not 0 <= (0 if prior is None else prior) <= 1:
            raise ParameterError(
                f"costs must be at least 0 and prior from 0 to 1, got {cost_fn}, {cost_fp} and {prior}"
            )
        cost = partial(cost_of, cost_fn=cost_fn, cost_fp=cost_fp, prior=prior)
        why = self.rate("fnr").why or self.rate("fpr").why
        return smooth(cost, self.table, LOG, why, "detection_cost", level)

    def error_reduction(self, other: "Confusion | float", level: float = 0.95) -> Rate:
        """By which share the error is lower than another one's, 1 - error / theirs; below 0 if higher.

        The interval treats the two tables as independent, which is conservative if they have the same rows.
        An error given as a number counts as known.

        Parameters
        ----------
        other : Confusion or float
            The other table, or its error as a number.
        level : float, default=0.95

        Returns
        -------
        Rate
        """
        own = self.rate("error", level)
        if isinstance(other, Confusion):
            theirs, rows = other.rate("error").value, "two tables"
        else:
            theirs, rows = float(other), "a known error"
        if own.why or not theirs > 0:
            return Rate.undefined(own.why or "the other makes no error", "error_reduction", level)
        value = 1 - own.value / theirs
        if isinstance(other, Confusion):
            right = [int(np.trace(table.counts)) for table in (other, self)]
            wrong = np.array([[right[0], other.n - right[0]], [right[1], self.n - right[1]]])
            ratio = delta(RATIO_OF["errors"], wrong, LOG, own.value / theirs, level)
        else:
            at = own.interval
            ratio = Interval(at.low / theirs, at.high / theirs, level, at.method, at.steps)
        interval = Interval(1 - ratio.high, 1 - ratio.low, level, f"{ratio.method}, {rows}", ratio.steps)
        return Rate(value, interval, name="error_reduction")

    def per_class(self) -> "dict[Any, Confusion]":
        """Each class against the rest: a table of two classes for every label."""
        if len(self.labels) == 2:
            return {label: Confusion(self.counts, self.labels, label) for label in self.labels}
        hits, truth, predicted = np.diag(self.counts), self.counts.sum(axis=1), self.counts.sum(axis=0)
        fn, fp = truth - hits, predicted - hits
        rest = "the rest" if "the rest" not in self.labels else "any other class"
        tables = np.array([[self.n - fp - truth, fp], [fn, hits]])
        return {label: Confusion(tables[..., i], (rest, label), label) for i, label in enumerate(self.labels)}

    def commonest_error(self) -> tuple[Any, Any, int] | None:
        """The mistake that is made most often.

        Returns
        -------
        tuple or None
            The class in truth, the class that it was taken for, and how many rows; None without errors.
        """
        wrong = self.counts - np.diag(np.diag(self.counts))
        if not wrong.any():
            return None
        truth, taken = divmod(int(wrong.argmax()), len(self.labels))
        return self.labels[truth], self.labels[taken], int(wrong[truth, taken])

    def most_frequent(self, classes: int) -> "Confusion":
        """The part of the table that is of the classes with most rows.

        Parameters
        ----------
        classes : int
            How many classes, at most.

        Returns
        -------
        Confusion
        """
        most = np.sort(np.argsort(-self.counts.sum(axis=1), kind="stable")[:classes])
        return Confusion(self.counts[np.ix_(most, most)], [self.labels[i] for i in most])

    @property
    def macro(self) -> Average:
        """Averages in which every class counts the same."""
        return self.average("macro")

    @property
    def weighted(self) -> Average:
        """Averages in which every class counts by its rows; the recall is the accuracy."""
        return self.average("weighted")

    @property
    def micro(self) -> Average:
        """Of all rows together; where each has one class, all of them are the accuracy."""
        return self.average("micro")

    def average(self, kind: str, level: float = 0.95) -> Average:
        """The averages called "macro", "micro" or "weighted", with intervals of that level.

        Parameters
        ----------
        kind : {"macro", "micro", "weighted"}
            The average: of classes that all count the same, of all rows together, or of classes by their
            rows.
        level : float, default=0.95

        Returns
        -------
        Average
        """
        return averages_of(self.counts, self.labels, kind, level)

    def _constant(self) -> str:
        """Why there is no correlation."""
        for counts, how in ((self.counts.sum(axis=1), "truly"), (self.counts.sum(axis=0), "predicted")):
            if (counts == self.n).any():
                return f"every row is {how} {self.labels[int(counts.argmax())]}"
        return ""

    def work(self, rate: str | None = None) -> Work:
        """The table with all rates, or the derivation of one: "tpr", "kappa", "macro_f1" …

        Parameters
        ----------
        rate : str or None, default=None
            The rate to derive, such as "tpr", "kappa" or "macro_f1"; None for the table with all rates.

        Returns
        -------
        Work
        """
        from openbook.judge.scores.confusion_work import derive_rate, overview

        return overview(self) if rate is None else derive_rate(self, ALSO.get(rate, rate))

    def draw(self) -> Picture:
        """The counts as a heat map, shaded by their share of the row: blue where right, orange where not."""
        names = [str(label) for label in self.labels]
        rows = self.counts.sum(axis=1, keepdims=True)
        shares = self.counts / np.maximum(rows, 1)
        colours = np.where(np.eye(len(names), dtype=bool), "c0", "c5").tolist()
        body, width, height = heat_map(("predicted", names), ("truth", names), self.counts, shares, colours)
        accuracy = f"{plural(self.n, 'row')}; accuracy {self.rate('accuracy')}."
        notes = accuracy, "Shaded by the share of the row: blue is right, orange is not."
        lines = []
        for name, row in zip(names, self.counts.tolist(), strict=True):
            counts = ", ".join(f"{n:,} predicted {other}" for other, n in zip(names, row, strict=True))
            lines.append(f"truly {name}: {counts}")
        return Picture("Confusion", "; ".join(lines), notes, body, max(width, 420), height)
