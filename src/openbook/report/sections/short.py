"""For a reader in a hurry: the choice, its score beside a baseline's, the test, a verdict, warnings."""

from collections.abc import Iterator

from openbook.data.findings import plural
from openbook.judge.comparison import Row
from openbook.report import words
from openbook.report.blocks import Answers, Block, Findings, Part, Text
from openbook.report.study import StudyResult

_ALPHA = 0.05
#: More warnings are left to their own parts.
_MOST_WARNINGS = 4


def part(result: StudyResult) -> Part:
    blocks: list[Block] = [Answers(list(_answers(result)))]
    sentences = (_beside(result), words.verdict(result), words.money(result))
    blocks += [Text(sentence, "verdict") for sentence in sentences if sentence]
    warnings = list(_warnings(result))
    shown = [*warnings[:_MOST_WARNINGS]]
    if more := len(warnings) - len(shown):
        shown.append(("warn", f"{plural(more, 'more warning')}", "below, with the data and the leaks."))
    return Part("short", "In short", (*blocks, *([Findings(shown)] if shown else [])))


def _beside(result: StudyResult) -> str:
    """How the choice stands beside the best baseline: plainly, then in figures."""
    sentence, test = words.beside_baseline(result), result.over_baseline
    if test is None:
        return sentence
    better = test.p_value < _ALPHA and result.comparison.metric().better(test.difference, 0)
    plainly = "significantly better" if better else "not significantly better"
    return f"{result.choice.label} is {plainly} than the simple rules it must beat. {sentence}"


def _answers(result: StudyResult) -> Iterator[tuple[str, str, str]]:
    comparison = result.comparison
    rows = {row.label: row for row in result.ranking}
    metric = words.title(comparison.metric().words)
    how = "leave-one-out" if words.caution(result) else "cross-validated"
    yield "Chosen learner", result.choice.label, ""
    yield f"{metric}, {how}", *_score(rows[result.choice.label])
    baseline = result.best_baseline
    if baseline is not None and baseline != result.choice.label:
        yield f"Best baseline: {baseline}", *_score(rows[baseline])
    elif result.choice.best != result.choice.label:
        yield f"Best score of all: {result.choice.best}", *_score(rows[result.choice.best])
    if result.tests:
        chosen = result.tests[result.choice.label]
        n = plural(len(chosen.predictions.truth), "row")
        yield f"{metric} on {n} never used before", words.score_words(chosen.score()), str(chosen.interval())


def _score(row: Row) -> tuple[str, str]:
    return words.score_words(row.score), str(row.interval)


def _warnings(result: StudyResult) -> Iterator[tuple[str, str, str]]:
    """What may make all of this untrue, the gravest first."""
    if caution := words.caution(result):
        yield "warn", "few rows", caution
    leaks = result.looks.leaks.warnings if result.looks.leaks is not None else ()
    told = [words.told(one) for one in leaks]
    yield from told
    for one in words.grouped(result.description.findings):
        if one[0] == "warn" and one not in told:
            yield one
