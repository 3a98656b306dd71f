"""A pandas frame with gaps goes in as it is; new rows may have gaps and values that nobody has seen."""

import openbook as ob
from openbook.bayes import NaiveBayes

try:
    import pandas as pd
except ImportError:
    raise SystemExit("this example reads a pandas frame: pip install pandas") from None

frame = pd.DataFrame(
    {
        "colour": ["red", "red", "green", None, "green", "brown", "red", "brown"],
        "size": pd.Categorical(
            ["small", "large", "medium", "large", "small", "medium", None, "large"],
            categories=["small", "medium", "large"],
            ordered=True,
        ),
        "weight": [21.5, 40.2, None, 38.9, 19.8, 27.5, 22.1, 36.0],
        "organic": [True, False, True, True, False, False, True, False],
        "ripe": ["yes", "yes", "no", "yes", "no", "no", "yes", "no"],
    }
)

table = ob.read(frame)
print(ob.describe(table, target="ripe"))

X, y = table.split("ripe")
model = NaiveBayes().fit(X, y)

new = [
    {"colour": "red", "size": "large", "weight": 39.0, "organic": True},
    {"colour": "red", "size": None, "weight": None, "organic": None},  # gaps are left out
    {"colour": "violet", "size": "small", "weight": 20.0, "organic": False},  # a new colour is smoothed
]
print("\nP(yes) of three new fruits:", model.predict_proba(new)[:, 1].round(3).tolist())

print("\nHow the third was weighed, if it is ripe:")
for step in model.work(new[2]).steps():
    if step.label.endswith("| ripe = yes)") and "(x |" not in step.label:
        print(f"  {step.label} = {step.result:.4g}")
