"""Label the words of sentences: what the chain adds, a study of the file, and new sentences."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import openbook as ob
from openbook.judge import compare
from openbook.sequence import ConditionalRandomField

# A file with a row for each word. A surname may be a place, too: only the words beside it tell.
rng = np.random.default_rng(0)
first, last, places = ("Ann", "Bob", "Eve"), ("Paris", "London", "Lee", "Kent"), ("Paris", "London", "Rome")
rows = []
for sentence in range(60):
    person = [(str(rng.choice(first)), "B-PER"), (str(rng.choice(last)), "I-PER")]
    place = [("lives", "O"), ("in", "O"), (str(rng.choice(places)), "B-LOC"), (".", "O")]
    words = [*person[: 1 + sentence % 2], *place]
    rows += [{"sentence": f"s{sentence}", "word": word, "tag": tag} for word, tag in words]
folder = Path(tempfile.mkdtemp())
pl.DataFrame(rows).write_csv(folder / "tags.csv")

# Folds never divide a sentence. The same features without context are the baseline.
X, y = ob.read(folder / "tags.csv").split("tag")
chain, alone = (ConditionalRandomField(sequence="sentence", alone=way) for way in (False, True))
comparison = compare({"chain": chain, "row by row": alone}, X, y, cv=5)
for label in ("chain", "row by row"):
    print(label, comparison[label].sequence_scores().work().conclusion)

# A study of the file; its model labels new sentences, and shows why.
options = {"sequence": "sentence", "only": ["conditional_random_field"], "effort": "quick", "progress": False}
result = ob.study(folder / "tags.csv", "tag", folder=folder / "tags", **options)
model = ob.open_model(result.model_file)
new = [{"word": word} for word in ["Bob", "Paris", "lives", "in", "Kent", "."]]
print(model.predict(new).tolist())
print(model.work(new)["the best path against the runner-up"])
print(f"openbook predict {result.model_file} new.csv")
