r"""Formulas: a small vocabulary of LaTeX, read into a tree that the renderers print.

    formula := { atom [ "_" argument ] [ "^" argument ] }
    atom    := number | letter | symbol | function | "{" formula "}" | bracket formula bracket
             | \frac{}{} | \binom{}{} | \sqrt{} | \hat{} … | \mathbf{} … | \text{} | \operatorname{}

The vocabulary is the tables of `openbook.work.vocabulary`. Any other command is a ValueError that names it:
so every renderer can show every formula. Arguments of more than one sign need their braces (`x^{12}`,
`\frac{1}{2}`). Text from data must go through `escape_text`.
"""

import re
from functools import lru_cache
from itertools import pairwise
from string import ascii_letters
from typing import NoReturn

from openbook.words.numbers import figure
from openbook.words.sentences import printable
from openbook.work import nodes
from openbook.work.nodes import Node
from openbook.work.step import Step
from openbook.work.vocabulary import (
    ACCENTS,
    BIG,
    CLOSING,
    DELIMITERS,
    FUNCTIONS,
    LETTERS,
    OPENING,
    SPACES,
    STYLES,
    SYMBOLS,
    TEXT_ESCAPES,
)

NUMBER = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
NAME = re.compile(r"\{([A-Za-z0-9 -]+)\}")
MAX_DEPTH = 40

_ESCAPED = {
    sign: f"{command}{{}}" if command[-1].isalpha() else command for command, sign in TEXT_ESCAPES.items()
}
_LIGATURE = re.compile("([-'])(?=\\1)")  # two hyphens would be set as a dash
_SYMBOLS = {word: nodes.Symbol(sign, kind) for kind, table in SYMBOLS.items() for word, sign in table.items()}
_WORDS: dict[str, Node] = {
    **{sign: nodes.Letter(sign) for sign in [*ascii_letters, *LETTERS.values()]},
    **{command: nodes.Letter(sign) for command, sign in LETTERS.items()},
    **_SYMBOLS,
    **{symbol.sign: symbol for symbol in _SYMBOLS.values() if not symbol.sign.isascii()},
    **{command: nodes.Function(name) for command, name in FUNCTIONS.items()},
    **{command: nodes.Big(sign) for command, sign in BIG.items()},
    **{command: nodes.SpaceNode(command) for command in SPACES},
}


@lru_cache(maxsize=4096)
def parse(formula: str) -> Node:
    r"""Read a formula.

    >>> parse(r"\frac{a}{10}")
    Fraction(top=Letter(sign='a'), bottom=NumberNode(text='10'))
    """
    reader = _Reader(formula)
    row = reader.row()
    if reader.peek():
        reader.fail(f"{reader.peek()!r} has nothing to close")
    return row


def terms(step: Step) -> list[Node]:
    """What a step sets equal to its label, in order: the formula, the numbers put in, the result."""
    parsed = [parse(formula) for formula in (step.formula, step.numbers) if formula]
    if step.states_rule:
        return parsed
    shown = figure(step.result)
    is_word = isinstance(step.result, str) or shown == "undefined"
    return [*parsed, nodes.TextNode(shown) if is_word else parse(shown)]


def pieces(node: Node) -> list[nodes.RowNode]:
    """Cut a formula where a line may break: before each relation or binary sign that stands outside brackets.

    >>> [len(piece.items) for piece in pieces(parse("a + b = c"))]
    [1, 2, 2]
    """
    items = node.items if isinstance(node, nodes.RowNode) else (node,)
    cuts = [i for i, item in enumerate(items) if i and _breaks_before(item)]
    return [nodes.RowNode(items[i:j]) for i, j in pairwise([0, *cuts, len(items)])]


def _breaks_before(node: Node) -> bool:
    return isinstance(node, nodes.Symbol) and node.kind in {"relation", "binary"} and node.sign != "/"


def ends_operand(node: Node) -> bool:
    """Whether a sign after this node stands between two operands, not before one."""
    if isinstance(node, nodes.Symbol):
        return node.kind == "plain"
    return not isinstance(node, nodes.SpaceNode | nodes.Function | nodes.Big)


def is_tall(node: Node) -> bool:
    """Whether brackets around this have to grow."""
    match node:
        case nodes.Fraction() | nodes.BinomialNode() | nodes.Big():
            return True
        case nodes.RowNode(items):
            return any(is_tall(item) for item in items)
        case nodes.Root(body) | nodes.Script(body):
            return is_tall(body)
        case nodes.Fence(_, body) | nodes.Accent(_, body) | nodes.Styled(_, body):
            return is_tall(body)
    return False


def escape(text: str) -> str:
    r"""Text for LaTeX's text mode, made `printable`.

    >>> print(escape("50%_off"))
    50\%\_off
    """
    escaped = "".join(_ESCAPED.get(sign, sign) for sign in printable(text))
    return _LIGATURE.sub(r"\1{}", escaped)


def escape_text(text: str) -> str:
    r"""Any text, as a formula: a column's name, a category, a label.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> print(escape_text("50%_off"))
    \text{50\%\_off}
    >>> parse(escape_text("50%_off"))
    TextNode(text='50%_off')
    """
    return rf"\text{{{escape(text)}}}"


