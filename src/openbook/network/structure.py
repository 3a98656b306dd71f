r"""Which edges: trees by mutual information, and greedy search by a score.

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

A leaf with a normal distribution (`leaves.py`) is never a parent. Its family has the BIC of the likeliest
normals, with 2 q parameters, and its information about a node is what that node adds to the log-likelihood
per row. In a tree, leaves hang on the tree of the other nodes.

codes : int64 (n, d), -1 where missing;  gain[i, j] : float64 (d, d), of adding or deleting the edge i -> j
"""

import math
from collections import deque
from collections.abc import Collection, Sequence

import numpy as np
from scipy.special import gammaln

from openbook.kernels.moments import Moments
from openbook.network.learning import CodedRows
from openbook.network.leaves import estimated

__all__ = [
    "STRUCTURES",
    "Scores",
    "chow_liu",
    "family_score",
    "hill_climb",
    "search_structure",
    "tree_augmented",
]

STRUCTURES = ("hill_climb", "chow_liu", "empty")

#: Steps after the last rise of the score.
PATIENCE = 15
#: Scores that differ by less than this share of their size are equal.
SAME = 1e-9
#: The most combinations of a family's values that are counted.
MOST_CELLS = 1 << 20


class Scores:
    """Scores of families, each counted once."""

    def __init__(
        self,
        rows: CodedRows,
        sizes: Sequence[int],
        criterion: str,
        leaves: Sequence[int] = (),
        min_covar: float = 1e-3,
    ) -> None:
        codes, w = rows.codes, rows.w
        self.codes = np.ascontiguousarray(codes.T.astype(np.int64))
        self.sizes, self.name, self.min_covar = list(sizes), criterion, min_covar
        self.x = {node: rows.x[:, [j]] for j, node in enumerate(leaves)}
        self.w = None if (w == 1).all() else w
        self.n = float(w.sum())
        self.gaps = [bool((column < 0).any()) for column in self.codes]
        self.kept: dict[tuple[int, tuple[int, ...]], float] = {}
        # ln of whole counts, times them: a look-up is quicker than a logarithm
        whole = np.arange(len(codes) + 1, dtype=float)
        self.x_log_x = np.where(whole > 0, whole * np.log(np.maximum(whole, 1)), 0.0)

    def of(self, node: int, parents: Collection[int]) -> float:
        key = node, tuple(sorted(parents))
        if key not in self.kept:
            self.kept[key] = self._score(*key)
        return self.kept[key]

    def cells(self, node: int, parents: Collection[int]) -> int:
        return math.prod(self.sizes[v] for v in (node, *parents))

    def counts(self, node: int, parents: Sequence[int]) -> np.ndarray:
        """The counts of a family over the rows in which it is known, (q, r)."""
        flat, w, cells = self._flat(node, parents)
        return np.bincount(flat, w, cells).reshape(-1, self.sizes[node])

    def _flat(self, node: int, parents: Sequence[int]) -> tuple[np.ndarray, np.ndarray | None, int]:
        """The cell of each row in the table of a family, where it is known; the weights, and all cells."""
        flat = self.codes[node].copy()
        stride = self.sizes[node]
        for parent in parents:
            flat += self.codes[parent] * stride
            stride *= self.sizes[parent]
        w = self.w
        if any(self.gaps[v] for v in (node, *parents)):
            known = (self.codes[[node, *parents]] >= 0).all(axis=0)
            flat, w = flat[known], w[known] if w is not None else None
        return flat, w, stride

    def _score(self, node: int, parents: tuple[int, ...]) -> float:
        if node in self.x:
            likelihood, known = self.normal_likelihood(node, parents)
            free = 2 * self.cells(node, parents)
            return self.n / known * likelihood - 0.5 * math.log(max(self.n, 2.0)) * free if known else 0.0
        counts = self.counts(node, parents)
        known = float(counts.sum())
        if not known:
            return 0.0
        scale = self.n / known
        q, r = counts.shape
        by_parents = counts.sum(axis=1)
        if self.name == "bic":
            likelihood = self._sum_x_log_x(counts) - self._sum_x_log_x(by_parents)
            return scale * likelihood - 0.5 * math.log(max(self.n, 2.0)) * q * (r - 1)
        a = 1.0 if self.name == "k2" else 1.0 / (q * r)
        rows = counts[by_parents > 0]  # combinations that no row shows add nothing
        total = gammaln(a + rows).sum() - rows.size * gammaln(a)
        total += len(rows) * gammaln(a * r) - gammaln(a * r + rows.sum(axis=1)).sum()
        return scale * float(total)

    def normal_likelihood(
        self, node: int, parents: Sequence[int], beside: Sequence[int] = ()
    ) -> tuple[float, float]:
        """The log-likelihood of a leaf under its likeliest normals, and the weight of the rows.

        They are the rows in which the leaf, its parents and the nodes in `beside` are known.
        """
        used = ~np.isnan(self.x[node][:, 0]) & (self.codes[[node, *parents, *beside]] >= 0).all(axis=0)
        flat = np.zeros(len(used), dtype=np.int64)
        for parent in parents:
            flat = flat * self.sizes[parent] + self.codes[parent]
        w = np.ones(int(used.sum())) if self.w is None else self.w[used]
        q = math.prod(self.sizes[v] for v in parents)
        moments = Moments.of(self.x[node][used], flat[used], w, q)
        normals = estimated(moments, (q,), moments.overall(), self.min_covar)
        return normals.log_likelihood(moments), float(moments.weight.sum())

    def _sum_x_log_x(self, counts: np.ndarray) -> float:
        if self.w is None:
            return float(self.x_log_x[counts].sum())
        some = counts[counts > 0]
        return float((some * np.log(some)).sum())


