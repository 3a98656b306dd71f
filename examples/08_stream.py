"""Rows that come week by week: learn the new week, forget the one that is too old."""

from collections import deque

import openbook as ob
from openbook.bayes import NaiveBayes

WINDOW = 4  # weeks that the model remembers

model = NaiveBayes()
remembered = deque()
for week in range(8):
    X, y = ob.load("credit", rows=500, random_state=week).split("default")
    if week:
        surprise = -model.score_samples(X).mean()
        accuracy = model.score(X, y)
        print(f"week {week}: accuracy before learning it {accuracy:.3f}, mean -ln P(x) {surprise:.2f}")
    model.partial_fit(X, y, classes=["no", "yes"])
    remembered.append((X, y))
    if len(remembered) > WINDOW:
        model.forget(*remembered.popleft())

rows = model.statistics_.classes.sum()
print(f"\nThe model now stands on {rows:.0f} rows, {WINDOW} weeks.")

fresh = NaiveBayes()
for X, y in remembered:
    fresh.partial_fit(X, y, classes=["no", "yes"])
gap = abs(model.predict_proba(X) - fresh.predict_proba(X)).max()
print(f"As if the older weeks had never come: the largest difference to a fresh model is {gap:.0e}.")
