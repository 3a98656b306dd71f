"""Pictures of scores: ROC, precision and recall, calibration. Axes run from 0 to 1."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from openbook.draw import Numbers, Picture
from openbook.draw.colours import colour_of
from openbook.draw.plot import Plot
from openbook.words.numbers import shown
from openbook.words.sentences import plural

if TYPE_CHECKING:
    from openbook.judge.scores.calibration import Calibration
    from openbook.judge.scores.precision_recall import PrecisionRecall
    from openbook.judge.scores.roc import Roc

#: Steps of a line that are smaller than this share of the axis are not seen.
_FINE = 1 / 1500


def draw_rocs(rocs: "Mapping[str, Roc]") -> Picture:
    """ROC curves by name, and the diagonal of random guessing.

    Parameters
    ----------
    rocs : mapping of str to Roc
        The curves by name: of several learners, or of each class against the others.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> from openbook.judge import Roc
    >>> good, poor = ([0.9, 0.8, 0.3, 0.1], [0.9, 0.2, 0.3, 0.1])
    >>> truth = [True, True, False, False]
    >>> draw_rocs({"good": Roc(truth, good), "poor": Roc(truth, poor)}).title
    'ROC'
    """
    areas = {name: f"AUC {shown(roc.auc)} {roc.interval()}" for name, roc in rocs.items()}
    lines = {name: (roc.points[:, 0], roc.points[:, 1]) for name, roc in rocs.items()}
    plot = _unit("share of negative rows predicted positive (FPR)", "share of positive rows found (TPR)")
    plot.line([0, 1], [0, 1], "c8 dashed")
    return _curves(plot, "ROC", lines, areas, "Dashed: random guessing, 0.5.")


def draw_cost_curves(rocs: "Mapping[str, Roc]") -> Picture:
    """Cost curves: the normalised expected cost of each ranking at its best threshold, over costs and prior.

    Across is PC = p C_FN / (p C_FN + (1 - p) C_FP), the weight of the positive class with share p; a point
    (FPR, TPR) of the ROC curve costs (1 - TPR) PC + FPR (1 - PC), a straight line, and the curve is the
    lowest of them (Drummond and Holte, 2006). Always deciding for one class costs the smaller of PC, 1 - PC.

    Parameters
    ----------
    rocs : mapping of str to Roc
        ROC curves by name.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> from openbook.judge import Roc
    >>> roc = Roc([True, True, False, False], [0.9, 0.4, 0.6, 0.1])
    >>> draw_cost_curves({"model": roc}).told
    'model: 0.250 where both classes weigh the same.'
    """
    at = np.linspace(0, 1, 401)
    plot = Plot(
        Numbers.between("weight of the positive class, by prior and cost", 0, 1),
        Numbers.between("normalised expected cost", 0, 0.5),
    )
    plot.line([0, 0.5, 1], [0, 0.5, 0], "c8 dashed", "always one class")
    told = []
    for i, (name, roc) in enumerate(rocs.items()):
        fpr, tpr = roc.points.T
        lowest = np.min([(1 - t) * at + f * (1 - at) for f, t in zip(fpr, tpr, strict=True)], axis=0)
        plot.line(at, lowest, colour_of(i), name)
        told.append(f"{name}: {shown(float(lowest[200]))} where both classes weigh the same")
    notes = ("Lower is better; each at the best threshold for that weight.",)
    return plot.picture("Cost curves", notes, f"{'; '.join(told)}.")


def draw_precision_recall(curves: "Mapping[str, PrecisionRecall]") -> Picture:
    """Precision-recall curves under their names, as steps, and the precision of a constant score."""
    areas = {name: f"AP {shown(c.average_precision)} {c.interval()}" for name, c in curves.items()}
    lines = {}
    for name, curve in curves.items():
        recall, precision = curve.points[np.diff(curve.points[:, 0], prepend=0) > 0].T
        lines[name] = np.repeat(np.r_[0.0, recall], 2)[1:-1], np.repeat(precision, 2)
    across, up = "share of positive rows found", "share of predicted positives that are right"
    plot = _unit(f"{across} (recall)", f"{up} (precision)")
    for i, curve in enumerate(curves.values()):
        plot.line([0, 1], [curve.prevalence] * 2, f"{colour_of(i)} dashed")
    note = "Dashed: the average precision (AP) of a constant score, which is the prevalence."
    return _curves(plot, "Precision and recall", lines, areas, note)


def _curves(
    plot: Plot,
    what: str,
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]],
    areas: Mapping[str, str],
    note: str,
) -> Picture:
    several = len(lines) > 1
    for i, (name, line) in enumerate(lines.items()):
        plot.line(*_thinned(*line), colour_of(i), f"{name}: {areas[name].split(' [')[0]}" if several else "")
    told = "; ".join(f"{name}: {area}" for name, area in areas.items())
    if several:
        return plot.picture(what, [note], told)
    ((name, area),) = areas.items()
    return plot.picture(f"{what} of {name}", [f"{area}.", note], told)


def draw_calibration(calibration: "Calibration") -> Picture:
    """Bins by their mean probability and share of positive rows, with intervals; below, how many rows."""
    bins = calibration.bins
    plot = _unit("predicted probability", "observed share of positives")
    (bottom, top), most = Numbers.between("", 0, 1).span, max(b.n for b in bins)
    tall = [bottom + 0.14 * (top - bottom) * b.n / most for b in bins]
    plot.boxes(([b.low for b in bins], [b.high for b in bins]), ([bottom] * len(bins), tall), "c8 band")
    plot.line([0, 1], [0, 1], "c8 dashed")
    for b in bins:
        plot.line([b.predicted] * 2, [b.interval.low, b.interval.high], "c0")
    told = [
        f"{b.n:,} rows, mean probability {shown(b.predicted)}: {shown(b.observed)} {b.interval}" for b in bins
    ]
    plot.dots([b.predicted for b in bins], [b.observed for b in bins], "dot c0", told)
    rows = f"{plural(len(calibration.scores), 'row')} in {plural(len(bins), 'bin')}"
    notes = (
        f"Brier score {shown(calibration.brier)} {calibration.interval()}; {rows}.",
        "Dashed: perfect calibration. Whiskers: 95%, Wilson. Bars: rows.",
    )
    return plot.picture(f"Calibration of {calibration.positive}", notes, "; ".join(told))


def _unit(across: str, up: str) -> Plot:
    """A plot of shares, from 0 to 1."""
    return Plot(Numbers.between(across, 0, 1), Numbers.between(up, 0, 1))


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
