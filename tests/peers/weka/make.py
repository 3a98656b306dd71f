"""Write the ARFF files beside this script, and what WEKA makes of them: `python make.py path/to/weka.jar`.

The data are openbook's bundled sets, and three of its own: `codes` (nominal, no gaps, three classes), `gaps`
(numbers and categories, every sixth cell missing) and `idle` (an attribute gains nothing, and counts for the
average gain all the same). README.md says what each kind of output is.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

from openbook import load
from openbook.data import Categorical, Nominal, Numeric, Schema, Table
from openbook.data.sets import sets

HERE = Path(__file__).parent

#: Kinds of output, and the commands that make them.
COMMANDS = {
    "id3": "weka.classifiers.trees.Id3",
    "unpruned": "weka.classifiers.trees.J48 -U -M 2",
    "unpruned-1": "weka.classifiers.trees.J48 -U -M 1",
    "pruned": "weka.classifiers.trees.J48 -S -C 0.25 -M 2",
}
#: The evaluators of attributes whose scores are kept, by our names.
EVALUATORS = {
    "information_gain": "InfoGainAttributeEval",
    "gain_ratio": "GainRatioAttributeEval",
    "symmetrical_uncertainty": "SymmetricalUncertAttributeEval",
    "chi_squared": "ChiSquaredAttributeEval",
}
ALL_NOMINAL = ("weather", "covid", "flu", "codes", "idle")
BUNDLED = ("weather", "weather_numeric", "loan", "flu", "covid", "iris", "wine", "breast_cancer", "credit")


def codes(rows=300):
    """Two of six attributes matter, and a fifth of the labels are chance."""
    rng = np.random.default_rng(1)
    sizes = (2, 3, 4, 5, 3, 2)
    columns = [rng.integers(0, size, rows) for size in sizes]
    y = np.where(rng.random(rows) < 0.8, (columns[2] + 2 * columns[4]) % 3, rng.integers(0, 3, rows))
    attributes = [Nominal(f"a{j}", tuple("uvwxz"[:size])) for j, size in enumerate(sizes)]
    return Table(Schema((*attributes, Nominal("class", ("no", "perhaps", "yes")))), [*columns, y])


def gaps(rows=300):
    """Numbers, fine and coarse, and categories; three classes; every sixth cell is missing."""
    rng = np.random.default_rng(2)
    fine, coarse = rng.normal(size=(2, rows)), rng.integers(0, 12, (2, rows)).astype(float)
    kinds, marks = rng.integers(0, 4, rows), rng.integers(0, 2, rows)
    score = fine[0] + 0.25 * coarse[0] + np.array([0.0, 1.5, -1.0, 0.5])[kinds] + rng.normal(size=rows)
    y = np.searchsorted(np.quantile(score, [0.4, 0.75]), score)
    numbers = [np.round(fine[0], 4), np.round(fine[1], 4), coarse[0], coarse[1]]
    columns = [np.where(rng.random(rows) < 1 / 6, np.nan, x) for x in numbers]
    columns += [np.where(rng.random(rows) < 1 / 6, -1, x) for x in (kinds, marks)]
    attributes = [Numeric(name) for name in ("fine", "noise", "coarse", "dull")]
    attributes += [Nominal("kind", ("p", "q", "r", "s")), Nominal("mark", ("off", "on"))]
    return Table(Schema((*attributes, Nominal("class", ("high", "low", "middle")))), [*columns, y])


def idle():
    """Twelve rows once with u, twice with v, three times with w: that attribute says nothing of the class."""
    a, b, y = "abcbbaabccbb", "mmnnmmmmmmmm", "nnnnnyynnyny"
    copies = "uvvwww"
    columns = [a * len(copies), b * len(copies), "".join(c * len(a) for c in copies), y * len(copies)]
    attributes = [Nominal(n, tuple(v)) for n, v in (("a", "abc"), ("b", "mn"), ("c", "uvw"), ("class", "ny"))]
    codes = [[x.encode(cell) for cell in column] for x, column in zip(attributes, columns, strict=True)]
    return Table(Schema(tuple(attributes)), [np.array(column) for column in codes])


def tables():
    """Every table, its target last."""
    targets = {name: one.target for name, one in sets().items()}
    for name in BUNDLED:
        table = load(name, rows=500) if name == "credit" else load(name)
        others = [column for column in table.names if column != targets[name]]
        yield name, table.select([*others, targets[name]])
    yield "codes", codes()
    yield "gaps", gaps()
    yield "idle", idle()


def arff(name, table):
    """The table as ARFF; ordinal columns become nominal, as the format knows no others."""
    lines = [f"@relation {name}"]
    for a in table.schema:
        kind = "{" + ",".join(a.values) + "}" if isinstance(a, Categorical) else "numeric"
        lines.append(f"@attribute '{a.name}' {kind}")
    lines.append("@data")
    columns = [table.column(column).tolist() for column in table.names]
    lines += [",".join(map(_cell, row)) for row in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"


def _cell(value):
    if isinstance(value, str):
        return value
    return "?" if value is None or np.isnan(value) else repr(value).removesuffix(".0")


def main(jar):
    for name, table in tables():
        (HERE / f"{name}.arff").write_text(arff(name, table), encoding="utf-8")
        for kind, command in COMMANDS.items():
            if kind == "id3" and name not in ALL_NOMINAL:
                continue
            words = ["java", "-cp", jar, *command.split(), "-t", f"{name}.arff", "-no-cv"]
            done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=True)
            (HERE / f"{name}.{kind}.txt").write_text(_tree(done.stdout), encoding="utf-8")

        if name not in ALL_NOMINAL:
            (HERE / f"{name}.mdl.txt").write_text(_cuts(jar, name), encoding="utf-8")
        elif name == "codes":
            (HERE / f"{name}.scores.txt").write_text(_scores(jar, name), encoding="utf-8")


def _cuts(jar, name):
    """The header that WEKA's supervised filter gives the table: numbers as nominal intervals."""
    words = f"java -cp {jar} weka.filters.supervised.attribute.Discretize -c last -i {name}.arff".split()
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=True)
    return "".join(f"{line}\n" for line in done.stdout.splitlines() if line.startswith("@attribute"))


def _scores(jar, name):
    """Every attribute's score by each evaluator."""
    lines = []
    for ours, theirs in EVALUATORS.items():
        words = f"java -cp {jar} weka.attributeSelection.{theirs} -i {name}.arff".split()
        words += ["-s", "weka.attributeSelection.Ranker"]
        done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=True)
        _, _, ranked = done.stdout.partition("Ranked attributes:")
        found = (line.split() for line in ranked.partition("Selected")[0].splitlines() if line.strip())
        lines += [f"{ours} {attribute} {score}" for score, _, attribute in found]
    return "\n".join(lines) + "\n"


def _tree(printed):
    """The tree alone, without headings and times."""
    lines = [line.rstrip() for line in printed.splitlines()]
    heading = next(i for i, line in enumerate(lines) if line == "Id3" or line.startswith("J48"))
    end = next(i for i, line in enumerate(lines) if line.startswith(("Number of Leaves", "Time taken")))
    return "\n".join(lines[heading:end]).strip() + "\n"


if __name__ == "__main__":
    main(sys.argv[1])
