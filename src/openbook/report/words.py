"""The sentences of a report; the command line uses some of them too."""

import math
import shlex
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from openbook.data.describe import Description
from openbook.data.findings.finding import Finding
from openbook.judge import Calibration, Evaluation, Interval
from openbook.judge.choice.comparison import RankingRow, loses_little
from openbook.judge.folds.splits import TINY
from openbook.judge.scores.positive import FEW, shares, too_rare
from openbook.prepare.balance import BalancedClasses
from openbook.report.fitted import learner_inside
from openbook.report.study import Example, StudyResult
from openbook.text.describe import excerpt
from openbook.words.numbers import cell, p_words
from openbook.words.numbers import shown as score_words
from openbook.words.sentences import plural

#: The words of a protocol that tests new groups.
_NEW = "new to the model"
#: The most findings of one kind that are spelt out, and the most characters of a cell.
_SPELT_OUT, _LONGEST_CELL = 3, 200


def title(words: str) -> str:
    """The words as they begin a sentence."""
    return words[:1].upper() + words[1:]


def cell_words(value: object) -> str:
    """A cell of the table; of a long text, its beginning."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    if value == "":
        return "(none)"
    if isinstance(value, str) and len(value) > _LONGEST_CELL:
        return excerpt(value, _LONGEST_CELL)
    return cell(value)


class Described(Protocol):
    """A result with a description of the table."""

    @property
    def description(self) -> Description: ...


def size_words(result: Described) -> str:
    """The size of the table."""
    description = result.description
    return f"{plural(description.rows, 'row')}, {plural(len(description.columns), 'column')}"


def headline(result: StudyResult) -> str:
    """The first line: the reasons to doubt the outcome, else the verdict."""
    return doubts(result) or result.verdict.headline


def doubts(result: StudyResult) -> str:
    """The reasons to doubt the outcome, in a sentence or two; empty if there are none."""
    if few := too_few(result):
        return few
    if result.refuted is not None:
        baseline, test = result.refuted
        label, metric = result.choice.label, result.comparison.metric().words
        chosen, other = (score_words(result.tests[each].score()) for each in (label, baseline))
        rows = plural(len(result.tests[baseline].predictions.truth), "row")
        scores = f"{label} has {metric} {chosen} and the baseline {baseline} {other}"
        difference = (
            f"{score_words(test.difference, sign='+')} {test.interval.ends}, p {p_words(test.p_value)}"
        )
        start = f"The final test refutes the choice: on {rows} never used before, {scores}"
        return f"{start} (difference {difference})."
    fallen = worse_than_estimated(result)
    looks, learnt = result.looks, result.verdict.learnt
    # if nothing beats 1R, the rule of 1R may use the suspect column
    harmless = learnt and loses_little(result.comparison, looks.label, looks.without_suspects)
    void = "" if harmless else without_suspects(result), copies(result)  # the scores mean little
    sentences = [fallen, *void, divided(result)]
    if not learnt and not any(void):
        sentences.append(result.verdict.headline)
    return " ".join(filter(None, sentences))


def worse_than_estimated(result: StudyResult) -> str:
    """A warning that the final test is worse than the folds estimated; empty if it is not."""
    if not result.tests:
        return ""
    judged, tested = result.comparison[result.choice.label], result.tests[result.choice.label]
    before, after = judged.interval(), tested.interval()
    if _overlap(before, after) or judged.metric().better(tested.score(), judged.score()):
        return ""
    rows = plural(len(tested.predictions.truth), "row")
    score = f"{result.choice.label} has {judged.metric().words} {score_words(tested.score())} {after.ends}"
    estimate = f"the estimate was {score_words(judged.score())} {before.ends}"
    return (
        f"The final test is worse than estimated: on {rows} never used before, {score}, and {estimate}."
        " Check how these rows differ from the others."
    )


def _overlap(one: Interval, other: Interval) -> bool:
    """Whether two intervals overlap; an unknown one overlaps with all."""
    return not (one.high < other.low or other.high < one.low)


def too_few(result: StudyResult) -> str:
    """What cannot be evaluated because all classes but one are too rare; empty if they are not."""
    y = result.training[1]
    found = sorted(((round(share * len(y)), name) for name, share in shares(y).items()), reverse=True)
    if not too_rare(np.array([rows for rows, _ in found])):
        return ""
    (_, first), (most, second) = found[:2]
    if len(found) > 2:
        rare = f"Apart from {first}, every class has fewer than {FEW} training rows"
        return f"{rare}: whether a model tells them apart cannot be evaluated."
    rare = (
        f"Only {most} {'training row has' if most == 1 else 'training rows have'} {result.target} = {second}"
    )
    return f"{rare}: whether a model finds such rows cannot be evaluated."


def contenders(result: StudyResult) -> list[tuple[str, str, str, str]]:
    """The best learner, the chosen one and the baseline: what each is, its name, score and interval."""
    choice = result.choice
    parts = {"Best": choice.best, "Chosen": choice.label, "Baseline": choice.baseline}
    judged = {part: (label, result.comparison[label]) for part, label in parts.items()}
    return [(part, label, score_words(e.score()), str(e.interval())) for part, (label, e) in judged.items()]


def beside_baseline(result: StudyResult) -> str:
    """The comparison of the choice with the best baseline, in figures; empty if it is one."""
    if result.over_baseline is None:
        return ""
    chosen = title(result.choice.label)
    return f"{chosen} against {result.best_baseline}, the best baseline: {result.over_baseline}."


def price(result: StudyResult) -> str:
    """The parameters of the choice and of the best learner; empty if they are the same."""
    choice, comparison = result.choice, result.comparison
    if choice.given_up is None:
        return ""
    sizes = comparison[choice.label].complexity, comparison[choice.best].complexity
    if None in sizes:
        return ""
    return f"It has {plural(int(sizes[0] or 0), 'parameter')}, against {sizes[1]:,g} of {choice.best}."


def verdict(result: StudyResult) -> str:
    """The diagnosis in a sentence or two; empty if there is none."""
    found = result.looks.diagnosis
    if found is None:
        return ""
    words, steps = f"{diagnosed(result)}: {found.verdict}. {title(found.meaning)}.", to_try(result)
    return f"{words} Next: {steps[0]}." if steps else words


def diagnosed(result: StudyResult) -> str:
    """The subject of the diagnosis; it names the folds if the final test refutes them."""
    folds = "" if result.refuted is None else " in the folds, which the final test refutes"
    return f"Diagnosis of {result.looks.label}{folds}"


def to_try(result: StudyResult) -> list[str]:
    """The advice of the diagnosis; if the final test refutes the choice, first to examine its rows."""
    found = result.looks.diagnosis
    steps = [] if found is None else list(found.remedies)
    if result.refuted is not None:
        first = "find out how the held-out rows differ from the others: the model does not hold for them"
        steps.insert(0, first)
    return steps


def money(result: StudyResult) -> str:
    """The conclusion about costs; empty if none are given."""
    found = result.looks.costs
    return "" if found is None else f"Costs: {found.work().conclusion}"


def threshold(result: StudyResult) -> str:
    """The tuned decision threshold of the model, and its score; empty without one."""
    model = result.models[result.choice.label]
    at = getattr(model, "best_threshold_", math.nan)
    if math.isnan(at):
        return ""
    positive = cell_words(model.classes_.tolist()[1])
    words = f"Threshold: the model predicts {positive} where its probability is at least {at:.3g}."
    words += " The threshold is tuned on training rows for balanced accuracy."
    judged, plain = result.looks.threshold, result.comparison[result.choice.label]
    if judged is None:
        return words
    tuned = f"{score_words(judged.score('balanced_accuracy'))} {judged.interval('balanced_accuracy')}"
    even = score_words(plain.score("balanced_accuracy"))
    return f"{words} In the folds its balanced accuracy is {tuned}, and {even} at a threshold of 0.5."


def balanced(result: StudyResult) -> str:
    """The effect of balanced classes on the probabilities; empty if no step balances them."""
    evaluation = result.comparison[result.choice.label]
    if not _balances(result.models[result.choice.label]) or len(set(evaluation.one_round.truth.tolist())) < 2:
        return ""
    classes = Calibration.each(evaluation)
    if not classes:
        return ""
    label, found = min(classes.items(), key=lambda one: one[1].share)
    return (
        "Classes are balanced in training, which can distort probabilities: the mean predicted probability of"
        f" {cell_words(label)} is {score_words(found.predicted_share)}, and its true share is"
        f" {score_words(found.share)}. A tuned threshold changes the decisions but not the probabilities."
        " Balancing also gives more weight to errors and bias in the rows of the rare class."
    )


def _balances(model: Any) -> bool:
    """Whether a step of the model balances classes."""
    if any(isinstance(step, BalancedClasses) for step in getattr(model, "steps_", ())):
        return True
    inner = learner_inside(model)
    return inner is not None and _balances(inner)


def copies(result: StudyResult) -> str:
    """A warning about copies of training rows among the test rows; empty if there are few."""
    leaks = result.looks.leaks
    if leaks is None or not leaks.many_copies:
        return ""
    share = f"{leaks.copied:.0%} of the test rows are copies of training rows, exact or nearly so"
    return f"The scores are probably too good: {share}. Keep one of each, or keep them together with --group."


def divided(result: StudyResult) -> str:
    """A warning that rows of one unit, such as a patient, are in both training and test; else empty."""
    if {"group", "sequence"} & result.roles.keys():
        return ""
    found = (one for one in result.description.findings if (one.kind, one.severity) == ("groups", "warn"))
    name = next((one.columns[0] for one in found), None)
    if name is None:
        return ""
    return (
        f"Rows with the same `{name}` nearly always have the same {result.target!r}, and they are in both"
        f" training and test: the scores say little about a new `{name}`. If its rows belong together, as a"
        f" patient's do, run the study with --group {shlex.quote(name)}."
    )


def without_suspects(result: StudyResult) -> str:
    """The columns that give the target away, and the score with and without them; empty if there are none."""
    leaks, without = result.looks.leaks, result.looks.without_suspects
    if leaks is None or not leaks.suspects:
        return ""
    names = [f"`{name}`" for name in leaks.suspects]
    several = len(names) > 1
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if several else names[0]
    if leaks.suspects == leaks.encodings:
        start = f"{listed} {'were' if several else 'was'} computed from {result.target!r} on all rows."
    else:
        start = f"{listed} {'give' if several else 'gives'} {result.target!r} away."
    if loses_little(result.comparison, result.looks.label, without):
        start = f"{start} The score hardly depends on {'them' if several else 'it'}."
    them, label = "them" if several else "it", result.looks.label
    options = " ".join(f"--ignore {shlex.quote(name)}" for name in leaks.suspects)
    end = f"If {'they are' if several else 'it is'} not known when you predict, run the study with {options}."
    if without is None:
        return f"{start} There is no score of {label} without {them}. {end}"
    judged = result.comparison[label]
    scores = (f"{score_words(each.score())} {each.interval()}" for each in (judged, without))
    return "{} {} has {} {} with {them}, and {} without {them}. {end}".format(
        start, title(label), judged.metric().words, *scores, them=them, end=end
    )


def finding_cells(finding: Finding) -> tuple[str, str, str]:
    """Severity, columns and message of a finding."""
    return finding.severity, _columns(finding.columns), finding.message


def change_words(row: RankingRow) -> str:
    """The difference from the best baseline's score, with as many decimals as the score; empty for itself."""
    if row.test is None:
        return ""
    change = row.test.difference
    return score_words(change, size=max(abs(change), abs(row.score)), sign="+")


