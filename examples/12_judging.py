"""From a score to a verdict: what a model gets right, whether that is luck, what is wrong with it, where."""

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.judge import (
    Confusion,
    Roc,
    confident_mistakes,
    diagnose,
    learning_curve,
    posterior,
    worst_segments,
)
from openbook.linear import LogisticRegression

X, y = ob.load("breast_cancer").split("diagnosis")

comparison = ob.compare({"naive Bayes": NaiveBayes(), "logistic": LogisticRegression()}, X, y)
print(comparison)
print(posterior(comparison["logistic"], comparison["naive Bayes"]))

evaluation = comparison["naive Bayes"]
print(Confusion.from_evaluation(evaluation, positive="malignant").work("recall"))
print(Roc.from_evaluation(evaluation).interval())

curve = learning_curve(NaiveBayes(), X, y)
print(diagnose(evaluation, curve, rivals=comparison.evaluations))

print(worst_segments(evaluation, X))
print(confident_mistakes(evaluation, X, n=3))
