"""Where the rows of a table lie, for groups: encoded as numbers, or as they are under a mixed distance.

A missing cell counts as the mean of its column in Euclidean distances. In mixed ones a gap is a value of its
own: equal to another gap, and as far as can be from anything known.
"""

from dataclasses import dataclass

import numpy as np

from openbook.border.rows import infinite_cell
from openbook.data import Nominal, Numeric
from openbook.fold import each
from openbook.prepare import Encoding
from openbook.spaces.mixed import MixedDistance
from openbook.spaces.points import Points
from openbook.spaces.rows import StoredRows

__all__ = ["DISTANCES", "Coordinates", "whole"]

DISTANCES = ("auto", "euclidean", "gower", "heom")

#: A number that stands for a missing one: farther than any range from the others.
_GAP = 1e300


def whole(rows):
    """All rows as one table in memory."""
    return StoredRows.joined(each(rows.pieces, StoredRows.of)).table(rows.schema)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Where the rows of a table lie: encoded as numbers, or as they are under a mixed distance."""

    distance: str
    encoding: Encoding | None = None
    mixed: MixedDistance | None = None

    @classmethod
    def of(cls, rows, distance, *, scale):
        """The place of these rows; "auto" is Euclidean for numbers alone, and Gower's distance otherwise."""
        if distance == "auto":
            distance = "euclidean" if rows.schema.of(Numeric) == rows.schema.names else "gower"
        if distance == "euclidean":
            return cls(distance, encoding=Encoding.of(rows, scale=scale))
        mixed = MixedDistance.of(whole(rows), distance)
        if np.isinf(mixed.ranges).any():
            raise infinite_cell(rows)
        return cls(distance, mixed=mixed)

    def cells(self, table):
        """Rows as numbers, (n, p), and codes, (n, q)."""
        if self.encoding is not None:
            return self.encoding(table), np.zeros((len(table), 0), np.int32)
        assert self.mixed is not None
        numbers, codes = self.mixed.split(table)
        return np.where(np.isfinite(numbers), numbers, _GAP), codes

    def points(self, numbers, codes, order=None):
        """The points of such cells."""
        kind = ("euclidean", "gower", "heom").index(self.distance)
        inverse = np.zeros(numbers.shape[1]) if self.mixed is None else self.mixed.scales[0]
        return Points.of(numbers, codes, inverse, kind, order)

    def arrays(self):
        """The place as arrays, for the model file; which distance it is, the array's names say."""
        if self.encoding is not None:
            return {f"encoding_{name}": array for name, array in self.encoding.arrays().items()}
        assert self.mixed is not None
        return {f"{self.distance}_ranges": self.mixed.ranges}

    @classmethod
    def from_arrays(cls, schema, arrays):
        """The place behind `arrays`; raises KeyError or ValueError where they do not fit the schema."""
        for distance in ("gower", "heom"):
            if (ranges := arrays.get(f"{distance}_ranges")) is not None:
                known = np.array([not isinstance(a, Nominal) for a in schema])
                if ranges.dtype != np.float64 or ranges.shape != known.shape:
                    msg = f"ranges are {ranges.dtype}{ranges.shape}, expected float64{known.shape}"
                    raise ValueError(msg)
                if not (np.isfinite(ranges[known]) & (ranges[known] >= 0)).all():
                    msg = "ranges must be finite and not negative"
                    raise ValueError(msg)
                return cls(distance, mixed=MixedDistance(schema, ranges, distance))
        prefix = "encoding_"
        own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
        return cls("euclidean", encoding=Encoding.from_arrays(schema, own))

    def checked_cells(self, arrays):
        """The cells of a model file; raises KeyError or ValueError where they do not fit the place."""
        numbers, codes = arrays["numbers"], arrays["codes"]
        if self.encoding is not None:
            p, limits = len(self.encoding), []
        else:
            assert self.mixed is not None
            p, limits = _widths(self.mixed.schema)
        n = len(numbers)
        if numbers.dtype != np.float64 or numbers.shape != (n, p) or not n:
            msg = f"numbers are {numbers.dtype}{numbers.shape}, expected rows of {p} columns"
            raise ValueError(msg)
        if codes.dtype != np.int32 or codes.shape != (n, len(limits)):
            msg = f"codes are {codes.dtype}{codes.shape}, expected int32{(n, len(limits))}"
            raise ValueError(msg)
        if (
            not np.isfinite(numbers).all()
            or not ((codes >= -1) & (codes < np.array(limits, dtype=np.int64))).all()
        ):
            msg = "a number or a code of its rows is out of range"
            raise ValueError(msg)
        return numbers, codes


def _widths(schema):
    """How many columns become numbers, and how many values each of the others has."""
    limits = [len(a.values) for a in schema if isinstance(a, Nominal)]
    return len(schema) - len(limits), limits
