"""Write the CSV files beside this script, and rpart's trees of them: `python make.py`.

Needs `Rscript` with the package rpart. The data are bundled sets of numbers (columns v0, v1, …), which the
tests load themselves, and two generated sets of numbers and categories, which are kept: `subsets` (two
classes) and `amounts` (a number to predict).
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from openbook import load

HERE = Path(__file__).parent

#: Kind of tree, and how deep it may grow.
SETS = {
    "iris": ("class", 30),
    "wine": ("class", 30),
    "breast_cancer": ("class", 30),
    "subsets": ("class", 5),
    "diabetes": ("anova", 5),
    "amounts": ("anova", 5),
}
TARGETS = {"iris": "species", "wine": "cultivar", "breast_cancer": "diagnosis", "diabetes": "progression"}


def weights(rows):
    """Unequal weights: two tests are then equally good only if they part the rows in the same way."""
    i = np.arange(rows)
    return 500 + (31 * i * i + 769 * i) % 1499


def generated(rows=400):
    """Numbers and categories of many values; a number to predict, and whether it is large."""
    rng = np.random.default_rng(3)
    kinds, marks = rng.integers(0, 8, rows), rng.integers(0, 3, rows)
    x, z = rng.normal(size=(2, rows)).round(4)
    amount = x + rng.permutation(np.linspace(-2, 2, 8))[kinds] + (marks == 1) * z + rng.normal(0, 0.5, rows)
    frame = pl.DataFrame(
        {
            "kind": np.array(list("abcdefgh"))[kinds],
            "mark": np.array(["left", "middle", "right"])[marks],
            "x": x,
            "z": z,
            "weight": weights(rows),
        }
    )
    label = np.where(amount + rng.normal(size=rows) > 0, "large", "small")
    yield "subsets", frame.with_columns(label=pl.Series(label))
    yield "amounts", frame.with_columns(amount=pl.Series(amount.round(4)))


def bundled():
    for name, target in TARGETS.items():
        X, y = load(name).split(target)
        columns = {f"v{j}": column for j, column in enumerate(X.columns)}
        yield name, pl.DataFrame({**columns, "weight": weights(len(X)), "target": y.tolist()})


def grow(name, path):
    """Keep rpart's tree of a file."""
    kind, depth = SETS[name]
    words = ["Rscript", "trees.R", str(path), kind, str(depth)]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=True)
    (HERE / f"{name}.txt").write_text(done.stdout, encoding="utf-8")


def main():
    for name, frame in generated():
        frame.write_csv(HERE / f"{name}.csv")
        grow(name, HERE / f"{name}.csv")
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in bundled():
            path = Path(folder) / f"{name}.csv"
            frame.write_csv(path)
            grow(name, path)


if __name__ == "__main__":
    main()
