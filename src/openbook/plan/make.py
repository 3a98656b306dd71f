"""Make a plan: its target, columns, learners and protocol, with the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from openbook.data.describe import Description
from openbook.errors import NotEvaluableError, ParameterError, PlanError
from openbook.judge.folds.splits import TINY
from openbook.plan.aim import Aim, aim
from openbook.plan.candidates import Effort, usual_folds
from openbook.plan.draft import Draft
from openbook.plan.options import StudyOptions
from openbook.plan.parts import SPLITS, Protocol
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows

#: The share of rows that is held out, if these are at least TINY rows.
_TEST_SHARE = 0.2

#: From this many rows on, a thorough study tries most settings on fewer rows.
_SEARCHED = 5_000


def make_plan(
    source: str | Path | Aim,
    target: str | Sequence[str] | None = None,
    *,
    kinds: Mapping[str, Any] | None = None,
    description: Description | None = None,
    **options: Any,
) -> Plan:
    """A plan for a file or a bundled set.

    Parameters
    ----------
    source : path, str or Aim
        The path of a file, the name of a bundled set, or an `aim` at one.
    target : str, sequence of str or None, default=None
        The column to predict; a bundled set has one of its own. Several columns of 0 and 1 are labels, which
        are predicted together.
    kinds : mapping or None, default=None
        Overrules the guess: {'zip': 'nominal'}. A column named here is never left out.
    description : Description or None, default=None
        The description of the table, if it is at hand.
    **options : object
        Those of `StudyOptions`, such as `group`, `only`, `metric` or `cv`.

    Returns
    -------
    Plan
        The plan.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> plan = make_plan("weather")
    >>> plan.roles.target, plan.task, plan.protocol.split
    ('play', 'classification', 'leave-one-out')
    """
    aimed = source if isinstance(source, Aim) else aim(source, target, kinds)
    draft = Draft(aimed, StudyOptions(**options), description)
    rows = StudyRows(draft.plan(), aimed.table)
    _ = rows.metrics  # raises an error of the costs before anything runs
    try:
        protocol, without = _protocol(rows, draft.options, draft.effort)
    except ParameterError as error:
        if (draft.options.cv, draft.options.repeats, draft.options.test_share) != (None, None, None):
            raise
        raise NotEvaluableError(str(error)) from None  # the rows themselves do not allow it
    return replace(rows.plan, protocol=protocol, notes=(*rows.plan.notes, *without))


def _protocol(rows: StudyRows, options: StudyOptions, effort: Effort) -> tuple[Protocol, list[str]]:
    """The protocol with the folds that its rows allow, and why it has no final test, if so."""
    n, test_share = rows.n_fair, options.test_share
    if n < TINY and (options.cv or options.repeats or test_share) and "time" not in rows.order:
        what = f"with fewer than {TINY} rows, here {n}, a study uses leave-one-out and holds no rows out"
        raise PlanError(f"{what}; omit folds, repeats and the test share")
    folds, rounds = usual_folds(effort, n)
    folds = folds if options.cv is None else options.cv
    repeats = options.repeats
    if repeats is None and effort != "usual":  # else by the number of rows that are not held out
        repeats = rounds
    # halving draws rows at random, so it cannot respect their order in time
    search = None if effort != "thorough" else "grid" if n < _SEARCHED or "time" in rows.order else "halving"
    settings: dict[str, Any] = {"split": SPLITS[0], "folds": folds}
    settings["repeats"] = 1 if repeats is None else repeats
    asked = replace(rows.plan.protocol, **settings, test_share=test_share or 0.0, search=search)
    if test_share is None and n * _TEST_SHARE >= TINY:
        try:
            return _fitting(rows, replace(asked, test_share=_TEST_SHARE), repeats, fewest=TINY), []
        except ParameterError as error:  # better no final test than no study
            why = str(error).partition(";")[0]
            return _fitting(rows, asked, repeats), [f"no rows are held out for a final test: {why}"]
    return _fitting(rows, asked, repeats), []


def _fitting(rows: StudyRows, asked: Protocol, repeats: int | None, fewest: int = 0) -> Protocol:
    """The protocol with the folds that its rows allow; ParameterError if fewer would be held out."""
    left = StudyRows(replace(rows.plan, protocol=asked), rows.table)
    if len(left.locked) < fewest:
        raise ParameterError(f"only {len(left.locked)} would be fit for it, fewer than {fewest}")
    found = left.fitting(asked.folds, repeats)
    if found.kind == "time-ordered":
        return replace(asked, split=found.kind, folds=found.splitter.n_splits, repeats=None)
    if found.kind not in ("cross-validation", "repeated cross-validation"):
        return replace(asked, split=found.kind, folds=None, repeats=None)
    rounds = getattr(found.splitter, "n_repeats", None) or found.splitter.repeats
    return replace(asked, folds=found.get_n_splits() // rounds, repeats=rounds)
