"""Active learning replayed on rows whose labels are known: is asking better than drawing rows at random?

    repeat    lock test rows away; label `start` of the others, drawn at random, the same for all strategies
    round     judge the classifier on the test rows; ask for n rows, and tell it their labels

accuracy : float64 (n_strategies, n_points, n_repeats). All strategies are judged on the same test rows, so
they are compared repeat by repeat; intervals and tests are those of the corrected resampled t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from openbook.border.rows import class_codes
from openbook.data import Column, read
from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.fold import each
from openbook.judge.chance.intervals import Interval, corrected_t
from openbook.judge.chance.significance import TestResult, corrected_t_test
from openbook.judge.folds.holdout import some_rows
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.label.asker import Asker
from openbook.label.strategies import STRATEGIES
from openbook.words.numbers import shown
from openbook.words.parameters import documented
from openbook.words.sentences import listed, plural
from openbook.work import Grid, ShowsWork, Work

#: What everyone who asks should know.
BIASED = (
    "Rows that are chosen for one learner are a biased sample for another, which may learn less from them"
    " than from rows drawn at random. A wrong label does more harm here, since the rows asked"
    " for are the doubtful ones."
)
#: The most points of a table.
_SHOWN = 12


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Simulation(ShowsWork):
    """What `simulate` finds: the accuracy of each strategy as labels are added.

    Attributes
    ----------
    name : str
        The learner's name.
    strategies : tuple of str
        The strategies, "random" first.
    n_labels : tuple of int
        The number of labels at each point.
    accuracy : ndarray of shape (n_strategies, n_points, n_repeats)
        The accuracy on the rows held out.
    n_train, n_test : int
        Rows that could be asked for, and rows held out, in each repeat.

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> result = simulate(NaiveBayes(), *load("iris").split("species"), rounds=2, repeats=2)
    >>> result.strategies, result.n_labels, result.accuracy.shape
    (('random', 'margin'), (10, 11, 12), (2, 3, 2))
    """

    name: str
    strategies: tuple[str, ...]
    n_labels: tuple[int, ...]
    accuracy: np.ndarray
    n_train: int
    n_test: int

    def interval(self, strategy: str, point: int = -1, level: float = 0.95) -> Interval:
        """The interval of the mean accuracy of a strategy; undefined for a single repeat.

        Parameters
        ----------
        strategy : str
            One of `strategies`.
        point : int, default=-1
            The number of the point; -1 for the last.
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        scores = self.accuracy[self._place(strategy), point]
        return corrected_t(scores, self.n_train, self.n_test, level).within(0.0, 1.0)

    def gain(self, strategy: str, point: int | None = None, level: float = 0.95) -> TestResult:
        """The accuracy of a strategy less that of random sampling.

        Parameters
        ----------
        strategy : str
            One of `strategies`.
        point : int or None, default=None
            The number of the point; None for the mean over all of them, the area between the curves.
        level : float, default=0.95

        Returns
        -------
        TestResult
        """
        difference = self.accuracy[self._place(strategy)] - self.accuracy[0]
        one = difference.mean(axis=0) if point is None else difference[point]
        return corrected_t_test(one, self.n_train, self.n_test, level)

    def labels_needed(self, strategy: str, threshold: float | None = None) -> int | None:
        """With how many labels the mean accuracy of a strategy first reaches a threshold.

        Parameters
        ----------
        strategy : str
            One of `strategies`.
        threshold : float or None, default=None
            The accuracy; None for that of random sampling with all its labels.

        Returns
        -------
        int or None
            None where it never does.
        """
        means = self.accuracy.mean(axis=2)
        wanted = means[0, -1] if threshold is None else threshold
        reached = np.flatnonzero(means[self._place(strategy)] >= wanted - 1e-12)
        return self.n_labels[reached[0]] if len(reached) else None

    def _place(self, strategy: str) -> int:
        if strategy not in self.strategies:
            raise ParameterError(f"no strategy {strategy!r}. {did_you_mean(strategy, self.strategies)}")
        return self.strategies.index(strategy)

    def work(self, level: float = 0.95) -> Work:
        """The accuracy of each strategy, and the labels that it needed, to print or to show.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Work
        """
        points = np.unique(np.linspace(0, len(self.n_labels) - 1, _SHOWN).astype(int)).tolist()
        means = self.accuracy.mean(axis=2)
        curve = [
            (
                self.n_labels[p],
                *(
                    f"{shown(m)} {self.interval(s, p, level).ends}"
                    for m, s in zip(means[:, p], self.strategies, strict=True)
                ),
            )
            for p in points
        ]
        repeats = plural(self.accuracy.shape[2], "repeat")
        note = f"{repeats}; intervals: {100 * level:g}%, corrected resampled t"
        accuracies = Grid(
            f"accuracy on {self.n_test} rows held out", ("labels", *self.strategies), curve, note
        )
        labels = Grid(
            f"labels for an accuracy of {shown(float(means[0, -1]))}",
            ("strategy", "labels", "mean gain over random", "interval"),
            [self._need(name, level) for name in self.strategies],
            "where the mean curve first reaches what random sampling has in the end; curves are jagged, so"
            " the number is rough",
        )
        end = f"{self._outcomes(level)} {BIASED}"
        return Work(f"Asking for labels: {self.name}", (accuracies, labels), end)

    def _need(self, name: str, level: float) -> tuple[Any, ...]:
        labels = self.labels_needed(name)
        needed = "not reached" if labels is None else labels
        if name == "random":
            return name, needed, None, None
        gain = self.gain(name, level=level)
        return name, needed, shown(gain.difference, 1.0, "+"), gain.interval.ends

    def _outcomes(self, level: float) -> str:
        """The strategies beside random, a sentence for those of one outcome; one repeat tells nothing."""
        ends = {name: self.gain(name, level=level).interval for name in self.strategies[1:]}
        better = [name for name, each in ends.items() if each.low > 0]
        worse = [name for name, each in ends.items() if each.high < 0]
        open_ = [name for name in ends if name not in (*better, *worse)]
        sentences = [
            (better, "Better than random sampling, in the mean over the curve: {}."),
            (worse, "Worse than random sampling, in the mean over the curve: {}."),
            (open_, "Not shown to differ from random sampling by these repeats: {}."),
        ]
        return " ".join(words.format(listed(names)) for names, words in sentences if names)

    def draw(self, level: float = 0.95) -> Picture:
        """Accuracy against labels: a line for each strategy; bands around random and the best of the others.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Picture
        """
        means, x = self.accuracy.mean(axis=2), np.array(self.n_labels, dtype=float)
        best = int(means.mean(axis=1)[1:].argmax()) + 1 if len(self.strategies) > 1 else 0
        bands = {}
        for s in sorted({0, best}):
            ends = [self.interval(self.strategies[s], p, level) for p in range(len(x))]
            bands[s] = np.array([(end.low, end.high) for end in ends]).T
        seen = np.concatenate([means.ravel(), *(band.ravel() for band in bands.values())])
        plot = Plot(Numbers.between("labels", x[0], x[-1]), Numbers("accuracy", seen))
        for s, (low, high) in bands.items():
            if np.isfinite([low, high]).all():
                plot.band(x, low, high, f"c{s}")
        for s, name in enumerate(self.strategies):
            plot.line(x, means[s], f"c{s}", name)
        around = " and ".join(self.strategies[s] for s in bands)
        repeats = plural(self.accuracy.shape[2], "repeat")
        note = f"Bands around {around}: {100 * level:g}%, corrected resampled t over {repeats}."
        return plot.picture(f"Asking for labels: {self.name}", (note,), self._outcomes(level))


