"""Pooled variances, the complement form, counts as a table, samples, columns that say the same."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import ComplementNB

import openbook as ob
from openbook.bayes import Laplace, NaiveBayes, NoSmoothing
from openbook.errors import ParameterError

X = [[1.0], [3.0], [10.0], [11.0], [12.0]]
y = ["a", "a", "b", "b", "b"]


class TestPooled:
    def test_by_hand(self):
        # deviations ±1 of a, -1 0 1 of b: (2 + 2) / (5 - 2)
        model = NaiveBayes(variance="pooled").fit(X, y)
        density = np.exp(-(0**2) / (2 * 4 / 3)) / np.sqrt(2 * np.pi * 4 / 3)
        assert model.likelihood("x0", 2.0, given="a") == pytest.approx(density)
        assert model.likelihood("x0", 11.0, given="b") == pytest.approx(density)
        step = model.work()["variance given class = b"]
        assert (step.numbers, step.result) == (r"\frac{4}{3}", pytest.approx(4 / 3))

    def test_kernel_equals_twin_with_gaps(self):
        rows = [[1.0, None], [3.0, None], [10.0, 4.0], [11.0, 5.0], [12.0, 9.0]]
        model = NaiveBayes(variance="pooled", priors=[0.5, 0.5])
        with pytest.warns(UserWarning, match="always missing in class a"):
            model.fit(rows, y)
        work = model.work([9.0, 6.0])
        joints = [work[f"ln P(class = {c}) P(x | class = {c})"].result for c in "ab"]
        assert model.predict_joint_log_proba([[9.0, 6.0]])[0] == pytest.approx(joints)

    def test_one_boundary_halfway(self):
        """Equal priors and one variance: the classes meet midway between their means."""
        model = NaiveBayes(variance="pooled", priors=[0.5, 0.5]).fit(X, y)
        assert model.predict_proba([[6.5]])[0] == pytest.approx([0.5, 0.5])

    def test_saved(self, tmp_path):
        model = NaiveBayes(variance="pooled").fit(X, y)
        ob.save(model, tmp_path / "m.openbook")
        assert (ob.open_model(tmp_path / "m.openbook").predict_proba(X) == model.predict_proba(X)).all()


class TestComplement:
    counts = np.array([[2, 0, 1], [1, 1, 0], [0, 3, 0], [0, 1, 2], [0, 0, 4]])
    labels = np.array(["a", "a", "b", "b", "c"])

    def test_as_scikit_learn(self):
        ours = NaiveBayes(distributions="complement", priors=[1 / 3] * 3, smoothing=Laplace(0.5))
        theirs = ComplementNB(alpha=0.5).fit(self.counts, self.labels)
        ours.fit(self.counts, self.labels)
        assert ours.predict_proba(self.counts) == pytest.approx(theirs.predict_proba(self.counts))

    def test_by_hand(self):
        # outside a: 0, 4 and 6 of 10 events; with one more of each, 1/13, 5/13, 7/13
        model = NaiveBayes(distributions="complement").fit(self.counts, self.labels)
        work = model.work([2, 0, 1])
        assert work["1 / P(x0 | not class = a) × 2"].result == pytest.approx(13**2)
        assert work["1 / P(x2 | not class = a)"].result == pytest.approx(13 / 7)
        log = work["ln P(class = a) P(x | class = a)"].result
        assert model.predict_joint_log_proba([[2, 0, 1]])[0, 0] == pytest.approx(log)

    def test_needs_smoothing(self):
        with pytest.raises(ParameterError, match="'x0' never occurs outside one of the classes"):
            NaiveBayes(distributions="complement", smoothing=NoSmoothing()).fit(self.counts, self.labels)

    def test_is_not_sampled(self):
        with pytest.raises(ParameterError, match="sample with 'multinomial'"):
            NaiveBayes(distributions="complement").fit(self.counts, self.labels).sample()


def test_counts_of_events():
    table = NaiveBayes(distributions="multinomial").fit(TestComplement.counts, TestComplement.labels).counts()
    assert table.row(0)["a"] == 3
    assert table.row(0)["P(value | a)"] == pytest.approx((3 + 1) / (5 + 3))


class TestSamples:
    def test_classes_and_columns_follow_the_model(self):
        rows, labels = ob.load("loan").split("cheat")
        model = NaiveBayes().fit(rows, labels)
        drawn, classes = model.sample(4000, random_state=5)
        assert drawn.schema == rows.schema
        assert np.mean(classes == "Yes") == pytest.approx(0.3, abs=0.03)
        yes = classes == "Yes"
        owners = np.array(drawn.column("owner").tolist())[yes]
        assert np.mean(owners == "No") == pytest.approx(4 / 5, abs=0.05)  # (3 + 1) / (3 + 2)
        incomes = np.array(drawn.column("income").tolist())[yes]
        assert incomes.mean() == pytest.approx(90, abs=1)
        assert incomes.std() == pytest.approx(np.sqrt(50 / 3), abs=0.5)

    @pytest.mark.filterwarnings("ignore:NaiveBayes")
    @pytest.mark.parametrize("distribution", ["multinomial", "bernoulli", "kernel"])
    def test_other_distributions(self, distribution):
        model = NaiveBayes(distributions=distribution).fit(TestComplement.counts, TestComplement.labels)
        drawn, classes = model.sample(3000, random_state=1)
        cells = (
            drawn.matrix
            if drawn.matrix is not None
            else np.column_stack([drawn.data(n) for n in drawn.names])
        )
        of_c = cells[classes == "c"]
        if distribution == "multinomial":  # four events, 1/7, 1/7 and 5/7
            assert of_c.sum(axis=1).tolist() == [4] * len(of_c)
            assert of_c.mean(axis=0) == pytest.approx([4 / 7, 4 / 7, 20 / 7], abs=0.15)
        elif distribution == "bernoulli":
            assert of_c.mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 2 / 3], abs=0.07)
        else:
            assert of_c[:, 2].mean() == pytest.approx(4, abs=0.2)
        assert (model.sample(5, random_state=2)[1] == model.sample(5, random_state=2)[1]).all()


class TestTwins:
    rng = np.random.default_rng(0)
    colours, sizes = rng.choice(["r", "g", "b"], 60), rng.normal(size=60).round(2)
    target = rng.choice(["n", "y"], 60)

    def notes(self, rows, target):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = NaiveBayes().fit(rows, target)
        assert bool(caught) == bool(model.notes_)
        return model.notes_

    def test_renamed_values_and_other_units(self):
        other = {"r": "rot", "g": "grün", "b": "blau"}
        rows = [
            {"colour": c, "Farbe": other[c], "size": s, "inches": 1 - 2.54 * s}
            for c, s in zip(self.colours, self.sizes.tolist(), strict=True)
        ]
        first, second = self.notes(rows, self.target)
        assert first.startswith("colour and Farbe carry the same information, which naive Bayes counts twice")
        assert second.startswith("size and inches carry the same information")

    def test_not_quite_the_same(self):
        rows = [{"a": c, "b": "g" if c == "b" else c} for c in self.colours]  # b follows from a, not a from b
        assert self.notes(rows, self.target) == []

    def test_few_rows_cannot_tell(self):
        assert self.notes([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [5.0, 10.0]], ["a", "b", "b", "a"]) == []
