r"""A belief network: a graph, and for each node a table of its probabilities given its parents.

    P(x_1, …, x_d) = Π_i P(x_i | parents(x_i))

Nodes are the columns of a table, nominal or ordinal. Numbers are cut into intervals of about equal frequency,
and the cuts are part of the model; or a numeric column is a leaf, with a normal distribution for each
combination of its parents' values (`leaves.py`). Tables are estimated from counts, smoothed as in naive
Bayes. Rows with missing cells, and nodes that are hidden altogether, are learnt by expectation-maximisation
(`learning.py`); the structure may be given or searched (`structure.py`). In a question, nodes without
evidence are summed out.
A value not seen in training counts as missing.

tables_ : {node: float64 (values of each parent …, values of the node)}
"""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY
from operator import add
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from openbook.border.rows import refuse_infinity, weighed
from openbook.border.rules import Anything, Whole, check_value
from openbook.border.unsupervised import Unsupervised
from openbook.damage import checked_array
from openbook.data import Nominal, Numeric, Schema, read
from openbook.data.attributes import as_text
from openbook.data.conform import conform
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.network.arrays import checked_cuts, from_arrays, to_arrays
from openbook.network.derive import derive_network, derive_probability, derive_query
from openbook.network.graph import Graph
from openbook.network.learning import log_likelihoods
from openbook.network.leaves import LeafNormals, check_leaves, column_moments, leaf_normals
from openbook.network.nodes import (
    NetworkParameters,
    TableEstimate,
    as_node,
    coded,
    coded_pieces,
    counted,
    edge_numbers,
    equal_frequency_cuts,
    families_of,
    family_scores,
    gaussian_columns,
    given_parents,
    graph_of,
    learnt_tables,
    row_findings,
)
from openbook.network.questions import Questions
from openbook.network.structure import STRUCTURES, EdgeStrength, search_structure, strengths
from openbook.network.tables import node_table
from openbook.work import Work


