"""The figures in words: a table on the screen, a table in `docs/performance.md`."""

import re
from pathlib import Path
from typing import Any

from bench.judge import Line, Verdict, lines, verdicts
from bench.workload import Workload

__all__ = ["markdown", "print_result", "write_page"]

HEADS = ("", "fit", "predict", "fit, peak above input", "predict, peak above input", "quality", "")


def print_result(workload: Workload, result: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    grid = Table(
        title=f"{workload.title}, {result['rows']:,} rows", box=box.SIMPLE_HEAD, title_justify="left"
    )
    for i, head in enumerate(HEADS):
        grid.add_column(head, justify="left" if i in {0, 6} else "right", overflow="fold")
    for line in lines(workload, result):
        grid.add_row(*_cells(line))
    console = Console(width=None if Console().is_terminal else 140, highlight=False)
    console.print(grid)
    for verdict in verdicts(workload, result):
        console.print(_words(verdict), style="green" if verdict.reached else "bold red", markup=False)


def markdown(workload: Workload, result: dict[str, Any]) -> str:
    """The table and the goals as Markdown."""
    rows = [HEADS, tuple("---" if i in {0, 6} else "---:" for i in range(len(HEADS)))]
    rows += [_cells(line) for line in lines(workload, result)]
    table = "\n".join("| " + " | ".join(cell or " " for cell in row) + " |" for row in rows)
    goals = "\n".join(f"- {_words(verdict)}" for verdict in verdicts(workload, result))
    return f"{table}\n\n{goals}\n\n{_method(workload, result)}"


def _method(workload: Workload, result: dict[str, Any]) -> str:
    machine = result["machine"]
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    threads = "one thread" if result["threads"] == 1 else f"{result['threads']} threads"
    return (
        f"{result['rows']:,} rows, {threads}, {workload.typical} of {result['rounds'] * result['runs']} runs"
        f" ({result['rounds']} processes × {result['runs']});"
        f" {machine['processor']}, {machine['cores']} cores,"
        f" {machine['memory'] / 2**30:.0f} GB, {machine['system']}; Python {machine['python']}, {packages}."
        f" `python -m bench {workload.name} --rows {result['rows']} --write`"
    )


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.label,
        *(_time(line, step) for step in ("fit", "predict")),
        *(_memory(line, step) for step in ("fit", "predict")),
        ", ".join(f"{name} {_figure(value)}" for name, value in line.quality.items()),
        line.note,
    )


def _time(line: Line, step: str) -> str:
    return f"{line.seconds[step]:.3g} s (to {line.worst[step]:.3g})" if step in line.seconds else ""


def _memory(line: Line, step: str) -> str:
    if step not in line.above:
        return ""
    share = f" ({line.above[step] / line.input:.0%})" if line.input else ""
    return f"{line.above[step] / 2**20:,.0f} MB{share}"


def _figure(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else f"{len(value):,} numbers"


def _words(verdict: Verdict) -> str:
    goal = verdict.goal
    mark = "reached" if verdict.reached else "MISSED"
    who = f"{goal.contestant}, {goal.step}"
    if verdict.value is None:
        return f"NOT MEASURED: {who}, goal {goal.limit:g} {goal.measure}; see the notes in the table"
    peers = " or ".join(goal.peers)
    if goal.measure in ("times", "growth"):
        low, high = verdict.spread
        fast, goal_is = ("fast", "goal") if goal.measure == "times" else ("long", "goal at most")
        return (
            f"{mark}: {who} {verdict.value:.1f} times as {fast} as {peers}"
            f" (by round {low:.1f} to {high:.1f}); {goal_is} {goal.limit:g}"
        )
    if goal.measure == "memory":
        return (
            f"{mark}: {who}, peak memory above the input {verdict.value:.2f} times that of {peers};"
            f" goal at most {goal.limit:g}"
        )
    if goal.measure == "seconds":
        return f"{mark}: {who} in {verdict.value:.2f} s; goal {goal.limit:g} s"
    if goal.measure == "share":
        return f"{mark}: {who}, peak memory above the input {verdict.value:.1%} of it; goal {goal.limit:.0%}"
    whole, most = (f"{number / 1e6:,.0f} MB" for number in (verdict.value, goal.limit))
    return f"{mark}: {who}, peak memory of the whole process {whole}; goal {most}"


def write_page(page: Path, workload: Workload, result: dict[str, Any]) -> None:
    """Put the table between the page's markers for this workload."""
    text = page.read_text(encoding="utf-8")
    if f"<!-- bench:{workload.name} -->" not in text:
        markers = f"<!-- bench:{workload.name} -->\n<!-- /bench:{workload.name} -->"
        page.write_text(f"{text.rstrip()}\n\n## {workload.title}\n\n{markers}\n", encoding="utf-8")
    write_between(page, workload.name, markdown(workload, result))


def write_between(page: Path, name: str, table: str) -> None:
    """Put a table between the markers of that name."""
    begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    text = page.read_text(encoding="utf-8")
    block = f"{begin}\n{table}\n{end}"
    page.write_text(re.sub(f"{begin}.*?{end}", lambda _: block, text, flags=re.DOTALL), encoding="utf-8")
