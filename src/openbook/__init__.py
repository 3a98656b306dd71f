"""openbook: machine learning that shows its work.

>>> import openbook as ob
>>> from openbook.bayes import NaiveBayes
>>> X, y = ob.load("weather").split("play")
>>> model = NaiveBayes().fit(X, y)
>>> model.predict([{"outlook": "sunny", "humidity": "high", "temperature": "cool", "windy": "true"}]).tolist()
['No']
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from openbook.elsewhere import look_elsewhere

if TYPE_CHECKING:
    from openbook.data import Nominal, Numeric, Ordinal, Schema, Table, Text
    from openbook.data.read import read
    from openbook.data.scan import scan
    from openbook.data.sets import load, sets
    from openbook.draw import draw_boundary, draw_table
    from openbook.features import score_attributes
    from openbook.judge.curves.diagnose import diagnose_model
    from openbook.judge.curves.make import learning_curve
    from openbook.judge.folds.evaluate import compare, evaluate
    from openbook.judge.scores.confusion import Confusion
    from openbook.judge.scores.residuals import draw_residuals
    from openbook.judge.scores.roc import Roc
    from openbook.judge.tuning.tune import tune
    from openbook.plan.study import study
    from openbook.store import open_model, save
    from openbook.text.describe import describe

__version__ = "0.1.0"

# Imported when first asked for, so that `import openbook` and `openbook --help` stay quick.
_PLACES = {
    "Confusion": "openbook.judge",
    "Nominal": "openbook.data",
    "Numeric": "openbook.data",
    "Ordinal": "openbook.data",
    "Roc": "openbook.judge",
    "Schema": "openbook.data",
    "Table": "openbook.data",
    "Text": "openbook.data",
    "compare": "openbook.judge",
    "describe": "openbook.text.describe",
    "diagnose_model": "openbook.judge",
    "draw_boundary": "openbook.draw",
    "draw_residuals": "openbook.judge.scores.residuals",
    "draw_table": "openbook.draw",
    "evaluate": "openbook.judge",
    "learning_curve": "openbook.judge",
    "load": "openbook.data.sets",
    "open_model": "openbook.store",
    "read": "openbook.data.read",
    "save": "openbook.store",
    "scan": "openbook.data.scan",
    "score_attributes": "openbook.features",
    "sets": "openbook.data.sets",
    "study": "openbook.plan.study",
    "tune": "openbook.judge",
}

__all__ = [
    "Confusion",
    "Nominal",
    "Numeric",
    "Ordinal",
    "Roc",
    "Schema",
    "Table",
    "Text",
    "compare",
    "describe",
    "diagnose_model",
    "draw_boundary",
    "draw_residuals",
    "draw_table",
    "evaluate",
    "learning_curve",
    "load",
    "open_model",
    "read",
    "save",
    "scan",
    "score_attributes",
    "sets",
    "study",
    "tune",
]


# The rooms: attributes as well, so that `openbook.bayes.NaiveBayes` needs no further import.
_ROOMS = frozenset(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if name in _ROOMS:
        return import_module(f"openbook.{name}")
    return look_elsewhere(__name__)(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS, "__all__", "__doc__", "__version__"})
