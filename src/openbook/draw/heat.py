"""A table as a heat map: a cell for each pair of classes, shaded by a share, with a number in it.

    counts : (rows, columns), the numbers;  shares : the same shape, 0 to 1, the shades

Cells shrink with the number of classes. Names of columns that do not fit above them are slanted; where there
are many classes a 0 is left blank, and large numbers are shortened.
"""

import math
from collections.abc import Sequence

import numpy as np

from openbook.draw.letters import PHONE, clip, safe, text, width_of

#: Letters of a class's name; classes from which on cells are small.
_LETTERS, _MANY = 16, 9
#: Above this shade a number is written in the colour of the paper.
_STRONG = 0.62
_SLANT = math.radians(45)


def heat_map(
    across: tuple[str, Sequence[str]],
    down: tuple[str, Sequence[str]],
    counts: np.ndarray,
    shares: np.ndarray,
    looks: Sequence[Sequence[str]],
    written: Sequence[Sequence[str]] | None = None,
) -> tuple[str, float, float]:
    """The map as SVG elements, and its width and height.

    Parameters
    ----------
    across, down : the name of each axis and of its classes
    counts, shares : numbers and shades
    looks : the colour of each cell, "c0" or "c5"
    written : the words in each cell, instead of counts and percentages
    """
    columns, rows = ([clip(name, _LETTERS) for name in names] for _, names in (across, down))
    wide = min(150.0, max(30.0, 460 / len(columns)))
    high = min(92.0, max(28.0, 0.62 * wide))
    left = 34 + max(width_of(name, PHONE) for name in rows)
    names, top, beyond = _column_names(columns, wide)
    parts = [text(left + wide * len(columns) / 2, 12, across[0], "middle")]
    parts += [f'<g transform="translate({left:.1f} {top - 8:.1f})">{names}</g>']
    turned = f'transform="translate(12 {top + high * len(rows) / 2:.1f}) rotate(-90)"'
    parts.append(f'<text class="middle" {turned}>{safe(down[0])}</text>')
    for i, name in enumerate(rows):
        y = top + high * i
        parts.append(text(left - 9, y + high / 2 + 4, name, "soft last"))
        for j in range(len(columns)):
            at = left + wide * j, y, wide, high
            share, count = float(shares[i, j]), f"{counts[i, j]:,}" if written is None else written[i][j]
            caption = f"{down[0]} {down[1][i]}, {across[0]} {across[1][j]}: {count}".strip()
            words = _lines(int(counts[i, j]), share, wide, high) if written is None else (count,)
            parts.append(_cell(at, words, share, looks[i][j] if counts[i, j] else "none", caption))
    return "".join(parts), left + wide * len(columns) + beyond, top + high * len(rows) + 4


def _column_names(names: Sequence[str], wide: float) -> tuple[str, float, float]:
    """The names above the columns, the height they take with the axis' own, and how far they reach beyond."""
    longest = max(width_of(name, PHONE) for name in names)
    centres = [wide * (j + 0.5) for j in range(len(names))]
    pairs = list(zip(centres, names, strict=True))
    if longest <= wide - 6:
        return "".join(text(x, 0, name, "soft middle") for x, name in pairs), 42.0, 0.0
    slanted = [
        f'<text class="soft" transform="translate({x:.1f} 0) rotate(-45)">{safe(name)}</text>'
        for x, name in pairs
    ]
    return "".join(slanted), 34 + longest * math.sin(_SLANT), max(0.0, longest * math.cos(_SLANT) - wide / 2)


def _lines(count: int, share: float, wide: float, high: float) -> tuple[str, ...]:
    """A count, and its share where there is room; nothing for none in a small cell."""
    if not count and wide < 460 / _MANY + 1:
        return ()
    if high < 56:
        return (_number(count, wide),)
    percent = f"{100 * share:.0f}%" if 0.01 <= share <= 0.99 or share in (0, 1) else f"{100 * share:.1f}%"
    return _number(count, wide), percent


def _cell(
    at: tuple[float, float, float, float], words: tuple[str, ...], share: float, look: str, caption: str
) -> str:
    """A rectangle with a line or two; a rare cell is still seen."""
    x, y, wide, high = at
    shade = 0.05 + 0.95 * math.sqrt(share)
    ink = f"over-{look}" if shade > _STRONG else ""
    fill = f'class="{look}"' if look == "none" else f'class="{look}" fill-opacity="{shade:.3f}"'
    size = f'width="{wide - 2:.1f}" height="{high - 2:.1f}" rx="2"'
    box = f'<rect {fill} x="{x + 1:.1f}" y="{y + 1:.1f}" {size}><title>{safe(caption)}</title></rect>'
    lines = [(4, "small " if wide < 44 else " ")] if len(words) < 2 else [(-1, ""), (16, "small ")]
    for word, (below, small) in zip(words, lines, strict=False):
        box += text(x + wide / 2, y + high / 2 + below, word, f"figure {small}middle {ink}")
    return box


def _number(count: int, wide: float) -> str:
    """A count that fits its cell: 12,345, or 12k.

    >>> _number(12_345, 100), _number(12_345, 30), _number(1_234, 30)
    ('12,345', '12k', '1.2k')
    """
    words = f"{count:,}"
    for size, sign in ((1e3, "k"), (1e6, "M"), (1e9, "G")):
        if width_of(words, 11) <= wide - 4:
            break
        words = f"{count / size:.1f}{sign}" if count < 9.95 * size else f"{count / size:.0f}{sign}"
    return words
