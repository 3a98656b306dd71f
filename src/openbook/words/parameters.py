"""Parameters that many classes and functions share, described once.

A docstring names such a parameter with its type and default, and leaves the meaning out:

    random_state : int, default=0

`documented` adds the meaning from `SHARED` when the class or function is defined, so that `help` shows it.
A parameter that means something else here than elsewhere has its meaning written out; those that a family of
classes shares are in the dict `_meanings` of their base class.
"""

import re
from collections.abc import Callable
from functools import wraps
from textwrap import wrap
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

Documented = TypeVar("Documented")
Given = ParamSpec("Given")
Made = TypeVar("Made")

#: The meaning of each shared parameter.
SHARED: dict[str, str] = {
    "X": "The rows: a table, anything that `openbook.read` takes (a path, a pandas, polars or pyarrow frame,"
    " an array, a list of dicts), or an `openbook.scan`.",
    "y": "The target: an array, a Series, a Column, or the name of a column of X.",
    "sample_weight": "The weight of each row. Whole numbers are numbers of equal rows.",
    "random_state": "Random seed. The same seed gives the same result, whatever the number of workers.",
    "n_jobs": "The number of workers; -1 for one per core. None for those of `joblib.parallel_config`, one"
    " unless it says otherwise. The result does not depend on it.",
    "kinds": "The kind of some columns, which overrules the guess: {'zip': 'nominal'}. Others are inferred.",
    "cv": "How rows are divided: a number of folds, a splitter of scikit-learn's or ours, or pairs of"
    " (training, test) positions.",
    "metric": "The score that decides, by name; `openbook.judge.METRICS` lists them.",
    "metrics": "The scores to show, the one that decides first; None for the usual ones.",
    "groups": "The group of each row, such as the patient: an array, a Series, a Column, or the name of a"
    " column of X. Rows of one group never both train and test.",
    "time": "The time of each row: an array, a Series, a Column, or the name of a column of X. Models are"
    " trained on the past and tested on the future.",
    "test_groups": 'Whether test groups are "new", or "known" by their earlier rows, where there are both'
    " groups and time.",
    "progress": "True for a progress bar, or a function of the number done and the total.",
    "level": "The confidence level of the interval.",
    "costs": "The cost of each decision for each truth: costs[decision][truth]. What is left out costs 0.",
    "repeats": "The number of repetitions.",
    "max_iter": "The most iterations.",
    "tol": "The tolerance for stopping: an improvement below it ends the iterations.",
    "class_weight": 'Weights of the classes: a mapping, or "balanced" to give every class the same total.',
    "counts": "The contingency table: how many rows there are of each class (rows) and value (columns).",
    "base": "The base of the logarithm: 2 for bits, e for nats.",
    "a, b": "Points of d numbers, or arrays of points of shape (…, d), which broadcast. A pair of cells of"
    " which one is missing (NaN) is left out.",
    "model": "Any classifier or regressor with scikit-learn's methods.",
    "name": "What to call the learner; None for the name of its class.",
    "which": "The metric, by name; None for the one that decides.",
    "task": '"classification" or "regression"; None to infer it from the target.',
    "positive": "The positive class of two; None for the second.",
    "estimator": "The learner that is used, with scikit-learn's methods.",
    "measure": 'How attributes are scored: "mutual_information", "pmi", "chi_squared", "information_gain",'
    ' "gain_ratio", "symmetrical_uncertainty", "correlation" or "anova_f".',
    "quote": "The sign around names in SQL.",
    # trees and forests
    "rare_values": 'What becomes of rare values in nominal columns of more than 20 values: "pool" makes one'
    " value of those with too few rows to tell (see `openbook.prepare.RareValues`), and takes off a split's"
    ' gain what chance alone gives so many values; "keep" treats all columns alike.',
    "nominal": 'How a nominal column is split: "multiway" makes a branch for every value, "subset" finds the'
    " best two groups of values (exact for two classes and for squared error, else found greedily).",
    "numeric": 'How a numeric column is split: "binary" cuts it in two, "multiway" makes a branch for every'
    " interval. The intervals are found once, from the training rows: `bins` of about equal frequency, or, if"
    " `bins` is None, those that MDL accepts (Fayyad and Irani).",
    "missing": 'Where rows with a missing cell go: "fractional" sends them down every branch in parts, as'
    ' C4.5 does; "majority" down the heaviest branch; "branch" down one of their own. A value never seen in'
    " training counts as missing.",
    "max_depth": "The most tests from the root to a leaf; None for no limit.",
    "min_samples_split": "The weight that a node must have to be split; below 1, as a share of all rows. 2"
    " asks for nothing: rows, and parts of them, may weigh less.",
    "min_samples_leaf": "The weight that at least two branches of a split must have; below 1, as a share of"
    " all rows. 1 asks for nothing, except by gain ratio: rows, and parts of them, may weigh less.",
    "min_weight_fraction_leaf": "The weight that at least two branches of a split must have, as a share of"
    " all.",
    "max_leaf_nodes": "The most leaves: the tree is grown best first, the split that lowers the impurity of"
    " all rows most being next; None for no limit.",
    "min_impurity_decrease": "By how much a split must lower the impurity of all rows: its gain times the"
    " share of the rows that come to its node is at least this.",
    "bins": "Search numeric columns by so many bins of about equal size instead of exactly: faster, and one"
    " byte per cell. None searches exactly.",
    "ccp_alpha": "The price of a leaf in cost-complexity pruning: impurity + ccp_alpha · leaves is minimised"
    " in each tree.",
    "validation_fraction": "The share of the rows held out.",
    "n_estimators": "The number of members.",
    # neighbours, clusters, outliers
    "n_clusters": "The number of clusters.",
    "allow_large": "Whether to go ahead where the work is estimated to take more than an hour, or more than"
    " half of the memory.",
    "labels": "The cluster of each row, a whole number; -1 for a row that belongs to none.",
    # fitted attributes
    "classes_": "The classes, in the order of the columns of `predict_proba`.",
    "feature_importances_": "Each column's share of the total gain; they sum to 1. See the guide for why a"
    " permutation importance is fairer.",
    "encoding_": "How columns became numbers; `encoding_.names` are the names of the encoded columns.",
    "notes_": "What the user should know about this fit, in sentences.",
    "tree_": "The nodes as flat arrays, the root first, each node before those below it; see"
    " `openbook.tree.engine.nodes.Tree`.",
    "candidates_": "The best test of each column at the nodes nearest the root; `work` shows them.",
    "pruning_": "What was decided at each test when the tree was pruned; `work` shows it.",
    "estimators_": "The fitted members.",
    "row": "One row: a mapping of column to value, a Series, a one-row table or frame, or a sequence of"
    " values. A column left out of a mapping counts as missing.",
}

