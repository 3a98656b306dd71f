"""Pictures from the command line: of a table, of a function, of a model, of a model over rows, of a study."""

import inspect
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from openbook.cli.derivations import with_its_sequence
from openbook.cli.output import put_out
from openbook.data import Numeric, Table
from openbook.draw import Picture, draw_boundary, draw_fit, draw_predictions, draw_table
from openbook.draw.functions import draw_column_likelihood, draw_line_descent
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.network import read_bif
from openbook.report.fitted import unwrapped
from openbook.sequence.sequence_model import SequenceModel
from openbook.store import from_file, open_model

#: The additions to decision regions, by the name of the picture.
_REGIONS = {"margin": ("margin", "support"), "voronoi": ("voronoi",)}
#: Degrees of the polynomials that are drawn side by side.
_DEGREES = (1, 3, 9)
#: The most learners of a study whose curves are drawn.
_MOST_CURVES = 8


def is_model(source: str) -> bool:
    """Whether this names a model file, a network in a BIF file, or the folder of a study."""
    path = Path(source)
    return path.suffix == ".openbook" or _is_bif(path) or (path / "model.openbook").is_file()


def _is_bif(path: Path) -> bool:
    return path.suffix.lower() == ".bif"


def model_in(path: Path) -> Any:
    """The model of a file, or the belief network."""
    if _is_bif(path):
        return read_bif(path)
    with from_file(path):
        return open_model(path)


# functions


#: Pictures that need no table, by the room that draws them.
FUNCTIONS = {"activations": "openbook.neural", "impurity": "openbook.measures"}


def write_function_picture(name: str, out: Path | None) -> None:
    _write(getattr(import_module(FUNCTIONS[name]), f"draw_{name}")(), out)


# tables


def write_table_picture(
    table: Table, columns: Sequence[str | None], colour: str | None, picture: str | None, out: Path | None
) -> None:
    if picture in _FITTED:
        _write(_FITTED[picture](table, *columns[:2]), out)
    else:
        _write(draw_table(table, *columns, colour=colour, picture=picture), out)


def _polynomials(table: Table, x: str | None, y: str | None) -> Picture:
    """Least squares by polynomials of rising degree, side by side."""
    from openbook.linear import LinearRegression, Polynomial

    rows = table.select(_numbers(table, "fit", x, y))
    fits = {f"degree {d}": LinearRegression(basis=Polynomial(d)).fit(rows, y) for d in _DEGREES}
    return draw_fit(fits, rows, y)


def _descent(table: Table, x: str | None, y: str | None) -> Picture:
    return draw_line_descent(table, *_numbers(table, "descent", x, y))


def _likelihood(table: Table, x: str | None, _y: str | None) -> Picture:
    if x is None:
        raise ParameterError("the picture likelihood is of one column; name it by --x")
    return draw_column_likelihood(table, x)


def _numbers(table: Table, picture: str, *names: str | None) -> list[str]:
    """The names of two columns, if they are given and hold numbers."""
    if any(name is None for name in names):
        raise ParameterError(f"the picture {picture} is of two columns of numbers; name them by --x and --y")
    for name in names:
        if not isinstance(table.column(str(name)).attribute, Numeric):
            raise DataError(f"the picture {picture} needs numbers, and {name!r} holds none")
    return [str(name) for name in names]


#: Pictures of functions that are fitted to one or two columns.
_FITTED = {"fit": _polynomials, "descent": _descent, "likelihood": _likelihood}


# models


class ModelPicture(NamedTuple):
    """The request for a picture of a model: its name, the rows and columns, a marked row, and the depth."""

    name: str | None = None
    data: Table | None = None
    columns: Sequence[str] = ()
    row: int | None = None
    depth: int | None = None


def write_model_picture(model: Any, path: Path, asked: ModelPicture, out: Path | None) -> None:
    """The model's own picture, or its predictions over rows: decision regions, a curve, or clusters."""
    with from_file(path):
        if asked.name is not None or asked.row is not None:
            _write(_named(model, path, asked), out)
            return
        if hasattr(inner := unwrapped(model), "network_") and asked.data is None:  # of a threshold, say
            model = inner
        if asked.data is not None:
            _write(_over(model, asked.data, asked.columns), out)
        elif getattr(model, "tree_", None) is not None:
            drawing = model.draw(asked.depth)
            put_out(drawing.text() + "\n" if out is None else drawing.written(out), out)
        elif not hasattr(model, "draw"):
            raise DataError(f"{path} holds {type(model).__name__}, which has no picture")
        elif any(p.default is p.empty for p in inspect.signature(model.draw).parameters.values()):
            what = type(model).__name__
            raise DataError(f"{path} holds {what}, which is drawn over rows; name a table by --data")
        else:
            _write(model.draw(), out)


