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
#: An error that is no larger a share of the root's is none but for rounding.
NO_ERROR = 1e-9

WINS = "wins"


@dataclass(frozen=True)
class Narrator:
    """Tells of the nodes of one model."""

    model: Any
    reading: NamedTree

    @cached_property
    def depth(self):
        return depths(self.reading.tree).tolist()

    @cached_property
    def above(self):
        return parents(self.reading.tree).tolist()

    @cached_property
    def place(self):
        """Where each recorded node stands among them."""
        return {node: k for k, node in enumerate(self.model.candidates_.node.tolist())}

    @property
    def criterion(self):
        return self.model.criterion

    @property
    def middle(self):
        """What a node of numbers predicts."""
        return "median" if self.criterion == "absolute_error" else "mean"

    def title(self, node):
        """What leads to a node: "root", or its conditions."""
        conditions = []
        while node:
            above = self.above[node]
            conditions.append(self.reading.condition(above, node - self.reading.tree.first[above]))
            node = above
        return ", ".join(map(str, simplified(reversed(conditions)))) or "root"

    def work(self, node) -> Work:
        """A node's derivation."""
        rows = group_at(self.model, node)
        parts: list = [Grid("", self._columns, [group_cells(rows)]), *self._impurity(rows)]
        if node not in self.place and self.reading.tree.attribute[node] != LEAF:
            parts.append(self._branches(node))
            return Work(self.title(node), tuple(parts), "It had too many candidates to store.")
        if node not in self.place:
            return Work(self.title(node), tuple(parts), self._leaf(node, self.unsearched(node)))
        search = search_at(self.model, self.place[node])
        parts += self._candidates(search)
        if search.winner is None:
            return Work(self.title(node), tuple(parts), self._leaf(node, self._nothing(search)))
        parts += self._worth(search)
        if self.reading.tree.attribute[node] == LEAF:
            return Work(self.title(node), tuple(parts), self._leaf(node, self._given_up(search)))
        parts.append(self._branches(node))
        return Work(self.title(node), tuple(parts), self._victory(search))

    @property
    def _columns(self):
        """What is told of a group of rows."""
        if self.reading.classes is None:
            return (f"{self.middle} of {self.reading.target}", "rows")
        return (*map(as_text, self.reading.classes), "rows")

    def _impurity(self, rows):
        """The node's impurity, and for numbers the mean or median it is taken around."""
        target = self.reading.target
        if self.middle == "median" and not isinstance(rows, Classes):
            yield Step(f"median({target})", result=rows.mean)
        elif not isinstance(rows, Classes):
            total = rf"\frac{{{figure(rows.mean * rows.weight)}}}{{{figure(rows.weight)}}}"
            yield Step(f"mean({target})", r"\frac{1}{W} \sum_i w_i y_i", total, rows.mean)
        if rows.weight > 0:
            yield impurity_step(MEASURES[self.criterion].of(target), rows, self.criterion)

    def _candidates(self, search):
        """The best candidates worked out, and all of them listed."""
        best = sorted(search.able, key=self._score, reverse=True)[:WORKED_OUT]
        for candidate in search.able:
            if candidate in best:
                yield self._candidate(candidate)
        yield self._summary(search, len(best))
        if self.criterion == "gain_ratio" and search.able:
            yield _average(search.able)

    def _score(self, candidate):
        return (candidate.ratio or 0.0) if self.criterion == "gain_ratio" else candidate.gain

    def _candidate(self, candidate):
        """One candidate: its branches, and the way to its gain."""
        split, name = candidate.split, candidate.name
        title = name if split.cut != split.cut else str(split.branches[0][0])  # NaN: there is no cut
        grid = branch_grid(split, self._columns, name, self.criterion)
        steps = split_steps(
            split, self.reading.target, name, self.criterion, candidate.charge(self.criterion)
        )
        return Work(title, (grid, *steps))

    def _summary(self, search, worked_out):
        """The candidates beside each other."""
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
            rows.append((c.name, *values, self._mark(search, c)))
        if len(rows) > LISTED:
            rows = sorted(rows, key=lambda row: (row[-1] != WINS, row[1] is None))[:LISTED]
            notes.append(f"{len(search.found) - LISTED} of the {len(search.found)} columns are not shown")
        if worked_out < len(search.able):
            notes.append(f"the best {worked_out} of {len(search.able)} are derived")
        return Grid("candidates", ("attribute", *figures, "so"), rows, "; ".join(notes))

    def _mark(self, search, candidate):
        if candidate is search.winner:
            return WINS
        if candidate.split is None:
            return candidate.why
        if self.criterion == "gain_ratio" and not _near_average(search, candidate):
            return "below the average gain"
        return ""

    def _victory(self, search):
        """Who wins, and why."""
        winner, by_ratio = search.winner, self.criterion == "gain_ratio"
        slack = EQUAL_RATIO if by_ratio else gain_tolerance(search.rows, self.criterion)
        score = self._score(winner)
        equals = [
            c.name
            for c in search.able
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

    def _nothing(self, search):
        """Why no candidate is good enough."""
        if pure := self._pure(search.rows):
            return pure
        if not search.able:
            return "no column has a split"
        least, best = self.model.min_gain, max(search.able, key=lambda c: c.gain)
        if (asked := self.model.min_impurity_decrease) and best.gain > max(least, 0):
            fall = figure(self.decrease(search.rows, best.gain))
            return f"{best.name} has the best split, but min_impurity_decrease, {asked:g}, exceeds {fall}"
        return f"no split has a gain above {figure(least)}" if least else "no split has a gain"

    def decrease(self, rows, gain):
        """By how much a split lowers the impurity of all rows."""
        return rows.weight / float(self.reading.tree.weight[0]) * gain

    def _worth(self, search):
        """What a winner has to pass before it becomes a test."""
        model, name = self.model, search.winner.name
        if model.max_leaf_nodes is not None or model.min_impurity_decrease:
            gain, share = search.winner.gain, fraction(search.rows.weight, self.reading.tree.weight[0])
            numbers, fall = rf"{share} \cdot {figure(gain)}", self.decrease(search.rows, gain)
            yield Step(f"decrease({name})", r"\frac{W_t}{W} \cdot \text{gain}", numbers, fall)
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

    def _given_up(self, search):
        """Why a node is a leaf although its candidates have a winner."""
        model, name = self.model, search.winner.name
        if model.pre_prune == "pessimistic" and search.is_vain(model):
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
        tree, rows, n_leaves = self.reading.tree, [], 1
        waiting = [0]
        while waiting:
            node = max(waiting, key=lambda n: self.decrease(group_at(self.model, n), tree.gain[n]))
            waiting.remove(node)
            if tree.attribute[node] == LEAF:
                continue
            waiting += tree.children(node)
            n_leaves += int(tree.branches[node]) - 1
            name = self.reading.schema.attributes[tree.attribute[node]].name
            fall = float(self.decrease(group_at(self.model, node), tree.gain[node]))
            rows.append((self.title(node), name, fall, n_leaves))
        note = "of the nodes that can be split, the one whose split lowers the impurity most is next"
        return Grid("best first", ("node", "test", "decrease", "leaves"), rows[:LISTED], note)

    def unsearched(self, node):
        """Why a node is a leaf whose candidates were not searched, or not recorded."""
        model, rows, total = self.model, group_at(self.model, node), float(self.reading.tree.weight[0])
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
        """That the rows agree, if they do."""
        if isinstance(rows, Classes):
            return "all its rows have the same class" if sum(w > 0 for w in rows.weights) == 1 else ""
        least = NO_ERROR * float(self.reading.tree.value[0, 1])
        return "all its rows have the same target" if rows.error <= least else ""

    def _leaf(self, node, why):
        return f"A leaf, {self.reading.said(self.reading.prediction(node))}: {why}."

    def _branches(self, node):
        """What a test's branches hold, and what becomes of them."""
        tree, reading = self.reading.tree, self.reading
        name = reading.schema.attributes[tree.attribute[node]].name
        rows = []
        for branch, child in enumerate(tree.children(node)):
            test = reading.condition(node, branch).branch
            rows.append((test, *group_cells(group_at(self.model, child)), self._then(child)))
        note = ""
        if len(rows) > LISTED:
            note = f"{len(rows) - LISTED} of the {len(rows)} branches are not shown"
        return Grid("branches", (name, *self._columns, "then"), rows[:LISTED], note)

    def _then(self, child):
        tree = self.reading.tree
        if tree.attribute[child] != LEAF:
            return f"test {self.reading.schema.attributes[tree.attribute[child]].name}"
        said = f"leaf {self.reading.said(self.reading.prediction(child))}"
        return f"{said}: see below" if child in self.place else f"{said}: {self.unsearched(child)}"


def _average(able):
    """The gain that a candidate must have to be asked for its ratio."""
    gains = [figure(c.gain) for c in able if c.counted]
    numbers = rf"\frac{{{joined_terms(gains, ' + ')}}}{{{len(gains)}}}" if gains else ""
    odd = [c.name for c in able if not c.counted]
    note = f"without {', '.join(odd)}: too many values for the number of rows" if odd else ""
    average = average_gain([c.gain for c in able], [c.counted for c in able])
    return Step("average gain", r"\frac{1}{m} \sum_j \text{gain}_j", numbers, average, note)


def _near_average(search, candidate):
    gains, counted = [c.gain for c in search.able], [c.counted for c in search.able]
    return candidate.gain >= average_gain(gains, counted) - NEAR_AVERAGE
