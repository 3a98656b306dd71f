"""A study is a plan, and a plan is data: `plan.toml`.

    format = 2                    the version of this layout
    task, metric                  what is predicted, and how it is scored
    notes                         how the plan came about, in words
    [data]                        set or path, kinds, sha256
    choose, margin                which learner is chosen: "simplest", "best" or a label; see `judge.choice`
    [roles]                       target; ignore, id, group, time, sequence, sensitive, weight: columns, see
                                  `Roles`; positive: the positive one of two classes
    [costs]                       truth = { predicted = money }: what mistakes cost; left out, all are equal
    [[prepare]]                   step: what is done to the inputs inside each fold, such as "log income"
    [protocol]                    split, folds, repeats, test_share, random_state; test_groups, weights
    [questions]                   answers to the questions of a responsible study: purpose = "…"
    [[hypotheses]]                name, attributes or without, learners; left out, all have all inputs
    [[learners]]                  label, learner (its registered name), parameters, knobs

Reading checks everything before anything runs, and an error names the key. What is written is read back:
`Plan.from_toml(plan.to_toml()) == plan`. A plan of format 1, which had no roles but target and ignore, no
costs, hypotheses and knobs, is read as it is.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, get_args

from sklearn.utils.validation import has_fit_parameter

from openbook.errors import PlanError, did_you_mean
from openbook.judge.choice.choose import RULES
from openbook.judge.scores.metrics import DEFAULTS, Metric, Task, metric
from openbook.plan.document import (
    FORMAT,
    Document,
    blamed_on,
    check_format,
    checked_record,
    keys_of,
    open_document,
    read_part,
    read_parts,
    read_source,
    used,
)
from openbook.plan.money import COST, by_decision
from openbook.plan.parts import Candidate, Contestant, Hypothesis, Protocol, Roles, plain_value
from openbook.plan.source import Source
from openbook.prepare import Prepared, step
from openbook.prepare.steps import made_columns, needed_columns
from openbook.registry import learner
from openbook.report.sections.questions import QUESTIONS
from openbook.words.parameters import documented

#: The tasks as sentences name them.
TASKS: dict[Task, str] = {
    "classification": "classification",
    "regression": "regression",
    "multilabel": "prediction of several labels",
}

#: Learners that use no column, so they are the same for all hypotheses.
_WITHOUT_INPUTS = ("zero_r", "zero_regressor", "zero_labels")


@documented
@dataclass(frozen=True)
class Plan(Document):
    """All that a study is: run it with `openbook.plan.run`, or write it down and run it later.

    Attributes
    ----------
    data : Source
        Where the table comes from.
    roles : Roles
        The roles of the columns.
    task : Task
        Whether classes, numbers or several labels at once are predicted.
    metric : str
        The score that decides, by name.
    protocol : Protocol
        How the learners are judged.
    learners : tuple of Candidate
        The learners to evaluate.
    notes : tuple of str, default=()
        How the plan came about, in words.
    hypotheses : tuple of Hypothesis, default=()
        Sets of columns to compare.
    costs : mapping of str to mapping of str to float
        The cost of each mistake: `costs[truth][predicted]`.
    choose : str, default="simplest"
        Which learner to choose.
    margin : float or None, default=None
        How much worse than the best the simplest may be, in units of the metric; None for one standard error.
    prepare : tuple of str, default=()
        The steps that prepare the inputs of every learner, in order, fitted inside each fold.
    questions : mapping of str to str
        Answers to the questions of a responsible study, which the report shows: access, purpose, consent,
        missing, confounders, conclusions, abuse, limitations and ethics.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> from openbook.plan import make_plan
    >>> plan = make_plan("weather", only=["naive_bayes"])
    >>> Plan.from_toml(plan.to_toml()) == plan
    True
    """

    files = ("plan.toml", "results.jsonl", "report.html", "model.openbook")

    data: Source
    roles: Roles
    task: Task
    metric: str
    protocol: Protocol
    learners: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    choose: str = "simplest"
    margin: float | None = None
    prepare: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        labels = [candidate.label for candidate in self.learners]
        if not labels:
            raise PlanError("learners: a plan needs at least one; add a [[learners]] table")
        if twice := [label for label in labels if labels.count(label) > 1]:
            raise PlanError(f"learners: two are labelled {twice[0]!r}; rename one of them")
        names = [hypothesis.name for hypothesis in self.hypotheses]
        if twice := [name for name in names if names.count(name) > 1]:
            raise PlanError(f"hypotheses: two are called {twice[0]!r}; rename one of them")
        for hypothesis in self.hypotheses:
            if odd := [label for label in hypothesis.learners if label not in labels]:
                hint = did_you_mean(odd[0], tuple(labels))
                raise PlanError(f"hypotheses.{hypothesis.name}: no learner is labelled {odd[0]!r}. {hint}")
        labels = [each.label for each in self.contestants]
        if self.choose not in (*RULES, *labels):
            hint = did_you_mean(self.choose, (*RULES, *labels))
            raise PlanError(f"--choose: no learner is labelled {self.choose!r}. {hint}")
        if self.margin is not None and (self.margin <= 0 or self.choose != "simplest"):
            raise PlanError("--margin must be above 0, and goes with --choose simplest")
        if self.costs and self.task != "classification":
            raise PlanError(f"costs are for errors of classes, and this is {TASKS[self.task]}; remove them")

    @property
    def contestants(self) -> tuple[Contestant, ...]:
        """Every learner on the columns of every hypothesis that it tries, in the order of the ranking."""
        found: dict[str, Contestant] = {}
        for hypothesis in self.hypotheses or (None,):
            for candidate in self.learners:
                label = candidate.label
                if hypothesis is None or candidate.learner in _WITHOUT_INPUTS:
                    found.setdefault(label, Contestant(label, candidate))
                elif not hypothesis.learners or label in hypothesis.learners:
                    label = f"{label} · {hypothesis.name}"
                    found[label] = Contestant(label, candidate, hypothesis)
        return tuple(found.values())

    def contestant(self, label: str) -> Contestant:
        """The learner of this label, and the columns that it is given.

        Parameters
        ----------
        label : str
            The label.

        Returns
        -------
        Contestant
        """
        return next(each for each in self.contestants if each.label == label)

    @property
    def baselines(self) -> tuple[str, ...]:
        """The labels of the baselines."""
        return tuple(each.label for each in self.contestants if learner(each.candidate.learner).baseline)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics to show: the one that decides, the cost if mistakes have costs, then the usual ones."""
        usual = (*([COST] if self.costs else []), *DEFAULTS[self.task])
        return (self.metric, *(name for name in usual if name != self.metric))

    @property
    def tunes_threshold(self) -> bool:
        """Whether the chosen model's decision threshold is tuned: where probabilities rank the learners."""
        return self.metric in ("roc_auc", "log_loss", "average_precision", "brier") and not self.costs

    def steps(self, hypothesis: Hypothesis | None, gone: Collection[str] = ()) -> list[str]:
        """The steps whose columns a hypothesis has, except those that need columns in `gone`.

        Parameters
        ----------
        hypothesis : Hypothesis or None
            The columns to use; None for all.
        gone : collection of str, default=()
            Columns that are left out.

        Returns
        -------
        list of str
        """
        kept: list[str] = []
        made: set[str] = set()
        for text in self.prepare:
            needed = set(needed_columns(step(text))) - made
            absent = needed & set(gone)
            if hypothesis is not None:
                absent |= needed & set(hypothesis.without)
                absent |= needed - set(hypothesis.attributes or needed)
            if not absent:
                kept.append(text)
                made |= set(made_columns(step(text)))
        return kept

    def model(self, label: str, decides: str | Metric | None = None, gone: Collection[str] = ()) -> Any:
        """A new, unfitted learner of the plan; a random one has the plan's seed.

        Parameters
        ----------
        label : str
            The label of the learner.
        decides : str, Metric or None, default=None
            The metric by which knobs are tuned; None for the plan's.
        gone : collection of str, default=()
            Columns that are left out, with the steps that need them.

        Returns
        -------
        estimator
        """
        contestant, random_state = self.contestant(label), self.protocol.random_state
        candidate = contestant.candidate
        model, knobs = candidate.seeded(random_state), candidate.values()
        steps = self.steps(contestant.hypothesis, gone)
        if self.task == "multilabel" and candidate.inner is not None and steps:
            return model.set_params(estimator=Prepared(model.estimator, steps))  # label by label
        if steps and self.task != "multilabel":
            model = Prepared(model, steps)
            knobs = {f"estimator__{name}": values for name, values in knobs.items()}
        if self.costs:
            from openbook.decide import MinimumRisk

            model = MinimumRisk(model, by_decision(self.costs))
            knobs = {f"estimator__{name}": values for name, values in knobs.items()}
        if not knobs:
            return model
        from openbook.judge import TimeOrdered, Tuning

        inner = TimeOrdered(test_groups=self.protocol.test_groups or "new") if self.roles.time else None
        search = self.protocol.search or "grid"
        return Tuning(model, knobs, inner, decides or self.metric, search, random_state=random_state)

    @property
    def weighs(self) -> bool:
        """Whether learners are given weights; frequencies repeat the rows instead."""
        return self.roles.weight is not None and self.protocol.weights != "frequency"

    @property
    def uses_unlabelled(self) -> bool:
        """Whether a learner of the plan learns from rows without a target, too."""
        return any(learner(each.candidate.learner).unlabelled for each in self.contestants)

    def decider(self, label: str, decides: str | Metric | None = None) -> Any:
        """The model of a learner, with a tuned threshold if the plan tunes it and the learner allows it.

        Parameters
        ----------
        label : str
            The label of the learner.
        decides : str, Metric or None, default=None
            The metric by which the threshold is tuned; None for that of the plan.

        Returns
        -------
        estimator
        """
        return self.with_threshold(self.model(label, decides))

    def with_threshold(self, model: Any) -> Any:
        """A learner, with a tuned threshold if the plan tunes it and the learner allows it.

        Parameters
        ----------
        model : estimator

        Returns
        -------
        estimator
        """
        from openbook.decide import TunedThresholdClassifierCV

        # inner folds would divide sequences, and are for labelled rows
        if hasattr(model, "sequence") or getattr(model, "_takes_unlabelled", False):
            return model
        weighable = not self.weighs or has_fit_parameter(model, "sample_weight")
        if not (self.tunes_threshold and weighable and hasattr(model, "predict_proba")):
            return model
        return TunedThresholdClassifierCV(model, random_state=self.protocol.random_state)

    def to_record(self) -> dict[str, Any]:
        """Plain values, in the order of the file; what is not used is left out."""
        chosen: dict[str, Any] = {} if self.choose == "simplest" else {"choose": self.choose}
        chosen |= {} if self.margin is None else {"margin": self.margin}
        some = ("attributes", "without", "learners")
        record = {
            "format": FORMAT,
            "task": self.task,
            "metric": self.metric,
            **chosen,
            "notes": list(self.notes),
            "data": used(plain_value(self.data), "read_with", "sample", "labels"),
            "roles": used(plain_value(self.roles), "sensitive"),
            "costs": {truth: dict(row) for truth, row in self.costs.items()},
            "questions": dict(self.questions),
            "prepare": [{"step": text} for text in self.prepare],
            "protocol": used(plain_value(self.protocol), "test_groups", "weights"),
            "hypotheses": [used(plain_value(each), *some) for each in self.hypotheses],
            "learners": [used(plain_value(candidate), "knobs") for candidate in self.learners],
        }
        return used(record, "costs", "questions", "hypotheses", "prepare")

    @classmethod
    def open(cls, path: Path) -> "Plan":
        """Read a plan; the path of its data file is relative to the plan.

        Parameters
        ----------
        path : Path
            The file.

        Returns
        -------
        Plan
        """
        return open_document(path, cls.from_record)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """A plan from what its file holds, checked.

        Parameters
        ----------
        record : mapping
            Nested mappings, as TOML gives them.

        Returns
        -------
        Plan
        """
        check_format(record)
        part = checked_record(record, "", {"format": (int, True), **keys_of(cls)})
        if part["task"] not in get_args(Task):
            raise PlanError(f"task must be one of {', '.join(get_args(Task))}, got {part['task']!r}")
        costs, answers = part.get("costs", {}), part.get("questions", {})
        plan = cls(
            data=read_source(part["data"]),
            roles=read_part(Roles, part["roles"], "roles"),
            task=part["task"],
            metric=part["metric"],
            choose=part.get("choose", "simplest"),
            margin=part.get("margin"),
            prepare=tuple(
                checked_record(item, f"prepare[{i}]", {"step": (str, True)})["step"]
                for i, item in enumerate(part.get("prepare", ()))
            ),
            protocol=read_part(Protocol, part["protocol"], "protocol"),
            learners=read_parts(Candidate, part["learners"], "learners"),
            notes=tuple(part.get("notes", ())),
            questions=checked_record(answers, "questions", dict.fromkeys(QUESTIONS, (str, False))),
            hypotheses=read_parts(Hypothesis, part.get("hypotheses", ()), "hypotheses"),
            costs={
                truth: checked_record(row, f"costs.{truth}", dict.fromkeys(row, (float, False)))
                for truth, row in checked_record(costs, "costs", dict.fromkeys(costs, (dict, False))).items()
            },
        )
        for candidate in plan.learners:
            candidate.make()
            candidate.values()
        with blamed_on("prepare"):
            for text in plan.prepare:
                step(text)
        if not (plan.costs and plan.metric == COST):
            with blamed_on("metric"):
                metric(plan.metric, plan.task)
        return plan
