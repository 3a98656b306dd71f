"""The map of the house in docs/architecture.md names every file, in its room, and none that is not there."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "openbook"
HEAD = r"^(?:from (?=\S+ import )|import )(\w+)"


def on_the_map():
    """The path of every file that the map names: a line's room is that of the last folder above it."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    lines = page.split("```text\nsrc/openbook/\n")[1].split("```")[0].splitlines()
    rooms: list[str] = []
    for line in lines:
        depth, words = (len(line) - len(line.lstrip())) // 2, line.split()
        if not depth:
            continue
        if words[0].endswith("/"):
            rooms[depth - 1 :] = [words[0]]
            continue
        if depth == 1:
            rooms = []
            words = words[:1]
        yield from ("".join(rooms) + word for word in words if word.endswith(".py"))


def test_the_map_names_every_file_and_no_other():
    files = {str(path.relative_to(SOURCE)).replace("\\", "/") for path in SOURCE.rglob("*.py")}
    files = {path for path in files if not path.endswith(("__init__.py", "__main__.py"))}
    named = sorted(on_the_map())
    assert named == sorted(files)


def test_every_room_says_what_it_holds():
    for room in SOURCE.rglob("__init__.py"):
        assert room.read_text(encoding="utf-8").startswith(('"""', 'r"""')), room


def test_what_is_imported_at_once_is_installed_with_it():
    """Names at the head of a module: those of Python, of a dependency, or that come with one."""
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    known = {re.match(r"[\w-]+", name)[0] for name in named} - {"scikit-learn"}
    known |= {"openbook", "sklearn", "markupsafe", "llvmlite", *sys.stdlib_module_names}
    for path in SOURCE.rglob("*.py"):
        heads = set(re.findall(HEAD, path.read_text(encoding="utf-8"), re.MULTILINE))
        assert heads <= known, path
