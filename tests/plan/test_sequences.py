"""A study of sequences: from the file to labels of new sequences."""

import numpy as np
import polars as pl
import pytest

import openbook as ob
from openbook.errors import PlanError
from openbook.plan import make_plan, run
from openbook.plan.export import export
from openbook.plan.rows import StudyRows


@pytest.fixture(scope="module")
def tags(tmp_path_factory):
    """Sentences in which a capital word begins a name, and a second one goes on with it."""
    rng = np.random.default_rng(0)
    rows = []
    for s in range(40):
        words = [("he", "O"), (f"ran{rng.integers(9)}", "O")]
        name = [(f"Ann{rng.integers(9)}", "B-PER"), (f"Lee{rng.integers(9)}", "I-PER")]
        words[1:1] = name[: rng.integers(0, 3)]
        rows += [{"sentence": f"s{s:02d}", "word": word, "tag": tag} for word, tag in words]
    path = tmp_path_factory.mktemp("tags") / "tags.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


@pytest.fixture(scope="module")
def result(tags, tmp_path_factory):
    plan = make_plan(
        tags,
        "tag",
        sequence="sentence",
        only=["conditional_random_field", "naive_bayes"],
        cv=3,
        repeats=1,
        test_share=0.25,
    )
    return run(plan, tmp_path_factory.mktemp("study"))


def test_only_models_of_sequences_see_the_sequence(tags, result):
    assert result.columns["conditional random field"] == ("word", "sentence")
    assert result.columns["naive Bayes"] == ("word",)
    assert result.columns["random field, row by row"] == ("word", "sentence")


def test_no_sequence_is_divided(tags):
    plan = make_plan(tags, "tag", sequence="sentence", only=["naive_bayes"], cv=3, repeats=1, test_share=0.25)
    rows = StudyRows(plan, ob.read(tags))
    names = np.array(rows.table.column("sentence").tolist())
    for some, others in [*rows.splits, (rows.train, rows.locked)]:
        assert not {*names[some]} & {*names[others]}


def test_rows_sequences_and_spans_are_scored(result):
    scores = result.looks.sequences
    assert set(scores) == set(result.comparison.evaluations)
    assert [one.kind for one in scores["conditional random field"].spans] == ["PER"]
    assert "F1 of spans" in (result.folder / "report.html").read_text(encoding="utf-8")
    # the example that is worked is a whole sentence
    assert any(len(one.works[result.choice.label]["paths"].header) > 2 for one in result.examples)


def test_the_model_labels_new_sequences(result):
    model = ob.open_model(result.model_file)
    assert model.sequence == "sentence"
    words = ["he", "Ann7", "Lee1", "ran3", "he", "ran0"]
    new = [{"sentence": s, "word": word} for s, word in zip("aaaabb", words, strict=True)]
    assert model.predict(new).tolist() == ["O", "B-PER", "I-PER", "O", "O", "O"]


def test_the_script_gives_models_the_same_columns(tags):
    plan = make_plan(tags, "tag", sequence="sentence", only=["conditional_random_field", "naive_bayes"])
    script = export(plan)
    assert "'naive Bayes': [name for name in X.names if name not in ['sentence']]" in script
    assert "'conditional random field': X.names" in script
    assert "groups = table.column('sentence')" in script


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sequence": "sentence", "group": "word"}, "roles.group: sequences are kept whole"),
        ({"only": ["conditional_random_field"]}, "--sequence COLUMN"),
        ({"sequence": "tag"}, "'tag' is the target"),
    ],
)
def test_what_does_not_fit_is_said(tags, options, message):
    with pytest.raises(PlanError, match=message):
        make_plan(tags, "tag", **options)
