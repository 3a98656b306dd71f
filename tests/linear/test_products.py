"""The kernels of products beside NumPy, and what is added up by them beside what is added up without."""

import numpy as np
import pytest

from openbook import read
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.linear import joint_scatter
from openbook.linear.design import RawColumns
from openbook.linear.joint_scatter import JointScatter
from openbook.linear.products import add_products, products_of_rows

RNG = np.random.default_rng(7)


def test_products_of_some_rows():
    z = RNG.normal(size=(8, 50))
    total = np.ones((8, 8))
    add_products(z, 10, 33, total)
    own = z[:, 10:33]
    assert np.triu(total) == pytest.approx(np.triu(1 + own @ own.T))


@pytest.mark.parametrize(
    ("n", "d", "targets"), [(1, 1, 1), (100, 5, 2), (37, 14, 1), (64, 6, 1), (200, 62, 1), (130, 15, 3)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_rows_as_they_lie(n, d, targets, dtype):
    x, y, roots = RNG.normal(size=(n, d)).astype(dtype), RNG.normal(size=(n, targets)), RNG.uniform(0.5, 2, n)
    shift, middle = RNG.normal(size=d), RNG.normal(size=targets)
    total = products_of_rows(x, y, roots, shift, middle)
    whole = np.column_stack([x - shift, y - middle, np.ones(n)]) * roots[:, None]
    used = d + targets + 1
    assert np.triu(total[:used, :used]) == pytest.approx(np.triu(whole.T @ whole), rel=1e-12, abs=1e-12)


def tables():
    x = RNG.normal(3, 2, size=(20_000, 3))
    gappy = x.copy()
    gappy[5000:5010, 1] = gappy[12_000, 0] = np.nan
    mixed = Schema((Numeric("a"), Nominal("b", ("x", "y")), Numeric("c")))
    return {
        "rows": read(x),
        "columns": read(np.asfortranarray(x)),
        "gaps": read(gappy),
        "gaps in columns": read(np.asfortranarray(gappy)),
        "single precision": read(gappy.astype(np.float32)),
        "mixed": Table(mixed, [gappy[:, 0], RNG.integers(-1, 2, 20_000), gappy[:, 1]]),
    }


@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_change_nothing(weighted, monkeypatch):
    y = RNG.normal(size=(20_000, 2))
    w = RNG.uniform(0.5, 2, 20_000) if weighted else np.ones(20_000)
    for name, X in tables().items():
        columns = RawColumns(X.schema)
        monkeypatch.setattr(joint_scatter, "MANY", np.inf)
        plain = JointScatter.of(columns, X, y, w)
        monkeypatch.setattr(joint_scatter, "MANY", 0)
        fast = JointScatter.of(columns, X, y, w)
        assert fast.mean == pytest.approx(plain.mean, rel=1e-10, abs=1e-12), name
        assert fast.known == pytest.approx(plain.known, rel=1e-12), name
        scale = np.sqrt(np.diag(plain.scatter))
        assert (np.abs(fast.scatter - plain.scatter) <= 1e-10 * np.outer(scale, scale)).all(), name