@documented
def simulate(
    estimator: Any,
    X: Any,
    y: Any,
    strategies: Sequence[str] = ("margin",),
    start: int = 10,
    rounds: int = 30,
    n: int = 1,
    repeats: int = 10,
    share: float = 0.2,
    random_state: int = 0,
) -> Simulation:
    """Replay labelling on rows whose labels are known: strategies side by side, and random sampling.

    Parameters
    ----------
    estimator : classifier
    X : table-like
    y : array-like or str
    strategies : sequence of str, default=("margin",)
        The strategies of `Asker`; "random" is always there.
    start : int, default=10
        Labels to begin with, drawn at random, one of each class at least.
    rounds : int, default=30
        How many times rows are asked for.
    n : int, default=1
        Rows asked for in each round.
    repeats : int, default=10
        How many times all is done, each time with other test rows and other rows to begin with.
    share : float, default=0.2
        The part of the rows that is held out to judge by.
    random_state : int, default=0

    Returns
    -------
    Simulation

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> result = simulate(NaiveBayes(), *load("iris").split("species"), rounds=10, repeats=3)
    >>> result.n_labels[-1], result.n_train, result.n_test
    (20, 120, 30)
    """
    names = ("random", *(name for name in dict.fromkeys(strategies) if name != "random"))
    if odd := [name for name in names if name not in STRATEGIES]:
        raise ParameterError(f"no strategy {odd[0]!r}. {did_you_mean(odd[0], tuple(STRATEGIES))}")
    table = read(X)
    if isinstance(y, str):
        table, y = table.split(y)
    y = y if isinstance(y, Column) else np.asarray(y)
    _, classes, codes = class_codes(y)
    if len(classes) < 2:
        raise DataError("every row has the same label; there is nothing to learn from asking")
    n_test = int(some_rows(codes, share, np.random.default_rng(0)).sum())
    n_train = len(codes) - n_test
    if not len(classes) <= start <= n_train - n * rounds or not n_test:
        raise ParameterError(
            f"start must be from {len(classes)}, one row of each class, to {n_train - n * rounds}, so that"
            f" {rounds} rounds of {n} fit into the {n_train} rows that are not held out; got {start}"
        )
    labels = classes[codes]
    replay = partial(_replayed, estimator, table, labels, codes, names, (start, rounds, n, share))
    seeds = np.random.SeedSequence(random_state).generate_state(repeats).tolist()
    accuracy = np.stack(list(each(seeds, replay)), axis=-1)
    n_labels = tuple(range(start, start + n * rounds + 1, n))
    return Simulation(type(estimator).__name__, names, n_labels, accuracy, n_train, n_test)


