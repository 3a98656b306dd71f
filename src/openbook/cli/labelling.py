"""Labelling in the terminal: a question, a key, and the progress of the classifier.

Every fifth row is drawn at random and predicted before its label is known. These rows give an unbiased
estimate of the accuracy, unlike the selected rows. The first rows are drawn at random too, until two classes
have two labels each, since a classifier fitted to one row is certain of everything. A column of the written
table marks the requested labels, so that a study tests only the others. Keys come one by one from a terminal,
and line by line from a pipe.

At the end it offers to find out whether the answers helped: the user labels some rows on which the
classifiers without and with them disagree (`label.differing_rows`). The result is shown after the last one.
"""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console

from openbook.border.rows import NO_LABEL, labels_among
from openbook.cli.predictions import written
from openbook.cli.screen import console, say
from openbook.data import Column, Nominal, Numeric, Schema, Table
from openbook.data.asked import asked_column, asked_rows
from openbook.data.attributes import as_text
from openbook.errors import DataError
from openbook.judge.chance.intervals import wilson
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.label.answers import AnswerFile
from openbook.label.asker import Asker
from openbook.label.differing_rows import Gain, differing_rows
from openbook.label.effect import asked_effect
from openbook.label.stopping import WINDOW
from openbook.registry import learner
from openbook.words.numbers import shown
from openbook.words.sentences import plural, printable

#: One in this many questions is for a row drawn at random.
CHECKED = 5
#: The labels that each of two classes needs before rows are selected, and the number that is enough in all.
FIRST, ENOUGH = 2, 20

#: The rows labelled to compare two classifiers, and the fewest with which McNemar's test can be significant.
COMPARED, FEWEST = 20, 6

_SKIP, _UNDO, _WHY, _QUIT = "suwq"
_KEYS = [key for key in "1234567890abcdefghijklmnopqrstuvwxyz" if key not in (_SKIP, _UNDO, _WHY, _QUIT)]
#: Keys of a terminal: the end of the input, also typed ahead, and the first byte of arrows and their like.
_ENDS, _ESCAPE = ("\x04", "\0"), b"\x1b"
_BARS = "▁▂▃▄▅▆▇█"
_LONGEST = 600
#: With more cells than this, all of them short, they are printed on one line.
_CELLS, _SHORT = 20, 20
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")


