"""k-d trees and ball trees: boxes within boxes, balls within balls.

Points are halved by the column in which they spread most, down to single tiles (`build_tree`), and a search
leaves out every box or ball that lies farther away than the k-th point so far (`search_tree`). It pays where
there are many points and few columns; with many columns, most boxes are near.

A child of a ball tree is enclosed by a ball around the mean of its points: nothing inside is nearer than the
distance to the centre less the radius. A ball is the tighter of the two where many columns go together.
"""

from abc import abstractmethod

import numpy as np

from openbook.spaces.index import Index


class TileTree(Index):
    """A tree of tiles, searched from the nearest child on."""

    block = 4096

    def _build(self):
        from openbook.spaces.build_tree import halved
        from openbook.spaces.search_tree import TreeArrays
        from openbook.spaces.single_tiles import origin_and_scale

        origin, scale = origin_and_scale(self.points)
        tiles, rows, boxes, *_ = halved(self.points, origin, scale, np.float32)
        self._tree = TreeArrays(self.points, tiles, rows, origin, scale, **self._enclosed(rows, boxes))

    @abstractmethod
    def _enclosed(self, rows, boxes):
        """What the nodes enclose, by name: tiles of these rows, in these boxes."""

    def _search(self, by, Q, k_or_radius):
        from openbook.spaces.search_tree import SearchBuffers, search_tree

        buffers = SearchBuffers.to_search(self._tree)
        return by(search_tree, (self._tree, buffers), Q, k_or_radius, self.measure)

    @property
    def order(self):
        return self._tree.rows.ravel()[: self.n_points]

    def _order(self, Q):
        """By the node that each query comes to first: queries of one node ask for the same points."""
        from openbook.spaces.tiles import first_by

        return np.argsort(self._search(first_by, Q, 0), kind="stable")

    def _nearest(self, Q, k):
        from openbook.spaces.tiles import nearest_by

        return self._search(nearest_by, Q, k)

    def _around(self, Q, radius):
        from openbook.spaces.tiles import within_by

        return self._search(within_by, Q, radius)


class KDTree(TileTree):
    """A tree of boxes."""

    name = "kd_tree"

    def _enclosed(self, rows, boxes):  # noqa: ARG002 (boxes need no rows)
        from openbook.spaces.tiles import in_tiles

        low, high = boxes[..., 0], boxes[..., 1]
        levels: list[np.ndarray] = []
        while not levels or len(low) > 1:
            low, high = in_tiles(low, np.inf), in_tiles(high, -np.inf)
            levels.append(np.concatenate([low, high], axis=1))
            low, high = low.min(axis=2), high.max(axis=2)
        starts, ends = np.cumsum([0, *map(len, levels)]), np.concatenate(levels)
        return {"starts": starts, "ends": ends, "centres": np.empty((0, 0, 0)), "radii": np.empty((0, 0))}


class BallTree(TileTree):
    """A tree of balls."""

    name = "ball_tree"

    def _enclosed(self, rows, boxes):  # noqa: ARG002 (balls need no boxes)
        from openbook.spaces.tiles import TILE, in_tiles

        tiles, there = self.points[rows].transpose(0, 2, 1), rows >= 0
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
        return {"starts": starts, "ends": np.empty((0, 0, 0)), "centres": centres, "radii": radii}
