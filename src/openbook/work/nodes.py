"""The tree of a formula: small frozen nodes, which `formula.parse` makes and the renderers print."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NumberNode:
    """As written: 0.7, 12, 1.2e-09."""

    text: str


@dataclass(frozen=True)
class Letter:
    """One letter, Latin or Greek."""

    sign: str


@dataclass(frozen=True)
class TextNode:
    text: str


@dataclass(frozen=True)
class Symbol:
    """A sign and its kind: relation, binary, prefix, punctuation or plain."""

    sign: str
    kind: str


@dataclass(frozen=True)
class SpaceNode:
    command: str


@dataclass(frozen=True)
class Function:
    """A name set upright; what stands below it, such as the c of max over c, is a `Script`."""

    name: str


@dataclass(frozen=True)
class Big:
    """A sum or a product sign."""

    sign: str


@dataclass(frozen=True)
class RowNode:
    items: "tuple[Node, ...]"


@dataclass(frozen=True)
class Fraction:
    top: "Node"
    bottom: "Node"


@dataclass(frozen=True)
class BinomialNode:
    top: "Node"
    bottom: "Node"


@dataclass(frozen=True)
class Root:
    body: "Node"


@dataclass(frozen=True)
class Script:
    base: "Node"
    below: "Node | None"
    above: "Node | None"


@dataclass(frozen=True)
class Fence:
    """A body in brackets or bars, of which one may be invisible (an empty sign)."""

    opening: str
    body: "Node"
    closing: str


@dataclass(frozen=True)
class Accent:
    command: str
    body: "Node"


@dataclass(frozen=True)
class Styled:
    command: str
    body: "Node"


Leaf = NumberNode | Letter | TextNode | Symbol | SpaceNode | Function | Big
Branch = RowNode | Fraction | BinomialNode | Root | Script | Fence | Accent | Styled
Node = Leaf | Branch
