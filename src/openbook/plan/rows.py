"""The rows of a study by their use; positions count the rows whose target is known."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from openbook.border.rows import refuse_infinity
from openbook.data import Column, Table
from openbook.data.asked import asked_rows
from openbook.errors import PlanError
from openbook.judge import (
    Comparison,
    Evaluation,
    FoldResult,
    Metric,
    Protocol,
    Tuning,
    cost_metric,
    lock_away,
    protocol,
)
from openbook.judge.folds.examples import Examples, RowsOfFold, Split
from openbook.judge.folds.fit_folds import Fitted
from openbook.judge.folds.splitters import TestGroups, group_codes, time_codes
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.judge.scores.positive import positive_last
from openbook.plan.counts import counted_rows, weights_of
from openbook.plan.log import Log
from openbook.plan.money import COST, by_decision
from openbook.plan.parts import Contestant
from openbook.plan.plan import Plan
from openbook.registry.costs import encoded_width
from openbook.store import digest, open_model, save

#: Fewer rows are judged in processes rather than on threads.
_FEW = 2_000


class _FinalFit(NamedTuple):
    """The digest of the final fit in its file, and the learner's warnings."""

    digest: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class StudyRows:
    """The rows of a table, as a plan uses them."""

    plan: Plan
    table: Table

    @cached_property
    def known(self) -> np.ndarray:
        """Positions in the table of the rows with a target; in order of time, where there is one.

        If weights are frequencies, a position is repeated by its row's weight.
        """
        roles = self.plan.roles
        known = np.flatnonzero(~self.table.column(roles.target).missing)
        if self.copies:
            known = counted_rows(known, self._given_weights, str(roles.weight))
        if roles.time is None:
            return known
        when = time_codes(self.table.column(roles.time).take(known), len(known))
        return known[np.argsort(when, kind="stable")]

    @cached_property
    def X(self) -> Table:  # noqa: N802 (the field's own name)
        """Every input; infinity, which no learner takes, is refused before the first fold."""
        inputs = self.plan.roles.inputs(self.table)
        refuse_infinity(inputs)
        return inputs.take(self.known)

    @cached_property
    def y(self) -> Column:
        """The target, the positive one of two classes last."""
        return positive_last(self._column(self.plan.roles.target), self.plan.roles.positive)

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The inputs that each contestant is given."""
        names, sequence = self.X.names, self.plan.roles.sequence

        def seen(each: Contestant) -> tuple[str, ...]:
            own = each.hypothesis.columns(names) if each.hypothesis else names
            return own if sequence is None or not each.candidate.of_sequences else (*own, sequence)

        return {each.label: seen(each) for each in self.plan.contestants}

    def inputs(self, label: str) -> Table:
        """The columns that a contestant is given, of all rows."""
        return self._selected(self.columns[label])

    @cached_property
    def _selected(self) -> Any:
        return cache(lambda names: self.X if names == self.X.names else self._seen.select(names))

    @cached_property
    def _seen(self) -> Table:
        """Every input, and the column that names each row's sequence, for sequence models."""
        sequence = self.plan.roles.sequence
        if sequence is None:
            return self.X
        return self.table.select([*self.X.names, sequence]).take(self.known)

    @cached_property
    def weights(self) -> np.ndarray | None:
        """How much each row counts in learning; None if all count the same, or rows are repeated."""
        return self._given_weights[self.known] if self.plan.weighs else None

    @property
    def copies(self) -> bool:
        """Whether equal rows are copies of one, made because its weight is a frequency."""
        return self.plan.roles.weight is not None and self.plan.protocol.weights == "frequency"

    @cached_property
    def _given_weights(self) -> np.ndarray:
        """The weight of every row of the table."""
        return weights_of(self.table, str(self.plan.roles.weight), self.plan.roles.target)

    @property
    def names(self) -> Column | None:
        """The names of the rows, if a column has them."""
        name = self.plan.roles.id
        return None if name is None else self._column(name)

    def _column(self, name: str) -> Column:
        return self.table.column(name).take(self.known)

    @cached_property
    def asked(self) -> np.ndarray | None:
        """Whether the label of each row was requested: such rows only train. None without such a column."""
        name = self.plan.roles.asked
        return None if name is None else asked_rows(self._column(name))

    @property
    def n_fair(self) -> int:
        """The number of rows that may be tested: all but those whose labels were requested."""
        return len(self.known) - (0 if self.asked is None else int(self.asked.sum()))

    @cached_property
    def order(self) -> dict[str, Column]:
        """The groups and the time by which rows are split, if there are any."""
        named = {"groups": self.plan.roles.together, "time": self.plan.roles.time}
        return {role: self._column(name) for role, name in named.items() if name is not None}

    def to_work(self, label: str, row: int) -> Table:
        """The rows that the work of a contestant derives: the row or, for a sequence model, its sequence."""
        candidate, sequence = self.plan.contestant(label).candidate, self.plan.roles.sequence
        if sequence is None or not candidate.of_sequences or candidate.parameters.get("alone"):
            return self.X.take([row])
        names = self._column(sequence).data
        return self._seen.take(np.flatnonzero(names == names[row]))

    def width(self, label: str) -> int:
        """The number of a contestant's columns after one-hot encoding."""
        return encoded_width(self.inputs(label))

    def model(self, label: str, gone: Collection[str] = ()) -> Any:
        """A contestant, unfitted, without the steps that need columns in `gone`."""
        return self.plan.model(label, self.metrics[0], gone)

    @property
    def test_groups(self) -> TestGroups:
        """Whether groups that are tested may also train, by their earlier rows."""
        return self.plan.protocol.test_groups or "new"

    @cached_property
    def examples(self) -> Examples:
        """All rows with all inputs, encoded once for every contestant and every fold."""
        order = self.order.get("groups"), self.test_groups, self.order.get("time")
        known = Examples.of(self._seen, self.y, self.plan.task, self.weights, *order)
        return replace(known, unlabelled=self.unlabelled)

    @cached_property
    def unlabelled(self) -> Table | None:
        """The rows without a target, where a learner of the plan can use them; else None."""
        if not self.plan.uses_unlabelled:
            return None
        free = np.flatnonzero(self.table.column(self.plan.roles.target).missing)
        return self.table.drop(*self.plan.roles.no_inputs).take(free) if len(free) else None

    @cached_property
    def _examples_of(self) -> Any:
        return cache(self.examples.select)

    def cut(self, label: str, train: np.ndarray, test: np.ndarray, index: int = 0) -> RowsOfFold:
        """Rows to train and rows to test a contestant."""
        return RowsOfFold(self._examples_of(self.columns[label]), Split(index, train, test))

    def decider(self, label: str) -> Any:
        """The chosen contestant, unfitted; its threshold is tuned on training rows if the plan says so."""
        return self.plan.decider(label, self.metrics[0])

    def fitted(self, label: str, rows: np.ndarray, *, decides: bool = False) -> Any:
        """A contestant fitted on some rows; of a tuned one, the model of the best setting."""
        model = self._fitted(self.decider(label) if decides else self.model(label), label, rows)
        return model.model_ if isinstance(model, Tuning) else model

    def _fitted(self, model: Any, label: str, rows: np.ndarray) -> Any:
        cut = self.cut(label, rows, rows)
        if not getattr(model, "_takes_unlabelled", False):
            return model.fit(self.inputs(label).take(rows), self.y.take(rows), **cut.arguments(model))
        return model.fit(*cut.training(model))

    def _fitted_on_files(self, model: Any, label: str) -> Any:
        """A contestant fitted on all rows, except held-out ones, of files larger than memory."""
        source, target = self.plan.data, self.y.attribute
        rows = source.scan()
        away = [source.held(len(rows))[self.known[self.locked]]]
        start = 0
        for part in rows.select([target.name]).chunks():
            away.append(start + np.flatnonzero(part.column(target.name).missing))
            start += len(part)
        kept = rows.select([*self.columns[label], target.name]).without(np.unique(np.concatenate(away)))
        return model.fit(kept.with_attribute(target), target.name)

    def final(self, label: str, log: Log, *, decides: bool) -> Fitted:
        """A contestant fitted on all rows that are not held out; the log has its tuned settings.

        It is kept in a file beside the log until the study's model is written, so that a resumed study need
        not fit it again. The report is of the model as read from that file.
        """
        start = perf_counter()
        working, written = self.working_file(log, decides=decides), log.path.with_name("model.openbook")

        def fit() -> _FinalFit:
            learner, warned = self._final(label, log, decides=decides)
            return _FinalFit(digest(save(learner, working)), tuple(warned))

        kept = log.cached(f"model of {label}", _FinalFit, fit)
        files = [file for file in (working, written) if digest(file) == kept.digest]
        if not files:  # the file was lost or altered: the same rows give the same model
            fit()
        model = open_model(files[0] if files else working)
        vars(model).pop("_file")  # it is whole: an error is not to be blamed on it
        return Fitted(model, perf_counter() - start, list(kept.warnings))

    @staticmethod
    def working_file(log: Log, *, decides: bool) -> Path:
        """The file of a final fit while the study runs: of the choice, or of the learner beside it."""
        return log.path.with_name(".fitted.openbook" if decides else ".beside.openbook")

    def _final(self, label: str, log: Log, *, decides: bool) -> tuple[Any, list[str]]:
        """The fitted contestant and its warnings."""
        with collected_warnings() as warned:
            model = self.model(label)
            if isinstance(model, Tuning):
                model = self._at_tuned_setting(model, label, log)
            if decides:
                model = self.plan.with_threshold(model)
            if self.plan.data.sample and not self.plan.roles.bound and getattr(model, "_streams", False):
                return self._fitted_on_files(model, label), warned
            return self._fitted(model, label, self.train), warned

    def _at_tuned_setting(self, tuning: Tuning, label: str, log: Log) -> Any:
        """The learner at the best setting on these rows, unfitted."""
        knobs = tuning.knobs

        def positions() -> dict[str, int]:
            found = self._fitted(tuning, label, self.train).parameters_
            return {name: knobs[name].index(value) for name, value in found.items()}

        kept = log.cached(f"settings of {label}", dict[str, int], positions)
        if set(kept) != set(knobs) or not all(0 <= at < len(knobs[name]) for name, at in kept.items()):
            raise PlanError(f"{log.path}: the settings of {label} are damaged; start over with --fresh")
        return clone(tuning.model).set_params(**{name: knobs[name][at] for name, at in kept.items()})

    @cached_property
    def _parts(self) -> tuple[np.ndarray, np.ndarray]:
        settings = self.plan.protocol
        if not settings.test_share:
            return np.arange(len(self.known)), np.arange(0)
        order: dict[str, Any] = {**self.order, "test_groups": self.test_groups, "train_only": self.asked}
        share, random_state = settings.test_share, settings.random_state
        return lock_away(self.X, self.y, share, random_state, self.plan.task, **order)

    @property
    def train(self) -> np.ndarray:
        return self._parts[0]

    @property
    def few(self) -> bool:
        """Whether there are so few rows that Python code dominates, and threads wait for each other."""
        return len(self.train) < _FEW

    @property
    def locked(self) -> np.ndarray:
        return self._parts[1]

    def fitting(self, folds: int | None, repeats: int | None) -> Protocol:
        """The protocol that fits the rows that are not held out."""
        order: dict[str, Any] = {role: column.take(self.train) for role, column in self.order.items()}
        y, settings = self.y.take(self.train), self.plan.protocol
        order["test_groups"] = self.test_groups
        order["train_only"] = None if self.asked is None else self.asked[self.train]
        return protocol(y, self.plan.task, settings.random_state, folds or 10, repeats, **order)

    @cached_property
    def protocol(self) -> Protocol:
        settings = self.plan.protocol
        found = self.fitting(settings.folds, settings.repeats)
        if (kind := found.kind.removeprefix("repeated ")) != settings.split:
            rows = f"{len(self.train):,} rows"
            raise PlanError(f"protocol.split is {settings.split!r}, but {rows} take {kind}; change it")
        return found

    @cached_property
    def folds(self) -> list[Split]:
        """The folds, as positions among the rows that are not held out."""
        X, y = np.zeros((len(self.train), 1)), self.y.take(self.train).data
        return list(self.to_judge.splits(self.protocol.split(X, y)))

    @cached_property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Positions that train and test in each fold; none is held out."""
        return [(self.train[fold.train], self.train[fold.test]) for fold in self.folds]

    @cached_property
    def to_judge(self) -> Examples:
        """The rows that are not held out."""
        return self.examples.part(self.train) if len(self.locked) else self.examples

    @property
    def classes(self) -> np.ndarray | None:
        return self.examples.classes

    @cached_property
    def metrics(self) -> tuple[str | Metric, ...]:
        """The metrics to show, the one that decides first."""
        if not self.plan.costs:
            return self.plan.metrics
        money = cost_metric(by_decision(self.plan.costs), self.y)
        return tuple(money if name == COST else name for name in self.plan.metrics)

    def evaluation(self, label: str, results: Sequence[FoldResult], words: str = "") -> Evaluation:
        given = (label, self.plan.task, self.classes, tuple(results), self.metrics)
        words, ordered = words or self.protocol.words, "time" in self.order
        return Evaluation(*given, words, groups=self._group_codes, ordered=ordered)

    @cached_property
    def _group_codes(self) -> np.ndarray | None:
        groups = self.order.get("groups")
        return None if groups is None else group_codes(groups, len(groups))[1]

    def comparison(self, log: Log) -> Comparison:
        """The comparison over the contestants and folds with the most results in common."""
        labels = [each.label for each in self.plan.contestants if each.label not in log.skipped]
        if not labels:
            whys = "; ".join(f"{label}: {skipped.reason}" for label, skipped in log.skipped.items())
            raise PlanError(f"every learner was skipped ({whys})")
        done = {label: _leading(log, label, len(self.folds)) for label in labels}
        folds = max(set(done.values()), key=lambda f: (f * sum(n >= f for n in done.values()), f))
        if not folds:
            raise PlanError(
                "no fold is finished yet; run it again, without a time limit or with a longer one"
            )
        judged = [label for label in labels if done[label] >= folds]
        words = self.protocol.words
        if folds < len(self.folds):
            were = "was" if folds == 1 else "were"
            words += f", of which {folds} of {len(self.folds)} folds {were} finished in time"
        results = {label: [log.results["folds", label, i] for i in range(folds)] for label in judged}
        evaluations = {label: self.evaluation(label, some, words) for label, some in results.items()}
        baselines = [label for label in self.plan.baselines if label in judged]
        return Comparison(evaluations, (*baselines, *judged)[0], baselines)

    def unfinished(self, log: Log) -> Iterator[str]:
        """The learners and folds that were not finished, in words."""
        total = len(self.folds)
        comparison = self.comparison(log)
        judged = len(next(iter(comparison.evaluations.values())).folds)
        if judged < total:
            what = f"in the time limit, the ranked learners finished {judged} of {total} folds"
            yield f"{what}; run the same command without it to complete the study"
        for each in self.plan.contestants:
            if each.label in log.skipped:
                yield f"{each.label}: skipped, {log.skipped[each.label].reason}"
            elif each.label not in comparison.evaluations:
                done = _leading(log, each.label, total)
                yield f"{each.label} is not ranked: it finished {done} of {total} folds in time"


def _leading(log: Log, label: str, folds: int) -> int:
    """How many of the first folds a contestant has finished without a gap."""
    return next((i for i in range(folds) if ("folds", label, i) not in log.results), folds)
