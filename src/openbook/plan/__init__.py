"""A study as data: plan, run, export."""

from openbook.plan.aim import Aim, aim
from openbook.plan.make import make_plan
from openbook.plan.plan import Candidate, Hypothesis, Plan, Protocol, Roles, Source
from openbook.plan.run import StudyResult, run

__all__ = [
    "Aim",
    "Candidate",
    "Hypothesis",
    "Plan",
    "Protocol",
    "Roles",
    "Source",
    "StudyResult",
    "aim",
    "make_plan",
    "run",
]