def tags(result: StudyResult, label: str) -> list[str]:
    """The tags after a learner's name in the ranking."""
    named = (("baseline", result.baselines), ("best", (result.choice.best,)))
    return [tag for tag, labels in named if label in labels]


def test_words(result: StudyResult, chosen: Evaluation) -> str:
    return (
        f"{plural(len(chosen.predictions.truth), 'row')} were held out before any learner was evaluated."
        f" After the choice, {result.choice.label} and the baselines were fitted on the other rows and tested"
        " on these once. This estimate is unbiased as long as no model is chosen by it."
    )


def test_beside_judging(result: StudyResult) -> str:
    """Whether the final test agrees with the folds."""
    judged, tested = result.comparison[result.choice.label], result.tests[result.choice.label]
    metric, before, after = judged.metric(), judged.interval(), tested.interval()
    words = f"The estimate from the folds was {score_words(judged.score())} {before}"
    if _overlap(before, after):
        return f"{words}. The two intervals overlap: the final test agrees with it."
    test = "better" if metric.better(tested.score(), judged.score()) else "worse"
    check = "Check how the held-out rows differ from the others."
    return f"{words}. The intervals do not overlap: the final test is {test} than estimated. {check}"


def model_words(result: StudyResult) -> str:
    """The content of the model file."""
    label, rows = result.choice.label, f"{result.rows:,} rows"
    if result.tests:
        fitted = f"fitted on {rows}, without those held out: the model that the final test evaluated"
        untested = "A model fitted on all rows may be slightly better, but it has not been tested."
        return f"model.openbook holds {label}, {fitted}. {untested}"
    estimate = "Its score was estimated with models fitted on fewer rows."
    return f"model.openbook holds {label}, fitted on all {rows}. {estimate}"


