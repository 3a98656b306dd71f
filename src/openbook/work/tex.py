"""A formula and a text as LaTeX source.

Formulas are printed from their tree, so that nothing but the vocabulary reaches LaTeX; text is escaped.
"""

import re

from openbook.work import nodes
from openbook.work.formula import ends_operand, escape, is_tall
from openbook.work.nodes import Node
from openbook.work.unicode import SUBSCRIPTS, SUPERSCRIPTS
from openbook.work.vocabulary import ACCENTS, BIG, DELIMITERS, FUNCTIONS, LETTERS, SYMBOLS

COMMANDS = {
    # where two commands show one sign, the first of them
    **{sign: command for table in SYMBOLS.values() for command, sign in reversed(table.items())},
    **{sign: command for table in (LETTERS, BIG, FUNCTIONS) for command, sign in table.items()},
    "arg max": r"\arg\max",
    "arg min": r"\arg\min",
}
BRACKETS = {sign: command for command, sign in DELIMITERS.items()}
TEXT_SIGNS = str.maketrans(
    {
        **{
            sign: rf"\ensuremath{{{word}}}"
            for sign, word in (COMMANDS | BRACKETS).items()
            if ord(sign[:1] or " ") > 0xFF
        },
        **{chr(small): rf"\textsuperscript{{{chr(sign)}}}" for sign, small in SUPERSCRIPTS.items()},
        **{chr(small): rf"\textsubscript{{{chr(sign)}}}" for sign, small in SUBSCRIPTS.items()},
        "−": r"\ensuremath{-}",
        "√": r"\ensuremath{\surd}",
        "�": "?",
    }
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
        prefixed = (
            isinstance(item, nodes.Symbol)
            and item.kind == "prefix"
            and before is not None
            and ends_operand(before)
        )
        shown.append(f"{{{to_tex(item)}}}" if prefixed else to_tex(item))
        before = item
    return " ".join(shown)
