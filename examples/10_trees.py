"""A tree on loans with gaps: grow it, read it, prune it, put it into a database, and see what it rests on."""

import tempfile
from pathlib import Path

import openbook as ob
from openbook.judge import lock_away, permutation_importance
from openbook.tree import C45, CART, ID3, DecisionTreeClassifier

# The textbook's fourteen days, as a lecturer would write them on the board.
X, y = ob.load("weather").split("play")
print(ID3().fit(X, y).work().parts[0], "\n")

# Loans, with missing cells: 2,800 to learn from, 1,200 to judge.
X, y = ob.load("credit", rows=4_000).split("default")
train, test = lock_away(X, y, share=0.3, random_state=0)
X_train, y_train, X_test, y_test = X.take(train), y.take(train), X.take(test), y.take(test)

learners = {
    "full-grown": DecisionTreeClassifier(),
    "C4.5": C45(),
    "CART": CART(),
    "at most 3 tests": DecisionTreeClassifier(max_depth=3),
    "the same, missing apart": DecisionTreeClassifier(max_depth=3, nominal="subset", missing="branch"),
}
for name, learner in learners.items():
    learner.fit(X_train, y_train)
    seen, unseen = learner.score(X_train, y_train), learner.score(X_test, y_test)
    print(f"{name:32}{learner.get_n_leaves():4} leaves, accuracy {seen:.3f} seen, {unseen:.3f} unseen")

model = learners["the same, missing apart"]
print("\n" + model.draw().text())
print("\n" + model.rules().text())
print("\n" + model.to_sql("loans"))

# A borrower whose work nobody has seen before goes down every branch, in parts.
print()
print(
    learners["at most 3 tests"].work({"work": "artist", "income": 9.5, "defaults_before": 1, "amount": 12.0})
)

# What the model rests on, judged by rows that it has not seen.
print()
print(permutation_importance(model, X_test, y_test, "roc_auc", random_state=0))

with tempfile.TemporaryDirectory() as folder:
    model.draw().save(Path(folder, "tree.svg"))  # a picture, without Graphviz
    ob.save(model, Path(folder, "tree.openbook"))
    again = ob.open_model(Path(folder, "tree.openbook"))
    print("\nThe same tree from its file:", again.draw().text() == model.draw().text())
