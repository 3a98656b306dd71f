"""`results.jsonl`: what a study found so far, a line for each fold, written as it comes.

    {"format": 1, "plan": fingerprint, "openbook": version}         the first line
    {"learner": label, "part": "folds" or "test", "result": …}      a FoldResult each

A line counts once its end is on the disk. A kill leaves at most one torn line at the end, which is cut off
when the study goes on; a bad line anywhere else means that the file was changed, and is refused.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

import openbook
from openbook.errors import DataError, PlanError
from openbook.judge.results import FoldResult
from openbook.plan.files import write_text

__all__ = ["Log"]

Part = Literal["folds", "test"]

_FORMAT = 1
_REMEDY = "start over with --fresh, or keep both with --out"


class Log:
    """The results by part, learner and fold; `append` while it is open."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.results: dict[tuple[Part, str, int], FoldResult] = {}
        self._file: BinaryIO | None = None
        header = {"format": _FORMAT, "plan": fingerprint, "openbook": openbook.__version__}
        if not path.exists() or not self._whole_lines():
            write_text(path, json.dumps(header) + "\n")
        self._read(header)

    @contextmanager
    def open(self) -> Iterator["Log"]:
        """Cut off a torn last line and get ready to append."""
        with self.path.open("r+b") as self._file:
            self._file.truncate(sum(map(len, self._whole_lines())))
            self._file.seek(0, os.SEEK_END)
            yield self

    def append(self, part: Part, learner: str, result: FoldResult) -> None:
        """Put a result on the disk."""
        assert self._file is not None
        record = {"learner": learner, "part": part, "result": result.to_json()}
        self._file.write(json.dumps(record, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.results[part, learner, result.index] = result

    def _whole_lines(self) -> list[bytes]:
        lines = self.path.read_bytes().splitlines(keepends=True)
        return lines if not lines or lines[-1].endswith(b"\n") else lines[:-1]

    def _read(self, header: dict[str, Any]) -> None:
        lines = self._whole_lines()
        found = self._record(lines[0], 1)
        for key, words in (("format", "of another format"), ("plan", "of another plan or other rows")):
            if found.get(key) != header[key]:
                raise PlanError(f"{self.path} holds results {words}; {_REMEDY}")
        if found.get("openbook") != header["openbook"]:
            theirs, ours = found.get("openbook"), header["openbook"]
            msg = f"{self.path} holds results of openbook {theirs}, and this is {ours}; {_REMEDY}"
            raise PlanError(msg)
        for number, line in enumerate(lines[1:], start=2):
            record = self._record(line, number)
            try:
                result = FoldResult.from_json(record["result"])
                self.results[record["part"], record["learner"], result.index] = result
            except (DataError, KeyError, TypeError) as error:
                raise PlanError(f"{self.path}, line {number}: not a result ({error}); {_REMEDY}") from None

    def _record(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise PlanError(f"{self.path}, line {number}: damaged; {_REMEDY}")
        return record
