"""The layout of the nodes of a picture: from the top, from the left, or as an outline.

From the top and from the left, each subtree has a band of its own, as broad as its boxes and the labels of
its branches need, beside those of its siblings; a node stands in the middle of its children. So nothing
overlaps, whatever the names are. An outline has a line a node.

Every layout takes the boxes in depth-first order and gives SVG elements, their width and their height.
"""

from dataclasses import dataclass

from openbook.draw.letters import safe, text, width_of

#: From the top: a box's height, and from one level to the next.
_TALL, _LEVEL = 44, 108
#: From the left: a box's height, the gap between two, the room for a line's bend.
_FLAT, _GAP, _BEND = 24, 7, 34
#: An outline: a line's height, a level's indent.
_LINE, _INDENT = 24, 22
_BAR = 46


@dataclass(frozen=True)
class Box:
    """A node's words, clipped, and looks.

    Parameters
    ----------
    head, note : the attribute tested or the prediction; the training rows
    said, line : what its branch says, in short and with the attribute's name; "" for the root
    told : the tooltip
    look, colour : classes of the stylesheet, for a frame and for a spot
    bars : the class of the stylesheet and the share of each part of the bar
    share : of all training rows
    depth : how many tests lie above it
    below : the boxes below it, by number
    """

    head: str
    note: str
    said: str
    line: str
    told: str
    look: str
    colour: str
    bars: tuple[tuple[str, float], ...]
    share: float
    depth: int
    below: tuple[int, ...]

    @property
    def text_width(self):
        return width_of(self.head, 14.3) + 8 + width_of(self.note, 12)

    @property
    def wide(self):
        """The width from the top."""
        return max(self.text_width + 20, 72)

    @property
    def long(self):
        """The width from the left."""
        return self.text_width + _BAR + 26

    @property
    def said_width(self):
        return width_of(self.said, 12.5)


def from_the_top(boxes):
    """The root above, the leaves below: as they are drawn on a blackboard."""
    centres, breadth = _bands(boxes, [max(box.wide, box.said_width + 8) for box in boxes], gap=14)
    ways, parts = [], []
    for box, middle in zip(boxes, centres, strict=True):
        y = _LEVEL * box.depth
        for j in box.below:
            start, to, end = y + _TALL, centres[j], y + _LEVEL - 24
            bend = (start + end) / 2
            curve = (
                f"M{middle:.1f} {start}C{middle:.1f} {bend:.1f} {to:.1f} {bend:.1f} {to:.1f} {end}V{end + 24}"
            )
            ways.append(_way(curve, boxes[j]))
        inside = [
            _frame(box, middle - box.wide / 2, y, box.wide, _TALL),
            text(middle, y - 8, box.said, "said mid"),
            text(middle, y + 19, box.head, "name", box.note, "mid"),
            *_bar(box, middle - box.wide / 2 + 11, y + 29, box.wide - 22, 7),
        ]
        parts.append(_group(box, inside))
    return ways + parts, breadth, _LEVEL * max(box.depth for box in boxes) + _TALL


def from_the_left(boxes):
    """The root on the left, a column a level."""
    centres, height = _bands(boxes, [_FLAT] * len(boxes), gap=_GAP)
    columns, labels = _columns(boxes)
    ways, parts = [], []
    for box, middle in zip(boxes, centres, strict=True):
        x, y = columns[box.depth], middle - _FLAT / 2
        for j in box.below:
            start, end, to = x + box.long, columns[box.depth + 1], centres[j]
            flat = end - labels[box.depth + 1]
            bend = (start + flat) / 2
            curve = (
                f"M{start:.1f} {middle:.1f}C{bend:.1f} {middle:.1f} {bend:.1f} {to:.1f} {flat:.1f} {to:.1f}"
            )
            ways.append(_way(f"{curve}H{end:.1f}", boxes[j]))
        inside = [
            _frame(box, x, y, box.long, _FLAT),
            text(x - labels[box.depth] + 4, middle - 6, box.said, "said"),
            text(x + _BAR + 17, middle + 4.5, box.head, "name", box.note),
            *_bar(box, x + 9, middle - 4, _BAR, 8),
        ]
        parts.append(_group(box, inside))
    return ways + parts, max(columns[box.depth] + box.long for box in boxes), height


