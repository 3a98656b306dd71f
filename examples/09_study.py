"""A study from Python: make a plan, run it, and use what it leaves behind."""

import tempfile
from pathlib import Path

import openbook as ob
from openbook.plan import make_plan, run

with tempfile.TemporaryDirectory() as folder:
    data = Path(folder, "wine.csv")
    ob.load("wine").to_polars().write_csv(data)

    plan = make_plan(data, target="cultivar", repeats=2)
    print(plan.to_toml())

    result = run(plan, Path(folder, "wine"))
    print(result.comparison, "\n")
    print("Left behind:", *sorted(path.name for path in result.folder.iterdir()))

    model = ob.open_model(result.model_file)
    wine = ob.read(data).drop("cultivar").take([0])
    print("The first wine:", model.predict(wine)[0])
