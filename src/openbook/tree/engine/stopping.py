"""When the best split of a node is not made after all; kernels.

    by chance    chi-squared of branches and classes, sum (n - e)^2 / e, is no more than its critical value
    in vain      errors + penalty per leaf of the branches are no fewer than of one leaf

stats : float64 (n_branches, n_classes), the weight of each class; missing cells are where they were sent
"""

from openbook.kernels.jit import inner


@inner
def is_chance(stats, columns, critical):
    """Whether the branches' classes differ no more than chance would have it (chi-squared).

    stats : float64 (n_branches, n_classes); columns : float64 (n_classes,), room for their sums
    critical : by degrees of freedom; None for no test
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


@inner
def is_vain(totals, stats, penalty):
    """Whether the branches have no smaller pessimistic error (errors + penalty per leaf) than one leaf; with
    a penalty of None they are not asked.
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
