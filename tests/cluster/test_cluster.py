"""The same fit on a cluster: two worker processes of Dask, each reading its own pieces of the files."""

import json
import os
import signal
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from openbook import load, read, scan
from openbook.bayes import NaiveBayes
from openbook.cluster import GaussianMixture, KMeans
from openbook.ensemble import RandomForestClassifier
from openbook.linear import LinearRegression, LogisticRegression
from openbook.network import BeliefNetwork
from openbook.plan import make_plan, run
from openbook.sequence import ConditionalRandomField, HiddenMarkov
from openbook.tree import DecisionTreeClassifier

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Loans with gaps in three Parquet files of several row groups."""
    folder = tmp_path_factory.mktemp("parts")
    table = load("credit", rows=3000, random_state=5)
    for i in range(3):
        part = table.take(slice(1000 * i, 1000 * (i + 1)))
        part.to_polars().write_parquet(folder / f"part-{i}.parquet", row_group_size=250)
    return folder


@pytest.fixture
def client():
    """A new cluster of two worker processes with one thread each: a killed worker may not come back."""
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        patch.syspath_prepend(Path(__file__).parent)  # workers start with the path of this process
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


@pytest.fixture
def workers(client):
    """The processes of the two workers, ready to work."""
    from noted import get_ready

    client.wait_for_workers(2, timeout=60)
    processes = set(client.run(get_ready).values())
    assert len(processes) == 2
    return processes


def noted(source, notes, seconds):
    """The scan with every piece noted."""
    from noted import Noted

    pieces = [Noted(piece, notes, i, seconds) for i, piece in enumerate(source.pieces)]
    return replace(source, pieces=pieces)


def readers(notes):
    return {int(note.name.split("-")[1]) for note in notes.iterdir()}


def same_bits(a, b):
    arrays = b.statistics_.arrays()
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.schema_ == b.schema_
    for name, array in a.statistics_.arrays().items():
        np.testing.assert_array_equal(array, arrays[name], err_msg=name)


def test_two_workers_read_their_own_pieces_and_learn_the_same_bits(files, workers, tmp_path):
    source = scan(f"{files}/*.parquet", chunk_rows=250)
    alone = NaiveBayes(distributions={"amount": "kernel"}).fit(source, "default")
    with joblib.parallel_config(backend="dask"):
        model = NaiveBayes(distributions={"amount": "kernel"}).fit(noted(source, tmp_path, 0.1), "default")
        proba = model.predict_proba(source)
    same_bits(model, alone)
    assert (proba == alone.predict_proba(source)).all()
    assert readers(tmp_path) == workers
    assert len(list(tmp_path.iterdir())) == len(source.pieces)


def test_a_forest_grows_the_same_on_the_cluster(files, workers):
    source = scan(f"{files}/*.parquet", chunk_rows=250)
    assert len(workers) == 2
    alone = RandomForestClassifier(11, random_state=0).fit(source, "default")
    with joblib.parallel_config(backend="dask"):
        model = RandomForestClassifier(11, random_state=0).fit(source, "default")
    assert (model.oob_curve_ == alone.oob_curve_).all()
    for ours, other in zip(model.trees_, alone.trees_, strict=True):
        for name, array in ours._asdict().items():
            np.testing.assert_array_equal(array, getattr(other, name), err_msg=name)


@pytest.fixture
def visits(tmp_path):
    """Loans as visits of patients, with gaps, in a file of several row groups; patients reach over them."""
    table = load("credit", rows=480, random_state=5).select(["age", "work", "income", "default"])
    patients = [f"p{i // 35}" for i in range(len(table))]
    rows = [{"patient": p, **row} for p, row in zip(patients, table, strict=True)]
    read(rows).to_polars().write_parquet(tmp_path / "visits.parquet", row_group_size=60)
    return tmp_path / "visits.parquet"


FOLDED = {  # each a loop of folds: its learner, the columns it leaves out, its target, and what it learns
    "expectation-maximisation": (
        BeliefNetwork([("work", "default"), ("income", "default")], gaussian=["age"], max_iter=3),
        ["patient"],
        None,
        lambda model: [*model.tables_.values(), *model.normals_["age"], np.array(model.trace_)],
    ),
    "Baum–Welch": (
        HiddenMarkov(3, sequence="patient", max_iter=3),
        [],
        None,
        lambda model: [model.transitions_, model.means_, *model.emissions_.tables, np.array(model.trace_)],
    ),
    "the gradient of a conditional random field": (
        ConditionalRandomField(sequence="patient", max_iter=3),
        [],
        "default",
        lambda model: [model.coef_, model.transitions_, np.array(model.trace_)],
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_threads_scans_and_the_cluster_learn_the_same(name, visits, workers, tmp_path):
    learner, without, target, learnt = FOLDED[name]
    source = scan(visits, chunk_rows=60)
    arguments = () if target is None else (target,)

    def fitted(rows):
        return learnt(clone(learner).fit(rows, *arguments))

    columns = [column for column in source.names if column not in without]
    alone = fitted(source.select(columns))
    with joblib.parallel_config(backend="threading", n_jobs=3):
        threads = fitted(source.select(columns))
    notes = tmp_path / "notes"
    notes.mkdir()
    with joblib.parallel_config(backend="dask"):
        cluster = fitted(noted(source.select(columns), notes, 0.05))
    memory = fitted(read(visits).select(columns))
    for one, other, third, fourth in zip(alone, threads, cluster, memory, strict=True):
        np.testing.assert_array_equal(other, one)
        np.testing.assert_array_equal(third, one)
        np.testing.assert_allclose(fourth, one, rtol=1e-7, atol=1e-9)
    assert readers(notes) == workers  # both read pieces of the file


LEARNERS = {  # a learner, and its target if it has one
    "naive Bayes": (NaiveBayes(), "default"),
    "least squares": (LinearRegression(), "amount"),
    "logistic regression": (LogisticRegression(), "default"),
    "tree": (DecisionTreeClassifier(), "default"),
    "forest": (RandomForestClassifier(5, random_state=0), "default"),
    "k-means": (KMeans(3, n_init=2, random_state=0), None),
    "mixture": (GaussianMixture(2, max_iter=5, random_state=0), None),
}


def fitted(learner, source, target):
    """A copy of the learner, fitted; as the arrays of its model file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few rounds need not converge
        model = clone(learner).fit(source) if target is None else clone(learner).fit(source, target)
    return dict(everything(model._saved(), ""))


