"""The bench runs, compares like with like, and says what is missing. No timing decides a test."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # the bench is not installed

from bench import child, judge, run, show  # noqa: E402
from bench.workload import OURS, Contestant, Goal, Reported, Workload, discover  # noqa: E402

WORKLOADS = discover()


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCH_FOLDER", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.filterwarnings("ignore:`pgmpy:FutureWarning")  # what pgmpy calls within itself
@pytest.mark.filterwarnings(
    "ignore:builtin type:DeprecationWarning"
)  # pyAgrum's bindings, as they are imported
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name == "belief_network_search" else ())
        for name in sorted(set(WORKLOADS) - {"cold"})
    ],
)
def test_contestants_are_equally_good(name, monkeypatch):
    monkeypatch.setattr(child.gc, "collect", int)  # no figure counts here, and all that pytest holds is much
    workload = WORKLOADS[name]
    found = {
        label: {"absent": reason}
        if (reason := contestant.absence(500))
        else {"rounds": [child.main(name, label, 500, 0, 1, 1)]}
        for label, contestant in workload.contestants.items()
    }
    assert "rounds" in found[OURS]
    made = judge.lines(workload, {"rows": 500, "contestants": found})
    assert all(line.quality for line in made if "rounds" in found[line.label])
    assert not [line.note for line in made if "NOT EQUAL" in line.note]


def test_cold_asks_the_command_line(tmp_path):
    from bench.workloads import cold

    cold.ask_for_help(tmp_path / "kernels")
    with pytest.raises(subprocess.CalledProcessError):
        cold.command(cold.COMMAND, "no-such-command", kernels=tmp_path / "kernels")


# --- what is made of the measurements, on figures made up here


def measured(fit, quality=0.9, above=10, size=100, predict=None):
    steps = {"fit": {"seconds": fit, "above": above, "peak": 5 * above}}
    if predict is not None:
        steps["predict"] = {"seconds": predict, "above": above, "peak": 5 * above}
    return {"input": size, "steps": steps, "quality": {"accuracy": quality}}


def duel(*goals, **options):
    contestant = Contestant(tuple, tuple)
    return Workload("duel", "A duel", 10, tuple, {OURS: contestant, "peer": contestant}, goals, **options)


def result(ours, theirs):
    return {
        "rows": 10,
        "threads": 1,
        "rounds": 2,
        "runs": 2,
        "machine": {
            "processor": "P",
            "cores": 2,
            "memory": 2**34,
            "system": "Linux",
            "python": "3.11",
            "packages": {"numpy": "2"},
        },
        "contestants": {OURS: ours, "peer": theirs},
    }


def test_ratio_is_of_best_times_and_spread_is_by_round():
    workload = duel(Goal("fit", "times", 4, ("peer",)))
    ours = {"rounds": [measured([2.0, 4.0]), measured([1.0, 3.0])]}
    theirs = {"rounds": [measured([6.0, 8.0]), measured([5.0, 9.0])]}
    (verdict,) = judge.verdicts(workload, result(ours, theirs))
    assert verdict.value == 5.0  # 5 / 1
    assert verdict.spread == (3.0, 5.0)  # 6 / 2, 5 / 1
    assert verdict.reached
    (missed,) = judge.verdicts(duel(Goal("fit", "times", 6, ("peer",))), result(ours, theirs))
    assert not missed.reached


def test_median_where_asked():
    workload = duel(Goal("fit", "seconds", 2.5), typical="median")
    (verdict,) = judge.verdicts(workload, result({"rounds": [measured([1.0, 3.0, 9.0])]}, {"absent": "gone"}))
    assert verdict.value == 3.0
    assert not verdict.reached


def test_memory_goals():
    ours = {"rounds": [measured([1.0], above=10), measured([1.0], above=30)]}
    goals = (Goal("fit", "share", 0.25), Goal("fit", "bytes", 200))
    share, peak = judge.verdicts(duel(*goals), result(ours, {"absent": "gone"}))
    assert (share.value, share.reached) == (0.3, False)  # the worst round counts
    assert (peak.value, peak.reached) == (150, True)


def test_goals_that_peers_set():
    ours = {"rounds": [measured([6.0], above=30)]}
    theirs = {"rounds": [measured([2.0], above=20)]}
    goals = (Goal("fit", "growth", 4, ("peer",)), Goal("fit", "memory", 1, ("peer",)))
    workload = duel(*goals)
    growth, memory = judge.verdicts(workload, result(ours, theirs))
    assert (growth.value, growth.spread, growth.reached) == (3.0, (3.0, 3.0), True)
    assert (memory.value, memory.reached) == (1.5, False)
    page = show.markdown(workload, result(ours, theirs))
    assert "reached: openbook, fit 3.0 times as long as peer (by round 3.0 to 3.0); goal at most 4" in page
    assert (
        "MISSED: openbook, fit, peak memory above the input 1.50 times that of peer; goal at most 1" in page
    )


def test_what_reports_its_time_has_no_memory():
    noted = {"steps": {}}
    assert child._measure(noted, "fit", 2, lambda: Reported("model", 7.0)) == "model"
    assert noted["steps"] == {"fit": {"seconds": [7.0, 7.0]}}
    told = {"rounds": [{"input": 0, **noted, "quality": {"accuracy": 0.9}}]}
    goals = (Goal("fit", "times", 2, ("peer",)), Goal("fit", "memory", 1, ("peer",)))
    times, memory = judge.verdicts(duel(*goals), result({"rounds": [measured([1.0])]}, told))
    assert (times.value, times.reached) == (7.0, True)
    assert (memory.value, memory.reached) == (None, False)


def test_chance_is_allowed_for():
    found = result({"rounds": [measured([1.0])]}, {"rounds": [measured([9.0], quality=0.85)]})
    assert "NOT EQUAL" in judge.lines(duel(noise=0.15), found)[1].note  # 0.15 / sqrt(10) is less than 0.05
    assert not judge.lines(duel(noise=0.16), found)[1].note


def test_another_quality_is_flagged_and_reaches_no_goal():
    found = result({"rounds": [measured([1.0])]}, {"rounds": [measured([99.0], quality=0.8)]})
    workload = duel(Goal("fit", "times", 2, ("peer",)))
    assert "NOT EQUAL: accuracy differs by 0.1" in judge.lines(workload, found)[1].note
    (verdict,) = judge.verdicts(workload, found)
    assert verdict.value == 99.0
    assert not verdict.reached


@pytest.mark.parametrize(
    "peer", [{"absent": "peer is not installed"}, {"rounds": [], "failed": "it fell over"}]
)
def test_a_missing_peer_is_said(peer):
    found = result({"rounds": [measured([1.0])]}, peer)
    workload = duel(Goal("fit", "times", 2, ("peer",)))
    page = show.markdown(workload, found)
    assert (peer.get("absent") or "failed: it fell over") in page
    assert "NOT MEASURED: openbook, fit" in page
    assert not judge.verdicts(workload, found)[0].reached


def test_absence_names_the_module_and_the_memory():
    nothing = Contestant(tuple, tuple, needs="no_such_module")
    assert nothing.absence(1) == "no_such_module is not installed"
    assert "GB are free" in replace(nothing, needs="numpy", bytes_per_row=10**15).absence(1000)
    assert replace(nothing, needs="numpy").absence(1000) is None
    assert replace(nothing, needs=lambda: "the moon is not full").absence(1) == "the moon is not full"


def test_page_keeps_its_words_and_takes_new_tables(tmp_path):
    page = tmp_path / "performance.md"
    page.write_text("# Speed\n\nWords.\n\n<!-- bench:duel -->\nold\n<!-- /bench:duel -->\n\nMore words.\n")
    found = result({"rounds": [measured([0.25])]}, {"rounds": [measured([1.0])]})
    for _ in range(2):
        show.write_page(page, duel(Goal("fit", "times", 2, ("peer",))), found)
    text = page.read_text()
    assert "old" not in text
    assert text.count("reached: openbook, fit 4.0 times as fast as peer") == 1
    assert text.startswith("# Speed\n\nWords.")
    assert text.endswith("More words.\n")


@pytest.mark.parametrize("before", ["", "np.ones(4_000_000); [np.ones(10_000) for _ in range(400)]"])
def test_peak_is_above_what_was_there(before):
    """In a process of its own, where nothing or as much was used and freed before: that hides nothing."""
    measure = f"""if True:
        import time, numpy as np
        from bench.child import peak_of

        {before}

        def work():
            held = [np.ones(10_000) for _ in range(400)]
            time.sleep(0.2)  # long enough to be seen where the resident set is sampled
            return sum(part.sum() for part in held)

        print(*peak_of(work)[1])
    """
    done = subprocess.run([sys.executable, "-c", measure], check=True, capture_output=True, text=True)
    above, peak = map(int, done.stdout.split())
    assert 30e6 < above < 60e6  # 32 MB
    assert peak > above


def test_input_counts_each_array_once():
    import numpy as np

    numbers = np.zeros((10, 3))
    assert child.size((numbers, numbers, [np.zeros(5)])) == 240 + 40


def test_processes_of_their_own(tmp_path):
    workload = replace(WORKLOADS["multinomial"], runs=1, warm_rows=0)
    found = run.run(workload, 50, rounds=1, data=tmp_path)
    assert not list(tmp_path.iterdir())  # its folder is gone
    assert json.loads(json.dumps(found))["threads"] == 1
    for line in judge.lines(workload, found):
        assert set(line.seconds) == {"fit", "predict"}, line.note
        assert not line.note


def test_what_fails_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "PYTHONPATH", str(tmp_path))
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").write_text("raise RuntimeError('no luck today')")
    found = run.run(replace(WORKLOADS["gaussian"], runs=1, warm_rows=0), 50, rounds=1, data=tmp_path)
    assert "no luck today" in found["contestants"]["GaussianNB"]["failed"]


def test_libraries_keep_to_the_threads_they_are_given():
    code = "import numba, polars; print(numba.config.NUMBA_NUM_THREADS, polars.thread_pool_size())"
    environment = os.environ | dict.fromkeys(run.THREADS, "3")
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["3", "3"]


def test_the_matrix_of_learners_and_shapes_is_printed(capsys):
    from bench import matrix

    matrix.main(
        ["--share", "0.001", "--learners", "naive Bayes", "ridge", "--shapes", "tiny", "wide", "strings"]
    )
    lines = capsys.readouterr().out.splitlines()
    assert "| | tiny | wide | strings |" in lines
    rows = [line.split("|")[1:-1] for line in lines if line.startswith(("| naive Bayes |", "| ridge |"))]
    assert [[bool(cell.strip()) for cell in row] for row in rows] == [[True, True, True, False], [True] * 4]
    assert any(line.startswith("Median ") and " of 5 cells below 1" in line for line in lines)


def test_a_cell_of_the_matrix_counts_only_where_ours_is_as_good():
    from bench.matrix import Cell, markdown

    found = {
        ("ridge", "tiny"): Cell(2.0, 1.0, 0.9, 0.9),
        ("ridge", "wide"): Cell(0.1, 1.5, 0.8, 0.9),
        ("lasso", "tiny"): Cell(0.1, 1.5, None, None),
        ("lasso", "wide"): None,
    }
    table = markdown(found, 0.5)
    assert "| ridge | **0.5** | worse (0.80 for 0.90) |" in table
    assert "| lasso | 15 |  |" in table
    assert "Median 7.8; 1 of 2 cells below 1" in table


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("protocol", ["usual", "quick", "grouped", "time-ordered", "held-out"])
def test_coverage_is_simulated_for_every_protocol(task, protocol):
    from bench import coverage

    cell = next(cell for cell in coverage.cells() if (cell.task, cell.protocol) == (task, protocol))
    found = coverage.simulate(cell, 3)
    assert set(found) == set(coverage.LEARNERS[task])
    for by_metric in found.values():
        assert set(by_metric) <= set(coverage.metrics_of(task))
        assert all(0 <= each["coverage"] <= 1 for each in by_metric.values())
