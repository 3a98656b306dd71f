"""More training rows: drawn again, mixed, with noise, other words, moved pixels and sounds."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.errors import OpenbookError
from openbook.prepare import AugmentImages, AugmentSounds, AugmentTexts, Jitter, Mixup, Prepared, SampleRows
from openbook.store import open_model, save


def test_mixup_and_jitter_stay_near(rare):
    X, y = rare
    new, labels = Mixup(alpha=0.2).fit_resample(X, y)
    assert labels.tolist() == [*y, *y]
    first, second = np.asarray(X["x"]), np.asarray(new["x"])[72:]
    assert (np.abs(second - first) <= 0.5 * np.ptp(first)).all()  # λ is at least a half
    step = Jitter({"x": 0.01}, copies=2)
    more, _ = step.fit_resample(X, y)
    assert len(more) == 216
    noise = np.asarray(more["x"])[72:] - np.r_[first, first]
    assert noise.std() == pytest.approx(0.01, rel=0.25)  # 144 draws: a standard error of 6%
    assert more["colour"].tolist() == X["colour"].tolist() * 3
    with pytest.raises(OpenbookError, match="no numeric column"):
        Jitter({"colour": 1.0}).fit(X, y)


def test_sample_rows(rare):
    X, y = rare
    step = SampleRows(max_samples=0.5, replace=False).fit(X, y)
    assert len(set(step.rows_.tolist())) == 36
    assert len(set(SampleRows().fit(X, y).rows_.tolist())) < 72
    with pytest.raises(OpenbookError, match="without replacement"):
        SampleRows(max_samples=1.5, replace=False).fit(X, y)


# texts


@pytest.fixture
def reviews():
    texts = ["A big film, and a long one.", "Short!", None, "big Big BIG"]
    return ob.read({"review": texts, "stars": [1.0, 2.0, 3.0, 4.0]}, {"review": "text"})


def test_words_are_left_out_and_one_stays(reviews):
    step = AugmentTexts(dropout=1.0)
    new, labels = step.fit_resample(reviews, list("abab"))
    assert labels.tolist() == list("abababab")
    first, second, third, last = new["review"].tolist()[4:]
    assert first in ["A", "big", "film,", "and", "a", "long", "one."]
    assert (second, third) == ("Short!", None)
    assert last in ("big", "Big", "BIG")
    assert new["stars"].tolist() == [1.0, 2.0, 3.0, 4.0] * 2
    assert step.changes_ == {"left out": 8, "swapped": 0, "replaced": 0}  # 6 of 7, none of 1, 2 of 3


def test_words_change_places(reviews):
    step = AugmentTexts(dropout=0.0, swap=1.0)
    new, _ = step.fit_resample(reviews, list("abab"))
    # each word in turn changes with the next, so the first travels to the end
    assert new["review"].tolist()[4] == "big film, and a long one. A"
    assert step.changes_["swapped"] == 6 + 2


def test_synonyms_keep_punctuation_and_capitals(reviews, tmp_path):
    path = tmp_path / "synonyms.txt"
    path.write_text("# sizes\nbig, huge\n\nfilm, motion picture\n", encoding="utf-8")
    step = AugmentTexts(dropout=0.0, synonyms=str(path), replacement=1.0)
    new, _ = step.fit_resample(reviews, list("abab"))
    assert new["review"].tolist()[4:] == [
        "A huge motion picture, and a long one.",
        "Short!",
        None,
        "huge Huge Huge",
    ]
    assert step.changes_["replaced"] == 5
    with pytest.raises(OpenbookError, match=r"cannot read the synonyms of 'none\.txt'"):
        AugmentTexts(synonyms="none.txt").fit(reviews, list("abab"))


def test_a_table_without_texts_is_said():
    few = ["a big film", "short", "a big film", "short"]  # read as a nominal column
    step = AugmentTexts()
    new, _ = step.fit_resample({"review": few}, list("abab"))
    assert new["review"].tolist() == few * 2
    assert "No column is a text, so each copy equals its row" in step.work().conclusion


# images


def ramp(height=9, width=9):
    """An image whose pixels are their row: linear, so that interpolation is exact."""
    return np.repeat(np.arange(float(height)), width)


def copies_of(image, shape, **parameters):
    """The copies of an image, as arrays of its shape."""
    step = AugmentImages(shape=shape, copies=20, **parameters)
    new, _ = step.fit_resample([image], ["a"])
    return np.asarray(new)[1:].reshape(20, *shape)


def slopes(copies):
    """The slope of each copy along rows and columns, in the middle, where nothing comes from outside."""
    middle = copies[:, 3:6, 3:6]
    return np.diff(middle, axis=1).mean(axis=(1, 2)), np.diff(middle, axis=2).mean(axis=(1, 2))


def test_images_shift_by_whole_pixels():
    image = np.random.default_rng(0).random((5, 4))
    padded = np.pad(image, 2, mode="edge")
    moved = [padded[2 - i : 7 - i, 2 - j : 6 - j] for i in range(-2, 3) for j in range(-2, 3)]
    places = {
        next(i for i, one in enumerate(moved) if np.allclose(one, copy))
        for copy in copies_of(image.ravel(), (5, 4), shift=2)
    }
    assert len(places) > 8  # 20 draws of 25 places


@pytest.mark.parametrize(("flip", "mirrored"), [("horizontal", np.fliplr), ("vertical", np.flipud)])
def test_half_of_the_images_are_mirrored(flip, mirrored):
    image = np.random.default_rng(0).random((3, 4))
    copies = copies_of(image.ravel(), (3, 4), shift=0, flip=flip)
    is_mirrored = [np.allclose(copy, mirrored(image)) for copy in copies]
    assert all(np.allclose(copy, image) for copy, m in zip(copies, is_mirrored, strict=True) if not m)
    assert 3 <= sum(is_mirrored) <= 17  # beyond it with probability 0.0004


def test_images_rotate_resize_and_crop():
    down, right = slopes(copies_of(ramp(), (9, 9), shift=0, rotate=30))
    assert np.allclose(down**2 + right**2, 1)  # a turn keeps the length of a slope
    angles = np.degrees(np.arctan2(right, down))
    assert np.abs(angles).max() <= 30
    assert angles.std() == pytest.approx(30 / np.sqrt(3), rel=0.4)
    down, right = slopes(copies_of(ramp(), (9, 9), shift=0, resize=0.25))
    assert np.allclose(right, 0)
    assert ((down >= 1 / 1.25) & (down <= 1 / 0.75)).all()
    down, _ = slopes(copies_of(ramp(), (9, 9), shift=0, crop=0.5))
    assert np.allclose(down, 0.5)  # half of the rows fill the image


def test_images_are_brighter_or_noisy_within_their_range():
    image = np.full(100, 0.5)
    image[0], image[1] = 0.0, 1.0
    ratio = copies_of(image, (10, 10), shift=0, brightness=0.2)[:, 5, 5] / 0.5
    assert 0.8 <= ratio.min() < 1 < ratio.max() <= 1.2
    noisy = copies_of(image, (10, 10), shift=0, noise=0.1)
    assert 0.0 <= noisy.min() < noisy.max() <= 1.0
    assert (noisy[:, 1:] - 0.5).std() == pytest.approx(0.1, rel=0.1)  # 1,800 draws: a standard error of 2%


def test_channels_move_together_and_missing_pixels_stay():
    image = np.random.default_rng(0).random((4, 4, 3))
    image[1, 1, 0] = np.nan
    copies = copies_of(image.ravel(), (4, 4, 3), shift=1, flip="horizontal")
    assert all(np.isnan(copy).sum() == 1 for copy in copies)
    assert all(np.isin(copy[:, :, 2], image[:, :, 2]).all() for copy in copies)
    for odd in ((8, 8), 48, "48", (6.5, 8), (0, 48)):
        with pytest.raises(OpenbookError, match="does not fit: there are 48 columns of pixels"):
            AugmentImages(shape=odd).fit([image.ravel()], ["a"])


# sounds


def sounds_like(sound, **parameters):
    new, _ = AugmentSounds(copies=20, **parameters).fit_resample([sound], ["a"])
    return np.asarray(new)[1:]


def test_sounds_shift_in_time_and_volume():
    sound = np.arange(1.0, 7.0)
    later = [np.r_[np.zeros(d), sound[: 6 - d]] for d in (0, 1, 2)]
    sooner = [np.r_[sound[d:], np.zeros(d)] for d in (1, 2)]
    copies = sounds_like(sound, volume=0.0, shift=2)
    assert {tuple(copy) for copy in copies} == {tuple(one) for one in later + sooner}
    louder = sounds_like(sound, volume=0.3) / sound
    assert np.allclose(louder, louder[:, :1])
    assert 0.7 <= louder.min() < 1 < louder.max() <= 1.3


def test_sounds_shift_in_frequency():
    t = np.arange(64)
    tone = np.cos(2 * np.pi * 8 * t / 64)  # 1,000 hertz at 8,000 samples a second
    copies = sounds_like(tone, volume=0.0, frequency=300, rate=8000)
    heard = np.arccos(copies[:, 1]) / (2 * np.pi) * 8000
    assert 700 <= heard.min() < heard.max() <= 1300
    assert np.allclose(copies, np.cos(2 * np.pi * heard[:, None] * t / 8000))
    with pytest.raises(OpenbookError, match="at most half the rate"):
        sounds_like(tone, frequency=0.6)
    with pytest.raises(OpenbookError, match="impute them first"):
        sounds_like([1.0, np.nan, 0.0], frequency=0.1)


# in a model


@pytest.mark.parametrize(
    "step",
    [
        "balance smote",
        "balance under",
        "jitter 0.2",
        "mixup 0.3",
        "sample 0.8 once",
        "augment-images x z shape=1,2 noise=0.1",
        "augment-sounds 2 x z",
    ],
)
def test_rows_to_predict_stay_and_the_model_is_saved(rare, step, tmp_path):
    X, y = rare
    model = Prepared(NaiveBayes(), [step]).fit(X, y)
    assert len(model.predict(X)) == 72
    assert model.prepared(X).row(1) == X.row(1)
    again = open_model(save(model, tmp_path / "m.openbook"))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.work().text() == model.work().text()
    assert "training row" in model.work().text() or "rows before" in model.work().text()


def test_texts_are_augmented_for_the_learner_that_counts_words(tmp_path):
    texts = ["good film", "bad film", "good plot", "bad plot"] * 5
    X, y = ob.read({"review": texts}, {"review": "text"}), ["yes", "no"] * 10
    model = Prepared(NaiveBayes(), ["augment-texts review dropout=0.3"]).fit(X, y)
    assert model.predict(X).tolist() == y
    again = open_model(save(model, tmp_path / "m.openbook"))
    assert again.work().text() == model.work().text()
    assert "good film" in model.work().text()


def test_scikit_learns_pipeline_would_leave_the_rows_as_they_are(rare):
    with pytest.warns(UserWarning, match=r"does nothing there; use .*Prepared\(learner, \[Jitter"):
        make_pipeline(Jitter(), NaiveBayes()).fit(*rare)
