"""The report of a study: one page that opens without a network; and pictures of models."""

from openbook.judge.scores.residuals import draw_residuals
from openbook.report.html import study_html
from openbook.report.study import Example, Looks, StudyResult

__all__ = ["Example", "Looks", "StudyResult", "draw_residuals", "study_html"]
