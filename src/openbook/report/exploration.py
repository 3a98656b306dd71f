"""The results of a study without a target, as data; `explore.py` and the command line show them."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from openbook.associate import AssociationRules
from openbook.cluster import ChosenK, ClusterDescription, ClusterQuality, Contingency, Dendrogram
from openbook.data.describe import Description
from openbook.draw import Picture
from openbook.outlier.oddest import Oddest, main_reasons
from openbook.outlier.reasons import Reasons
from openbook.outlier.simple import Simple
from openbook.words.numbers import figure
from openbook.words.sentences import plural

#: What a mean silhouette of at most so much says (Kaufman and Rousseeuw 1990).
_STRUCTURE = (
    (0.25, "hardly any structure"),
    (0.5, "weak structure"),
    (0.7, "a reasonable structure"),
    (math.inf, "a strong structure"),
)

_ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class FoundGroups:
    """The clusters.

    Parameters
    ----------
    chosen : how many, by which criteria
    model : the clusterer, fitted
    labels : the cluster of each row
    quality : of the rows that it was judged on
    traits : what describes each cluster
    beside : the column that was left aside, beside the clusters; None if there is none
    picture : the rows along two principal components; None if they vary along one only
    dendrogram : of a small table
    """

    chosen: ChosenK
    model: Any
    labels: np.ndarray
    quality: ClusterQuality
    traits: ClusterDescription
    beside: Contingency | ClusterDescription | None = None
    picture: Picture | None = None
    dendrogram: Dendrogram | None = None

    @property
    def k(self) -> int:
        return len(self.traits.sizes)

    @property
    def doubt(self) -> str:
        """Why there may be no clusters at all; empty if there is no such evidence."""
        against = [name for name, k in self.chosen.votes.items() if k == 1]
        if not against:
            return ""
        who = f"{' and '.join(against)} {'finds' if len(against) == 1 else 'find'}"
        rest = f"the {self.k} clusters below may be parts of a single one"
        return f"There may be no clusters: {who} no more structure than chance would give, so {rest}."

    @property
    def verdict(self) -> str:
        """The number of clusters, and how well they are separated."""
        silhouette = self.quality.silhouette
        structure = next(words for most, words in _STRUCTURE if silhouette <= most)
        of = plural(len(self.quality.rows), "row")
        return (
            f"{self.chosen.doubt[:1].upper()}{self.chosen.doubt[1:]} The mean silhouette of {of} is"
            f" {figure(silhouette, 3)}: {structure}."
        )

    def sentence(self, cluster: int) -> str:
        """The significant traits of a cluster; without any, its largest difference."""
        if self.traits.sizes[cluster] == 1:
            return "a single row: an outlier rather than a cluster"
        if any(trait.p_value < _ALPHA for trait in self.traits[cluster]):
            return self.traits.sentence(cluster).partition(": ")[2]
        return f"nothing significant; the largest difference: {self.traits[cluster][0]}"


class OddRow(NamedTuple):
    """An unusual row: its name, its cluster, its score, and the reasons in words and in full."""

    name: str
    cluster: int
    score: float
    because: str
    reasons: Reasons | None


@dataclass(frozen=True, eq=False)
class Oddities:
    """The most unusual rows.

    Parameters
    ----------
    found : the unusual rows, with the scores of all rows
    names : of each row: its number, and its ID if there is one
    clusters : of each row
    simple : what the simple detectors found, one column at a time
    """

    found: Oddest
    names: tuple[str, ...]
    clusters: tuple[int, ...]
    simple: tuple[Simple, ...] = ()

    def __iter__(self) -> Iterator[OddRow]:
        found = self.found
        for name, cluster, row, why in zip(self.names, self.clusters, found.rows, found.reasons, strict=True):
            yield OddRow(name, cluster, float(found.scores[row]), main_reasons(why), why)

    @property
    def verdict(self) -> str:
        """The number of outliers, and how far the most unusual row stands out."""
        found = self.found
        some = f"{plural(found.n_outliers, 'outlier')} among {plural(len(found.scores), 'row')}"
        figures = (found.threshold, np.median(found.scores), found.scores.max())
        above, median, most = (figure(float(value), 3) for value in figures)
        return (
            f"{found.detector}: {some}, with scores above {above}. The median score is {median}, and the"
            f" highest is {most}."
        )

    @property
    def one_column_at_a_time(self) -> str:
        """What the simple detectors found, in a sentence; empty if no column can be looked at."""
        return f"One column at a time: {'; '.join(map(str, self.simple))}." if self.simple else ""


@dataclass(frozen=True, eq=False)
class Associations:
    """The significant association rules, those of the largest leverage first.

    Parameters
    ----------
    rules : the significant ones
    found : the number of all rules, without redundant ones
    how : how they were looked for, in words
    """

    rules: AssociationRules
    found: int
    how: str

    @property
    def verdict(self) -> str:
        """How many there are."""
        some = plural(len(self.rules), "rule")
        if not self.found:
            return "No rule."
        if not len(self.rules):
            return f"None of {plural(self.found, 'rule')} is significant: chance can explain them."
        return f"{some} of {self.found:,} {'is' if len(self.rules) == 1 else 'are'} significant."


@dataclass(frozen=True, eq=False)
class Exploration:
    """The outcome of a study without a target.

    Parameters
    ----------
    name : what the data are called
    plan : the plan, as TOML
    notes : how the plan came about, and what was done to samples only, in words
    description : of the whole table
    groups, oddities, associations : what was found
    versions : of the software
    folder : where plan.toml, report.html, model.openbook and labels.csv are
    roles : the column or columns of each role that is used, as in the plan
    """

    name: str
    plan: str
    notes: tuple[str, ...]
    description: Description
    groups: FoundGroups
    oddities: Oddities
    associations: Associations
    versions: Mapping[str, str]
    folder: Path
    roles: Mapping[str, Any]
    target: None = None

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def model_file(self) -> Path:
        return self.folder / "model.openbook"

    @property
    def labels_file(self) -> Path:
        return self.folder / "labels.csv"
