"""The reader of formulas and its printers: every construct is read, printed, and read again."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.words.sentences import printable
from openbook.work.formula import escape_text, parse, pieces, terms
from openbook.work.latex import text_to_tex, to_tex
from openbook.work.mathml import to_mathml
from openbook.work.nodes import Fence, Function, Letter, NumberNode, RowNode, Script, Symbol, TextNode
from openbook.work.step import Step
from openbook.work.unicode import broken, to_unicode

PRINTED = {  # formula: its text
    r"\frac{N_c}{N}": "N_c/N",
    r"\frac{n_{vc} + \alpha}{N_c + \alpha k}": "(n_vc + α)/(N_c + αk)",
    r"\frac{\frac{a}{b}}{c}": "(a/b)/c",
    r"\frac{a}{\frac{b}{c}}": "a/(b/c)",
    r"\frac{a}{b}^2": "(a/b)²",
    r"2\frac{a}{b}c": "2 · a/b · c",
    r"a / \frac{b}{c}": "a/(b/c)",
    r"\frac{0.7 \cdot 0.5}{1.2e-09}": "(0.7 · 0.5)/1.2e-09",
    r"\frac{-3}{4} \pm 2": "-3/4 ± 2",
    r"\frac{\log a}{b}": "(log a)/b",
    r"\frac{1}{n(n-1)}": "1/(n(n - 1))",
    r"\frac{1}{P(x)}": "1/P(x)",
    r"\frac{\text{rows with No}}{N_{\text{all}}}": "(rows with No)/N_all",
    r"\sqrt{2} x + \sqrt{2\pi}": "√2 · x + √(2π)",
    r"\frac{1}{\sqrt{2\pi\sigma^2}} e^{-\frac{(x-\mu)^2}{2\sigma^2}}": "1/√(2πσ²) · e^(-(x - μ)²/(2σ²))",
    r"-\sum_{i=1}^{n} p_i \log_2 p_i": "-Σᵢ₌₁ⁿ pᵢ log₂ pᵢ",
    r"-\frac{2}{5} \log_2 \frac{2}{5}": "-2/5 · log₂(2/5)",
    r"\prod_{j} P(x_j \mid c)": "Πⱼ P(xⱼ | c)",
    r"\hat{y} = \arg\max_c \ln P(c)": "ŷ = arg max_c ln P(c)",
    r"\arg\min_{v \in V} \max(0, \min_k d)": "arg min_(v ∈ V) max(0, minₖ d)",
    r"\binom{n}{k} p^k (1-p)^{n-k}": "C(n, k) pᵏ (1 - p)ⁿ⁻ᵏ",
    r"\bar{x} + \tilde{\mu} - \hat{ab}": "x̄ + μ̃ - hat(ab)",
    r"\mathcal{N}(x; \mu_c, \sigma_c^2)": "N(x; μ_c, σ_c²)",
    r"\mathbf{x}^T \mathbf{w}": "xᵀw",
    r"\operatorname{gain}(S, A)": "gain(S, A)",
    r"\left| \frac{a}{b} \right| \le 10^{-6}": "|a/b| ≤ 10⁻⁶",
    r"\frac{|S_v|}{|S|} H(S_v)": "|S_v|/|S| · H(S_v)",
    r"\left( a \right] \cup [0, 1)": "(a] ∪ [0, 1)",
    r"\left. f \right|_0": "f|₀",
    r"\{a, b\}; \lfloor x \rfloor": "{a, b}; ⌊x⌋",
    r"P(a|b)": "P(a|b)",
    r"a \ge b \ne c \approx d \propto e \in f": "a ≥ b ≠ c ≈ d ∝ e ∈ f",
    r"x \to -\infty, \dots": "x → -∞, …",
    r"3 \times 10^{4} \cdot n!": "3 × 10⁴ · n!",
    r"w_c x_c": "w_c x_c",
    r"a\,b\;c": "a b c",
    r"1.5e-05^2": "(1.5e-05)²",
    r"\exp(-\frac{x}{2})": "exp(-x/2)",
    r"50\% \#1 a\_b \&": "50%#1a_b&",
    r"e^{x + y}": "eˣ⁺ʸ",
    r"e^{a + b}": "e^(a + b)",
    r"\Delta\theta": "Δθ",
    "": "",
}


@pytest.mark.parametrize("formula", PRINTED)
def test_as_text(formula):
    assert to_unicode(parse(formula)) == PRINTED[formula]


@pytest.mark.parametrize("formula", [formula for formula in PRINTED if "e-0" not in formula])
def test_as_latex_it_reads_the_same(formula):
    assert parse(to_tex(parse(formula))) == parse(formula)


def test_tree_of_a_power_and_an_index():
    assert parse("x_i^{12}") == Script(Letter("x"), Letter("i"), NumberNode("12"))
    assert parse("x^{12}_i") == parse("x_i^{12}")


def test_a_sign_before_an_operand_is_a_prefix():
    assert parse("-a - -b") == RowNode(
        (Symbol("-", "prefix"), Letter("a"), Symbol("-", "binary"), Symbol("-", "prefix"), Letter("b"))
    )


def test_functions_and_numbers():
    assert parse(r"\operatorname{split info} 1.2E+5") == RowNode(
        (Function("split info"), NumberNode("1.2E+5"))
    )
    assert parse(r"2e") == RowNode((NumberNode("2"), Letter("e")))
    assert to_tex(parse("1.2e-09")) == r"1.2 \times 10^{-9}"


def test_unicode_signs_are_read_like_their_commands():
    assert parse("σ ≤ -∞") == parse(r"\sigma \le -\infty")


def test_latex_brackets_grow_with_a_fraction():
    assert to_tex(parse(r"(\frac{a}{b})")) == r"\left( \frac{a}{b} \right)"
    assert to_tex(parse(r"\left( a \right)")) == "(a)"


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (r"\foo{x}", r"the command \\foo is not of the vocabulary, at 4 of the formula"),
        (r"a \input b", r"\\input"),
        ("x^12", r"put braces around '12' after '\^'"),
        ("x^(n)", r"put braces around what follows '\^'"),
        ("x^2^3", r"a second '\^' on one base"),
        ("x_", "it ends early"),
        ("_x", "'_' is not of the vocabulary"),
        ("(a", r"'\(' is not closed"),
        ("a)", r"'\)' has nothing to close"),
        ("{a", "a group needs '}', not ''"),
        ("|a", "a bar needs '|', not ''"),
        (r"\frac12", r"\\frac needs '{', not '12'"),
        (r"\left( a", r"\\left needs '\\\\right', not ''"),
        (r"\left x", "'x' is no bracket"),
        (r"\operatorname{a_b}", r"\\operatorname needs a name"),
        (r"\text{a_b}", r"'_' in \\text is not escaped: use escape_text"),
        (r"\text{a", r"\\text is not closed"),
        ("a & b", "'&' is not of the vocabulary"),
        ("a % b", "'%' is not of the vocabulary"),
        ("日", "'日' is not of the vocabulary: escape_text takes any text"),
        ("\\", "is not of the vocabulary"),
        ("{" * 200 + "}" * 200, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_named(formula, message):
    with pytest.raises(ValueError, match=message):
        parse(formula)


@given(st.text())
def test_any_text_survives_as_a_formula(text):
    assert parse(escape_text(text)) == TextNode(printable(text))
    assert parse(rf"P({escape_text(text)} \mid c)").items[1].body.items[0] == TextNode(printable(text))


@given(st.text())
def test_printable_text_is_one_line_without_controls(text):
    shown = printable(text)
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    assert "\x1b" not in shown
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\r\nc\u2028d", "a b  c d"),
        ("\x00\x1b[31m\x7f\u202e", "��[31m��"),
        ("\ud800", "�"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("plain é 日", "plain é 日"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


def test_latex_text():
    assert text_to_tex(r"\input{x} $1 #2 ~^") == (
        r"\textbackslash{}input\{x\} \$1 \#2 \textasciitilde{}\textasciicircum{}"
    )
    assert text_to_tex("a--b") == "a-{}-b"
    assert text_to_tex("x̄ = √2") == r"\={x} = \ensuremath{\surd}2"
    assert text_to_tex("σ² ≤ x₁") == (
        r"\ensuremath{\sigma}\textsuperscript{2} \ensuremath{\le} x\textsubscript{1}"
    )


def test_pieces_begin_with_their_sign():
    assert [to_unicode(piece) for piece in pieces(parse(r"y = -a + (b + c) \cdot d / e"))] == [
        "y",
        "= -a",
        "+ (b + c)",
        "· d/e",
    ]
    assert pieces(parse("x")) == [RowNode((Letter("x"),))]


def test_lines_are_broken_before_a_sign():
    lines = broken(parse(" + ".join(["10"] * 7)), 12)
    assert [to_unicode(line) for line in lines] == ["10 + 10 + 10", "+ 10 + 10", "+ 10 + 10"]


def test_terms_of_a_step():
    assert terms(Step("P", "a", "b", 0.5)) == [Letter("a"), Letter("b"), NumberNode("0.5")]
    assert terms(Step("P", "a")) == [Letter("a")]
    assert terms(Step("P")) == [TextNode("undefined")]
    assert terms(Step("P", "", r"\frac{0}{0}", None))[-1] == TextNode("undefined")
    assert terms(Step("P", result="-1_x")) == [TextNode("-1_x")]
    assert terms(Step("P", result=float("-inf"))) == [RowNode((Symbol("-", "prefix"), Symbol("∞", "plain")))]


atoms = st.sampled_from(
    ["x", "7", "0.25", r"\mu", r"\infty", r"\text{a b}", r"\log_2 y", "n!", r"\arg\max_c z"]
)
formulas = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", "-", r" \cdot ", "=", ", ", " ", r"\mid ", "/"]), inner).map(
            "".join
        ),
        st.tuples(inner, inner).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}"),
        st.tuples(inner, inner).map(lambda pair: rf"{{{pair[0]}}}^{{{pair[1]}}}"),
        st.tuples(inner, inner).map(lambda pair: rf"\sum_{{{pair[0]}}} {pair[1]}"),
        inner.map(r"\sqrt{{{}}}".format),
        inner.map("({})".format),
        inner.map(r"\left| {} \right|".format),
        inner.map(r"\bar{{{}}}".format),
        inner.map(r"\mathbf{{{}}}".format),
    ),
    max_leaves=12,
)


@given(formulas)
def test_latex_of_any_formula_reads_the_same(formula):
    assert parse(to_tex(parse(formula))) == parse(formula)


@given(formulas)
def test_text_of_any_formula_is_one_tidy_line(formula):
    shown = to_unicode(parse(formula))
    assert shown == " ".join(shown.split())
    assert not set(shown) & set("\\{}")
    assert shown.count("(") == shown.count(")")


def test_fence_of_one_side():
    assert parse(r"\left. x \right|") == Fence("", Letter("x"), "|")


SIGNS = [*"xe29.+-=/|()[]{}_^!,'&%$ \\", r"\{", r"\}", r"\|", r"\_"]
BUILDERS = [r"\frac", r"\sqrt", r"\left", r"\right", r"\sum", r"\log", r"\arg", r"\max", r"\hat", r"\text"]
OTHERS = [r"\lvert", r"\rvert", r"\mathbf", r"\quad", r"\mid"]


@given(st.lists(st.sampled_from(SIGNS + BUILDERS + OTHERS), max_size=12).map("".join))
def test_anything_is_read_or_refused(formula):
    try:
        node = parse(formula)
    except ValueError:
        return
    ET.fromstring(f"<math>{to_mathml(node)}</math>")
    to_unicode(node)
    if not re.search(r"\de", formula):  # LaTeX gets a power of ten spelt out
        assert parse(to_tex(node)) == node
