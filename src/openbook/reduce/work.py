"""The readable twins of projections: what the directions follow from, and the scores of a row as sums."""

import math
from itertools import repeat

import numpy as np

from openbook.text.columns import telling_words
from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work

#: The most columns of a matrix, components, and terms of a sum that are shown.
_SHOWN_COLUMNS, _SHOWN_COMPONENTS, _SHOWN_TERMS = 8, 6, 6

#: The columns of a component that are shown where they are many: those of the largest loadings.
_SHOWN_LOADINGS = 10


def derive_pca(model) -> Work:
    """Principal components: covariance matrix, eigenvalues, shares, loadings."""
    values = np.linalg.eigvalsh(model.covariance_)[::-1].clip(min=0.0).tolist()
    total = math.fsum(np.diag(model.covariance_).tolist())
    sums = np.cumsum(values) / (total or math.inf)
    notes = [f"{figure(share)} with those before" for share in sums.tolist()]
    steps = _shares("component", values[: model.n_components_], total, notes)
    rules = (
        Step("covariance", r"S = \frac{1}{N} \sum_i (x_i - m)(x_i - m)^\top", note=_divisor(model)),
        Step("components", r"S v_c = \lambda_c v_c", note="the largest λ first; each v has length 1"),
        Step("total variance", r"\sum_j S_{jj} = \sum_j \lambda_j", result=total),
    )
    parts = (
        model.encoding_.work(),
        *_rounds(model),
        Work("eigenvalue problem", rules),
        *_matrix(model.covariance_, model.encoding_.names),
        Work("explained variance", steps),
        _loadings(model, "component"),
    )
    explained = f"{model.explained_variance_ratio_.sum():.1%} of the variance"
    end = f"{model.n_components_} components explain {explained}."
    return Work("Principal components: how they were found", parts, end)


def _shares(word, values, total, notes):
    """The share of each eigenvalue in their total."""
    formula = r"\frac{\lambda_c}{\sum_j \lambda_j}"
    return tuple(
        Step(f"share of {word} {c}", formula, fraction(value, total), value / (total or math.inf), note)
        for c, (value, note) in enumerate(zip(values, notes, strict=False), start=1)
    )


def _divisor(model):
    rows = float(model.statistics_.weight[0])
    if model.variance == "sample":
        return f"divided by N - 1 = {figure(rows - 1)}"
    return f"N = {figure(rows)}"


def _rounds(model):
    """The rounds of EM, where there were any."""
    if len(model.trace_):
        rows = [[t + 1, value] for t, value in enumerate(model.trace_.tolist())]
        note = "missing cells replaced by their expected value given the other columns; in standard units"
        yield Grid("EM", ["round", "log-likelihood"], rows, note)


def _matrix(matrix, names):
    if len(names) <= _SHOWN_COLUMNS:
        rows = [[name, *row] for name, row in zip(names, matrix.tolist(), strict=True)]
        yield Grid("covariance", ["", *names], rows, "of the encoded columns")


def _loadings(model, word):
    n = min(model.n_components_, _SHOWN_COMPONENTS)
    loadings = zip(model.encoding_.names, model.components_[:n].T.tolist(), strict=True)
    rows = [[name, *row] for name, row in loadings]
    more = model.n_components_ - n
    note = "signs chosen so that the largest loading is positive" + (f"; {more} more {word}s" if more else "")
    return Grid("loadings", ["column", *(f"{word} {c + 1}" for c in range(n))], rows, note)


def derive_discriminant(model, discriminant: Work) -> Work:
    """The directions of a linear discriminant projection, after the discriminant it stands on."""
    rules = (
        Step("between", r"B = \sum_c P(c) (\mu_c - m)(\mu_c - m)^\top"),
        Step("directions", r"B v = \lambda S v, v^\top S v = 1", note="S is the covariance of all classes"),
    )
    total = math.fsum(model.criteria_.tolist()) / (math.fsum(model.explained_variance_ratio_.tolist()) or 1.0)
    steps = _shares("direction", model.criteria_.tolist(), total, repeat(""))
    parts = (*discriminant.parts, Work("directions", (*rules, *steps)), _loadings(model, "direction"))
    title = f"Linear discriminant projection for {model.target_}: how it was fitted"
    return Work(title, parts, discriminant.conclusion)


