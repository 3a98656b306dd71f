"""Outliers by the three simple detectors, column by column: z-scores, box-plot fences and Grubbs' test.

They stand beside the score of any other detector, so that what they find is never lost in it. Tables without
numbers and ranks have none.
"""

from typing import Any, NamedTuple

import numpy as np

from openbook.data.read import read
from openbook.outlier.box_fences import BoxFences
from openbook.outlier.grubbs import Grubbs
from openbook.outlier.z_score import ZScore
from openbook.words.parameters import documented
from openbook.words.sentences import plural

#: Rows that are named.
_NAMED = 5


class Simple(NamedTuple):
    """Outliers by a simple detector: its name, and the rows, highest score first."""

    detector: str
    outliers: tuple[int, ...]

    def __str__(self) -> str:
        """The finding in words.

        >>> str(Simple("ZScore", (7, 2))), str(Simple("Grubbs", ()))
        ('ZScore: 2 outliers (rows 7, 2)', 'Grubbs: 0 outliers')
        """
        found = f"{self.detector}: {plural(len(self.outliers), 'outlier')}"
        if not self.outliers:
            return found
        more = len(self.outliers) - _NAMED
        named = ", ".join(map(str, self.outliers[:_NAMED])) + (f" and {more:,} more" if more > 0 else "")
        return f"{found} ({'row' if len(self.outliers) == 1 else 'rows'} {named})"


@documented
def simple_outliers(X: Any, learning: Any = slice(None)) -> tuple[Simple, ...]:
    """What each of the three finds among all rows, learnt from some; nothing if they cannot look.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    X : rows
    learning : slice or positions, default=slice(None, None, None)
        Which rows to learn from; all by default.

    Returns
    -------
    tuple of Simple

    Examples
    --------
    >>> [found.outliers for found in simple_outliers([[float(i)] for i in range(50)] + [[999.0]])]
    [(50,), (50,), (50,)]
    """
    table = read(X)
    detectors = (ZScore(), BoxFences(), Grubbs())
    if not len(table) or any(detector.refusal(table.schema) for detector in detectors):
        return ()
    return tuple(_found(detector.fit(table.take(learning)), table) for detector in detectors)


def _found(detector: Any, table: Any) -> Simple:
    scores = detector.oddness(table)
    order = np.argsort(-scores, kind="stable")
    outliers = order[scores[order] > detector.threshold_].tolist()
    return Simple(type(detector).__name__, tuple(outliers))
