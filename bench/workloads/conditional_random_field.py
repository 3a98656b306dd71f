"""A conditional random field: fifty iterations of L-BFGS on sentences of twenty words, the same features."""

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

LABELS, WORDS, LENGTH, ITERATIONS, C2 = 9, 2_000, 20, 50, 1.0


def make(rows, seed):
    """Labels that follow one another, and words that they prefer."""
    rng = np.random.default_rng(seed)
    follow = np.cumsum(rng.dirichlet(np.full(LABELS, 0.3), LABELS), axis=1)
    prefer = np.cumsum(rng.dirichlet(np.full(WORDS, 0.02), LABELS), axis=1)
    sentences = max(rows // LENGTH, 1)
    labels = np.zeros((sentences, LENGTH), dtype=np.intp)
    labels[:, 0] = rng.integers(LABELS, size=sentences)
    for t in range(1, LENGTH):
        labels[:, t] = (rng.random((sentences, 1)) > follow[labels[:, t - 1], :-1]).sum(axis=1)
    words = [int(np.searchsorted(prefer[k], rng.random())) for k in labels.ravel().tolist()]
    return sentences, np.array(words).clip(max=WORDS - 1), labels.ravel()


def prepare(data):
    import openbook as ob

    sentences, words, labels = data
    cells = {
        "sentence": np.repeat(np.arange(sentences), LENGTH).astype(str),
        "word": np.array([f"w{word}" for word in words.tolist()]),
        "kind": np.array([f"k{word % 12}" for word in words.tolist()]),
    }
    rows = [
        dict(zip(cells, row, strict=True)) for row in zip(*(c.tolist() for c in cells.values()), strict=True)
    ]
    return ob.read(rows, kinds=dict.fromkeys(cells, "nominal")), [f"L{label}" for label in labels.tolist()]


def fit_ours(given):
    from openbook.sequence import ConditionalRandomField

    model = ConditionalRandomField(sequence="sentence", words=[], C=1 / (2 * C2), tol=0, max_iter=ITERATIONS)
    return model.fit(*given)


def prepare_theirs(data):
    """The same features as lists of texts, handed over."""
    import pycrfsuite

    sentences, words, labels = data
    trainer = pycrfsuite.Trainer(verbose=False)
    for begin, end in pairwise(range(0, LENGTH * sentences + 1, LENGTH)):
        own = words[begin:end].tolist()
        items = [["every", f"word={w}", f"kind={w % 12}"] for w in own]
        for t in range(LENGTH):
            for name, u in (("previous", t - 1), ("next", t + 1)):
                inside = 0 <= u < LENGTH
                items[t] += [f"{name} word={own[u]}", f"{name} kind={own[u] % 12}"] if inside else [name]
        trainer.append(items, [f"L{label}" for label in labels[begin:end].tolist()])
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": C2,
            "max_iterations": ITERATIONS,
            "feature.possible_states": 1,
            "feature.possible_transitions": 1,
            "epsilon": 0.0,
            "delta": 0.0,
        }
    )
    return trainer, len(words)


def fit_theirs(given):
    trainer, _ = given
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(str(Path(folder) / "model"))  # it cannot do without a file
    return trainer.logparser.last_iteration["loss"]


SENTENCES = Workload(
    name="conditional_random_field",
    title=f"Conditional random field, {LABELS} labels, {ITERATIONS} iterations of L-BFGS",
    rows=40_000,
    make=make,
    contestants={
        OURS: Contestant(prepare, fit_ours, None, lambda model, *_: {"loss per row": model.trace_[-1]}),
        "crfsuite": Contestant(
            prepare_theirs,
            fit_theirs,
            None,
            lambda loss, given, _: {"loss per row": loss / given[1]},
            needs="pycrfsuite",
        ),
    },
    goals=(Goal("fit", "times", 1, ("crfsuite",)),),
    tolerance=0.01,
)
