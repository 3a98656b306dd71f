"""The report of a study without a target: the parts of its page."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from openbook.cluster import Contingency
from openbook.report import words
from openbook.report.blocks import (
    Answers,
    Block,
    Code,
    Findings,
    Fold,
    Heading,
    Items,
    Paragraph,
    Sheet,
    Side,
    TableLine,
    derived,
    grids,
    picture_figure,
    section,
)
from openbook.report.exploration import Exploration
from openbook.report.html import page
from openbook.report.sections import the_data
from openbook.report.sections.short import versions_and_plan
from openbook.words.numbers import figure, shown_p

#: With more columns, a derivation is too long to follow.
_FOLLOWED = 100

#: The most rules that are listed, rows whose reasons are drawn, and warnings at the top.
_RULES, _DRAWN, _WARNINGS = 15, 2, 4

_COMMANDS = """\
openbook study plan.toml                                   # the same study
openbook export plan.toml                                  # the same study as a Python script
openbook predict model.openbook new.csv -o clusters.csv    # the cluster of new rows
openbook work model.openbook new.csv --row 0               # the cluster of row 0, derived"""


def exploration_html(result: Exploration) -> str:
    """The page."""
    heading, lead = f"Exploring {result.name}", f"A study without a target: {words.size_words(result)}."
    return page(heading, heading, lead, [section(result) for section in _SECTIONS], result.versions)


@section("short", "In short")
def _short(result: Exploration) -> Iterator[Block]:
    groups, rules, first = result.groups, result.associations.rules, next(iter(result.oddities))
    strongest = str(rules[0]) if len(rules) else ""
    answers = [
        ("Clusters", str(groups.k), groups.chosen.doubt),
        ("Strongest outlier", first.name, first.because),
        ("Significant association rules", f"{len(rules):,}", strongest),
    ]
    yield Answers(answers)
    warnings = [("warn", "groups", groups.doubt)] if groups.doubt else []
    no_part = (result.roles.get("id"), *result.roles.get("ignore", ()))
    found = words.grouped_findings(result.description.findings)
    warnings += [one for one in found if one[0] == "warn" and one[1] not in no_part]
    if warnings:
        yield Findings(warnings[:_WARNINGS])
    if result.notes:
        yield Items([words.title(f"{note}.") for note in result.notes])


@section("groups", "Clusters")
def _groups(result: Exploration) -> Iterator[Block]:
    groups = result.groups
    chosen, traits = groups.chosen.work(), groups.traits.work()
    if groups.doubt:
        yield Paragraph(groups.doubt, "caution")
    yield from (Paragraph(groups.verdict), _clusters(result))
    if groups.picture is not None:
        rows, *more = groups.picture.notes
        yield picture_figure(groups.picture, f"{rows}.", *more)
    yield Fold("All columns of all clusters", [*grids(traits), Paragraph(traits.conclusion, "note")])
    yield from _beside(result)
    yield from (picture_figure(groups.chosen.draw()), Fold("Table of the scores", list(grids(chosen))))
    if groups.dendrogram is not None:
        caption = "Average linkage, for comparison: it needs no number of clusters."
        tree = picture_figure(groups.dendrogram.draw(groups.k), caption)
        yield replace(tree, title="Clusters within clusters")
    if len(groups.model.schema_) <= _FOLLOWED:
        yield Fold("How the clusters were found", [derived(groups.model.work())])
    yield Fold("Quality of the clusters, derived", [derived(groups.quality.work())])


def _clusters(result: Exploration) -> Sheet:
    groups = result.groups
    n, means, lines = len(groups.labels), groups.quality.mean_silhouettes, []
    for c, size in groups.traits.sizes.items():
        mean = _figure(means.get(c, math.nan))
        lines.append(TableLine((f"{c}", f"{size:,}", f"{size / n:.1%}", mean, groups.sentence(c))))
    return Sheet("The clusters", ("cluster", "rows", "share", "mean silhouette", "differs in"), tuple(lines))


def _beside(result: Exploration) -> Iterator[Any]:
    """The column that was left aside."""
    beside, name = result.groups.beside, result.roles.get("aside")
    if beside is None:
        return
    yield Heading(f"Compared with {name}, which was not used")
    yield Paragraph(beside_words(result))
    yield from grids(beside.work())


def beside_words(result: Exploration) -> str:
    """The agreement of the clusters with the column that was left aside."""
    beside = result.groups.beside
    if isinstance(beside, Contingency):
        share = f"the share of rows that are of the most frequent {beside.name} of their cluster"
        rand = "1 for the same groups, 0 on average for groups at random"
        purity, adjusted = (figure(value, 3) for value in (beside.purity, beside.adjusted_rand))
        return f"Purity {purity}: {share}. Adjusted Rand {adjusted}: {rand}."
    assert beside is not None
    (most,) = max(beside.traits.values(), key=lambda traits: traits[0].size)
    p = shown_p(most.p_value)
    return f"The cluster that differs most has {most}; p {p if p[0] == '<' else f'= {p}'} (Welch, Holm)."


@section("oddities", "Outliers")
def _oddities(result: Exploration) -> Iterator[Block]:
    odd = result.oddities
    lines = [TableLine((one.name, f"{one.cluster}", _figure(one.score), one.because)) for one in odd]
    meaning = next((one.reasons.meaning for one in odd if one.reasons is not None), "")
    note = f"Rows are numbered from 0. {meaning}"
    yield Paragraph(odd.verdict)
    if odd.simple:
        yield Paragraph(odd.one_column_at_a_time)
    yield Sheet("Strongest outliers", ("row", "cluster", "score", "reason"), tuple(lines), note)
    yield picture_figure(odd.found.draw())
    explained = [(one.name, one.reasons) for one in odd if one.reasons is not None][:_DRAWN]
    if explained:
        drawn = [(f"Why row {name} is an outlier", picture_figure(why.draw())) for name, why in explained]
        yield Side([replace(picture, title=title) for title, picture in drawn])


@section("associations", "Association rules")
def _associations(result: Exploration) -> Iterator[Block]:
    found = result.associations
    yield from (Paragraph(found.verdict), Paragraph(found.how, "note"))
    if len(found.rules):
        header = ("rule", "rows", "support", "confidence", "lift", "p")
        lines = tuple(TableLine((str(rule), *rule_figures(rule))) for rule in found.rules.rules[:_RULES])
        note = "Sorted by leverage: how many more rows have both sides than expected by chance."
        note += f" p: Fisher’s exact test, one-sided, times the {found.rules.eligible:,} eligible rules."
        caption = "The rules" if len(found.rules) <= _RULES else f"The first {_RULES} rules"
        yield from (Sheet(caption, header, lines, note), picture_figure(found.rules.draw()))
        yield Fold("The first rule, derived", [derived(found.rules.work(0))])


def rule_figures(rule: Any) -> tuple[str, ...]:
    figures = (rule.support, rule.confidence, rule.lift)
    return f"{rule.both:,}", *(figure(value, 3) for value in figures), shown_p(rule.p_value)


@section("again", "Reproduce")
def _again(result: Exploration) -> Iterator[Block]:
    yield from (Paragraph("The same plan with the same versions gives the same results."), Code(_COMMANDS))
    yield from versions_and_plan(result, ("cluster and score of every row", "labels.csv"))


def _figure(value: float) -> str:
    return "–" if math.isnan(value) else figure(value, 3)


#: In reading order.
_SECTIONS = (_short, the_data, _groups, _oddities, _associations, _again)
