"""For a reader in a hurry: the choice, its score beside a baseline's, the test, a verdict, warnings."""

from collections.abc import Iterator

from openbook.report import words
from openbook.report.blocks import Answers, Block, Findings, Part, Text
from openbook.report.study import StudyResult
from openbook.words.sentences import plural

#: More warnings are left to their own parts.
_MOST_WARNINGS = 4


def part(result: StudyResult) -> Part:
    blocks: list[Block] = [Text(words.headline(result), "verdict"), Answers(list(_answers(result)))]
    sentences = (result.choice.reason, words.verdict(result), words.threshold(result), words.money(result))
    blocks += [Text(sentence, "verdict") for sentence in sentences if sentence]
    warnings = list(_warnings(result))
    shown = [*warnings[:_MOST_WARNINGS]]
    if more := len(warnings) - len(shown):
        shown.append(("warn", f"{plural(more, 'more warning')}", "below, with the data and the leaks."))
    return Part("short", "In short", (*blocks, *([Findings(shown)] if shown else [])))


def _answers(result: StudyResult) -> Iterator[tuple[str, str, str]]:
    metric = words.title(result.comparison.metric().words)
    how = "leave-one-out" if words.caution(result) else "cross-validated"
    for what, label, score, interval in words.contenders(result):
        yield f"{what}: {label}", score, f"{interval}; {result.comparison.metric().words}, {how}"
    if result.tests:
        chosen = result.tests[result.choice.label]
        n = plural(len(chosen.predictions.truth), "row")
        yield f"{metric} on {n} never used before", words.score_words(chosen.score()), str(chosen.interval())


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
