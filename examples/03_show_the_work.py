"""One derivation in every format: text for a terminal, HTML for a page, LaTeX for a paper, JSON for code."""

import json
import tempfile
from pathlib import Path

import openbook as ob
from openbook.bayes import NaiveBayes

X, y = ob.load("weather").split("play")
model = NaiveBayes().fit(X, y)
work = model.work({"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "true"})

print(work.text())

factor = work["P(outlook = sunny | play = Yes)"]
print("\nOne step, as data:")
print(f"  formula {factor.formula}\n  numbers {factor.numbers}\n  result  {factor.result}")

with tempfile.TemporaryDirectory() as folder:
    formats = {
        "work.html": work.html(),
        "work.tex": work.latex(),
        "work.json": json.dumps(work.json(), indent=2),
    }
    print("\nWritten, and thrown away again:")
    for name, content in formats.items():
        path = Path(folder, name)
        path.write_text(content, encoding="utf-8")
        print(f"  {name:10}{path.stat().st_size:>7,} bytes, beginning {content[:40]!r}")
