"""The readable twin of naive Bayes with EM: its first rounds, as one would calculate them by hand.

A round gives the first unlabelled rows the probabilities of their classes, by the products that
`openbook.bayes.derive` writes out, and then counts: labelled rows as a whole, unlabelled ones in each class
by these probabilities.
"""

import math

from openbook.bayes.derive import derive_model, derive_row
from openbook.border.learner import class_statements
from openbook.label.assumptions import ASSUMPTIONS
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: What must hold for unlabelled rows to help.
ASSUMED = (
    f"Assumption: {ASSUMPTIONS['model']}. Where they do not, unlabelled rows can hurt:"
    " compare with the model of the labelled rows alone."
)
#: Rows of a round whose products are written out.
_WRITTEN_OUT = 1


def derive_em(model) -> Work:
    """How the model was learnt: the labelled rows, the first rounds by hand, how the objective rose."""
    first = model._at_round(0)  # noqa: SLF001 (the twin of its family)
    parts = [
        Work("round 0: the labelled rows alone", derive_model(first).parts),
        *(_round(model, t) for t in range(1, len(model.rounds_))),
        _trace(model),
    ]
    if model.n_iter_ > len(model.rounds_):
        parts.append(Work(f"round {model.n_iter_ - 1}, the last", derive_model(model).parts))
    if model.n_unlabelled_ == 0:
        parts, end = parts[:1], "No row is unlabelled, so this is naive Bayes."
    else:
        rest = "the objective came to rest" if model.converged_ else f"max_iter = {model.max_iter}"
        end = f"EM ended after {plural(model.n_iter_ - 1, 'round')}: {rest}. {ASSUMED}"
    end = f"{end} {'; '.join(model.notes_)}".rstrip()
    return Work(f"Naive Bayes with EM for {model.target_}: how it was fitted", tuple(parts), end)


def _round(model, t):
    """A round by hand: the classes of the first unlabelled rows, and the counts with them."""
    before, after = model._at_round(t - 1), model._at_round(t)  # noqa: SLF001 (the twin of its family)
    labels = class_statements(model)
    shown, shares = [], []
    table, weights = model._noted.table(model.schema_), model._noted.weights.tolist()  # noqa: SLF001
    for i in range(len(table)):
        row = derive_row(before, table.take([i]))
        found = [row[f"P({label} | x)"].result for label in labels]
        if None in found:  # no class can have such a row: the prior decides
            found = [row[f"P({label})"].result for label in labels]
        if model.assignment == "hard":
            found = [float(k == found.index(max(found))) for k in range(len(found))]
        shares.append(found)
        if i < _WRITTEN_OUT:
            shown.append(Work(f"unlabelled row {i}", row.parts))
    few = f"the first {len(shares)} of {model.n_unlabelled_:,}" if len(shares) < model.n_unlabelled_ else ""
    rows = [(i, *found) for i, found in enumerate(shares)]
    grid = Grid("classes of the unlabelled rows", ("row", *labels), rows, few)
    counted = [
        _count(model, label, c, [w * found[c] for w, found in zip(weights, shares, strict=True)], after)
        for c, label in enumerate(labels)
    ]
    estimates = derive_model(after).parts
    e_step = Work("E step: the classes of unlabelled rows", (*shown, grid))
    return Work(f"round {t}", (e_step, Work("M step: count again", (*counted, *estimates))))


def _count(model, label, c, shares, after):
    """The weight of a class: its labelled rows, and the shares of the unlabelled ones."""
    labelled = float(model.rounds_[0].classes[c])
    weight = figure(model.unlabelled_weight)
    formula = r"n_c + \lambda \sum_i r_{ic}"
    if len(shares) == model.n_unlabelled_:
        numbers = rf"{figure(labelled)} + {weight} \cdot ({' + '.join(figure(share) for share in shares)})"
        return Step(f"N({label})", formula, numbers, labelled + model.unlabelled_weight * math.fsum(shares))
    whole = float(after.statistics_.classes[c])
    numbers = rf"{figure(labelled)} + {figure(whole - labelled)}"
    return Step(f"N({label})", formula, numbers, whole, "the sum over all unlabelled rows")


def _trace(model):
    rows = list(zip(range(model.n_iter_), model.trace_.tolist(), model.objective_.tolist(), strict=True))
    few = rows if len(rows) <= 12 else [*rows[:10], *rows[-2:]]
    note = "objective: the log-likelihood plus the log of the prior that smoothing stands for"
    if model.assignment == "hard":
        note += "; an unlabelled row counts with its most probable class"
    return Grid("rounds", ("round", "log-likelihood", "objective"), few, note)