def family_score(codes, w, sizes, node, parents, criterion="bic"):
    """The score of a node under these parents; see the module."""
    return Scores(CodedRows(codes, np.empty((len(codes), 0)), w), sizes, criterion).of(node, parents)


def search_structure(structure, scores, *, max_parents=4, required=(), forbidden=()):
    """The parents of each node, and the score; edges are pairs of numbers."""
    d = len(scores.sizes)
    if structure == "chow_liu":
        parents = chow_liu(scores)
    elif structure == "hill_climb":
        below = [(leaf, v) for leaf in scores.x for v in range(d) if v != leaf]
        parents = hill_climb(
            scores, max_parents=max_parents, required=required, forbidden=[*forbidden, *below]
        )
    else:
        parents = [set() for _ in range(d)]
    total = sum(scores.of(node, above) for node, above in enumerate(parents))
    return tuple(tuple(sorted(above)) for above in parents), float(total)


def _information(scores, i, j, given=None):
    """I(x_i; x_j), or I(x_i; x_j | x_given), in nats, on the rows in which they are known."""
    if j in scores.x:
        base = () if given is None else (given,)
        more, rows = scores.normal_likelihood(j, (i, *base))
        return (more - scores.normal_likelihood(j, base, beside=(i,))[0]) / rows if rows else 0.0
    if given is None:
        joint = scores.counts(j, (i,))[None]
    else:
        joint = scores.counts(j, (i, given)).reshape(scores.sizes[given], scores.sizes[i], scores.sizes[j])
    total = joint.sum()
    if not total:
        return 0.0
    p = joint / total
    outer = p.sum(axis=2, keepdims=True) * p.sum(axis=1, keepdims=True)
    base = p.sum(axis=(1, 2), keepdims=True)
    some = p > 0
    ratio = (p * base)[some] / outer[some]
    return float((p[some] * np.log(ratio)).sum())


def chow_liu(scores, given=None):
    """The parents of each node in the tree of largest information; `given` is a parent of all others."""
    d = len(scores.sizes)
    nodes = [v for v in range(d) if v != given]
    parents: list[set[int]] = [set() for _ in range(d)]
    inner = [v for v in nodes if v not in scores.x]  # a leaf has no children, so it is reached from these
    reached, best = inner[:1], {v: (-1.0, -1) for v in nodes if v not in inner[:1]}
    while best and reached:  # Prim's algorithm; the first of equals
        last = reached[-1]
        for v in best if last in inner else ():
            i, j = (last, v) if v in scores.x else (min(last, v), max(last, v))
            information = _information(scores, i, j, given)
            if information > best[v][0] + SAME:
                best[v] = information, last
        near = max(best, key=lambda v: (v in inner, round(best[v][0], 12), -v))
        parents[near] = {best.pop(near)[1]}
        reached.append(near)
    if given is not None:
        for v in nodes:
            parents[v].add(given)
    return parents


