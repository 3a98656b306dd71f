"""`results.jsonl`: the results of a study so far, one line each, written as they come.

    {"format": 2, "plan": fingerprint, "openbook": version}         the first line
    {"learner": label, "part": part, "result": …}                   a FoldResult each, without its times
    {"learner": label, "part": "skipped", "fold": i, "reason": …}   the learner dropped out, and why
    {"part": "look", "look": name, "of": state, "found": …}         the result of a later step
    (`plain_json.py`)

The parts are "folds", "test", and those that are evaluated after the choice: "threshold", with a tuned one,
"labelled", without the unlabelled rows, "not asked", without the rows asked for, and "without " some columns.
A look is valid for its folds, whose digest is the state: if a resumed study has more folds, it looks again.

A line counts once its end is in the file. A killed study leaves at most one incomplete line at the end, which
is cut off when it resumes. A bad line anywhere else means that the file was changed, and is an error. A power
cut costs the lines of the last second.

Threads finish in any order. `settle` puts the lines in the order of the plan, so that the same study leaves
the same bytes. For the same reason no times are kept.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import openbook
from openbook.errors import DataError, PlanError
from openbook.judge.folds.results import FoldResult
from openbook.plan.files import write_text
from openbook.plan.plain_json import Known, from_plain, to_plain

#: The parts of a study that are judged fold by fold; further ones begin with "without ".
_PARTS = ("folds", "labelled", "not asked", "test", "threshold")

_FORMAT = 2
#: The seconds after which written lines are synced to disk.
_SYNC = 1.0
_REMEDY = "start over with --fresh, or keep both with --out"

#: The fields of a FoldResult that differ between runs.
_TIMES = ("fit_seconds", "predict_seconds")


class Skipped(NamedTuple):
    """Why a learner dropped out, and in which fold; -1 before the first."""

    fold: int
    reason: str


class Log:
    """The results by part, learner and fold; `append` while it is open.

    Attributes
    ----------
    results : FoldResult by part, learner and fold; those that were read have no times (NaN)
    skipped : Skipped by learner
    looks : for each later step the state and the plain data of its result
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.results: dict[tuple[str, str, int], FoldResult] = {}
        self.skipped: dict[str, Skipped] = {}
        self.looks: dict[str, tuple[str, Any]] = {}
        self._synced = 0.0
        self._header = {"format": _FORMAT, "plan": fingerprint, "openbook": openbook.__version__}
        if not path.exists() or not self._whole_lines():
            write_text(path, _line(self._header))
        self._state = _digest(_line(self._header))
        self._read()

    @contextmanager
    def open(self) -> Iterator["Log"]:
        """Cut off an incomplete last line, so that lines can be appended."""
        with self.path.open("r+b") as file:
            file.truncate(sum(map(len, self._whole_lines())))
        yield self

    def append(self, part: str, learner: str, result: FoldResult) -> None:
        """Save a result."""
        self.results[part, learner, result.index] = result
        self._write(_result_record(part, learner, result))

    def skip(self, learner: str, fold: int, reason: str) -> None:
        """Log that a learner drops out; of several reasons, that of the first fold counts."""
        if learner in self.skipped and self.skipped[learner].fold <= fold:
            return
        self.skipped[learner] = Skipped(fold, reason)
        self._write(_skipped_record(learner, self.skipped[learner]))

    def judged(self, part: str, learner: str, fold: int, judge: Callable[[], FoldResult]) -> FoldResult:
        """The result of a fold: the saved one, else a new one, which is saved."""
        if (part, learner, fold) not in self.results:
            self.append(part, learner, judge())
        return self.results[part, learner, fold]

    def cached(self, name: str, kind: Any, find: Callable[[], Any], known: Known | None = None) -> Any:
        """The result of a step: the saved one for these folds, else a new one, which is saved.

        Parameters
        ----------
        name : of the step
        kind : the type of the result
        find : computes it
        known : the values that are written by name, see `plain_json.py`
        """
        state, plain = self.looks.get(name, (None, None))
        if state != self._state:
            plain = to_plain(find(), known or {})
            self.looks[name] = self._state, plain
            self._write(_look_record(name, self._state, plain))
        try:
            return from_plain(plain, kind, known or {})
        except DataError as error:
            raise PlanError(f"{self.path}: its result of {name!r} is damaged ({error}); {_REMEDY}") from None

    def settle(self, labels: Sequence[str]) -> None:
        """Write the lines in the order of the plan: fold by fold, then tests, then looks.

        Looks at other folds are removed. So are the folds of a learner that dropped out: their number depends
        on chance.
        """
        order = {label: i for i, label in enumerate(labels)}
        for key in [key for key in self.results if key[0] == "folds" and key[1] in self.skipped]:
            del self.results[key]
        results = sorted(self.results.items(), key=lambda item: (item[0][0], item[0][2], order[item[0][1]]))
        skipped = sorted(self.skipped.items(), key=lambda item: order[item[0]])
        lines = [_line(self._header), *(_line(_skipped_record(*item)) for item in skipped)]
        lines += [_line(_result_record(*key[:2], result)) for key, result in results if key[0] == "folds"]
        self._state = _digest("".join(lines))
        lines += [_line(_result_record(*key[:2], result)) for key, result in results if key[0] != "folds"]
        self.looks = {name: look for name, look in sorted(self.looks.items()) if look[0] == self._state}
        lines += [_line(_look_record(name, *look)) for name, look in self.looks.items()]
        text = "".join(lines)
        if text.encode() != self.path.read_bytes():
            write_text(self.path, text)

    def _write(self, record: dict[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(_line(record).encode())
            if monotonic() - self._synced > _SYNC:
                file.flush()
                os.fsync(file.fileno())
                self._synced = monotonic()

    def _whole_lines(self) -> list[bytes]:
        lines = self.path.read_bytes().splitlines(keepends=True)
        return lines if not lines or lines[-1].endswith(b"\n") else lines[:-1]

    def _read(self) -> None:
        lines = self._whole_lines()
        header, found = self._header, self._record(lines[0], 1)
        for key, words in (("format", "of another format"), ("plan", "of another plan or other rows")):
            if found.get(key) != header[key]:
                raise PlanError(f"{self.path} holds results {words}; {_REMEDY}")
        if found.get("openbook") != header["openbook"]:
            theirs, ours = found.get("openbook"), header["openbook"]
            raise PlanError(f"{self.path} holds results of openbook {theirs}, and this is {ours}; {_REMEDY}")
        for number, line in enumerate(lines[1:], start=2):
            record = self._record(line, number)
            try:
                self._take(record)
            except (DataError, KeyError, TypeError, ValueError) as error:
                raise PlanError(f"{self.path}, line {number}: not a result ({error}); {_REMEDY}") from None

    def _take(self, record: dict[str, Any]) -> None:
        if record["part"] == "look":
            self.looks[str(record["look"])] = str(record["of"]), record["found"]
            return
        part, learner = record["part"], str(record["learner"])
        if part == "skipped":
            self.skipped[learner] = Skipped(int(record["fold"]), str(record["reason"]))
        elif part in _PARTS or str(part).startswith("without "):
            result = FoldResult.from_json({**record["result"], **dict.fromkeys(_TIMES, math.nan)})
            self.results[part, learner, result.index] = result
        else:
            raise DataError(f"this version knows no part {part!r}")

    def _record(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise PlanError(f"{self.path}, line {number}: damaged; {_REMEDY}")
        return record


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, allow_nan=False) + "\n"


def _result_record(part: str, learner: str, result: FoldResult) -> dict[str, Any]:
    plain = {key: value for key, value in result.to_json().items() if key not in _TIMES}
    return {"learner": learner, "part": part, "result": plain}


def _look_record(name: str, state: str, plain: Any) -> dict[str, Any]:
    return {"part": "look", "look": name, "of": state, "found": plain}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _skipped_record(learner: str, skipped: Skipped) -> dict[str, Any]:
    return {"learner": learner, "part": "skipped", "fold": skipped.fold, "reason": skipped.reason}
