r"""Training: batches of rows in a drawn order, epoch after epoch, until the loss stands still.

    objective = weighted mean loss of the rows + ½ α Σ w² / n,    n the rows of a batch

An epoch's loss is that of its rows as they were met, before the update that each batch makes. With early
stopping some rows are held out; training ends when their loss has not fallen for `n_iter_no_change` epochs,
and the weights of the best epoch are kept. Without, it ends when the loss itself has not fallen by `tol`,
relative to the best so far, for as many epochs. Under "adaptive", the step is divided by 5 instead, until it
is tiny. An interrupt ends it too, and leaves the weights as they are. Under "lbfgs" an epoch is an iteration
on all rows, none are held out, and training ends when no slope of the objective is above `tol`.

X : float (n_rows, d)    targets : as the Output takes them    w : float (n_rows,) of mean 1, or None
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from openbook.errors import ParameterError
from openbook.linear.solvers import lbfgs
from openbook.neural.integration import INTEGRATIONS
from openbook.neural.network import Parameters, Passes
from openbook.neural.optimisers import SCHEDULES, SLOWER, SLOWEST, optimiser_for

#: By default, up to this many rows are one batch; and the rows of a batch where there are more.
WHOLE, USUAL = 1000, 128
#: Inputs of which a smaller share is not 0 are multiplied as a sparse array.
SPARSE = 0.05
#: Weights after every update are kept where they are no more numbers than these.
TRACED = 2000


class TrainingRows(NamedTuple):
    """Encoded rows, their targets, and their weights, of mean 1, or None."""

    X: np.ndarray
    targets: np.ndarray
    w: np.ndarray | None = None


class Settings(NamedTuple):
    """How to train; see `MLPClassifier` for each."""

    solver: str
    learning_rate_init: float
    momentum: float
    nesterovs_momentum: bool
    learning_rate: str
    decay: float
    power_t: float
    batch_size: int | str
    max_iter: int
    tol: float
    n_iter_no_change: int
    alpha: float
    dropout: float
    early_stopping: bool
    validation_fraction: float
    fit_intercept: bool
    shuffle: bool


@dataclass
class History:
    """What training went through.

    loss : of each epoch
    validation : of the rows held out, after each epoch, where there are any
    trace, gradients : the parameters after each update, and the gradient that led there, where they are few
    best : the epoch whose weights were kept, from 1; 0 for those at the start
    ending : why it ended, in words
    """

    loss: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    trace: list[np.ndarray] = field(default_factory=list)
    gradients: list[np.ndarray] = field(default_factory=list)
    best: int = 0
    ending: str = ""
    interrupted: bool = False


class Stall:
    """Counts the epochs since the loss last fell by a share of `tol`."""

    def __init__(self, tol, patience):
        self.tol, self.patience = tol, patience
        self.least, self.epochs = np.inf, 0

    def goes_on(self, loss):
        """Note the loss of an epoch; whether training should go on."""
        fell = loss < self.least - self.tol * abs(self.least) if np.isfinite(self.least) else True
        self.epochs = 0 if fell else self.epochs + 1
        self.least = min(self.least, loss)
        return self.epochs < self.patience


class TrainingRun:
    """A network whose weights are these parameters, and the rows that it learns from.

    `random` is a RandomState, `who` the learner that errors name.
    """

    def __init__(self, network, parameters, rows, settings, random, who):
        self.network, self.parameters, self.rows = network, parameters, rows
        self.settings, self.random, self.who = settings, random, who
        n = len(rows.X)
        whole = settings.solver == "lbfgs"
        if whole and settings.dropout:
            raise ParameterError(f"{who}: dropout needs solver='adam' or 'sgd'; leave it out for 'lbfgs'")
        share = settings.validation_fraction if settings.early_stopping and not whole else None
        self.learnt, self.held = _split(n, share, random, who)
        usual = len(self.learnt) if len(self.learnt) <= WHOLE else USUAL
        asked = usual if isinstance(settings.batch_size, str) else settings.batch_size
        self.size = len(self.learnt) if whole else min(asked, len(self.learnt))
        # rows that come as they are, or all at once, need not be fetched
        self.in_order = len(self.held) == 0 and (not settings.shuffle or self.size == n)
        if self.in_order and self.size == n and network.integrations[0] is INTEGRATIONS["sum"]:
            self.rows = rows._replace(X=_sparse(rows.X))
        self.buffer = np.empty((0 if self.in_order else self.size, rows.X.shape[1]), rows.X.dtype)
        how = {"bias": settings.fit_intercept, "dropout": settings.dropout, "random": random}
        self.passes = Passes(network, self.size, **how)
        self.optimiser = optimiser_for(parameters, settings)
        updates = settings.max_iter * -(-len(self.learnt) // self.size)
        self.traced = len(parameters.vector) * updates <= TRACED
        self.history = History()

    def run(self):
        """Train until it ends; returns the History."""
        settings, history = self.settings, self.history
        if settings.solver == "lbfgs":
            return self._quasi_newton()
        stall, best = Stall(settings.tol, settings.n_iter_no_change), None
        rate = settings.learning_rate_init
        history.ending = f"{settings.max_iter} epochs were requested"
        try:
            for epoch in range(settings.max_iter):
                schedule = SCHEDULES[settings.learning_rate]
                loss = self._epoch(rate * schedule(settings, epoch, len(self.learnt)))
                history.loss.append(loss)
                history.best = epoch + 1
                if len(self.held):
                    loss = self._held_out_loss()
                    history.validation.append(loss)
                    if loss == min(history.validation):
                        best = (epoch + 1, self.parameters.vector.copy())
                if not stall.goes_on(loss):
                    if settings.learning_rate == "adaptive" and rate > SLOWEST:
                        rate, stall.epochs = rate / SLOWER, 0
                        continue
                    whose = "of the held-out rows " if len(self.held) else ""
                    history.ending = f"the loss {whose}had not fallen for {settings.n_iter_no_change} epochs"
                    break
        except KeyboardInterrupt:
            history.interrupted = True
            history.ending = f"interrupted in epoch {len(history.loss) + 1} of {settings.max_iter}"
        if best is not None:
            history.best, self.parameters.vector[:] = best
        return history

    def _quasi_newton(self):
        """L-BFGS: each epoch a step on all rows, with a curvature estimated from the last gradients."""
        parameters, into = self.parameters, Parameters(self.parameters.sizes, self.parameters.vector.dtype)
        ((x, targets, w),) = self._batches(None)
        n, settings, history = len(self.learnt), self.settings, self.history

        def objective(vector):
            parameters.vector[:] = vector
            loss = self.passes.penalised_gradient(x, targets, into, parameters, settings.alpha, w)
            penalty = 0.5 * settings.alpha * float(parameters.penalised @ parameters.penalised)
            return (float(loss) + penalty) / n, into.vector.astype(float)

        limits = {"tol": settings.tol, "max_iter": settings.max_iter, "keep_gradients": False}
        try:
            parameters.vector[:], points, converged = lbfgs(objective, parameters.vector, **limits)
        except KeyboardInterrupt:
            history.interrupted, history.ending = True, "interrupted"
            return history
        history.loss, history.best = [float(point.value) for point in points[1:]], len(points) - 1
        asked = f"{settings.max_iter} epochs were requested"
        stuck = asked if len(points) > settings.max_iter else "no step lowered the loss any further"
        history.ending = f"no slope is above tol = {settings.tol:g}" if converged else stuck
        return history

    def _epoch(self, step):
        """Learn from every row once; returns the objective as it was met."""
        order = None if self.in_order else self.learnt
        if self.settings.shuffle and order is not None:
            order = self.random.permutation(order)
        total = 0.0
        for batch in self._batches(order):
            if self.traced and not self.settings.dropout:  # which would draw other units to be silent
                self.history.gradients.append(self._gradient(*batch))
            total += float(self.optimiser.learn(self.passes, *batch, step))
            if self.traced:
                self.history.trace.append(self.parameters.vector.copy())
        weights = self.parameters.penalised
        penalty = 0.5 * self.settings.alpha / self.size * float(weights @ weights)
        loss = total / len(self.learnt) + penalty
        if not (np.isfinite(loss) and np.isfinite(self.parameters.vector).all()):
            raise ParameterError(
                f"{self.who}: training diverged in epoch {len(self.history.loss) + 1};"
                f" take smaller steps: learning_rate_init={self.settings.learning_rate_init / 10:g}"
            )
        return loss

    def _gradient(self, x, targets, w):
        """The gradient of the objective of these rows, by all parameters."""
        into = Parameters(self.parameters.sizes, self.parameters.vector.dtype)
        self.passes.penalised_gradient(x, targets, into, self.parameters, self.settings.alpha, w)
        return into.vector

    def _batches(self, order):
        """The rows, targets and weights of each batch: views where they come in order, else in the buffer."""
        X, targets, w = self.rows
        n = len(self.learnt)
        for start in range(0, n, self.size):
            rows = slice(start, min(start + self.size, n))
            if order is None:
                x = X if self.size == n else X[rows]
            else:
                rows = order[rows]
                x = self.buffer[: len(rows)]
                np.take(X, rows, axis=0, out=x, mode="clip")  # "raise" would take them elsewhere first
            yield x, targets[rows], None if w is None else w[rows]

    def _held_out_loss(self):
        X, targets, w = self.rows
        losses, _ = self.network.output.errors(self.network.scores(X[self.held]), targets[self.held])
        return float(np.average(losses, weights=None if w is None else w[self.held]))


def _sparse(x):
    """The inputs as a sparse array, where hardly any is not 0."""
    return csr_array(x) if np.count_nonzero(x) < SPARSE * x.size else x


def _split(n, share, random, who):
    """The rows to learn from, and those held out."""
    if share is None:
        return np.arange(n), np.arange(0)
    if n < 2:
        msg = f"{who}: early_stopping needs rows to hold out, and there is only one; switch it off"
        raise ParameterError(msg)
    held = min(max(round(share * n), 1), n - 1)
    order = random.permutation(n)
    return np.sort(order[held:]), np.sort(order[:held])
