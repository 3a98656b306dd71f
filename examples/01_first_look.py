"""A first look: a table with mixed columns, a model, a prediction and how it came about."""

import openbook as ob
from openbook.bayes import NaiveBayes

table = ob.load("loan")
print(table, "\n")

X, y = table.split("cheat")
model = NaiveBayes(variance="sample").fit(X, y)

applicant = {"owner": "No", "status": "Widowed", "income": 95}  # nobody in training was widowed
for label, p in zip(model.classes_, model.predict_proba([applicant])[0], strict=True):
    print(f"P(cheat = {label}) = {p:.6f}")

print()
print(model.work(applicant))