def protocol_words(result: StudyResult) -> list[str]:
    """The evaluation protocol, in sentences."""
    learners = plural(len(result.comparison.evaluations), "learner")
    split = result.protocol.partition(". ")[0] if result.rows < TINY else result.protocol
    locked = (
        "No rows were held out for a final test, so the score of the chosen model is slightly optimistic:"
        " it was selected on the same folds."
    )
    if result.tests:
        rows = len(next(iter(result.tests.values())).predictions.truth)
        which = {
            "time": "the last of new groups" if _NEW in result.protocol else "the last",
            "group": "whole groups, stratified by the target",
            "sequence": "whole sequences, stratified by the target",
        }
        roles = (how for role, how in which.items() if role in result.roles)
        how = next(roles, "stratified by the target")
        locked = f"{rows:,} rows, {how}, were held out for the final test."
    return [
        f"{learners} were evaluated on {plural(result.rows, 'row')} by {split}.",
        "All preparation and fitting used the training rows of each fold only.",
        locked,
        f"Learners are ranked by {result.comparison.metric().words}.",
    ]


def caution(result: StudyResult) -> str:
    """The limits of the protocol with few rows; empty with more."""
    limits = result.protocol.partition(". ")[2]
    return f"{limits}. Read the intervals before the scores." if limits and result.rows < TINY else ""


