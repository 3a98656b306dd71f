"""The pages keep their word: links lead somewhere, and commands print what is shown.

Code in the pages is doctested by pytest itself; the README's is run from here. A console block is run in a
folder of its own, a page's blocks one after the other; `...` stands for anything. The README's commands run
in a shell, as a reader's would. So does what needs one elsewhere; a mere call of openbook is made from here,
since a process spends most of its time on starting.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from openbook.cli.main import app

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?((?:(?!\$ ).*\n?)*)", re.MULTILINE)


def name(page):
    return str(page.relative_to(ROOT))


def commands(page):
    """Each command that a page shows, and what it should print."""
    blocks = "\n".join(CONSOLE.findall(page.read_text(encoding="utf-8")))
    return [(shown.replace("\\\n", ""), output) for shown, output in COMMAND.findall(blocks)]


def anchors(page):
    """What a link may point to within a page, as GitHub names headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)}: {link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{name(page)}: {link} has no such heading"


def test_the_readme_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=FLAGS)
    assert tried > 0
    assert failed == 0


def in_a_shell(command):
    run = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def from_here(command):
    run = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="openbook")
    return run.stdout + run.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name)
def test_commands_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    for command, shown in commands(page):
        plain = command.startswith("openbook ") and not set("|>;&$*") & set(command)
        printed = from_here(command) if plain and page.name != "README.md" else in_a_shell(command)
        same = doctest.OutputChecker().check_output(shown, printed, FLAGS)
        assert same, f"{name(page)}: $ {command}\nshows\n{shown}\nbut prints\n{printed}"
