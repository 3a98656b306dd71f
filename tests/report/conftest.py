"""Three small studies that the tests of the report share, and a parser that checks a page."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from openbook.plan import make_plan, run

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}
SCRIPT = "<script>alert('x')</script>"
#: Names and values that must come out as text, whatever they look like.
IMG, AMP, TARGET, TAB = '<img src=x onerror="alert(1)">', "&amp;", "<target>", "a\x1b[2Jb"


class Page(HTMLParser):
    """Checks that elements nest, and keeps what is in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.tags.append(tag)
        self.attributes.append((tag, known))
        self.ids += [known["id"]] if "id" in known else []
        self.links += [known[name] for name in ("href", "src", "srcset", "action", "data") if name in known]
        assert not [name for name in known if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


@pytest.fixture(scope="session")
def page_of():
    return Page


@pytest.fixture(scope="session")
def weather(tmp_path_factory):
    """Few rows: no learner beats the baseline, a tree is chosen, and most looks are not taken."""
    learners = ["naive_bayes", "c45", "random_forest"]
    result = run(make_plan("weather", only=learners), tmp_path_factory.mktemp("weather"))
    return result, Page(result.report.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Hostile names and values, a test set, sensitive columns and costs; a chosen learner is no baseline."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(0)
    cells = []
    for i in range(160):  # true where both columns say so: one column alone is not enough
        high, word, noise = i % 2, i // 2 % 2, rng.random() < 0.04
        label = "<u>x" if bool(high and word) != noise else "a&b"
        cells.append(f"{high * 3 + rng.random():.3f},{SCRIPT if word else '{{7*7}}'},{i % 7},{label}")
    source = folder / "bad<i>name.csv"
    header = f'"{IMG.replace(chr(34), chr(34) * 2)}",{AMP},{TAB},{TARGET}'
    source.write_text("\n".join([header, *cells]) + "\n", encoding="utf-8")
    costs = {"<u>x": {"a&b": 2.0}, "a&b": {"<u>x": 1.0}}
    plan = make_plan(
        source,
        TARGET,
        only=["c45", "naive_bayes"],
        sensitive=[AMP],
        costs=costs,
        metric="accuracy",
        test_share=0.25,
        cv=10,
        repeats=1,
    )
    result = run(plan, folder / "study")
    return result, Page(result.report.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def numbers(tmp_path_factory):
    """A target of numbers."""
    plan = make_plan("diabetes", cv=3, repeats=1, only=["linear_regression"])
    result = run(plan, tmp_path_factory.mktemp("numbers"))
    return result, Page(result.report.read_text(encoding="utf-8"))
