"""Collective outliers in space and in graphs; Grubbs' test of Mahalanobis distances."""

import numpy as np
import pytest

import openbook as ob
from openbook import read
from openbook.errors import ParameterError, UnknownColumn
from openbook.outlier import Collective, Mahalanobis
from openbook.outlier.grubbs import grubbs_critical


class TestInSpace:
    """A grid of 6 × 6 places: reading 0 or 1 by turns, but 1 in the whole corner of the first 3 × 2."""

    places = [(x, y) for x in range(6) for y in range(6)]
    rows = [{"x": x, "y": y, "on": float((x + y) % 2 == 0 or (x < 3 and y < 2))} for x, y in places]

    def test_a_patch_is_odd_that_no_single_row_is(self):
        model = Collective(near=("x", "y"), n_neighbors=4, contamination=0.1).fit(self.rows)
        odd = {self.places[i] for i in np.flatnonzero(model.predict(self.rows) == -1)}
        assert odd <= {(x, y) for x in range(3) for y in range(3)}
        assert (1, 0) in odd

    def test_figures_by_hand(self):
        heats = {0.0: 1.0, 1.0: 2.0, 2.0: 6.0, 9.0: 4.0, 10.0: None}
        rows = [{"x": x, "heat": heat} for x, heat in heats.items()]
        model = Collective(near=["x"], n_neighbors=1).fit(rows)
        # nearest: 0–1, 1–0 (of equals the first), 2–1, 9–10, 10–9; missing cells are left out
        assert model.collectives(rows).matrix[:, 0].tolist() == [1.5, 1.5, 4.0, 4.0, 4.0]
        assert model.collectives(rows).names == ("mean heat",)

    def test_work_takes_the_rows_of_a_neighbourhood(self):
        model = Collective(near=("x", "y"), n_neighbors=4).fit(self.rows)
        assert "4 nearest by x, y" in str(model.work())
        assert model.work(self.rows[:3]).parts


class TestInGraphs:
    """Two stars; the leaves of the second hold much more money than others."""

    nodes = [{"id": f"n{i}", "money": 100.0 if i > 6 else 1.0 + i % 2} for i in range(10)]
    edges = [("n0", f"n{i}") for i in range(1, 6)] + [("n6", f"n{i}") for i in range(7, 10)]

    def test_figures_by_hand(self):
        model = Collective(by="id", edges=self.edges).fit(self.nodes)
        figures = model.collectives(self.nodes)
        assert figures.names == ("mean money", "rows")
        # n0 with 1 … 5: 1, 2, 1, 2, 1, 2; n6 with three of 100; a leaf with its centre
        assert figures.matrix[0].tolist() == [9 / 6, 6]
        assert figures.matrix[6].tolist() == [(1 + 300) / 4, 4]
        assert figures.matrix[1].tolist() == [1.5, 2]

    def test_the_odd_star_is_found(self):
        model = Collective(by="id", edges=self.edges, contamination=0.4).fit(self.nodes)
        assert set(np.flatnonzero(model.predict(self.nodes) == -1)) <= {0, 6, 7, 8, 9}
        assert model.oddness(self.nodes)[7] > model.oddness(self.nodes)[1]

    def test_rows_by_number(self):
        edges = [(0, i) for i in range(1, 6)] + [(6, i) for i in range(7, 10)]
        rows = [{"money": node["money"]} for node in self.nodes]
        by_name = Collective(by="id", edges=self.edges).fit(self.nodes).oddness(self.nodes)
        assert Collective(edges=edges).fit(rows).oddness(rows) == pytest.approx(by_name)

    def test_saved(self, tmp_path):
        model = Collective(by="id", edges=self.edges).fit(self.nodes)
        ob.save(model, tmp_path / "m.openbook")
        again = ob.open_model(tmp_path / "m.openbook")
        assert (again.oddness(self.nodes) == model.oddness(self.nodes)).all()

    def test_refusals(self):
        with pytest.raises(ParameterError, match="an edge is a pair of rows, got "):
            Collective(edges=[(0, 1, 2)]).fit([[1.0], [2.0], [3.0]])
        with pytest.raises(ParameterError, match="give near or edges, not both"):
            Collective(near=["id"], edges=self.edges).fit(self.nodes)
        with pytest.raises(UnknownColumn, match="'z'"):
            Collective(near=["z"]).fit(self.nodes)


class TestGrubbsOfDistances:
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(30, 2)), [[6.0, -6.0]]])

    def test_the_threshold_is_where_the_test_rejects(self):
        model = Mahalanobis(test="grubbs").fit(self.X)
        d = np.delete(model.oddness(self.X), 30)
        while True:  # the test again, from its definition
            G = (d.max() - d.mean()) / d.std(ddof=1)
            if grubbs_critical(len(d)) >= G:
                break
            d = np.delete(d, d.argmax())
        assert model.threshold_ == pytest.approx(d.mean() + grubbs_critical(len(d)) * d.std(ddof=1))
        assert model.predict(self.X)[30] == -1
        assert model.tests_[0][3] == pytest.approx(model.oddness(self.X)[30])
        assert "Grubbs' tests that rejected" in str(model.work())

    def test_saved(self, tmp_path):
        model = Mahalanobis(test="grubbs", alpha=0.01).fit(self.X)
        ob.save(model, tmp_path / "m.openbook")
        again = ob.open_model(tmp_path / "m.openbook")
        assert (again.threshold_, again.tests_) == (model.threshold_, model.tests_)


@pytest.mark.parametrize(
    "model",
    [
        Collective(near=("x",), n_neighbors=2),
        Collective(edges=[(0, 1), (1, 2), (3, 4)]),
        Collective(by="group"),
        Collective(run=3),
    ],
    ids=["near", "edges", "by", "run"],
)
def test_the_members_of_a_row_have_its_score(model):
    rows = read(
        {"x": [1.0, 2.0, 3.0, 7.0, 9.0, 4.0], "y": [1.0, 5.0, 2.0, 8.0, 3.0, 9.0], "group": list("aabbab")}
    )
    model = model.fit(rows)
    for i, score in enumerate(model.oddness(rows)):
        assert model.work(model.members(rows, i))["score"].result == pytest.approx(score)
    with pytest.raises(ParameterError, match="numbered from 0 to 5"):
        model.members(rows, 6)


def test_a_row_alone_is_told_from_a_collective():
    model = Collective(edges=[(0, 1)]).fit([[1.0], [2.0], [9.0]])
    assert "members(X, 3)" in model.work([1.0])["rows of the collective"].note
    ring = Collective(by="name", edges=[("a", "b")]).fit(
        [{"name": n, "debt": d} for n, d in zip("abc", (1, 2, 9), strict=True)]
    )
    assert not ring.work({"name": "c", "debt": 9})["rows of the collective"].note  # c has no edges
