"""Run the code of docs/guide/gallery.md, block by block, and save the picture before each image link.

    python docs/make_gallery.py

A block of code that an image follows ends with an expression whose value is the picture. Every random choice
on the page has a seed, so that the same pictures come out.
"""

# ruff: noqa: INP001 (a folder of pages, no package)

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


if __name__ == "__main__":
    for path, picture in pictures():
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")  # noqa: T201 (a script)
