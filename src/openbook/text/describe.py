"""Get to know texts before learning from them: how long, in which script, which words, what is a copy.

    telling words of a class    the words of largest mutual information with it, chi² at least 3.84; for it
                                where PMI > 0, else against it. Of two classes, a word against one is for
                                the other. So for each label, where a text may have several
    rare                        in fewer than five documents
    near duplicates             see `openbook.text.duplicates`

Words are those that learners count. A missing text is an empty document. Beyond 20,000 rows, a fixed sample
of 20,000 is described.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from unicodedata import category, name

import numpy as np
import numpy.typing as npt

from openbook.data import Categorical, Labels, Table, Text, read
from openbook.data.describe import Description, describe_columns
from openbook.data.findings.finding import Finding
from openbook.data.summary import Lengths
from openbook.text.columns import RULE
from openbook.text.duplicates import NearDuplicate, near_duplicates
from openbook.text.informative import RARE, WordTable, word_table
from openbook.text.tokens import tokens
from openbook.words.numbers import short
from openbook.words.sentences import plural
from openbook.work import Grid, Work

Array = npt.NDArray[Any]

_MOST_ROWS = 20_000
#: Chi² that one word in twenty exceeds by chance: less tells nothing.
_CHANCE = 3.84
#: Words, classes and pairs that are shown; characters that decide the script of a text; of an excerpt.
_FREQUENT, _TELLING, _CLASSES, _PAIRS, _SCRIPT, _EXCERPT = 10, 5, 10, 5, 1000, 60


@dataclass(frozen=True)
class TellingWord:
    """A word, and its association with a class; see `openbook.text.informative`."""

    word: str
    in_class: int
    documents: int
    pmi: float
    mi: float
    chi2: float

    @property
    def rare(self) -> bool:
        return self.documents < RARE


@dataclass(frozen=True)
class TextDescription:
    """What a column of texts holds; part of `openbook.describe`.

    Attributes
    ----------
    column : str
        The name of the column.
    documents : int
        The texts that were looked at.
    empty : int
        Those that are missing or have no words.
    words : Lengths or None
        The number of words of the others.
    vocabulary : int
        Distinct words.
    scripts : tuple of (str, int)
        Writing scripts with the number of documents, the most frequent first.
    frequent : tuple of (str, int, int)
        The words that occur most often: how often, and in how many documents.
    telling : mapping of str to tuple of TellingWord
        For each class of the target, or each label, the most informative words, those for it first; a class
        without significant words is left out.
    duplicates : tuple of NearDuplicate
        Pairs of documents that are nearly copies, by rows.
    excerpts : mapping of int to str
        How the documents of these pairs begin.
    of_labels : bool, default=False
        Whether the words are for labels, of which a document may have several.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import openbook as ob
    >>> films = ob.read([{"review": "A good film", "liked": "yes"}, {"review": "A bad film", "liked": "no"}],
    ...                 kinds={"review": "text"})
    >>> ob.describe(films, "liked").texts[0].frequent[0]
    ('film', 2, 2)
    """

    column: str
    documents: int
    empty: int
    words: Lengths | None
    vocabulary: int
    scripts: tuple[tuple[str, int], ...]
    frequent: tuple[tuple[str, int, int], ...]
    telling: dict[str, tuple[TellingWord, ...]]
    duplicates: tuple[NearDuplicate, ...]
    excerpts: dict[int, str]
    of_labels: bool = False

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "duplicates": [pair._asdict() for pair in self.duplicates]}

    def work(self) -> Work:
        """The figures as tables."""
        parts = [self._sizes()]
        if self.frequent:
            rows: list[tuple[Any, ...]] = [(*one, round(one[2] / self.documents, 3)) for one in self.frequent]
            parts.append(Grid("Most frequent words", ("word", "times", "documents", "share"), rows))
        parts += self.telling_grids()
        if self.duplicates:
            shown = self.duplicates[:_PAIRS]
            rows = [(*pair[:2], round(pair.similarity, 3), self.excerpts[pair.row]) for pair in shown]
            unlisted = len(self.duplicates) - len(shown)
            note = f"{plural(unlisted, 'more pair')}" if unlisted else ""
            head = ("row", "other row", "similarity", "begins")
            parts.append(Grid("Nearly equal documents", head, rows, note))
        return Work(f"Texts of {self.column}", tuple(parts))

    def telling_grids(self) -> list[Grid]:
        """The words that tell most, a table for each class or label; of two classes, one for both."""
        if len(self.telling) != 2 or self.of_labels:
            return [_telling_grid(f"of {label}", words) for label, words in self.telling.items()]
        target = next(iter(self.telling)).partition(" = ")[0]
        classes = {label.partition(" = ")[2]: words for label, words in self.telling.items()}
        both = [(one, label) for label, words in classes.items() for one in words if one.pmi > 0]
        return [_telling_grid(f"of {target}", [one for one, _ in both], [label for _, label in both])]

    def _sizes(self) -> Grid:
        rows: list[tuple[str, str]] = [("documents", f"{self.documents:,}"), ("empty", f"{self.empty:,}")]
        if self.words is not None:
            x = self.words
            span = f"{x.shortest:,} to {x.longest:,}, median {short(x.median)}"
            rows += [("words per document", span), ("distinct words", f"{self.vocabulary:,}")]
        scripts = ", ".join(f"{script} ({count:,})" for script, count in self.scripts)
        return Grid("", (), [*rows, *([("script", scripts)] if scripts else [])])


def _telling_grid(of: str, words: Sequence[TellingWord], speak_for: Sequence[str] = ()) -> Grid:
    """The words that tell most of a class, as a table; `speak_for` is the class of each word, of two."""
    sides = speak_for or ["for" if one.pmi > 0 else "against" for one in words]
    rows = []
    for one, side in zip(words, sides, strict=True):
        scores = round(one.pmi, 2), round(one.mi, 4), round(one.chi2, 1)
        rows.append((one.word + " (rare)" * one.rare, side, one.in_class, one.documents, *scores))
    head = ("word", "speaks for" if speak_for else "speaks", "documents of it", "of all", "PMI", "MI", "chi²")
    note = f"Rare: in fewer than {RARE} documents." if any(one.rare for one in words) else ""
    return Grid(f"Words that tell most {of}", head, rows, note)


def describe(table: Any, target: str | None = None, rules: Collection[str] = ()) -> Description:
    """Measure every column, and point to what may need care before a model is fitted.

    Figures are over known cells. Findings are suspicions and change nothing; with a target, columns that give
    it away are among them. Relations between columns are looked for in a fixed sample where there are many
    rows. Columns of texts are described by their words, too.

    Parameters
    ----------
    table : table-like
        Whatever `openbook.read` takes.
    target : str or None, default=None
        The name of the column to predict; None for none.
    rules : collection of str, default=()
        Rules between columns, such as "age >= 18 where licence = yes"; rows that break one are named.

    Returns
    -------
    Description

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> import openbook as ob
    >>> d = ob.describe([{"income": 125, "owner": "yes"}, {"income": 100, "owner": "no"}])
    >>> d["income"].numbers.median, d["owner"].top_values
    (112.5, (('no', 1), ('yes', 1)))
    """
    table = read(table)
    described = describe_columns(table, target, rules)
    columns = [a.name for a in table.schema if isinstance(a, Text) and a.name != target]
    if not columns or not len(table):
        return described
    texts = tuple(_described(table, column, target) for column in columns)
    findings = [finding for one in texts for finding in _findings(one)]
    every = sorted([*described.findings, *findings], key=lambda finding: finding.severity != "warn")
    return replace(described, findings=tuple(every), texts=texts)


def _described(table: Table, column: str, target: str | None) -> TextDescription:
    rows = np.arange(len(table))
    if len(table) > _MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_ROWS, replace=False))
    texts = table.data(column)[rows].tolist()
    sizes = np.diff(tokens(texts).firsts)
    known = sizes[sizes > 0]
    lengths = Lengths(int(known.min()), float(np.median(known)), int(known.max())) if len(known) else None
    codes: Array = np.zeros(len(rows), dtype=int)
    names: list[str] = []
    attribute = None if target is None else table.schema[target]
    if isinstance(attribute, Labels):
        codes, names = attribute.has[table.data(attribute.name)[rows]], list(attribute.labels)
    elif isinstance(attribute, Categorical):
        codes = table.data(attribute.name)[rows]
        names = [f"{target} = {value}" for value in attribute.values]
    words = word_table(RULE, texts, codes, max(len(names), 1))
    most = np.argsort(-words.times, kind="stable")[:_FREQUENT].tolist()
    pairs = [NearDuplicate(int(rows[a]), int(rows[b]), score) for a, b, score in near_duplicates(texts)]
    begins = {row: excerpt(table.data(column)[row]) for pair in pairs[:_PAIRS] for row in pair[:2]}
    return TextDescription(
        column,
        documents=len(texts),
        empty=int((sizes == 0).sum()),
        words=lengths,
        vocabulary=len(words.terms),
        scripts=_scripts(texts),
        frequent=tuple((words.terms[i], int(words.times[i]), int(words.documents[i])) for i in most),
        telling=_telling_words(words, names) if names else {},
        duplicates=tuple(pairs),
        excerpts=begins,
        of_labels=isinstance(attribute, Labels),
    )


def _telling_words(
    words: WordTable, labels: Sequence[str], n: int = _TELLING
) -> dict[str, tuple[TellingWord, ...]]:
    """For each of the most frequent classes, the words that tell most of it: n for it, then n against it."""
    pmi, mi, chi2 = (words.scores(measure) for measure in ("pmi", "mi", "chi2"))
    df = words.documents
    classes = np.sort(np.argsort(-words.classes, kind="stable")[:_CLASSES])
    found = {}
    for c in classes[words.classes[classes] > 0].tolist():
        order = np.lexsort((np.arange(len(df)), -mi[:, c]))
        order = order[chi2[order, c] >= _CHANCE]
        if not order.size:
            continue
        sides = [order[pmi[order, c] > 0][:n], order[pmi[order, c] < 0][:n]]
        scores = np.column_stack([pmi[:, c], mi[:, c], chi2[:, c]])
        found[labels[c]] = tuple(
            TellingWord(words.terms[i], int(words.having[i, c]), int(df[i]), *scores[i].tolist())
            for i in np.concatenate(sides).tolist()
        )
    return found


def excerpt(text: str | None, most: int = _EXCERPT) -> str:
    """How a text begins, on one line."""
    line = " ".join((text or "")[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _scripts(texts: Sequence[str | None]) -> tuple[tuple[str, int], ...]:
    """How many texts are in each script: that of most of the letters they begin with."""
    found: Counter[str] = Counter()
    of: dict[str, str] = {}
    for text in texts:
        begin = (text or "")[:_SCRIPT]
        if begin.isascii():
            found["Latin"] += any(map(str.isalpha, begin))
            continue
        letters: Counter[str] = Counter()
        for sign, times in Counter(begin).items():
            if sign not in of:
                of[sign] = _script(sign)
            letters[of[sign]] += times
        del letters[""]
        if letters:
            found[letters.most_common(1)[0][0]] += 1
    return tuple((script, count) for script, count in found.most_common() if count)


def _script(sign: str) -> str:
    """The script of a letter: the first word of its Unicode name; "" of other signs."""
    if category(sign)[0] != "L":
        return ""
    first = name(sign, "").split(" ")[0].split("-")[0]
    return {"CJK": "Chinese characters"}.get(first, first.capitalize())


def _findings(text: TextDescription) -> list[Finding]:
    found = []
    if text.empty:
        message = (
            f"{plural(text.empty, 'document')} of {text.documents:,} empty or without words: only the other"
            " columns, or the shares of the classes, can tell of them."
        )
        found.append(Finding("empty documents", (text.column,), "note", message))
    if text.duplicates:
        copies = len({pair.other for pair in text.duplicates})
        message = (
            f"{plural(copies, 'document')} ({copies / text.documents:.2%}) nearly equal to an earlier one. A"
            " copy on both sides of a split makes every score too good: keep one of each, or keep them"
            " together as groups."
        )
        many = copies > 0.01 * text.documents
        kind = "near-duplicate documents"
        found.append(Finding(kind, (text.column,), "warn" if many else "note", message))
    return found