def everything(saved, prefix):
    """The arrays of a saved model and of its members, by name."""
    for name, array in saved.arrays.items():
        yield f"{prefix}{name}", array
    for name, member in saved.members.items():
        yield from everything(member._saved(), f"{prefix}{name}.")


@pytest.mark.parametrize("name", LEARNERS)
def test_a_worker_killed_in_mid_fold_changes_nothing(name, files, workers, tmp_path):
    learner, target = LEARNERS[name]
    source = scan(f"{files}/*.parquet", chunk_rows=500)
    alone, killed = fitted(learner, source, target), []

    def kill_the_first_reader():
        while not killed:
            for pid in readers(tmp_path) & workers:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return
            time.sleep(0.01)

    killer = threading.Thread(target=kill_the_first_reader, daemon=True)
    killer.start()
    with joblib.parallel_config(backend="dask"):
        arrays = fitted(learner, noted(source, tmp_path, 0.1), target)
    killer.join(timeout=10)
    assert arrays.keys() == alone.keys()
    for own, array in arrays.items():
        np.testing.assert_array_equal(array, alone[own], err_msg=own)
    assert len(killed) == 1
    assert len(readers(tmp_path)) >= 2
    assert len(list(tmp_path.iterdir())) > len(source.pieces)  # the piece of the dead was read again


def test_an_error_in_a_worker_comes_home(files, workers):
    source = scan(f"{files}/*.parquet", chunk_rows=250)
    gone = files.parent / "gone.parquet"
    (files / "part-2.parquet").rename(gone)
    try:
        with (
            joblib.parallel_config(backend="dask"),
            pytest.raises(ValueError, match="can no longer be opened"),
        ):
            NaiveBayes().fit(source, "default")
    finally:
        gone.rename(files / "part-2.parquet")


def test_a_study_runs_its_folds_on_the_cluster(client, workers, tmp_path):
    from noted import note_folds

    plan = make_plan("wine", cv=3, repeats=1, test_share=0.25, random_state=1, only=["naive_bayes"])
    plan, notes = replace(plan, learners=plan.learners[:3]), tmp_path / "notes"
    notes.mkdir()
    alone = run(plan, tmp_path / "alone", workers=1)
    client.run(note_folds, notes)
    with joblib.parallel_config(backend="dask"):
        on_cluster = run(plan, tmp_path / "cluster")
    assert readers(notes) <= workers
    assert len(list(notes.iterdir())) == 3 * len(plan.learners)  # each of three folds
    one, other = (judged(result.folder) for result in (alone, on_cluster))
    assert len(one) == 3 * len(plan.learners)
    assert one == other


def judged(folder):
    """What was predicted in each fold, without the time it took."""
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    folds = [line for line in lines if line.get("part") == "folds"]
    for line in folds:
        line["result"] = {name: part for name, part in line["result"].items() if not name.endswith("seconds")}
    return sorted(json.dumps(line, sort_keys=True) for line in folds)
