"""Porter's stemmer: English words without their endings, "connected" and "connections" as "connect".

    word = [C](VC)^m[V]        C a run of consonants, V of vowels; m measures how long a stem is

Five steps take endings away, each only where what is left is long enough. A y is a vowel behind a consonant.
Words of one or two letters, and words with other characters than a to z, stay as they are.

Porter (1980), An algorithm for suffix stripping, Program 14(3).
"""

import itertools
from functools import cache

_VOWELS = "aeiou"

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()  # noqa: SIM905


@cache
def porter_stem(word: str) -> str:
    """The stem of an English word in small letters.

    >>> [porter_stem(word) for word in ("caresses", "ponies", "relational", "hopping", "happy", "sky")]
    ['caress', 'poni', 'relat', 'hop', 'happi', 'sky']
    """
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _final_y(_past(_plurals(word)))
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    return _without_final_e_and_double_l(_long_endings(word))


def _is_consonant(word: str, i: int) -> bool:
    if word[i] == "y":
        return i == 0 or not _is_consonant(word, i - 1)
    return word[i] not in _VOWELS


def _measure(stem: str) -> int:
    """How often a consonant follows a vowel: m."""
    kinds = [_is_consonant(stem, i) for i in range(len(stem))]
    return sum(after and not before for before, after in itertools.pairwise(kinds))


def _has_vowel(stem: str) -> bool:
    return not all(_is_consonant(stem, i) for i in range(len(stem)))


def _ends_cvc(word: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, the last one not w, x or y: "hop", but not "snow"."""
    n = len(word)
    kinds = [_is_consonant(word, i) for i in range(n - 3, n)] if n > 2 else []
    return kinds == [True, False, True] and word[-1] not in "wxy"


def _plurals(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            return _restored(stem) if _has_vowel(stem) else word
    return word


def _restored(stem: str) -> str:
    """A stem that lost "ed" or "ing" as a word: "conflat" as "conflate", "hopp" as "hop"."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    double = len(stem) > 1 and stem[-1] == stem[-2] and _is_consonant(stem, len(stem) - 1)
    if double and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(word: str, endings: dict[str, str]) -> str:
    for ending in sorted(endings, key=len, reverse=True):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            return stem + endings[ending] if _measure(stem) > 0 else word
    return word


def _long_endings(word: str) -> str:
    for ending in sorted(_STEP_4, key=len, reverse=True):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            fits = ending != "ion" or stem.endswith(("s", "t"))
            return stem if fits and _measure(stem) > 1 else word
    return word


def _without_final_e_and_double_l(word: str) -> str:
    """A word without its last e, and with one l for two, where it is long enough."""
    if word.endswith("e"):
        m = _measure(word[:-1])
        if m > 1 or (m == 1 and not _ends_cvc(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
