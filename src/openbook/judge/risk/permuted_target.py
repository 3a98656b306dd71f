r"""Permuted target: does the preparation of the rows leak it? A target at random must not be predictable.

A shuffled target is independent of the rows, so no procedure without a leak predicts it better than chance:

    classes    balanced accuracy 1/k, with k classes
    numbers    R² 0

`prepare` is what is done to all rows before they are split. If it uses the target (chooses columns by it,
encodes by it), the scores of shuffled targets rise above chance, and the score of the true one is too good as
well. A pipeline needs no such test: `evaluate` fits all of it in the fold, and refuses fitted parts.

It cannot find a column that was made from the true target before `prepare`, nor duplicates, groups or time.
Use `leaks` for those.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from openbook.border.rules import Whole, check_value
from openbook.judge.chance.intervals import Interval
from openbook.judge.folds.evaluate import judged
from openbook.judge.folds.examples import Examples, model_task
from openbook.judge.folds.splits import protocol
from openbook.judge.scores.metrics import METRICS
from openbook.words.numbers import shown, shown_p
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work


@documented
@dataclass(frozen=True, repr=False, eq=False)
class LeakTest(ShowsWork):
    """Scores of shuffled targets against chance; see `leak_test`.

    Attributes
    ----------
    metric : "balanced_accuracy" or "r2"
    scores : array-like
        The score of each shuffle.
    chance : float
        The expected score without any information.
    interval : Interval
        The interval of the mean score.
    p_value : float
        The one-sided p-value that the mean score is above chance.
    true_score : float
        The score with the true target.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> test = leak_test(GaussianNB(), X, [0, 1] * 30, lambda X, y: X, repeats=5)
    >>> test.metric, test.chance, test.leaks
    ('balanced_accuracy', 0.5, False)
    """

    metric: str
    scores: np.ndarray
    chance: float
    interval: Interval
    p_value: float
    true_score: float

    @property
    def leaks(self) -> bool:
        """Whether shuffled targets are predicted better than chance."""
        return self.p_value < 0.01

    def work(self) -> Work:
        """The scores, to print or to show."""
        words, mean = METRICS[self.metric].words, float(self.scores.mean())
        rows = [
            ("shuffled", shown(mean), self.interval.ends, shown_p(self.p_value)),
            ("chance", shown(self.chance), "", ""),
            ("as it is", shown(self.true_score), "", ""),
        ]
        method = f"Interval: {100 * self.interval.level:g}%, {self.interval.method}"
        note = f"{len(self.scores)} shuffles. {method}; one-sided t test above chance."
        grid = Grid("", ("target", words, "interval", "p"), rows, note)
        end = "Shuffled targets are not predicted better than chance: no sign that the target is used."
        if self.leaks:
            figures = f"{words} {shown(mean)}, and chance would give {shown(self.chance)}"
            end = f"A shuffled target is predicted: {figures}. The preparation uses the target; move it into"
            end += " the pipeline."
        return Work("Leak test", (grid,), end)


@documented
def leak_test(
    model: Any,
    X: Any,
    y: Any,
    prepare: Callable[[Any, Any], Any],
    repeats: int = 20,
    cv: Any = None,
    level: float = 0.95,
    random_state: int = 0,
) -> LeakTest:
    """Test whether the preparation of the rows before the split uses the target.

    Parameters
    ----------
    model : estimator
        Classifier or regressor.
    X : table-like
    y : array-like or str
    prepare : callable
        Function of (X, y) that returns the prepared rows: the code that ran before the split. It gets X as it
        is, and shuffled labels or numbers.
    repeats : int, default=20
        How many shuffles.
    cv : int, splitter or iterable or None, default=None
        Number of folds, or a splitter; None takes five folds.
    level : float, default=0.95
        Of the interval.
    random_state : int, default=0

    Returns
    -------
    LeakTest

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    Of 500 columns of noise the ten that go best with the target, chosen before the split:

    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 500)), rng.integers(0, 2, 100)
    >>> test = leak_test(GaussianNB(), X, y, lambda X, y: SelectKBest(k=10).fit_transform(X, y), repeats=5)
    >>> test.leaks, float(test.scores.mean()) > 0.7
    (True, True)
    """
    check_value("repeats", repeats, Whole(at_least=2))
    task = model_task([model])
    examples = Examples.of(X, y, task)
    which, chance = "r2", 0.0
    if examples.classes is not None:
        which, chance = "balanced_accuracy", 1 / len(examples.classes)
    cv = cv or protocol(examples.column, task, random_state, n_splits=5, repeats=1)

    def score(labels: np.ndarray) -> float:
        prepared = prepare(examples.given, labels)
        rows = Examples.of(prepared, labels, task)
        return judged({"model": model}, rows, cv, which)["model"].score()

    orders = np.random.default_rng(random_state)
    scores = np.array([score(orders.permutation(examples.labels)) for _ in range(repeats)])
    mean, error = float(scores.mean()), float(scores.std(ddof=1)) / np.sqrt(repeats)
    half = float(stdtrit(repeats - 1, (1 + level) / 2)) * error
    p = float(stdtr(repeats - 1, (chance - mean) / error)) if error else float(mean <= chance)
    interval = Interval(mean - half, mean + half, level, "t over the shuffles")
    return LeakTest(which, scores, chance, interval, p, score(examples.labels))