def _named(model: Any, path: Path, asked: ModelPicture) -> Picture:
    """A picture by name: a `draw_…` method of the model, its path, or decision regions with additions."""
    if asked.row is not None or (asked.name in _REGIONS and hasattr(model, "classes_")):
        rows, target = _rows_of(model, asked)
        show = _REGIONS.get(asked.name or "", ())
        row = None if asked.row is None else rows.drop(target).row(asked.row)
        return draw_boundary(model, rows, target, asked.columns or None, show=show, row=row)
    inner = unwrapped(model)
    drawn = [name for name in dir(inner) if name.startswith("draw_")]
    own = {name.removeprefix("draw_"): getattr(inner, name) for name in drawn}
    if hasattr(inner, "path"):
        own["path"] = lambda: inner.path().draw()
    if asked.name not in own:
        known = (*own, *(_REGIONS if hasattr(model, "classes_") else ()))
        what = f"{path} holds {type(inner).__name__}, which has no picture {asked.name!r}"
        raise ParameterError(f"{what}. {did_you_mean(str(asked.name), known)}" if known else what)
    draw = own[asked.name]
    needed = [name for name, p in inspect.signature(draw).parameters.items() if p.default is p.empty]
    if not needed:
        return draw()
    if "y" in needed:
        rows, target = _rows_of(model, asked)
        return draw(rows, target, asked.columns or None)
    if asked.data is None:
        raise DataError(f"the picture {asked.name} is drawn over rows; name a table by --data")
    names = list(inner.schema_.given.names)
    if not asked.columns and len(names) != 2:
        raise DataError(f"the picture {asked.name} is of two columns; name them by --x and --y")
    return draw(asked.data.select(names), asked.columns or None)


def _rows_of(model: Any, asked: ModelPicture) -> tuple[Table, str]:
    """The rows to draw a classifier or a regressor over, and its target among them."""
    target = getattr(model, "target_", None)
    if asked.data is None or target is None:
        raise DataError("this picture is drawn over rows with their target; name a table by --data")
    if target not in asked.data.schema:
        raise DataError(f"--data needs the column {target!r}, which the model predicts")
    if asked.row is not None and not 0 <= asked.row < len(asked.data):
        raise DataError(f"there is no row {asked.row}: the rows of --data are 0 to {len(asked.data) - 1}")
    return asked.data, target


def _over(model: Any, rows: Table, columns: Sequence[str]) -> Any:
    target = getattr(model, "target_", None)
    if isinstance(model, SequenceModel):
        rows = with_its_sequence(model, rows, 0)
        return model.draw(rows if target is None or target not in rows.schema else rows.drop(target))
    if target is None:
        if not inspect.signature(model.draw).parameters:
            raise DataError(f"{type(model).__name__} is drawn without rows; omit --data")
        return model.draw(rows, columns or None)
    rows, target = _rows_of(model, ModelPicture(data=rows))
    return draw_predictions(model, rows, target, columns or None)


# studies

#: Pictures of all learners of a study.
STUDIES = ("comparison", "roc", "costs")


def write_study_picture(folder: Path, picture: str, out: Path | None) -> None:
    """The learners of a study in one picture: scores with intervals; ROC or cost curves of the best."""
    from openbook.judge import Roc, draw_cost_curves, draw_rocs
    from openbook.plan.beside import SavedStudy

    comparison = SavedStudy.open(folder).comparison
    if picture == "comparison":
        _write(comparison.draw(), out)
        return
    judged = [one for one in comparison.evaluations.values() if one.one_round.proba is not None]
    if not judged or judged[0].n_classes != 2:
        raise DataError(f"the picture {picture} is for studies of two classes")
    rocs = sorted(((one.name, Roc.from_evaluation(one)) for one in judged), key=lambda named: -named[1].auc)
    draw = draw_rocs if picture == "roc" else draw_cost_curves
    _write(draw(dict(rocs[:_MOST_CURVES])), out)


def _write(picture: Any, out: Path | None) -> None:
    if out is None:
        raise DataError("name the file to write: --out picture.svg")
    picture.save(out)
