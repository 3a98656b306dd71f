"""The readable twins of projections: what the directions follow from, and the scores of a row as sums."""

import math

import numpy as np

from openbook.words.numbers import figure, signed
from openbook.work import Grid, Step, Work

__all__ = ["derive_discriminant", "derive_pca", "derive_scores"]

#: Columns of a matrix, components, and terms of a sum that can be looked at.
_SHOWN_COLUMNS = 8
_SHOWN_COMPONENTS = 6
_SHOWN_TERMS = 5


def derive_pca(model) -> Work:
    """Principal components: covariance matrix, eigenvalues, shares, loadings."""
    values = np.linalg.eigvalsh(model.covariance_)[::-1].clip(min=0.0).tolist()
    total = math.fsum(np.diag(model.covariance_).tolist())
    steps, so_far = [], 0.0
    for c, value in enumerate(values[: model.n_components_]):
        so_far += value
        share = value / total if total else 0.0
        steps.append(
            Step(
                f"share of component {c + 1}",
                r"\frac{\lambda_c}{\sum_j \lambda_j}",
                rf"\frac{{{figure(value)}}}{{{figure(total)}}}",
                share,
                f"{figure(so_far / total if total else 0.0)} with those before",
            )
        )
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
        Work("explained variance", tuple(steps)),
        _loadings(model, "component"),
    )
    explained = f"{model.explained_variance_ratio_.sum():.1%} of the variance"
    end = f"{model.n_components_} components explain {explained}."
    return Work("Principal components: how they were found", parts, end)


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
    rows = [
        [name, *loadings]
        for name, loadings in zip(model.encoding_.names, model.components_[:n].T.tolist(), strict=True)
    ]
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
    steps = [
        Step(
            f"share of direction {c + 1}",
            r"\frac{\lambda_c}{\sum_j \lambda_j}",
            rf"\frac{{{figure(value)}}}{{{figure(total)}}}",
            value / total if total else 0.0,
        )
        for c, value in enumerate(model.criteria_.tolist())
    ]
    parts = (*discriminant.parts, Work("directions", (*rules, *steps)), _loadings(model, "direction"))
    title = f"Linear discriminant projection for {model.target_}: how it was fitted"
    return Work(title, parts, discriminant.conclusion)


def derive_scores(model, x, title) -> Work:
    """The scores of an encoded row, each a sum over the columns."""
    names, gaps = model.encoding_.names, (x - model.mean_).tolist()
    means = model.mean_.tolist()
    rows = [list(row) for row in zip(names, x.tolist(), means, gaps, strict=True)]
    note = (
        "a missing cell is replaced by the mean"
        if getattr(model, "missing", "mean") == "mean"
        else ("a missing cell is replaced by its expected value given the others")
    )
    grid = Grid("row", ["column", "x", "m", "x - m"], rows, note)
    steps, scores = [], []
    for c, loadings in enumerate(model.components_.tolist()):
        score = math.fsum(v * gap for v, gap in zip(loadings, gaps, strict=True))
        terms = [f"{signed(v)} \\cdot {signed(gap)}" for v, gap in zip(loadings, gaps, strict=True)]
        if len(terms) > _SHOWN_TERMS + 1:
            terms = [*terms[:_SHOWN_TERMS], r"\dots", terms[-1]]
        scores.append(score)
        steps.append(Step(f"score {c + 1}", r"\sum_j v_{cj} (x_j - m_j)", " + ".join(terms), score))
    end = "The scores of the row: " + ", ".join(figure(score) for score in scores) + "."
    return Work(f"{title}: one row", (grid, Work("scores", tuple(steps))), end)
