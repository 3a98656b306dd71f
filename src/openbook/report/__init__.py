"""The report of a study: one page that opens without a network."""

from openbook.report.html import to_html
from openbook.report.study import Example, StudyResult

__all__ = ["Example", "StudyResult", "to_html"]
