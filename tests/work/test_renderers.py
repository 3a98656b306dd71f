"""What all renderers owe: every part shown, undefined results said, hostile text harmless."""

import json
import re
from html import unescape
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from openbook.errors import DataError
from openbook.words.sentences import printable
from openbook.work import Grid, Passage, Step, Work
from openbook.work.formula import escape_text
from openbook.work.html import STYLE, to_html
from openbook.work.json import from_json
from openbook.work.latex import to_latex
from openbook.work.text import to_rich, to_text
from openbook.work.vocabulary import TEXT_ESCAPES

HOSTILE = [
    "<script>alert(1)</script><style>*{display:none}</style>",
    '"><img src=x onerror=alert(1)>',
    r"\input{/etc/passwd}\end{document}",
    r"}\def\x{",
    "100% $5 & #1_a^b ~ {x}",
    "[2cm] *",
    "two\nlines\r\n\ttab",
    "\x1b[2J\x1b[31mred",
    "[bold red]markup[/]",
    "emoji 😀 日本 é",
    "",
]


def laden(text: str) -> Work:
    """A work with the text in every place that takes one."""
    step = Step(text, rf"P({escape_text(text)} \mid c)", f"{escape_text(text)} + 1", text, text)
    grid = Grid(text, [text, "n"], [[text, 1], [text, 2.5]], text)
    return Work(text, (step, grid, Work(text, (step,), text)), text)


def tree(html: str) -> ET.Element:
    """The fragment, read by a strict parser."""
    return ET.fromstring(f"<body>{html.replace('<wbr>', '<wbr/>')}</body>")


def tags(html: str) -> set[str]:
    return {element.tag for element in tree(html).iter()}


