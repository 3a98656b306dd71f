"""Queries to a belief network from a model file, from a BIF file, or learnt from a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from openbook.cli.bar import waiting
from openbook.cli.drawings import is_model, model_in
from openbook.cli.tables import open_table, study_file
from openbook.errors import DataError
from openbook.network import BeliefNetwork
from openbook.report.fitted import unwrapped
from openbook.words.sentences import listed, plural, printable


def opened_network(source: str, kinds: Any, read_with: Mapping[str, Any]) -> BeliefNetwork:
    """The network of a file or of a study's folder; from a table one is learnt, with a message."""
    path = Path(source)
    if is_model(source) or path.is_dir():
        return _network_of(model_in(study_file(path)))
    table = open_table(source, kinds, read_with)
    with waiting("Learning"):
        network = BeliefNetwork().fit(table)
    edges = listed([f"{parent} → {child}" for parent, child in network.graph_.edges], most=12)
    words = f"Network learnt from {plural(len(table), 'row')} (hill climbing, BIC): {edges or 'no edges'}"
    typer.echo(printable(words), err=True)
    return network


def _network_of(model: Any) -> BeliefNetwork:
    """The belief network of a model: itself, or that of a classifier, also of one with a tuned threshold."""
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
        if name.strip() in found:
            raise DataError(f"--given {finding}: {name.strip()} is given twice")
        found[name.strip()] = value.strip()
    return found


def answered(network: Any, ask: Sequence[str], evidence: dict[str, str]) -> str:
    """The answer as lines, safe for a terminal, with the probability of the findings."""
    answer = network.query(list(ask), given=evidence)
    lines = [printable(line) for line in str(answer).splitlines()]
    if evidence:
        lines.append(f"P(findings) = {answer.evidence:.6g}")
    return "\n".join(lines)