class Labelling:
    """A session of labelling: the rows, the answers so far, and the classifier that selects the rows."""

    def __init__(
        self,
        table: Table,
        target: str,
        classes: Sequence[str] = (),
        *,
        answers: Path,
        name: str = "naive_bayes",
        strategy: str = "margin",
        cost: float = 1.0,
        ignore: Sequence[str] = (),
    ) -> None:
        self.table, self.target, self.cost = table, target, cost
        given = table.column(target) if target in table.names else None
        self.marks = asked_column(target)
        rows = table.drop(*(name for name in (target, self.marks) if name in table.names))
        labels = _labels_of(given, classes) if given is not None else [None] * len(rows)
        self.classes = _classes(target, classes, labels)
        self.keys = _keys(self.classes)
        self.answers = AnswerFile(answers, rows, self.classes)
        before = np.flatnonzero(asked_rows(table.column(self.marks))) if self.marks in table.names else ()
        self.asked_before = {int(row) for row in before}
        self.rows = rows.drop(*ignore)
        self.random = np.random.default_rng(len(self.answers.lines))
        self.skipped: set[int] = set()
        self.again: list[tuple[int, bool]] = []  # rows to ask for first, after an undo
        self.gain: Gain | None = None

        def asker() -> Asker:
            codes = np.array([-1 if label is None else self.classes.index(label) for label in labels])
            column = Column(Nominal(target, self.classes), codes.astype(np.int32))
            return Asker(learner(name).make(), strategy).fit(self.rows, column)

        answered = [*self.answers.labels.items()]
        with collected_warnings():  # with few labels, every fit warns
            self.before = asker().estimator_
            for row, label in answered[:-WINDOW]:
                labels[row] = label
            self.asker = asker()
            for row, label in answered[-WINDOW:]:  # one by one: the stopping rule needs the last gains
                self.asker.teach([row], [label])

    @property
    def labels(self) -> list[Any]:
        return self.asker.labels_

    def run(self) -> None:
        """Ask until the user quits or no row is left; then offer to compare."""
        screen = console()
        self._greet(screen)
        _forget_keys()  # nobody can have read the first question yet
        while (question := self._next()) is not None:
            row, drawn = question
            self._show(screen, row, ", drawn at random" if drawn else "")
            if not self._answer(screen, row, drawn=drawn):
                break
        else:
            say(screen, "Every row has a label or was skipped.")
        self._compare(screen)

    def _compare(self, screen: Console) -> None:
        """Ask for labels of rows on which the classifiers with and without the answers disagree."""
        free = [i for i, label in enumerate(self.labels) if label is None]
        if self.before is None or not self.answers.labels or not free:
            return
        found = differing_rows(self.before, self.asker.estimator_, self.rows.take(free))
        if (count := min(COMPARED, len(found.rows))) < FEWEST:
            return
        answers = plural(len(self.answers.labels), "answer")
        differ = f"disagree on {len(found.rows):,} of the {plural(len(free), 'row')} left"
        which = f"{count} of these, drawn at random, show which is better."
        say(
            screen,
            f"\nDid your {answers} help? The classifiers fitted without and with them {differ}. {which}",
        )
        say(screen, f"Label {count} more?  [y]es [q]uit", style="bold")
        if _key() != "y":
            return
        drawn = found.sample(count, self.random)
        for number, i in enumerate(drawn, 1):
            self._show(screen, free[i], f", {number} of {count} on which the two disagree")
            if not self._answer(screen, free[i], drawn=False):
                break
        if labelled := [i for i in drawn if self.labels[free[i]] is not None]:
            self.gain = found.gain(labelled, [self.labels[free[i]] for i in labelled])

    def _greet(self, screen: Console) -> None:
        known = sum(label is not None for label in self.labels)
        say(screen, f"{plural(len(self.labels), 'row')}, {known:,} with a label of {self.target}.")
        if self.answers.lines:
            say(screen, f"Resuming: {plural(len(self.answers.labels), 'answer')} in {self.answers.path}.")

    def _next(self) -> tuple[int, bool] | None:
        """The row to ask for, and whether it was drawn at random; None if no row is left."""
        if self.again:
            return self.again.pop()
        free = [i for i, label in enumerate(self.labels) if label is None and i not in self.skipped]
        if not free:
            return None
        asked = len(self.answers.lines) + len(self.skipped) + 1
        if asked % CHECKED == 0 or self._begins or self.asker.strategy == "random":
            return int(self.random.choice(free)), True
        order = self.asker.ask(len(self.skipped) + 1)
        return next(row for row in order if row not in self.skipped), False

    @property
    def _begins(self) -> bool:
        """Whether there are too few labels for the classifier's uncertainty to mean anything."""
        counts = Counter(label for label in self.labels if label is not None)
        few = len(counts) < 2 or counts.most_common(2)[1][1] < FIRST
        return self.asker.estimator_ is None or (few and counts.total() < ENOUGH)

    def _show(self, screen: Console, row: int, why: str) -> None:
        say(screen, "")
        say(screen, f"Row {row}{why}", style="bold")
        cells = {name: _cell(value) for name, value in self.rows.row(row).items()}
        width = max(map(len, cells))
        if len(cells) > _CELLS and max(map(len, cells.values())) <= _SHORT:
            say(screen, "  " + " · ".join(f"{name} {cell}" for name, cell in cells.items()))
        else:
            for name, cell in cells.items():
                say(screen, f"  {name:<{width}}  {cell}", hang=width + 4)
        self._ask(screen)

    def _ask(self, screen: Console) -> None:
        keys = "  ".join(f"[{key}] {label}" for key, label in self.keys.items())
        say(screen, f"{self.target}?  {keys}  · [s]kip [u]ndo [w]hy [q]uit", style="bold")

    def _answer(self, screen: Console, row: int, *, drawn: bool) -> bool:
        """Read keys until the row is labelled or skipped; False to quit."""
        while True:
            key = _key()
            if key in self.keys:
                self._teach(screen, row, self.keys[key], drawn=drawn)
                return True
            if key == _SKIP:
                self.skipped.add(row)
                return True
            if key == _UNDO and not self.answers.labels:
                say(screen, "There is no answer to undo.")
            elif key == _UNDO:
                self.again += [(row, drawn), self._undo(screen)]
                return True
            elif key in ("", _QUIT):
                return False
            elif key == _WHY and self.labels[row] is None:
                say(screen, self.asker.work(row).text())
                self._ask(screen)
            else:
                say(screen, f"{printable(key)!r} is not a key here; keys: {' '.join([*self.keys, *'suwq'])}")

    def _teach(self, screen: Console, row: int, label: str, *, drawn: bool) -> None:
        model = self.asker.estimator_ if drawn else None
        guess = "" if model is None else as_text(model.predict(self.rows.take([row]))[0])
        self.answers.add(row, label, guess, drawn=drawn)
        with collected_warnings():
            self.asker.teach([row], [label])
        self._progress(screen)

    def _undo(self, screen: Console) -> tuple[int, bool]:
        """Undo the last answer; return its row, and whether it was drawn at random."""
        row = [*self.answers.labels][-1]
        drawn = row not in self.answers.asked
        self.answers.add(row, "")
        with collected_warnings():
            self.asker.teach([row], [None])
        say(screen, f"Row {row} has no label again.")
        return row, drawn

    def _progress(self, screen: Console) -> None:
        known = sum(label is not None for label in self.labels)
        rule = self.asker.stopping(self.cost, self.asked)
        say(screen, f"{plural(known, 'label')}. {rule}", style="green")
        if rule.enough:
            say(screen, f"  expected errors  {_curve(rule.shares)}  {shown(rule.share)} of the rows left")
        if checked := self.answers.checked:
            right, n = sum(checked), len(checked)
            found = f"{right} of {n} right, {wilson(right, n)}"
            say(screen, f"  rows drawn at random, predicted before you labelled them: {found}")

    def labelled(self) -> Table:
        """The table with its present labels, and a column that marks those that were requested."""
        codes = [-1 if label is None else self.classes.index(label) for label in self.labels]
        asked = set(self.asked)
        marks = [-1 if code < 0 else int(row in asked) for row, code in enumerate(codes)]
        names = [name for name in self.table.names if name not in (self.target, self.marks)]
        added = Nominal(self.target, self.classes), Nominal(self.marks, ("no", "yes"))
        schema = Schema((*self.table.schema.select(names), *added))
        columns = [np.array(one, dtype=np.int32) for one in (codes, marks)]
        return Table(schema, [*(self.table.data(name) for name in names), *columns])

    @property
    def asked(self) -> list[int]:
        """The rows that the classifier selected, in this session or an earlier one."""
        return sorted((self.asked_before - set(self.answers.labels)) | set(self.answers.asked))

    def write(self, out: Path) -> None:
        """Write the table with its labels, and say what to do next."""
        written(out, self.labelled())
        screen = console()
        known = sum(label is not None for label in self.labels)
        rows = plural(len(self.labels), "row")
        answers = f" Answers: {self.answers.path}." if self.answers.lines else ""
        say(screen, f"{out}: {known:,} of {rows} with a label.{answers}")
        self._say_effect(screen)
        say(screen, f"Next: openbook study {out} --target {self.target}")

    def _say_effect(self, screen: Console) -> None:
        """Print how much the answers helped the classifier, and that they may help others less."""
        if not (asked := self.asked):
            return
        try:
            effect = f"Without and with your answers: {self.gain}"
            if self.gain is None:
                effect = str(asked_effect(self.asker.estimator, self.rows, self.labels, asked, repeats=3))
        except DataError:
            what = "the effect of the requested labels"
            effect = f"Too few labelled rows were drawn at random to measure {what}."
        say(screen, effect)
        say(
            screen,
            f"The requested rows are harder than the others. The column {self.marks} marks them: a study of"
            " this file uses them for training and tests on the other labelled rows. They may help other"
            " learners less than the one that selected them.",
        )


