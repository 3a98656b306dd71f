"""A derivation is data: a title, and steps, grids and nested derivations in order."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

from openbook.errors import did_you_mean
from openbook.work.step import Grid, Passage, Step


@dataclass(frozen=True)
class Work:
    r"""The derivation of a result; `print` it, or show it in a notebook.

    Attributes
    ----------
    title : str
        What is derived.
    parts : tuple of Step, Grid, Passage and Work, default=()
        The steps, tables, texts and nested derivations, in order.
    conclusion : str, default=""
        The sentence that the derivation ends with.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> from openbook.work import Step
    >>> work = Work("Prior", (Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7),), "No is likely.")
    >>> print(work)
    Prior
    ═════
      P(No) = N_c/N = 7/10 = 0.7
    <BLANKLINE>
      ∴ No is likely.
    >>> work["P(No)"].result
    0.7
    """

    title: str
    parts: "tuple[Step | Grid | Passage | Work, ...]" = ()
    conclusion: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))

    def steps(self) -> Iterator[Step]:
        """Every step, those of nested works included, in reading order."""
        for part in self.parts:
            if isinstance(part, Step):
                yield part
            elif isinstance(part, Work):
                yield from part.steps()

    def blocks(self) -> "Iterator[list[Step] | Grid | Work]":
        """The parts in order, neighbouring steps together: renderers align those. Passages are left out."""
        shown = (part for part in self.parts if not isinstance(part, Passage))
        for is_step, run in groupby(shown, key=lambda part: isinstance(part, Step)):
            if is_step:
                yield cast("list[Step]", list(run))
            else:
                yield from cast("Iterator[Grid | Work]", run)

    def __getitem__(self, label: str) -> Any:
        """The first step of that label, or the first grid or nested work of that title.

        Where there is none, the first whose label begins so, in capitals or not: "gain" finds gain(outlook).
        """
        labelled, start = list(self._labelled()), str(label).casefold()
        exact = [part for name, part in labelled if name == label]
        similar = [part for name, part in labelled if start and name.casefold().startswith(start)]
        if found := exact or similar:
            return found[0]
        labels = tuple(dict.fromkeys(name for name, _ in labelled))
        raise KeyError(f"no step, grid or work {label!r}. {did_you_mean(label, labels)}")

    def _labelled(self) -> "Iterator[tuple[str, Step | Grid | Passage | Work]]":
        """Every part with its label or title, nested works included, in reading order."""
        for part in self.parts:
            yield (part.label if isinstance(part, Step) else part.title), part
            if isinstance(part, Work):
                yield from part._labelled()  # noqa: SLF001 (of its own class)

    def text(self) -> str:
        """Plain text, for a terminal or an e-mail."""
        from openbook.work.text import to_text

        return to_text(self)

    def html(self) -> str:
        """A fragment of HTML with MathML, which browsers show without scripts."""
        from openbook.work.html import to_html

        return to_html(self)

    def latex(self) -> str:
        """A fragment of LaTeX; needs amsmath and booktabs."""
        from openbook.work.latex import to_latex

        return to_latex(self)

    def json(self) -> dict[str, Any]:
        """Nested dictionaries and lists, with every figure at full precision."""
        from openbook.work.json import to_json

        return to_json(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


class ShowsWork:
    """A result that prints, and displays in a notebook, as its derivation.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> class Answer(ShowsWork):
    ...     def work(self):
    ...         return Work("Answer", conclusion="42.")
    >>> Answer()
    Answer
    ══════
      ∴ 42.
    """

    @abstractmethod
    def work(self) -> Work:
        """The derivation.

        Returns
        -------
        Work
        """

    def __repr__(self) -> str:
        return self.work().text()

    def _repr_html_(self) -> str:
        return self.work().html()
