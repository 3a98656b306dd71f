"""Run the plan of a study without a target: describe, cluster, find outliers and associations, write.

The folder holds

    plan.toml        the plan
    results.jsonl    what was found so far, step by step; an exploration that was killed goes on from there
    report.html      one page
    model.openbook   the clusterer, which predicts the cluster of new rows
    labels.csv       row, cluster and oddity of every row of the data

It takes well under a minute. Large tables are sampled, and the notes say so.
"""

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np

from openbook.associate import association_rules, frequent_itemsets
from openbook.border.directions import in_directions, without_directions
from openbook.border.rows import refuse_infinity
from openbook.cluster import (
    AgglomerativeClustering,
    ChosenK,
    ClusterDescription,
    ClusterQuality,
    Contingency,
    choose_k,
    cluster_quality,
    contingency,
    describe_clusters,
)
from openbook.data import Categorical, Column, Numeric, Table
from openbook.data.describe import Description
from openbook.draw import Picture
from openbook.errors import PlanError
from openbook.outlier.oddest import oddest
from openbook.outlier.simple import simple_outliers
from openbook.plan.explore_make import LEARNING_ROWS, rows_to_explore
from openbook.plan.explore_plan import ExplorePlan
from openbook.plan.files import whole_file, write_text
from openbook.plan.log import Log
from openbook.plan.run import Progress, claim_folder, versions
from openbook.reduce import PCA
from openbook.report.exploration import Associations, Exploration, FoundGroups, Oddities
from openbook.report.explore import exploration_html
from openbook.store import open_model, save
from openbook.text.describe import describe

#: The most cells by which the number of clusters is chosen, and rows by which clusters are judged.
_CHOOSING_CELLS, _JUDGING_ROWS = 128_000, 3_000

#: What is kept, in the order in which it is found.
_STEPS = ("number of clusters", "model", "clusters", "oddities", "associations")

#: The most leaves of a dendrogram.
_LEAVES = 60


