"""Questions to a belief network in a model file."""

from collections.abc import Sequence
from typing import Any

from openbook.errors import DataError
from openbook.report.fitted import unwrapped
from openbook.work.formula import printable

__all__ = ["answered", "findings", "network_of"]


def network_of(model: Any) -> Any:
    """The belief network of a model: itself, or that of a classifier, which a threshold may be around."""
    network = getattr(unwrapped(model), "network_", model)
    if not hasattr(network, "query"):
        name = type(model).__name__
        raise DataError(f"{name} is not a belief network; learn one with openbook.network.BeliefNetwork")
    return network


def findings(given: Sequence[str]) -> dict[str, str]:
    """Evidence from words such as smoker=yes."""
    found = {}
    for finding in given:
        name, sign, value = finding.partition("=")
        if not sign:
            raise DataError(f"--given {finding}: write it as NODE=VALUE, such as smoker=yes")
        found[name.strip()] = value.strip()
    return found


def answered(network: Any, ask: Sequence[str], evidence: dict[str, str]) -> str:
    """The answer as lines, safe for a terminal, with the probability of the findings."""
    answer = network.query(list(ask), given=evidence)
    lines = [printable(line) for line in str(answer).splitlines()]
    if evidence:
        lines.append(f"P(findings) = {answer.evidence:.6g}")
    return "\n".join(lines)
