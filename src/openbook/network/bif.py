"""Belief networks in the Bayesian Interchange Format (BIF), read and written.

    network name { }
    variable rain { type discrete [ 2 ] { yes, no }; }
    probability ( wet | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }

A file is hostile until checked: its size, the number of values, and the size of each table are bounded before
anything is made of them, and every error names the line. A `default` line fills what no other line gives.
`property` lines and comments are passed over.
"""

import math
import re
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from openbook.errors import DataError
from openbook.network.belief_network import BeliefNetwork

__all__ = ["read_bif", "write_bif"]

MOST_BYTES, MOST_CELLS, MOST_VALUES = 1 << 27, 1 << 24, 10_000

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>"[^"\n]*")|(?P<sign>[{}()\[\],;|])|(?P<word>[^\s{}()\[\],;|"]+)""",
    re.DOTALL,
)
_PLAIN = re.compile(r"[A-Za-z_][\w.+-]*")


class Token(NamedTuple):
    """A word or a sign, and its line."""

    text: str
    line: int


def read_bif(path: str | Path) -> BeliefNetwork:
    """Read a belief network from a BIF file.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    BeliefNetwork

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from openbook.network import burglary
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "burglary.bif"
    >>> _ = write_bif(burglary(), file)
    >>> len(read_bif(file).nodes_)
    5
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(f"{path}: {size:,} bytes are more than a BIF file may have ({MOST_BYTES:,})")
        words = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not a text file in UTF-8") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    return _Reader(words, str(path)).network()


class _Reader:
    """One pass over the tokens of a file."""

    def __init__(self, words: str, name: str) -> None:
        self.name, self.tokens, self.at = name, [], 0
        at, line = 0, 1
        while at < len(words):
            found = _TOKEN.match(words, at)
            if found is None:
                raise DataError(f"{name}, line {line}: cannot read {words[at : at + 20]!r}")
            if found.lastgroup != "skip":
                self.tokens.append(Token(found[0].strip('"'), line))
            line += found[0].count("\n")
            at = found.end()
        self.values: dict[str, list[str]] = {}
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, np.ndarray] = {}

    def network(self) -> BeliefNetwork:
        while self.at < len(self.tokens):
            token = self.take()
            if token.text == "network":
                self.until("{")
                self.block()
            elif token.text == "variable":
                self.variable()
            elif token.text == "probability":
                self.probability()
            else:
                self.fail(f"expected network, variable or probability, got {token.text!r}", token)
        if not self.values:
            raise DataError(f"{self.name}: no variable is declared; is it a BIF file?")
        if absent := [node for node in self.values if node not in self.tables]:
            raise DataError(f"{self.name}: node {absent[0]!r} has no probabilities")
        nodes = {
            node: {"values": self.values[node], "parents": self.parents[node], "table": self.tables[node]}
            for node in self.values
        }
        try:
            return BeliefNetwork.from_tables(nodes)
        except DataError as error:
            raise DataError(f"{self.name}: {error}") from None

    def variable(self) -> None:
        name = self.take()
        if name.text in self.values:
            self.fail(f"variable {name.text!r} is declared twice", name)
        self.expect("{")
        values: list[str] = []
        while (token := self.take()).text != "}":
            if token.text == "type":
                said = self.until("{")
                values = self.listed("}")
                count = next((int(word) for word in said if word.isdecimal()), len(values))
                if count != len(values):
                    self.fail(f"variable {name.text!r} has {len(values)} values, but says {count}", token)
            elif token.text == "property":
                self.until(";")
        if not values or len(values) > MOST_VALUES or len(set(values)) < len(values):
            self.fail(f"variable {name.text!r} needs different values, at most {MOST_VALUES:,}", name)
        self.values[name.text] = values

    def probability(self) -> None:
        self.expect("(")
        names = []
        while (token := self.take()).text != ")":
            if token.text not in {"|", ","}:
                if token.text not in self.values:
                    self.fail(f"variable {token.text!r} is not declared", token)
                names.append(token.text)
        if not names:
            self.fail("a probability needs a variable", token)
        node, *above = names
        if node in self.tables:
            self.fail(f"the probabilities of {node!r} are given twice", token)
        shape = tuple(len(self.values[n]) for n in (*above, node))
        if math.prod(shape) > MOST_CELLS:
            self.fail(f"the table of {node!r} would have {math.prod(shape):,} numbers", token)
        self.parents[node], self.tables[node] = above, self.table(above, shape, token)

    def table(self, above: list[str], shape: tuple[int, ...], token: Token) -> np.ndarray:
        """The lines of probabilities of one node."""
        table = np.full(shape, np.nan)
        self.expect("{")
        while (token := self.take()).text != "}":
            if token.text == "(":
                codes = self.codes(above, self.listed(")"), token)
                if not np.isnan(table[codes]).any():
                    self.fail("the probabilities of these values are given twice", token)
                table[codes] = self.numbers(shape[-1], token)
            elif token.text == "table":
                table[...] = (
                    self.numbers(math.prod(shape), token)
                    .reshape(shape[-1:] + shape[:-1])
                    .transpose([*range(1, len(shape)), 0])
                )
            elif token.text == "default":
                row = self.numbers(shape[-1], token)
                table[np.isnan(table).any(axis=-1)] = row
            elif token.text == "property":
                self.until(";")
            else:
                self.fail(f"expected a line of probabilities, got {token.text!r}", token)
        if np.isnan(table).any():
            self.fail("some values of the parents have no probabilities", token)
        if (table < 0).any():
            self.fail("a probability is negative", token)
        return table

    def codes(self, above: list[str], values: list[str], token: Token) -> tuple[int, ...]:
        if len(values) != len(above):
            self.fail(f"expected a value of each of {', '.join(above)}", token)
        for parent, value in zip(above, values, strict=True):
            if value not in self.values[parent]:
                self.fail(f"{parent!r} has no value {value!r}", token)
        return tuple(self.values[p].index(v) for p, v in zip(above, values, strict=True))

    def numbers(self, count: int, token: Token) -> np.ndarray:
        words = self.listed(";")
        try:
            row = np.array([float(word) for word in words])
        except ValueError:
            self.fail("a probability is not a number", token)
        if len(row) != count:
            self.fail(f"expected {count} probabilities, got {len(row)}", token)
        if not np.isfinite(row).all():
            self.fail("a probability is not a finite number", token)
        return row

    def listed(self, end: str) -> list[str]:
        """The words up to a sign, commas left out."""
        words = []
        while (token := self.take()).text != end:
            if token.text != ",":
                words.append(token.text)
        return words

    def block(self) -> None:
        while self.take().text != "}":
            pass

    def until(self, sign: str) -> list[str]:
        """Pass over what stands before a sign."""
        words = []
        while (token := self.take()).text != sign:
            words.append(token.text)
        return words

    def expect(self, sign: str) -> None:
        token = self.take()
        if token.text != sign:
            self.fail(f"expected {sign!r}, got {token.text!r}", token)

    def take(self) -> Token:
        if self.at == len(self.tokens):
            raise DataError(f"{self.name}: the file ends in the middle of a block")
        self.at += 1
        return self.tokens[self.at - 1]

    def fail(self, why: str, token: Token) -> Any:
        raise DataError(f"{self.name}, line {token.line}: {why}")


