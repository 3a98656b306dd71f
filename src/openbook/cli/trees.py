"""The rules of the tree in a model file."""

import json
from pathlib import Path

from openbook.cli.output import put_out
from openbook.errors import DataError
from openbook.plan.files import write_text
from openbook.store import from_file, open_model

__all__ = ["write_rules"]


def write_rules(path: Path, form: str, out: Path | None) -> None:
    model = open_model(path)
    if not hasattr(model, "rules"):
        msg = f"{path} holds {type(model).__name__}, which has no rules; see openbook work {path}"
        raise DataError(msg)
    with from_file(path):
        listed = model.rules()
    if form == "json":
        written = json.dumps(listed.to_json(), indent=2, ensure_ascii=False)
    else:
        written = listed.sql() if form == "sql" else listed.text()
    if out is None:
        put_out(written + "\n")
    else:
        write_text(out, written + "\n")
