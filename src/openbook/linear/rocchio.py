r"""Rocchio: a centroid for each class, and the class whose centroid points where the row points.

    centroid    mu_c = 1 / N_c sum over the rows of c of x / ||x||
    answer      the class of the largest cosine, mu_c . x / (||mu_c|| ||x||), the first of equals

x : the encoded columns (`openbook.prepare`), so that numbers are measured from their mean, in standard
deviations; a missing cell counts as the mean. Sparse columns, such as counts of words, are taken as they are.
A row without a direction, all 0, says nothing: its cosines are 0, and the most frequent class is
the answer.

sums : float64 (n_classes, d), the rows' unit vectors added up
"""

import math
from dataclasses import dataclass
from functools import partial
from operator import add

import numpy as np

from openbook.border.learner import Classifier, class_names
from openbook.damage import checked_floats, require
from openbook.fold import Statistics, fold
from openbook.kernels.counts import class_weights
from openbook.linear.scored import scored
from openbook.measures.scores import softmax
from openbook.prepare.encoding import Encoding
from openbook.words.numbers import figure
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: Columns shown in the work, terms of a sum.
_SHOWN_COLUMNS = 40
_SHOWN_TERMS = 5


@dataclass(frozen=True)
class Directions(Statistics):
    """The weight of each class, (n_classes,), and the sum of its rows' unit vectors, (n_classes, d)."""

    weight: np.ndarray
    sums: np.ndarray


class Rocchio(Classifier):
    """Rocchio's classifier: the class whose centroid has the smallest angle to the row (largest cosine).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    prior_ : ndarray of shape (n_classes,)
        The share of each class.
    centroids_ : ndarray of shape (n_classes, n_encoded)
        The mean direction of each class.
    encoding_ : Encoding

    Notes
    -----
    Cosines are no probabilities. `predict_proba` makes shares of them, in proportion to e to the cosine: the
    largest is that of the predicted class, and rows can be ranked by them, but they mean no more.
    Guide: docs/guide/perceptron.md

    References
    ----------
    Rocchio (1971). Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 14.2.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> words = csr_array([[2, 1, 0], [3, 0, 0], [0, 1, 4], [0, 0, 1]])
    >>> model = Rocchio().fit(words, ["spam", "spam", "ham", "ham"])
    >>> model.predict(csr_array([[1, 2, 0]])).tolist()
    ['spam']
    """

    _takes_means = True
    _takes_sparse = True
    _counts_declared = False  # a class without rows has no direction

    def _fit(self, rows):
        self.encoding_ = Encoding.of(rows)
        found = fold(rows.pieces, partial(_directions, self.encoding_, len(self.classes_)), add)
        self.prior_ = found.weight / found.weight.sum()
        self.centroids_ = found.sums / found.weight[:, None]

    def decision_function(self, X):
        """The cosine to the centroid of each class.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or (n_rows,)
            For two classes, how far the second cosine exceeds the first.
        """
        cosines = self._each(X, self._cosines)
        return cosines[:, 1] - cosines[:, 0] if len(self.classes_) == 2 else cosines

    def _cosines(self, X):
        length = np.linalg.norm(self.centroids_, axis=1)
        directions = self.centroids_ / np.where(length > 0, length, 1.0)[:, None]

        def cosines(x):
            return (x @ directions.T) * _inverse_lengths(x)[:, None]

        return scored(self.encoding_, X, len(self.classes_), cosines)

    def _proba(self, X):
        cosines = self._cosines(X)
        proba = softmax(cosines)
        proba[~cosines.any(axis=1)] = self.prior_
        return proba

    def complexity(self):
        return self.centroids_.size

    def _arrays(self):
        profiles = {"centroids_": self.centroids_, "prior_": self.prior_}
        return {**self.encoding_.arrays("encoding."), **profiles}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        k, d = len(self.classes_), len(self.encoding_)
        self.centroids_, self.prior_ = checked_floats(arrays, centroids_=(k, d), prior_=(k,))
        whole = math.isclose(self.prior_.sum(), 1.0)
        require(whole and (self.prior_ >= 0).all(), "its priors are not the shares of its classes")

    def _work(self):
        labels, names = class_names(self), self.encoding_.names
        rows = [[name, *c] for name, c in zip(names, self.centroids_.T.tolist(), strict=True)]
        shown = sorted(rows, key=lambda row: -max(map(abs, row[1:])))[:_SHOWN_COLUMNS]
        note = "the columns with the largest weights" if len(rows) > len(shown) else ""
        steps = (
            Step("centroid", r"\mu_c = \frac{1}{N_c} \sum_{i \in c} \frac{x_i}{\|x_i\|}"),
            Step("answer", r"\arg\max_c \cos(\mu_c, x)", note="ties: the first class"),
        )
        grid = Grid("centroids", ["column", *labels], shown, note)
        return Work(f"Rocchio for {self.target_}: how it was fitted", (*steps, self.encoding_.work(), grid))

    def _work_row(self, X):
        """The cosines by hand, from the sums of products."""
        labels, names = class_names(self), self.encoding_.names
        x = self.encoding_.row(X).tolist()
        terms = np.abs(self.centroids_ * x).max(axis=0)
        shown = [j for j in np.argsort(-terms, kind="stable").tolist() if x[j]][:_SHOWN_COLUMNS]
        rows = [[names[j], x[j], *self.centroids_[:, j].tolist()] for j in shown]
        header = ["column", "x", *(f"μ({label})" for label in labels)]
        grid = Grid("row", header, rows, "cells that are not 0, the largest terms first")
        cosines, steps = [], []
        length = math.sqrt(math.fsum(v * v for v in x))
        for label, centroid in zip(labels, self.centroids_.tolist(), strict=True):
            terms = [m * v for m, v in zip(centroid, x, strict=True) if v]
            product, norm = math.fsum(terms), math.sqrt(math.fsum(m * m for m in centroid))
            cosines.append(product / (norm * length) if norm and length else 0.0)
            numbers = rf"\frac{{{joined(terms, most=_SHOWN_TERMS)}}}{{{figure(norm)} \cdot {figure(length)}}}"
            formula = r"\frac{\sum_j \mu_j x_j}{\|\mu\| \|x\|}"
            steps.append(Step(f"cos({label})", formula, numbers if norm and length else "", cosines[-1]))
        why = "The largest" if any(cosines) else "No direction, so the most frequent class"
        by = cosines if any(cosines) else self.prior_.tolist()
        predicted = labels[by.index(max(by))]
        title = f"Rocchio for {self.target_}: one prediction"
        return Work(title, (grid, *steps), f"{why}: {self.target_} = {predicted}.")


def _directions(encoding, n_classes, chunk):
    """The directions of a chunk's rows, added up by class."""
    X, y, w = chunk
    x = encoding(X)
    factor = w * _inverse_lengths(x)
    sums = np.stack([np.asarray((factor * (y == c)) @ x) for c in range(n_classes)])
    return Directions(class_weights(y, w, n_classes), sums)


def _inverse_lengths(x):
    """1 / ||x|| of each row; 0 for a row without a direction."""
    squares = x.multiply(x).sum(axis=1) if hasattr(x, "multiply") else np.einsum("ij,ij->i", x, x)
    lengths = np.sqrt(np.asarray(squares).ravel())
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
