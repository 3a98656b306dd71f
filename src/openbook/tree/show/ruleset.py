"""A tree as rules: one for each leaf, or a disjunction for a class.

The conditions of a path are joined to one for each attribute (`openbook.work.rules`).

Where a test spreads missing cells over its branches (and with them unseen values), no rule speaks of
them: such a row follows several rules, in shares. SQL knows no shares; there such a row takes the heaviest
branch, as it does in `named_tree.settled`. Elsewhere SQL and `predict` agree on every row.
"""

from functools import reduce
from operator import or_

from openbook.damage import blamed_on_its_file
from openbook.errors import DataError, did_you_mean
from openbook.tree.engine.nodes import LEAF, SPREAD
from openbook.tree.show.named_tree import named_tree
from openbook.words.parameters import documented
from openbook.words.sentences import printable
from openbook.work.conditions import Condition, simplified
from openbook.work.rules import Rule, RuleList

_MIXED = -1
_SPREAD_NOTE = (
    "-- NULL and unseen values take the branch with the most rows; predict splits them over all branches\n"
)


@documented
def rules(model):
    """The decision rules of a fitted tree, one for each leaf, from left to right.

    Parameters
    ----------
    model : fitted tree
        A model with `tree_`.

    Returns
    -------
    Rules
        `print` shows them; `sql()`, `to_json()` and `for_class(label)` write them in other ways.

    Notes
    -----
    The same as `model.rules()`. Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> found = rules(ID3().fit(*load("weather").split("play")))
    >>> len(found), str(found[0])
    (5, 'if outlook = overcast then play = Yes')
    """
    with blamed_on_its_file(model):
        return Rules(named_tree(model))


class _TreeRules(RuleList):
    """Rules as `listed(reading)` gives them; as SQL those of a tree that spreads nothing."""

    def __init__(self, read, listed):
        self._read = read
        tree = read.tree
        spread = ((tree.missing == SPREAD) & (tree.attribute != LEAF)).any()
        note = _SPREAD_NOTE if spread else ""
        super().__init__(listed(read), read.target, listed(read.settled()) if spread else None, note)


@documented
class Rules(_TreeRules):
    """The decision rules of a tree, one for each leaf; see `rules`.

    Parameters
    ----------
    read : NamedTree
        The tree with the names of its columns, target and classes; `rules` makes it from a model.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> found = ID3().fit(*load("weather").split("play")).rules()
    >>> print(found.for_class("No"))
    play = No where
         outlook = rain and windy = true
      or outlook = sunny and humidity = high
    """

    def __init__(self, read):
        super().__init__(read, _of_leaves)

    def for_class(self, label):
        """All rules of one class as a disjunction; branches of one test that lead to it are taken together.

        Parameters
        ----------
        label : label
            One of the classes.

        Returns
        -------
        Disjunction
        """
        classes = self._read.classes
        if classes is None:
            raise DataError(f"{self._read.target!r} is a number and has no classes; print the rules instead")
        if label not in classes:
            raise DataError(f"no class {label!r}. {did_you_mean(str(label), [str(c) for c in classes])}")
        return Disjunction(self._read, classes.index(label))


@documented
class Disjunction(_TreeRules):
    """The rules of one class, of which one must hold: a disjunction of conjunctions; see `Rules.for_class`.

    Parameters
    ----------
    read : NamedTree
        The tree with the names of its columns, target and classes.
    code : int
        The position of the class among the classes.

    Attributes
    ----------
    label : label
        The class.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> found = ID3().fit(*load("weather").split("play")).rules()
    >>> print(found.for_class("No").sql())  # doctest: +NORMALIZE_WHITESPACE
    (("outlook" NOT IN ('overcast', 'sunny') OR "outlook" IS NULL) AND "windy" = 'true') OR
    ("outlook" = 'sunny' AND ("humidity" <> 'normal' OR "humidity" IS NULL))
    """

    def __init__(self, read, code):
        super().__init__(read, lambda each: _of_class(each, code))
        self.label = read.classes[code]

    def text(self):
        """The class, and a line for each way to it.

        Returns
        -------
        str
        """
        words = f"{printable(self.target)} = {self._read.said(self.label)}"
        if not self:
            return f"{words} nowhere"
        return f"{words} where\n     " + "\n  or ".join(rule.premise for rule in self)

    def sql(self, quote='"'):  # type: ignore[override]  # a condition, not a query
        """What must hold, as an SQL condition for WHERE.

        Parameters
        ----------
        quote : str, default='"'

        Returns
        -------
        str
        """
        return " OR ".join(f"({rule.sql(quote)})" for rule in self._sql_rules) or "1 = 0"


def _of_leaves(read):
    """A rule for each leaf, from left to right."""
    paths: list[tuple[Condition, ...]] = [()] * read.tree.size
    for node in read.depth_first():
        if read.tree.attribute[node] == LEAF:
            yield _rule(read, paths[node], read.prediction(node), [node])
        for branch, child in enumerate(read.tree.children(node)):
            paths[child] = simplified((*paths[node], read.condition(node, branch)))


def _of_class(read, code):
    """A rule for each way to a class, from left to right."""
    tree, whole = read.tree, _agreed(read)
    ahead: list[tuple[tuple[Condition, ...], list[int]]] = [((), [0])]  # a path, and the nodes at its end
    while ahead:
        path, nodes = ahead.pop()
        if whole[nodes[0]] == code:
            yield _rule(read, path, read.classes[code], nodes)
            continue
        children = tree.children(nodes[0])
        agreeing = [b for b, child in enumerate(children) if whole[child] == code]
        mixed = [[b] for b, child in enumerate(children) if whole[child] == _MIXED]
        for branches in sorted([agreeing, *mixed] if agreeing else mixed, reverse=True):
            told = reduce(or_, (read.condition(nodes[0], b) for b in branches))
            ahead.append((simplified((*path, told)), [children[b] for b in branches]))


def _agreed(read):
    """The class that every leaf below a node predicts, or _MIXED."""
    tree, agreed = read.tree, read.winners()
    for node in reversed(range(tree.size)):  # children stand behind their parents
        if tree.attribute[node] != LEAF:
            below = agreed[tree.first[node] :][: tree.branches[node]]
            agreed[node] = below[0] if (below == below[0]).all() else _MIXED
    return agreed


def _rule(read, path, prediction, nodes):
    """The rule of the nodes at the end of a path."""
    tree = read.tree
    weight = float(tree.weight[nodes].sum())
    confidence = None
    if read.classes is not None:
        values = tree.value[nodes].sum(axis=0)
        confidence = float(values[read.classes.index(prediction)] / (values.sum() or 1.0))
    outcome = f"{printable(read.target)} = {read.said(prediction)}"
    return Rule(path, prediction, weight, weight / float(tree.weight[0]), confidence, outcome)
