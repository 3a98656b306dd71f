r"""A derivation as LaTeX: a fragment for a document that loads amsmath and booktabs.

Latin and Greek letters and mathematical signs compile with any engine; other scripts and emoji stay as they
are, and need LuaLaTeX or XeLaTeX with a font that has them.
"""

import re

from openbook.words.numbers import cell
from openbook.words.sentences import printable
from openbook.work import nodes
from openbook.work.formula import ends_operand, escape, is_tall, terms
from openbook.work.nodes import Fence, Fraction, Node, Root, RowNode, Script, Symbol
from openbook.work.step import Grid, Step
from openbook.work.unicode import SUBSCRIPTS, SUPERSCRIPTS, broken, to_unicode
from openbook.work.vocabulary import ACCENTS, BIG, DELIMITERS, FUNCTIONS, LETTERS, SYMBOLS
from openbook.work.work import Work

HEADINGS = (r"\subsection*", r"\subsubsection*", r"\paragraph*")
LINE = 70  # characters that fill a line, roughly
LABEL = 32  # a longer label has a line of its own


def to_latex(work: Work) -> str:
    r"""The derivation as align environments and tables, under unnumbered headings.

    >>> step = Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7)
    >>> print(to_latex(Work("How often No?", (step,))))
    \begingroup\allowdisplaybreaks
    \subsection*{How often No?}
    \begin{align*}
    \text{P(No)} &= \frac{N_{c}}{N} = \frac{7}{10} = 0.7
    \end{align*}
    \endgroup
    """
    return "\n".join([r"\begingroup\allowdisplaybreaks", *_work(work, 0), r"\endgroup"])


def _work(work: Work, depth: int) -> list[str]:
    lines = [f"{HEADINGS[min(depth, len(HEADINGS) - 1)]}{{{text_to_tex(work.title)}}}"]
    for block in work.blocks():
        if isinstance(block, Work):
            lines.extend(_work(block, depth + 1))
        elif isinstance(block, Grid):
            lines.extend(_grid(block))
        else:
            equations = [line for step in block for line in _step(step)]
            lines.extend([r"\begin{align*}", " \\\\\n".join(equations), r"\end{align*}"])
    if work.conclusion:
        lines.append(rf"\par\noindent\textbf{{{text_to_tex(work.conclusion)}}}\par")
    return lines


def _step(step: Step) -> list[str]:
    """The lines of one step, each with its alignment mark."""
    label = printable(step.label)
    width = LINE - len(label) if len(label) <= LABEL else LINE
    if sum(_length(term) + 3 for term in terms(step)) <= width:
        lines = ["&" + " ".join(f"= {to_tex(term)}" for term in terms(step))]
    else:
        lines = []
        for term in terms(step):
            first, *others = (to_tex(line) for line in broken(term, width))
            lines += [f"&= {first}", *(rf"&\quad {{}}{line}" for line in others)]
    if len(label) <= LABEL:
        lines[0] = rf"\text{{{text_to_tex(label)}}} {lines[0]}"
    else:
        lines.insert(0, rf"&\parbox[t]{{0.55\linewidth}}{{\raggedright {text_to_tex(label)}}}")
    if step.note:
        lines.append(rf"&\quad\parbox[t]{{0.6\linewidth}}{{\small\raggedright {text_to_tex(step.note)}}}")
    return lines


def _length(node: Node) -> int:
    """The characters that a formula is long when set, where a fraction is as long as its longer side."""
    match node:
        case RowNode(items):
            signs = sum(isinstance(item, Symbol) and item.kind in {"relation", "binary"} for item in items)
            return sum(map(_length, items)) + 2 * signs
        case Fraction(top, bottom):
            return max(_length(top), _length(bottom))
        case Script(base, below, above):
            return _length(base) + max(_length(script) for script in (below, above) if script is not None)
        case Fence(_, body) | Root(body):
            return _length(body) + 2
    return len(to_unicode(node))


def _grid(grid: Grid) -> list[str]:
    lines = [r"\par\smallskip\noindent"]
    if grid.title:
        lines.append(rf"\textbf{{{text_to_tex(grid.title)}}}\par\smallskip\noindent")
    if grid.width:
        columns = "".join("r" if grid.numeric(column) else "l" for column in range(grid.width))
        lines.extend([rf"\begin{{tabular}}{{{columns}}}", r"\toprule"])
        if grid.header:
            lines.extend([_cells([str(name) for name in grid.header]), r"\midrule"])
        lines.extend(_cells([cell(value) for value in row]) for row in grid.rows)
        lines.extend([r"\bottomrule", r"\end{tabular}\par\smallskip"])
    if grid.note:
        lines.append(rf"{{\small\noindent {text_to_tex(grid.note)}\par}}")
    return lines


