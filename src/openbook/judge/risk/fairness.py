r"""Fairness by a sensitive attribute: the rates of each group, and how far they are apart.

For a class c, "positive", of the rows of a group

    prevalence = P(truth c)           selection = P(predicted c)            accuracy = P(predicted = truth)
    TPR = P(predicted c | truth c)    FPR = P(predicted c | truth not c)    PPV = P(truth c | predicted c)

    demographic parity     the same selection rate in every group
    equal opportunity      the same TPR
    equalised odds         the same TPR and the same FPR; the worse of the two is shown
    predictive parity      the same PPV

If prevalences differ, only a perfect model satisfies the last two at once (Chouldechova 2017). Which one
matters depends on the decision; no figure can answer this. That selection rates should not be under four
fifths of the highest is a convention of employment law in the United States, noted where it applies, and no
verdict.

Shares have Wilson's interval, differences Newcombe's, ratios that of the log method; rows count as
independent, given the models. A rate of no rows is undefined, never 0. Rows of the first round only, each
once; those whose sensitive cell is missing are a group of their own.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Categorical, Column, Numeric, read
from openbook.data.attributes import as_text
from openbook.draw import Categories, Numbers, Picture
from openbook.draw.colours import COLOURS
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError, check_named, did_you_mean
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.shares import Share, log_ratio, newcombe
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.first_round import FirstRound
from openbook.judge.risk.proxies import Proxy, proxies
from openbook.judge.scores.metrics import Predictions
from openbook.words.numbers import interval_words, short, shown, shown_p
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

#: What is counted, in words.
RATES = {
    "prevalence": "prevalence",
    "selection": "selection rate",
    "tpr": "TPR",
    "fpr": "FPR",
    "ppv": "PPV",
    "accuracy": "accuracy",
}
#: Which rates a criterion asks to be equal.
CRITERIA = {
    "demographic parity": ("selection",),
    "equal opportunity": ("tpr",),
    "equalised odds": ("tpr", "fpr"),
    "predictive parity": ("ppv",),
    "equal accuracy": ("accuracy",),
}
#: Fewer rows than this make a small group; the convention's four fifths.
_SMALL, _FOUR_FIFTHS = 30, 0.8
_MISSING = "(missing)"
_SHOWN_PROXIES = 8


@dataclass(frozen=True)
class Parity:
    """A group's rate compared with the reference group's: difference and ratio, each with its interval."""

    criterion: str
    rate: str
    label: Any
    group: str
    reference: str
    difference: float
    interval: Interval
    ratio: float
    ratio_interval: Interval


@dataclass(frozen=True, repr=False, eq=False)
class Fairness(ShowsWork):
    """The rates of each group; see `fairness`.

    Attributes
    ----------
    name : str
        The name of the learner.
    sensitive : str
        The name of the attribute.
    sizes : mapping of str to int
        The number of rows of each group.
    reference : str
        The group that others are compared with.
    labels : tuple
        The classes that count as positive, each in turn.
    shares : mapping of tuple of (Any, str, str) to Share
        The rate of each (label, rate, group).
    proxies : tuple of Proxy
        How well other columns predict the group, the best first.
    level : float
        Of the intervals.
    rule : str, default=""
        How the groups were made, in words, if they are not the values of the column.
    other : label or None, default=None
        The other of two classes.
    named : bool, default=False
        Whether the positive class was named, and so counts as the favourable outcome.

    Notes
    -----
    Guide: docs/guide/fairness.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("credit", rows=400).split("default")
    >>> fair = fairness(ob.evaluate(OneR(), X, y, cv=5), X, "sex")
    >>> fair.reference, fair.sizes
    ('male', {'female': 199, 'male': 201})
    """

    name: str
    sensitive: str
    sizes: Mapping[str, int]
    reference: str
    labels: tuple[Any, ...]
    shares: Mapping[tuple[Any, str, str], Share]
    proxies: tuple[Proxy, ...]
    level: float
    rule: str = ""
    other: Any = None
    named: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.sizes)

    def share(self, rate: str, group: str, label: Any = None) -> Share:
        """A group's rate; the label can be left out where there is one.

        Parameters
        ----------
        rate : str
            The name of the rate, such as "selection" or "tpr".
        group : str
            The name of the group.
        label : label or None, default=None
            The class that counts as positive; None if only one was evaluated.

        Returns
        -------
        Share
        """
        check_named("rate", rate, RATES)
        check_named("group", group, self.sizes)
        return self.shares[self._label(label), rate, group]

    def parity(self, criterion: str, label: Any = None) -> tuple[Parity, ...]:
        """Each other group beside the reference, by "demographic parity", "equal opportunity" and so on.

        Parameters
        ----------
        criterion : str
            The name of the criterion: "demographic parity", "equal opportunity", "predictive parity" and so
            on.
        label : label or None, default=None
            The class that counts as positive; None if only one was evaluated.

        Returns
        -------
        tuple of Parity
        """
        check_named("criterion", criterion, CRITERIA)
        label = self._label(label)
        others = [group for group in self.groups if group != self.reference]
        return tuple(self._parity(criterion, group, label) for group in others)

    def _parity(self, criterion: str, group: str, label: Any) -> Parity:
        """The comparison by that rate of the criterion which differs most."""
        found = [self._compared(criterion, rate, group, label) for rate in CRITERIA[criterion]]
        return max(found, key=lambda one: -1.0 if math.isnan(one.difference) else abs(one.difference))

    def _compared(self, criterion: str, rate: str, group: str, label: Any) -> Parity:
        here, there = (self.shares[label, rate, each] for each in (group, self.reference))
        difference = here.value - there.value, newcombe(here, there, self.level)
        ratio = here.value / there.value if there.hits else math.nan, log_ratio(here, there, self.level)
        return Parity(criterion, rate, label, group, self.reference, *difference, *ratio)

    def four_fifths(self, label: Any = None) -> dict[str, float]:
        """Groups whose selection rate is under four fifths of the highest, with the ratio: a convention.

        It is about the favourable outcome, `label`; of two classes that can be either.

        Parameters
        ----------
        label : label or None, default=None
            The class that counts as positive; None if only one was evaluated.

        Returns
        -------
        dict of str to float
        """
        other = self.other is not None and label is not None and as_text(label) == as_text(self.other)
        label = self.labels[0] if other else self._label(label)
        selection = {group: self.shares[label, "selection", group].value for group in self.groups}
        rates = {group: 1 - rate if other else rate for group, rate in selection.items()}
        highest = max(rates.values())
        return {group: r / highest for group, r in rates.items() if r < _FOUR_FIFTHS * highest}

    def _label(self, label: Any) -> Any:
        if label is None and len(self.labels) == 1:
            return self.labels[0]
        for each in self.labels:
            if label is not None and as_text(each) == as_text(label):
                return each
        known = tuple(as_text(each) for each in self.labels)
        if label is None:
            raise ParameterError(f"there are several classes; say label=, one of {', '.join(known)}")
        raise ParameterError(f"no class {label!r}. {did_you_mean(as_text(label), known)}")

    def work(self) -> Work:
        """Rates, parities and proxies, to print or to show."""
        works = [self._label_work(label) for label in self.labels]
        parts: list[Any] = list(works[0].parts if len(works) == 1 else works)
        if self.proxies:
            parts.append(self._proxy_grid())
        sentences = [works[0].conclusion] if len(works) == 1 else []
        title = f"Fairness of {self.name} by {self.sensitive}"
        return Work(title, tuple(parts), " ".join([*sentences, *self._conclusions()]))

    def _label_work(self, label: Any) -> Work:
        name, level = as_text(label), f"{100 * self.level:g}%"
        rows = [
            (words, *(_shown_share(self.shares[label, rate, group], self.level) for group in self.groups))
            for rate, words in RATES.items()
        ]
        groups = [f"{group} ({n:,} rows)" for group, n in self.sizes.items()]
        rates = Grid(f"Rates of {name!r}", ("rate", *groups), rows, f"Intervals: {level}, Wilson.")
        header = ("criterion", "by", "group", "difference", "interval", "ratio", "interval")
        parities = [one for criterion in CRITERIA for one in self.parity(criterion, label)]
        note = (
            f"Group minus {self.reference}, and over it. Intervals: {level}, Newcombe; log ratio, undefined"
            f" where a rate is 0 or both are 1. Not adjusted for {len(parities)} comparisons."
        )
        compared = Grid(f"Beside {self.reference}", header, [_cells(one) for one in parities], note)
        return Work(f"Class {name}", (rates, compared), " ".join(self._of_label(label)))

    def _proxy_grid(self) -> Grid:
        rows = [
            (one.column, shown(one.score), one.interval.ends, shown_p(one.p_value))
            for one in self.proxies[:_SHOWN_PROXIES]
        ]
        more = len(self.proxies) - len(rows)
        left = f" {plural(more, 'more column')} in `proxies`." if more else ""
        methods = sorted({one.interval.method for one in self.proxies})
        note = (
            f"Balanced accuracy of predicting {self.sensitive} from one column, cross-validated; guessing"
            f" has {shown(self.proxies[0].baseline)}. Intervals: {100 * self.level:g}%,"
            f" {'; '.join(methods)}, {plural(len(self.proxies), 'column')} at once; p: likewise.{left}"
        )
        return Grid(f"Proxies of {self.sensitive}", ("column", "score", "interval", "p"), rows, note)

    def _conclusions(self) -> Iterator[str]:
        if self.rule:
            yield self.rule
        if small := [f"{group} ({n})" for group, n in self.sizes.items() if n < _SMALL]:
            yield f"Small groups, which allow no firm conclusion: {', '.join(small)}."
        if found := [one.column for one in self.proxies if one.tells()]:
            words = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
            yield f"Leaving {self.sensitive} out does not hide it: it can be predicted in part from {words}."

    def _of_label(self, label: Any) -> Iterator[str]:
        name = as_text(label)
        gaps = [one for criterion in CRITERIA for one in self.parity(criterion, label)]
        clear = [one for one in gaps if not math.isnan(one.difference) and 0 not in one.interval]
        if clear:
            one = max(clear, key=lambda each: abs(each.difference))
            of = "" if one.rate == "accuracy" else f" of {name!r}"
            where = f"{RATES[one.rate]}{of} in {one.group} minus {one.reference}"
            change = f"{shown(one.difference, sign='+')} {one.interval}"
            yield f"The largest significant gap: {where}, {change}."
        elif gaps:
            yield f"No gap of {name!r} is significant; this does not prove that there is none."
        others = [group for group in self.groups if group != self.reference]
        if any(0 not in self._compared("", "prevalence", group, label).interval for group in others):
            yield f"The groups' prevalences of {name!r} differ, so not all criteria can hold at once."
        yield from self._four_fifths_words(label)

    def _four_fifths_words(self, label: Any) -> Iterator[str]:
        """Which groups fall short, by the favourable outcome; by either where none was named."""
        outcomes = [label] if self.named or self.other is None else [label, self.other]
        low = {}
        for outcome in outcomes:
            ratios = self.four_fifths(outcome).items()
            low[outcome] = ", ".join(f"{group} ({shown(ratio)} of the highest)" for group, ratio in ratios)
        if not any(low.values()):
            return
        if len(outcomes) == 1:
            yield (
                f"With {as_text(label)!r} as the favourable outcome, these groups have a selection rate under"
                f" four fifths of the highest: {low[label]}. This is a convention, not a verdict."
            )
            return
        either = "; ".join(
            f"if {as_text(outcome)!r} is the favourable outcome: {groups or 'none'}"
            for outcome, groups in low.items()
        )
        yield (
            f"Groups with a selection rate under four fifths of the highest, {either}. This is a convention,"
            " not a verdict; name the favourable outcome as the positive class."
        )

    def draw(self, label: Any = None) -> Picture:
        """The rates of each group, with their intervals.

        Parameters
        ----------
        label : label or None, default=None
            The class that counts as positive; None if only one was evaluated.

        Returns
        -------
        Picture
        """
        label = self._label(self.labels[-1] if label is None else label)
        groups = self.groups[:COLOURS]
        plot = Plot(Numbers.between("share of rows", 0, 1), Categories("", tuple(reversed(RATES.values()))))
        for i, group in enumerate(groups):
            shares = [self.shares[label, rate, group] for rate in reversed(RATES)]
            aside = 0.6 * (0.5 - (i + 0.5) / len(groups))
            known = [(row + aside, each) for row, each in enumerate(shares) if each.n]
            for row, each in known:
                interval = each.interval(self.level)
                plot.line([interval.low, interval.high], [row, row], f"c{i}")
            words = [f"{group}: {_shown_share(each, self.level)}" for _, each in known]
            plot.dots([each.value for _, each in known], [row for row, _ in known], f"dot c{i}", words)
            plot.named(f"dot c{i}", f"{group} ({self.sizes[group]:,})")
        notes = [f"Class {as_text(label)!r}; lines are {100 * self.level:g}% intervals (Wilson)."]
        if len(self.groups) > COLOURS:
            notes.append(f"The first {COLOURS} of {len(self.groups)} groups.")
        title = f"{self.name}: rates by {self.sensitive}"
        told = " ".join([*notes, *self._of_label(label)])
        return plot.picture(title, notes, told)


def fairness(
    evaluation: Evaluation,
    X: Any,
    sensitive: str,
    positive: Any = None,
    reference: str | None = None,
    level: float = 0.95,
    random_state: int = 0,
) -> Fairness:
    """Compare a classifier's rates between the groups of a sensitive attribute.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a classifier.
    X : table-like
        The rows that were evaluated; the sensitive column need not have been an input of the model.
    sensitive : str
        The name of a column of X. Numbers of more than five values are cut at their quartiles.
    positive : label or None, default=None
        The class to look at, which counts as the favourable outcome. None takes the second of two, and each
        of several; then either may be the favourable outcome.
    reference : str or None, default=None
        The group that others are compared with; None takes the largest.
    level : float, default=0.95
        Of the intervals.
    random_state : int, default=0
        For the folds of the proxies.

    Returns
    -------
    Fairness

    Notes
    -----
    Guide: docs/guide/fairness.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> table = ob.load("credit", rows=2000)
    >>> X, y = table.split("default")
    >>> fair = fairness(ob.evaluate(NaiveBayes(), X.drop("sex"), y), X, "sex")
    >>> print(fair.share("selection", "female"))
    0.037 [0.027, 0.050] (95%, Wilson)
    >>> fair.proxies[0].column
    'income'
    """
    if evaluation.task != "classification" or evaluation.classes is None:
        what = f"{evaluation.name} predicts {evaluation.predicts}, and fairness counts decisions"
        raise ParameterError(f"{what} between classes; worst_segments shows where it errs most")
    table = read(X)
    codes, names, rule = group_rows(table.column(sensitive))
    tested = FirstRound.of(evaluation, table)
    here = codes[tested.rows]
    members = {name: np.flatnonzero(here == g) for g, name in (*enumerate(names), (-1, _MISSING))}
    members = {name: rows for name, rows in members.items() if len(rows)}
    if len(members) < 2:
        (only,) = members
        raise DataError(f"every tested row has {sensitive} = {only}, so there are no groups to compare")
    if reference is None:
        reference = max(members, key=lambda name: len(members[name]))
    elif reference not in members:
        hint = did_you_mean(reference, tuple(members))
        raise ParameterError(f"reference: no group {reference!r} of {sensitive}. {hint}")
    labels = evaluation.classes.tolist()
    positives = _positives(labels, positive)
    shares = {
        (labels[c], rate, name): share
        for c in positives
        for name, rows in members.items()
        for rate, share in _rates(tested.predictions.take(rows), c).items()
    }
    return Fairness(
        evaluation.name,
        sensitive,
        {name: len(rows) for name, rows in members.items()},
        reference,
        tuple(labels[c] for c in positives),
        shares,
        proxies(table.drop(sensitive), codes, level, random_state),
        level,
        rule,
        labels[1 - positives[0]] if len(labels) == 2 else None,
        positive is not None,
    )


def _positives(labels: list[Any], positive: Any) -> list[int]:
    """The codes of the classes to look at."""
    if positive is None:
        return [1] if len(labels) == 2 else list(range(len(labels)))
    known = [as_text(label) for label in labels]
    if as_text(positive) not in known:
        raise ParameterError(f"positive: no class {positive!r}. {did_you_mean(as_text(positive), known)}")
    return [known.index(as_text(positive))]


def _rates(p: Predictions, c: int) -> dict[str, Share]:
    """The rates of some rows, class c being the positive one."""
    truth, chosen = p.truth == c, p.predicted == c
    both, n = int((truth & chosen).sum()), len(truth)
    return {
        "prevalence": Share(int(truth.sum()), n),
        "selection": Share(int(chosen.sum()), n),
        "tpr": Share(both, int(truth.sum())),
        "fpr": Share(int(chosen.sum()) - both, n - int(truth.sum())),
        "ppv": Share(both, int(chosen.sum())),
        "accuracy": Share(int((p.truth == p.predicted).sum()), n),
    }


def _shown_share(share: Share, level: float) -> str:
    return f"{shown(share.value)} {share.interval(level).ends}" if share.n else "undefined (0 rows)"


def _cells(one: Parity) -> tuple[str, ...]:
    difference = (shown(one.difference, sign="+"), one.interval.ends)
    return one.criterion, RATES[one.rate], one.group, *difference, shown(one.ratio), one.ratio_interval.ends


#: Numbers of so few values are groups as they are; others are cut at their quartiles.
_FEW = 5


def group_rows(column: Column) -> tuple[np.ndarray, tuple[str, ...], str]:
    """The group of each row (-1 where it is missing), the groups' names, and how they were made."""
    attribute = column.attribute
    if isinstance(attribute, Categorical):
        return np.maximum(column.data, -1).astype(np.intp), attribute.values, ""
    if not isinstance(attribute, Numeric):
        hint = f"if its values are groups, read it with kinds={{{column.name!r}: 'nominal'}}"
        raise DataError(f"{column.name!r} is free text; {hint}")
    known = column.data[~column.missing]
    distinct = np.unique(known)
    if len(distinct) <= _FEW:
        codes = np.searchsorted(distinct, column.data)
        names, rule = tuple(short(value) for value in distinct.tolist()), ""
    else:
        cuts = np.unique(np.quantile(known, (0.25, 0.5, 0.75)))
        codes = np.searchsorted(cuts, column.data)
        names = interval_words([short(cut) for cut in cuts.tolist()])
        rule = f"{column.name} is a number, cut at its quartiles."
    return np.where(column.missing, -1, codes), names, rule