def _labels_of(column: Column, named: Sequence[str]) -> list[Any]:
    """The labels as texts, None if a row has none.

    Among numbers, -1 means no label, as in `fit`, if there are two or more others, or classes were named.
    """
    no_label = column.missing
    if isinstance(column.attribute, Numeric):
        classes = named or [as_text(label) for label in labels_among(column.data[~no_label]).tolist()]
        if as_text(NO_LABEL) not in classes:
            no_label = no_label | (column.data == NO_LABEL)
    cells = zip(column.tolist(), no_label.tolist(), strict=True)
    return [None if none else as_text(label) for label, none in cells]


def _classes(target: str, named: Sequence[str], labels: list[Any]) -> tuple[str, ...]:
    """The classes that were named, and those that the labels have."""
    found = dict.fromkeys([*named, *sorted({label for label in labels if label is not None})])
    if len(found) < 2:
        raise DataError(f"name the classes of {target!r}, such as --classes yes,no")
    if len(found) > len(_KEYS):
        msg = f"{target!r} has {len(found)} classes, and there are keys for {len(_KEYS)}; is it the target?"
        raise DataError(msg)
    return tuple(found)


def _keys(classes: Sequence[str]) -> dict[str, str]:
    """The class of each key: a class of one letter or digit is its own key, the others get the free keys."""
    own = {label.lower(): label for label in reversed(classes) if label.lower() in _KEYS}
    free = (key for key in _KEYS if key not in own)
    key_of = {label: key for key, label in own.items()}
    return {key_of.get(label) or next(free): label for label in classes}