def explore(
    plan: ExplorePlan,
    folder: str | Path,
    *,
    table: Table | None = None,
    description: Description | None = None,
    workers: int = -1,
    fresh: bool = False,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> Exploration:
    """Run a plan, or go on with it, and leave everything in a folder.

    Parameters
    ----------
    plan : ExplorePlan
    folder : where to write; it may hold an earlier, unfinished run of the same plan
    table, description : of the plan's data, if the plan was just made from them
    workers : threads; -1 for one a core. The results do not depend on it
    fresh : throw away what the folder holds of an earlier study
    progress : called after each step with the number done and the number in all
    say : called with what an earlier run has done, where there was one
    """
    folder = Path(folder)
    claim_folder(plan, folder, fresh=fresh)
    table = plan.data.checked(plan.data.read() if table is None else table)
    log = Log(folder / "results.jsonl", plan.fingerprint)
    rows = _Rows(plan, table, log, folder / "model.openbook")
    if log.looks and say:
        say(f"Resuming: {len(log.looks)} of {len(_STEPS)} steps are done.")
    steps: list[Callable[[], Any]] = [rows.groups, rows.oddities, rows.associations]
    found = []
    with log.open(), joblib.parallel_config(backend="threading", n_jobs=workers), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the many clusterings that are tried; the plan's own says its
        for done, step in enumerate(steps, start=1):
            found.append(step())
            if progress:
                progress(done, len(steps) + 1)
    groups, oddities, associations = found
    result = Exploration(
        name=Path(plan.data.name).name,
        plan=plan.to_toml(),
        notes=(*plan.notes, *rows.notes),
        description=(description or describe(table)).for_command_line(),
        groups=groups,
        oddities=oddities,
        associations=associations,
        versions=versions(),
        folder=folder,
        roles={role: columns for role, columns in vars(plan.roles).items() if columns},
    )
    rows.write_labels(result)
    write_text(result.report, exploration_html(result))
    if progress:
        progress(len(steps) + 1, len(steps) + 1)
    return result


class _Clusters(NamedTuple):
    """The clusters and their quality; `missed` are rows of a cluster that the judged sample has missed."""

    missed: np.ndarray
    labels: np.ndarray
    quality: ClusterQuality
    traits: ClusterDescription
    beside: Contingency | ClusterDescription | None


class _Rows:
    """The rows of a plan, and what is found in them."""

    def __init__(self, plan: ExplorePlan, table: Table, log: Log, model_file: Path) -> None:
        self.plan, self.table, self.log, self.model_file = plan, table, log, model_file
        absent = [name for name in plan.roles.columns if name not in table.schema]
        if absent:
            raise PlanError(f"roles: there is no column {absent[0]!r} in {plan.data.name}")
        self.X = in_directions(table.drop(*plan.roles.columns))
        refuse_infinity(self.X)
        self.names = None if plan.roles.id is None else table.column(plan.roles.id)
        self.notes: list[str] = []
        self.labels = np.zeros(len(table), dtype=np.intp)
        self.learning = self._sample(LEARNING_ROWS)
        if len(self.learning) < len(table):
            n = f"{len(self.learning):,} of {len(table):,} rows"
            self.notes.append(f"clusters, outliers and rules are found in a random sample of {n}")

    def _sample(self, most: int) -> np.ndarray:
        return rows_to_explore(len(self.X), most, self.plan.random_state)

    def groups(self) -> FoundGroups:
        chosen = self._choose()
        self.notes += self.log.cached(_STEPS[1], tuple[str, ...], lambda: self._learn(_several(chosen)))
        model = open_model(self.model_file)
        judged = self._sample(_JUDGING_ROWS)
        if len(judged) < len(self.X):
            self.notes.append(f"silhouettes and pictures are of a random sample of {len(judged):,} rows")
        found = self.log.cached(_STEPS[2], _Clusters, lambda: self._clusters(model, judged))
        if found.labels.shape != (len(self.X),) or found.quality.rows.size > len(self.X):
            raise PlanError(f"{self.log.path} holds clusters of other rows; start over with --fresh")
        self.labels = found.labels
        shown = np.union1d(judged, found.missed)
        picture = self._picture(shown, self.labels[shown])
        dendrogram = self._dendrogram() if len(self.X) <= _LEAVES else None
        figures = (found.labels, found.quality, found.traits, found.beside)
        return FoundGroups(chosen, model, *figures, picture, dendrogram)

    def _learn(self, n_clusters: int) -> tuple[str, ...]:
        """Fit and write the model; its warnings are returned."""
        model = self.plan.clusterer(n_clusters)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(self.X.take(self.learning))
        save(model, self.model_file)
        return tuple(dict.fromkeys(str(warning.message) for warning in caught))

    def _clusters(self, model: Any, judged: np.ndarray) -> "_Clusters":
        X, labels, missed = self.X, model.predict(self.X), np.arange(0)
        if len(np.unique(labels)) < 2:
            raise PlanError("all rows are the same, so there are no clusters to find; see openbook describe")
        if len(np.unique(labels[judged])) < 2:  # a cluster so small that the sample has missed it
            missed = np.flatnonzero(labels == np.bincount(labels).argmin())
            judged = np.union1d(judged, missed)
        quality = cluster_quality(X.take(judged), labels[judged], allow_large=True)
        traits = describe_clusters(X, labels, used=X.names)
        return _Clusters(missed, labels, quality, traits, self._beside(labels))

    def _choose(self) -> ChosenK:
        X = self.X.take(self._sample(max(200, _CHOOSING_CELLS // len(self.X.names))))
        tried = range(1, min(self.plan.groups.most, len(X) // 2) + 1)

        def choose() -> ChosenK:
            return choose_k(X, tried, self.plan.clusterer(), random_state=self.plan.random_state)

        chosen: ChosenK = self.log.cached(_STEPS[0], ChosenK, choose)
        if chosen.rows < len(self.X):
            self.notes.append(f"the number of clusters is chosen by a random sample of {chosen.rows:,} rows")
        return chosen

    def _beside(self, labels: np.ndarray) -> Contingency | ClusterDescription | None:
        """The comparison of the clusters with the column that was left aside, if there is one."""
        if self.plan.roles.aside is None:
            return None
        column = self.table.column(self.plan.roles.aside)
        if column.missing.all():
            return None
        if isinstance(column.attribute, Categorical):
            return contingency(labels, column)
        if isinstance(column.attribute, Numeric):
            return describe_clusters(self.table.select([column.name]), labels, used=self.X.names)
        return None

    def _picture(self, rows: np.ndarray, labels: np.ndarray) -> Picture | None:
        X = self.X.take(rows)
        model = PCA().fit(X)
        if model.n_components_ < 2:
            return None
        picture: Picture = model.draw(X, [f"cluster {c}" for c in labels])
        return replace(picture, title="The clusters along the first two principal components")

    def _dendrogram(self) -> Any:
        dendrogram = AgglomerativeClustering(linkage="average").fit(self.X).dendrogram_
        return dendrogram if self.names is None else replace(dendrogram, names=tuple(_texts(self.names)))

    def oddities(self) -> Oddities:
        found: Oddities = self.log.cached(_STEPS[3], Oddities, self._oddities)
        if found.found.scores.shape != (len(self.X),):
            raise PlanError(f"{self.log.path} holds scores of other rows; start over with --fresh")
        return found

    def _oddities(self) -> Oddities:
        detector = self.plan.detector().fit(self.X.take(self.learning))
        found = oddest(detector, self.X, self.plan.oddities.shown)
        names = [str(row) for row in found.rows]
        if self.names is not None:
            called = _texts(self.names.take(list(found.rows)))
            names = [f"{row} ({name})" for row, name in zip(names, called, strict=True)]
        simple = simple_outliers(without_directions(self.X), self.learning)
        return Oddities(found, tuple(names), tuple(self.labels[list(found.rows)].tolist()), simple)

    def associations(self) -> Associations:
        found: Associations = self.log.cached(_STEPS[4], Associations, self._associations)
        return found

    def _associations(self) -> Associations:
        asked = self.plan.associations
        X = without_directions(self.X)
        itemsets = frequent_itemsets(X.take(self.learning), asked.min_support, asked.max_length)
        rules = association_rules(itemsets, asked.min_confidence, max_consequent=1)
        significant = sorted(rules.significant(), key=lambda rule: -rule.leverage)
        least = f"a support of at least {asked.min_support:g} and a confidence of at least"
        how = f"Rules have up to {asked.max_length} items with one consequent, {least}"
        how += (
            f" {asked.min_confidence:g}. Numbers are cut into three intervals. Redundant rules are left out."
        )
        return Associations(replace(rules, rules=tuple(significant)), len(rules), how)

    def write_labels(self, result: Exploration) -> None:
        """Write the cluster and the oddity of every row."""
        import polars as pl

        scores = result.oddities.found.scores
        frame = pl.DataFrame({"row": np.arange(len(self.X)), "cluster": self.labels, "oddity": scores})
        if self.names is not None:
            names = pl.Series(_free(self.names.name, frame.columns), _texts(self.names))
            frame = frame.insert_column(1, names)
        with whole_file(result.labels_file) as beside:
            frame.write_csv(beside)


def _several(chosen: ChosenK) -> int:
    """The advised number of clusters; if that is one, the number that most criteria say, of equals the
    smaller.
    """
    if chosen.k > 1:
        return chosen.k
    counts = Counter(k for k in chosen.votes.values() if k > 1)
    return min(counts, key=lambda k: (-counts[k], k), default=2)


def _texts(column: Column) -> list[str]:
    from openbook.data.attributes import as_text

    gaps = column.missing.tolist()
    return ["?" if gap else as_text(value) for value, gap in zip(column.tolist(), gaps, strict=True)]


def _free(name: str, taken: list[str]) -> str:
    return _free(f"{name}_", taken) if name in taken else name
