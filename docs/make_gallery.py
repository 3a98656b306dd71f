"""Run the code of docs/guide/gallery.md, block by block, and save the picture before each image link.

    python docs/make_gallery.py

A block of code that an image follows ends with an expression whose value is the picture. Every random choice
on the page has a seed, so that the same pictures come out. The pictures of other pages are drawn by an
expression each, after the examples of the page before it.
"""

# ruff: noqa: INP001 (a folder of pages, no package)

import ast
import contextlib
import doctest
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from openbook import load
from openbook.network import heart_disease

PAGE = Path(__file__).parent / "guide" / "gallery.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n!\[[^\]]*\]\(([^)]+)\))?", re.MULTILINE | re.DOTALL)


def pictures() -> Iterator[tuple[Path, Any]]:
    """The path of each image of the page, and the picture that its code makes."""
    names: dict[str, Any] = {}
    for code, image in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        body = ast.parse(code).body
        last = body.pop() if image else None
        exec(compile(ast.Module(body, []), str(PAGE), "exec"), names)  # noqa: S102 (the page's own code)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(PAGE), "eval"), names)  # noqa: S307
            yield (PAGE.parent / image).resolve(), value


#: Pictures of other pages: the page, and what draws it after the examples that stand before it there.
BESIDE = {
    "dendrogram": (
        "hierarchies",
        'AgglomerativeClustering(3, linkage="ward").fit(load("iris").drop("species")).draw()',
    ),
    "choose_k": ("choosing_k", "chosen.draw()"),
    "belief_network": ("belief_networks", "heart_disease().draw()"),
    "density": ("mixtures", "model.draw('petal length (cm)')"),
    "posterior": ("comparing", "found.draw()"),
    "critical_difference": ("comparing", "over.draw()"),
    "wine": ("trees", "C45().fit(X, y).draw()"),
    "scree": ("projections", "PCA().fit(X).draw_scree()"),
    "biplot": ("projections", "model.draw(X, species)"),
    "svm": ("svm", "picture"),
    "boundary": ("perceptron", "picture"),
    "outliers": ("outliers", "model.draw(X)"),
    "fairness": ("fairness", "fair.draw()"),
    "costs": ("fairness", "paid.draw()"),
}


def pictures_beside() -> Iterator[tuple[Path, Any]]:
    """The path of each image of another page, and its picture."""
    for name, (page, drawn) in BESIDE.items():
        text = (PAGE.parent / f"{page}.md").read_text(encoding="utf-8")
        before = text[: text.index(f"../images/{name}.svg")]
        names: dict[str, Any] = {"iris": load("iris").drop("species"), "heart_disease": heart_disease}
        for example in doctest.DocTestParser().get_examples(before):
            with contextlib.redirect_stdout(None), contextlib.suppress(Exception):  # some show an error
                exec(compile(example.source, page, "single"), names)  # noqa: S102 (the page's own code)
        yield PAGE.parents[1] / "images" / f"{name}.svg", eval(drawn, names)  # noqa: S307


if __name__ == "__main__":
    for path, picture in chain(pictures(), pictures_beside()):
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")  # noqa: T201 (a script)