def outline(boxes):
    """A line a node, its children indented: as narrow as a page however many there are."""
    words = [box.line or "all rows" for box in boxes]
    ends = ["" if box.below else box.head for box in boxes]
    taken = (
        _INDENT * box.depth + width_of(said, 13) + width_of(end, 14.3) + 40
        for box, said, end in zip(boxes, words, ends, strict=True)
    )
    right = max(taken)
    ways, parts = [], []
    for i, box in enumerate(boxes):
        x, middle = _INDENT * box.depth + 6, _LINE * i + _LINE / 2
        ways += [
            _way(f"M{x} {middle:g}V{_LINE * j + _LINE / 2:g}H{x + _INDENT}", boxes[j]) for j in box.below
        ]
        spot = f'<circle class="{box.colour}" cx="{x}" cy="{middle:g}" r="{3.5 if box.below else 6}"/>'
        inside = [
            f'<rect class="row" x="{x}" y="{_LINE * i}" width="{right + 110 - x:.1f}" height="{_LINE}"/>',
            spot,
            text(x + 13, middle + 4.5, words[i], "", ends[i], later="name"),
            *_bar(box, right, middle - 4, 100, 8),
            text(right + 110, middle + 4.5, box.note, "soft"),
        ]
        parts.append(_group(box, inside))
    return ways + parts, right + 110 + max(width_of(box.note, 12) for box in boxes), _LINE * len(boxes)


def _bands(boxes, sizes, gap):
    """The centre of each box across its band, and the breadth of them all.

    sizes : what each box itself needs; children stand behind their parents
    """
    below = [box.below for box in boxes]
    inner = [0.0] * len(sizes)
    band = list(sizes)
    for i in reversed(range(len(sizes))):
        if below[i]:
            inner[i] = sum(band[j] for j in below[i]) + gap * (len(below[i]) - 1)
            band[i] = max(sizes[i], inner[i])
    start = [0.0] * len(sizes)
    for i, children in enumerate(below):
        edge = start[i] + (band[i] - inner[i]) / 2
        for j in children:
            start[j] = edge
            edge += band[j] + gap
    centre = [start[i] + band[i] / 2 for i in range(len(sizes))]
    for i in reversed(range(len(sizes))):
        if below[i]:
            middle = (centre[below[i][0]] + centre[below[i][-1]]) / 2
            half = sizes[i] / 2
            centre[i] = min(max(middle, start[i] + half), start[i] + band[i] - half)
    return centre, band[0]


def _columns(boxes):
    """Where the boxes of each level begin, and how long the labels of their branches are.

    A leaf has its band to itself, so only boxes with children keep the next level at a distance.
    """
    levels = range(max(box.depth for box in boxes) + 1)
    labels = [max(box.said_width for box in boxes if box.depth == level) + 12 for level in levels]
    columns = [0.0]
    for level in levels[1:]:
        longest = max(box.long for box in boxes if box.depth == level - 1 and box.below)
        columns.append(columns[-1] + longest + _BEND + labels[level])
    return columns, labels


def _frame(box, x, y, width, height):
    rx = 4 if box.look == "test" else height / 2
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}"'
    return f'<rect class="{box.look}" {size} rx="{min(rx, 13):g}"/>'


def _bar(box, x, y, width, height):
    """The shares side by side; what begins with a track is a gauge on it."""
    parts, at = [], 0.0
    for colour, share in box.bars:
        size = f'x="{x + width * at:.2f}" y="{y:g}" width="{width * share:.2f}" height="{height}"'
        parts.append(f'<rect class="{colour}" {size}/>')
        at += 0.0 if colour == "track" else share
    return parts


def _way(curve, box):
    return f'<path class="way" stroke-width="{1.2 + 5 * box.share:.2f}" d="{curve}"/>'


def _group(box, parts):
    return f"<g><title>{safe(box.told)}</title>{''.join(parts)}</g>"
