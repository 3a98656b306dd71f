"""A k-d tree: boxes within boxes.

Points are halved by the column in which they spread most, down to single tiles (`halving`), and a search
leaves out every box that lies farther away than the k-th point so far (`descent`). It pays where there are
many points and few columns; with many columns, most boxes are near.
"""

from abc import abstractmethod

import numpy as np

from openbook.neighbors.search import Index

__all__ = ["KDTree", "TileTree", "in_tiles"]


class TileTree(Index):
    """A tree of tiles, searched from the nearest child on."""

    block = 4096

    def _build(self):
        from openbook.neighbors.halving import halved

        self._tree = self._enclosed(*halved(self.points))

    @abstractmethod
    def _enclosed(self, tiles, rows, ends):
        """The tree over tiles in its order, their rows, and the ends of each."""

    def _search(self, by, Q, k_or_radius):
        from openbook.neighbors.descent import Room, search_tree

        room = Room.to_search(self._tree)
        return by(search_tree, (self._tree, room), Q, k_or_radius, self.measure)

    def _order(self, Q):
        """By the node that each query comes to first: queries of one node ask for the same points."""
        from openbook.neighbors.tiles import first_by

        return np.argsort(self._search(first_by, Q, 0), kind="stable")

    def _nearest(self, Q, k):
        from openbook.neighbors.tiles import nearest_by

        return self._search(nearest_by, Q, k)

    def _around(self, Q, radius):
        from openbook.neighbors.tiles import within_by

        return self._search(within_by, Q, radius)


class KDTree(TileTree):
    """A tree of boxes."""

    name = "kd_tree"

    def _enclosed(self, tiles, rows, ends):
        from openbook.neighbors.descent import Tree

        low, high = ends[..., 0], ends[..., 1]
        levels: list[np.ndarray] = []
        while not levels or len(low) > 1:
            low, high = in_tiles(low, np.inf), in_tiles(high, -np.inf)
            levels.append(np.concatenate([low, high], axis=1))
            low, high = low.min(axis=2), high.max(axis=2)
        starts = np.cumsum([0, *map(len, levels)])
        return Tree(tiles, rows, starts, np.concatenate(levels), np.empty((0, 0, 0)), np.empty((0, 0)))


def in_tiles(values, filling):
    """What each child has, (n, d), as tiles of children, float64 (n_nodes, d, TILE), filled up."""
    from openbook.neighbors.tiles import TILE

    n, d = values.shape
    filled = np.full((-(-n // TILE) * TILE, d), filling)
    filled[:n] = values
    return np.ascontiguousarray(filled.reshape(-1, TILE, d).transpose(0, 2, 1))
