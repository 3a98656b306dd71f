"""Tables know which columns hold figures; a long derivation is shown as text; pictures leave their style."""

import xml.etree.ElementTree as ET

import pytest

from openbook.draw import Picture
from openbook.report import blocks
from openbook.report.blocks import Code, Paragraph, Part, Sheet, Shown, TableLine, derived, picture_figure
from openbook.report.html import page
from openbook.work import Grid, Step, Work


@pytest.mark.parametrize(
    ("cells", "side"),
    [
        (("0.5", "-1,234.5", "undefined"), "n"),
        (("[0.1, 0.2]", "–"), "n"),
        (("< 0.001", "+0.031*", "12%"), "n"),
        (("1.2e-05", "∞", "?"), "n"),
        (("0.5", "a"), ""),
        (("7 rows", "8 rows"), ""),
    ],
)
def test_columns_of_figures_stand_on_the_right(cells, side):
    table = Sheet("", ("name", "x"), tuple(TableLine(("a", cell)) for cell in cells))
    assert table.sides == ["", side]


def test_a_table_without_rows_is_shown():
    table = Sheet("none", ("word", "times", "of all"), ())
    assert "of all" in page("", "", "", [Part("words", "Words", (table,))], {"openbook": "0"})


def test_a_grid_becomes_a_table():
    table = Sheet.of(Grid("title", ("a", "b"), [(1, None), (0.123456789, "x")], "note"), most=1)
    assert table == Sheet("title", ("a", "b"), (TableLine(("1", "–")),), "note")


def test_a_long_derivation_is_shown_as_text():
    assert isinstance(derived(Work("short", (Step("a", result=1),))), Shown)
    steps = [Step(f"step {i}", r"\frac{a}{b}", r"\frac{1}{2}", 0.5) for i in range(200)]
    long = derived(Work("long", tuple(steps)))
    assert isinstance(long, Code)
    assert "step 199" in long.text


def test_thousands_of_steps_in_a_row_are_shown_by_the_first_and_the_last():
    steps = [Step(f"step {i}", "a", "1", 0.5) for i in range(3_000)]
    long = derived(Work("long", (Work("inner", tuple(steps)), Step("sum", result=7))))
    assert isinstance(long, Code)
    lines = [line.split()[1] for line in long.text.splitlines() if line.strip().startswith("step ")]
    assert lines == [str(i) for i in (*range(100), *range(2_990, 3_000))]
    assert "2,890 more steps: openbook work shows them" in long.text
    assert "sum" in long.text


def test_a_picture_in_a_page_leaves_its_style_and_its_head_to_it():
    picture = Picture("A <title>", "told", ("A note.",), '<rect class="c0" width="10" height="5"/>', 100, 50)
    alone, inline = ET.fromstring(picture.svg()), ET.fromstring(picture.inline())
    ns = "{http://www.w3.org/2000/svg}"
    assert alone.find(f"{ns}style") is not None
    assert inline.find(f"{ns}style") is None
    assert [text.text for text in alone.iter(f"{ns}text")] == ["A <title>", "A note."]
    assert not list(inline.iter(f"{ns}text"))
    assert inline.find(f"{ns}title").text == "A <title>"
    assert ET.tostring(inline.find(f"{ns}g/{ns}rect")) == ET.tostring(alone.find(f"{ns}g/{ns}rect"))
    assert int(inline.get("height")) < int(alone.get("height"))
    figure = picture_figure(picture)
    assert (figure.title, figure.caption) == ("A <title>", "A note.")


def test_names_and_options_in_a_sentence_are_code_and_the_rest_is_escaped():
    told = Paragraph("`a<b` leaks; run it with --ignore 'a<b', a well--known way.")
    shown = page("", "", "", [Part("one", "One", (told,))], {"openbook": "0"})
    assert (
        '<p><code>a&lt;b</code> leaks; run it with <code class="option">--ignore</code> &#39;a&lt;b&#39;,'
        " a well--known way.</p>"
    ) in shown


def test_a_cell_never_lists_hundreds_of_values():
    values = ", ".join(f"value {i}" for i in range(300))
    table = Sheet("Rules", ("if", "then"), (TableLine((f"zip in {{{values}}}", "yes")),))
    shown = page("", "", "", [Part("rules", "Rules", (table,))], {"openbook": "0"})
    assert "value 20" in shown
    assert "value 40" not in shown
    assert "…</th>" in shown


def test_a_spread_or_a_count_behind_a_number_is_a_figure():
    table = Sheet("", ("name", "a", "b"), (TableLine(("x", "5.006 ± 0.349", "0.556 (4)")),))
    assert table.sides == ["", "n", "n"]


def test_every_cell_of_a_long_table_is_looked_at_once_for_its_side(monkeypatch):
    looked = []

    class Figure:
        def fullmatch(self, cell):
            looked.append(cell)
            return True

    monkeypatch.setattr(blocks, "_FIGURE", Figure())
    table = Sheet("t", ("a", "b"), tuple(TableLine((str(i), "1")) for i in range(50)))
    page("", "", "", [Part("p", "p", (table,))], {"openbook": "0"})
    assert len(looked) == 2 * 50
