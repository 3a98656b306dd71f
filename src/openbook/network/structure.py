r"""Structure search: trees by mutual information (Chow-Liu), and hill climbing by a score.

    Chow–Liu    the spanning tree of largest total mutual information I(x_i; x_j), directed away from the
                first node
    TAN         a Chow–Liu tree over the inputs by I(x_i; x_j | class), with the class a parent of all
    hill climb  the best of all additions, removals and reversals of one edge, until none raises the score

A score is a sum over families. With counts N_jk of value k of a node under combination j of its parents'
values (N_j their sum, r values, q combinations, n rows):

    BIC     Σ_jk N_jk ln(N_jk / N_j) - ½ ln n · q (r - 1)
    K2      Σ_j [ln Γ(r) - ln Γ(r + N_j) + Σ_k ln Γ(1 + N_jk)]
    BDeu    Σ_j [ln Γ(1/q) - ln Γ(1/q + N_j) + Σ_k (ln Γ(1/(q r) + N_jk) - ln Γ(1/(q r)))]

Only the family of the child changes when an edge does, so all other scores are kept. After the last rise the
search goes on for a few steps that lower the score least, none of which takes back a recent step (a tabu
list), and returns the best graph it met. Of equal steps the first by kind (add, delete, reverse), parent and
child is taken. A family is scored on the rows in which all of it is known, scaled to all rows.

A leaf with a normal distribution (`leaves.py`) is never a parent. Its BIC is that of the likeliest normals,
with 2 q parameters. For K2 and BDeu it has the marginal likelihood under the conjugate normal-gamma prior
(DeGroot 1970; of networks Bøttcher 2001), equivalent to m rows of the column's mean μ and variance s² under
each combination: m = 1 for K2, and 1/q for BDeu. With the mean x_j and the scatter S_j of the N_j rows:

    Σ_j [ln Γ((m + N_j)/2) - ln Γ(m/2) + m/2 ln b - (m + N_j)/2 ln b_j + ½ ln(m/(m + N_j)) - N_j/2 ln 2π]
    b = m s²/2,    b_j = b + S_j/2 + m N_j (x_j - μ)² / (2 (m + N_j))

The information of a leaf about a node is what that node adds to the log-likelihood per row. In a tree, leaves
hang on the tree of the other nodes.

codes : int32 (d, n), -1 where missing;  change[i, j] : float64 (d, d), of adding or deleting the edge i -> j
"""

import math
from collections import Counter, deque
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from openbook.judge import wilson
from openbook.kernels.jit import jit
from openbook.kernels.moments import Moments
from openbook.network.learning import CodedRows, family_cells
from openbook.network.leaves import LeafNormals, estimated, spread_of

STRUCTURES = ("hill_climb", "chow_liu", "empty")

#: Steps after the last rise of the score.
PATIENCE = 15
#: Scores that differ by less than this share of their size are equal.
SAME = 1e-9
#: The most combinations of a family's values that are counted.
MOST_CELLS = 1 << 20


@jit
def count_families(codes, more, cells, size, w, starts, counts):
    """Count a family with one more parent, for each of the parents in `more`.

    cells (n,) is the cell of each row in the table of the family, which has `size` cells; -1 where it is
    unknown. Each row is added to counts[starts[k] + code of parent k · size + its cell].
    """
    for k in range(len(more)):
        codes_of_more, start = codes[more[k]], starts[k]
        for i in range(len(cells)):
            if cells[i] >= 0 and codes_of_more[i] >= 0:
                counts[np.uintp(start + codes_of_more[i] * size + cells[i])] += w[i]


