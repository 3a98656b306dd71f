"""Pictures of scores: ROC, precision and recall, calibration. Axes run from 0 to 1."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from openbook.draw import Numbers, Picture
from openbook.draw.colours import COLOURS, RARE
from openbook.draw.plot import FRAME, dots, framed, legend, line
from openbook.words.numbers import shown
from openbook.words.sentences import plural

if TYPE_CHECKING:
    from openbook.judge.scores.calibration import Calibration
    from openbook.judge.scores.precision_recall import PrecisionRecall
    from openbook.judge.scores.roc import Roc

__all__ = ["draw_calibration", "draw_precision_recall", "draw_rocs"]

#: Steps of a line that are smaller than this share of the axis are not seen.
_FINE = 1 / 1500


def draw_rocs(rocs: "Mapping[str, Roc]") -> Picture:
    """ROC curves under their names, and the diagonal of a score that knows nothing."""
    areas = {name: f"AUC {shown(roc.auc)} {roc.interval()}" for name, roc in rocs.items()}
    lines = {name: (roc.points[:, 0], roc.points[:, 1]) for name, roc in rocs.items()}
    axes = "share of other rows called positive (FPR)", "share of positive rows found (TPR)"
    diagonal = _line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "c8 dashed")
    return _curves("ROC", axes, lines, areas, diagonal, "Dashed: random guessing, 0.5.")


def draw_precision_recall(curves: "Mapping[str, PrecisionRecall]") -> Picture:
    """Precision-recall curves under their names, as steps, and the precision of a constant score."""
    areas = {name: f"AP {shown(c.average_precision)} {c.interval()}" for name, c in curves.items()}
    lines = {}
    for name, curve in curves.items():
        recall, precision = curve.points[np.diff(curve.points[:, 0], prepend=0) > 0].T
        lines[name] = np.repeat(np.r_[0.0, recall], 2)[1:-1], np.repeat(precision, 2)
    levels = [
        _line(np.array([0.0, 1.0]), np.full(2, curve.prevalence), f"{_look(i)} dashed")
        for i, curve in enumerate(curves.values())
    ]
    axes = "share of positive rows found (recall)", "share of predicted positives that are right (precision)"
    return _curves(
        "Precision and recall",
        axes,
        lines,
        areas,
        "".join(levels),
        "Dashed: the average precision (AP) of a constant score, which is the prevalence.",
    )


def _curves(
    what: str,
    axes: tuple[str, str],
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]],
    areas: Mapping[str, str],
    below: str,
    note: str,
) -> Picture:
    inside = [below, *(_line(*_thinned(*way), _look(i)) for i, way in enumerate(lines.values()))]
    if len(lines) == 1:
        ((name, area),) = areas.items()
        title, notes, above, tall = f"{what} of {name}", [f"{area}.", note], "", 4.0
    else:
        title, notes = what, [note]
        above, tall = legend(
            [(_look(i), f"{name}: {area.split(' [')[0]}") for i, (name, area) in enumerate(areas.items())]
        )
    body, width, height = framed(*_shares(*axes), "".join(inside), above, tall)
    told = "; ".join(f"{name}: {area}" for name, area in areas.items())
    return Picture(title, told, tuple(notes), body, width, height)


def draw_calibration(calibration: "Calibration") -> Picture:
    """Bins by their mean probability and share of positive rows, with intervals; below, how many rows."""
    bins = calibration.bins
    across, up = _shares("probability given", "share that is positive")
    x, y = across.place(np.array([b.predicted for b in bins])), up.place(np.array([b.observed for b in bins]))
    wide, high = FRAME
    most = max(b.n for b in bins)
    inside = []
    for b in bins:
        left, right = (wide * float(across.place(np.array(end))) for end in (b.low, b.high))
        tall = 0.14 * high * b.n / most
        inside.append(
            f'<rect class="c8 band" x="{left + 1:.1f}" y="{high - tall:.1f}"'
            f' width="{max(right - left - 2, 2):.1f}" height="{tall:.1f}"/>'
        )
    inside.append(_line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "c8 dashed"))
    for place, b in zip(x, bins, strict=True):
        ends = up.place(np.array([b.interval.low, b.interval.high]))
        inside.append(line(np.full(2, place), ends, "c0"))
    told = [
        f"{b.n:,} rows, mean probability {shown(b.predicted)}: {shown(b.observed)} {b.interval}" for b in bins
    ]
    inside += [*dots(x, y, ["dot c0"] * len(bins), told)]
    body, width, height = framed(across, up, "".join(inside), "", 4)
    rows = f"{plural(len(calibration.scores), 'row')} in {plural(len(bins), 'bin')}"
    notes = (
        f"Brier score {shown(calibration.brier)} {calibration.interval()}; {rows}.",
        "Dashed: perfect calibration. Whiskers: 95%, Wilson. Bars: rows.",
    )
    return Picture(f"Calibration of {calibration.positive}", "; ".join(told), notes, body, width, height)


def _shares(across: str, up: str) -> tuple[Numbers, Numbers]:
    ends = np.linspace(0, 1, 20)
    return Numbers(across, ends), Numbers(up, ends)


def _line(x: np.ndarray, y: np.ndarray, look: str) -> str:
    across, up = _shares("", "")
    return line(across.place(x), up.place(y), look)


def _thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a line that can be told apart, its first and last among them; of steps the corners."""
    cells = np.column_stack([x, y]) // _FINE
    moves = np.r_[True, (np.diff(cells, axis=0) != 0).any(axis=1)]
    moves[-1] = True
    x, y = x[moves], y[moves]
    corners = np.ones(len(x), dtype=bool)
    for along in (x, y):
        still = np.diff(along) == 0
        corners[1:-1] &= ~(still[:-1] & still[1:])
    return x[corners], y[corners]


def _look(i: int) -> str:
    return f"c{i}" if i < COLOURS else RARE
