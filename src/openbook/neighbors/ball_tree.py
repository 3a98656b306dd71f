"""A ball tree: balls within balls.

The same tree of tiles as a k-d tree's, but a child is enclosed by a ball around the mean of its points:
nothing inside is nearer than the distance to the centre less the radius. A ball is the tighter of the two
where many columns go together.
"""

import numpy as np

from openbook.neighbors.kd_tree import TileTree, in_tiles

__all__ = ["BallTree"]


class BallTree(TileTree):
    """A tree of balls."""

    name = "ball_tree"

    def _enclosed(self, tiles, rows, ends):  # noqa: ARG002 (balls need no ends)
        from openbook.neighbors.descent import Tree
        from openbook.neighbors.tiles import TILE

        there = rows >= 0
        sums = np.where(there[:, None], tiles, 0.0).sum(axis=2)
        counts = there.sum(axis=1)
        levels: list[tuple[np.ndarray, np.ndarray]] = []
        span = 1  # tiles in a child
        while not levels or len(levels[-1][1]) > 1:
            firsts = np.arange(0, len(tiles), span)
            centres = np.add.reduceat(sums, firsts) / np.add.reduceat(counts, firsts)[:, None]
            around = np.repeat(centres, span, axis=0)[: len(tiles), :, None]
            gaps = (np.abs(tiles[:, j] - around[:, j]) for j in range(tiles.shape[1]))
            farthest = np.where(there, self.metric.length(gaps), 0.0).max(axis=1)
            radii = np.maximum.reduceat(farthest, firsts)
            levels.append((in_tiles(centres, np.inf), in_tiles(radii[:, None], 0.0)[:, 0]))
            span *= TILE
        starts = np.cumsum([0, *(len(radii) for _, radii in levels)])
        centres, radii = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        return Tree(tiles, rows, starts, np.empty((0, 0, 0)), centres, radii)
