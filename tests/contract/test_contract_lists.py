"""Plain Python lists go wherever arrays and tables go: in public functions and methods of learners.

The walk calls each public function whose parameters it can supply, with lists. Lists may be refused for what
they hold, by an error of ours or a ValueError; never because they are lists.
"""

import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest

import openbook
from openbook import load
from openbook.associate import frequent_itemsets
from openbook.data import sets
from openbook.errors import OpenbookError
from openbook.judge import (
    compare,
    confident_mistakes,
    difference,
    disagreement,
    evaluate,
    posterior,
    side_by_side,
    worst_segments,
)
from openbook.measures import Joint
from openbook.outlier import ZScore
from openbook.registry import LEARNERS
from openbook.tree import DecisionTreeClassifier

ROWS = [[float(v) for v in row] for row in load("iris").drop("species").block(load("iris").names[:4])[::5]]
CLASSES = [["setosa", "versicolor", "virginica"][i // 10] for i in range(30)]
BINARY = [int(i >= 15) for i in range(30)]
NUMBERS = [row[0] for row in ROWS]


def _supplies():
    """A list, or a fitted model, for each name that public functions call their parameters by."""
    tree = DecisionTreeClassifier(max_depth=2).fit(ROWS, BINARY)
    judged = evaluate(DecisionTreeClassifier(max_depth=2), ROWS, BINARY)
    return {
        **dict.fromkeys(("X", "A", "B", "table"), ROWS),
        **dict.fromkeys(("y", "target", "truth", "labels", "correct_a", "correct_b"), BINARY),
        **{key: [0.0, 1.0, 2.0] for key in ("a", "b")},
        **{key: [0.25, 0.75] for key in ("p", "q")},
        **dict.fromkeys(("values", "scores", "differences"), NUMBERS),
        "data": [["bread", "milk"], ["bread"], ["milk", "tea"], ["bread", "milk"]],
        "classes": BINARY,
        "counts": [[3, 2], [1, 4]],
        "costs": [[0.0, 1.0], [5.0, 0.0]],
        "cost": [[0.0, 1.0], [5.0, 0.0]],
        "proba": [[0.5, 0.5], [0.9, 0.1]],
        "covariance": np.eye(3).tolist(),
        "predictions": [[0, 1, 1], [1, 1, 0], [0, 1, 0]],
        "correct": [[True, False, True], [True, True, False]],
        "p_values": [0.01, 0.2],
        "ranks": [[1, 2, 3], [2, 1, 3], [1, 3, 2]],
        "without": [0.1, 0.2, 0.3],
        "scale": ["low", "middle", "high"],
        "scales": [10.0, 1.0, 2.0],
        "model": tree,
        "detector": ZScore().fit(ROWS),
        "evaluation": judged,
        "comparison": compare([DecisionTreeClassifier(max_depth=2)], ROWS, BINARY),
        "models": [DecisionTreeClassifier(max_depth=2)],
        "knob": "max_depth",
        "sensitive": "x0",
        "train": list(range(20)),
        "test": list(range(20, 30)),
        "distance": openbook.measures.euclidean,
        "estimate": 0.2,
        "n_train": 20,
        "n_test": 10,
    }


@pytest.fixture(scope="module")
def supplies():
    return _supplies()


def arguments(function, supplies):
    """Lists for a function, by the names of its parameters; skips what takes something else."""
    judged, ranked = supplies["evaluation"], supplies["comparison"]
    own = {
        "bias_variance": {"y": BINARY, "repeats": 3},
        "choose_k": {"ks": [2, 3]},
        "differing_rows": {"a": supplies["model"], "b": supplies["model"]},
        "compare_over_sets": {"scores": {"iris": {"a": 0.9, "b": 0.8}, "wine": {"a": 0.7, "b": 0.9}}},
        "side_by_side": {"a": ranked, "b": ranked},
        "tune": {"knobs": {"max_depth": [1, 2]}, "nested": False},
    }.get(function.__name__, {})
    if function.__module__.startswith("openbook.judge") and "a" in required(function) and not own:
        own = {"a": judged, "b": judged}
    names = required(function)
    given = {} if function.__name__ == "confusion" else {**supplies, **own}  # its p are Predictions
    if absent := [name for name in names if name not in given]:
        pytest.skip(f"takes {absent[0]}, which is no list")
    return {**{name: supplies[name] for name in names if name not in own}, **own}


def public_functions():
    for found in pkgutil.iter_modules(openbook.__path__, "openbook."):
        module = importlib.import_module(found.name)
        if not found.ispkg or found.name in ("openbook.cli", "openbook.plan", "openbook.report"):
            continue
        for name in getattr(module, "__all__", ()):
            if inspect.isfunction(function := getattr(module, name)):
                yield pytest.param(function, id=f"{found.name}.{name}")


def required(function):
    return [
        name
        for name, p in inspect.signature(function).parameters.items()
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]


def complaint(call, *args, **options):
    """What a call says against its arguments, if anything; a bare AttributeError or TypeError fails."""
    try:
        call(*args, **options)
    except (OpenbookError, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", list(public_functions()))
def test_functions_take_lists(function, supplies):
    said = complaint(function, **arguments(function, supplies))
    assert "'list'" not in said
    assert "has no attribute" not in said


WEATHER = load("weather")
WEATHER_FILE = Path(sets.__file__).parent / "weather.csv"
JOINT = Joint.from_table(WEATHER)
BASKETS = frequent_itemsets([["a", "b"], ["a"], ["a", "b"], ["c"]], 0.5)


@pytest.mark.parametrize(
    ("method", "names"),
    [
        (lambda *names: WEATHER.select(*names).names, ("play", "windy")),
        (lambda *names: WEATHER.drop(*names).names, ("play", "windy")),
        (lambda *names: len(WEATHER.drop_missing(*names)), ("play", "windy")),
        (lambda *names: str(WEATHER.group_by(*names, n="count()")), ("play", "windy")),
        (lambda *names: WEATHER.schema.select(*names).names, ("play", "windy")),
        (lambda *names: openbook.scan(WEATHER_FILE).select(*names).names, ("play", "windy")),
        (lambda *names: openbook.scan(WEATHER_FILE).drop(*names).names, ("play", "windy")),
        (lambda *names: Joint.from_table(WEATHER, *names).to_dict(), ("play", "windy")),
        (lambda *names: JOINT.marginal(*names).to_dict(), ("play", "windy")),
        (lambda *names: str(JOINT.conditional(*names, given="outlook")), ("play", "windy")),
        (lambda *names: str(JOINT.work(*names, outlook="sunny")), ("play", "windy")),
        (BASKETS.support, ("a", "b")),
    ],
)
def test_names_come_one_by_one_or_as_a_list(method, names):
    assert method(list(names)) == method(*names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", LEARNERS.values(), ids=lambda entry: entry.name)
def test_learners_take_lists(entry):
    model = entry.make()
    own = model.get_params(deep=False)
    model.set_params(**{n: v for n, v in {"n_estimators": 2, "random_state": 0}.items() if n in own})
    y = NUMBERS if entry.task == "regression" else CLASSES
    needs_y = "y" in required(model.fit) or model.__sklearn_tags__().target_tags.required
    rows = [["a" if row[0] > 5 else "b", "c" if row[1] > 3 else "d"] for row in ROWS]
    texts = [f"word{first} and word{second}" for first, second in rows]
    X = {"k_modes": rows, "bag_of_words": texts}.get(entry.name, ROWS)
    weights = {} if entry.task == "outliers" else {"sample_weight": [1] * len(X)}
    if "sample_weight" not in inspect.signature(model.fit).parameters:
        weights = {}
    said = complaint(model.fit, X, *([y] if needs_y else []), **weights)
    assert said == "", said
    for name in (
        "predict",
        "predict_proba",
        "decision_function",
        "score_samples",
        "transform",
        "work",
        "reasons",
    ):
        if hasattr(model, name):
            said = complaint(getattr(model, name), X[0] if name in ("work", "reasons") else X)
            assert "'list'" not in said, (name, said)
            assert "has no attribute" not in said, (name, said)


@pytest.mark.parametrize("function", [difference, posterior, side_by_side])
def test_a_list_in_place_of_a_result_is_refused_by_name(function):
    maker = "compare" if function is side_by_side else "evaluate"
    with pytest.raises(OpenbookError, match=rf"^a must be what `{maker}` returns \(\w+\), got list$"):
        function(NUMBERS, NUMBERS)


def test_a_list_in_place_of_the_second_evaluation_is_refused_by_name(supplies):
    with pytest.raises(OpenbookError, match=r"^b must be what `evaluate` returns \(Evaluation\), got list$"):
        disagreement(supplies["evaluation"], NUMBERS, ROWS)


@pytest.mark.parametrize("function", [confident_mistakes, worst_segments])
def test_a_list_in_place_of_an_evaluation_is_refused_by_name(function):
    with pytest.raises(OpenbookError, match=r"^evaluation must be what `evaluate` returns"):
        function(NUMBERS, ROWS)
