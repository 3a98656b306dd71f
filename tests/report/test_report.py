"""The page holds what it must, is well-formed, calls no network, and escapes whatever the data say."""

import re
from html.parser import HTMLParser

import pytest

from openbook.data.findings import short
from openbook.plan import make_plan, run

HOSTILE = "<script>alert('x')</script>"
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """Checks that elements nest, and keeps what is in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        known = dict(attrs)
        self.ids += [known["id"]] if "id" in known else []
        self.links += [known[name] for name in ("href", "src", "srcset", "action", "data") if name in known]
        assert not [name for name in known if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


@pytest.fixture(scope="module")
def weather(tmp_path_factory):
    """A baseline is chosen, and a tree is the best of the others."""
    learners = ["naive_bayes", "c45", "cart", "random_forest", "adaboost"]
    result = run(make_plan("weather", only=learners), tmp_path_factory.mktemp("weather"))
    return result, Page(result.report.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    """Hostile names and values, a test set, and a chosen learner that is no baseline."""
    folder = tmp_path_factory.mktemp("hostile")
    name = '<img src=x onerror="alert(1)">'
    cells = [
        f"{(i % 2) * 3 + i % 5 / 2},{'{{7*7}}' if i % 2 else HOSTILE},{'<b>' if i % 2 else 'a&b'}"
        for i in range(120)
    ]
    source = folder / "bad<i>name.csv"
    source.write_text(f'"{name.replace(chr(34), chr(34) * 2)}",&amp;,<target>\n' + "\n".join(cells) + "\n")
    plan = make_plan(source, "<target>", test_share=0.25, folds=3, repeats=1)
    result = run(plan, folder / "study")
    return result, result.report.read_text(encoding="utf-8")


def test_the_page_has_its_parts_in_order(weather):
    _, page = weather
    parts = ["short", "data", "protocol", "ranking", "choice", "model", "errors", "work", "again"]
    assert [i for i in page.ids if i in parts] == parts
    assert {f"#{part}" for part in parts} == set(page.links)


def test_the_page_needs_no_network_and_no_script(weather, tested):
    for page in (weather[1], Page(tested[1])):
        assert all(link.startswith("#") for link in page.links)
        assert not {"script", "iframe", "img", "link", "object", "form"} & set(page.tags)
        assert "@import" not in page.text
        assert "url(" not in page.text


def test_the_figures_are_those_of_the_result(weather):
    result, page = weather
    for row in result.comparison.rows():
        assert row.label in page.text
        assert f"{row.score:.3f}" in page.text
        assert row.interval.ends in page.text
    assert result.choice.reason in page.text
    assert "Chosen learner 0R" in page.text
    assert "0R is a baseline: on these 14 rows nothing is significantly better" in page.text
    assert "Most frequent: play = Yes." in page.text
    assert "play = No" in page.text
    assert "C4.5 is worked beside it" in page.text


def test_an_ensemble_that_is_not_offered_is_told_with_its_reason(weather):
    result, page = weather
    assert page.text.count("not offered") == 2 * len(result.choice.withheld)  # in the ranking, and why
    assert all(sentence in page.text for sentence in result.choice.withheld.values())


def test_the_tree_is_drawn_and_its_rules_are_listed(weather):
    """The tree that every textbook has: outlook, then humidity and windy."""
    _, page = weather
    assert "Beside the choice: C4.5 A tree of 5 leaves; it tests 3 of the 4 columns." in page.text
    assert "outlook = sunny and humidity = high play = No 3 21.4% 100.0%" in page.text
    assert "outlook = overcast play = Yes 4 28.6% 100.0%" in page.text
    assert "leaves are hidden" not in page.text


def test_a_tiny_table_is_told_what_it_cannot_show(weather):
    _, page = weather
    assert "cannot show how much the score would change with another sample" in page.text
    assert "Read the intervals before the scores." in page.text
    assert "test" not in page.ids


def test_findings_and_reasons_are_told(weather):
    _, page = weather
    assert "only 14 rows" in page.text
    assert "play is nominal, so classes are predicted" in page.text
    assert "naive Bayes, kernel density takes no part" in page.text


def test_pictures_have_titles(weather):
    _, page = weather
    assert (
        page.tags.count("svg") == 5 + 5
    )  # a column each, the ranking, the tree, the regions (two), the confusion
    assert page.tags.count("title") >= page.tags.count("svg") + 1
    assert "Histogram" not in page.text  # all columns are nominal
    assert "truly No: 0 predicted No, 5 predicted Yes" in page.text


def test_one_can_do_it_again(weather):
    result, page = weather
    assert 'learner = "naive_bayes"' in page.text
    assert f"openbook {result.versions['openbook']}" in page.text
    assert "numpy" in page.text
    assert "openbook study plan.toml" in page.text
    assert str(result.folder) not in page.text


def test_the_test_is_told_with_its_interval_and_what_the_model_is(tested):
    result, page = tested
    text = Page(page).text
    chosen = result.tests[result.choice.label]
    assert "test" in Page(page).ids
    assert f"{chosen.score():.3f} {chosen.interval().ends}" in text
    assert "were locked away before any learner was tried" in text
    assert f"fitted on the {result.rows} rows that were not locked away: the very model" in text


def test_names_and_values_are_escaped(tested):
    _, page = tested
    assert HOSTILE not in page
    assert "<img" not in page
    assert "<b>a" not in page
    assert "<target>" not in page
    assert "&lt;target&gt;" in page
    assert "&amp;amp;" in page  # the column that is called &amp;
    assert "{{7*7}}" in page  # not evaluated
    Page(page)


def test_numbers_show_histograms(tested):
    _, page = tested
    assert "Histogram of" in page


def test_regression_shows_its_errors(tmp_path):
    result = run(make_plan("diabetes", folds=3, repeats=1, only=["zero_regressor"]), tmp_path)
    text = Page(result.report.read_text(encoding="utf-8")).text
    assert "Half of the errors lie between" in text
    assert "Truth minus prediction of mean" in text
    assert "RMSE" in text
    assert "Residuals of" not in text  # those of a constant show nothing


def test_residuals_are_those_of_rows_that_were_not_learnt(tmp_path):
    plan = make_plan("diabetes", folds=3, repeats=1, only=["zero_regressor", "model_tree"])
    result = run(plan, tmp_path)
    page = result.report.read_text(encoding="utf-8")
    p = result.comparison["model tree"].one_round
    assert "Residuals of progression</text>" in page
    assert f"model tree on {len(p.truth)} rows, each predicted by a model that had not seen it." in page
    assert f"predicted {short(p.predicted[0])}, truth {short(p.truth[0])}</title>" in page


def test_regions_are_drawn_where_two_columns_vary(weather, tested):
    _, page = weather
    assert re.search(r"play by (outlook|humidity|windy) and (outlook|humidity|windy) ", page.text)
    assert "the two columns that matter most to it" in page.text
    Page(tested[1])
    assert "ob-plot" in tested[1]


def test_a_single_column_has_no_regions(tmp_path):
    (tmp_path / "one.csv").write_text("x,y\n" + "".join(f"{i % 13},{'ab'[i % 13 > 6]}\n" for i in range(60)))
    result = run(make_plan(tmp_path / "one.csv", "y", folds=3, repeats=1), tmp_path / "study")
    assert "ob-plot" not in result.report.read_text(encoding="utf-8")
