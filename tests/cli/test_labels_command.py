"""Several labels from the command line: described, studied, predicted and worked."""

import polars as pl
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    rows = [(colour, size) for colour in ("red", "green", "blue") for size in ("s", "l")] * 10
    sets = ["; ".join((["warm"] if c == "red" else []) + (["big"] if s == "l" else [])) for c, s in rows]
    frame = pl.DataFrame(rows, schema=["colour", "size"], orient="row")
    frame.with_columns(pl.Series("is", sets)).write_csv(folder / "sets.csv")
    frame.with_columns(
        warm=(frame["colour"] == "red").cast(int), big=(frame["size"] == "l").cast(int)
    ).write_csv(folder / "columns.csv")
    return folder


def test_sets_are_described_by_label(folder, good):
    told = good("describe", folder / "sets.csv", "--target", "is")
    assert "big (30) · warm (20)" in told
    assert "cells are sets, separated by ';': 2 labels in 4 sets" in told
    told = good("describe", folder / "columns.csv", "--target", "warm", "--target", "big")
    assert "big (30) · warm (20)" in told
    assert "the columns warm, big, which hold 0 and 1" in told


def test_columns_are_studied_together_and_predicted_as_sets(folder, good):
    out = folder / "out"
    options = ("--target", "warm", "--target", "big", "--learner", "label_powerset", "--quick", "--out", out)
    told = good("study", folder / "columns.csv", *options)
    assert "label powerset, naive Bayes" in told
    assert "Micro F1" in told
    written = good("predict", out, folder / "sets.csv", "--proba").splitlines()
    assert written[0] == "colour,size,is,prediction,P(big),P(warm)"
    assert [line.split(",")[3] for line in written[1:5]] == ["warm", "big|warm", '""', "big"]
    assert "∴ Labels: big|warm." in good("work", out, folder / "sets.csv", "--row", "1")


def test_targets_that_are_no_labels_are_refused_in_one_line(folder, complaint):
    told = complaint("study", folder / "columns.csv", "--target", "warm", "--target", "size")
    assert told.startswith("openbook: label 'size', row 0: the cell 's' is neither 0 nor 1")