class BeliefNetwork(NetworkParameters, Questions, Unsupervised):
    """Belief network (Bayesian network): a directed graph with a probability table for each node.

    Build one from tables (`from_tables`), read one from a BIF file (`read_bif`), or learn one with `fit`.

    Parameters
    ----------
    structure : "hill_climb", "chow_liu", "empty", or list of (parent, child), default="hill_climb"
        The edges, or how they are searched.
    criterion : "bic", "bdeu" or "k2", default="bic"
        What the search maximises.
    max_parents : int, default=4
        The most parents of a node that the search allows.
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
    required : list of (parent, child), default=()
        Edges that the search must keep.
    forbidden : list of (parent, child), default=()
        Edges that the search must not add.
    latent : mapping of name to number of values, or None, default=None
        Nodes without a column; `structure` must then be a list of edges that includes them.
    random_state : int, default=0

    Attributes
    ----------
    nodes_ : tuple of attributes
        The nodes with their values.
    graph_ : Graph
        The edges.
    tables_ : dict of str to ndarray
        P(node | parents): an axis for each parent, the last for the node.
    normals_ : dict of str to LeafNormals
        The mean and the variance of numeric leaves: an axis for each parent.
    cuts_ : dict of str to ndarray
        The cuts of numeric columns.
    families_ : Families
        The parents of each node by number, and the number of values of each.
    statistics_ : FamilyCounts or None
        The (expected) counts behind the tables; None if they were given.
    trace_ : list of float
        The log-likelihood (with the prior of the smoothing) after each round of expectation-maximisation.
    score_ : float or None
        The score of the structure that the search found.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    References
    ----------
    Pearl (1988), Probabilistic Reasoning in Intelligent Systems. Koller and Friedman (2009), Probabilistic
    Graphical Models.

    Examples
    --------
    >>> from openbook import load
    >>> network = BeliefNetwork(structure=[("outlook", "play"), ("windy", "play")]).fit(load("weather"))
    >>> round(network.query("play", given={"outlook": "overcast"})["Yes"], 4)
    0.75
    >>> bool(network.d_separated("outlook", "windy")), bool(network.d_separated("outlook", "windy", ["play"]))
    (True, False)
    """

    _: KW_ONLY
    required: Annotated[Any, Anything("a list of (parent, child)")] = ()
    forbidden: Annotated[Any, Anything("a list of (parent, child)")] = ()
    latent: Annotated[Any, Anything("None, or a mapping of a node's name to its number of values")] = None
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _counts_rows = True

    @classmethod
    def from_tables(cls, nodes: Mapping[str, Mapping[str, Any]]) -> Self:
        """Build a network from its probability tables, without learning.

        Parameters
        ----------
        nodes : mapping of name to {"values": …, "parents": …, "table": …}
            "values" lists the values, ["yes", "no"] if left out. "parents" may be left out where there are
            none. "table" is an array with an axis for each parent and a last one for the node, or a mapping
            of the parents' values to the distribution. For a node of two values, a number is the
            probability of the first. A numeric leaf has "normal" instead of "values" and "table": a pair
            (mean, standard deviation), or a mapping of the parents' values to such pairs.

        Returns
        -------
        BeliefNetwork
            Ready to be asked.

        Examples
        --------
        >>> rain = BeliefNetwork.from_tables({
        ...     "rain": {"table": 0.3},
        ...     "wet": {"parents": ["rain"], "table": {"yes": 0.9, "no": 0.2}},
        ... })
        >>> round(rain.query("rain", given={"wet": "yes"})["yes"], 4)
        0.6585
        """
        if not isinstance(nodes, Mapping) or not nodes:
            raise DataError(f"a network is made of a mapping of node to its table, got {nodes!r}")
        attributes = {name: _node(name, record) for name, record in nodes.items()}
        parents = {name: _listed(name, record, "parents", ()) for name, record in nodes.items()}
        graph = Graph(parents)
        numbers = {name: i for i, name in enumerate(nodes)}
        check_leaves(list(attributes.values()), [[numbers[p] for p in above] for above in parents.values()])
        tables: dict[str, Any] = {}
        for name, record in nodes.items():
            node, above = attributes[name], [attributes[p] for p in parents[name]]
            is_leaf = isinstance(node, Numeric)
            given = record["normal" if is_leaf else "table"]
            tables[name] = leaf_normals(node, above, given) if is_leaf else node_table(node, above, given)
        return cls._from_parts(tuple(attributes.values()), graph, tables)

    @classmethod
    def _from_parts(cls, nodes, graph, tables, **more):
        """A network that another learner has learnt."""
        leaves = [node.name for node in nodes if isinstance(node, Numeric)]
        network = cls(structure=graph.edges, gaussian=leaves or None)
        network._remember(Schema(nodes))
        network.score_ = None
        network._build(nodes, graph, tables, **more)
        return network

    # --- learning ----------------------------------------------------------------------------------------

    def _fit(self, rows):
        leaves = gaussian_columns(self, rows.schema)
        cuts = equal_frequency_cuts(rows, self.bins, leaves)
        columns = column_moments(rows, leaves)
        nodes = (*(as_node(a, cuts) for a in rows.schema), *self._latent_nodes(rows.schema))
        pieces = coded_pieces(rows, nodes, cuts)
        parents, self.score_ = self._structure(nodes, pieces)
        families, graph = families_of(nodes, parents), graph_of(nodes, parents)
        estimate = TableEstimate(families, nodes, self.smoothing, self.min_covar, columns)
        tables, counts, trace = learnt_tables(self, pieces, estimate, self._start)
        self._build(nodes, graph, tables, counts, cuts, trace)

    def _latent_nodes(self, schema):
        latent = self.latent or {}
        if not isinstance(latent, Mapping):
            msg = f"BeliefNetwork: latent must be a mapping of a name to a number of values, got {latent!r}"
            raise ParameterError(msg)
        if latent and isinstance(self.structure, str):
            raise ParameterError("BeliefNetwork: latent nodes need a list of edges as structure")
        for name, size in latent.items():
            if name in schema:
                raise ParameterError(f"BeliefNetwork: latent {name!r} is a column of the table")
            if not Whole(at_least=2).allows(size):
                msg = f"BeliefNetwork: latent {name!r} needs a number of values of at least 2, got {size!r}"
                raise ParameterError(msg)
        return tuple(
            Nominal(name, tuple(f"{name} {k + 1}" for k in range(size))) for name, size in latent.items()
        )

    def _structure(self, nodes, pieces):
        for name in ("required", "forbidden"):
            if getattr(self, name) and self.structure != "hill_climb":
                msg = f"BeliefNetwork: {name} edges need structure='hill_climb', which searches"
                raise ParameterError(msg)
        if not isinstance(self.structure, str):
            return given_parents(self, nodes), None
        if self.structure not in STRUCTURES:
            hint = did_you_mean(self.structure, STRUCTURES)
            raise ParameterError(f"BeliefNetwork: structure cannot be {self.structure!r}. {hint}")
        required = edge_numbers(self, "required", nodes)
        forbidden = edge_numbers(self, "forbidden", nodes)
        if both := set(required) & set(forbidden):
            a, b = (nodes[v].name for v in min(both))
            raise ParameterError(f"BeliefNetwork: the edge {a} → {b} is both required and forbidden")
        parents = [[a for a, b in dict.fromkeys(required) if b == node] for node in range(len(nodes))]
        check_leaves(nodes, parents)
        graph_of(nodes, parents)  # refuses a circle
        limits = {"max_parents": self.max_parents, "required": required, "forbidden": forbidden}
        return search_structure(self.structure, family_scores(self, nodes, pieces), **limits)

    def _start(self, estimate, tables):
        """Where expectation-maximisation starts: tables of known cells, and random ones of latent nodes."""
        rng = np.random.default_rng(self.random_state)
        families, nodes = estimate.families, estimate.nodes
        latent = {i for i, node in enumerate(nodes) if node.name in (self.latent or {})}
        first = []
        for node, (scope, table) in enumerate(zip(families.scopes, tables, strict=True)):
            shape = families.shape(node)
            if not latent & set(scope):
                first.append(table)
            elif node in families.leaves:
                mean, variance = estimate.overall(node)
                off = rng.standard_normal(shape[:-1]) * np.sqrt(variance)
                first.append(LeafNormals(mean + off, np.full(shape[:-1], variance)))
            else:
                first.append(rng.dirichlet(np.ones(shape[-1]), shape[:-1]))
        return first

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn from more rows: the structure stays, the counts and tables grow.

        Parameters
        ----------
        X : table-like
        y : ignored, default=None
            Taken since pipelines pass it.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        if not hasattr(self, "graph_"):
            return self.fit(X, sample_weight=sample_weight)
        return self._recount(self._counts_of(X, sample_weight), add)

    def forget(self, X: Any, sample_weight: Any = None) -> Self:
        """Unlearn rows that were learnt before; the structure stays.

        Parameters
        ----------
        X : table-like
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        self._graph()
        return self._recount(self._counts_of(X, sample_weight), lambda a, b: a - b)

    def _counts_of(self, X, sample_weight):
        if self.statistics_ is None:
            msg = "this network was given its tables, so it has no counts to go on from; fit it first"
            raise DataError(msg)
        table = conform(read(X, self.schema_), self.schema_, type(self).__name__)
        rows = weighed(table, np.zeros(len(table), dtype=np.intp), sample_weight)
        refuse_infinity(table)
        counts, has_gaps = counted(self.families_, coded_pieces(rows, self.nodes_, self.cuts_))
        if has_gaps:
            msg = "rows with missing or unseen cells cannot be added to counts or taken away; fit again"
            raise DataError(msg)
        return counts

    def _recount(self, more, how):
        statistics = how(self.statistics_, more)
        if any((amount < -1e-9).any() for amount in statistics.amounts()):
            raise DataError("cannot forget these rows: they were not in the training data")
        leaves = self.families_.leaves
        columns = {self.nodes_[leaf].name: statistics.tables[leaf].overall() for leaf in leaves}
        estimate = TableEstimate(self.families_, self.nodes_, self.smoothing, self.min_covar, columns)
        named = {node.name: table for node, table in zip(self.nodes_, estimate(statistics), strict=True)}
        self._build(self.nodes_, self.graph_, named, statistics, self.cuts_)
        return self

    # --- looking at it -----------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> np.ndarray:
        """Log P(row) of each row: the lower, the more unusual. Missing cells are summed out.

        With numeric leaves it is the logarithm of a density.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        self._graph()
        tables, rows = self._numbered(), coded(self.nodes_, self.cuts_, self._encode(X))
        return log_likelihoods(self.families_, tables, rows)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """The mean log-likelihood of rows.

        Parameters
        ----------
        X : table-like
        y : ignored, default=None
            Taken since pipelines pass it.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).mean())

    def complexity(self) -> int:
        """The number of free probabilities, and of means and variances.

        Returns
        -------
        int
        """
        normals = sum(2 * leaf.mean.size for leaf in self.normals_.values())
        return normals + sum(table.size - table.size // table.shape[-1] for table in self.tables_.values())

    def work(self, row: Any = None, given: Mapping[str, Any] | None = None) -> Work:
        """Show the work: how the network was made, how a question is answered, or the probability of a row.

        Parameters
        ----------
        row : str, list of str, row or None, default=None
            The name of a node, or several, for the answer to `query(node, given)`, a row for its probability,
            None for the tables.
        given : mapping of node to value, or None, default=None
            The evidence of a question.

        Returns
        -------
        Work
            The derivation: print it, or ask for `html()`, `latex()` or `json()`.
        """
        if not self._names_nodes(row):
            return super().work(row)
        targets, found = self._targets(row, given), self._findings(given)
        names = [node.name for node in self.nodes_]
        given = {names[v]: cell for v, cell in {**found.hard, **found.numbers}.items()}
        likely = {names[v]: likelihoods for v, likelihoods in found.soft.items()}
        return derive_query(self, targets, given, likely)

    def _names_nodes(self, row):
        """Whether this is a node, or a list of them, and no row."""
        if isinstance(row, list):
            return any(isinstance(name, str) and name in self._graph().parents for name in row)
        return isinstance(row, str)

    def _work(self):
        return derive_network(self)

    def _work_row(self, X):
        return derive_probability(self, row_findings(self.nodes_, self.cuts_, X))

    def draw(self):
        """A picture of the graph, with the table of each node beside it.

        Returns
        -------
        Picture
            Save it with `.save("network.svg")`; a notebook shows it.
        """
        from openbook.network.picture import draw_network

        self._graph()
        return draw_network(self)

    def compare(self, other: "BeliefNetwork") -> "Differences":
        """Which edges differ from those of another network of the same nodes.

        Parameters
        ----------
        other : BeliefNetwork
            The network to compare with.

        Returns
        -------
        Differences
            Edges only here, only there, and reversed; their number is the structural Hamming distance.
        """
        check_is_fitted(self), check_is_fitted(other)
        mine, theirs = set(self.graph_.edges), set(other.graph_.edges)
        if odd := set(self.graph_.parents) ^ set(other.graph_.parents):
            raise DataError(f"the networks have different nodes: {min(odd)!r} is in one of them only")
        turned = {edge for edge in mine - theirs if edge[::-1] in theirs}
        only_here = mine - theirs - turned
        only_there = theirs - mine - {edge[::-1] for edge in turned}
        return Differences(sorted(only_here), sorted(only_there), sorted(turned))

    def edge_strength(self, X: Any, repeats: int = 100, random_state: int = 0) -> list[EdgeStrength]:
        """How often the search finds each edge in bootstrap samples of the rows.

        Parameters
        ----------
        X : table-like
        repeats : int, default=100
        random_state : int, default=0

        Returns
        -------
        list of EdgeStrength
            The strongest first: the share of samples with an edge between two nodes, in either direction,
            Wilson's 95% interval of it, and the share of those in which it has this direction.
        """
        check_value("edge_strength: repeats", repeats, Whole(at_least=1))
        table = read(X)
        rng = np.random.default_rng(random_state)
        found = [
            clone(self).fit(table.take(rng.integers(len(table), size=len(table)))).graph_.edges
            for _ in range(repeats)
        ]
        return strengths(found, repeats)

    # --- the model file ----------------------------------------------------------------------------------

    def _arrays(self):
        arrays = to_arrays(self)
        return arrays if self.score_ is None else {**arrays, "score": np.array([self.score_])}

    def _restore(self, arrays):
        cuts = checked_cuts(self.schema_, arrays, gaussian_columns(self, self.schema_))
        nodes = (*(as_node(a, cuts) for a in self.schema_), *self._latent_nodes(self.schema_))
        graph, tables, statistics, trace = from_arrays(nodes, arrays)
        known = "score" in arrays
        self.score_ = float(checked_array(arrays, "score", float, (1,))[0]) if known else None
        self._build(nodes, graph, tables, statistics, cuts, trace)


class Differences(NamedTuple):
    """Edges that two networks do not share; see `BeliefNetwork.compare`."""

    only_here: list[tuple[str, str]]
    only_there: list[tuple[str, str]]
    turned: list[tuple[str, str]]

    @property
    def distance(self) -> int:
        """The structural Hamming distance: how many edges must be added, deleted or turned."""
        return len(self.only_here) + len(self.only_there) + len(self.turned)

    def __str__(self) -> str:
        lines = [f"structural Hamming distance {self.distance}"]
        for what, edges in (("only here", self.only_here), ("only there", self.only_there)):
            lines += [f"{what}: {a} → {b}" for a, b in edges]
        return "\n".join([*lines, *(f"turned: {a} → {b}, there {b} → {a}" for a, b in self.turned)])


def _node(name, record):
    if not isinstance(name, str):
        raise DataError(f"the name of a node must be text, got {name!r}")
    if not isinstance(record, Mapping):
        raise DataError(f"node {name!r} needs a mapping, such as {{'table': 0.3}}, got {record!r}")
    known = ("parents", "normal") if "normal" in record else ("values", "parents", "table")
    if odd := set(record) - set(known):
        raise DataError(f"node {name!r}: {min(odd)!r} is not known. {did_you_mean(min(odd), known)}")
    if "normal" in record:
        return Numeric(name)
    if "table" not in record:
        raise DataError(f"node {name!r} has no table")
    return Nominal(name, tuple(as_text(value) for value in _listed(name, record, "values", ("yes", "no"))))


def _listed(name, record, part, default):
    """What the record of a node lists as its values or parents."""
    found = record.get(part, default)
    if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
        raise DataError(f"node {name!r}: {part} must be a list of names, got {found!r}")
    if not (found := tuple(found)) and part == "values":
        raise DataError(f"node {name!r} has no values")
    return found
