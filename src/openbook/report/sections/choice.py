"""The choice: the best, the chosen and the baseline, and why."""

from openbook.report import words
from openbook.report.blocks import Block, Fold, Line, Part, Table, Text, derived
from openbook.report.study import StudyResult

_RULES = {
    "simplest": "Rule: the simplest learner within one standard error of the best, as in CART and glmnet. The"
    " standard error is that of the paired difference. A baseline is never chosen unless it is named.",
    "margin": "Rule: the simplest learner that is shown to lose less than the margin beside the best: the"
    " upper end of the one-sided 95% interval of its loss lies below it.",
    "best": "Rule: the learner with the best score.",
    "named": "Rule: the learner that was named.",
}


def part(result: StudyResult) -> Part:
    choice = result.choice
    metric = words.title(result.comparison.metric().words)
    lines = tuple(
        Line((label, score, interval), "chosen" if what == "Chosen" else "", (what.lower(),))
        for what, label, score, interval in words.contenders(result)
    )
    table = Table(
        "The best, the chosen and the baseline", ("", metric, "interval"), lines, _RULES[choice.rule]
    )
    blocks: list[Block] = [Text(choice.reason), table]
    if sentence := words.price(result):
        blocks.append(Text(sentence, "verdict"))
    if choice.given_up is not None and choice.given_up.steps:
        test = derived(choice.given_up.work())
        blocks.append(Fold(f"How {choice.label} compares with {choice.best}", [test]))
    if result.verdict.test is not None:
        blocks.append(Fold("Is there anything to learn?", [derived(result.verdict.work())]))
    return Part("choice", "The choice", tuple(blocks))