def rich_text(work: Work, width: int = 100) -> str:
    console = Console(width=width, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(to_rich(work, width))
    return capture.get()


# Text


def test_text_of_the_loan(loan):
    lines = to_text(loan).splitlines()
    for line in (
        "  c* = arg max_c P(c | x), c ∈ {No, Yes}",
        "    No        7         4               4          110      2975",
        "    P(No)                  = N_c/N = 7/10 = 0.7",
        "    P(owner=No | No)       = (n_vc + α)/(N_c + αk) = (4 + 1)/(7 + 1 · 2) = 0.555556",
        "    p(income=120 | No)     = 1/√(2πσ²) · e^(-(x - μ)²/(2σ²))",
        "                           = 1/√(2π · 2975) · e^(-(120 - 110)²/(2 · 2975))",
        "                           = 0.0071923",
        "    P(No, x)               = P(c) Πⱼ₌₁ᵈ P(xⱼ | c) = 0.7 · 0.555556 · 0.5 · 0.0071923 = 0.0013985",
        "                            = ln 0.3 + ln 0.8 + ln 0.166667 + ln 1.21518e-09",
        "                            = -23.7473",
        "  P(Yes | x) = P(c, x)/(Σₖ P(k, x)) = 4.86071e-11/(0.0013985 + 4.86071e-11) = 3.47565e-08",
        "  prediction = No",
        "  ∴ cheat = No, with a probability of 0.999999965.",
    ):
        assert line in lines
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("width", [60, 80, 100])
def test_text_keeps_to_its_width(loan, width):
    assert max(map(len, to_text(loan, width).splitlines())) <= max(width, 68)  # 68: the grid


def test_long_sums_break_before_a_sign():
    long = Work("Sum", (Step("s", "", " + ".join(["0.125"] * 30), 3.75),))
    lines = to_text(long).splitlines()[2:]
    assert lines[0].startswith("  s = 0.125 + 0.125")
    assert all(line.startswith("        + 0.125") for line in lines[1:-1])
    assert lines[-1] == "    = 3.75"


def test_a_long_label_has_its_own_line():
    label = "P(" + "a very long column name " * 2 + "| No)"
    assert to_text(Work("t", (Step(label, result=0.5), Step("b", result=1)))).splitlines()[2:] == [
        f"  {label}",
        "    = 0.5",
        "  b = 1",
    ]


def test_wide_characters_are_aligned():
    grid = Grid("", ["town", "n"], [["東京", 1], ["Rome", 20]])
    assert to_text(Work("t", (grid,))).splitlines()[2:] == [
        "    town   n",
        "    ────  ──",
        "    東京   1",
        "    Rome  20",
    ]


def test_grid_without_header_and_with_an_empty_cell():
    shown = to_text(Work("t", (Grid("g", [], [["a", None], ["bb", 2]], "why"),)))
    assert shown.splitlines()[2:] == ["  g", "    a   –", "    bb  2", "    why"]


def test_rich_shows_the_same_figures(loan):
    shown = rich_text(loan)
    for line in (
        "Class Yes",
        "= (n_vc + α)/(N_c + αk) = (4 + 1)/(7 + 1 · 2) = 0.555556",
        "= -23.7473",
        "2975",
    ):
        assert line in shown
    assert max(map(len, shown.splitlines())) <= 100


# HTML


def test_html_of_the_loan_is_mathml(loan):
    page = tree(to_html(loan))
    sections = page.findall(".//section")
    assert [section.find("*").tag for section in sections] == ["h3", "h4", "h4"]
    row = sections[1].findall(".//dl/div")[3]
    assert row.find("dt").text == "p(income=120 | No)"
    density, numbers, result = row.findall("dd/span")
    fraction = density.find(".//mfrac")
    assert fraction.find("msqrt") is not None
    assert density.find(".//msup/mrow//mfrac") is not None
    assert "2975" in "".join(numbers.itertext())
    assert "".join(result.itertext()) == "=0.0071923"
    assert result.get("class") == "ob-term ob-result"
    assert row.find("dd/p").text.startswith("μ = 110")
    assert len(page.findall(".//munderover")) == 4
    assert page.find(".//tbody/tr/td[2]").get("class") == "ob-number"
    assert page.find(".//section[@class='ob-work']/p").text.startswith("∴ cheat = No")


def test_html_scientific_notation_and_signs():
    shown = to_html(Work("t", (Step("a", "", "x < 1", -1.5e-9),)), style=False)
    assert "<mn>1.5</mn><mo>×</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>9</mn></mrow></msup>" in shown
    assert '<mo form="prefix">−</mo>' in shown
    assert '<mo form="infix">&lt;</mo>' in shown


def test_html_alphabets_and_accents():
    formula = r"\mathcal{N} \mathbf{x1} \mathrm{R} \bar{x} \binom{n}{k} \max_c \left. a \right|"
    shown = to_html(Work("t", (Step("a", formula),)), style=False)
    tree(shown)
    for part in (
        ">𝒩<",
        ">𝐱<",
        ">𝟏<",
        ">R<",
        '<mover accent="true"><mi>x</mi>',
        'linethickness="0"',
        "<munder>",
    ):
        assert part in shown


def test_html_long_equations_can_break():
    page = tree(to_html(Work("t", (Step("a", "", "1 + 2 + 3", 6),)), style=False))
    assert len(page.findall(".//span[1]/math")) == 3
    assert len(page.findall(".//wbr")) == 2


def test_html_brings_its_style_once_or_not_at_all(loan):
    assert to_html(loan).count(STYLE) == 1
    assert STYLE not in to_html(loan, style=False)
    assert all(".ob-" in line or line[:1] in "@}" for line in STYLE.strip().splitlines())
    assert loan._repr_html_() == to_html(loan)


def test_html_standalone_is_a_page_of_the_same_title(loan):
    page = to_html(Work("a < b", loan.parts), standalone=True)
    assert page.startswith("<!doctype html>")
    assert "<title>a &lt; b</title>" in page
    assert "<h1>a &lt; b</h1>" in page
    assert "http" not in page


def test_html_headings_stop_at_six():
    nested = Work("a", (Work("b", (Work("c"),)),))
    sections = tree(to_html(nested, level=5)).findall(".//section")
    assert [section.find("*").tag for section in sections] == ["h5", "h6", "h6"]


# LaTeX


def test_latex_of_the_loan(loan):
    shown = to_latex(loan)
    for line in (
        r"\subsubsection*{Class No}",
        r"\text{P(No)} &= \frac{N_{c}}{N} = \frac{7}{10} = 0.7 \\",
        r"&= \frac{1}{\sqrt{2 \pi \cdot 2975}} e^{- \frac{(120 - 110)^{2}}{2 \cdot 2975}} \\",
        r"&= 1.21518 \times 10^{-9} \\",
        r"\begin{tabular}{lrrrrr}",
        r"{}No & 7 & 4 & 4 & 110 & 2975 \\",
        r"\text{prediction} &= \text{No}",
    ):
        assert line in shown.splitlines()
    assert shown.count(r"\begin{align*}") == shown.count(r"\end{align*}") == 4
    assert r"\ensuremath{\mu} = 110 and \ensuremath{\sigma}\textsuperscript{2} = 2975" in shown


def test_latex_breaks_what_is_too_long():
    shown = to_latex(Work("t", (Step("s", "", " + ".join(["0.125"] * 30), 3.75, "thirty"),)))
    assert shown.count(r"&\quad {}+ 0.125") == 3
    assert r"\parbox[t]{0.6\linewidth}{\small\raggedright thirty}" in shown


def test_latex_cells_cannot_be_options():
    shown = to_latex(Work("t", (Grid("", ["[1cm]"], [["*"], ["[0, 1]"]]),)))
    assert r"{}[1cm] \\" in shown
    assert r"{}[0, 1] \\" in shown


# All


def test_undefined_results_are_said():
    work = Work("t", (Step("P(a)", r"\frac{n}{N}", r"\frac{0}{0}", None), Step("rule", "a = b")))
    assert to_text(work).splitlines()[2:] == ["  P(a) = n/N = 0/0 = undefined", "  rule = a = b"]
    assert "= undefined" in "".join(tree(to_html(work)).itertext())
    assert r"= \text{undefined}" in to_latex(work)
    for shown in (to_text(work), to_html(work), to_latex(work), rich_text(work)):
        assert shown.count("undefined") == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(text):
    work = laden(text)
    assert to_text(work).count(printable(text)) >= 13
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", to_text(work))
    assert "\x1b" not in rich_text(work)
    html = to_html(work, style=False)
    assert tags(html) <= tags(to_html(laden("x"), style=False))
    assert unescape(html).count(printable(text)) >= 9
    assert commands(to_latex(work)) <= commands(to_latex(laden("x" * 40)) + to_latex(laden("x")))
    json.dumps(work.json(), allow_nan=False)


@given(st.text())
def test_any_text_leaves_the_structure_alone(text):
    work = laden(text)
    assert tags(to_html(work, style=False)) <= tags(to_html(laden("x"), style=False))
    shown = to_latex(work)
    assert commands(shown) <= commands(to_latex(laden("x" * 40)) + to_latex(laden("x")))
    assert not re.search(r"(?<!\\)[$%#~]", shown)
    bare = re.sub(r"\\[{}\\]", "", shown)
    assert bare.count("{") == bare.count("}")


def commands(latex: str) -> set[str]:
    """The commands of a document, those that only stand for a sign of the text aside."""
    signs = re.compile(r"\\ensuremath\{(\\[A-Za-z]+|\\?.)\}|\\text(super|sub)script\{.\}|\\[=~^]\{[A-Za-z]\}")
    return set(re.findall(r"\\[A-Za-z]+|\\.", signs.sub("", latex))) - set(TEXT_ESCAPES)


def test_words_of_a_grid_wrap_on_a_terminal_and_figures_do_not():
    """Two columns of 18 and 1 need 21 + 4; of 20 columns the words keep 13."""
    grid = Grid("", ("what", "n"), [("one two three four", 1)])
    text = to_text(Work("Grid", (grid,)), 20, wrap_grids=True)
    expected = ["    what           n", "    ─────────────  ─", "    one two three  1", "    four"]
    assert text.splitlines()[2:] == expected
    assert "one two three four  1" in to_text(Work("Grid", (grid,)), 20)


def test_passage_is_shaded_in_html_with_everything_escaped():
    pieces = [("<script>", 0.0), ("good", 2.0), (" & ", 0.0), ('bad"', -1.0), ("faint", 0.001)]
    work = Work("t", (Passage("<i>", pieces, "n"),))
    html = work.html()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert '<mark class="ob-for" style="--ob-share:1.00" title="+2">good</mark> &amp; ' in html
    assert '<mark class="ob-against" style="--ob-share:0.50" title="-1">bad&quot;</mark>faint' in html
    assert work.text() == "t\n═"  # other forms leave it out
    assert work["<i>"].largest == 2.0
    assert from_json(work.json()) == work


def test_passage_of_a_damaged_record_is_refused():
    passage = {"kind": "passage", "title": "p", "note": ""}
    record = {"kind": "work", "title": "t", "conclusion": "", "parts": [passage]}
    for pieces, complaint in ((["a"], "a text and its weight"), ([["a", "b"]], "its weight is a number")):
        passage["pieces"] = pieces
        with pytest.raises(DataError, match=complaint):
            from_json(record)
