"""The same fit on a Dask cluster: each worker process reads its own part of the files."""

import tempfile
from pathlib import Path

import joblib

import openbook as ob
from openbook.bayes import NaiveBayes

try:
    from dask.distributed import Client, LocalCluster
except ImportError:
    raise SystemExit('this example needs Dask: pip install ".[cluster]"') from None


def main():
    with tempfile.TemporaryDirectory() as folder:
        for part in range(4):
            rows = ob.load("credit", rows=20_000, random_state=part).to_polars()
            rows.write_parquet(Path(folder, f"part-{part}.parquet"))
        scan = ob.scan(f"{folder}/part-*.parquet")
        print(scan)

        alone = NaiveBayes().fit(scan, "default")
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster),
            joblib.parallel_config(backend="dask"),
        ):
            model = NaiveBayes().fit(scan, "default")

    new = ob.load("credit", rows=5000, random_state=99)
    same = (model.predict_proba(new) == alone.predict_proba(new)).all()
    print("two processes and one, bit for bit:", bool(same))


if __name__ == "__main__":  # the workers import this file, too
    main()
