"""Text from data as it may be shown: nothing in a cell or a name may command a terminal or break a page."""

import unicodedata

__all__ = ["printable"]


def printable(text: str) -> str:
    r"""Text on one line that cannot command a terminal: line breaks and tabs as spaces, other controls as �.

    >>> printable("New\nYork\x1b[2J")
    'New York�[2J'
    """
    if text.isprintable():
        return text
    return "".join(" " if sign.isspace() else "�" if _controls(sign) else sign for sign in text)


def _controls(sign: str) -> bool:
    """Whether a sign acts instead of being shown; joiners stay, since emoji and scripts need them."""
    if sign in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}":
        return False
    return unicodedata.category(sign) in {"Cc", "Cf", "Cs"}
