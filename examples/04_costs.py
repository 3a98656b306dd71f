"""When mistakes cost differently: overlooking a default costs ten times as much as refusing a good loan."""

import numpy as np

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.decide import MinimumRisk
from openbook.judge import lock_away
from openbook.measures import cost_matrix, risk_threshold

costs = {"no": {"yes": 10}, "yes": {"no": 1}}  # costs[decision][truth]

X, y = ob.load("credit", rows=4000, random_state=1).split("default")
train, test = lock_away(X, y, share=0.25)
X_test, truth = X.take(test), np.asarray(y.take(test))

models = {
    "most probable": NaiveBayes(),
    "least risk": MinimumRisk(NaiveBayes(), costs),
    "least risk, or ask": MinimumRisk(NaiveBayes(), costs, reject=0.5),
}
matrix = cost_matrix(costs, ["no", "yes"])
print(f"{'decides for the':20}{'refused':>8}{'asked':>8}{'cost per loan':>16}")
for name, model in models.items():
    decided = model.fit(X.take(train), y.take(train)).predict(X_test)
    asked = np.equal(decided, None)
    cost = sum(
        0.5 if decision is None else matrix[int(decision == "yes"), int(real == "yes")]
        for decision, real in zip(decided, truth, strict=True)
    )
    print(f"{name:20}{(decided == 'yes').sum():>8}{asked.sum():>8}{cost / len(truth):>16.3f}")

threshold = risk_threshold(costs, ["no", "yes"])
print(f"\nA loan is refused from P(default) = {threshold:.4f} on, that is 1 in 11.")
print("\nOne decision, worked (its end):")
print("\n".join(models["least risk"].work(X_test.take([0])).text().splitlines()[-6:]))
