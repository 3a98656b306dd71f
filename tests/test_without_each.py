"""Models of all rows but each part's are those of the others, to rounding."""

import joblib
import numpy as np
import pytest
from scipy import sparse

from openbook.bayes import NaiveBayes
from openbook.border.folding import Folding
from openbook.data import Column, Nominal, Numeric, Ordinal, Schema, Table, read
from openbook.errors import DataError
from openbook.fold import all_but_each
from openbook.neighbors import KNeighborsClassifier
from openbook.registry import LEARNERS, learners

ADDING_UP = [e.name for e in learners() if issubclass(e.cls, Folding) and e.make().one_pass]


def mixed_table(n=120, seed=0):
    """Numbers of far scales, categories, gaps; three classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    size = 1e6 + codes + rng.normal(size=n)
    size[::11] = np.nan
    colour = np.where(rng.random(n) < 0.1, -1, rng.integers(0, 4, n))
    schema = Schema((Numeric("size"), Nominal("colour", tuple("rgby")), Ordinal("grade", tuple("abc"))))
    return Table(schema, [size, colour, rng.integers(0, 3, n)]), codes


def target(task, codes):
    if task == "classification":
        return Column(Nominal("class", ("x", "y", "z")), codes)
    return Column(Numeric("price"), codes + np.linspace(0, 1, len(codes)))


def others(part, n=120):
    return np.setdiff1d(np.arange(n), part)


@pytest.mark.filterwarnings("ignore:QuadraticDiscriminantAnalysis")
@pytest.mark.parametrize("name", ADDING_UP)
def test_each_is_what_fit_makes_of_the_others(name):
    entry = LEARNERS[name]
    X, codes = mixed_table()
    y = target(entry.task, codes)
    parts = np.array_split(np.random.default_rng(1).permutation(120), 7)
    models = list(entry.make().without_each(X, y, parts))
    assert len(models) == 7
    for part, model in zip(parts, models, strict=True):
        fitted = entry.make().fit(X.take(others(part)), y.take(others(part)))
        assert model.schema_ == fitted.schema_
        said, expected = (
            m.predict_proba(X) if entry.task == "classification" else m.predict(X) for m in (model, fitted)
        )
        assert said == pytest.approx(expected, rel=1e-7, abs=1e-9)  # sizes about 1e6 leave that
        assert model.complexity() == fitted.complexity()


def test_the_learner_itself_stays_as_it_was():
    X, codes = mixed_table()
    learner = NaiveBayes()
    list(learner.without_each(X, target("classification", codes), np.array_split(np.arange(120), 3)))
    assert not hasattr(learner, "schema_")


def test_a_class_that_only_the_part_has_is_declared_still():
    X, codes = mixed_table()
    parts = [np.flatnonzero(codes == 2), np.flatnonzero(codes != 2)[:40], np.flatnonzero(codes != 2)[40:]]
    y = target("classification", codes)
    models = list(NaiveBayes().without_each(X, y, parts))
    assert all(model.classes_.tolist() == ["x", "y", "z"] for model in models)
    rest = np.flatnonzero(codes != 2)
    alone = NaiveBayes().fit(X.take(rest), y.take(rest))
    assert models[0].predict_proba(X) == pytest.approx(alone.predict_proba(X))


def test_sparse_rows():
    rng = np.random.default_rng(0)
    counts = read(sparse.csr_array(rng.poisson(0.5, (60, 5))))
    y = Column(Nominal("class", ("a", "b")), np.arange(60) % 2)
    parts = np.array_split(np.arange(60), 4)
    for part, model in zip(parts, NaiveBayes().without_each(counts, y, parts), strict=True):
        rest = others(part, 60)
        fitted = NaiveBayes().fit(counts.take(rest), y.take(rest))
        assert model.predict_proba(counts) == pytest.approx(fitted.predict_proba(counts), rel=1e-9)


def test_workers_change_nothing():
    X, codes = mixed_table()
    y, parts = target("classification", codes), np.array_split(np.arange(120), 6)
    alone = list(NaiveBayes().without_each(X, y, parts))
    with joblib.parallel_config(backend="threading", n_jobs=2):
        together = list(NaiveBayes().without_each(X, y, parts))
    for a, b in zip(alone, together, strict=True):
        assert np.array_equal(a.predict_proba(X), b.predict_proba(X))


def test_an_infinite_cell_is_named():
    X = read(np.r_[np.arange(9.0), np.inf][:, None])
    y = Column(Nominal("class", ("a", "b")), np.arange(10) % 2)
    models = NaiveBayes().without_each(X, y, np.array_split(np.arange(10), 2))
    with pytest.raises(DataError, match=r"column 'x0' holds infinity \(the first in row 9\)"):
        next(models)


def test_who_keeps_rows_or_makes_kinds_from_them_does_not_add_up():
    assert not KNeighborsClassifier().one_pass
    assert NaiveBayes().one_pass
    assert not NaiveBayes(kinds={"zip": "nominal"}).one_pass


def test_order_is_kept():
    assert list(all_but_each(["a", "b", "c", "d"])) == ["bcd", "acd", "abd", "abc"]
    assert list(all_but_each(["a", "b"])) == ["b", "a"]
