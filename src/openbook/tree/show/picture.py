"""A tree as SVG, without Graphviz: a few leaves from the top, more from the left, very many as an outline.

A box holds the attribute tested, or the class predicted, the weight of the training rows, and a bar of the
classes' shares (for numbers: of where the mean lies between the lowest and the highest). The thickness of a
line shows the number of its rows. Long names and thresholds are shortened; the tooltip has them in full. A
`?` on a branch takes missing cells and unseen values.
"""

import math
from decimal import ROUND_DOWN, Context
from typing import Any

import numpy as np

from openbook.data.attributes import as_text
from openbook.draw.colours import COLOURS, DARK, LIGHT, RARE
from openbook.draw.letters import clip, safe, text, width_of
from openbook.tree.engine.nodes import LEAF
from openbook.tree.show.layouts import Box, from_the_left, from_the_top, outline
from openbook.words.numbers import figure
from openbook.words.sentences import printable
from openbook.work.conditions import Within, word

#: The widest picture from the top, and from the left.
_WIDEST_TOP, _WIDEST_LEFT = 1080, 1600
#: Letters of a name, of a branch; of either in an outline; of a linear model.
_NAME, _BRANCH, _LONG, _LINE = 26, 24, 36, 44
_MARGIN = 20


def _colour(i, hue):
    return f".ob-tree .c{i} {{ fill: {hue}; }} .ob-tree .c{i}.end {{ stroke: {hue}; }}\n"


_STYLE = f"""
.ob-tree {{ font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }}
.ob-tree text {{ fill: #1d2630; }}
.ob-tree .paper {{ fill: #ffffff; }}
.ob-tree .head {{ font-size: 15px; font-weight: 650; }}
.ob-tree .name {{ font-weight: 600; }}
.ob-tree .soft {{ fill: #5b6772; font-size: 12px; font-variant-numeric: tabular-nums; }}
.ob-tree .mid {{ text-anchor: middle; }}
.ob-tree .way {{ fill: none; stroke: #c3cbd1; }}
.ob-tree .said {{ font-size: 12.5px; paint-order: stroke; stroke: #ffffff; stroke-width: 5px; }}
.ob-tree .said {{ stroke-linejoin: round; }}
.ob-tree .test {{ fill: #f2f4f5; stroke: #98a4ad; }}
.ob-tree .end {{ fill-opacity: .13; stroke-width: 1.4; }}
.ob-tree .more {{ stroke-dasharray: 5 3; }}
.ob-tree .knot {{ fill: #98a4ad; }}
.ob-tree .track {{ fill: #dfe3e6; }}
.ob-tree .row {{ fill: none; pointer-events: all; }}
{"".join(_colour(i, hue) for i, hue in enumerate(LIGHT))}
@media (prefers-color-scheme: dark) {{
.ob-tree text {{ fill: #e4e9ed; }}
.ob-tree .paper {{ fill: #1a2128; }}
.ob-tree .soft {{ fill: #9dabb6; }}
.ob-tree .way {{ stroke: #46535f; }}
.ob-tree .said {{ stroke: #1a2128; }}
.ob-tree .test {{ fill: #262f38; stroke: #5f6d78; }}
.ob-tree .end {{ fill-opacity: .26; }}
.ob-tree .track {{ fill: #3a4650; }}
{"".join(_colour(i, hue) for i, hue in DARK.items())}
}}
"""


def picture(read, places):
    """The SVG of the places of a drawing."""
    look = _looks(read)
    boxes = [_box(read, place, look) for place in places]
    parts, width, height = from_the_top(boxes)
    if width > _WIDEST_TOP:
        parts, width, height = from_the_left(boxes)
    if width > _WIDEST_LEFT:
        parts, width, height = outline(boxes)
    return _page(read, places, look, parts, width, height)


def _page(read, places, look, parts, width, height):
    """The picture with its headline and legend."""
    hidden = sum(place.hidden for place in places)
    leaves = read.tree.n_leaves
    title = f"{read.target}: {leaves} {'leaves' if leaves > 1 else 'leaf'}"
    notes = [f"{figure(float(read.tree.weight[0]))} training rows"]
    if hidden:
        notes.append(f"{hidden} leaves hidden below the last tests")
    if any(place.condition is not None and place.condition.missing for place in places):
        notes.append("?: missing and unseen values")
    note = "; ".join(notes)
    width = max(width, width_of(title, 16), width_of(note, 12), 260)
    legend, tall = _legend(read, look, width)
    top = _MARGIN + 50 + tall
    w, h = math.ceil(width + 2 * _MARGIN), math.ceil(height + top + _MARGIN)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ob-tree" role="img" width="{w}" height="{h}"',
            f' viewBox="0 0 {w} {h}" aria-label="Decision tree for {safe(title)}"><style>{_STYLE}</style>',
            f'<rect class="paper" width="{w}" height="{h}" rx="6"/>',
            text(_MARGIN, _MARGIN + 13, title, "head"),
            text(_MARGIN, _MARGIN + 32, note, "soft"),
            f'<g transform="translate({_MARGIN} {_MARGIN + 46})">{"".join(legend)}</g>',
            f'<g transform="translate({_MARGIN} {top})">{"".join(parts)}</g></svg>',
        ]
    )


