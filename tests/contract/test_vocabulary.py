"""Each public parameter has a word of docs/conventions.md, and one default, unless a reason is listed."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

import pytest

import openbook
from openbook.plan import StudyOptions

PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"

#: What has a replaced word all the same, and why.
REPLACED = {
    ("PowerTransformer", "method"): "scikit-learn's",
    ("bias_variance", "method"): "the decomposition, by its authors; no linkage",
    ("simulate", "rounds"): "of labelling; all of them are repeated",
    ("simulate", "start"): "labels to begin with, no coefficients",
    ("RFE", "step"): "scikit-learn's: how many columns leave at a time",
}

SKLEARN = "scikit-learn's default of each class"

#: Words whose default is not the same everywhere: each default, and why.
DEFAULTS = {
    "by": {"None": "the rows themselves", "'iqr'": "a box plot's"},
    "algorithm": {
        "'auto'": "by the table",
        "'bitset'": "itemsets are no neighbours",
        "'randomized'": SKLEARN,
    },
    "alpha": {
        "0.05": "the level of a test",
        "0.0": "no penalty: it must reproduce",
        "1.0": "a penalty",
        "0.2": SKLEARN,
        "0.9": "the quantile of a loss",
    },
    "bins": {
        "None": "a tree searches exactly",
        "63": "a forest searches bins",
        "255": "boosting searches bins, as scikit-learn's histograms do",
        "10": "Holte's rule on intervals of equal frequency",
        "3": "low, middle and high, as items",
        "4": "quarters, as contexts",
        "5": "tables of few cells, with rows in each",
        "'mdl'": "by the classes",
        "'scott'": "a density has a rule for the width",
    },
    "bootstrap": {"True": SKLEARN, "False": SKLEARN},
    "criterion": {
        "'gini'": SKLEARN,
        "'squared_error'": SKLEARN,
        "'entropy'": "as the book's examples have it",
        "'bic'": "the usual score of a network",
        "'threshold'": SKLEARN,
    },
    "covariance_type": {"'full'": SKLEARN, "'diag'": "a state may have few rows"},
    "cv": {"None": "by the number of rows", "5": SKLEARN, "10": "CART's own, by Breiman et al."},
    "eps": {"0.5": SKLEARN, "0.0": "no loss is allowed"},
    "epsilon": {"1.35": "scikit-learn's of Huber's loss", "0.1": SKLEARN, "0.0": SKLEARN},
    "coef0": {"0.0": SKLEARN, "1.0": SKLEARN},
    "dropout": {"0.0": "of units: none", "0.1": "of words: else a copy would be a copy"},
    "degree": {"2": SKLEARN, "3": SKLEARN},
    "gamma": {
        "'scale'": SKLEARN,
        "None": SKLEARN,
        "0.5": "the weight of categories: Huang's",
        "1.0": "the kernel of the book",
    },
    "greater_is_better": {"True": "of most scores", "None": "the metric knows"},
    "hidden_layer_sizes": {"(2,)": "a plane to look at", "(32,)": "enough for small tables"},
    "init": {"'k-means++'": SKLEARN, "None": SKLEARN},
    "index": {"0": "the number of a fold", "'auto'": "by the table"},
    "kernel": {"'gaussian'": "Parzen's window", "'rbf'": SKLEARN, "'linear'": SKLEARN},
    "l1_ratio": {"0.0": SKLEARN, "0.5": SKLEARN},
    "learning_rate": {"'constant'": SKLEARN, "0.1": SKLEARN, "1.0": SKLEARN},
    "loss": {
        "None": "what suits the model",
        "'squared'": "least squares",
        "'hinge'": "a margin",
        "'squared_hinge'": SKLEARN,
        "'squared_error'": SKLEARN,
        "'log_loss'": SKLEARN,
    },
    "max_depth": {"None": "no limit", "2": "a rule that people read", "3": SKLEARN},
    "max_features": {
        "'sqrt'": SKLEARN,
        "None": SKLEARN,
        "1.0": SKLEARN,
        "0.5": "half of the columns: Ho's subspaces",
    },
    "max_iter": {
        "300": SKLEARN,
        "100": SKLEARN,
        "200": "EM and autoencoders are slow",
        "1000": "passes",
        "30": "steps to look at",
        "10": SKLEARN,
    },
    "k": {"None": "as many as are worth it", "1000": "words: a vocabulary has far more"},
    "max_parents": {"4": "a search may need them", "2": "small networks to look at"},
    "max_samples": {"None": SKLEARN, "'auto'": SKLEARN, "1.0": "a bootstrap sample"},
    "method": {"'domingos'": "of losses of classes", "'yeo-johnson'": SKLEARN},
    "metric": {
        "None": "in judging: the usual score",
        "'auto'": "by the kinds of the columns",
        "'gower'": "medoids of mixed columns",
        "'euclidean'": "an index is of numbers",
    },
    "min_df": {"1": SKLEARN, "2": "of words that are chosen: one in a single text tells nothing"},
    "min_samples_leaf": {"1": SKLEARN, "2": "C4.5's own", "4": "a line needs rows"},
    "missing": {
        "'value'": "in a forest, whether a nominal cell is missing is a test, too",
        "('', '?', 'NA', 'N/A', 'NaN', 'nan', 'null', 'NULL', 'None')": "texts that stand for it",
        "'fractional'": "C4.5's way",
        "'leave_out'": "of pairs of cells",
        "'mean'": "of columns",
    },
    "noise": {"0.1": "of a copy", "0.0": "of pixels: they are moved"},
    "numbers": {"'gaussian'": "a distribution", "'keep'": "words made of digits are words"},
    "n": {"10": "the first few, to read", "1": "a label at a time"},
    "n_clusters": {"8": SKLEARN, "2": SKLEARN},
    "n_components": {"2": "two groups", "None": "all there are"},
    "norm": {"None": "texts keep their length", "'l2'": SKLEARN},
    "n_estimators": {"100": SKLEARN, "50": SKLEARN, "10": SKLEARN},
    "n_init": {"'auto'": SKLEARN, "5": "bisecting: Steinbach et al.", "1": SKLEARN},
    "n_iter": {"20": "settings that tuning tries", "5": SKLEARN},
    "n_iter_no_change": {"10": SKLEARN, "None": SKLEARN},
    "n_neighbors": {"5": SKLEARN, "7": SKLEARN, "20": SKLEARN, "3": "Wilson's"},
    "n_splits": {"10": "the usual folds", "5": "blocks of time leave few rows to the first"},
    "name": {"None": "the name of its class"},
    "names": {"None": "none are known", "('first', 'second')": "two learners", "('a', 'b')": "two studies"},
    "nominal": {"'multiway'": "as the book's examples have it", "'subset'": "forests are of binary trees"},
    "p": {"2": "Euclidean", "3": "else it would be Euclidean or Manhattan", "None": "a p-value: none"},
    "penalty": {"0.5": "of a leaf, Quinlan's", "'deprecated'": SKLEARN},
    "positive": {"None": "the class that counts as positive", "False": "coefficients may have any sign"},
    "prune": {"None": "as it is grown", "'confidence'": "C4.5's own"},
    "random_state": {"None": SKLEARN, "0": "what judges or selects is repeatable"},
    "rare_values": {"'pool'": "many values lead astray", "'keep'": "C4.5 stays the textbook's"},
    "repeats": {
        "None": "by the number of rows",
        "1": "one round",
        "10": "shuffles of a column",
        "20": "shuffles of the target",
        "50": "Efron's bootstrap",
        "100": "training sets, halves",
    },
    "rope": {"0.01": "a percentage point", "None": "a score that is no share has its own unit"},
    "rule": {"'simplest'": "of choosing", "'0 = 0'": "of rows: one that none breaks"},
    "shift": {"1": "of images: else a copy would be a copy", "0": "of sounds: they are louder or softer"},
    "scale": {
        "True": "no unit dominates",
        "False": "the perceptron of the book, number by number; ridge and lasso as scikit-learn has them",
    },
    "share": {
        "0.2": "of rows locked away",
        "0.5": "needs the most rows",
        "0.05": "of outliers",
        "0.9": "of rows in large clusters",
    },
    "shuffle": {"False": "the book's order of rows", "True": SKLEARN},
    "smoothing": {"Laplace(alpha=1.0)": "of counts", "True": "of predictions along the path"},
    "solver": {"'auto'": "by the table", "'adam'": SKLEARN, "'lbfgs'": "of a chain, whatever its size"},
    "strategy": {
        "'majority'": "of classes",
        "'mean'": "of numbers",
        "'quantile'": SKLEARN,
        "'margin'": "of asking",
        "'set'": "of several labels",
    },
    "structure": {"'hill_climb'": "of any table", "'tan'": "a tree among the inputs, to predict"},
    "target": {"None": "a bundled set has one of its own"},
    "test_groups": {"'new'": "the careful one", "None": "only where there are groups and time"},
    "threshold": {
        "None": "by contamination",
        "0.75": "Meinshausen and Bühlmann's, and scikit-learn's of self-training",
        "0.0": "of a column's gaps, or variance: none",
        "0.8": "nearly equal documents: fingerprints find all but two in 10,000 of such pairs",
    },
    "tol": {
        "0.0": SKLEARN,
        "0.0001": SKLEARN,
        "0.001": SKLEARN,
        "1e-06": "Newton steps and EM are exact to more digits",
    },
    "validation_fraction": {
        "0.0": "labels are scarce: none held out",
        "0.1": SKLEARN,
        "0.25": "pruning looks at every node",
    },
    "weights": {"None": SKLEARN, "'uniform'": SKLEARN},
}


def tables():
    """The rows of the two tables of the page: words with what they replace, and the words of each room."""
    part = PAGE.read_text(encoding="utf-8").partition("## Names of parameters\n")[2].partition("\n## ")[0]
    everywhere, _, of_rooms = part.partition("Words that belong to one room:")
    rows = [
        [re.findall(r"`(\w+)`", cell) for cell in line.split("|")[1:-1]]
        for text in (everywhere, of_rooms)
        for line in text.splitlines()
        if line.startswith("| `")
    ]
    shared = [row for row in rows if len(row) == 3]
    return {word: row[2] for row in shared for word in row[0]}, {
        row[0][0]: set(row[1]) for row in rows if len(row) == 2
    }


def is_record(made):
    """Whether it is a result or a small value, whose fields are its own; users make the others."""
    splits = hasattr(made, "get_n_splits") and made.__name__ != "Protocol"
    made_by_users = splits or hasattr(made, "get_params")
    if not inspect.isclass(made) or made_by_users or made is StudyOptions:
        return False
    return dataclasses.is_dataclass(made) or hasattr(made, "_fields") or issubclass(made, BaseException)


def public():
    """Every public class and function that users call: its room, itself, and its parameters."""
    for found in pkgutil.iter_modules(openbook.__path__, "openbook."):
        if not found.ispkg or found.name == "openbook.cli":
            continue
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", ()):
            made = getattr(module, name)
            if (inspect.isfunction(made) or inspect.isclass(made)) and not is_record(made):
                yield found.name.removeprefix("openbook."), made


def parameters(made):
    return [p for p in inspect.signature(made).parameters.values() if not p.name.startswith("_")]


EVERY = [pytest.param(room, made, id=f"{room}.{made.__name__}") for room, made in public()]


@pytest.mark.parametrize(("room", "made"), EVERY)
def test_every_parameter_has_a_word_of_the_page(room, made):
    shared, own = tables()
    unknown = [p.name for p in parameters(made) if p.name not in shared and p.name not in own.get(room, ())]
    assert unknown == [], "use a word of docs/conventions.md, or add one with its meaning"


@pytest.mark.parametrize(("room", "made"), EVERY)
def test_no_parameter_has_a_word_that_another_replaces(room, made):
    instead = {old: new for new, olds in tables()[0].items() for old in olds}
    found = {
        p.name: instead[p.name]
        for p in parameters(made)
        if p.name in instead and (made.__name__, p.name) not in REPLACED
    }
    assert found == {}, "write the word on the right instead"


def test_every_word_of_the_page_is_used():
    shared, own = tables()
    used = defaultdict(set)
    for room, made in public():
        used[room] |= {p.name for p in parameters(made)}
    assert set(shared) - set().union(*used.values()) == set()
    assert {room: words - used[room] for room, words in own.items() if words - used[room]} == {}


def test_every_reason_is_needed():
    used = {(made.__name__, p.name) for _, made in public() for p in parameters(made)}
    assert set(REPLACED) <= used


def defaults():
    """The defaults of each word, and who has them."""
    found = defaultdict(lambda: defaultdict(list))
    for room, made in public():
        for p in parameters(made):
            if p.default is not p.empty:
                found[p.name][repr(p.default)].append(f"{room}.{made.__name__}")
    return found


def test_a_word_has_one_default_unless_a_reason_is_listed():
    odd = {
        word: {value: who for value, who in values.items() if value not in DEFAULTS.get(word, {})}
        for word, values in defaults().items()
        if len(values) > 1
    }
    assert {word: values for word, values in odd.items() if values} == {}


def test_every_listed_default_is_used():
    found = defaults()
    unused = {word: values.keys() - found[word].keys() for word, values in DEFAULTS.items()}
    assert {word: values for word, values in unused.items() if values} == {}
