"""Sequences from the command line: a study, new labels, and the derivation of a sentence."""

import polars as pl


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
    assert "sentence names the sequences, which are never divided" in " ".join(told.split())
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


def test_a_model_of_single_rows_may_be_chosen(good):
    sentences("tags.csv", tags=True)
    asked = ("--target", "tag", "--sequence", "sentence", "--quick", "--choose", "random field, row by row")
    told = good("study", "tags.csv", *asked, "--learner", "conditional_random_field")
    assert "The model: random field, row by row" in told