def _cells(texts: list[str]) -> str:
    r"""One line of a table; the braces before it keep a cell's [ or * from being read as an option of \\."""
    return "{}" + " & ".join(text_to_tex(text) for text in texts) + r" \\"


COMMANDS = {
    # where two commands show one sign, the first of them
    **{sign: command for table in SYMBOLS.values() for command, sign in reversed(table.items())},
    **{sign: command for table in (LETTERS, BIG, FUNCTIONS) for command, sign in table.items()},
    "arg max": r"\arg\max",
    "arg min": r"\arg\min",
}
BRACKETS = {sign: command for command, sign in DELIMITERS.items()}
_MATHS = {sign: word for sign, word in (COMMANDS | BRACKETS).items() if ord(sign[:1] or " ") > 0xFF}
_MATHS |= {"−": "-", "√": r"\surd"}
TEXT_SIGNS = str.maketrans(
    {sign: rf"\ensuremath{{{word}}}" for sign, word in _MATHS.items()}
    | {chr(small): rf"\textsuperscript{{{chr(sign)}}}" for sign, small in SUPERSCRIPTS.items()}
    | {chr(small): rf"\textsubscript{{{chr(sign)}}}" for sign, small in SUBSCRIPTS.items()}
    | {"�": "?"}
)

ACCENTED = re.compile("([A-Za-z])([\N{COMBINING CIRCUMFLEX ACCENT}\N{COMBINING TILDE}\N{COMBINING MACRON}])")
ACCENT_COMMANDS = dict(zip(ACCENTS.values(), (r"\^", r"\=", r"\~"), strict=True))


def to_tex(node: Node) -> str:
    r"""The formula, with every brace it needs.

    >>> from openbook.work.formula import parse
    >>> print(to_tex(parse(r"P(x_i) \le 2e-05")))
    P (x_{i}) \le 2 \times 10^{-5}
    """
    return _leaf(node) if isinstance(node, nodes.Leaf) else _branch(node)


def text_to_tex(text: str) -> str:
    r"""Text for text mode; mathematical signs in it are set by name, since not every font has them.

    >>> print(text_to_tex("σ² of 50%"))
    \ensuremath{\sigma}\textsuperscript{2} of 50\%
    """
    accented = ACCENTED.sub(lambda found: f"{ACCENT_COMMANDS[found[2]]}{{{found[1]}}}", escape(text))
    return accented.translate(TEXT_SIGNS)


def _leaf(node: nodes.Leaf) -> str:
    match node:
        case nodes.NumberNode(text):
            mantissa, _, exponent = text.lower().partition("e")
            return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else text
        case nodes.Letter(sign) | nodes.Symbol(sign) | nodes.Big(sign):
            return COMMANDS.get(sign, sign)
        case nodes.Function(name):
            return COMMANDS.get(name, rf"\operatorname{{{name}}}")
        case nodes.TextNode(text):
            return rf"\text{{{text_to_tex(text)}}}"
        case nodes.SpaceNode(command):
            return command


def _branch(node: nodes.Branch) -> str:
    match node:
        case nodes.RowNode(items):
            return _row(items)
        case nodes.Fraction(top, bottom):
            return rf"\frac{{{to_tex(top)}}}{{{to_tex(bottom)}}}"
        case nodes.BinomialNode(top, bottom):
            return rf"\binom{{{to_tex(top)}}}{{{to_tex(bottom)}}}"
        case nodes.Root(body):
            return rf"\sqrt{{{to_tex(body)}}}"
        case nodes.Accent(command, body) | nodes.Styled(command, body):
            return f"{command}{{{to_tex(body)}}}"
        case nodes.Fence(opening, body, closing):
            left, right = BRACKETS[opening], BRACKETS[closing]
            plain = opening in {"(", "[", "{"} and closing in {")", "]", "}"} and not is_tall(body)
            return f"{left}{to_tex(body)}{right}" if plain else rf"\left{left} {to_tex(body)} \right{right}"
        case nodes.Script(base, below, above):
            shown = f"{{{to_tex(base)}}}" if isinstance(base, nodes.RowNode | nodes.Script) else to_tex(base)
            low = "" if below is None else f"_{{{to_tex(below)}}}"
            high = "" if above is None else f"^{{{to_tex(above)}}}"
            return shown + low + high


def _row(items: tuple[Node, ...]) -> str:
    """Items side by side; braces keep a sign that belongs to one operand from standing between two."""
    shown: list[str] = []
    before: Node | None = None
    for item in items:
        prefix = isinstance(item, nodes.Symbol) and item.kind == "prefix"
        prefixed = prefix and before is not None and ends_operand(before)
        shown.append(f"{{{to_tex(item)}}}" if prefixed else to_tex(item))
        before = item
    return " ".join(shown)
