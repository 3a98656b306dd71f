r"""Naive Bayes for mixed columns.

    P(c | x) = P(c) prod_j P(x_j | c) / P(x),    P(x) = sum_c P(c) prod_j P(x_j | c)

in log space: log P(c) + sum_j log P(x_j | c) for each class, then normalised. Every column has its own kind
of likelihood, by its kind or by name. A missing cell is left out of the product; a value not seen in
training goes through the smoothing. The prior is the class's share of the rows, unsmoothed. Ties go to the
class that comes first. Where every class has a product of zero the data decide nothing, and the prior is
the answer.

scores : float64 (n_rows, n_classes), log joint probabilities
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, cast

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from openbook.bayes.categorical import CategoricalColumns
from openbook.bayes.density import KernelColumns
from openbook.bayes.derive import derive_model, derive_row
from openbook.bayes.events import BernoulliColumns, ComplementColumns, MultinomialColumns
from openbook.bayes.gaussian import GaussianColumns
from openbook.bayes.likelihood import ApartColumns
from openbook.bayes.redundant import twin_columns
from openbook.bayes.smoothing import Epsilon, Laplace, MEstimate, NoSmoothing
from openbook.border.folding import Folding
from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.priors import class_priors
from openbook.border.rules import Anything, ColumnKinds, OneOf, ValueOf
from openbook.data import Categorical, Numeric, SparseTable, Table, Text, Word, read
from openbook.data.attributes import as_text
from openbook.draw.charts import line_chart, named_bars
from openbook.errors import DataError, ParameterError, UnknownColumn, did_you_mean
from openbook.fold import Statistics
from openbook.kernels.counts import class_weights

DISTRIBUTIONS = {
    likelihood.name: likelihood
    for likelihood in (
        GaussianColumns,
        CategoricalColumns,
        BernoulliColumns,
        MultinomialColumns,
        ComplementColumns,
        KernelColumns,
    )
}

#: The distributions that the words of texts can have, the usual one first.
_OF_WORDS = ("multinomial", "bernoulli", "complement")


@dataclass(frozen=True)
class ClassEvidence(Statistics):
    """The weight of each class, (n_classes,), and the statistics of each likelihood."""

    classes: np.ndarray
    parts: tuple


class NaiveBayes(Declared, Folding, Classifier):
    r"""Naive Bayes for mixed columns: attributes are independent given the class.

    .. math:: P(c \mid x) \propto P(c) \prod_j P(x_j \mid c)

    Parameters
    ----------
    smoothing : NoSmoothing, Epsilon, Laplace or MEstimate, default=Laplace(alpha=1.0)
        From counts to probabilities, for categories and events.
    variance : {"mle", "sample", "pooled"}, default="mle"
        Whether the variance of a Gaussian divides by N or by N - 1; or whether all classes share one, pooled
        over their deviations from their own means.
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.
    distributions : str, mapping of column to str, or None, default=None
        "gaussian", "categorical", "bernoulli", "multinomial", "complement" (the multinomial of the other
        classes) or "kernel" (a kernel density). One name is for every column that can have it. The others,
        and None, go by kind: numbers are Gaussian, categories categorical, sparse rows and the words of texts
        multinomial.
    kinds : mapping of column to kind, or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    likelihoods_ : list
        The columns in groups of one distribution each, with their estimates of P(x | c).
    numeric_ : str
        The distribution that numbers have unless named.
    statistics_ : ClassEvidence
        The counts and moments that the estimates follow from.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    References
    ----------
    Mitchell (1997), Machine Learning, chapter 6. John and Langley (1995), for the kernel density.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("loan").split("cheat")
    >>> model = NaiveBayes(variance="sample").fit(X, y)
    >>> model.predict_proba([{"owner": "No", "status": "Married", "income": 120}]).round(4).tolist()
    [[1.0, 0.0]]
    >>> round(model.likelihood("status", "Married", given="Yes"), 4)
    0.1667
    """

    #: Smoothing and N - 1 are relative to the sum of the weights, which therefore count rows.
    _counts_rows = True

    var_smoothing, binarize = 0.0, cast("float | None", None)  # parameters of `GaussianNB` and `BernoulliNB`
    numeric_ = "gaussian"
    _twins = ()  # notes about columns that carry the same information

    smoothing: Annotated[Any, ValueOf(NoSmoothing, Epsilon, Laplace, MEstimate)] = Laplace(1.0)
    variance: Annotated[str, OneOf("mle", "sample", "pooled")] = "mle"
    priors: Any = None
    distributions: Annotated[
        Any, Anything("None, a distribution, or a mapping of column to distribution")
    ] = None
    kinds: Annotated[Any, ColumnKinds()] = None

    def knobs(self):
        return {"smoothing": (Laplace(0.1), Laplace(1.0), Laplace(10.0))}

    @property
    def one_pass(self):
        """Not with `kinds`: a column made nominal has the values of the training rows alone."""
        return self.kinds is None

    def refusal(self, schema):
        if (reason := super().refusal(schema)) is not None:
            return reason
        try:
            self._likelihoods(schema)
        except (ValueError, LookupError) as error:
            return f"cannot use these columns: {error}"
        return None

    def _accept(self, table):
        self.numeric_ = "multinomial" if isinstance(table, SparseTable) else "gaussian"
        super()._accept(table)

    def _grow(self, schema):
        super()._grow(schema)
        now = {column: name for name, columns in self._groups(schema) for column in columns}
        for likelihood in self.likelihoods_:
            for column in likelihood.schema.names:
                if (other := now[column]) != likelihood.name:
                    msg = f"column {column!r} was {likelihood.name}, but is {other} with these rows; refit"
                    raise ParameterError(msg)

    def _file_rows(self, scan, y, sample_weight):
        self.numeric_ = "gaussian"
        return super()._file_rows(scan, y, sample_weight)

    def _saved(self):
        saved = super()._saved()
        return saved._replace(facts={**saved.facts, "numeric": self.numeric_})

    def _opened(self, saved):
        if (numeric := saved.facts["numeric"]) not in DISTRIBUTIONS:
            raise ValueError(f"{numeric!r} is not a distribution")
        self.numeric_ = numeric
        super()._opened(saved)

    def _likelihoods(self, schema):
        """The columns in groups of one distribution each."""
        smoothed = {"smoothing": self.smoothing}
        options = {
            "gaussian": {"variance": self.variance, "var_smoothing": self.var_smoothing},
            "bernoulli": {**smoothed, "binarize": self.binarize},
            "kernel": {},
        }
        return [
            DISTRIBUTIONS[name](schema.select(columns), **options.get(name, smoothed))
            for name, columns in self._groups(schema)
        ]

    def _takes_all_words(self, schema):
        return schema.named or super()._takes_all_words(schema)

    def _groups(self, schema):
        """The distribution and the names of the columns of each group, in the table's order.

        The words of a column of texts share out its events, apart from those of other columns.
        """
        asked, texts = self.distributions, schema.unworded.of(Text)
        one = asked if asked in _OF_WORDS else _OF_WORDS[0]
        models = {text: asked.get(text, one) if isinstance(asked, Mapping) else one for text in texts}
        if odd := [name for name in models.values() if name not in _OF_WORDS]:
            raise ParameterError(f"words cannot be {odd[0]!r}. {did_you_mean(str(odd[0]), _OF_WORDS)}")
        words: dict[str, list[str]] = {text: [] for text in texts}
        for name in schema.of(Word):
            words[schema[name].text].append(name)
        others = schema.select(a.name for a in schema if not isinstance(a, Word | Text)) if texts else schema
        if texts and not len(others) and isinstance(asked, str) and asked not in _OF_WORDS:
            self._asked(others, texts)  # no column can have it
        worded = [(models[text], names) for text, names in words.items() if names]
        return [*(self._groups_of(others, texts).items() if len(others) else ()), *worded]

    def _groups_of(self, schema, texts):
        by_kind = {"categorical": schema.of(Categorical), self.numeric_: schema.of(Numeric)}
        if self.distributions is None:
            groups = {name: columns for name, columns in by_kind.items() if columns}
            return dict(sorted(groups.items(), key=lambda group: schema.position(group[1][0])))
        asked = self._asked(schema, texts)
        if isinstance(asked, str):
            return {asked: schema.names}
        default = {column: name for name, columns in by_kind.items() for column in columns}
        groups = {}
        for column in schema.names:
            groups.setdefault(asked.get(column, default[column]), []).append(column)
        return groups

    def _asked(self, schema, texts):
        """The distributions that were asked for, by column that is no text, or one for all.

        One name is for every column that can have it.
        """
        asked = self.distributions
        if not isinstance(asked, str | Mapping):
            msg = f"distributions must be {self._rules['distributions'].demand()}, got {asked!r}"
            raise ParameterError(msg)
        names = {asked} if isinstance(asked, str) else set(asked.values())
        if odd := [name for name in names if name not in DISTRIBUTIONS]:
            msg = f"distributions cannot be {odd[0]!r}. {did_you_mean(str(odd[0]), tuple(DISTRIBUTIONS))}"
            raise ParameterError(msg)
        if isinstance(asked, str):
            if not (columns := DISTRIBUTIONS[asked].usable(schema)):
                raise ParameterError(f"{asked} needs {DISTRIBUTIONS[asked].needs}, and no column has them")
            return asked if len(columns) == len(schema) else dict.fromkeys(columns, asked)
        if odd := [name for name in asked if name not in schema and name not in texts]:
            raise UnknownColumn(odd[0], schema.names)
        return asked

    def _step(self):
        return partial(evidence, self._likelihoods(self.schema_), len(self.classes_))

    def _zero(self):
        likelihoods, n_classes = self._likelihoods(self.schema_), len(self.classes_)
        return ClassEvidence(np.zeros(n_classes), tuple(each.zero(n_classes) for each in likelihoods))

    def _solve(self):
        self._labels = class_names(self)
        self.prior_ = class_priors(self, self.statistics_.classes)
        self.likelihoods_ = self._likelihoods(self.schema_)
        for likelihood, statistics in zip(self.likelihoods_, self.statistics_.parts, strict=True):
            likelihood.solve(statistics, self._labels, self.target_, self.statistics_.classes > 0)
        notes = [note for likelihood in self.likelihoods_ for note in likelihood.notes]
        self.notes_ = [*notes, *self._twins]

    def _fit(self, rows):
        self._twins = twin_columns(rows)
        super()._fit(rows)

    def counts(self):
        """What was counted, as a table: for each column and value the rows of each class, and P(value | c).

        Of numbers, the known cells; of events, how often they happened.

        Returns
        -------
        Table
            The columns `column`, `value`, a count for each class, and an estimate for each class.

        Examples
        --------
        >>> from openbook import load
        >>> X, y = load("loan").split("cheat")
        >>> print(NaiveBayes().fit(X, y).counts().drop("P(value | No)", "P(value | Yes)"))
        Table of 6 rows, 4 columns
        column   value     No       Yes
        nominal  nominal   numeric  numeric
        owner    No        4        3
        owner    Yes       3        0
        status   Divorced  1        1
        status   Married   4        0
        status   Single    2        2
        income   known     7        3
        """
        check_is_fitted(self)
        numbers = [*self._labels, *(f"P(value | {label})" for label in self._labels)]
        rows = [
            {"column": column, "value": value, **dict(zip(numbers, [*counts, *shares], strict=True))}
            for likelihood in self.likelihoods_
            for column, value, counts, shares in likelihood.counted()
        ]
        kinds = {"column": "nominal", "value": "nominal", **dict.fromkeys(numbers, "numeric")}
        return read(rows, kinds=kinds)

    def sample(self, n_samples=1, random_state=0):
        """Draw rows: a class by its prior, then each column by its distribution in that class.

        Parameters
        ----------
        n_samples : int, default=1
            The number of rows.
        random_state : int, default=0

        Returns
        -------
        tuple of Table and ndarray
            The rows, and the class of each.
        """
        check_is_fitted(self)
        rng = np.random.default_rng(random_state)
        classes = rng.choice(len(self.classes_), n_samples, p=self.prior_)
        columns = {name: data for each in self.likelihoods_ for name, data in each.sampled(classes, rng)}
        table = Table(self.schema_, [columns[name] for name in self.schema_.names])
        return table, self.classes_[classes]

    def _log_joint(self, X):
        with np.errstate(divide="ignore"):
            prior = np.log(self.prior_)
        scores = np.repeat(prior[:, None], len(X), axis=1).T  # class after class in memory, as add_table goes
        for likelihood in self.likelihoods_:
            likelihood.add_scores(X, scores)
        return scores

    def _proba(self, X):
        return normalised(self._log_joint(X), self.prior_)

    def column_scores(self, X):
        """Log P(x_j | c) of each column by itself.

        `proba_of` a sum of some of them is what a model of these columns alone would say, fitted on the same
        rows.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_columns, n_rows, n_classes) or None
            None if columns cannot be separated: the multinomial divides the events of a row among them.
        """
        check_is_fitted(self)
        likelihoods = [each for each in self.likelihoods_ if isinstance(each, ApartColumns)]
        if len(likelihoods) < len(self.likelihoods_):
            return None
        table = self._encode(X)
        # class after class in memory, as add_table goes
        scores = np.zeros((len(self.schema_), len(self.classes_), len(table))).transpose(0, 2, 1)
        for likelihood in likelihoods:
            for name in likelihood.schema.names:
                likelihood.add_column(table, name, scores[self.schema_.position(name)])
        return scores

    def proba_of(self, scores):
        """The probability of each class, from a sum of the scores of columns.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_classes)
            A sum of some of `column_scores`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return normalised(scores + np.log(self.prior_), self.prior_)

    def predict_log_proba(self, X):
        """The natural logarithm of `predict_proba`, exact where probabilities are too small to tell from 0.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        joint = self.predict_joint_log_proba(X)
        evidence = logsumexp(joint, axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.isneginf(evidence), np.log(self.prior_), joint - evidence)

    def predict_joint_log_proba(self, X):
        """Log P(c) P(x | c) of each class, before normalising.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self._each(X, self._log_joint)

    def score_samples(self, X):
        """The log-likelihood log P(x) of each row: the lower, the more unusual the row.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return logsumexp(self.predict_joint_log_proba(X), axis=1)

    def likelihood(self, column, value, given):
        """The likelihood P(column = value | class): a probability, or a density where the column is numeric.

        Parameters
        ----------
        column : str
            The name of the column.
        value : label or float
            The value; None for a missing one.
        given : label
            The class.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if as_text(given) not in self._labels:
            raise DataError(f"no class {given!r}. {did_you_mean(as_text(given), self._labels)}")
        c = self._labels.index(as_text(given))
        X = self._one_row({column: value})
        likelihood = next(each for each in self.likelihoods_ if column in each.schema)
        return math.exp(likelihood.factor(X, column, c).log)

    def draw(self, column=None):
        """P(x | c) of one column: a density for each class, or the probability of each value.

        Parameters
        ----------
        column : str or None, default=None
            The column; None for the first.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        name = self.schema_.names[0] if column is None else column
        if name not in self.schema_:
            raise UnknownColumn(name, self.schema_.names)
        attribute, title = self.schema_[name], f"Naive Bayes for {self.target_}: {name}"
        if isinstance(attribute, Categorical):
            terms = [(value, label) for value in attribute.values for label in self._labels]
            shares = [self.likelihood(name, value, label) for value, label in terms]
            words = [f"{value} | {label}" for value, label in terms]
            return named_bars(title, f"P({name} | {self.target_})", words, np.array(shares))
        group = next(each for each in self.likelihoods_ if name in each.schema)
        if not isinstance(group, GaussianColumns):
            msg = f"{name!r} has the distribution {group.name!r}; draw shows categories and Gaussians"
            raise DataError(msg)
        j = group.schema.position(name)
        middle, spread = group.mean[:, j], np.sqrt(group.variance[:, j])
        x = np.linspace((middle - 3.5 * spread).min(), (middle + 3.5 * spread).max(), 200)
        z = (x - middle[:, None]) / spread[:, None]
        density = np.exp(-0.5 * z**2) / (spread[:, None] * math.sqrt(2 * math.pi))
        lines = {label: (x, y) for label, y in zip(self._labels, density, strict=True)}
        return line_chart(title, (name, "density"), lines)

    def complexity(self):
        return len(self.classes_) - 1 + sum(likelihood.size() for likelihood in self.likelihoods_)

    _work, _work_row = derive_model, derive_row

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def normalised(scores, prior):
    """Log joints as probabilities, in place; a row that no class can explain gets the prior."""
    top = scores.max(axis=1, keepdims=True)
    lost = np.isneginf(top[:, 0])
    top[lost] = 0.0
    scores -= top
    np.exp(scores, out=scores)  # NumPy vectorises it
    scores[lost] = prior
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


@np.errstate(over="ignore", invalid="ignore")  # `Summing` refuses sums that are not finite
def evidence(likelihoods, n_classes, chunk):
    """The evidence of a chunk."""
    X, y, w = chunk
    parts = tuple(likelihood.statistics(X, y, w, n_classes) for likelihood in likelihoods)
    return ClassEvidence(class_weights(y, w, n_classes), parts)