def tree_augmented(scores, target):
    """The parents of each node in a TAN: the target, and a tree over the inputs."""
    return tuple(tuple(sorted(above)) for above in chow_liu(scores, target))


def hill_climb(scores, *, max_parents, required=(), forbidden=()):
    """The parents of each node after greedy search from the required edges."""
    d = len(scores.sizes)
    parents: list[set[int]] = [set() for _ in range(d)]
    for i, j in required:
        parents[j].add(i)
    reach = _reach(parents)
    held, banned = set(required), set(forbidden)
    change = np.empty((d, d))  # of the score of j's family, if the edge i -> j is added, or deleted
    for j in range(d):
        _renew(scores, parents, change, j)
    total = sum(scores.of(j, parents[j]) for j in range(d))
    best, best_total, since = [set(above) for above in parents], total, 0
    recent: deque[tuple[int, int]] = deque(maxlen=min(PATIENCE, d // 2))
    while since <= PATIENCE:
        step = _best_step(parents, change, reach, max_parents, held, banned, recent)
        if step is None:
            break
        gain, kind, i, j = step
        if kind != "add":
            parents[j].discard(i)
        if kind == "reverse":
            parents[i].add(j)
        if kind == "add":
            parents[j].add(i)
        recent.append((i, j))
        for child in {j, i} if kind == "reverse" else {j}:
            _renew(scores, parents, change, child)
        reach = _reach(parents)
        total += gain
        since += 1
        if total > best_total + SAME * abs(best_total):
            best, best_total, since = [set(above) for above in parents], total, 0
    return best


def _renew(scores, parents, change, j):
    """What each edge into j would change; a family that cannot be counted is never taken up."""
    now = scores.of(j, parents[j])
    for i in range(len(parents)):
        if i == j:
            change[i, j] = -np.inf
        elif i in parents[j]:
            change[i, j] = scores.of(j, parents[j] - {i}) - now
        elif scores.cells(j, parents[j] | {i}) > MOST_CELLS:
            change[i, j] = -np.inf
        else:
            change[i, j] = scores.of(j, parents[j] | {i}) - now


def _best_step(parents, change, reach, max_parents, held, banned, recent):
    """The best allowed step as (gain, kind, parent, child); None if there is none."""
    d = len(parents)
    edge = np.zeros((d, d), dtype=bool)
    for j, above in enumerate(parents):
        edge[list(above), j] = True
    crowded = edge.sum(axis=0) >= max_parents
    allowed = np.ones((d, d), dtype=bool)
    for i, j in banned:
        allowed[i, j] = False
    tabu = np.zeros((d, d), dtype=bool)
    for i, j in recent:
        tabu[i, j] = tabu[j, i] = True
    fixed = np.zeros((d, d), dtype=bool)
    for i, j in held:
        fixed[i, j] = True
    # i -> j may be added if no path leads from j to i
    add = np.where(~edge & ~edge.T & ~reach.T & allowed & ~crowded[None, :] & ~tabu, change, -np.inf)
    np.fill_diagonal(add, -np.inf)
    delete = np.where(edge & ~fixed & ~tabu, change, -np.inf)
    # i -> j may be turned if no other path leads from i to j
    indirect = (edge.astype(int) @ reach.astype(int)) > 0
    turned = edge & ~fixed & ~tabu & ~indirect & allowed.T & ~crowded[:, None]
    reverse = np.where(turned, change + change.T, -np.inf)
    found = None
    for kind, gains in (("add", add), ("delete", delete), ("reverse", reverse)):
        top = gains.max()
        if not np.isfinite(top):
            continue
        slack = SAME * max(
            abs(top), 1.0
        )  # an edge and its reverse often gain the same: rounding must not decide
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
