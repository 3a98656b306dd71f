"""The critical-difference picture: mean ranks on a line, with bars that join learners that do not differ
significantly.

The best rank is on the left. The better half of the names is on the left, the others on the right, each
joined to its mean rank. The bar at the top is as long as the critical difference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from openbook.draw import Picture
from openbook.draw.letters import fitting, safe, text, width_of

#: The length of the line, the most width for a name beside it, the distances between names and between bars.
_LINE, _NAME_WIDTH, _NAME, _BAR = 420, 250, 24, 11
#: Where the line is, counted from the top.
_TOP = 52


def rank_line(
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    difference: float,
    title: str,
    notes: tuple[str, ...],
) -> Picture:
    """Mean ranks, the best first; the groups without a significant difference; the critical difference."""
    k = len(ranks)
    margin = min(_NAME_WIDTH, max(90, *(width_of(name, 13) + 51 for name in ranks)))

    def x(rank: float) -> float:
        return margin + _LINE * (rank - 1) / (k - 1)

    parts = [*_scale(k, x), *_ruler(x, difference, k)]
    first_name = _TOP + 22 + _BAR * len(groups)
    names = list(ranks)
    left = (k + 1) // 2
    for i, name in enumerate(names):
        on_left = i < left
        # the outermost rank is nearest to the line, so that the lines to other names do not cross it
        row = i if on_left else k - 1 - i
        parts += _name(name, ranks[name], x(ranks[name]), first_name + _NAME * row, margin, on_left)
    for i, group in enumerate(groups):
        y = _TOP + 12 + _BAR * i
        start, end = x(ranks[group[0]]) - 4, x(ranks[group[-1]]) + 4
        parts.append(
            f'<rect class="c5" x="{start:.1f}" y="{y - 2.5}" width="{end - start:.1f}" height="5" rx="2.5">'
            f"<title>no significant difference: {safe(', '.join(group))}</title></rect>"
        )
    means = "; ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
    size = 2 * margin + _LINE, first_name + _NAME * left
    return Picture(title, f"Mean ranks: {means}. {' '.join(notes)}", notes, "".join(parts), *size)


def _scale(k: int, x: Callable[[float], float]) -> Iterator[str]:
    """The line with its ranks."""
    yield f'<line class="frame" x1="{x(1):.1f}" x2="{x(k):.1f}" y1="{_TOP}" y2="{_TOP}"/>'
    for rank in range(1, k + 1):
        yield f'<line class="frame" x1="{x(rank):.1f}" x2="{x(rank):.1f}" y1="{_TOP - 6}" y2="{_TOP}"/>'
        yield text(x(rank), _TOP - 11, str(rank), "soft middle")


def _ruler(x: Callable[[float], float], difference: float, k: int) -> Iterator[str]:
    """A bar as long as the critical difference; none if no two ranks can differ so much."""
    words = f"CD {difference:.2f}"
    if difference > k - 1:
        yield text(x(1), 14, f"{words}: more than the ranks can differ", "soft")
        return
    start, end = x(1), x(1 + difference)
    yield f'<path class="frame" d="M{start:.1f} 6v8M{start:.1f} 10H{end:.1f}M{end:.1f} 6v8"/>'
    yield text(end + 8, 14, words, "soft")


def _name(name: str, rank: float, at: float, y: float, margin: float, on_left: bool) -> Iterator[str]:
    """A learner's mark on the line, the line to its name, and the name with its rank."""
    edge = margin if on_left else margin + _LINE
    yield f'<path class="frame" d="M{at:.1f} {_TOP}V{y:.1f}H{edge:.1f}"/>'
    full = f"{name}: mean rank {rank:.2f}"
    yield f'<circle class="dot c0" cx="{at:.1f}" cy="{_TOP}" r="4.5"><title>{safe(full)}</title></circle>'
    shown, number = fitting(name, margin - 50, 13), f"{rank:.2f}"
    if on_left:
        yield text(edge - 6, y + 4, shown, "", number, "last")
    else:
        yield text(edge + 6, y + 4, number, "soft", shown, later="")
