"""A belief network from a file with missing values: learn it, ask it, check the answer by hand."""

import tempfile
from pathlib import Path

import numpy as np

import openbook as ob
from openbook.network import BeliefNetwork, heart_disease

# A file of patients, one cell in ten missing.
rng = np.random.default_rng(0)
patients = heart_disease().sample_rows(2000, random_state=1)
gappy = [{name: None if rng.random() < 0.1 else cell for name, cell in row.items()} for row in patients]
path = Path(tempfile.mkdtemp()) / "patients.csv"
ob.read(gappy).to_polars().write_csv(path)

# The structure by BIC, the tables by expectation-maximisation: the log-likelihood never falls.
network = BeliefNetwork().fit(path)
print("Edges:", ", ".join(f"{parent} -> {child}" for parent, child in network.graph_.edges))
print("Log-likelihood:", ", ".join(f"{value:.1f}" for value in network.trace_))

# A question, and every product and sum behind the answer.
given = {"blood pressure": "high", "exercise": "no"}
print(network.query("heart disease", given=given))
print(network.work("heart disease", given=given))

# The same from the command line.
model = ob.save(network, path.with_suffix(".openbook"))
print(
    f'openbook query {model} --ask "heart disease" --given "blood pressure=high" --given exercise=no --work'
)
