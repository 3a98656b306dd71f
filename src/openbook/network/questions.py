"""Questions to a belief network: about its graph, and about probabilities given evidence.

    P(q | e) = P(q, e) / P(e),    P(q, e) = Σ_h Π_i P(x_i | parents(x_i))

Nodes that are neither asked for nor observed, nor ancestors of such, sum to one and are left out. Hard
evidence is put into the tables, soft evidence is a factor more. Missing nodes are summed out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.data import Schema, Table
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.network.elimination import BUDGET, eliminate, marginal, min_fill
from openbook.network.factor import TableFactor
from openbook.network.graph import Separation
from openbook.network.learning import Families
from openbook.network.query_answer import QueryAnswer
from openbook.network.sampling import gibbs, likelihood_weighting, sampled_rows
from openbook.words.parameters import documented

__all__ = ["Questions"]


@documented
class Questions:
    """What can be asked of nodes, a graph and tables."""

    def _build(self, nodes, graph, tables, statistics=None, cuts=None, trace=()):
        """Become the network of these tables."""
        self.nodes_, self.graph_, self.tables_ = nodes, graph, tables
        self.statistics_, self.cuts_, self.trace_ = statistics, dict(cuts or {}), list(trace)
        self._numbers = {node.name: i for i, node in enumerate(nodes)}
        self.families_ = Families(
            tuple(tuple(self._numbers[p] for p in graph.parents[node.name]) for node in nodes),
            tuple(len(node.values) for node in nodes),
        )
        self._factors = [
            TableFactor.of(scope, table)
            for scope, table in zip(self.families_.scopes, self._numbered(), strict=True)
        ]

    def _numbered(self):
        """The tables in the order of the nodes."""
        return [self.tables_[node.name] for node in self.nodes_]

    # --- the graph ---------------------------------------------------------------------------------------

    def parents(self, node: str) -> tuple[str, ...]:
        """The parents of a node.

        Parameters
        ----------
        node : str
            The name of the node.

        Returns
        -------
        tuple of str
        """
        return self._graph().parents[self._graph().known(node)[0]]

    def children(self, node: str) -> tuple[str, ...]:
        """The children of a node.

        Parameters
        ----------
        node : str
            The name of the node.

        Returns
        -------
        tuple of str
        """
        return tuple(self._graph().children[self._graph().known(node)[0]])

    def ancestors(self, node: str) -> tuple[str, ...]:
        """The nodes from which edges lead to a node, over any number of steps.

        Parameters
        ----------
        node : str
            The name of the node.

        Returns
        -------
        tuple of str
            In an order in which parents come first.
        """
        found = self._graph().ancestors(node)
        return tuple(name for name in self.graph_.order if name in found)

    def descendants(self, node: str) -> tuple[str, ...]:
        """The nodes to which edges lead from a node, over any number of steps.

        Parameters
        ----------
        node : str
            The name of the node.

        Returns
        -------
        tuple of str
            In an order in which parents come first.
        """
        found = self._graph().descendants(node)
        return tuple(name for name in self.graph_.order if name in found)

    def markov_blanket(self, node: str) -> tuple[str, ...]:
        """The nodes that make a node independent of all others: parents, children, their other parents.

        Parameters
        ----------
        node : str
            The name of the node.

        Returns
        -------
        tuple of str
        """
        return self._graph().markov_blanket(node)

    def d_separated(self, a: str, b: str, given: Iterable[str] = ()) -> Separation:
        """Whether the graph makes two nodes independent given others.

        Parameters
        ----------
        a, b : str
            The names of the nodes.
        given : names, default=()
            The nodes that are observed.

        Returns
        -------
        Separation
            True if they are separated; otherwise it shows the path along which they influence each other.
        """
        return self._graph().separation(a, b, given)

    def local_markov(self, node: str) -> str:
        """The local Markov property: what a node is independent of, given its parents.

        Parameters
        ----------
        node : str
            The name of the node.

        Returns
        -------
        str
            Such as "wet ⊥ season | rain, pump".
        """
        graph = self._graph()
        (node,) = graph.known(node)
        apart = graph.descendants(node) | {node, *graph.parents[node]}
        rest = [name for name in graph.order if name not in apart]
        given = f" | {', '.join(graph.parents[node])}" if graph.parents[node] else ""
        return f"{node} ⊥ {', '.join(rest) or 'nothing else'}{given}"

    def _graph(self):
        check_is_fitted(self, "graph_")
        return self.graph_

    # --- questions ---------------------------------------------------------------------------------------

    def query(
        self, ask: str | Sequence[str], given: Mapping[str, Any] | None = None, budget: int = BUDGET
    ) -> QueryAnswer:
        """P(nodes | evidence), exactly, by variable elimination.

        Parameters
        ----------
        ask : str or sequence of str
            The node, or several for their joint distribution.
        given : mapping of node to value, or None, default=None
            The evidence. A mapping instead of a value is soft evidence: how likely the finding is under each
            value, as in {"smoke": {"yes": 0.8, "no": 0.1}}.
        budget : int, default=16777216
            The most cells of a factor. A larger one is refused before it is built.

        Returns
        -------
        QueryAnswer
        """
        targets = self._targets(ask, given)
        table, evidence = self._posterior(targets, self._evidence(given), budget)
        return self._answer(targets, table, evidence)

    def _targets(self, ask, given):
        targets = self._graph().known(ask)
        if not targets or len(set(targets)) < len(targets):
            raise DataError(f"ask for one node, or several different ones, got {ask!r}")
        if both := set(targets) & set(given or {}):
            raise DataError(f"{min(both)!r} is both asked for and given")
        return targets

    def _evidence(self, given) -> dict[int, np.ndarray]:
        """The likelihood of the finding under each value of a node, by number."""
        found = {}
        self._graph().known(given or ())
        for name, value in (given or {}).items():
            node = self.nodes_[self._numbers[name]]
            weights = value if isinstance(value, Mapping) else {value: 1.0}
            likely = np.zeros(len(node.values))
            for one, weight in weights.items():
                if (code := self._code(node, one)) < 0:
                    raise DataError(
                        f"node {name!r} has no value {one!r}. {did_you_mean(as_text(one), node.values)}"
                    )
                likely[code] = weight
            if not (np.isfinite(likely) & (likely >= 0)).all() or not likely.any():
                raise DataError(f"soft evidence on {name!r} must be likelihoods of at least 0, not all 0")
            found[self._numbers[name]] = likely
        return found

    def _code(self, node, value):
        """The code of a value; a number in a column of intervals belongs to one of them."""
        code = node.encode(value)
        if code < 0 and node.name in self.cuts_ and isinstance(value, int | float | np.number):
            return int(np.searchsorted(self.cuts_[node.name], value))
        return code

    def _reduced(self, wanted, evidence):
        """The factors that matter, with hard evidence put in and soft evidence multiplied."""
        hard = {v: int(np.argmax(likely)) for v, likely in evidence.items() if (likely > 0).sum() == 1}
        inside = {*wanted, *evidence}
        ahead = list(inside)
        while ahead:  # ancestors of what is asked or observed; all others sum to one
            for parent in self.families_.parents[ahead.pop()]:
                if parent not in inside:
                    inside.add(parent)
                    ahead.append(parent)
        factors = [self._factors[v].given(hard) for v in sorted(inside)]
        factors += [TableFactor((v,), likely) for v, likely in evidence.items() if v not in hard]
        scale = float(np.prod([likely[hard[v]] for v, likely in evidence.items() if v in hard]))
        return factors, inside - hard.keys(), scale

    def _posterior(self, targets, evidence, budget):
        """P(targets | evidence) with an axis for each target, and P(evidence)."""
        wanted = [self._numbers[name] for name in targets]
        factors, free, scale = self._reduced(wanted, evidence)
        found = self._eliminated(factors, free - set(wanted), budget).left
        order = [found.variables.index(v) for v in wanted]
        joint = found.table.transpose(order) * scale
        total = float(joint.sum())
        if not total > 0:
            said = ", ".join(self.nodes_[v].name for v in evidence)
            raise DataError(f"the evidence ({said}) has probability 0 in this network; check its values")
        return joint / total, total

    def _eliminated(self, factors, gone, budget, how="sum"):
        sizes = dict(enumerate(self.families_.sizes))
        steps = min_fill([f.variables for f in factors], gone, sizes)
        return eliminate(factors, steps, sizes, budget, [node.name for node in self.nodes_], how)

    def _answer(self, targets, table, evidence, **more):
        values = tuple(self.nodes_[self._numbers[name]].values for name in targets)
        return QueryAnswer(targets, values, table, evidence, **more)

    def marginals(
        self, given: Mapping[str, Any] | None = None, budget: int = BUDGET
    ) -> dict[str, QueryAnswer]:
        """P(node | evidence) of every node without evidence at once, by a junction tree.

        Parameters
        ----------
        given : mapping of node to value, or None, default=None
            The evidence: a value, or for soft evidence a mapping of value to likelihood.
        budget : int, default=16777216
            The most cells of a factor. A larger one is refused before it is built.

        Returns
        -------
        dict of str to QueryAnswer
        """
        self._graph()
        evidence = self._evidence(given)
        factors, free, scale = self._reduced(range(len(self.nodes_)), evidence)
        found = self._eliminated(factors, free, budget)
        total = float(found.left.table) * scale
        if not total > 0:
            raise DataError("the evidence has probability 0 in this network; check its values")
        beliefs = found.beliefs()
        tables = {i: marginal(beliefs, (i,)).table for i in free - evidence.keys()}
        return {
            node.name: self._answer((node.name,), tables[i] / tables[i].sum(), total)
            for i, node in enumerate(self.nodes_)
            if i in tables
        }

    def most_probable(self, given: Mapping[str, Any] | None = None, budget: int = BUDGET) -> dict[str, str]:
        """The most probable explanation: the values of all other nodes that are most probable together.

        Parameters
        ----------
        given : mapping of node to value, or None, default=None
            The evidence: a value, or for soft evidence a mapping of value to likelihood.
        budget : int, default=16777216
            The most cells of a factor. A larger one is refused before it is built.

        Returns
        -------
        dict of str to str
            A value for every node without evidence; of equally probable ones the first.
        """
        self._graph()
        evidence = self._evidence(given)
        factors, free, _ = self._reduced(range(len(self.nodes_)), evidence)
        found = self._eliminated(factors, free, budget, "max")
        if not found.left.table > 0:
            raise DataError("the evidence has probability 0 in this network; check its values")
        codes = found.most_probable()
        return {node.name: node.values[codes[i]] for i, node in enumerate(self.nodes_) if i in codes}

    def probability(self, assignment: Mapping[str, Any], budget: int = BUDGET) -> float:
        """The probability that these nodes have these values; all others are summed out.

        Parameters
        ----------
        assignment : mapping of node to value
            The values, of all nodes or of some.
        budget : int, default=16777216
            The most cells of a factor. A larger one is refused before it is built.

        Returns
        -------
        float
        """
        factors, free, scale = self._reduced((), self._evidence(assignment))
        return float(self._eliminated(factors, free, budget).left.table) * scale

    def sample(
        self,
        ask: str | Sequence[str],
        given: Mapping[str, Any] | None = None,
        n_samples: int = 10_000,
        method: str = "likelihood_weighting",
        random_state: int = 0,
    ) -> QueryAnswer:
        """P(nodes | evidence), estimated from sampled rows, with an interval around each probability.

        Parameters
        ----------
        ask : str or sequence of str
            The node, or several for their joint distribution.
        given : mapping of node to value, or None, default=None
            The evidence: a value, or for soft evidence a mapping of value to likelihood.
        n_samples : int, default=10000
            The number of rows.
        method : "likelihood_weighting" or "gibbs", default="likelihood_weighting"
            Gibbs sampling is better where the evidence is improbable.
        random_state : int, default=0

        Returns
        -------
        QueryAnswer
            With 95% intervals.
        """
        targets = self._targets(ask, given)
        ways = {"likelihood_weighting": likelihood_weighting, "gibbs": gibbs}
        if method not in ways:
            raise ParameterError(f"sample: method cannot be {method!r}. {did_you_mean(method, tuple(ways))}")
        order = [self._numbers[name] for name in self.graph_.order]
        wanted = [self._numbers[name] for name in targets]
        rng = np.random.default_rng(random_state)
        table, ends, evidence = ways[method](
            order, self.families_, self._numbered(), wanted, self._evidence(given), n_samples, rng
        )
        return self._answer(targets, table, evidence, interval=ends, method=method)

    def sample_rows(self, n_samples: int, random_state: int = 0) -> Table:
        """Rows drawn from the network.

        Parameters
        ----------
        n_samples : int
            The number of rows.
        random_state : int, default=0

        Returns
        -------
        Table
            A column for each node.
        """
        self._graph()
        order = [self._numbers[name] for name in self.graph_.order]
        codes, _ = sampled_rows(
            order, self.families_, self._numbered(), n_samples, np.random.default_rng(random_state)
        )
        columns = [codes[:, i].astype(node.dtype) for i, node in enumerate(self.nodes_)]
        return Table(Schema(self.nodes_), columns)