#: A line that names parameters and their type: "bins : int, default=10".
_NAMED = re.compile(r"( *)(\*{0,2}\w+(?:, \*{0,2}\w+)*) : \S.*")


def documented(thing: Documented) -> Documented:
    """Add the meaning of shared parameters to the docstring of a class and its methods, or of a function.

    >>> @documented
    ... def draw(random_state=0):
    ...     '''Draw.
    ...
    ...     Parameters
    ...     ----------
    ...     random_state : int, default=0
    ...     '''
    >>> print(draw.__doc__.splitlines()[5].strip())
    Random seed. The same seed gives the same result, whatever the number of workers.
    """
    described: list[Any] = [thing]
    meanings = SHARED | getattr(thing, "_meanings", {})
    if isinstance(thing, type):
        described += [_function(made) for made in vars(thing).values()]
    for one in described:
        doc = getattr(one, "__doc__", None)
        if isinstance(doc, str) and (isinstance(one, FunctionType) or one is thing) and " : " in doc:
            one.__doc__ = _filled(doc, meanings)
    return thing


def also_called(**meant: str) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Take a parameter by another word too.

    >>> @also_called(split="cv")
    ... def judge(cv=5):
    ...     return cv
    >>> judge(split=3)
    3
    >>> judge(cv=3, split=3)
    Traceback (most recent call last):
    TypeError: judge: split is another word for cv; give one of them
    """

    def decorate(function: Callable[Given, Made]) -> Callable[Given, Made]:
        @wraps(function)
        def call(*args: Given.args, **options: Given.kwargs) -> Made:
            for word in meant.keys() & options.keys():
                if meant[word] in options:
                    name = getattr(function, "__name__", "it")
                    raise TypeError(f"{name}: {word} is another word for {meant[word]}; give one of them")
                options[meant[word]] = options.pop(word)
            return function(*args, **options)

        return call

    return decorate


def _function(made: Any) -> Any:
    """The function behind a class method, or behind a method that only some objects have."""
    return getattr(made, "__func__", None) or getattr(made, "fn", made)


def _filled(doc: str, meanings: dict[str, str]) -> str:
    lines = doc.splitlines()
    filled: list[str] = []
    for i, line in enumerate(lines):
        filled.append(line)
        named = _NAMED.fullmatch(line)
        if named is None or named[2] not in meanings:
            continue
        below = lines[i + 1] if i + 1 < len(lines) else ""
        if not below.startswith(named[1] + " "):
            indent = f"{named[1]}    "
            filled += wrap(meanings[named[2]], 110, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(filled)
