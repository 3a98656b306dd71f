"""Why a node has its test, or is a leaf, in words and figures."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from openbook.data.attributes import as_text
from openbook.tree.derive.candidates import group_at, search_at
from openbook.tree.derive.formulas import (
    MEASURES,
    branch_grid,
    group_cells,
    impurity_step,
    joined_terms,
    split_steps,
)
from openbook.tree.derive.splits import (
    EQUAL_RATIO,
    NEAR_AVERAGE,
    Classes,
    average_gain,
    gain_tolerance,
    min_split_weight,
    rows_or_share,
)
from openbook.tree.engine.nodes import LEAF, depths, parents
from openbook.tree.engine.prune import pessimistic_errors
from openbook.tree.show.named_tree import NamedTree
from openbook.words.numbers import figure, fraction
from openbook.work import Grid, Step, Work
from openbook.work.conditions import simplified

#: So many candidates of a node are worked out, and so many listed.
WORKED_OUT, LISTED = 8, 40
#: An error of at most this share of the root's error is zero up to rounding.
NO_ERROR = 1e-9

WINS = "wins"


@dataclass(frozen=True)
class NodeDescriber:
    """The derivations of the nodes of one model."""

    model: Any
    named_tree: NamedTree

    @cached_property
    def depth(self):
        return depths(self.named_tree.tree).tolist()

    @cached_property
    def parent(self):
        return parents(self.named_tree.tree).tolist()

    @cached_property
    def record_of(self):
        """The position of each recorded node in `candidates_`."""
        return {node: k for k, node in enumerate(self.model.candidates_.node.tolist())}

    @property
    def criterion(self):
        return self.model.criterion

    @property
    def average_name(self):
        """What a node of numbers predicts: the mean, or the median."""
        return "median" if self.criterion == "absolute_error" else "mean"

    def title(self, node):
        """What leads to a node: "root", or its conditions."""
        conditions = []
        while node:
            above = self.parent[node]
            conditions.append(self.named_tree.condition(above, node - self.named_tree.tree.first[above]))
            node = above
        return ", ".join(map(str, simplified(reversed(conditions)))) or "root"

    def work(self, node) -> Work:
        """A node's derivation."""
        rows = group_at(self.model, node)
        parts: list = [Grid("", self._columns, [group_cells(rows)]), *self._impurity(rows)]
        if node not in self.record_of and self.named_tree.tree.attribute[node] != LEAF:
            parts.append(self._branches(node))
            return Work(self.title(node), tuple(parts), "It had too many candidates to store.")
        if node not in self.record_of:
            return Work(self.title(node), tuple(parts), self._leaf(node, self.why_not_searched(node)))
        search = search_at(self.model, self.record_of[node])
        parts += self._candidates(search)
        if search.winner is None:
            return Work(self.title(node), tuple(parts), self._leaf(node, self._why_none_wins(search)))
        parts += self._requirements(search)
        if self.named_tree.tree.attribute[node] == LEAF:
            return Work(self.title(node), tuple(parts), self._leaf(node, self._why_a_leaf_anyway(search)))
        parts.append(self._branches(node))
        return Work(self.title(node), tuple(parts), self._why_it_wins(search))

    @property
    def _columns(self):
        """The columns of a grid that describe a group of rows."""
        if self.named_tree.classes is None:
            return (f"{self.average_name} of {self.named_tree.target}", "rows")
        return (*map(as_text, self.named_tree.classes), "rows")

    def _impurity(self, rows):
        """The node's impurity, and for numbers the mean or median it is taken around."""
        target = self.named_tree.target
        if self.average_name == "median" and not isinstance(rows, Classes):
            yield Step(f"median({target})", result=rows.mean)
        elif not isinstance(rows, Classes):
            total = rf"\frac{{{figure(rows.mean * rows.weight)}}}{{{figure(rows.weight)}}}"
            yield Step(f"mean({target})", r"\frac{1}{W} \sum_i w_i y_i", total, rows.mean)
        if rows.weight > 0:
            yield impurity_step(MEASURES[self.criterion].of(target), rows, self.criterion)

    def _candidates(self, search):
        """The best candidates worked out, and all of them listed."""
        best = sorted(search.with_split, key=self._score, reverse=True)[:WORKED_OUT]
        for candidate in search.with_split:
            if candidate in best:
                yield self._candidate(candidate)
        yield self._summary(search, len(best))
        if self.criterion == "gain_ratio" and search.with_split:
            yield _average(search.with_split)

    def _score(self, candidate):
        return (candidate.ratio or 0.0) if self.criterion == "gain_ratio" else candidate.gain

    def _candidate(self, candidate):
        """One candidate: its branches, and the steps to its gain."""
        split, name = candidate.split, candidate.name
        title = name if split.cut != split.cut else str(split.branches[0][0])  # NaN: there is no cut
        grid = branch_grid(split, self._columns, name, self.criterion)
        steps = split_steps(
            split, self.named_tree.target, name, self.criterion, candidate.charge(self.criterion)
        )
        return Work(title, (grid, *steps))

    def _summary(self, search, worked_out):
        """All candidates in one grid."""
        by_ratio = self.criterion == "gain_ratio"
        mean = MEASURES[self.criterion].mean_name
        figures = ("gain", "split info", "gain ratio") if by_ratio else (mean, "gain")
        rows, notes = [], []
        for c in search.found:
            values: tuple = (None,) * len(figures)
            if c.split is not None:
                values = (
                    (c.gain, c.info, c.ratio) if by_ratio else (c.split.mean_impurity(self.criterion), c.gain)
                )
            elif c.gain is not None:
                values = (None, c.gain)
            rows.append((c.name, *values, self._remark(search, c)))
        if len(rows) > LISTED:
            rows = sorted(rows, key=lambda row: (row[-1] != WINS, row[1] is None))[:LISTED]
            notes.append(f"{len(search.found) - LISTED} of the {len(search.found)} columns are not shown")
        if worked_out < len(search.with_split):
            notes.append(f"the best {worked_out} of {len(search.with_split)} are derived")
        return Grid("candidates", ("attribute", *figures, "so"), rows, "; ".join(notes))

    def _remark(self, search, candidate):
        if candidate is search.winner:
            return WINS
        if candidate.split is None:
            return candidate.why
        if self.criterion == "gain_ratio" and not _near_average(search, candidate):
            return "below the average gain"
        return ""

    def _why_it_wins(self, search):
        """Which candidate wins, and why."""
        winner, by_ratio = search.winner, self.criterion == "gain_ratio"
        slack = EQUAL_RATIO if by_ratio else gain_tolerance(search.rows, self.criterion)
        score = self._score(winner)
        equals = [
            c.name
            for c in search.with_split
            if c is not winner
            and abs(self._score(c) - score) <= slack
            and (not by_ratio or _near_average(search, c))
        ]
        said = f"{winner.name} wins: the highest {'gain ratio' if by_ratio else 'gain'}, {figure(score)}"
        if by_ratio:
            said += f", among those of at least average gain (up to {NEAR_AVERAGE:g} below it)"
        if equals:
            said += f"; {', '.join(equals)}: the same, so the first in the table is taken"
        return f"{said}."

    def _why_none_wins(self, search):
        """Why no candidate is good enough."""
        if pure := self._pure(search.rows):
            return pure
        if not search.with_split:
            return "no column has a split"
        least, best = self.model.min_gain, max(search.with_split, key=lambda c: c.gain)
        if (asked := self.model.min_impurity_decrease) and best.gain > max(least, 0):
            decrease = figure(self.decrease(search.rows, best.gain))
            return f"{best.name} has the best split, but min_impurity_decrease, {asked:g}, exceeds {decrease}"
        return f"no split has a gain above {figure(least)}" if least else "no split has a gain"

    def decrease(self, rows, gain):
        """By how much a split lowers the impurity of all rows."""
        return rows.weight / float(self.named_tree.tree.weight[0]) * gain

    def _requirements(self, search):
        """The figures that decide whether the winner becomes a test."""
        model, name = self.model, search.winner.name
        if model.max_leaf_nodes is not None or model.min_impurity_decrease:
            gain, share = search.winner.gain, fraction(search.rows.weight, self.named_tree.tree.weight[0])
            numbers, decrease = rf"{share} \cdot {figure(gain)}", self.decrease(search.rows, gain)
            yield Step(f"decrease({name})", r"\frac{W_t}{W} \cdot \text{gain}", numbers, decrease)
        if model.pre_prune == "pessimistic":
            leaf, below, branches = search.errors(model)
            k = figure(model.penalty)
            yield Step(
                "pessimistic error of a leaf",
                "e(t) + k",
                f"{figure(leaf)} + {k}",
                pessimistic_errors(leaf, 1, model.penalty),
            )
            yield Step(
                f"pessimistic error({name})",
                r"\sum_b e_b + k \cdot \ell",
                rf"{figure(below)} + {k} \cdot {branches}",
                pessimistic_errors(below, branches, model.penalty),
            )
        if model.significance is not None:
            test = search.chi_squared(model)
            note = f"{test.dof} degrees of freedom: p = {figure(test.p_value)}"
            yield Step(f"chi-squared({name})", r"\sum \frac{(O - E)^2}{E}", "", test.statistic, note)

    def _why_a_leaf_anyway(self, search):
        """Why a node is a leaf although its candidates have a winner."""
        model, name = self.model, search.winner.name
        if model.pre_prune == "pessimistic" and search.fails_pessimistic_test(model):
            return f"{name} has the best split, but it does not lower the pessimistic error"
        if model.significance is not None:
            p = search.chi_squared(model).p_value
            if p >= model.significance:
                return f"{name} has the best split, but p = {figure(p)} is not below {model.significance:g}"
        if self.is_best_first:
            return f"max_leaf_nodes is {model.max_leaf_nodes}, and other splits lower the impurity more"
        return f"{name} was tested here, and pruning made it a leaf"

    @property
    def is_best_first(self):
        """Whether a limit on the leaves, and no pruning, decided which splits are made."""
        return self.model.max_leaf_nodes is not None and not len(self.model.pruning_.rule)

    def best_first(self):
        """The splits in the order in which growing best first makes them, and what each lowers."""
        tree, rows, n_leaves = self.named_tree.tree, [], 1
        waiting = [0]
        while waiting:
            node = max(waiting, key=lambda n: self.decrease(group_at(self.model, n), tree.gain[n]))
            waiting.remove(node)
            if tree.attribute[node] == LEAF:
                continue
            waiting += tree.children(node)
            n_leaves += int(tree.branches[node]) - 1
            name = self.named_tree.schema.attributes[tree.attribute[node]].name
            decrease = float(self.decrease(group_at(self.model, node), tree.gain[node]))
            rows.append((self.title(node), name, decrease, n_leaves))
        note = "of the nodes that can be split, the one whose split lowers the impurity most is next"
        return Grid("best first", ("node", "test", "decrease", "leaves"), rows[:LISTED], note)

    def why_not_searched(self, node):
        """Why a node is a leaf whose candidates were not searched, or not recorded."""
        model, rows, total = self.model, group_at(self.model, node), float(self.named_tree.tree.weight[0])
        if rows.weight <= 0:
            return "no training row reaches it, so it predicts what its parent predicts"
        if pure := self._pure(rows):
            return pure
        if model.max_depth is not None and self.depth[node] >= model.max_depth:
            return f"max_depth is {model.max_depth}"
        if rows.weight < min_split_weight(model, total):
            return f"min_samples_split is {figure(model.min_samples_split)}"
        least = max(rows_or_share(model.min_samples_leaf, total), model.min_weight_fraction_leaf * total)
        if rows.weight < 2 * least:
            return f"two branches of {figure(least)} rows need more"
        return (
            f"max_leaf_nodes is {model.max_leaf_nodes}" if self.is_best_first else "no split was good enough"
        )

    def _pure(self, rows):
        """That all rows have the same target; empty if they do not."""
        if isinstance(rows, Classes):
            return "all its rows have the same class" if sum(w > 0 for w in rows.weights) == 1 else ""
        least = NO_ERROR * float(self.named_tree.tree.value[0, 1])
        return "all its rows have the same target" if rows.error <= least else ""

    def _leaf(self, node, why):
        return f"A leaf, {self.named_tree.said(self.named_tree.prediction(node))}: {why}."

    def _branches(self, node):
        """The rows in the branches of a test, and what follows on each branch."""
        tree, named = self.named_tree.tree, self.named_tree
        name = named.schema.attributes[tree.attribute[node]].name
        rows = []
        for branch, child in enumerate(tree.children(node)):
            test = named.condition(node, branch).branch
            rows.append((test, *group_cells(group_at(self.model, child)), self._what_follows(child)))
        note = ""
        if len(rows) > LISTED:
            note = f"{len(rows) - LISTED} of the {len(rows)} branches are not shown"
        return Grid("branches", (name, *self._columns, "then"), rows[:LISTED], note)

    def _what_follows(self, child):
        tree = self.named_tree.tree
        if tree.attribute[child] != LEAF:
            return f"test {self.named_tree.schema.attributes[tree.attribute[child]].name}"
        said = f"leaf {self.named_tree.said(self.named_tree.prediction(child))}"
        return f"{said}: see below" if child in self.record_of else f"{said}: {self.why_not_searched(child)}"


def _average(candidates):
    """The average gain, below which a candidate's gain ratio does not count."""
    gains = [figure(c.gain) for c in candidates if c.counted]
    numbers = rf"\frac{{{joined_terms(gains, ' + ')}}}{{{len(gains)}}}" if gains else ""
    left_out = [c.name for c in candidates if not c.counted]
    note = f"without {', '.join(left_out)}: too many values for the number of rows" if left_out else ""
    average = average_gain([c.gain for c in candidates], [c.counted for c in candidates])
    return Step("average gain", r"\frac{1}{m} \sum_j \text{gain}_j", numbers, average, note)


def _near_average(search, candidate):
    gains, counted = [c.gain for c in search.with_split], [c.counted for c in search.with_split]
    return candidate.gain >= average_gain(gains, counted) - NEAR_AVERAGE
