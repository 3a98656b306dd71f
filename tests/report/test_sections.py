"""Each part shows the figures of the result's own objects, is absent without them, and says why."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from openbook.judge import Calibration, Confusion, PrecisionRecall, Regression, Roc, choose, difference
from openbook.plan import make_plan, run
from openbook.report import Looks, study_html, words
from openbook.report.portrait import model_blocks
from openbook.report.sections import judging, parts
from openbook.report.sections.draft import draft
from openbook.report.sections.errors import confusion_figure
from openbook.words.numbers import shown


def part_text(page, part):
    """The words between the heading of a part and that of the next."""
    start = page.page.index("<h2", page.page.index(f'id="{part}"'))
    end = page.page.find('<section class="part"', start)
    inside = page.page[start:end].rsplit("</section>", 1)[0]
    return type(page)(f"<main>{inside}</main>").text


def test_in_short(hostile, weather):
    result, page = hostile
    text = part_text(page, "short")
    assert text.startswith(f"In short {result.verdict.headline}")
    assert result.verdict.headline.startswith(
        "The best learner, C4.5, beats the best baseline, 0R: accuracy "
    )
    for what, label in (("Best", "C4.5"), ("Chosen", result.choice.label), ("Baseline", "0R")):
        evaluation = result.comparison[label]
        assert f"{what}: {label} {shown(evaluation.score())} {evaluation.interval()}" in text
    assert result.choice.reason in text
    test = result.tests[result.choice.label]
    assert f"{shown(test.score())} {test.interval()}" in text
    assert result.looks.diagnosis.meaning.capitalize()[:30] in text
    text = part_text(weather[1], "short")
    assert text.startswith(
        "In short There is no evidence yet that any model beats the baseline 0R: the best,"
    )


def test_the_ranking_has_every_score_interval_and_test(weather, hostile, numbers):
    for result, page in (weather, hostile, numbers):
        text = part_text(page, "ranking")
        for row in result.comparison.rows():
            assert row.label in text
            assert f"{shown(row.score)} {row.interval.ends}" in text
            name, _, effective = row.interval.method.partition(" for ")
            assert f"Intervals: {name}" in text
            assert effective in text
            if row.test is not None:
                assert f"{shown(row.test.difference, sign='+')} {row.test.interval.ends}" in text
                assert row.test.method in text
        assert "results.jsonl" in text


def test_the_caption_says_which_way_is_better(weather, numbers):
    assert "higher is better" in part_text(weather[1], "ranking")
    assert "lower is better" in part_text(numbers[1], "ranking")


def test_the_choice_says_what_it_cost(weather):
    result, page = weather
    text = part_text(page, "choice")
    assert result.choice.reason in text
    assert (result.choice.label, result.choice.best) == ("C4.5", "random forest")
    tree, forest = (result.comparison[label] for label in ("C4.5", "random forest"))
    lost = difference(tree, forest)
    told = f"the difference is {shown(lost.difference)}, with a standard error of {shown(lost.error)}."
    assert told in result.choice.reason
    sizes = f"It has {tree.complexity:g} parameters, against {forest.complexity:,g} of random forest."
    assert words.price(result) == sizes
    assert sizes in text


def test_where_nothing_was_given_up(hostile):
    result, _ = hostile
    assert result.choice.label == result.choice.best
    assert result.choice.given_up is None
    assert words.price(result) == ""


def test_what_is_lost_of_a_loss_is_positive(numbers):
    result, _ = numbers
    worse = choose(result.comparison, "mean")
    lost = result.comparison["mean"].score() - result.comparison["linear regression"].score()
    assert worse.given_up.difference == pytest.approx(lost)
    assert f"the difference is +{lost:.3f}, with a standard error of" in worse.reason


def test_the_data_and_roles_are_told(weather, hostile):
    assert "weather: 14 rows, 5 columns; no missing values" in part_text(weather[1], "data")
    assert "only 14 rows" in part_text(weather[1], "data")
    assert "Histogram of" in hostile[1].page
    text = part_text(hostile[1], "protocol")
    assert "Fairness is evaluated between the groups of &amp;." in text
    assert "40 rows, stratified by the target, were held out for the final test." in text


def test_few_rows_are_told_what_they_cannot_show(weather):
    text = part_text(weather[1], "protocol")
    assert "cannot show how much the score would change with another sample" in text
    assert "Read the intervals before the scores." in text
    assert "naive Bayes, kernel density: skipped" in text


def test_the_test_is_told_with_its_interval(hostile):
    result, page = hostile
    text = part_text(page, "test")
    for evaluation in result.tests.values():
        assert f"{shown(evaluation.score())} {evaluation.interval().ends}" in text
    assert "Wilson (accuracy)" in text
    assert "were held out before any learner was evaluated" in text
    assert "fitted on 120 rows, without those held out: the model" in part_text(page, "again")


def test_a_test_that_the_folds_did_not_promise_is_told(hostile):
    result, _ = hostile
    assert "the final test agrees with it" in words.test_beside_judging(result)
    chosen = result.choice.label
    always_wrong = replace(
        result.tests[chosen],
        folds=tuple(replace(fold, y_pred=1 - fold.y_true) for fold in result.tests[chosen].folds),
    )
    refuting = replace(result, tests={chosen: always_wrong})
    told = words.test_beside_judging(refuting)
    assert "The intervals do not overlap: the final test is worse than estimated." in told
    # without a baseline's test, which would refute the choice, the first line tells of the fall
    assert words.headline(refuting).startswith("The final test is worse than estimated: on ")
    assert not words.headline(result).startswith("The final test")


def test_the_tree_is_drawn_and_its_rules_are_listed(weather):
    """The tree that every textbook has: outlook, then humidity and windy."""
    text = part_text(weather[1], "model")
    assert "The model C4.5" in text
    assert "A tree with 5 leaves. It splits on 3 of the 4 columns." in text
    assert "outlook = sunny and humidity = high play = No 3 21.4% 100.0%" in text
    assert "play by " in text  # its regions


def test_errors_of_classes(weather):
    result, page = weather
    text = part_text(page, "errors")
    evaluation = result.comparison["C4.5"]
    confusion = Confusion.from_evaluation(evaluation)
    for rate in ("tpr", "ppv", "kappa", "lr_plus"):
        found = confusion.rate(rate)
        assert f"{shown(found.value)} {found.interval.ends}" in text
    roc, fit = Roc.from_evaluation(evaluation), Calibration.from_evaluation(evaluation)
    assert f"AUC {shown(roc.auc)} {roc.interval()}" in text
    curve = PrecisionRecall.from_evaluation(evaluation)
    assert f"AP {shown(curve.average_precision)} {curve.interval()}" in text
    assert f"Brier score {shown(fit.brier)} {fit.interval()}" in text
    p = evaluation.one_round
    (_, no_yes), (yes_no, _) = (
        [int(((p.truth == t) & (p.predicted == s)).sum()) for s in (0, 1)] for t in (0, 1)
    )
    assert f"truly No: {5 - no_yes} predicted No, {no_yes} predicted Yes" in text
    assert f"Most frequent error: {yes_no} of the 9 rows of class Yes were predicted as No." in text


def test_errors_of_numbers(numbers):
    result, page = numbers
    text = part_text(page, "errors")
    errors = Regression.from_evaluation(result.comparison[result.choice.label])
    for name in ("mse", "rmse", "mae", "r2", "correlation"):
        found = errors.rate(name)
        assert f"{shown(found.value)} {found.interval.ends}" in text
        assert found.interval.method in text
    assert "Residuals of progression" in text
    assert "True and predicted progression" in text
    assert "Half of the errors lie between" in text


def test_several_classes_stand_each_against_the_rest(weather):
    """Twice two classes make four: the same predictions under other names."""
    result, _ = weather
    evaluation = result.comparison["C4.5"]
    folds = []
    for fold in evaluation.folds:
        proba = np.tile(fold.proba / 2, 2)
        folds.append(replace(fold, y_true=fold.y_true + 2 * (fold.rows % 2), proba=proba))
    many = replace(evaluation, classes=["a", "b", "c", "d"], folds=tuple(folds))
    comparison = replace(result.comparison, evaluations={"0R": many, "C4.5": many}, baselines=())
    page = study_html(replace(result, comparison=comparison, choice=choose(comparison), looks=Looks("C4.5")))
    assert "Each class against the rest" in page
    assert "has the largest calibration error" in page
    for label, roc in Roc.each(many).items():
        assert f"{label}: AUC {shown(roc.auc)}" in page


def test_of_many_classes_the_most_frequent_are_drawn():
    counts = np.diag(np.arange(1, 31))
    figure = confusion_figure(Confusion(counts, [f"k{i}" for i in range(30)]), "Of a table.")
    assert figure.caption.endswith("The 15 most frequent of 30 classes are shown.")
    assert "truth k29, predicted k29: 30" in figure.picture
    assert "truth k14, predicted k14" not in figure.picture


def test_segments_and_mistakes(hostile, numbers):
    for result, page in (hostile, numbers):
        text = part_text(page, "segments")
        for one in result.looks.segments:
            assert f"{one.n} {shown(one.error)} {one.interval.ends}" in text
        for one in result.looks.mistakes:
            assert f" {one.row} " in text
    assert "Largest errors" in text
    assert "in RMSEs" in text


def test_the_curve_and_the_verdict(hostile):
    result, page = hostile
    text = part_text(page, "learning")
    curve, found = result.looks.curve, result.looks.diagnosis
    last = len(curve) - 1
    assert f"Diagnosis of {found.label}: {found.verdict}." in text
    assert f"{shown(curve.mean(last))} {curve.interval(last).ends}" in text
    assert all(each.words in text for each in found.evidence)
    assert all(remedy[1:] in text for remedy in found.remedies)
    assert "corrected resampled t" in text


def test_what_the_columns_tell(hostile):
    result, page = hostile
    text = part_text(page, "attributes")
    for row in result.looks.attributes:
        assert shown(row.score) in text
    for one in result.looks.importance:
        assert f"{shown(one.drop)} {one.interval.ends}" in text
    assert result.looks.importance.columns[0].interval.method in text


def test_leaks_are_told(hostile):
    result, page = hostile
    text = part_text(page, "leaks")
    assert result.looks.leaks.work().conclusion in text
    assert all(one.message in text for one in result.looks.leaks)


def test_fairness_and_costs_where_they_were_asked_for(hostile, weather):
    result, page = hostile
    (fair,) = result.looks.fairness.values()
    text = part_text(page, "fairness")
    for group in fair.groups:
        share = fair.share("selection", group)
        assert f"{shown(share.value)} {share.interval(0.95).ends}" in text
    assert fair.work().conclusion in text
    money, text = result.looks.costs, part_text(page, "costs")
    for payment in money.payments.values():
        assert f"{shown(payment.observed)} {payment.interval.ends}" in text
    assert money.work().conclusion in text
    assert not {"fairness", "costs"} & set(weather[1].ids)


def test_looks_that_were_not_taken_say_why(weather, hostile):
    text = part_text(weather[1], "not-taken")
    looks = "Leaks, the score without the columns that give the target away, the most confident mistakes"
    assert f"{looks}, the worst segments" in text
    assert text.count("14 rows are too few.") == 1
    assert "not-taken" not in hostile[1].ids


@pytest.mark.parametrize(
    ("look", "part"),
    [("leaks", "leaks"), ("costs", "costs"), ("fairness", "fairness")],
)
def test_a_part_without_its_look_is_left_out(hostile, look, part):
    result, _ = hostile
    empty = {} if look == "fairness" else None
    looks = replace(result.looks, **{look: empty}, why_not={look: "there was no time left"})
    found = {each.id: each for each in parts(replace(result, looks=looks))}
    assert part not in found
    assert "there was no time left" in found["not-taken"].blocks[0].lines[0]


def test_without_any_look_the_page_stands(hostile, page_of):
    result, _ = hostile
    page = page_of(study_html(replace(result, looks=Looks(result.looks.label))))
    assert not {"leaks", "segments", "learning", "attributes", "fairness", "costs"} & set(page.ids)
    assert {"ranking", "choice", "test", "errors", "work", "draft"} <= set(page.ids)


def test_half_of_a_part_is_shown_where_only_half_was_looked_at(hostile):
    result, _ = hostile
    halves = {"importance": "attributes", "mistakes": "segments", "diagnosis": "learning"}
    looks = replace(result.looks, **dict.fromkeys(halves))
    found = {part.id for part in parts(replace(result, looks=looks))}
    assert set(halves.values()) <= found


def test_predictions_are_worked(weather, hostile):
    for result, page in (weather, hostile):
        text = part_text(page, "work")
        for example in result.examples:
            assert f"Row {example.row}, " in text
            for work in example.works.values():
                assert work.conclusion in text


def test_one_can_do_it_again(weather):
    result, page = weather
    text = part_text(page, "again")
    assert 'learner = "naive_bayes"' in text
    assert f"openbook {result.versions['openbook']}" in text
    assert "openbook study plan.toml" in text
    assert "seed 0" in text
    assert "eac68279eba839350d673c0a02ee7ea93a47b6cc67aa5be7c23dffe8b7be83ff" in text  # as in the plan
    assert str(result.folder) not in page.page


def test_the_draft_is_filled_in_where_the_study_knows(hostile, weather, numbers):
    for result, page in (hostile, weather, numbers):
        text = draft(result, {})
        for chapter in ("Introduction", "Method", "Results", "Discussion", "Conclusion"):
            assert chapter in text
        for row in result.comparison.rows():
            assert f"{row.label}: {shown(row.score)} {row.interval}" in text
        assert result.choice.reason in text
        assert text.count("…]") > 8
        assert page.page.count("<mark>[") == text.count("…]")
    test = hostile[0].tests[hostile[0].choice.label]
    assert f"{shown(test.score())} {test.interval()}" in draft(hostile[0], {})
    assert "No rows were held out for a final test" in draft(weather[0], {})
    assert "Skipped analyses: leaks" in draft(weather[0], {})


def test_figures_and_tables_are_numbered_and_referred_to(hostile, weather, numbers):
    for _, page in (hostile, weather, numbers):
        for what in ("Figure", "Table"):
            pattern = rf">{what} (\d+)\. " if what == "Table" else rf'class="title">{what} (\d+)'
            found = [int(n) for n in re.findall(pattern, page.page)]
            assert found == list(range(1, len(found) + 1))
        (scores,) = re.findall(r'class="title">(Figure \d+)\. [^<]* of each learner<', page.page)
        short = part_text(page, "short")
        assert f"The ranking in {scores}, Table 1; " in short
        assert f"(in report.html, {scores} and Figure " in part_text(page, "draft")
        for kind, number in re.findall(r"(Figure|Table)s? (\d+)", short):
            assert f">{kind} {number}" in page.page


def test_an_undefined_score_is_no_reason_to_fall_over(weather):
    """AUC is undefined where every truth is one class."""
    result, _ = weather
    evaluations = {}
    for label, one in result.comparison.evaluations.items():
        folds = tuple(replace(fold, y_true=fold.y_true * 0) for fold in one.folds)
        evaluations[label] = replace(one, metrics=("accuracy", "roc_auc"), folds=folds)
    comparison = replace(result.comparison, evaluations=evaluations)
    assert math.isnan(comparison["C4.5"].score("roc_auc"))
    page = study_html(replace(result, comparison=comparison))
    assert "undefined" in page
    assert "ROC of" not in page


def test_the_caption_of_the_ranking_names_only_what_is_drawn(hostile):
    """A baseline far behind is a triangle at the edge, and has no dashed line."""
    result = hostile[0]
    rows = [
        replace(row, score=-50.0, interval=replace(row.interval, low=-50.0, high=-50.0))
        if row.label in result.baselines
        else row
        for row in result.ranking
    ]
    caption = judging._chart(result, rows).caption
    assert "A triangle marks a score outside the axis." in caption
    assert "Dashed" not in caption


def test_a_phone_is_shown_a_narrower_chart_of_the_ranking(weather):
    result, _ = weather
    chart = str(judging._chart(result, result.ranking).picture)
    broad, phone = re.fullmatch(r'<div class="broad">(.*)</div><div class="phone">(.*)</div>', chart).groups()
    widths = [float(re.search(r'viewBox="0 0 (\d+)', svg)[1]) for svg in (broad, phone)]
    assert widths[0] - widths[1] == 560 - 240


def test_the_guide_names_every_part(hostile, weather, numbers):
    guide = (Path(__file__).parents[2] / "docs/guide/studies.md").read_text(encoding="utf-8")
    table = guide.partition("\n## The report\n")[2].partition("\n## ")[0]
    titles = {part.title for result, _ in (hostile, weather, numbers) for part in parts(result)}
    assert [title for title in titles if title not in table] == []


def test_intervals_of_coefficients_say_that_rows_belong_together(numbers):
    result, _ = numbers
    assert "independent" not in str(model_blocks(result, "linear regression"))
    grouped = replace(result, roles={**result.roles, "group": "patient"})
    last = model_blocks(grouped, "linear regression")[-1].words
    assert last == (
        "These intervals take the rows as independent. Rows that belong together by patient are not, so the"
        " intervals are likely to be too narrow."
    )


def test_figures_of_one_round_are_told_apart_from_the_mean_of_all(tmp_path, numbers):
    told = "These are figures of the first round of folds"
    twice = make_plan("diabetes", cv=3, repeats=2, only=["linear_regression"])
    assert told in run(twice, tmp_path, workers=1).report.read_text(encoding="utf-8")
    assert told not in numbers[1].page
