"""Tables that leave little to learn from: a study ends with a report, or with one line of what to do."""

import pytest

A = ["1.5", "0.2", "2.2", "0.9", "1.1", "3.4", "0.1", "2.8"]


def table(targets, cells=lambda i: f"{A[i % 8]}{i},{A[(i * 3 + 1) % 8]}"):
    return "\n".join(["a,b,y", *(f"{cells(i)},{target}" for i, target in enumerate(targets))]) + "\n"


def rare(positives):
    return table(["yes"] * positives + ["no"] * (60 - positives))


STUDIED = {
    "one positive": rare(1),
    "two positives": rare(2),
    "three positives": rare(3),
    "three rows": table(["yes", "no", "no"]),
    "two rows": table(["yes", "no"]),
    "a class with one row": table(["c"] + ["a", "b"] * 30),
    "every input missing": table(["yes", "no", "no"] * 20, lambda _: ","),
    "constant inputs": table(["yes", "no", "no"] * 20, lambda _: "1,x"),
}
REFUSED = {
    "one row": (table(["yes"]), "has one value only"),
    "one class": (table(["yes"] * 30), "has one value only"),
    "every row a class": (table([f"c{i}" for i in range(60)]), "is y the right column?"),
}
EFFORTS = ([], ["--quick"], ["--thorough"])
FEW = ["--target", "y", "--learner", "naive_bayes"]


@pytest.mark.parametrize("effort", EFFORTS, ids=str)
@pytest.mark.parametrize("text", STUDIED.values(), ids=STUDIED)
def test_there_is_a_report(here, openbook, text, effort):
    (here / "hard.csv").write_text(text)
    folds = ["--folds", "3", "--repeats", "1"] if text.count("\n") > 50 else []
    done = openbook("study", "hard.csv", *FEW, *folds, *effort)
    assert done.exit_code == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (here / "hard" / "report.html").exists()
    assert (here / "hard" / "model.openbook").exists()


@pytest.mark.parametrize("positives", [1, 2, 3])
def test_it_says_first_what_cannot_be_evaluated(here, openbook, positives):
    (here / "rare.csv").write_text(table(["yes"] * positives + ["no"] * (400 - positives)))
    folds = ("--folds", "2", "--repeats", "1", "--test-share", "0")
    done = openbook("study", "rare.csv", *FEW, *folds, "--thorough")
    assert done.exit_code == 0, done.stderr
    have = "training row has" if positives == 1 else "training rows have"
    first = f"Only {positives} {have} y = yes: whether a model finds such rows cannot be evaluated."
    said = " ".join(done.stdout.split())
    assert first in said
    assert "apart from no, every class has fewer than 5 rows, so inner folds cannot compare settings" in said
    assert first in (here / "rare" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_there_is_one_line(here, complaint, text, said):
    (here / "hard.csv").write_text(text)
    assert said in (line := complaint("study", "hard.csv", *FEW))
    assert line.endswith("(report: hard/report.html)\n")
    page = (here / "hard" / "report.html").read_text(encoding="utf-8")
    assert "No model can be evaluated on this table." in page
    assert said in page
    assert "median" in page  # the columns are described
    assert [path.name for path in (here / "hard").iterdir()] == ["report.html"]


def test_a_report_of_nothing_makes_room_for_a_study(here, complaint, good):
    rows = [f"{A[i % 8]}{i},{'pq'[i % 2]},g,{i % 3 > 0}" for i in range(60)]
    (here / "hard.csv").write_text("\n".join(["a,b,group,y", *rows]))
    assert "all rows are of group 'g'" in complaint("study", "hard.csv", *FEW, "--group", "group")
    good("study", "hard.csv", *FEW, "--ignore", "group", "--quiet")
    assert "In short" in (here / "hard" / "report.html").read_text(encoding="utf-8")
    assert "one value only" in complaint("study", "hard.csv", "--target", "group")
    assert (here / "hard" / "model.openbook").exists()  # a study is not written over


def test_predictions_read_missing_cells_and_none_as_the_study_did(here, good):
    """-1 is missing; None is a roof, which two new rows alone would not tell; days are dates with a time."""
    rows = [
        f"{i % 7 - 1},{'None' if i % 3 else 'tile'},{i % 28 + 1}/12/2024 0{i % 9}:00,{i % 3 * 2 + i % 7}"
        for i in range(60)
    ]
    (here / "houses.csv").write_text("age,roof,sold,price\n" + "\n".join(rows) + "\n")
    (here / "new.csv").write_text("age,roof,sold\n-1,None,31/12/2024 8:30\n3,,30/12/2024 8:00\n")
    good("study", "houses.csv", "-t", "price", "--missing=-1", "--quick", "--learner", "cart_regressor", "-q")
    header, *lines = good("predict", "houses", "new.csv").splitlines()
    assert header == "age,roof,sold,prediction"
    assert [line.rpartition(",")[0] for line in lines] == [
        ",None,2024-12-31 08:30:00",
        "3,,2024-12-30 08:00:00",
    ]
    given = good("predict", "houses", "new.csv", "--missing", "3").splitlines()
    assert [line.split(",")[0] for line in given] == ["age", "-1", ""]
