"""A study as data: plan, run, export."""

from openbook.plan.aim import Aim, aim
from openbook.plan.make import make_plan
from openbook.plan.options import StudyOptions
from openbook.plan.parts import Candidate, Hypothesis, Protocol, Roles
from openbook.plan.plan import Plan
from openbook.plan.run import run
from openbook.plan.source import Source
from openbook.report import StudyResult

__all__ = [
    "Aim",
    "Candidate",
    "Hypothesis",
    "Plan",
    "Protocol",
    "Roles",
    "Source",
    "StudyOptions",
    "StudyResult",
    "aim",
    "make_plan",
    "run",
]
