"""Which learner, and how sure are we? Every score has an interval, every comparison a test."""

from sklearn.ensemble import RandomForestClassifier

import openbook as ob
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.judge import choose

X, y = ob.load("breast_cancer").split("diagnosis")

print(ob.evaluate(NaiveBayes(), X, y), "\n")

models = {
    "1R": OneR(),
    "naive Bayes": NaiveBayes(),
    "naive Bayes, kernel density": NaiveBayes(distributions="kernel"),
    "their forest of 20": RandomForestClassifier(20, random_state=0),  # any estimator of scikit-learn's
}
comparison = ob.compare(models, X.to_polars().to_numpy(), y, metrics=["accuracy", "log_loss"])
print(comparison, "\n")

choice = choose(comparison)
print("By accuracy:", choice.label)
print("By log loss:", choose(comparison, which="log_loss").label)
