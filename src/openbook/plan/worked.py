"""The predictions that a report works.

They are predictions of rows that the model had not seen, as they were judged: see `judge.errors.notable`.
Where the chosen learner met rows that were locked away they are among those, and the model is the one in the
file; else they are among the rows of the folds, and the model is that of the fold.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from openbook.judge import Evaluation, notable_predictions
from openbook.plan.rows import StudyRows
from openbook.report import Example

__all__ = ["worked_examples"]


def worked_examples(
    rows: StudyRows, models: Mapping[str, Any], judged: Evaluation, tested: Evaluation | None
) -> Iterator[Example]:
    """Pick and work them.

    Parameters
    ----------
    rows : of the study
    models : the fitted learners that are worked, by label
    judged : the evaluation of the chosen one in the folds
    tested : its evaluation on the rows that were locked away, if there are such rows
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
            works={label: of_fold(label, picked.fold).work(row) for label in models},
            kind=picked.kind,
            words=picked.words,
            name=None if rows.names is None else rows.names[picked.row],
        )