def derive_scores(model, x, title) -> Work:
    """The scores of an encoded row, each a sum over the columns."""
    gaps = (x - model.mean_).tolist()
    rows = list(zip(model.encoding_.names, x.tolist(), model.mean_.tolist(), gaps, strict=True))
    mean = getattr(model, "missing", "mean") == "mean"
    filled = "the mean" if mean else "its expected value given the others"
    grid = Grid("row", ["column", "x", "m", "x - m"], rows, f"a missing cell is replaced by {filled}")
    steps, scores = [], []
    for c, loadings in enumerate(model.components_.tolist()):
        pairs = list(zip(loadings, gaps, strict=True))
        score = math.fsum(v * gap for v, gap in pairs)
        terms = [f"{signed(v)} \\cdot {signed(gap)}" for v, gap in pairs]
        formula, numbers = r"\sum_j v_{cj} (x_j - m_j)", joined(terms, most=_SHOWN_TERMS)
        if getattr(model, "whiten", False):
            spread = math.sqrt(model.explained_variance_[c])
            formula, numbers = fraction(formula, r"\sqrt{\lambda_c}"), fraction(numbers, spread)
            score /= spread or 1.0
        scores.append(score)
        steps.append(Step(f"score {c + 1}", formula, numbers, score))
    return Work(f"{title}: one row", (grid, Work("scores", tuple(steps))), _scores(scores))


def _scores(scores):
    return f"The scores of the row: {', '.join(map(figure, scores))}."


def derive_svd(model) -> Work:
    """Singular values, what they explain, and the largest loadings of each component."""
    note = "the largest σ first; each v has length 1"
    rules = (
        Step("components", r"X^\top W X v_c = \sigma_c^2 v_c", note=note),
        Step("score", r"s_c = v_c^\top x", note="columns are not centred, so sparse ones stay sparse"),
    )
    encoding = [model.encoding_.work()] * (len(model.encoding_) > model.encoding_.sparse)
    figures = (model.singular_values_, model.explained_variance_, model.explained_variance_ratio_)
    rows = [(c, *row) for c, row in enumerate(np.column_stack(figures).tolist(), start=1)]
    head = ("component", "σ", "variance of the scores", "share")
    parts = [*encoding, Work("decomposition", rules), Grid("singular values", head, rows)]
    for c, loadings in enumerate(model.components_[:_SHOWN_COMPONENTS]):
        most = np.argsort(-np.abs(loadings), kind="stable")[:_SHOWN_LOADINGS].tolist()
        largest = [(model.encoding_.names[j], float(loadings[j])) for j in most if loadings[j]]
        more = len(loadings) - len(largest)
        note = f"the largest of {len(loadings):,}" if more else ""
        parts.append(Grid(f"component {c + 1}", ("column", "loading"), largest, note))
    n, explained = len(model.components_), f"{model.explained_variance_ratio_.sum():.1%} of the variance"
    end = f"{plural(n, 'component')} explain{'' if n > 1 else 's'} {explained}."
    return Work("Truncated SVD: how it was found", tuple(parts), end)


def derive_svd_row(model, x) -> Work:
    """The scores of an encoded row, each a sum over the columns; of words, only those that occur."""
    cells = x.tolist()
    parts, scores = [], []
    for c, loadings in enumerate(model.components_.tolist()):
        terms = [v * cell for v, cell in zip(loadings, cells, strict=True)]
        rows = list(zip(model.encoding_.names, cells, loadings, terms, strict=True))
        score = math.fsum(terms)
        grid = Grid("terms", ("column", "x", "v", "v x"), telling_words(model.encoding_.words, rows))
        parts.append(Work(f"component {c + 1}", (grid, Step("score", r"\sum_j v_{cj} x_j", result=score))))
        scores.append(score)
    return Work("Truncated SVD: one row", tuple(parts), _scores(scores))
