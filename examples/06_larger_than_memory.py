"""Fit from files that are never held as a whole, with one worker and with two: the same model."""

import tempfile
from pathlib import Path

import joblib

import openbook as ob
from openbook.bayes import NaiveBayes

with tempfile.TemporaryDirectory() as folder:
    for part in range(6):
        rows = ob.load("credit", rows=50_000, random_state=part).to_polars()
        rows.write_parquet(Path(folder, f"part-{part}.parquet"), row_group_size=25_000)

    scan = ob.scan(f"{folder}/part-*.parquet", chunk_rows=25_000)
    print(scan)

    alone = NaiveBayes().fit(scan, "default")
    with joblib.parallel_config(n_jobs=2):
        threaded = NaiveBayes().fit(scan, "default")
    whole = NaiveBayes().fit(scan.read(), "default")

new = ob.load("credit", rows=5000, random_state=99)
ours = alone.predict_proba(new)
print("one worker and two, bit for bit:", bool((ours == threaded.predict_proba(new)).all()))
print("largest difference to the table in memory:", f"{abs(ours - whole.predict_proba(new)).max():.1e}")
print("P(default):", dict(zip(alone.classes_.tolist(), alone.prior_.round(4).tolist(), strict=True)))