def remark_on_intervals(result: StudyResult) -> str:
    """Whether the intervals of the ranking cover too rarely or too often in simulations; empty if not."""
    return result.comparison[result.choice.label].coverage_remark(result.comparison.metric())


def example_words(result: StudyResult, example: Example) -> str:
    """The number of the row, the model that predicts it, and its target."""
    name = "" if example.name is None else f" ({result.roles['id']} {cell_words(example.name)})"
    kind = "predicted by the model of its fold, which was not trained on it"
    if example.locked:
        kind = "a held-out row, predicted by the model in the file"
    truth = cell_words(example.truth)
    return f"Row {example.row}{name}, {kind}; its {result.target} is {truth}. Rows are numbered from 0."


def grouped_findings(findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """Severity, columns and message of each finding; of many of one kind a few, and the columns of the
    others.
    """
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        kinds.setdefault((finding.severity, finding.kind), []).append(finding)
    lines = []
    for (severity, kind), group in kinds.items():
        spelt_out = group if len(group) <= _SPELT_OUT + 1 else group[:_SPELT_OUT]
        lines += [finding_cells(finding) for finding in spelt_out]
        if others := group[len(spelt_out) :]:
            columns = list(dict.fromkeys(name for finding in others for name in finding.columns))
            likewise = f"likewise ({kind}): {_columns(columns, 12)}."
            lines.append((severity, f"{plural(len(others), 'finding')} more", likewise))
    return lines


def _columns(columns: Sequence[str], most: int = 4) -> str:
    if not columns:
        return "the table"
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more
