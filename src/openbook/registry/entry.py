"""The entry of a learner in the registry."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

Task = Literal["classification", "regression"]
#: The tasks without a target, or with several.
Untargeted = Literal[
    "clustering", "density", "multilabel", "outliers", "preparation", "projection", "sequence", "text"
]


@dataclass(frozen=True)
class Variant:
    """A variant of a learner in studies, and the numbers of rows for which it is evaluated.

    Attributes
    ----------
    label : str
        The name of the variant in studies.
    parameters : mapping
        The parameters that differ from the defaults.
    most_rows : int or None, default=None
        The most rows for which a study has the time; None for no limit.
    least_rows : int, default=1
        The fewest rows that can show its benefit.
    texts : bool, default=False
        Whether it is for tables with a column of texts alone.

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> Variant("k = 5", {"n_neighbors": 5}, most_rows=50_000).label
    'k = 5'
    """

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int | None = None
    least_rows: int = 1
    texts: bool = False


@dataclass(frozen=True)
class Entry:
    """A registered learner.

    Attributes
    ----------
    name : str
        The name of the learner in studies, model files and on the command line.
    place : str
        Module and class.
    summary : str
        One line to choose by.
    task : Task or Untargeted
        The task of the learner: its predictions, or its use without a target.
    baseline : bool, default=False
        Whether it is a baseline for others.
    around : str, tuple of str or None, default=None
        The registered learner or learners that it wraps by default.
    ordered : bool, default=False
        Whether it needs classes with an order: a study tries it if the target is ordinal.
    unlabelled : bool, default=False
        Whether it also learns from rows without a target: a study tries it if there are such rows.
    members : tuple of str, default=()
        Of an ensemble, the registered learners that it must beat to be offered by a study.
    tried_around : mapping of str to mapping
        For a multi-label learner, the registered classifiers that it wraps in a study, each with further
        parameters.
    study : tuple of Variant, default=()
        The variants that a study evaluates; empty for none.

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> from openbook.registry import learner
    >>> entry = learner("naive_bayes")
    >>> entry.place, entry.task
    ('openbook.bayes:NaiveBayes', 'classification')
    """

    name: str
    place: str
    summary: str
    task: Task | Untargeted
    baseline: bool = False
    around: str | tuple[str, ...] | None = None
    ordered: bool = False
    unlabelled: bool = False
    members: tuple[str, ...] = ()
    tried_around: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    study: tuple[Variant, ...] = ()

    @property
    def cls(self) -> type:
        module, name = self.place.split(":")
        return getattr(import_module(module), name)

    def make(self, **parameters: Any) -> Any:
        """A new, unfitted learner.

        Parameters
        ----------
        **parameters : object
            Parameters of the class.

        Returns
        -------
        estimator
            The learner.
        """
        from openbook.registry import learner

        if isinstance(self.around, str):
            parameters.setdefault("estimator", learner(self.around).make())
        elif self.around is not None:
            parameters.setdefault("estimators", [(name, learner(name).make()) for name in self.around])
        return self.cls(**parameters)
