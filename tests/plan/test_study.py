"""A study from Python."""

from html import escape

import pytest

import openbook as ob
from openbook.errors import PlanError
from openbook.report.words import headline

FEW = {"only": ["one_r"], "progress": False}


def test_a_frame_is_studied_as_its_file_is(tmp_path):
    frame = ob.load("weather").to_polars()
    told = []
    result = ob.study(
        frame, target="play", folder=tmp_path / "a", only=["one_r"], progress=lambda *at: told.append(at)
    )
    by_name = ob.study("weather", folder=tmp_path / "b", **FEW)
    assert result.comparison["1R"].score() == by_name.comparison["1R"].score()
    assert result.report.exists()
    assert told[-1][0] == told[-1][1]
    with pytest.raises(PlanError, match="holds a study of other rows"):
        ob.study(frame.head(13), target="play", folder=tmp_path / "a", **FEW)


def test_a_result_shows_itself():
    result = ob.study("weather", quick=True, **FEW)
    chosen, said = result.choice, repr(result)
    assert said.startswith(headline(result))
    assert f"Chosen    {chosen.label}" in said
    assert said.endswith(f"Report: {result.report}")
    html = result._repr_html_()
    assert html.count("<tr>") == 1 + len(result.ranking)
    assert escape(chosen.reason) in html
    assert result.report.exists()


def test_the_target_of_a_frame_is_named():
    with pytest.raises(PlanError, match="say which column to predict: target="):
        ob.study([{"x": 1.0, "y": "a"}, {"x": 2.0, "y": "b"}], **FEW)
