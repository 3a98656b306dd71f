"""The worked examples of confusion tables and ROC curves: rates, points, areas and derivations."""

import numpy as np
import pytest

from openbook.judge import Confusion, Roc

RATES = {
    "confusion_roc.ten_rows": lambda data: Confusion.of(
        data["actual"], data["predicted"], positive=data["positive"]
    ),
    "confusion_roc.own_rates": lambda data: Confusion(
        [[data["tn"], data["fp"]], [data["fn"], data["tp"]]], ["no", "yes"]
    ),
}
NAMES = {"for": "for_"}


def exactly(expected):
    """Equal to the last digits of a double."""
    return pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("id_", RATES)
def test_every_rate(golden, id_):
    record = golden(id_)
    table, expected = RATES[id_](record["data"]), dict(record["expected"])
    betas = {beta: expected.pop(f"f_beta_{beta}") for beta in (0.5, 2)}
    for name, value in expected.items():
        assert getattr(table, NAMES.get(name, name)) == exactly(value), name
    for beta, value in betas.items():
        assert table.f_beta(beta).value == exactly(value)


@pytest.mark.parametrize("id_", RATES)
def test_every_rate_is_derived(golden, id_):
    """The derivation ends with the number, and the step puts the table's counts in."""
    record = golden(id_)
    table = RATES[id_](record["data"])
    from openbook.judge.scores.confusion_work import symbol

    for name, value in record["expected"].items():
        if name in ("tp", "fn", "fp", "tn", "n") or name.startswith("f_beta"):
            continue
        own = NAMES.get(name, name)
        work = table.work(own)
        assert work[symbol(own)].result == exactly(value), name
        assert work.conclusion.startswith(symbol(own))
    assert table.work("accuracy")["accuracy"].numbers == (
        rf"\frac{{{table.tp} + {table.tn}}}{{{table.tp} + {table.fn} + {table.fp} + {table.tn}}}"
    )


def test_points_of_the_curve(golden):
    record = golden("confusion_roc.roc_sorted_table")
    rows, expected = record["data"]["rows"], record["expected"]
    roc = Roc([row["label"] for row in rows], [row["score"] for row in rows], record["data"]["positive"])
    np.testing.assert_allclose(roc.points, expected["points_fpr_tpr"], rtol=1e-12)
    assert roc.auc == exactly(expected["auc"])
    assert roc.work()["AUC"].result == exactly(expected["auc"])
    assert (roc.n_positive, roc.n_negative) == (expected["positives"], expected["negatives"])
    for cut in expected["cuts"]:
        table = roc.confusion(roc.thresholds[cut["cut_after"]])
        assert {name: getattr(table, name) for name in ("tp", "fn", "fp", "tn")} == {
            name: cut[name] for name in ("tp", "fn", "fp", "tn")
        }


@pytest.mark.parametrize("id_", ["confusion_roc.weather_accuracy", "confusion_roc.weather_error_table"])
def test_four_rows(golden, id_):
    record = golden(id_)
    rows, expected = record["data"]["test_rows"], record["expected"]
    table = Confusion.of([row["actual"] for row in rows], [row["classified"] for row in rows])
    assert int(np.trace(table.counts)) == expected["correct"]
    assert table.accuracy == exactly(expected["accuracy"])
    assert table.error == exactly(expected["error"])


def test_ten_classes(golden):
    record = golden("confusion_roc.ten_class_percent")
    data, expected = record["data"], record["expected"]
    table = Confusion(data["row_percent"], data["classes"])
    assert table.counts.sum(axis=1).tolist() == expected["row_sums"]
    assert table.accuracy == exactly(expected["accuracy_from_cell_totals"])
    recalls = {label: own.tpr for label, own in table.per_class().items()}
    assert min(recalls, key=recalls.get) == expected["worst_class"]
    assert np.mean(np.diag(table.counts)) == exactly(expected["mean_diagonal"])
    assert round(np.mean(np.diag(table.counts))) == expected["accuracy_rounded"]
