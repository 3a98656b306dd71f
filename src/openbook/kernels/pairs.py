"""The kernel that multiplies every pair of columns of some rows."""

from openbook.kernels.jit import jit


@jit
def fill_pairs(x, out):
    """Set row after row of `out`, (F, n), to 1, the columns x, (d, n), and x_i x_j for i <= j."""
    d, n = x.shape
    one = out[0]
    for r in range(n):
        one[r] = 1.0
    f = 1
    for i in range(d):
        a, to = x[i], out[f]
        for r in range(n):
            to[r] = a[r]
        f += 1
    for i in range(d):
        a = x[i]
        for j in range(i, d):
            b, to = x[j], out[f]
            for r in range(n):
                to[r] = a[r] * b[r]
            f += 1
