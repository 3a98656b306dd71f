r"""The trellis of one short sequence: every table of forward–backward and Viterbi, and a picture of them.

The tables are the plain twin of `chain_kernels.py`:

    forward    f_t(j) = b_t(j) Σ_i f_{t-1}(i) a_ij / c_t
    backward   g_t(i) = Σ_j a_ij b_{t+1}(j) g_{t+1}(j) / c_{t+1}
    Viterbi    v_t(j) = ln b_t(j) + max_i (v_{t-1}(i) + ln a_ij), with a pointer to the best i

b are the probabilities of a row in each state. A row that no reachable state can show is no evidence.

In the picture, posteriors are the size of dots. Grey lines are the pointers of Viterbi: from each state to
the best one before it. The orange line is the most probable path.
"""

import math
from typing import NamedTuple

import numpy as np

from openbook.draw.letters import clip, text, width_of
from openbook.draw.picture import Picture

#: Densities below e to this are shown divided by the largest of their row.
SMALLEST = -600.0
#: Pixels between rows and between states, the largest dot, letters of a name and of a cell.
APART, BELOW, LARGEST, LETTERS, CELL = 70, 56, 15.0, 14, 9


class TrellisTables(NamedTuple):
    """The tables of each row and state, as lists: see the module."""

    log_b: list[list[float]]
    b: list[list[float]]
    forward: list[list[float]]
    log_c: list[float]
    backward: list[list[float]]
    posterior: list[list[float]]
    best: list[list[float]]
    pointers: list[list[int]]
    path: list[int]


def trellis_tables(start, a, log_b) -> TrellisTables:
    """Forward, backward, posterior and Viterbi of one sequence, in plain loops."""
    states = range(len(start))
    b: list[list[float]] = []
    forward: list[list[float]] = []
    log_c, scales = [], []
    for row in log_b:
        before = forward[-1] if forward else None
        predicted = [_predicted(start, a, before, j) for j in states]
        top = max((row[j] for j in states if predicted[j] > 0), default=-math.inf)
        off = top if top < SMALLEST else 0.0
        possible = top > -math.inf  # else no reachable state can show the row
        b.append([math.exp(v - off) if possible and v - off < -SMALLEST else 1.0 for v in row])
        products = [b[-1][j] * predicted[j] for j in states]
        scales.append(math.fsum(products))
        forward.append([p / scales[-1] for p in products])
        log_c.append(off + math.log(scales[-1]) if possible else -math.inf)
    backward = [[1.0 for _ in states]]
    for t in range(len(log_b) - 1, 0, -1):
        later = [b[t][j] * backward[0][j] for j in states]
        backward.insert(0, [math.fsum(a[i][j] * later[j] for j in states) / scales[t] for i in states])
    posterior = [[f * g for f, g in zip(*both, strict=True)] for both in zip(forward, backward, strict=True)]
    return TrellisTables(log_b, b, forward, log_c, backward, posterior, *_viterbi(start, a, log_b))


def _predicted(start, a, before, j):
    return start[j] if before is None else math.fsum(before[i] * a[i][j] for i in range(len(start)))


def _viterbi(start, a, log_b):
    states = range(len(start))
    best: list[list[float]] = []
    pointers: list[list[int]] = []
    for t, row in enumerate(log_b):
        if t == 0:
            reached, backwards = [log_or_minus_infinity(p) for p in start], [0 for _ in states]
        else:
            scores = [[best[-1][i] + log_or_minus_infinity(a[i][j]) for i in states] for j in states]
            backwards = [row.index(max(row)) for row in scores]
            reached = list(map(max, scores))
        ends = [r + v for r, v in zip(reached, row, strict=True)]
        best.append(ends if max(ends) > -math.inf else reached)
        pointers.append(backwards)
    path = [best[-1].index(max(best[-1]))]
    for backwards in pointers[:0:-1]:
        path.insert(0, backwards[path[0]])
    return best, pointers, path


def log_or_minus_infinity(p):
    return math.log(p) if p > 0 else -math.inf


def draw_trellis(tags, tables, cells) -> Picture:
    """The picture of a sequence with its tables; below each row its number, and what it shows, as texts."""
    names = [clip(tag, LETTERS) for tag in tags]
    n, left = len(tables.path), max(width_of(name, 13) for name in names) + 24
    across = left + APART * np.arange(n)
    down = 24 + BELOW * np.arange(len(names))
    body = [text(0, down[k] + 4, name, "small") for k, name in enumerate(names)]
    body += [
        f'<path class="frame" d="M{across[t - 1]:.1f} {down[i]:.1f} L{across[t]:.1f} {down[j]:.1f}"/>'
        for t in range(1, n)
        for j, i in enumerate(tables.pointers[t])
    ]
    points = " L".join(f"{x:.1f} {down[k]:.1f}" for x, k in zip(across, tables.path, strict=True))
    body.append(f'<path class="line c5" d="M{points}"/>')
    body += [_dot(across[t], down[k], p) for t, row in enumerate(tables.posterior) for k, p in enumerate(row)]
    below = down[-1] + 40
    for t, shown in enumerate(cells):
        lines = [str(t + 1), *(clip(cell, CELL) for cell in shown)]
        body += [text(across[t], below + 15 * i, line, "soft middle") for i, line in enumerate(lines)]
    path = ", ".join(names[k] for k in tables.path)
    notes = ("Size: P(state | rows)", "Orange: the most probable path", "Grey: pointers to the state before")
    high = below + 15 * len(cells[0]) + 10
    return Picture("Trellis", f"The most probable path: {path}.", notes, "".join(body), across[-1] + 40, high)


def _dot(x, y, p):
    size = max(LARGEST * p**0.5, 1.5)
    return f'<circle class="c0 dot" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{p:.3g}</title></circle>'
