"""The vote of a majority: in theory, and from a table of the rows that each member predicts correctly.

    error of n independent voters = sum over k > n / 2 of C(n, k) e^k (1 - e)^(n - k)

e is the error of one. With an even number of voters a tie is lost half of the time, so k = n / 2 counts half.
"""

import math
from dataclasses import dataclass

import numpy as np

from openbook.border.rules import Whole, check_value
from openbook.ensemble.members import shortened
from openbook.errors import DataError, ParameterError
from openbook.words.numbers import figure
from openbook.work import Step, Work


@dataclass(frozen=True)
class IndependentVote:
    """The majority vote of members that err independently of each other (Condorcet's jury).

    Parameters
    ----------
    n : int
        The number of members.
    member_error : float
        The error of each.

    Attributes
    ----------
    majority : int
        How many votes decide.
    terms : dict of int to float
        How probable it is that k votes are wrong and that this decides, by k.
    error : float
        How probable it is that the vote is wrong.

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> print(IndependentVote(3, 0.2).work())
    3 independent votes of error 0.2
    ════════════════════════════════
      votes that decide = ⌊n/2⌋ + 1 = ⌊3/2⌋ + 1 = 2
    <BLANKLINE>
      the number of wrong votes
        k  probability
        ─  ───────────
        2        0.096
        3        0.008
    <BLANKLINE>
      error of the vote = Σ_(k > n/2) C(n, k) eᵏ (1 - e)ⁿ⁻ᵏ = 0.104
    <BLANKLINE>
      ∴ The vote errs less than a member.
    """

    n: int
    member_error: float

    def __post_init__(self):
        check_value("n", self.n, Whole(at_least=1))
        if not 0 <= self.member_error <= 1:
            raise ParameterError(f"the error must be a number from 0 to 1, got {self.member_error!r}")

    @property
    def majority(self):
        """How many votes decide."""
        return self.n // 2 + 1

    @property
    def terms(self):
        """How probable it is that k votes are wrong and that this decides, by k."""
        from scipy.special import gammaln, xlog1py, xlogy

        n, e = self.n, self.member_error
        k = np.arange(math.ceil(n / 2), n + 1)
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)  # logarithms: C(5000, 2500) is no float
        chances = np.exp(ways + xlogy(k, e) + xlog1py(n - k, -e))
        return dict(zip(k.tolist(), np.where(2 * k == n, chances / 2, chances).tolist(), strict=True))

    @property
    def error(self):
        """How probable it is that the vote is wrong."""
        return math.fsum(self.terms.values())

    def work(self):
        """How the error follows.

        Returns
        -------
        Work
        """
        n, error = self.n, self.error
        parts = (
            Step.of("votes that decide", r"\lfloor n / 2 \rfloor + 1", {"n": n}, self.majority),
            shortened("the number of wrong votes", ["k", "probability"], list(self.terms.items())),
            Step(
                "error of the vote",
                r"\sum_{k > n / 2} \binom{n}{k} e^k (1 - e)^{n - k}",
                result=error,
                note="" if n % 2 else "a tie is lost half of the time",
            ),
        )
        if math.isclose(error, self.member_error):
            end = "The vote errs as often as a member."
        else:
            end = f"The vote errs {'less' if error < self.member_error else 'more'} than a member."
        return Work(f"{n} independent votes of error {figure(self.member_error)}", parts, end)


def independent_vote_error(n, error):
    """The error of the majority vote of n members that err independently.

    Parameters
    ----------
    n : int
        The number of members.
    error : float
        The error of each.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> round(independent_vote_error(25, 0.35), 2)
    0.06
    """
    return IndependentVote(n, error).error


def majority_right(correct):
    """Which rows the majority of members gets right; a tie is not enough.

    Parameters
    ----------
    correct : array-like of shape (n_members, n_rows)
        1 if a member is right, 0 if it is wrong.

    Returns
    -------
    ndarray of bool of shape (n_rows,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> majority_right([[1, 1, 0], [0, 1, 1], [1, 0, 0]]).tolist()
    [True, True, False]
    """
    correct = np.asarray(correct)
    if correct.ndim != 2 or not np.isin(correct, [0, 1]).all():
        raise DataError("correct must be a table of 0 and 1 with one row per member")
    return 2 * correct.sum(axis=0) > len(correct)
