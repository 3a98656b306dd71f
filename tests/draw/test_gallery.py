"""The gallery: its code runs, its images exist, and every public drawing function and method is on it."""

import importlib
import importlib.util
import inspect
import pkgutil
import re
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

from sklearn.base import BaseEstimator

import openbook

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guide" / "gallery.md").read_text(encoding="utf-8")


def test_every_picture_of_the_page_can_be_drawn_and_its_image_is_there():
    spec = importlib.util.spec_from_file_location("make_gallery", DOCS / "make_gallery.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = dict(script.pictures())
    assert len(drawn) == len(re.findall(r"!\[[^\]]+\]\(\.\./images/gallery/", PAGE))
    for path, picture in drawn.items():
        assert path.exists(), "run python docs/make_gallery.py"
        now, kept = (ET.fromstring(text) for text in (picture.svg(), path.read_text(encoding="utf-8")))
        assert [e.tag for e in now] == [e.tag for e in kept], path.name
        assert now.get("aria-label") == kept.get("aria-label"), (
            f"{path.name}: run python docs/make_gallery.py"
        )


def test_every_public_drawing_function_and_method_is_on_the_page():
    names, results = set(), set()
    for found in pkgutil.iter_modules(openbook.__path__, "openbook."):
        if found.ispkg and found.name != "openbook.cli":
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                made = getattr(module, name)
                if inspect.isfunction(made) and name.startswith("draw_"):
                    names.add(name)
                if inspect.isclass(made):
                    names |= {method for method in dir(made) if method.startswith("draw_")}
                    if hasattr(made, "draw") and not issubclass(made, BaseEstimator):
                        results.add(name)
    assert len(names) > 15
    assert sorted(name for name in names if f"{name}(" not in PAGE) == []
    assert sorted(name for name in results if f"`{name}`" not in PAGE) == []
