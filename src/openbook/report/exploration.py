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

#: The words for a mean silhouette up to each bound (Kaufman and Rousseeuw 1990).
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
    chosen : the number of clusters, and its criteria
    model : the clusterer, fitted
    labels : the cluster of each row
    quality : the quality of the clusters, on the rows that were judged
    traits : the traits of each cluster
    beside : the comparison with the column that was left aside; None if there is none
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
        doubt = f"{self.chosen.doubt[:1].upper()}{self.chosen.doubt[1:]}"
        mean = f"The mean silhouette of {plural(len(self.quality.rows), 'row')} is {figure(silhouette, 3)}"
        return f"{doubt} {mean}: {structure}."

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
    simple : the results of the simple detectors, one column at a time
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
        scores = f"The median score is {median}, and the highest is {most}."
        return f"{found.detector}: {some}, with scores above {above}. {scores}"

    @property
    def one_column_at_a_time(self) -> str:
        """The results of the simple detectors, in a sentence; empty if they can use no column."""
        return f"One column at a time: {'; '.join(map(str, self.simple))}." if self.simple else ""


@dataclass(frozen=True, eq=False)
class Associations:
    """The significant association rules, those of the largest leverage first.

    Parameters
    ----------
    rules : the significant rules
    found : the number of all rules, without redundant ones
    how : the settings of the search, in words
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


class InFolder:
    """A result that is saved in a folder."""

    folder: Path

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def model_file(self) -> Path:
        return self.folder / "model.openbook"


@dataclass(frozen=True, eq=False)
class Exploration(InFolder):
    """The outcome of a study without a target.

    Parameters
    ----------
    name : the name of the data
    plan : the plan, as TOML
    notes : the reasons of the plan, and what was done on samples only, in words
    description : of the whole table
    groups, oddities, associations : the results
    versions : of the software
    folder : the folder with plan.toml, report.html, model.openbook and labels.csv
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
    def labels_file(self) -> Path:
        return self.folder / "labels.csv"
