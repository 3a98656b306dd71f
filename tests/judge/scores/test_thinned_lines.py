"""Lines of a picture keep what can be seen of them: the corners of steps, and both ends."""

import numpy as np

from openbook.judge.scores.score_pictures import _thinned


def test_steps_keep_their_corners():
    x = np.array([0.0, 0.0, 0.0, 0.5, 0.5, 1.0])
    y = np.array([0.0, 0.2, 0.4, 0.4, 0.8, 1.0])
    across, up = _thinned(x, y)
    assert across.tolist() == [0.0, 0.0, 0.5, 0.5, 1.0]  # the point on the way up is not seen
    assert up.tolist() == [0.0, 0.4, 0.4, 0.8, 1.0]


def test_a_slope_keeps_its_points_and_a_point_stays_one():
    x = np.linspace(0, 1, 5)
    assert _thinned(x, x**2)[0].tolist() == x.tolist()
    assert _thinned(np.array([0.5]), np.array([0.5]))[0].tolist() == [0.5]
