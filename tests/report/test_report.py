"""The page holds its parts, is well-formed, calls no network, and escapes whatever the data say."""

import re

import pytest

from openbook.draw.picture import STYLE
from openbook.plan import make_plan, run

FIRST, LAST = ("short", "data", "changes"), ("questions", "again", "draft")
FEW_ROWS = ("protocol", "ranking", "choice", "model", "errors", "attributes", "work", "not-taken")
JUDGED = ("leaks", "protocol", "ranking", "choice", "test", "model", "errors")
LOOKED = ("segments", "learning", "attributes", "fairness", "costs", "work")


def test_the_parts_are_in_order_and_listed(weather, hostile):
    for (_, page), middle in ((weather, FEW_ROWS), (hostile, JUDGED + LOOKED)):
        parts = [*FIRST, *middle, *LAST]
        assert [i for i in page.ids if not i.endswith("-title")] == parts
        assert page.links == [f"#{part}" for part in parts]


def test_the_page_needs_no_network_and_no_script(weather, hostile, numbers):
    for _, page in (weather, hostile, numbers):
        assert all(link.startswith("#") for link in page.links)
        assert not {"script", "iframe", "img", "link", "object", "form"} & set(page.tags)
        assert "@import" not in page.page
        assert "url(" not in page.page
        assert "default-src 'none'" in page.page


def test_names_and_values_are_escaped(hostile):
    _, page = hostile
    for raw in ("<script", "<img", "<u>", "<target>", "<i>name", "\x1b"):
        assert raw not in page.page
    assert "&lt;target&gt;" in page.page
    assert "&amp;amp;" in page.page  # the column that is called &amp;
    assert "{{7*7}}" in page.page  # not evaluated
    assert "alert('x')" in page.text  # as text


def test_ids_are_unique_and_sections_have_names(weather, hostile, numbers):
    for _, page in (weather, hostile, numbers):
        assert len(page.ids) == len(set(page.ids))
        labels = [known["aria-labelledby"] for tag, known in page.attributes if "aria-labelledby" in known]
        assert set(labels) <= set(page.ids)


def test_headers_of_tables_say_what_they_head(hostile):
    _, page = hostile
    mine = re.findall(r'<table class="figures.*?</table>', page.page, re.DOTALL)
    assert len(mine) > 10
    for table in mine:
        assert "<th>" not in table
        assert table.count('scope="row"') == table.count("<tr") - table.count("<thead")


def test_the_style_of_pictures_is_there_once(hostile, numbers):
    for _, page in (hostile, numbers):
        rule = STYLE.strip().splitlines()[0]
        assert page.page.count(rule) == 1
        assert page.page.count('class="ob-plot"') > 3


def test_pictures_have_titles(weather):
    _, page = weather
    pictures = [known for tag, known in page.attributes if tag == "svg" and known.get("role") == "img"]
    assert len(pictures) > 10
    assert all(known.get("aria-label") for known in pictures)


def test_what_is_folded_is_printed(weather):
    _, page = weather
    assert "details::details-content { content-visibility: visible" in page.page
    assert "Open the folded parts before you print" in page.text


def test_baselines_alone_are_told(tmp_path, page_of):
    result = run(make_plan("diabetes", cv=3, repeats=1, only=["zero_regressor"]), tmp_path)
    text = page_of(result.report.read_text(encoding="utf-8")).text
    assert "Truth minus prediction of mean" in text
    assert "Residuals of" not in text  # those of a constant show nothing
    assert "the other learners were none." in text


@pytest.mark.parametrize("study", ["weather", "hostile", "numbers"])
def test_the_page_stays_small(study, request):
    _, page = request.getfixturevalue(study)
    assert len(page.page) < 300_000
