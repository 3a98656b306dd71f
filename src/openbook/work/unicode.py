r"""A formula on one line of text: \frac{a + b}{2} as (a + b)/2, x_i^2 as xᵢ², \sum as Σ.

Each node gives its text and its precedence; an operand of lower precedence gets brackets.
"""

import unicodedata
from enum import IntEnum

from openbook.words.sentences import printable
from openbook.work import nodes
from openbook.work.formula import pieces
from openbook.work.nodes import Node
from openbook.work.vocabulary import ACCENTS

SIGNS = {
    "∑": "Σ",
    "∏": "Π",
    "∣": "|",
    "∼": "~",
    "⋯": "…",
    "′": "'",
}  # those that terminals' fonts lack or squeeze
SUPERSCRIPTS = str.maketrans("0123456789+-=()cdijkmnptxyT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᶜᵈⁱʲᵏᵐⁿᵖᵗˣʸᵀ")
SUBSCRIPTS = str.maketrans("0123456789+-=()ijkmnt", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢⱼₖₘₙₜ")


class Hold(IntEnum):
    """How tightly a text holds together, loosest first."""

    LIST = 0  # a = b, c
    SUM = 1  # a + b, log a
    QUOTIENT = 2  # a/b, a · b
    PRODUCT = 3  # 2π
    ATOM = 4  # a, P(a)


def to_unicode(node: Node) -> str:
    r"""The formula as text.

    >>> from openbook.work.formula import parse
    >>> to_unicode(parse(r"\frac{1}{\sqrt{2\pi\sigma^2}} e^{-\frac{(x-\mu)^2}{2\sigma^2}}"))
    '1/√(2πσ²) · e^(-(x - μ)²/(2σ²))'
    """
    return _show(node)[0]


def broken(node: Node, width: int) -> list[Node]:
    """The formula in lines of about `width` characters, each beginning with a sign.

    >>> from openbook.work.formula import parse
    >>> [to_unicode(line) for line in broken(parse("1 + 2 + 3"), 5)]
    ['1 + 2', '+ 3']
    """
    lines: list[tuple[Node, ...]] = [()]
    for piece in pieces(node):
        longer = lines[-1] + piece.items
        if lines[-1] and len(to_unicode(nodes.RowNode(longer))) > width:
            lines.append(piece.items)
        else:
            lines[-1] = longer
    return [nodes.RowNode(line) for line in lines]


def _show(node: Node) -> tuple[str, Hold]:
    return _leaf(node) if isinstance(node, nodes.Leaf) else _branch(node)


def _leaf(node: nodes.Leaf) -> tuple[str, Hold]:
    match node:
        case nodes.Letter(sign) | nodes.Big(sign) | nodes.Symbol(sign):
            return SIGNS.get(sign, sign), Hold.ATOM
        case nodes.NumberNode(text) | nodes.Function(text):
            return text, Hold.ATOM
        case nodes.TextNode(text):
            return printable(text), Hold.ATOM if text.isalnum() else Hold.SUM
        case nodes.SpaceNode():
            return " ", Hold.ATOM


def _branch(node: nodes.Branch) -> tuple[str, Hold]:
    match node:
        case nodes.RowNode(items):
            return _row(items)
        case nodes.Fraction(top, bottom):
            return f"{_within(top, Hold.PRODUCT)}/{_within(bottom, Hold.ATOM)}", Hold.QUOTIENT
        case nodes.BinomialNode(top, bottom):
            return f"C({to_unicode(top)}, {to_unicode(bottom)})", Hold.ATOM
        case nodes.Root(body):
            return f"√{_within(body, Hold.ATOM)}", Hold.ATOM
        case nodes.Script(base, below, above):
            scripts = _hung(below, "_", SUBSCRIPTS) + _hung(above, "^", SUPERSCRIPTS)
            return _within(base, Hold.ATOM) + scripts, Hold.ATOM
        case nodes.Fence(opening, body, closing):
            return f"{opening}{to_unicode(body)}{closing}", Hold.ATOM
        case nodes.Styled(_, body):
            return _show(body)
        case nodes.Accent(command, body):
            return _accented(to_unicode(body), command), Hold.ATOM


def _accented(shown: str, command: str) -> str:
    if len(shown) == 1:
        return unicodedata.normalize("NFC", shown + ACCENTS[command])
    return f"{command[1:]}({shown})"


def _within(node: Node, least: Hold) -> str:
    """The node's text, in brackets where it holds less tightly than its place needs."""
    shown, hold = _show(node)
    return shown if hold >= least else f"({shown})"


def _hung(script: Node | None, mark: str, small: dict[int, int]) -> str:
    """What hangs below or above a base, in small figures where there are some."""
    if script is None:
        return ""
    shown = to_unicode(script)
    tight = shown.replace(" ", "")
    if tight and all(ord(sign) in small for sign in tight):
        return tight.translate(small)
    if mark == "_" and shown.isalnum():
        return mark + shown
    return mark + _within(script, Hold.ATOM)


def _row(items: tuple[Node, ...]) -> tuple[str, Hold]:
    """Items side by side; `before` is the item that stands last on the line so far, and `end` its text."""
    call = _is_call(items)
    line, hold = "", Hold.ATOM if call or len(items) < 2 else Hold.PRODUCT
    before: Node | None = None
    end = ""
    for item in items:
        shown, own = _show(item)
        if _core(before) is nodes.Function and own is Hold.QUOTIENT:
            shown = f"({shown})"  # log(a/b), where log a/b would be misread
        elif isinstance(before, nodes.Symbol) and before.sign == "/":
            shown = _within(item, Hold.ATOM)
        else:
            hold = min(hold, own)
        gap = _gap(before, end, item, shown)
        if not call:
            hold = min(hold, _loosened(item), Hold.QUOTIENT if gap else Hold.ATOM)
        line += gap + shown
        before, end = item, shown
    return " ".join(line.split()), hold


def _loosened(item: Node) -> Hold:
    """How loose a row becomes through this item."""
    if isinstance(item, nodes.Symbol):
        if item.kind in {"relation", "punctuation"}:
            return Hold.LIST
        if item.kind == "binary":
            return Hold.QUOTIENT if item.sign in {"·", "×", "/"} else Hold.SUM
    return Hold.SUM if _core(item) in {nodes.Function, nodes.Big} else Hold.ATOM


def _gap(before: Node | None, end: str, item: Node, shown: str) -> str:
    """What stands between two neighbours: a space around signs and between names, a dot beside a fraction."""
    if before is None or nodes.SpaceNode in {type(before), type(item)}:
        return ""
    for sign in (before, item):
        if isinstance(sign, nodes.Symbol):
            spaced = sign.kind in {"relation", "binary"} and sign.sign != "/"
            if spaced or (sign is before and sign.kind == "punctuation"):
                return " "
    if nodes.Symbol in {type(before), type(item)}:
        return ""
    if _core(before) is nodes.Function:
        return "" if shown.startswith("(") else " "
    if nodes.TextNode in {type(before), type(item)}:
        return ""
    if type(before) in {nodes.Fraction, nodes.Root} or type(item) in {nodes.Fraction, nodes.Root}:
        return " " if _core(before) is nodes.Big else " · "
    named = _core(before) is nodes.Big or _core(item) in {nodes.Big, nodes.Function, nodes.NumberNode}
    fence_with_script = isinstance(item, nodes.Script) and _core(item) is nodes.Fence
    bracketed = _core(before) in {nodes.Fence, nodes.BinomialNode} or fence_with_script
    open_script = isinstance(before, nodes.Script) and bool(set(end) & set("_^"))
    return " " if named or bracketed or (open_script and not isinstance(item, nodes.Fence)) else ""


def _is_call(items: tuple[Node, ...]) -> bool:
    """Whether the row is a name and its argument, P(x), rather than a product, n(n - 1)."""
    if (
        len(items) != 2
        or not isinstance(items[1], nodes.Fence)
        or isinstance(items[0], nodes.NumberNode | nodes.Symbol | nodes.Fence)
    ):
        return False
    return isinstance(items[0], nodes.Function) or _show(items[1].body)[1] is not Hold.SUM


def _core(node: Node | None) -> type:
    """The type of a node, or of what its scripts hang on."""
    return type(node.base if isinstance(node, nodes.Script) else node)
