"""The command as a process: what it imports, how it ends, what it leaves when it is stopped."""

import os
import signal
import subprocess
import sys
import time

import pytest

import openbook as ob
from openbook.baseline import ZeroR

COMMAND = [sys.executable, "-c", "from openbook.cli.main import app; app(prog_name='openbook')"]


def environment(**more):
    return {**os.environ, "PYTHONIOENCODING": "utf-8", **more}


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom openbook.cli.main import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'polars', 'numba', 'pandas', 'joblib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_new_user_studies_weather(tmp_path):
    done = subprocess.run(
        [*COMMAND, "study", "weather"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Report: weather" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_terminal_without_unicode_is_no_hindrance(tmp_path):
    done = subprocess.run(
        [*COMMAND, "study", "weather", "--learner", "c45"],
        cwd=tmp_path,
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii"),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Report: weather" in done.stdout


def test_a_pipe_that_closes_early_is_no_trouble(tmp_path):
    X, y = ob.load("loan").split("cheat")
    ob.save(ZeroR().fit(X, y), tmp_path / "m.openbook")
    (tmp_path / "many.csv").write_text("owner,status,income\n" + "No,Married,120\n" * 20_000)
    process = subprocess.Popen(
        [*COMMAND, "predict", "m.openbook", "many.csv"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().strip() == b"owner,status,income,prediction"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait()
    process.stderr.close()


def test_a_warning_is_a_note_in_one_line(tmp_path):
    X = ob.load("loan").drop("cheat", "owner", "status")
    ob.save(ZeroR().fit(X.block(["income"]), [0, 1] * 5), tmp_path / "m.openbook")
    (tmp_path / "new.csv").write_text("x0\n1\n")
    command = [*COMMAND, "predict", "m.openbook", "new.csv"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 0
    assert done.stderr == "openbook: note: X has feature names, but ZeroR was fitted without feature names\n"


SLOW = """
import sys, time
from openbook.plan.judging import StudyFolds
judge = StudyFolds.result
def slowly(*args):
    time.sleep(0.05)
    return judge(*args)
StudyFolds.result = slowly
from openbook.cli.main import app
app(prog_name='openbook')
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for another process")
def test_an_interrupted_study_says_so_in_one_line_and_goes_on(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "study", "weather", "--learner", "naive_bayes"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    results = tmp_path / "weather" / "results.jsonl"
    while process.poll() is None and (not results.exists() or results.read_bytes().count(b"\n") < 5):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.decode() == "openbook: interrupted; run the same command again to resume a study\n"
    assert sorted(p.name for p in (tmp_path / "weather").iterdir()) == ["plan.toml", "results.jsonl"]
    found = results.read_bytes()
    done = subprocess.run(
        [*COMMAND, "study", "weather", "--learner", "naive_bayes"],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert results.read_bytes().startswith(found)


def test_threads_left_at_work_do_not_meet_the_end_of_python():
    # what a time limit leaves at work may be compiling, and Python would take the compiler away below it
    code = (
        "import atexit, sys, threading, time\nfrom openbook.cli.main import app\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "atexit.register(print, 'Python ends')\n"
        "sys.argv = ['openbook', '--version']\napp()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("openbook ")
    assert "Python ends" not in done.stdout


def test_duckdb_has_nothing_to_say_at_the_end(tmp_path):
    connection = pytest.importorskip("duckdb").connect(str(tmp_path / "t.duckdb"))
    connection.execute("CREATE TABLE sales AS SELECT * FROM range(20)")
    connection.close()
    describe = [*COMMAND, "describe", str(tmp_path / "t.duckdb")]
    assert subprocess.run(describe, capture_output=True, text=True, check=True).stderr == ""
