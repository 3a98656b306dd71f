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
from typing import NamedTuple, NoReturn

import numpy as np

from openbook.errors import DataError
from openbook.network.belief_network import BeliefNetwork
from openbook.network.tables import table_shape

MOST_BYTES, MOST_VALUES, MOST_LETTERS = 1 << 24, 10_000, 1000

_SKIPPED = re.compile(r"(\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(r"""(?P<sign>[{}()\[\],;|])|"(?P<text>[^"\n]*)"|(?P<word>(?!/\*)[^\s{}()\[\],;|"]+)""")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z_][\w.+-]*")


class Token(NamedTuple):
    """A sign, or a word, which may have been in quotes; and where it stands."""

    sign: str
    text: str
    at: int

    def __str__(self) -> str:
        whole = self.sign or self.text
        return repr(whole if len(whole) <= 40 else f"{whole[:40]}…")


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
    """Two passes over a file: first variables, then the probabilities, which may stand before them."""

    def __init__(self, words: str, name: str) -> None:
        self.words, self.name, self.at = words, name, 0
        self.values: dict[str, list[str]] = {}
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, np.ndarray] = {}

    def network(self) -> BeliefNetwork:
        tables = []
        while (token := self.next()) is not None:
            if token.text == "network":
                self.skip("{")
                self.skip("}")
            elif token.text == "variable":
                self.variable()
            elif token.text == "probability":
                tables.append(self.at)
                self.skip("}")
            else:
                self.fail(f"expected network, variable or probability, got {token}", token)
        if not self.values:
            raise DataError(f"{self.name}: no variable is declared; is it a BIF file?")
        for self.at in tables:
            self.probability()
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
        name = self.word()
        if name.text in self.values:
            self.fail(f"variable {name} is declared twice", name)
        self.expect("{")
        values: list[str] = []
        while (token := self.take()).sign != "}":
            if token.text == "type":
                if (kind := self.take()).text != "discrete":
                    self.fail(f"variable {name} is {kind}, not discrete: a node needs a list of values", kind)
                declared, values = self.listed("{"), self.listed("}")
                if declared and declared[0].lstrip("0") != str(len(values)):
                    self.fail(f"variable {name} has {len(values)} values, but says {declared[0][:20]}", token)
            elif token.text == "property":
                self.skip(";")
        if len(set(values)) < len(values):
            self.fail(f"variable {name} lists a value twice", name)
        if not 0 < len(values) <= MOST_VALUES:
            self.fail(f"variable {name} needs values, at most {MOST_VALUES:,}, got {len(values):,}", name)
        self.values[name.text] = values

    def probability(self) -> None:
        self.expect("(")
        names = []
        while (token := self.take()).sign != ")":
            if not token.sign:
                if token.text not in self.values:
                    self.fail(f"variable {token} is not declared", token)
                names.append(token.text)
        if not names:
            self.fail("a probability needs a variable", token)
        node, *above = names
        if node in self.tables:
            self.fail(f"the probabilities of {node!r} are given twice", token)
        try:
            shape = table_shape(node, [len(self.values[name]) for name in names[1:] + names[:1]])
        except DataError as error:
            self.fail(str(error), token)
        self.parents[node], self.tables[node] = above, self.table(above, shape)

    def table(self, above: list[str], shape: tuple[int, ...]) -> np.ndarray:
        """The lines of probabilities of one node."""
        table = np.full(shape, np.nan)
        self.expect("{")
        default: np.ndarray | float = np.nan
        while (token := self.take()).sign != "}":
            if token.sign == "(":
                codes = self.codes(above, self.listed(")"), token)
                if not np.isnan(table[codes]).any():
                    self.fail("the probabilities of these values are given twice", token)
                table[codes] = self.numbers(shape[-1], token)
            elif token.text == "table":
                if not np.isnan(table).all():
                    self.fail("the probabilities of these values are given twice", token)
                numbers = self.numbers(math.prod(shape), token)
                table[...] = np.moveaxis(numbers.reshape(shape[-1:] + shape[:-1]), 0, -1)
            elif token.text == "default":
                default = self.numbers(shape[-1], token)
            elif token.text == "property":
                self.skip(";")
            else:
                self.fail(f"expected a line of probabilities, got {token}", token)
        table[np.isnan(table).any(axis=-1)] = default
        if np.isnan(table).any():
            self.fail("some values of the parents have no probabilities", token)
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
        for word in words:
            if not _NUMBER.fullmatch(word) or not 0 <= float(word) <= 1:
                self.fail(f"a probability is a number from 0 to 1, got {word[:40]!r}", token)
        if len(words) != count:
            self.fail(f"expected {count} probabilities, got {len(words)}", token)
        return np.array(words, dtype=float)

    def listed(self, end: str) -> list[str]:
        """The words up to a sign."""
        words = []
        while (token := self.take()).sign != end:
            if not token.sign:
                words.append(token.text)
        return words

    def skip(self, sign: str) -> None:
        """Pass over what stands before a sign."""
        while self.take().sign != sign:
            pass

    def expect(self, sign: str) -> None:
        token = self.take()
        if token.sign != sign:
            self.fail(f"expected {sign!r}, got {token}", token)

    def word(self) -> Token:
        token = self.take()
        if token.sign:
            self.fail(f"expected a name, got {token}", token)
        return token

    def take(self) -> Token:
        """The next token, of which there must be one."""
        if (token := self.next()) is None:
            raise DataError(f"{self.name}: the file ends in the middle of a block")
        return token

    def next(self) -> Token | None:
        """The next token, None at the end of the file."""
        skipped = _SKIPPED.match(self.words, self.at)
        at = skipped.end() if skipped else self.at
        if at == len(self.words):
            return None
        found = _TOKEN.match(self.words, at)
        if found is None:
            start = Token("", self.words[at : at + 20], at)
            self.fail(f"cannot read {start}: a comment or a quotation does not end", start)
        if found.end() - at > MOST_LETTERS:
            self.fail(f"a name has more than {MOST_LETTERS:,} letters", Token("", "", at))
        self.at = found.end()
        return Token(found["sign"] or "", found["text"] or found["word"] or "", at)

    def fail(self, why: str, token: Token) -> NoReturn:
        line = self.words.count("\n", 0, token.at) + 1
        raise DataError(f"{self.name}, line {line}: {why}")


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
        kind = f"  type discrete [ {len(node.values)} ] {{ {values} }};"
        lines += [f"variable {_word(node.name)} {{", kind, "}"]
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
