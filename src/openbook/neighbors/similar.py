"""The documents nearest to a text, and the words that they share with it.

    shared word j      q_j > 0 and x_j > 0, of the counts of the text and of the document; ranked by q_j x_j,
                       what the word adds to the product of the two

Distances are those of the model. Unseen words are ignored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier
from openbook.data import Numeric, SparseTable, Word
from openbook.errors import ParameterError
from openbook.neighbors.learner import NeighborLearner


@dataclass(frozen=True)
class SimilarDocument:
    """A document near a text.

    Attributes
    ----------
    row : int
        Its position among the rows that the model was fitted to.
    distance : float
        Its distance from the text.
    target : label or number
        Its class, or its number.
    words : tuple of (str, float, float)
        The words that both have, with their counts in the text and in the document, the weightiest first.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.neighbors import KNeighborsClassifier
    >>> X = ob.read([{"t": "a good film"}, {"t": "bad, bad story"}], kinds={"t": "text"})
    >>> similar(KNeighborsClassifier(1).fit(X, ["+", "-"]), "the film is good", n=1)[0].words
    (('film', 1.0, 1.0), ('good', 1.0, 1.0))
    """

    row: int
    distance: float
    target: Any
    words: tuple[tuple[str, float, float], ...]


def similar(model: Any, text: str | Mapping[str, Any], n: int = 10) -> list[SimilarDocument]:
    """Find the documents that are most similar to a text.

    Parameters
    ----------
    model : KNeighborsClassifier or KNeighborsRegressor
        A nearest-neighbours model that was fitted to texts; it keeps them.
    text : str or mapping
        The text; where there are other columns, a mapping of names to cells.
    n : int, default=10
        How many documents to find.

    Returns
    -------
    list of SimilarDocument
        The nearest first; of equally near ones, the first learnt.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.neighbors import KNeighborsClassifier
    >>> X = ob.read([{"t": "a good film"}, {"t": "bad, bad story"}], kinds={"t": "text"})
    >>> [one.row for one in similar(KNeighborsClassifier(1).fit(X, ["+", "-"]), "that bad film", n=2)]
    [1, 0]
    """
    if not isinstance(model, NeighborLearner):
        name = type(model).__name__
        msg = f"similar needs a model that keeps its rows, such as KNeighborsClassifier, not {name}"
        raise ParameterError(msg)
    check_is_fitted(model)
    if not (texts := list(model.schema_.words)):
        raise ParameterError("this model was fitted without texts; fit it to a table with a text column")
    row = {texts[0]: text} if isinstance(text, str) else dict(text)
    query = model._one_row(row)  # noqa: SLF001 (of the same room)
    distances, rows = (found[0] for found in model.kneighbors(query, n))
    counts = [_counts(model, _of_table(query))[0], *_counts(model, model.statistics_.numbers[rows])]
    words = [a.word if len(texts) == 1 else a.name for a in model.schema_ if isinstance(a, Word)]
    targets = model.statistics_.targets[rows]
    labels = model.classes_[targets] if isinstance(model, Classifier) else targets
    return [
        SimilarDocument(int(r), float(d), label, _shared(words, counts[0], own))
        for r, d, label, own in zip(rows, distances, labels.tolist(), counts[1:], strict=True)
    ]


def _of_table(X: Any) -> Any:
    return X.sparse if isinstance(X, SparseTable) else X.block(X.schema.of(Numeric))


def _counts(model: NeighborLearner, numbers: Any) -> np.ndarray:
    """The counts of words of a few rows, dense."""
    numeric = [a for a in model.schema_ if isinstance(a, Numeric)]
    places = [i for i, a in enumerate(numeric) if isinstance(a, Word)]
    few = numbers.toarray() if sp.issparse(numbers) else np.asarray(numbers)
    return few[:, places]


def _shared(words: list[str], mine: np.ndarray, own: np.ndarray) -> tuple[tuple[str, float, float], ...]:
    both = np.flatnonzero((mine > 0) & (own > 0))
    order = both[np.argsort(-(mine * own)[both], kind="stable")]
    return tuple((words[j], float(mine[j]), float(own[j])) for j in order.tolist())
