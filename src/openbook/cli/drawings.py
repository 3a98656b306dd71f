"""Pictures from the command line: of a table, of a model, and of a model over rows."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openbook.cli.derivations import with_its_sequence
from openbook.cli.output import put_out
from openbook.data import Table
from openbook.draw import draw_predictions, draw_table
from openbook.errors import DataError
from openbook.plan.files import write_text
from openbook.report.fitted import unwrapped
from openbook.sequence.sequence_model import SequenceModel
from openbook.store import from_file, open_model

__all__ = ["is_model", "model_in", "write_model_picture", "write_table_picture"]


def is_model(source: str) -> bool:
    """Whether this names a model file or the folder of a study."""
    path = Path(source)
    return path.suffix == ".openbook" or (path / "model.openbook").is_file()


def model_in(path: Path) -> Any:
    with from_file(path):
        return open_model(path)


def write_table_picture(
    table: Table, columns: Sequence[str | None], colour: str | None, picture: str | None, out: Path | None
) -> None:
    _write(draw_table(table, *columns, colour=colour, picture=picture), out)


def write_model_picture(
    model: Any, path: Path, rows: Table | None, columns: Sequence[str], depth: int | None, out: Path | None
) -> None:
    """The model's own picture, or what it says over rows: decision regions, a curve, or clusters."""
    with from_file(path):
        if hasattr(inner := unwrapped(model), "network_") and rows is None:  # of a threshold, say
            model = inner
        if rows is not None:
            _write(_over(model, rows, columns), out)
        elif getattr(model, "tree_", None) is not None:
            drawing = model.draw(depth)
            if out is None:
                put_out(drawing.text() + "\n")
            else:
                write_text(out, drawing.written(out))
        elif not hasattr(model, "draw"):
            raise DataError(f"{path} holds {type(model).__name__}, which has no picture")
        elif any(p.default is p.empty for p in inspect.signature(model.draw).parameters.values()):
            what = type(model).__name__
            raise DataError(f"{path} holds {what}, which is drawn over rows; name a table by --data")
        else:
            _write(model.draw(), out)


def _over(model: Any, rows: Table, columns: Sequence[str]) -> Any:
    target = getattr(model, "target_", None)
    if isinstance(model, SequenceModel):
        rows = with_its_sequence(model, rows, 0)
        return model.draw(rows if target is None or target not in rows.schema else rows.drop(target))
    if target is None:
        return model.draw(rows, columns or None)
    if target not in rows.schema:
        raise DataError(f"--data needs the column {target!r}, which the model predicts")
    return draw_predictions(model, rows, target, columns or None)


def _write(picture: Any, out: Path | None) -> None:
    if out is None:
        raise DataError("name the file to write: --out picture.svg")
    picture.save(out)
