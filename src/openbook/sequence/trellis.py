"""The trellis of a short sequence as a picture: states by rows, and posteriors as the size of dots.

Grey lines are the pointers of Viterbi: from each state to the best one before it. The orange line is the most
probable path.
"""

import numpy as np

from openbook.draw.letters import clip, text, width_of
from openbook.draw.plot import Picture

__all__ = ["draw_trellis"]

#: Pixels between rows and between states, the largest dot, and letters of a name.
APART, BELOW, LARGEST, LETTERS = 70, 56, 15.0, 14


def draw_trellis(model, X, tables) -> Picture:
    """The picture of a sequence with its tables."""
    names = [clip(str(state), LETTERS) for state in model.states_.tolist()]
    n, left = len(X), max(width_of(name, 13) for name in names) + 24
    across = left + APART * np.arange(n)
    down = 24 + BELOW * np.arange(len(names))
    body = [text(0, down[k] + 4, name, "small") for k, name in enumerate(names)]
    body += [
        f'<path class="grid" d="M{across[t - 1]:.1f} {down[i]:.1f} L{across[t]:.1f} {down[j]:.1f}"/>'
        for t in range(1, n)
        for j, i in enumerate(tables.pointers[t])
    ]
    way = " L".join(f"{x:.1f} {down[k]:.1f}" for x, k in zip(across, tables.path, strict=True))
    body.append(f'<path class="trend" d="M{way}"/>')
    body += [_dot(across[t], down[k], p) for t, row in enumerate(tables.posterior) for k, p in enumerate(row)]
    body += [text(across[t], down[-1] + 40, str(t + 1), "soft middle") for t in range(n)]
    path = ", ".join(names[k] for k in tables.path)
    notes = ("Size: P(state | rows)", "Orange: the most probable path", "Grey: pointers to the state before")
    return Picture(
        "Trellis", f"The most probable path: {path}.", notes, "".join(body), across[-1] + 30, down[-1] + 50
    )


def _dot(x, y, p):
    size = max(LARGEST * p**0.5, 1.5)
    return f'<circle class="c0 dot" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{p:.3g}</title></circle>'
