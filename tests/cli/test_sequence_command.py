"""Sequences from the command line: a study, new labels, and the derivation of a sentence."""

from functools import partial

import polars as pl

import openbook as ob
from openbook.cli import predictions
from openbook.sequence import HiddenMarkovClassifier


def sentences(path, *, tags):
    """Sentences of names: the second word of two goes on with a name, whatever it is."""
    names, rows = ["Ann", "Lee", "Kim"], []
    for s in range(27):
        first, second = names[s % 3], names[s // 3 % 3]
        words = [(first, "B-PER"), (second, "I-PER"), ("met", "O"), (second, "B-PER")]
        rows += [{"sentence": s, "word": word, "tag": tag} for word, tag in words]
    frame = pl.DataFrame(rows)
    (frame if tags else frame.drop("tag")).write_csv(path)


def test_a_file_of_sequences_is_tagged(here, good, complaint):
    sentences("tags.csv", tags=True)
    sentences("new.csv", tags=False)
    learner = ("--learner", "conditional_random_field")
    told = good("study", "tags.csv", "--target", "tag", "--sequence", "sentence", "--quick", *learner)
    assert "sentence identifies the sequences, which are never split" in " ".join(told.split())
    assert "Rows, sequences and spans" in told
    assert 'sequence = "sentence"' in (here / "tags" / "plan.toml").read_text()
    tagged = good("predict", "tags", "new.csv").splitlines()
    assert tagged[:4] == ["sentence,word,prediction", "0,Ann,B-PER", "0,Ann,I-PER", "0,met,O"]
    # the derivation of a row is that of the whole sentence
    assert "best       B-PER  I-PER  O  B-PER" in good("work", "tags", "new.csv", "--row", 5)
    pl.read_csv("new.csv").head(4).write_csv("one.csv")
    good("draw", "tags", "--data", "one.csv", "-o", "trellis.svg")
    assert "B-PER, I-PER, O, B-PER" in (here / "trellis.svg").read_text()
    assert "--sequence COLUMN" in complaint("study", "tags.csv", "--target", "tag", "--out", "x", *learner)


def test_a_large_file_is_tagged_sequence_by_sequence(here, good, complaint, monkeypatch):
    sentences("new.csv", tags=False)
    rows, labels = ob.read("new.csv"), ["B-PER", "I-PER", "O", "B-PER"] * 27
    model = ob.save(HiddenMarkovClassifier(sequence="sentence").fit(rows, labels), here / "m.openbook")
    whole = good("predict", model, "new.csv")
    monkeypatch.setattr(predictions, "STREAMED", 0)
    for chunk in (1, 2, 5, 8, 200):
        monkeypatch.setattr(predictions, "scan", partial(ob.scan, chunk_rows=chunk))
        assert good("predict", model, "new.csv") == whole
    pl.read_csv("new.csv").sort("word").write_csv("mixed.csv")
    assert "must stand together" in complaint("predict", model, "mixed.csv")


def test_rows_without_the_column_are_one_sequence(here, good, openbook):
    sentences("new.csv", tags=False)
    rows, labels = ob.read("new.csv"), ["B-PER", "I-PER", "O", "B-PER"] * 27
    model = ob.save(HiddenMarkovClassifier(sequence="sentence").fit(rows, labels), here / "m.openbook")
    pl.read_csv("new.csv").head(4).drop("sentence").write_csv("one.csv")
    good("draw", model, "--data", "one.csv", "-o", "trellis.svg")
    assert "B-PER, I-PER, O, B-PER" in (here / "trellis.svg").read_text()
    result = openbook("predict", model, "one.csv")
    assert result.stdout.split()[1:] == ["Ann,B-PER", "Ann,I-PER", "met,O", "Ann,B-PER"]
    assert result.stderr == "openbook: warning: no column 'sentence': all rows are read as one sequence\n"


def test_a_model_of_single_rows_may_be_chosen(good):
    sentences("tags.csv", tags=True)
    asked = ("--target", "tag", "--sequence", "sentence", "--quick", "--choose", "random field, row by row")
    told = good("study", "tags.csv", *asked, "--learner", "conditional_random_field")
    assert "The model: random field, row by row" in told
