"""Equally near rows in the order learnt, at random, or by a second distance; votes of given distances."""

import numpy as np
import pytest

import openbook as ob
from openbook.errors import ParameterError
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor, vote

# From 0 all but the last are one cell away; by Manhattan the second is the nearest.
X = [[5.0, 0.0], [1.0, 0.0], [0.0, 3.0], [0.0, 2.0], [9.0, 9.0]]
y = [1.0, 2.0, 3.0, 4.0, 5.0]


def nearest(k, **options):
    model = KNeighborsRegressor(k, metric="hamming", scale=False, **options).fit(X, y)
    return model.kneighbors([[0.0, 0.0]])[1][0].tolist()


def test_the_first_learnt_comes_first():
    assert nearest(2) == [0, 1]


def test_by_a_second_distance():
    assert nearest(2, equally_near="manhattan") == [1, 3]
    assert nearest(5, equally_near="manhattan") == [1, 3, 2, 0, 4]
    model = KNeighborsRegressor(2, metric="hamming", scale=False, equally_near="manhattan").fit(X, y)
    assert model.predict([[0.0, 0.0]]).tolist() == [3.0]  # of rows 1 and 3
    assert model.work([0.0, 0.0]).conclusion == "The prediction: 3."


def test_at_random():
    drawn = [tuple(nearest(1, equally_near="random", random_state=seed)) for seed in range(40)]
    assert set(drawn) == {(0,), (1,), (2,), (3,)}
    assert nearest(5, equally_near="random", random_state=1)[-1] == 4
    assert nearest(2, equally_near="random", random_state=7) == nearest(
        2, equally_near="random", random_state=7
    )


def test_saved_and_opened(tmp_path):
    model = KNeighborsClassifier(1, metric="hamming", equally_near="random", random_state=3).fit(
        X, list("abcde")
    )
    ob.save(model, tmp_path / "m.openbook")
    assert (ob.open_model(tmp_path / "m.openbook").predict(X) == model.predict(X)).all()


class TestVote:
    """The neighbours of an exercise: distances 1, 2, 4 and 4."""

    distances, labels = [4, 1, 2, 4], ["no", "yes", "no", "yes"]

    def test_uniform(self):
        found = vote(self.distances, self.labels, n_neighbors=3)
        assert (found.winner, found.votes) == ("no", {"no": 2, "yes": 1})
        assert found.proba == pytest.approx({"no": 2 / 3, "yes": 1 / 3})

    def test_by_distance(self):
        found = vote(self.distances, self.labels, n_neighbors=4, weights="distance")
        assert found.votes == pytest.approx({"no": 1 / 4 + 1 / 2, "yes": 1 + 1 / 4})
        assert found.work()["votes for yes"].result == pytest.approx(1.25)

    def test_a_tie_goes_to_a_smaller_k(self):
        found = vote(self.distances, self.labels, n_neighbors=2)
        assert found.winner == "yes"
        assert "With k = 2" in found.work().conclusion

    def test_fewer_rows_than_k(self):
        assert vote([3.0], ["a"]).votes == {"a": 1.0}

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: vote([1, 2], ["a"]), "a label for each distance, and at least one; got 2 and 1"),
            (lambda: vote([-1], ["a"]), "finite and not negative, got -1"),
            (lambda: vote([1], ["a"], n_neighbors=0), "whole number of at least 1, got 0"),
            (
                lambda: vote([1], ["a"], weights="inverze"),
                "weights cannot be 'inverze'. Did you mean 'inverse'",
            ),
        ],
    )
    def test_refusals(self, call, message):
        with pytest.raises(ParameterError, match=message):
            call()


def test_random_neighbours_differ_from_query_to_query():
    """The same preference for all queries would lean on few rows."""
    model = KNeighborsRegressor(1, metric="hamming", equally_near="random", random_state=0)
    model.fit([[float(i)] for i in range(50)], list(range(50)))
    drawn = {int(model.kneighbors([[0.5]])[1][0, 0]) for _ in range(3)}
    assert len(drawn) == 1
    assert np.unique(model.kneighbors(X=[[float(i)] for i in range(50)], n_neighbors=2)[1][:, 1]).size > 10
