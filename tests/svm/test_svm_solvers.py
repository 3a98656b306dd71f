"""The solvers: hand examples, optimality conditions, kernels against their twins, caps and interrupts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook.errors import DataError, ParameterError
from openbook.svm import newton, smo
from openbook.svm.exponential import exponentials
from openbook.svm.kernels import Kernel, Linear, Own, PolynomialKernel, RadialKernel, add_scores
from openbook.svm.newton import solve_linear
from openbook.svm.problem import CAPPED, CONVERGED, INTERRUPTED, Problem, slopes
from openbook.svm.smo import pair_steps, solve_dual
from openbook.svm.solve import solve_hard, solve_machine


def classes(t, C=1.0):
    """The problem of classes ±1 with the hinge."""
    t = np.asarray(t, dtype=float)
    return Problem(t, np.minimum(0, C * t), np.maximum(0, C * t), np.zeros(len(t)))


def squared(t, C=1.0):
    t = np.asarray(t, dtype=float)
    return Problem(t, np.where(t < 0, -np.inf, 0), np.where(t > 0, np.inf, 0), np.full(len(t), 0.5 / C))


def numbers(t, C=1.0, epsilon=0.1):
    t = np.asarray(t, dtype=float)
    return Problem(t, np.full(len(t), -C), np.full(len(t), C), np.zeros(len(t)), epsilon)


def clouds(rows, columns, seed=0, apart=1.0):
    rng = np.random.default_rng(seed)
    t = np.where(rng.random(rows) < 0.5, 1.0, -1.0)
    return rng.normal(size=(rows, columns)) + apart * t[:, None] / np.sqrt(columns), t


def check_optimal(X, kernel, problem, found, tol=1e-3):
    """Bounds, balance, no violation beyond tol, and a gap that is what primal and dual say."""
    K = kernel.matrix(X, X)
    gradient = K @ found.beta + problem.ridge * found.beta - problem.t
    assert (found.beta >= problem.lo).all()
    assert (found.beta <= problem.hi).all()
    assert abs(found.beta.sum()) < 1e-9 * np.abs(found.beta).sum() + 1e-12
    up, down = slopes(problem, found.beta, gradient)
    assert up.max() - down.min() <= tol
    f = K @ found.beta + found.bias
    square = found.beta @ K @ found.beta
    r = np.abs(problem.t - f) - problem.epsilon
    if problem.ridge.any():
        wrong = np.maximum(0, 1 - problem.t * f)
        loss = (wrong**2 / (2 * problem.ridge)).sum()
    elif problem.epsilon:
        loss = (problem.hi * np.maximum(r, 0)).sum()
    else:
        loss = ((problem.hi - problem.lo) * np.maximum(0, 1 - problem.t * f)).sum()
    dual = problem.t @ found.beta - problem.epsilon * np.abs(found.beta).sum()
    dual -= 0.5 * square + 0.5 * (problem.ridge * found.beta**2).sum()
    assert found.primal == pytest.approx(0.5 * square + loss, rel=1e-9)
    assert found.gap == pytest.approx(max(0.5 * square + loss - dual, 0), abs=1e-8 * found.primal)


# -- by hand


def test_two_points():
    """w = (1/2, 1/2): the points are √8 apart, and so wide is the margin, 2 / |w|."""
    X = np.array([[0.0, 0.0], [2.0, 2.0]])
    found = solve_dual(X, Linear(), classes([-1, 1], 10.0), 1e-3, 10)
    assert found.beta.tolist() == [-0.25, 0.25]
    assert (found.beta @ X).tolist() == [0.5, 0.5]
    assert found.bias == -1.0
    assert found.primal == 0.25
    assert found.gap == 0.0
    assert found.state == CONVERGED


def test_two_points_with_little_to_spend():
    """With C = 0.1 both multipliers stop there: w = (0.2, 0.2), and the slack of each is 1 - 0.4."""
    found = solve_dual(np.array([[0.0, 0.0], [2.0, 2.0]]), Linear(), classes([-1, 1], 0.1), 1e-3, 10)
    assert found.beta.tolist() == [-0.1, 0.1]
    assert found.primal == pytest.approx(0.5 * 0.08 + 0.1 * 2 * 0.6)
    assert found.gap == pytest.approx(0.0, abs=1e-15)


def test_exclusive_or_under_a_quadratic_kernel():
    """(x · z + 1)²: every row is on the margin with alpha = 1/8, and f = -x1 x2."""
    X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    kernel = PolynomialKernel(2, 1.0, 1.0)
    found = solve_dual(X, kernel, classes([-1, 1, 1, -1], 10.0), 1e-3, 100)
    assert found.beta == pytest.approx([-0.125, 0.125, 0.125, -0.125], rel=1e-12)
    assert found.bias == pytest.approx(0.0, abs=1e-12)
    assert kernel.matrix(np.array([[0.5, 3.0]]), X) @ found.beta == pytest.approx([-1.5])


@pytest.mark.parametrize("find", [lambda *a: solve_dual(a[0], Linear(), *a[1:]), solve_linear])
def test_a_tube_by_hand(find):
    """A tube of half-width 1/2 about 0, 1, 2, 3 is entered with the least slope, 2/3."""
    X = np.arange(4.0)[:, None]
    found = find(X, numbers([0, 1, 2, 3], 100.0, 0.5), 1e-3, 1000)
    assert found.beta @ X == pytest.approx([2 / 3], rel=1e-9)
    assert found.bias == pytest.approx(0.5, rel=1e-9)


def test_the_squared_hinge_by_hand():
    """Two points at ±1: w²/2 + 2 C (1 - w)² is least at w = 4C / (1 + 4C)."""
    X = np.array([[-1.0], [1.0]])
    for found in (
        solve_dual(X, Linear(), squared([-1, 1], 2.0), 1e-6, 100),
        solve_linear(X, squared([-1, 1], 2.0), 1e-3, 100),
    ):
        assert found.beta @ X == pytest.approx([8 / 9])
        assert found.primal == pytest.approx(0.5 * (8 / 9) ** 2 + 4 * (1 / 9) ** 2)


# -- laws


KERNELS = [
    Linear(),
    PolynomialKernel(3, 0.5, 1.0),
    RadialKernel(0.3),
    Own(lambda A, B: np.tanh(1 + A @ B.T / 50)),
]


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("make", [classes, squared, numbers])
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_the_solution_is_optimal(kernel, make, C):
    X, t = clouds(120, 4)
    problem = make(t if make is not numbers else X[:, 0] + np.sin(3 * X[:, 1]), C)
    found = solve_dual(X, kernel, problem, 1e-3, 1000)
    assert found.state == CONVERGED
    check_optimal(X, kernel, problem, found, tol=1e-8)
    assert found.gap <= 1e-8 * found.primal


@pytest.mark.parametrize("make", [classes, squared, numbers])
def test_working_sets_find_what_one_set_finds(make, monkeypatch):
    X, t = clouds(400, 3, seed=1)
    problem = make(t if make is not numbers else X[:, 0] ** 2)
    whole = solve_dual(X, RadialKernel(0.3), problem, 1e-4, 1000)
    monkeypatch.setattr(smo, "WORKING", 32)
    parts = solve_dual(X, RadialKernel(0.3), problem, 1e-4, 1000)
    assert parts.sweeps > 5
    check_optimal(X, RadialKernel(0.3), problem, parts, tol=1e-4)
    assert parts.primal == pytest.approx(whole.primal, rel=1e-5)
    K = RadialKernel(0.3).matrix(X, X)
    assert K @ parts.beta + parts.bias == pytest.approx(K @ whole.beta + whole.bias, abs=1e-3)


def test_working_sets_start_where_they_are_told(monkeypatch):
    monkeypatch.setattr(smo, "WORKING", 32)
    X, t = clouds(300, 3, seed=2)
    found = solve_dual(X, RadialKernel(0.3), classes(t), 1e-3, 1000)
    again = solve_dual(X, RadialKernel(0.3), classes(t), 1e-3, 1000, found.beta)
    assert again.sweeps == 0
    assert again.beta == pytest.approx(found.beta, abs=1e-9)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(4, 60),
    columns=st.integers(1, 5),
    C=st.sampled_from([0.01, 1.0, 100.0]),
    kind=st.sampled_from(["classes", "squared", "numbers"]),
    coarse=st.booleans(),
)
def test_newton_finds_what_pairs_find(seed, rows, columns, C, kind, coarse):
    X, t = clouds(rows, columns, seed)
    if coarse:  # ties, rows that are alike, and columns that hang together
        X = np.round(X)
        X[:, -1] = X[:, 0]
    t[:2] = 1.0, -1.0
    problem = {"classes": classes, "squared": squared, "numbers": numbers}[kind](t, C)
    pairs, steps = solve_dual(X, Linear(), problem, 1e-3, 1000), solve_linear(X, problem, 1e-3, 1000)
    assert pairs.state == steps.state == CONVERGED
    assert steps.primal == pytest.approx(pairs.primal, rel=1e-7, abs=1e-9)
    assert steps.gap <= 1e-6 * steps.primal + 1e-9
    w = steps.beta @ X if steps.w is None else steps.w
    assert w == pytest.approx(pairs.beta @ X, rel=1e-4, abs=1e-4)


def test_the_origin_does_not_matter():
    """Rows that have six digits in common are as well told apart as around the origin."""
    X, t = clouds(400, 3, seed=8)
    for kernel in (Linear(), RadialKernel(0.3)):
        for rows in (slice(0, 100), slice(0, 400)):
            near = solve_machine(X[rows], kernel, classes(t[rows]), 1e-3, 1000)
            far = solve_machine(X[rows] + 1e6, kernel, classes(t[rows]), 1e-3, 1000)
            assert far.primal == pytest.approx(near.primal, rel=1e-8)
            assert far.gap <= 1e-6 * far.primal
            if near.w is not None:
                assert far.w == pytest.approx(near.w, rel=1e-6)
                assert far.bias + 1e6 * far.w.sum() == pytest.approx(near.bias, abs=1e-4)


def test_a_rare_class_pulls_at_every_row():
    """Hundreds of rows are on the margin at once, where w is all but 0."""
    X, _ = clouds(3000, 5, seed=9)
    t = np.where(np.arange(3000) % 300, -1.0, 1.0)
    found = solve_machine(X, Linear(), classes(t), 1e-3, 1000)
    assert found.state == CONVERGED
    assert found.gap <= 1e-6 * found.primal


@pytest.mark.parametrize("make", [classes, squared])
def test_many_rows_start_from_few(make, monkeypatch):
    X, t = clouds(1500, 4, seed=3)
    exact = solve_linear(X, make(t), 1e-3, 1000)
    monkeypatch.setattr(newton, "_MANY", 100)
    rough = solve_linear(X, make(t), 1e-3, 1000)
    assert rough.state == CONVERGED
    assert rough.gap <= 1.01e-6 * rough.primal
    assert rough.primal == pytest.approx(exact.primal, rel=2e-6)


def test_pairs_go_as_the_textbook_says():
    """Each compiled step against plain Python: the same two rows, by the same amount."""
    X, t = clouds(30, 2, seed=4)
    K = RadialKernel(0.5).matrix(X, X)
    for problem in (classes(t), numbers(X[:, 0], 1.0, 0.2)):
        beta, gradient = np.zeros(30), -problem.t.copy()
        for _ in range(20):
            expected = plain_step(K.tolist(), problem, beta.tolist(), gradient.tolist())
            assert pair_steps(K, problem.lo, problem.hi, problem.epsilon, 1e-9, 1, beta, gradient) == 1
            assert beta == pytest.approx(expected, rel=1e-12, abs=1e-14)
            assert gradient == pytest.approx(K @ beta - problem.t, abs=1e-12)


def plain_step(K, problem, beta, gradient):
    lo, hi, epsilon = problem.lo.tolist(), problem.hi.tolist(), problem.epsilon
    rows = range(len(beta))
    up = {i: -gradient[i] - (epsilon if beta[i] >= 0 else -epsilon) for i in rows if beta[i] < hi[i]}
    down = {i: -gradient[i] - (epsilon if beta[i] > 0 else -epsilon) for i in rows if beta[i] > lo[i]}
    i = max(up, key=up.get)
    bend = {j: K[i][i] + K[j][j] - 2 * K[i][j] for j in down}
    j = max((j for j in down if down[j] < up[i]), key=lambda j: (up[i] - down[j]) ** 2 / bend[j])
    by = min((up[i] - down[j]) / bend[j], hi[i] - beta[i], beta[j] - lo[j])
    if epsilon and beta[i] < 0:
        by = min(by, -beta[i])
    if epsilon and beta[j] > 0:
        by = min(by, beta[j])
    return [b + by * (k == i) - by * (k == j) for k, b in enumerate(beta)]


# -- kernels


def test_exponentials():
    numbers = -np.random.default_rng(0).exponential(20, (50, 40))
    numbers[0, :4] = 0.0, -708.0, -1e5, 1e-13
    expected = np.exp(np.maximum(np.minimum(numbers, 0), -708))
    allowed = 1e-15 + 1e-16 * np.minimum(np.abs(numbers), 708)
    exponentials(numbers)
    assert (np.abs(numbers / expected - 1) <= allowed).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_scores_are_sums_over_the_kernel_matrix(kernel, monkeypatch):
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(300, 3)), rng.normal(size=(1100, 3))
    for coef in (rng.normal(size=1100), rng.normal(size=(1100, 2))):
        scores = np.ones((300, *coef.shape[1:]))
        for many in (1, 1 << 30):  # by the compiled exponential, and by NumPy's
            monkeypatch.setattr("openbook.svm.kernels._MANY", many)
            out = scores.copy()
            add_scores(kernel, kernel.left(X), kernel.right(Z), coef, out)
            assert out == pytest.approx(1 + kernel.matrix(X, Z) @ coef, rel=1e-12, abs=1e-12)


def test_kernels_by_hand():
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    assert Linear().matrix(x, z).tolist() == [[1.0]]
    assert PolynomialKernel(3, 0.5, 1.5).matrix(x, z).tolist() == [[8.0]]
    assert RadialKernel(0.1).matrix(x, z)[0, 0] == pytest.approx(math.exp(-0.1 * 13), rel=1e-15)
    for kernel in KERNELS:
        assert kernel.diagonal(np.vstack([x, z])) == pytest.approx(
            np.diag(kernel.matrix(np.vstack([x, z]), np.vstack([x, z])))
        )
    assert isinstance(Linear(), Kernel)


def test_a_row_far_away_is_near_to_none():
    far = RadialKernel(1.0).matrix(np.array([[1e200, -1e200]]), np.zeros((2, 2)))
    assert far.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda A, B: A @ A.T,
            r"gave an array of shape \(2, 2\) for 2 and 3 rows; it must give finite numbers",
        ),
        (lambda A, B: np.full((2, 3), np.nan), r"gave values not finite for 2 and 3 rows"),
    ],
)
def test_an_own_kernel_is_held_to_its_word(function, message):
    with pytest.raises(ParameterError, match=message):
        Own(function).matrix(np.ones((2, 1)), np.ones((3, 1)))


# -- the hard margin


def test_the_hard_margin_needs_room():
    X, t = clouds(40, 2, seed=5, apart=6.0)
    problem = classes(t, math.inf)
    found = solve_hard(X, Linear(), problem, 1e-3, 1000, np.arange(40))
    f = X @ (found.beta @ X) + found.bias
    assert (t * f).min() == pytest.approx(1.0, rel=1e-9)
    soft = solve_dual(X, Linear(), classes(t, 1e3), 1e-3, 1000)
    assert found.beta @ X == pytest.approx(soft.beta @ X, rel=1e-9)


def test_tiny_margins_are_hard_too():
    """Gaps of 1/1000 make multipliers of a million: beyond the first bound that is tried."""
    X = np.array([[0.0], [0.5], [0.501], [1.0]])
    found = solve_hard(X, Linear(), classes([-1, -1, 1, 1], math.inf), 1e-3, 1000, np.arange(4))
    assert found.beta @ X == pytest.approx([2000.0], rel=1e-6)


@pytest.mark.parametrize("kernel", [Linear(), PolynomialKernel(2, 1.0, 0.0)])
def test_rows_in_the_way_are_named(kernel):
    X, t = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), [-1, 1, -1, 1, 1]
    with pytest.raises(
        DataError, match=rf"no {kernel.name} machine separates these classes, .* on the wrong side; use"
    ):
        solve_hard(X, kernel, classes(t, math.inf), 1e-3, 100, np.arange(10, 15))


# -- caps and interrupts


def test_the_cap_leaves_a_usable_solution(monkeypatch):
    X, t = clouds(600, 5, seed=6)
    monkeypatch.setattr(smo, "WORKING", 32)
    for found in (
        solve_dual(X, RadialKernel(0.2), classes(t), 1e-3, 3),
        solve_machine(X, Linear(), classes(t), 1e-3, 3),
    ):
        assert found.state == CAPPED
        assert found.sweeps == 3
        assert (found.beta * t >= 0).all()
        assert found.beta.sum() == pytest.approx(0, abs=1e-9)
        best = (
            solve_dual(X, RadialKernel(0.2), classes(t), 1e-3, 1000)
            if found.w is None
            else solve_machine(X, Linear(), classes(t), 1e-3, 1000)
        ).primal
        assert best <= found.primal <= (best + found.gap) * (1 + 1e-9)
        f = (
            X @ found.w + found.bias
            if found.w is not None
            else RadialKernel(0.2).matrix(X, X) @ found.beta + found.bias
        )
        assert (np.sign(f) == t).mean() > 0.6


def interrupting(function, after):
    """The function, with Ctrl-C pressed during a call."""
    calls = []

    def called(*args, **options):
        calls.append(1)
        if len(calls) == after:
            raise KeyboardInterrupt
        return function(*args, **options)

    return called


def test_an_interrupt_leaves_a_usable_solution(monkeypatch):
    X, t = clouds(600, 5, seed=7)
    kernel = RadialKernel(0.2)
    monkeypatch.setattr(smo, "pair_steps", interrupting(pair_steps, 1))
    found = solve_dual(X, kernel, classes(t), 1e-3, 1000)  # one set
    assert found.state == INTERRUPTED
    monkeypatch.setattr(smo, "WORKING", 32)
    # the fifth pass over the rows: within a sweep, after its multipliers were found
    monkeypatch.setattr(smo, "add_scores", interrupting(add_scores, 5))
    monkeypatch.setattr(smo, "pair_steps", pair_steps)
    found = solve_dual(X, kernel, classes(t), 1e-3, 1000)
    assert found.state == INTERRUPTED
    assert found.sweeps < 10
    check_optimal(X, kernel, classes(t), found, tol=np.inf)  # gap and constant belong to these multipliers
    monkeypatch.setattr(newton, "_curvature", interrupting(newton._curvature, 4))
    found = solve_linear(X, classes(t), 1e-3, 1000)
    assert found.state == INTERRUPTED
    assert found.beta.sum() == pytest.approx(0, abs=1e-9)
    assert (np.sign(X @ found.w + found.bias) == t).mean() > 0.7
