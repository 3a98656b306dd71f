"""How long a user waits at the command line, and for the first fit of a tree after the imports. Each command
runs in a folder of its own, with the environment and the threads of a user; compiled Python files are there,
as after installation.
"""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from bench.run import THREADS
from bench.workload import Contestant, Goal, Reported, Workload, folder

COMMAND = str(Path(sys.executable).parent / "openbook")

FIRST_TREE = """
import time, openbook, openbook.tree
table, learner = openbook.load({table!r}), openbook.tree.{learner}()
start = time.perf_counter()
learner.fit(table, table.names[-1])
print(time.perf_counter() - start)
"""


def make(_rows, _seed):
    """The folder for compiled kernels; the first to ask fills it, for those who find it warm."""
    kept = folder() / "kernels"
    if not kept.exists():
        kept.mkdir()
        study(kept)
    return kept


def command(*words, kernels):
    """Run a command in a fresh folder; gives what it printed."""
    with tempfile.TemporaryDirectory(dir=folder()) as place:
        environment = {k: v for k, v in os.environ.items() if k not in THREADS}
        environment["NUMBA_CACHE_DIR"] = str(kernels)
        return subprocess.run(words, cwd=place, env=environment, check=True, capture_output=True).stdout


def study(kernels):
    command(COMMAND, "study", "weather", kernels=kernels)


def ask_for_help(kernels):
    command(COMMAND, "--help", kernels=kernels)


def cold_study(_kernels):
    with tempfile.TemporaryDirectory(dir=folder()) as empty:
        study(empty)


def first_tree(learner, table, _kernels):
    with tempfile.TemporaryDirectory(dir=folder()) as empty:
        code = FIRST_TREE.format(learner=learner, table=table)
        return Reported(None, float(command(sys.executable, "-c", code, kernels=empty)))


COLD = Workload(
    name="cold",
    title="At the command line",
    rows=14,
    make=make,
    contestants={
        "openbook --help": Contestant(Path, ask_for_help),
        "openbook study weather, nothing compiled": Contestant(Path, cold_study),
        "openbook study weather": Contestant(Path, study),
        "CART().fit on iris, nothing compiled": Contestant(Path, partial(first_tree, "CART", "iris")),
        "C45().fit on weather, nothing compiled": Contestant(Path, partial(first_tree, "C45", "weather")),
    },
    goals=(
        Goal("fit", "seconds", 0.4, contestant="openbook --help"),
        Goal("fit", "seconds", 15, contestant="openbook study weather, nothing compiled"),
        Goal("fit", "seconds", 4, contestant="openbook study weather"),
        Goal("fit", "seconds", 6, contestant="CART().fit on iris, nothing compiled"),
        Goal("fit", "seconds", 6, contestant="C45().fit on weather, nothing compiled"),
    ),
    typical="median",
    runs=3,
    warm_rows=0,
)