def _replayed(
    estimator: Any,
    table: Any,
    labels: np.ndarray,
    codes: np.ndarray,
    names: tuple[str, ...],
    sizes: tuple[int, int, int, float],
    seed: int,
) -> np.ndarray:
    """The accuracy of each strategy at each point of one repeat, (n_strategies, n_points)."""
    start, rounds, n, share = sizes
    rng = np.random.default_rng(seed)
    held_out = some_rows(codes, share, rng)
    train, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    shuffled = rng.permutation(len(train))
    _, first = np.unique(codes[train][shuffled], return_index=True)
    begun = shuffled[np.r_[first, np.delete(np.arange(len(train)), first)][:start]]
    X, truth, tested = table.take(train), labels[train].tolist(), table.take(test)
    known = set(begun.tolist())
    given = [label if i in known else None for i, label in enumerate(truth)]
    accuracy = np.empty((len(names), rounds + 1))
    with collected_warnings():  # of so few labels, every fit warns
        for s, name in enumerate(names):
            asker = Asker(estimator, name, random_state=int(seed % 2**31)).fit(X, given)
            for point in range(rounds + 1):
                accuracy[s, point] = (asker.estimator_.predict(tested) == labels[test]).mean()
                if point < rounds:
                    rows = asker.ask(n)
                    asker.teach(rows, [truth[i] for i in rows])
    return accuracy
