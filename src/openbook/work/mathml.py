"""A formula as MathML Core, which browsers show by themselves."""

from html import escape
from string import ascii_lowercase, ascii_uppercase, digits

from openbook.words.sentences import printable
from openbook.work import nodes
from openbook.work.formula import is_tall
from openbook.work.nodes import Node
from openbook.work.vocabulary import LIMITS, SPACES

THIN = '<mspace width="0.167em"></mspace>'
ACCENT_SIGNS = {r"\hat": "^", r"\bar": "‾", r"\tilde": "~"}
FORMS = {"relation": "infix", "binary": "infix", "prefix": "prefix"}
SCRIPT_CAPITALS = dict(zip(ascii_uppercase, "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵", strict=True))
BOLD = {
    **dict(zip(ascii_uppercase + ascii_lowercase, map(chr, range(0x1D400, 0x1D434)), strict=True)),
    **dict(zip(digits, map(chr, range(0x1D7CE, 0x1D7D8)), strict=True)),
}
ALPHABETS: dict[str, dict[str, str]] = {r"\mathbf": BOLD, r"\mathcal": SCRIPT_CAPITALS, r"\mathrm": {}}


def to_mathml(node: Node) -> str:
    r"""The inside of a <math> element.

    >>> from openbook.work.formula import parse
    >>> to_mathml(parse(r"\frac{N_c}{10}"))
    '<mfrac><msub><mi>N</mi><mi>c</mi></msub><mn>10</mn></mfrac>'
    """
    return _leaf(node) if isinstance(node, nodes.Leaf) else _branch(node)


def _leaf(node: nodes.Leaf) -> str:
    match node:
        case nodes.NumberNode(text):
            return _number(text)
        case nodes.Letter(sign):
            # Capital Greek stands upright, as LaTeX sets it.
            return f'<mi mathvariant="normal">{sign}</mi>' if "Α" <= sign <= "Ω" else f"<mi>{sign}</mi>"
        case nodes.TextNode(text) | nodes.Function(text):
            return _name(text)
        case nodes.Big(sign):
            return f'<mo movablelimits="false">{sign}</mo>'
        case nodes.SpaceNode(command):
            return f'<mspace width="{SPACES[command]}em"></mspace>'
        case nodes.Symbol(sign, kind):
            return _symbol(sign, kind)


def _branch(node: nodes.Branch) -> str:
    match node:
        case nodes.RowNode(items):
            return f"<mrow>{_row(items)}</mrow>"
        case nodes.Fraction(top, bottom):
            return f"<mfrac>{to_mathml(top)}{to_mathml(bottom)}</mfrac>"
        case nodes.BinomialNode(top, bottom):
            choice = f'<mfrac linethickness="0">{to_mathml(top)}{to_mathml(bottom)}</mfrac>'
            return f"<mrow><mo>(</mo>{choice}<mo>)</mo></mrow>"
        case nodes.Root(body):
            return f"<msqrt>{to_mathml(body)}</msqrt>"
        case nodes.Script():
            return _script(node)
        case nodes.Fence(opening, body, closing):
            left, right = _bracket(opening, "prefix", body), _bracket(closing, "postfix", body)
            return f"<mrow>{left}{to_mathml(body)}{right}</mrow>"
        case nodes.Accent(command, body):
            mark = f'<mo stretchy="false">{ACCENT_SIGNS[command]}</mo>'
            return f'<mover accent="true">{to_mathml(body)}{mark}</mover>'
        case nodes.Styled(command, body):
            return _styled(command, body)


def _row(items: tuple[Node, ...]) -> str:
    """Items side by side, with a thin space on either side of a function's name."""
    shown = ""
    before: Node | None = None
    for item in items:
        tight = isinstance(before, nodes.Symbol | nodes.SpaceNode | None)
        tight |= isinstance(item, nodes.Fence | nodes.Symbol | nodes.SpaceNode)
        if not tight and (_is_function(before) or _is_function(item)):
            shown += THIN
        shown += to_mathml(item)
        before = item
    return shown


def _script(node: nodes.Script) -> str:
    base = node.base
    underneath = isinstance(base, nodes.Big) or (isinstance(base, nodes.Function) and base.name in LIMITS)
    below, above = ("under", "over") if underneath else ("sub", "sup")
    tag = "m" + (below if node.below is not None else "") + (above if node.above is not None else "")
    parts = [to_mathml(part) for part in (base, node.below, node.above) if part is not None]
    if node.above is not None and is_tall(node.above):  # else a fraction up there is too small to read
        parts[-1] = f'<mrow displaystyle="true">{parts[-1]}</mrow>'
    return f"<{tag}>{''.join(parts)}</{tag}>"


def _number(text: str) -> str:
    """A number; 1.2e-09 as 1.2 × 10⁻⁹."""
    mantissa, _, exponent = text.lower().partition("e")
    if not exponent:
        return f"<mn>{text}</mn>"
    sign, power = "<mo>−</mo>" if int(exponent) < 0 else "", abs(int(exponent))
    ten = f"<msup><mn>10</mn><mrow>{sign}<mn>{power}</mn></mrow></msup>"
    return f"<mrow><mn>{mantissa}</mn><mo>×</mo>{ten}</mrow>"


def _symbol(sign: str, kind: str) -> str:
    shown = "−" if sign == "-" else escape(sign)
    if kind == "plain":
        return f"<mi>{shown}</mi>" if sign != "|" else '<mo stretchy="false" form="infix">|</mo>'
    form = f' form="{FORMS[kind]}"' if kind in FORMS else ""
    return f'<mo stretchy="false"{form}>{shown}</mo>' if sign == "∣" else f"<mo{form}>{shown}</mo>"


def _bracket(sign: str, form: str, body: Node) -> str:
    """A bracket, which grows with a tall body only: browsers set one that may grow with too much space."""
    grows = "" if is_tall(body) else ' stretchy="false"'
    return f'<mo form="{form}"{grows}>{sign}</mo>' if sign else ""


def _styled(command: str, body: Node) -> str:
    """Letters of another alphabet, which browsers take from Unicode: MathML Core knows no other variants."""
    alphabet = ALPHABETS[command]
    shown = ""
    for item in body.items if isinstance(body, nodes.RowNode) else (body,):
        match item:
            case nodes.Letter(text) | nodes.NumberNode(text):
                letters = "".join(alphabet.get(sign, sign) for sign in text)
                shown += f'<mi mathvariant="normal">{letters}</mi>'
            case _:
                shown += to_mathml(item)
    return f"<mrow>{shown}</mrow>"


def _is_function(node: Node | None) -> bool:
    return isinstance(node.base if isinstance(node, nodes.Script) else node, nodes.Function)


def _name(text: str) -> str:
    """Upright words; an <mtext> would count as space and take the space from the signs beside it."""
    shown = escape(printable(text)).replace(" ", "\N{NO-BREAK SPACE}")
    return f'<mi mathvariant="normal">{shown}</mi>'