def write_bif(network: BeliefNetwork, path: str | Path) -> Path:
    """Write a belief network to a BIF file.

    Parameters
    ----------
    network : BeliefNetwork
        The network.
    path : str or Path
        The file, which is replaced if it exists.

    Returns
    -------
    Path
        The file.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from openbook.network import heart_disease
    >>> file = write_bif(heart_disease(), pathlib.Path(tempfile.mkdtemp()) / "heart.bif")
    >>> file.read_text().splitlines()[1]
    'variable exercise {'
    """
    if network.normals_:
        name = next(iter(network.normals_))
        raise DataError(f"node {name!r} is numeric, and a BIF file holds tables only; cut it into intervals")
    by_name = {node.name: node for node in network.nodes_}
    lines = ["network openbook { }"]
    for node in network.nodes_:
        values = ", ".join(_word(v) for v in node.values)
        lines += [
            f"variable {_word(node.name)} {{",
            f"  type discrete [ {len(node.values)} ] {{ {values} }};",
            "}",
        ]
    for node in network.nodes_:
        above = [by_name[p] for p in network.graph_.parents[node.name]]
        head = f" | {', '.join(_word(a.name) for a in above)}" if above else ""
        lines.append(f"probability ( {_word(node.name)}{head} ) {{")
        for codes in product(*(range(len(a.values)) for a in above)):
            given = ", ".join(_word(a.values[c]) for a, c in zip(above, codes, strict=True))
            numbers = ", ".join(repr(float(p)) for p in network.tables_[node.name][codes])
            lines.append(f"  ({given}) {numbers};" if above else f"  table {numbers};")
        lines.append("}")
    path = Path(path)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _word(text: str) -> str:
    """A name as a token; in quotes where it needs them."""
    if _PLAIN.fullmatch(text):
        return text
    if '"' in text or "\n" in text:
        raise DataError(f"{text!r} cannot stand in a BIF file: it holds a quotation mark or a line break")
    return f'"{text}"'
