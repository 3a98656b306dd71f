"""Values of one column that may be two spellings of the same: "Married", "married ", "Maried".

Two spellings are the same word when they agree after case, blanks, hyphens and full stops are levelled, or
when both say yes, or both no: "Yes", "Y", "TRUE". Two words are near when one edit (a letter put in, left
out, replaced, or swapped with its neighbour) turns one into the other. Near words are common in correct data
(Gambia, Zambia), so the counts matter too: a slip is rare compared with the intended word. An edit of a digit
is never a slip: "block 1", "block 2".
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from openbook.data.written_numbers import number_of_text

#: Shorter words have too many honest neighbours; longer ones are sentences.
_SHORTEST, _LONGEST = 5, 60

#: A slip is at most this share of the word that was meant.
_SLIP_SHARE = 0.25

#: What says yes or no; letters do so beside words.
_YES_OR_NO = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
_LETTERS = {"y": "yes", "t": "yes", "n": "no", "f": "no"}

_LEVELLED = re.compile(r"[\s._-]+")


def spelling_level(value: str) -> str:
    """The value without the differences that carry no meaning.

    >>> spelling_level(" Self-Employed"), spelling_level("self employed")
    ('self employed', 'self employed')
    """
    return _LEVELLED.sub(" ", value).strip().casefold() or value


def same_words(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Groups of values that differ only in case, blanks, hyphens or full stops, or that all mean yes or no.

    >>> same_words(["Yes", "TRUE", "no", "N", "?"]), same_words(["Y", "T", "N"])
    ([('Yes', 'TRUE'), ('no', 'N')], [])
    """
    groups = defaultdict(list)
    levels = {name: spelling_level(name) for name in names}
    meant = _YES_OR_NO | (_LETTERS if _YES_OR_NO.keys() & set(levels.values()) else {})
    for name, level in levels.items():
        if number_of_text(name) is None:  # -1.5 is not 1.5
            groups[meant.get(level, level)].append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def near_words(names: Sequence[str], counts: Sequence[int]) -> list[tuple[str, str]]:
    """Pairs (slip, meant) of values one edit apart, the first of them rare beside the second."""
    totals: Counter[str] = Counter()
    spelling: dict[str, str] = {}
    for name, count in zip(names, counts, strict=True):
        word = spelling_level(name)
        totals[word] += count
        spelling.setdefault(word, name)
    pairs: dict[str, str] = {}
    for a, b in _one_edit_apart([word for word in totals if _SHORTEST <= len(word) <= _LONGEST]):
        slip, meant = sorted((a, b), key=totals.__getitem__)
        likelier = slip not in pairs or totals[meant] > totals[pairs[slip]]
        if totals[slip] <= _SLIP_SHARE * totals[meant] and likelier:
            pairs[slip] = meant
    return [(spelling[slip], spelling[meant]) for slip, meant in pairs.items()]


def _one_edit_apart(words: list[str]) -> Iterator[tuple[str, str]]:
    """Words one edit apart become equal when each loses at most one letter: only those are compared."""
    bins: dict[str, set[str]] = defaultdict(set)
    for word in words:
        bins[word].add(word)
        for i in range(len(word)):
            bins[word[:i] + word[i + 1 :]].add(word)
    compared = set()
    for members in bins.values():
        for a in members:
            for b in members:
                if a < b and (a, b) not in compared:
                    compared.add((a, b))
                    if _is_one_edit(a, b):
                        yield a, b


def _is_one_edit(a: str, b: str) -> bool:
    """Whether a single edit of letters turns `a` into `b`.

    >>> [_is_one_edit("married", b) for b in ("maried", "marreid", "merried", "harried!", "married2")]
    [True, True, True, False, False]
    """
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    replaced = rest_a[1:] == rest_b[1:]
    missing_letter = rest_a == rest_b[1:] or rest_a[1:] == rest_b
    swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
    edited = rest_a[:1] + rest_b[:1]
    return (replaced or missing_letter or swapped) and not any(letter.isdigit() for letter in edited)