def _legend(read, look, width):
    """A swatch a class, in lines as wide as the picture, and their height."""
    if read.classes is None:
        low, high = _range(read)
        return [text(0, 11, f"bar: the mean of the rows, from {figure(low)} to {figure(high)}", "soft")], 26
    named = [(look[c], as_text(label)) for c, label in enumerate(read.classes) if look[c] != RARE]
    if RARE in look:
        named.append((RARE, f"{look.count(RARE)} rarer classes"))
    parts, x, y = [], 0.0, 0
    for colour, label in named:
        words = clip(printable(label), _NAME)
        if x and x + 18 + width_of(words, 12) > width:
            x, y = 0.0, y + 20
        parts.append(f'<rect class="{colour}" x="{x:.1f}" y="{y + 1}" width="12" height="12" rx="2"/>')
        parts.append(text(x + 18, y + 11, words, "soft"))
        x += 18 + width_of(words, 12) + 18
    return parts, y + 30


def _looks(read):
    """The colour of each class; where there are too many, the most frequent have one of their own."""
    if read.classes is None:
        return ["c0"]
    looks = [RARE] * len(read.classes)
    frequent = np.argsort(-read.tree.value[0], kind="stable")[:COLOURS]
    for colour, code in enumerate(sorted(frequent.tolist())):
        looks[code] = f"c{colour}"
    return looks


def _box(read, place, look):
    tree, node = read.tree, place.node
    share = float(tree.weight[node] / tree.weight[0])
    rows, values = figure(float(tree.weight[node]), 4), tree.value[node]
    told = [] if place.condition is None else [str(place.condition)]
    told.append(f"{rows} of {figure(float(tree.weight[0]))} training rows ({share:.1%})")
    if read.classes is None:
        low, high = _range(read)
        bars = [("track", 1.0), ("c0", (float(values[0]) - low) / ((high - low) or 1.0))]
        colour = "c0"
    else:
        bars = [(look[c], float(v / values.sum())) for c, v in enumerate(values) if v > 0]
        colour = look[int(np.argmax(values))]
        most = [c for c in np.argsort(-values, kind="stable")[:COLOURS] if values[c] > 0]
        told.append(", ".join(f"{as_text(read.classes[c])} {figure(float(values[c]), 4)}" for c in most))
    said, line = ("", "") if place.condition is None else _said(place.condition)
    common: dict[str, Any] = {"said": said, "line": line, "bars": tuple(bars), "share": share}
    common |= {"depth": place.depth, "below": place.children}
    if place.name:
        told.append(f"tests {place.name}")
        head = clip(place.name, _NAME)
        return Box(head, rows, told="\n".join(told), look="test", colour="knot", **common)
    prediction = read.said(read.prediction(node))
    told.append(f"predicts {prediction}")
    note, frame = read.behind(node), f"end {colour}"
    if place.hidden:
        note, frame = f"{note}, … {place.hidden} leaves", f"{frame} more"
        told.append(f"{place.hidden} leaves below are hidden")
    head = clip(prediction, _NAME if read.line_at is None else _LINE)
    return Box(head, note, told="\n".join(told), look=frame, colour=colour, **common)


def _said(condition):
    """What a branch says: in short, and with the attribute's name."""
    name = clip(printable(condition.attribute.name), _LONG)
    if condition.nothing_known:
        words = "missing" if condition.missing else "nothing"
        return words, f"{name} is {words}"
    if isinstance(condition, Within):
        sign, bound = ("≤", condition.high) if math.isinf(condition.low) else (">", condition.low)
        words = condition.bound(bound) if condition.ordinal else _short(bound)
        short, long = f"{sign} {clip(words, _BRANCH)}", f"{sign} {clip(words, _LONG)}"
    else:
        words = ", ".join(map(word, condition.values))
        short = clip(words, _BRANCH)
        long = f"{'=' if len(condition.values) == 1 else '∈'} {clip(words, _LONG)}"
    too = " ?" if condition.missing else ""
    return printable(short) + too, f"{name} {printable(long)}{too}"


def _short(value):
    """A threshold's first digits, with an ellipsis where there are more.

    >>> _short(30.25), _short(0.1 + 0.2), _short(-1.23456789e-9), _short(1234567.8912)
    ('30.25', '0.3…', '-1.23456e-09…', '1234567…')
    """
    digits = max(6, len(str(int(abs(value))))) if abs(value) < 1e15 else 6
    cut = float(Context(prec=digits, rounding=ROUND_DOWN).create_decimal(repr(float(value))))
    return f"{cut:.{digits}g}" + ("…" if cut != value else "")


def _range(read):
    """The lowest and the highest number that the tree predicts."""
    leaves = read.tree.value[read.tree.attribute == LEAF, 0]
    return float(leaves.min()), float(leaves.max())