class Scores:
    """Scores of families, each counted once.

    Beside the d nodes there is one of a single value, with the number d: a family with that parent is the
    family as it is.
    """

    def __init__(
        self,
        rows: CodedRows,
        sizes: Sequence[int],
        criterion: str,
        leaves: Sequence[int] = (),
        min_covar: float = 1e-3,
    ) -> None:
        self.codes = np.zeros((len(sizes) + 1, len(rows.codes)), dtype=np.int32)
        self.codes[:-1] = rows.codes.T
        self.sizes, self.nothing = [*sizes, 1], len(sizes)
        self.name, self.min_covar = criterion, min_covar
        self.w, self.n = np.ascontiguousarray(rows.w, dtype=float), float(rows.w.sum())
        self.x = {node: rows.x[:, [j]] for j, node in enumerate(leaves)}
        self.columns = {node: self._moments(node, ()) for node in self.x}
        self.kept: dict[tuple[int, frozenset[int]], np.ndarray] = {}

    def of(self, node: int, parents: Collection[int]) -> float:
        """The score of a node under parents."""
        for last in parents:  # it was the last parent to be added, once
            kept = self.kept.get((node, frozenset(parents) - {last}))
            if kept is not None and not np.isnan(kept[last]):
                return float(kept[last])
        return float(self.adding(node, parents, [self.nothing])[self.nothing])

    def adding(self, node: int, parents: Collection[int], more: Sequence[int]) -> np.ndarray:
        """The scores of a node under parents and each one of `more`, (d + 1,); NaN if none is known."""
        kept = self.kept.setdefault((node, frozenset(parents)), np.full(len(self.sizes), np.nan))
        if new := [i for i in more if np.isnan(kept[i])]:
            above = sorted(parents)
            if node in self.x:
                kept[new] = [self._leaf_score(node, (*above, i)) for i in new]
            else:
                kept[new] = self._table_scores(*self.counts(node, above, new))
        return kept

    def cells(self, node: int, parents: Collection[int]) -> int:
        return math.prod(self.sizes[v] for v in (node, *parents))

    def counts(
        self, node: int, parents: Sequence[int], more: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The counts of a node under parents and each one of `more`: a table after the other, (Σ q, r).

        Also the first line of each table, (m,), and how many it has, q, (m,). Within a table, lines go by the
        value of the one of `more` first. A row in which something is unknown is left out.
        """
        r, size = self.sizes[node], self.cells(node, parents)
        q = np.array([self.sizes[i] * size // r for i in more])
        starts = np.cumsum(q) - q
        counts = np.zeros((int(q.sum()), r))
        cells = family_cells(self.codes, (*parents, node), self.sizes)
        count_families(self.codes, np.array(more), cells, size, self.w, starts * r, counts.reshape(-1))
        return counts, starts, q

    def _table_scores(self, counts: np.ndarray, starts: np.ndarray, q: np.ndarray) -> np.ndarray:
        """The scores of tables of counts; see the module."""
        r, by_parents = counts.shape[1], counts.sum(axis=1)
        if self.name == "bic":
            lines = xlogy(counts, counts).sum(axis=1) - xlogy(by_parents, by_parents)
            cost = 0.5 * math.log(max(self.n, 2.0)) * q * (r - 1)
        else:
            a = np.ones(len(counts)) if self.name == "k2" else np.repeat(1 / (q * r), q)
            lines = (gammaln(a[:, None] + counts) - gammaln(a)[:, None]).sum(axis=1)
            lines += gammaln(a * r) - gammaln(a * r + by_parents)
            cost = 0.0
        return self._scaled(np.add.reduceat(lines, starts), np.add.reduceat(by_parents, starts)) - cost

    def _scaled(self, score: Any, known: Any) -> Any:
        """A score of the rows that are known, scaled to all rows."""
        return score * np.divide(self.n, known, out=np.zeros_like(known), where=known > 0)

    def _moments(self, node: int, parents: Sequence[int], known: Sequence[int] = ()) -> Moments:
        """The moments of a leaf under each combination of its parents, (q, 1).

        They are those of the rows in which the leaf, its parents and the nodes in `known` are known.
        """
        used = ~np.isnan(self.x[node][:, 0]) & (self.codes[[node, *parents, *known]] >= 0).all(axis=0)
        cells = family_cells(self.codes, (*parents, self.nothing), self.sizes)[used]
        return Moments.of(self.x[node][used], cells, self.w[used], self.cells(self.nothing, parents))

    def _leaf_score(self, node: int, parents: Sequence[int]) -> float:
        moments = self._moments(node, parents)
        q, known = len(moments.weight), np.array(moments.weight.sum())
        if self.name == "bic":
            likelihood = self._normals(node, moments).log_likelihood(moments)
            return float(self._scaled(likelihood, known) - math.log(max(self.n, 2.0)) * q)
        column = self.columns[node]
        m = 1.0 if self.name == "k2" else 1 / q
        n, gap = moments.weight, moments.mean - column.mean
        b = m * spread_of(column) / 2
        later = b + moments.scatter / 2 + m * n * gap**2 / (2 * (m + n))
        lines = gammaln((m + n) / 2) - gammaln(m / 2) + m / 2 * np.log(b) - (m + n) / 2 * np.log(later)
        lines += 0.5 * np.log(m / (m + n)) - n / 2 * math.log(2 * math.pi)
        return float(self._scaled(lines.sum(), known))

    def _normals(self, node: int, moments: Moments) -> LeafNormals:
        return estimated(moments, (len(moments.weight),), self.columns[node], self.min_covar)

    def information(self, i: int, more: Sequence[int], given: int | None = None) -> np.ndarray:
        """I(x_i; x_j), or I(x_i; x_j | x_given), of each j in `more`, in nats, on the rows that are known."""
        base = () if given is None else (given,)
        found = np.zeros(len(more))
        plain = [k for k, j in enumerate(more) if j not in self.x]
        if plain:
            counts, starts, q = self.counts(i, base, [more[k] for k in plain])
            found[plain] = [
                _information(counts[s : s + lines].reshape(-1, self.cells(self.nothing, base), self.sizes[i]))
                for s, lines in zip(starts.tolist(), q.tolist(), strict=True)
            ]
        for k, leaf in enumerate(more):
            if leaf in self.x:
                under, without = self._moments(leaf, (*base, i)), self._moments(leaf, base, known=(i,))
                gain = self._normals(leaf, under).log_likelihood(under)
                gain -= self._normals(leaf, without).log_likelihood(without)
                found[k] = gain / rows if (rows := float(under.weight.sum())) else 0.0
        return found


def _information(counts: np.ndarray) -> float:
    """I(x; z | y) of a table (x, y, z), in nats."""
    total = counts.sum()
    p = counts / total if total else counts
    known = [xlogy(part, part).sum() for part in (p, p.sum(axis=(0, 2)), p.sum(axis=0), p.sum(axis=2))]
    return float(known[0] + known[1] - known[2] - known[3])


def family_score(codes, w, sizes, node, parents, criterion="bic"):
    """The score of a node under these parents; see the module."""
    return Scores(CodedRows(codes, np.empty((len(codes), 0)), w), sizes, criterion).of(node, parents)


def search_structure(structure, scores, *, max_parents=4, required=(), forbidden=()):
    """The parents of each node, and the score; edges are pairs of numbers."""
    d = scores.nothing
    if structure == "chow_liu":
        parents = chow_liu(scores)
    elif structure == "hill_climb":
        forbidden = [*forbidden, *((leaf, v) for leaf in scores.x for v in range(d) if v != leaf)]
        parents = hill_climb(scores, max_parents=max_parents, required=required, forbidden=forbidden)
    else:
        parents = [set() for _ in range(d)]
    total = sum(scores.of(node, above) for node, above in enumerate(parents))
    return tuple(tuple(sorted(above)) for above in parents), float(total)


def chow_liu(scores, given=None):
    """The parents of each node in the tree of largest information; `given` is a parent of all others."""
    d = scores.nothing
    nodes = [v for v in range(d) if v != given]
    parents: list[set[int]] = [set() for _ in range(d)]
    inner = [v for v in nodes if v not in scores.x]  # a leaf has no children, so it is reached from these
    last, best = min(inner, default=-1), {v: (-1.0, -1) for v in nodes if v not in inner[:1]}
    while best and inner:  # Prim's algorithm; the first of equals
        if last in inner:
            for v, found in zip(best, scores.information(last, list(best), given).tolist(), strict=True):
                if found > best[v][0] + SAME:
                    best[v] = found, last
        last = max(best, key=lambda v: (v in inner, round(best[v][0], 12), -v))
        parents[last] = {best.pop(last)[1]}
    if given is not None:
        for v in nodes:
            parents[v].add(given)
    return parents


def tree_augmented(scores, target):
    """The parents of each node in a TAN: the target, and a tree over the inputs."""
    return tuple(tuple(sorted(above)) for above in chow_liu(scores, target))


def hill_climb(scores, *, max_parents, required=(), forbidden=()):
    """The parents of each node after greedy search from the required edges."""
    d = scores.nothing
    parents: list[set[int]] = [set() for _ in range(d)]
    for i, j in required:
        parents[j].add(i)
    reach = _reach(parents)
    fixed, banned = _matrix(d, required), _matrix(d, forbidden)
    change = np.empty((d, d))  # of the score of j's family, if the edge i -> j is added, or deleted
    for j in range(d):
        _update_changes(scores, parents, change, j, banned, max_parents)
    total = sum(scores.of(j, parents[j]) for j in range(d))
    best, best_total, since = [set(above) for above in parents], total, 0
    recent: deque[tuple[int, int]] = deque(maxlen=min(PATIENCE, d // 2))
    while since <= PATIENCE:
        step = _best_step(parents, change, reach, fixed, recent)
        if step is None:
            break
        gain, kind, i, j = step
        parents[j] ^= {i}  # added, or taken away
        if kind == "reverse":
            parents[i].add(j)
        recent.append((i, j))
        for child in {j, i} if kind == "reverse" else {j}:
            _update_changes(scores, parents, change, child, banned, max_parents)
        reach = _reach(parents)
        total += gain
        since += 1
        if total > best_total + SAME * abs(best_total):
            best, best_total, since = [set(above) for above in parents], total, 0
    return best


def _matrix(d, edges):
    """Edges as an adjacency matrix: whether there is an edge i -> j."""
    matrix = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        matrix[i, j] = True
    return matrix


def _update_changes(scores, parents, change, j, banned, max_parents):
    """What each edge into j would change: -inf where it cannot be added."""
    now = scores.of(j, parents[j])
    change[:, j] = -np.inf
    if len(parents[j]) < max_parents:
        large = np.array(scores.sizes[:-1]) * scores.cells(j, parents[j]) > MOST_CELLS
        more = np.flatnonzero(~(banned[:, j] | large)).tolist()
        more = [i for i in more if i != j and i not in parents[j]]
        change[more, j] = scores.adding(j, parents[j], more)[more] - now
    for i in parents[j]:
        change[i, j] = scores.of(j, parents[j] - {i}) - now


def _best_step(parents, change, reach, fixed, recent):
    """The best allowed step as (gain, kind, parent, child); None if there is none."""
    d = len(parents)
    edge = _matrix(d, ((i, j) for j, above in enumerate(parents) for i in above))
    tabu = _matrix(d, recent)
    tabu |= tabu.T
    # i -> j may be added if no path leads from j to i
    add = np.where(~edge & ~reach.T & ~tabu, change, -np.inf)
    delete = np.where(edge & ~fixed & ~tabu, change, -np.inf)
    # i -> j may be turned if no other path leads from i to j
    indirect = (edge.astype(int) @ reach.astype(int)) > 0
    turned = edge & ~fixed & ~tabu & ~indirect
    reverse = np.where(turned, change + change.T, -np.inf)
    found = None
    for kind, gains in (("add", add), ("delete", delete), ("reverse", reverse)):
        top = gains.max()
        if not np.isfinite(top):
            continue
        slack = SAME * max(abs(top), 1.0)  # an edge and its reverse often gain the same, but for rounding
        at = divmod(int(np.argmax(gains >= top - slack)), d)
        if found is None or gains[at] > found[0] + slack:
            found = float(gains[at]), kind, *at
    return found


def _reach(parents):
    """reach[i, j]: whether a path of edges leads from i to j."""
    d = len(parents)
    reach = np.zeros((d, d), dtype=bool)
    done: set[int] = set()
    while len(done) < d:
        for j, above in enumerate(parents):
            if j not in done and above <= done:
                for i in above:
                    reach[:, j] |= reach[:, i]
                    reach[i, j] = True
                done.add(j)
    return reach


class EdgeStrength(NamedTuple):
    """An edge in its more frequent direction: its strength, the interval of it, and the direction's share."""

    parent: str
    child: str
    strength: float
    low: float
    high: float
    direction: float

    def __str__(self) -> str:
        share = f"{self.strength:.0%} of the samples [{self.low:.0%}, {self.high:.0%}]"
        return f"{self.parent} → {self.child}: in {share}, of which {self.direction:.0%} have this direction"


def strengths(found, repeats):
    """The strength of each edge, the strongest first; `found` are the edges of each sample."""
    directed = Counter(edge for edges in found for edge in edges)
    pairs = {tuple(sorted(edge)) for edge in directed}
    out = []
    for a, b in sorted(pairs):
        forward, back = directed[a, b], directed[b, a]
        both = forward + back
        ends = wilson(both, repeats)
        parent, child = (a, b) if forward >= back else (b, a)
        direction = max(forward, back) / both
        out.append(EdgeStrength(parent, child, both / repeats, ends.low, ends.high, direction))
    return sorted(out, key=lambda edge: (-edge.strength, edge.parent, edge.child))