class _Reader:
    """A recursive descent over one formula."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0

    def fail(self, reason: str) -> NoReturn:
        raise ValueError(f"{reason}, at {self.at} of the formula {self.source!r}")

    def peek(self) -> str:
        """The next command, number or sign; empty at the end."""
        while self.source[self.at : self.at + 1].isspace():
            self.at += 1
        found = COMMAND.match(self.source, self.at) or NUMBER.match(self.source, self.at)
        return found[0] if found else self.source[self.at : self.at + 1]

    def take(self) -> str:
        word = self.peek()
        self.at += len(word)
        return word

    def expect(self, word: str, why: str) -> None:
        if self.peek() != word:
            self.fail(f"{why} needs {word!r}, not {self.peek()!r}")
        self.take()

    def row(self, *, in_bars: bool = False) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail("nested too deeply")
        items: list[Node] = []
        while (word := self.peek()) and word not in CLOSING and word not in {"}", "\\right"}:
            between = bool(items) and ends_operand(items[-1])
            if word == "|" and in_bars and between:
                break
            item = self.scripted(opens=not between)
            if not between:
                item = _as_prefix(item)
            items.extend(item.items if isinstance(item, nodes.RowNode) else [item])
        self.depth -= 1
        return items[0] if len(items) == 1 else nodes.RowNode(tuple(items))

    def scripted(self, *, opens: bool) -> Node:
        """An atom with what hangs below and above it; a bar here opens a pair of bars, or stands between."""
        base = self.bars() if opens and self.peek() == "|" else self.atom()
        scripts: dict[str, Node] = {}
        while (mark := self.peek()) in {"_", "^"}:
            self.take()
            if mark in scripts:
                self.fail(f"a second {mark!r} on one base")
            scripts[mark] = self.argument(mark)
        if not scripts:
            return base
        if isinstance(base, nodes.NumberNode) and "e" in base.text.lower():
            base = nodes.Fence("(", base, ")")  # the power of 1e-05 is not that of its own ten
        return nodes.Script(base, scripts.get("_"), scripts.get("^"))

    def bars(self) -> Node:
        self.take()
        body = self.row(in_bars=True)
        self.expect("|", "a bar")
        return nodes.Fence("|", body, "|")

    def argument(self, mark: str) -> Node:
        word = self.peek()
        if word == "{":
            return self.group(mark)
        if len(word) > 1 and not word.startswith("\\"):
            self.fail(f"put braces around {word!r} after {mark!r}")
        if word in DELIMITERS:
            self.fail(f"put braces around what follows {mark!r}")
        return _as_prefix(self.atom())

    def group(self, why: str) -> Node:
        self.expect("{", why)
        body = self.row()
        self.expect("}", why)
        return body

    def atom(self) -> Node:
        word = self.peek()
        if word == "{":
            return self.group("a group")
        self.take()
        if word == r"\arg" and self.peek() in {r"\max", r"\min"}:
            return nodes.Function(f"arg {FUNCTIONS[self.take()]}")
        if word in _WORDS:
            return _WORDS[word]
        if NUMBER.fullmatch(word):
            return nodes.NumberNode(word)
        if word in OPENING:
            return self.fence(OPENING[word], self.row())
        if word.startswith("\\"):
            return self.command(word)
        unknown = f"{word!r} is not of the vocabulary: escape_text takes any text"
        return self.fail(unknown if word else "it ends early")

    def command(self, command: str) -> Node:
        if command in ACCENTS:
            return nodes.Accent(command, self.group(command))
        if command in STYLES:
            return nodes.Styled(command, self.group(command))
        match command:
            case r"\frac":
                return nodes.Fraction(self.group(command), self.group(command))
            case r"\binom":
                return nodes.BinomialNode(self.group(command), self.group(command))
            case r"\sqrt":
                return nodes.Root(self.group(command))
            case r"\text":
                return self.text()
            case r"\operatorname":
                return self.operator()
            case r"\left":
                opening = self.delimiter()
                body = self.row()
                self.expect(r"\right", r"\left")
                return nodes.Fence(opening, body, self.delimiter())
        return self.fail(f"the command {command} is not of the vocabulary")

    def fence(self, opening: str, body: Node) -> Node:
        """Close a plain bracket; either kind may end an interval, as in (0, 1]."""
        word = self.take()
        if word not in CLOSING:
            self.fail(f"{opening!r} is not closed")
        return nodes.Fence(opening, body, CLOSING[word])

    def delimiter(self) -> str:
        word = self.take()
        if word not in DELIMITERS:
            self.fail(f"{word!r} is no bracket")
        return DELIMITERS[word]

    def operator(self) -> Node:
        found = NAME.match(self.source, self.at)
        if not found:
            self.fail(r"\operatorname needs a name in braces, of letters, digits, spaces and hyphens")
        self.at = found.end()
        return nodes.Function(found[1])

    def text(self) -> Node:
        r"""What stands in \text{…}, where spaces count and the signs that LaTeX reserves are escaped."""
        self.expect("{", r"\text")
        shown: list[str] = []
        while (sign := self.source[self.at : self.at + 1]) != "}":
            command = COMMAND.match(self.source, self.at)
            if command and command[0] in TEXT_ESCAPES:
                shown.append(TEXT_ESCAPES[command[0]])
                self.at = command.end()
            elif self.source.startswith("{}", self.at):
                self.at += 2
            elif not sign:
                self.fail(r"\text is not closed")
            elif sign in "\\{$%&#_^~":
                self.fail(rf"{sign!r} in \text is not escaped: use escape_text")
            else:
                shown.append(sign)
                self.at += 1
        self.at += 1
        return nodes.TextNode("".join(shown))


def _as_prefix(node: Node) -> Node:
    """A sign that has no operand before it: the minus of -x."""
    if isinstance(node, nodes.Symbol) and node.sign in {"+", "-", "±"}:
        return nodes.Symbol(node.sign, "prefix")
    return node
