"""Pieces that leave a note of who loaded them; a module that worker processes can import."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Noted:
    """A piece that notes the process that loads it, and takes its time when it does so first."""

    piece: Any
    notes: Path
    number: int
    seconds: float = 0.0

    @property
    def rows(self) -> int:
        return self.piece.rows

    def __len__(self) -> int:
        return len(self.piece)

    def load(self) -> Any:
        note = self.notes / f"{self.number}-{os.getpid()}"
        if not note.exists():  # later rounds need no time
            note.touch()
            time.sleep(self.seconds)
        return self.piece.load()


def get_ready() -> int:
    """Import what a fit needs, so that all workers start level; returns the process."""
    import openbook.bayes  # noqa: F401

    return os.getpid()


def note_folds(folder: Path) -> None:
    """Let every fold of a study that this process judges leave a note."""
    from openbook.plan.judging import StudyFolds

    plain = StudyFolds.result

    def result(self: Any, label: str, i: int) -> Any:
        (folder / f"{i}-{os.getpid()}-{label}").touch()
        return plain(self, label, i)

    StudyFolds.result = result  # type: ignore[method-assign]
