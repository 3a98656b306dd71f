"""A study of a table with a text column: its words take part, and the model labels new rows as they come."""

import pytest

import openbook as ob
from openbook.errors import PlanError
from openbook.plan import make_plan, run

GOOD, BAD = ("good", "superb", "warm"), ("bad", "dull", "weak")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    lines = ["review,minutes,label"]
    for i in range(60):
        own = GOOD if i % 2 else BAD
        said = f"a {own[i % 3]} film about town number {i} with music and {own[i // 2 % 3]} actors in it"
        lines.append(f"{said},{90 + i % 7},{'liked' if i % 2 else 'not'}")
    path = folder / "reviews.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    plan = make_plan(
        path, "label", only=["naive_bayes", "logistic_regression"], cv=2, repeats=1, test_share=0.0
    )
    return run(plan, folder / "out", workers=1)


def test_words_are_learnt_from(study):
    assert "review" in study.training[0].names
    assert any("review is read as words" in note for note in study.notes)
    scores = {label: study.comparison[label].score() for label in ("naive Bayes", "logistic regression")}
    assert set(scores.values()) == {1.0}


def test_the_model_takes_rows_as_they_come_and_names_words(study):
    model = ob.open_model(study.model_file)
    row = {"review": "so superb, so warm", "minutes": 92}
    assert model.predict([row]).tolist() == ["liked"]
    assert "review: " in str(model.work(row))


def test_new_rows_can_be_compared_with_those_of_training(study):
    model = ob.open_model(study.model_file)
    assert "minutes" in str(model.unlike(study.training[0].take(slice(0, 30))))


def test_report_shows_telling_words_lengths_and_the_text_shaded(study):
    page = study.report.read_text(encoding="utf-8")
    assert "Words that tell most of label" in page
    assert "Words that tell most of label = " not in page  # two classes are told apart once
    assert "Effect of the length of documents" in page
    assert '<mark class="ob-' in page
    assert study.looks.documents.bands[0].wrong == 0


def test_a_study_of_texts_offers_the_learners_of_documents(tmp_path):
    for i in range(60):
        folder = tmp_path / ("not" if i % 2 else "liked")
        folder.mkdir(exist_ok=True)
        (folder / f"{i}.txt").write_text(f"a {(BAD if i % 2 else GOOD)[i % 3]} film")
    labels = {contestant.label for contestant in make_plan(tmp_path, "class").contestants}
    own = {"Rocchio", "linear support vectors"}
    assert own | {"naive Bayes", "nearest neighbours", "logistic regression"} <= labels
    assert "naive Bayes, kernel density" not in labels  # there is no number
    without = make_plan("weather", "play")
    assert not own & {contestant.label for contestant in without.contestants}
    with pytest.raises(PlanError, match="Rocchio: skipped, it is for texts"):
        make_plan("weather", "play", only=["rocchio"])
