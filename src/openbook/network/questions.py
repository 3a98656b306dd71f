"""Questions to a belief network: about its graph, and about probabilities given evidence.

    P(q | e) = P(q, e) / P(e),    P(q, e) = Σ_h Π_i P(x_i | parents(x_i))

Nodes that are neither asked for nor observed, nor ancestors of such, sum to one and are left out. Hard
evidence is put into the tables, soft evidence is a factor more. Missing nodes are summed out. A number found
at a numeric leaf is a factor over its parents, the density of the number; a leaf that is asked for is a
mixture of normals, weighted by P(its parents | e).
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.rules import Whole, check_value
from openbook.data import Schema, Table
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.network.elimination import (
    BUDGET,
    check_budget,
    eliminate,
    largest,
    marginal,
    min_fill,
    planned,
    summed_out,
)
from openbook.network.factor import TableFactor
from openbook.network.graph import Separation
from openbook.network.leaves import LeafNormals, finding_densities
from openbook.network.nodes import families_of
from openbook.network.query_answer import MixtureAnswer, QueryAnswer
from openbook.network.sampling import gibbs, likelihood_weighting, sampled_rows
from openbook.words.parameters import documented

#: The cells of a factor up to which the order of elimination of the whole network is good enough.
SMALL = 1 << 12

#: The largest logarithm of a number that there is.
_MOST_LOG = math.log(np.finfo(float).max)


@documented
class Questions:
    """What can be asked of nodes, a graph and tables."""

    def _build(self, nodes, graph, tables, statistics=None, cuts=None, trace=()):
        """Become the network of these tables."""
        self.nodes_, self.graph_ = nodes, graph
        self.normals_ = {name: table for name, table in tables.items() if isinstance(table, LeafNormals)}
        self.tables_ = {name: table for name, table in tables.items() if name not in self.normals_}
        self.statistics_, self.cuts_, self.trace_ = statistics, dict(cuts or {}), list(trace)
        self._numbers = {node.name: i for i, node in enumerate(nodes)}
        parents = (tuple(self._numbers[p] for p in graph.parents[node.name]) for node in nodes)
        self.families_ = families_of(nodes, parents)
        self._order = None  # of elimination, found when it is first needed
        self._factors = list(map(TableFactor.of, self.families_.scopes, self._probabilities()))

    def _numbered(self):
        """The tables in the order of the nodes, of leaves the normals."""
        tables = {**self.tables_, **self.normals_}
        return [tables[node.name] for node in self.nodes_]

    def _probabilities(self, densities=None):
        """The tables as numbers: of a leaf the densities of its finding, or 1 without one."""
        of_leaves = {v: np.ones(self.families_.shape(v)) for v in self.families_.leaves} | (densities or {})
        return [of_leaves.get(i, table) for i, table in enumerate(self._numbered())]

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
    ) -> QueryAnswer | MixtureAnswer:
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
        QueryAnswer or MixtureAnswer
            Of a numeric leaf, which is asked for by itself, a mixture of normals.
        """
        targets, found = self._targets(ask, given), self._findings(given)
        wanted, fixed = self._asked(targets, found)
        table, evidence = self._posterior(wanted, found, budget)
        if targets[0] in self.normals_:
            return self._mixture(targets[0], wanted, fixed, table, evidence)
        return self._answer(targets, table, evidence)

    def _asked(self, targets, found):
        """The nodes whose joint distribution is needed, and the values of those that are fixed.

        They are the targets, or the parents of a leaf.
        """
        numbers = [self._numbers[name] for name in targets]
        if targets[0] not in self.normals_:
            return numbers, {}
        above, hard = self.families_.parents[numbers[0]], found.hard
        return [v for v in above if v not in hard], {v: hard[v] for v in above if v in hard}

    def _mixture(self, name, wanted, fixed, weights, evidence, **more):
        """The normals of a leaf, weighted by the distribution of its parents that are not fixed."""
        above = self.families_.parents[self._numbers[name]]
        at = tuple(fixed.get(v, slice(None)) for v in above)
        order = [wanted.index(v) for v in above if v not in fixed]
        nodes = [self.nodes_[wanted[i]] for i in order]
        normals = self.normals_[name]
        return MixtureAnswer(
            name,
            tuple(node.name for node in nodes),
            tuple(product(*(node.values for node in nodes))),
            np.asarray(weights).transpose(order).ravel(),
            normals.mean[at].ravel(),
            np.sqrt(normals.variance[at]).ravel(),
            evidence,
            **more,
        )

    def _targets(self, ask, given):
        targets = self._graph().known(ask)
        if not targets or len(set(targets)) < len(targets):
            raise DataError(f"ask for one node, or several different ones, got {ask!r}")
        if both := set(targets) & set(given or {}):
            raise DataError(f"{min(both)!r} is both asked for and given")
        if len(targets) > 1 and (numeric := [name for name in targets if name in self.normals_]):
            raise DataError(f"the numeric node {numeric[0]!r} has a density: ask for it by itself")
        return targets

    def _findings(self, given) -> "EvidenceByNode":
        """The evidence, by the numbers of nodes."""
        given = {} if given is None else given
        if not isinstance(given, Mapping):
            msg = f"given must be a mapping of node to value, such as {{'a': 'yes'}}, got {given!r}"
            raise DataError(msg)
        self._graph().known(given)
        found = EvidenceByNode({}, {}, {}, {}, 1.0)
        for name, value in given.items():
            node = self._numbers[name]
            if name in self.normals_:
                found.numbers[node] = _number(name, value)
            elif not isinstance(value, Mapping):
                found.hard[node] = self._code(self.nodes_[node], value)
            elif len(likely := self._likelihoods(self.nodes_[node], value)) == 1:
                [(found.hard[node], weight)] = likely.items()
                found = found._replace(scale=found.scale * weight)
            else:
                found.soft[node] = np.zeros(self.families_.sizes[node])
                found.soft[node][list(likely)] = list(likely.values())
        if found.numbers:
            normals = {self._numbers[name]: leaf for name, leaf in self.normals_.items()}
            densities, log_scale = finding_densities(normals, self.families_.parents, found.numbers)
            scale = math.exp(log_scale) if log_scale < _MOST_LOG else math.inf
            found = found._replace(densities=densities, scale=found.scale * scale)
            found.hard.update(dict.fromkeys(found.numbers, 0))
        return found

    def _likelihoods(self, node, weights):
        """The likelihood of a finding under each value of a node, by code, without zeros."""
        likely = {self._code(node, value): _as_number(weight) for value, weight in weights.items()}
        if any(x is None or x < 0 for x in likely.values()) or not any(likely.values()):
            raise DataError(f"soft evidence on {node.name!r} must be likelihoods of at least 0, not all 0")
        return {code: x for code, x in likely.items() if x}

    def _code(self, node, value):
        """The code of a value; a number in a column of intervals belongs to one of them."""
        code = node.encode(value) if isinstance(value, Hashable) else -1
        if code < 0 and node.name in self.cuts_ and (x := _as_number(value)) is not None:
            return int(np.searchsorted(self.cuts_[node.name], x))
        if code < 0:
            hint = did_you_mean(as_text(value), node.values)
            hint = f"Give a number. {hint}" if node.name in self.cuts_ else hint
            raise DataError(f"node {node.name!r} has no value {value!r}. {hint}")
        return code

    def _reduced(self, wanted, found):
        """The factors that matter, with hard evidence put in and soft evidence multiplied."""
        hard = found.hard
        inside = {*wanted, *hard, *found.soft}
        ahead = list(inside)
        while ahead:  # ancestors of targets and findings; all others sum to one
            for parent in self.families_.parents[ahead.pop()]:
                if parent not in inside:
                    inside.add(parent)
                    ahead.append(parent)
        leaves = {v: TableFactor.of(self.families_.scopes[v], table) for v, table in found.densities.items()}
        factors = [leaves.get(v, self._factors[v]).given(hard) for v in sorted(inside)]
        factors += [TableFactor((v,), likely) for v, likely in found.soft.items()]
        return factors, inside - hard.keys()

    def _posterior(self, wanted, found, budget):
        """P(wanted | evidence) with an axis for each node, by number, and P(evidence)."""
        factors, free = self._reduced(wanted, found)
        left = self._summed_out(factors, free - set(wanted), budget)
        joint = left.table.transpose([left.variables.index(v) for v in wanted])
        total = self._possible(float(joint.sum()), found)
        return joint / total, total * found.scale

    def _possible(self, total, found):
        """The probability of the findings, which must be possible."""
        if not total > 0:
            names = ", ".join(self.nodes_[v].name for v in (*found.hard, *found.soft))
            raise DataError(f"the evidence ({names}) has probability 0 in this network; check its values")
        return total

    def _planned(self, factors, eliminated, budget):
        """The removals of variables, and the factors that are left, of which none exceeds the budget."""
        scopes, sizes = [f.variables for f in factors], self.families_.sizes
        if self._order is None:
            scopes_of_all = self.families_.scopes
            self._order = min_fill(scopes_of_all, range(len(sizes)), sizes)
        plan = planned(scopes, self._order, eliminated)
        cells, together = largest(plan[0], sizes)
        if cells > min(SMALL, budget):  # an order for these factors may be better
            candidate = planned(scopes, min_fill(scopes, eliminated, sizes), eliminated)
            if largest(candidate[0], sizes)[0] < cells:
                plan, (cells, together) = candidate, largest(candidate[0], sizes)
        check_budget(cells, together, budget, [node.name for node in self.nodes_])
        return plan

    def _eliminated(self, factors, eliminated, budget, how="sum"):
        steps, left = self._planned(factors, eliminated, budget)
        return eliminate(factors, steps, left, how)

    def _summed_out(self, factors, eliminated, budget):
        return summed_out(factors, *self._planned(factors, eliminated, budget))

    def _answer(self, targets, table, evidence, **more):
        values = tuple(self.nodes_[self._numbers[name]].values for name in targets)
        return QueryAnswer(targets, values, table, evidence, **more)

    def marginals(self, given: Mapping[str, Any] | None = None, budget: int = BUDGET) -> dict[str, Any]:
        """P(node | evidence) of every node without evidence at once, by a junction tree.

        Parameters
        ----------
        given : mapping of node to value, or None, default=None
            The evidence: a value, or for soft evidence a mapping of value to likelihood.
        budget : int, default=16777216
            The most cells of a factor. A larger one is refused before it is built.

        Returns
        -------
        dict of str to QueryAnswer or MixtureAnswer
        """
        self._graph()
        found = self._findings(given)
        factors, free = self._reduced(range(len(self.nodes_)), found)
        eliminated = self._eliminated(factors, free, budget)
        total = self._possible(float(eliminated.left.table), found) * found.scale
        beliefs = eliminated.beliefs()
        answers: dict[str, Any] = {}
        for i, node in enumerate(self.nodes_):
            if i in found.hard or i in found.soft:
                continue
            wanted, fixed = self._asked((node.name,), found)
            table = marginal(beliefs, wanted).over(tuple(sorted(wanted))) if wanted else np.ones(())
            table = table.transpose([sorted(wanted).index(v) for v in wanted]) / table.sum()
            if node.name in self.normals_:
                answers[node.name] = self._mixture(node.name, wanted, fixed, table, total)
            else:
                answers[node.name] = self._answer((node.name,), table, total)
        return answers

    def most_probable(self, given: Mapping[str, Any] | None = None, budget: int = BUDGET) -> dict[str, Any]:
        """The most probable explanation: the values of all other nodes that are most probable together.

        Numeric leaves without evidence are not used; the result gives their mean under these values.

        Parameters
        ----------
        given : mapping of node to value, or None, default=None
            The evidence: a value, or for soft evidence a mapping of value to likelihood.
        budget : int, default=16777216
            The most cells of a factor. A larger one is refused before it is built.

        Returns
        -------
        dict of str to str or float
            A value for every node without evidence; of equally probable ones the first.
        """
        self._graph()
        found = self._findings(given)
        factors, free = self._reduced(range(len(self.nodes_)), found)
        eliminated = self._eliminated(factors, free, budget, "max")
        self._possible(float(eliminated.left.table), found)
        codes = {**eliminated.most_probable(), **found.hard}
        explained: dict[str, Any] = {}
        for i, node in enumerate(self.nodes_):
            if node.name in self.normals_ and i not in found.hard:
                at = tuple(codes[v] for v in self.families_.parents[i])
                explained[node.name] = float(self.normals_[node.name].mean[at])
            elif i in codes and i not in found.hard:
                explained[node.name] = node.values[codes[i]]
        return explained

    def probability(self, assignment: Mapping[str, Any], budget: int = BUDGET) -> float:
        """The probability that these nodes have these values; all others are summed out.

        With numbers of leaves it is a density.

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
        found = self._findings(assignment)
        factors, free = self._reduced((), found)
        return float(self._summed_out(factors, free, budget).table) * found.scale

    def sample(
        self,
        ask: str | Sequence[str],
        given: Mapping[str, Any] | None = None,
        n_samples: int = 10_000,
        method: str = "likelihood_weighting",
        random_state: int = 0,
    ) -> QueryAnswer | MixtureAnswer:
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
        QueryAnswer or MixtureAnswer
            With 95% intervals; of a numeric leaf, which is asked for by itself, around the mean.
        """
        _check_rows("sample", n_samples)
        targets, found = self._targets(ask, given), self._findings(given)
        samplers = {"likelihood_weighting": likelihood_weighting, "gibbs": gibbs}
        if method not in samplers:
            raise ParameterError(f"sample: method cannot be {method!r}. {did_you_mean(method, [*samplers])}")
        order = [self._numbers[name] for name in self.graph_.order]
        wanted, fixed = self._asked(targets, found)
        likely = {v: np.eye(self.families_.sizes[v])[code] for v, code in found.hard.items()} | found.soft
        tables, rng = self._probabilities(found.densities), np.random.default_rng(random_state)
        drawn = samplers[method](order, self.families_, tables, wanted, likely, n_samples, rng)
        evidence = drawn.evidence * found.scale
        if targets[0] not in self.normals_:
            return self._answer(targets, drawn.shares, evidence, interval=drawn.ends, method=method)
        mixture = self._mixture(targets[0], wanted, fixed, drawn.shares, evidence, method=method)
        means = self.normals_[targets[0]].mean
        above = self.families_.parents[self._numbers[targets[0]]]
        half = drawn.half_width(means[tuple(fixed.get(v, slice(None)) for v in above)].ravel())
        return replace(mixture, interval=(mixture.mean - half, mixture.mean + half))

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
        _check_rows("sample_rows", n_samples)
        order = [self._numbers[name] for name in self.graph_.order]
        rng = np.random.default_rng(random_state)
        codes, _ = sampled_rows(order, self.families_, self._probabilities(), n_samples, rng)
        columns = []
        for i, node in enumerate(self.nodes_):
            if node.name not in self.normals_:
                columns.append(codes[:, i].astype(node.dtype))
                continue
            at = tuple(codes[:, v] for v in self.families_.parents[i])
            mean, variance = (part[at] for part in self.normals_[node.name])
            columns.append(mean + np.sqrt(variance) * rng.standard_normal(n_samples))
        return Table(Schema(self.nodes_), columns)


class EvidenceByNode(NamedTuple):
    """Evidence, by the numbers of nodes.

    hard : codes of values that are sure; a leaf has its only one
    soft : the likelihood of each value
    numbers, densities : of leaves, the number, and float64 (values of each parent …, 1), scaled
    scale : the factor of the probability of the evidence
    """

    hard: dict[int, int]
    soft: dict[int, np.ndarray]
    numbers: dict[int, float]
    densities: dict[int, np.ndarray]
    scale: float


def _check_rows(method, n_samples):
    check_value(f"{method}: n_samples", n_samples, Whole(at_least=1))


def _as_number(value):
    """A number, also as text, as the command line has it; None if it is none."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        return None
    return x if math.isfinite(x) else None


def _number(name, value):
    if (x := _as_number(value)) is None:
        raise DataError(f"node {name!r} is numeric: give it a number, got {value!r}")
    return x
