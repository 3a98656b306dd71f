r"""A belief network as a classifier: the class is a node, and its posterior is the prediction.

    P(c | x) = P(c, x) / Σ_c' P(c', x),    P(c, x) = Π_i P(x_i | parents(x_i)), hidden cells summed out

    "naive"        the class is the parent of every column: naive Bayes
    "tan"          and each column has one more parent among the columns, by a tree of largest conditional
                   information (tree-augmented naive Bayes)
    "hill_climb"   what a search by score finds; only the Markov blanket of the class counts
    edges          the edges given, as pairs (parent, child); the class goes by the name of the target

Numbers are cut into intervals of about equal frequency, by the training rows; or they stay numbers, in leaves
with a normal distribution for each combination of their parents' values (`leaves.py`). Missing cells and
unseen values are summed out. The prior of a class is its share of the rows, unsmoothed. A row that no
class can explain gets the prior. Rows with gaps are learnt by expectation-maximisation.
"""

from typing import Annotated, Any

import numpy as np

from openbook.border.learner import Classifier
from openbook.border.rules import Anything
from openbook.data import Nominal
from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.measures import softmax
from openbook.network.arrays import StoredNetwork, checked_cuts, from_arrays, to_arrays
from openbook.network.belief_network import BeliefNetwork
from openbook.network.derive import derive_network, derive_query
from openbook.network.learning import log_likelihoods
from openbook.network.leaves import column_moments
from openbook.network.nodes import (
    NetworkParameters,
    TableEstimate,
    as_node,
    coded,
    coded_pieces,
    equal_frequency_cuts,
    families_of,
    family_scores,
    gaussian_columns,
    given_parents,
    graph_of,
    learnt_tables,
    row_findings,
)
from openbook.network.structure import search_structure, tree_augmented
from openbook.work import Work

STRUCTURES = ("tan", "naive", "hill_climb")


class BeliefNetworkClassifier(NetworkParameters, Classifier):
    """Belief network classifier: the posterior of a class node, with tree-augmented naive Bayes as default.

    Parameters
    ----------
    structure : "tan", "naive", "hill_climb" or list of (parent, child), default="tan"
        The edges, or how they are found. In a list, the class is called by the name of the target.
    criterion : "bic", "bdeu" or "k2", default="bic"
        What "hill_climb" maximises.
    max_parents : int, default=4
        The most parents of a node in "hill_climb".
    smoothing : NoSmoothing(), Laplace(alpha) or MEstimate(m), default=Laplace(alpha=1.0)
        From counts to probabilities.
    gaussian : "all", list of str or None, default=None
        Numeric columns that stay numbers: leaves, with nominal parents and no children, that have a normal
        distribution for each combination of their parents' values. The others are cut into intervals.
    bins : int, default=5
        The most intervals into which a numeric column is cut.
    min_covar : float, default=0.001
        The least variance of a normal distribution, as a share of the column's own.
    max_iter : int, default=100
        The most rounds of expectation-maximisation, where cells are missing.
    tol : float, default=1e-06
        Expectation-maximisation ends when the log-likelihood per row rises by less.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_iter_ : int
        The rounds of expectation-maximisation.
    network_ : BeliefNetwork
        The network, which can be queried and drawn.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    References
    ----------
    Friedman, Geiger and Goldszmidt (1997), Bayesian network classifiers.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = BeliefNetworkClassifier().fit(X, y)
    >>> str(model.predict(X.take([2]))[0])
    'Yes'
    """

    structure: Annotated[Any, Anything("'tan', 'naive', 'hill_climb' or a list of (parent, child)")] = "tan"

    _counts_rows = True

    def knobs(self):
        return {"structure": STRUCTURES, "bins": (3, 5, 10)}

    def _fit(self, rows):
        leaves = gaussian_columns(self, rows.schema)
        self._cuts = equal_frequency_cuts(rows, self.bins, leaves)
        columns = column_moments(rows, leaves)
        nodes = self._nodes()
        pieces = coded_pieces(rows, nodes, self._cuts, with_target=True)
        families = families_of(nodes, self._parents(nodes, pieces))
        prior = (len(nodes) - 1,) if not families.parents[-1] else ()  # as in naive Bayes
        estimate = TableEstimate(families, nodes, self.smoothing, self.min_covar, columns, prior)
        learnt = learnt_tables(self, pieces, estimate)
        self._become(nodes, StoredNetwork(graph_of(nodes, families.parents), *learnt))

    def _become(self, nodes, network):
        """Become the classifier of a network."""
        graph, tables, statistics, trace = network
        self.n_iter_ = max(len(trace), 1)
        self.network_ = BeliefNetwork._from_parts(  # noqa: SLF001 (of the same package)
            nodes, graph, tables, statistics=statistics, cuts=self._cuts, trace=trace
        )

    def _nodes(self):
        """The columns as nodes, and last the class."""
        name = self.target_ if self.target_ not in self.schema_ else f"{self.target_} (class)"
        labels = tuple(as_text(label) for label in self.classes_.tolist())
        return (*(as_node(a, self._cuts) for a in self.schema_), Nominal(name, labels))

    def _parents(self, nodes, pieces):
        """The parents of each node, by number."""
        target = len(nodes) - 1
        if not isinstance(self.structure, str):
            return given_parents(self, nodes)
        if self.structure not in STRUCTURES:
            hint = did_you_mean(self.structure, STRUCTURES)
            raise ParameterError(
                f"BeliefNetworkClassifier: structure cannot be {self.structure!r}. {hint} It may also be a"
                " list of edges (parent, child)."
            )
        if self.structure == "naive":
            return (*(((target,),) * target), ())
        scores = family_scores(self, nodes, pieces)
        if self.structure == "tan":
            return tree_augmented(scores, target)
        return search_structure("hill_climb", scores, max_parents=self.max_parents)[0]

    def _proba(self, X):
        """By the likelihood of each class: given the class, gaps that only it connects are independent."""
        network = self.network_
        rows, logs = coded(network.nodes_, self._cuts, X, y=0), np.empty((len(X), len(self.classes_)))
        for code in range(len(self.classes_)):
            rows.codes[:, -1] = code
            logs[:, code] = log_likelihoods(network.families_, network._numbered(), rows)  # noqa: SLF001 (of the same package)
        likely = np.isfinite(logs).any(axis=1)
        out = np.tile(network.query(network.nodes_[-1].name).probabilities, (len(X), 1))
        out[likely] = softmax(logs[likely])
        return out

    def complexity(self):
        return self.network_.complexity()

    def draw(self):
        """A picture of the network, with the table of each node beside it.

        Returns
        -------
        Picture
            Save it with `.save("network.svg")`; a notebook shows it.
        """
        return self.network_.draw()

    def _work(self):
        work = derive_network(self.network_)
        return Work(f"Belief network for {self.target_}", work.parts, work.conclusion)

    def _work_row(self, X):
        nodes = self.network_.nodes_
        return derive_query(self.network_, [nodes[-1].name], row_findings(nodes[:-1], self._cuts, X))

    def _arrays(self):
        return to_arrays(self.network_)

    def _restore(self, arrays):
        self._cuts = checked_cuts(self.schema_, arrays, gaussian_columns(self, self.schema_))
        nodes = self._nodes()
        self._become(nodes, from_arrays(nodes, arrays))
