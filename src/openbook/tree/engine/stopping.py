"""Stopping rules that reject the best split of a node; kernels.

    chi-squared     sum (n - e)^2 / e over branches and classes is not above its critical value
    pessimistic     errors + penalty per leaf are not lower for the branches than for one leaf

stats : float64 (n_branches, n_classes), the weight of each class, missing cells included in their branch
"""

from openbook.kernels.jit import exact


@exact
def fails_chi_squared(stats, columns, critical):
    """Whether the classes of the branches differ no more than by chance (chi-squared test).

    stats : float64 (n_branches, n_classes); columns : float64 (n_classes,), a buffer for the sums of columns
    critical : by degrees of freedom; None: no test
    """
    if critical is None:
        return False
    total, statistic, filled_rows, filled_columns = 0.0, 0.0, 0, 0
    for c in range(stats.shape[1]):
        columns[c] = 0.0
        for b in range(stats.shape[0]):
            columns[c] += stats[b, c]
        total += columns[c]
        filled_columns += 1 if columns[c] > 0 else 0
    for b in range(stats.shape[0]):
        row = 0.0
        for c in range(stats.shape[1]):
            row += stats[b, c]
        filled_rows += 1 if row > 0 else 0
        for c in range(stats.shape[1]):
            expected = row * columns[c] / total
            if expected > 0:
                off = stats[b, c] - expected
                statistic += off * off / expected
    return statistic <= critical[(filled_rows - 1) * (filled_columns - 1)]


@exact
def fails_pessimistic(totals, stats, penalty):
    """Whether the pessimistic error (errors + penalty per leaf) is not lower for the branches than for one
    leaf;
    penalty : None: no test.
    """
    if penalty is None:
        return False
    most, weight = 0.0, 0.0
    for c in range(totals.size):
        most, weight = max(most, totals[c]), weight + totals[c]
    leaf, branches = weight - most + penalty, 0.0
    for b in range(stats.shape[0]):
        most, weight = 0.0, 0.0
        for c in range(totals.size):
            most, weight = max(most, stats[b, c]), weight + stats[b, c]
        if weight > 0:
            branches += weight - most + penalty
    return branches >= leaf
