"""The most confident mistakes: wrong predictions with a high probability, with the cells of the rows.

    classes    wrong rows by P(what was predicted), the largest first
    labels     wrong decisions about a label likewise
    numbers    rows by |truth - prediction|, the largest first

Check them first. Often a label is wrong, a cell is in another unit, or an important attribute is not a
column. Rows of the first round only, each once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.border.rules import Whole, check_value
from openbook.data.attributes import as_text
from openbook.errors import ParameterError
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.first_round import FirstRound, all_decisions
from openbook.words.numbers import figure, shown
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

#: The number of columns that are printed unless they are named.
_SHOWN_COLUMNS = 6


@dataclass(frozen=True)
class Mistake:
    """A row that was predicted wrongly.

    Parameters
    ----------
    row : its position in X
    truth, predicted : labels or numbers; of several labels, such as "not sport" and "sport"
    proba : the probability of the prediction; None for numbers
    proba_truth : the probability of the truth; None for numbers
    cells : the row, by column
    """

    row: int
    truth: Any
    predicted: Any
    proba: float | None
    proba_truth: float | None
    cells: dict[str, Any]

    @property
    def residual(self) -> float:
        """Truth minus prediction, of numbers."""
        return float(self.truth - self.predicted)


@dataclass(frozen=True, repr=False, eq=False)
class Mistakes(ShowsWork):
    """The worst mistakes of a model, the worst first; see `confident_mistakes`.

    Attributes
    ----------
    name : str
        The name of the learner.
    mistakes : tuple of Mistake
        The mistakes.
    n_wrong : int
        How many rows were predicted wrongly; for numbers, how many there are.
    n_rows : int
        How many were predicted.
    rmse : float or None
        The root of the mean squared error, of numbers; None for classes.
    columns : tuple of str
        The columns that are shown.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("weather").split("play")
    >>> found = confident_mistakes(ob.evaluate(NaiveBayes(), X, y), X)
    >>> found.n_wrong, found[0].row
    (7, 5)
    """

    name: str
    mistakes: tuple[Mistake, ...]
    n_wrong: int
    n_rows: int
    rmse: float | None
    columns: tuple[str, ...]

    def __iter__(self) -> Iterator[Mistake]:
        return iter(self.mistakes)

    def __len__(self) -> int:
        return len(self.mistakes)

    def __getitem__(self, i: int) -> Mistake:
        return self.mistakes[i]

    def work(self) -> Work:
        """The rows, to print or to show."""
        head = ("P(predicted)", "P(truth)") if self.rmse is None else ("truth - predicted", "in RMSEs")
        rows = [
            (one.row, *map(_text, (one.truth, one.predicted)), *self._figures(one), *self._cells(one))
            for one in self.mistakes
        ]
        title = "Most confident mistakes" if self.rmse is None else "Largest residuals"
        grids = [Grid("", ("row", "truth", "predicted", *head, *self.columns), rows, self._note())]
        return Work(f"{title} of {self.name}", tuple(grids) if rows else (), self._conclusion())

    def _figures(self, one: Mistake) -> tuple[str, str]:
        if self.rmse is None:
            return figure(one.proba, 3), figure(one.proba_truth, 3)
        return shown(one.residual, sign="+"), f"{abs(one.residual) / self.rmse:.1f}" if self.rmse else "0.0"

    def _cells(self, one: Mistake) -> list[str]:
        return [_text(one.cells[name]) for name in self.columns]

    def _note(self) -> str:
        more = len(self.mistakes[0].cells) - len(self.columns) if self.mistakes else 0
        return f"{plural(more, 'more column')} in `cells`." if more else ""

    def _conclusion(self) -> str:
        if self.rmse is not None:
            return f"{plural(self.n_rows, 'row')}, RMSE {shown(self.rmse)}."
        sure = sum((one.proba or 0.0) >= 0.9 for one in self.mistakes)
        wrong = f"{plural(self.n_wrong, 'row')} of {self.n_rows:,} predicted wrongly"
        if not self.mistakes:
            return f"{wrong}."
        many, much = str(sure or "none"), "a probability of 0.9 or more"
        if len(self) == self.n_wrong:
            return f"{wrong}, {many} of them with {much}."
        return f"{wrong}; of the {len(self)} most confident, {many} {'has' if sure == 1 else 'have'} {much}."


def confident_mistakes(
    evaluation: Evaluation, X: Any, n: int = 10, columns: Sequence[str] | None = None
) -> Mistakes:
    """The wrong predictions of which a model is most certain.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a learner; of classes it needs probabilities.
    X : table-like
        The rows that were evaluated.
    n : int, default=10
        How many rows to list.
    columns : sequence of str or None, default=None
        Those to print; None prints the first six. All cells are kept.

    Returns
    -------
    Mistakes

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("iris").split("species")
    >>> first = confident_mistakes(ob.evaluate(NaiveBayes(), X, y), X)[0]
    >>> first.row, first.truth, first.predicted, round(first.proba, 2)
    (106, 'virginica', 'versicolor', 0.99)
    """
    check_value("n", n, Whole(at_least=1))
    tested = FirstRound.of(evaluation, X)
    p = tested.predictions
    table = tested.table
    named = table.select(columns or table.names[:_SHOWN_COLUMNS]).names
    if evaluation.classes is None:
        off = np.abs(p.truth - p.predicted)
        numbers = [
            Mistake(int(tested.rows[i]), float(p.truth[i]), float(p.predicted[i]), None, None, table.row(i))
            for i in np.argsort(-off, kind="stable")[:n].tolist()
        ]
        rmse = float(np.sqrt((off**2).mean()))
        return Mistakes(evaluation.name, tuple(numbers), int((off > 0).sum()), len(off), rmse, named)
    if p.proba is None:
        what = f"{evaluation.name} gave no probabilities, so its confidence is unknown"
        raise ParameterError(f"{what}; use a learner with predict_proba")
    made = all_decisions(evaluation)
    wrong = np.flatnonzero(made.wrong)
    labels = made.names if evaluation.task == "multilabel" else evaluation.classes.tolist()
    listed = []
    for i in wrong[np.argsort(-made.sure[wrong], kind="stable")][:n].tolist():
        row, truth, predicted = int(made.row[i]), labels[made.truth[i]], labels[made.predicted[i]]
        sure, doubt = float(made.sure[i]), float(made.doubt[i])
        listed.append(Mistake(int(tested.rows[row]), truth, predicted, sure, doubt, table.row(row)))
    rows = len(np.unique(made.row[wrong]))
    return Mistakes(evaluation.name, tuple(listed), rows, len(p.truth), None, named)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "?"
    return f"{value:.6g}" if isinstance(value, float) else as_text(value)