def _cell(value: Any) -> str:
    """A cell for people: of the path of an image the file, and of a long text the beginning."""
    missing = value is None or value != value  # noqa: PLR0124 (NaN)
    text = "missing" if missing else as_text(value)
    if text.lower().endswith(_IMAGES):
        text = text.replace("\\", "/").rsplit("/", 1)[-1]
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _curve(trace: Sequence[float], width: int = 40) -> str:
    """A line of bars, the last `width` values."""
    some = trace[-width:]
    top = max(*trace, 1e-12)
    return "".join(_BARS[min(int(share / top * len(_BARS)), len(_BARS) - 1)] for share in some)


def _key() -> str:
    """The next key; "" where the input ends."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip().lower() or ("" if not line else " ")
    try:
        key = _key_of_terminal(sys.stdin.fileno()) if os.name == "posix" else typer.getchar()
    except (EOFError, KeyboardInterrupt):
        return ""
    return "" if key in _ENDS else key.lower()


def _forget_keys() -> None:
    """Drop the keys that were typed into a terminal before it asked for any."""
    if sys.stdin.isatty() and os.name == "posix":
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _key_of_terminal(terminal: int) -> str:
    """The next key, also if it was typed before it was asked for, when `typer.getchar` would lose it."""
    import select
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        key = os.read(terminal, 1)
        if key == _ESCAPE or key > b"\x7f":  # an arrow, or a letter of several bytes: one key in all
            while select.select([terminal], [], [], 0)[0]:
                key += os.read(terminal, 32)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return key.decode("utf-8", "replace")
