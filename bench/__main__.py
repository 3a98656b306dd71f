"""`python -m bench [name …] [--rows N] [--threads N] [--rounds N] [--data DIR] [--list] [--write]`."""

import argparse
import json
import sys
from pathlib import Path

from bench.judge import verdicts
from bench.run import ROOT, run
from bench.show import print_result, write_page
from bench.workload import discover

RESULTS = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "performance.md"


def main() -> None:
    workloads = discover()
    options = _options(sorted(workloads))
    if options.list:
        for name, workload in sorted(workloads.items()):
            print(f"{name:16} {workload.rows:>12,} rows  {workload.title}")
        return
    missed = False
    for name in options.names or workloads:
        workload = workloads[name]
        result = run(
            workload,
            options.rows,
            threads=options.threads,
            rounds=options.rounds,
            data=options.data,
            progress=lambda text: print(text, file=sys.stderr),
        )
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print_result(workload, result)
        if options.write:
            write_page(PAGE, workload, result)
        missed |= not all(verdict.reached for verdict in verdicts(workload, result))
    sys.exit(1 if missed else 0)


def _options(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="openbook against its peers.")
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"one or more of {', '.join(names)}; default all"
    )
    parser.add_argument("--rows", type=int, help="rows instead of the workload's own")
    parser.add_argument("--threads", type=int, default=1, help="threads of every contestant")
    parser.add_argument("--rounds", type=int, help="fresh processes of each contestant")
    parser.add_argument("--data", type=Path, help="where files may go; what is made there is removed")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    options = parser.parse_args()
    if odd := [name for name in options.names if name not in names]:
        parser.error(f"no workload {odd[0]!r}; there are {', '.join(names)}")
    return options


if __name__ == "__main__":
    main()
