"""What all tests share: the golden records, and laws that never fail for being slow."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile("openbook", deadline=None)
hypothesis.settings.load_profile("openbook")

RECORDS = Path(__file__).parent / "golden" / "worked_examples.json"


@pytest.fixture(scope="session")
def golden() -> Callable[[str], dict[str, Any]]:
    """The golden record of that id: `golden("entropy_1_5")["expected"]`."""
    records = {record["id"]: record for record in json.loads(RECORDS.read_text(encoding="utf-8"))}
    return records.__getitem__
