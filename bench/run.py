"""Run the contestants of a workload in turns, one process at a time: ours, theirs, ours, theirs."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench import weka
from bench.workload import Workload

__all__ = ["THREADS", "machine", "run"]

ROOT = Path(__file__).parent.parent
THREADS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_PACKAGES = (
    "openbook",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "polars",
    "mixed-naive-bayes",
    "scikit-learn-intelex",
)


def run(
    workload: Workload,
    rows: int | None = None,
    *,
    threads: int = 1,
    rounds: int | None = None,
    data: Path | None = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure all contestants.

    Parameters
    ----------
    rows, rounds : the workload's own unless given
    threads : of every library, in every process
    data : where files go; a folder in it is made and removed
    progress : told which contestant runs
    """
    rows, rounds = rows or workload.rows, rounds or workload.rounds
    absent = {label: c.absence(rows) for label, c in workload.contestants.items()}
    taking_part = [label for label in workload.contestants if absent[label] is None]
    results: dict[str, Any] = {
        label: {"absent": reason} if reason else {"rounds": []} for label, reason in absent.items()
    }
    folder = tempfile.mkdtemp(prefix="openbook-bench-", dir=data)
    environment = os.environ | dict.fromkeys(THREADS, str(threads)) | {"BENCH_FOLDER": folder}
    try:
        for turn in range(rounds):
            # every second round backwards, so that nobody always runs first
            for label in taking_part if turn % 2 == 0 else reversed(taking_part):
                progress(f"{workload.name}, round {turn + 1} of {rounds}: {label}")
                numbers = map(str, (rows, seed, threads, workload.runs))
                command = [sys.executable, "-m", "bench.child", workload.name, label, *numbers]
                done = subprocess.run(
                    command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
                )
                if done.returncode:
                    results[label].setdefault("failed", _last_line(done.stderr))
                else:
                    results[label]["rounds"].append(json.loads(_last_line(done.stdout)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "name": workload.name,
        "rows": rows,
        "threads": threads,
        "rounds": rounds,
        "runs": workload.runs,
        "machine": machine(),
        "contestants": results,
    }


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    import psutil

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: found for name in (*_PACKAGES, "WEKA") if (found := _version(name))},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return weka.version() if name == "WEKA" else version(name)
    except PackageNotFoundError:
        return None
