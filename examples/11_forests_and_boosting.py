"""Many models instead of one: forests, boosting, a vote, a stack, and whether they are worth it."""

from sklearn.model_selection import StratifiedKFold

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
    diversity,
    independent_vote_error,
)
from openbook.judge import lock_away
from openbook.tree import C45

together = independent_vote_error(25, 0.35)
print(f"25 members, each wrong in 35% of all cases, independently: their vote is in {together:.1%}\n")

# AdaBoost on fourteen days, round by round.
X, y = ob.load("weather").split("play")
print(AdaBoostClassifier(n_estimators=3).fit(X, y).work(), "\n")

X, y = ob.load("wine").split("cultivar")
train, test = lock_away(X, y, share=0.3, random_state=0)
X_train, y_train, X_test, y_test = X.take(train), y.take(train), X.take(test), y.take(test)

# A forest judges itself by the rows that each tree did not see.
forest = RandomForestClassifier(random_state=0).fit(X_train, y_train)
curve = ", ".join(f"{trees}: {forest.oob_curve_[trees - 1]:.3f}" for trees in (1, 3, 10, 30, 100))
print("out-of-bag error by trees –", curve)
near = forest.proximity(X_test.head(3))
print("how near the first three wines are to each other:", near.round(2).tolist(), "\n")

# A vote of different learners, and how much they differ.
team = [("bayes", NaiveBayes()), ("C4.5", C45()), ("bag", BaggingClassifier(C45(), random_state=0))]
vote = VotingClassifier(team, voting="soft").fit(X_train, y_train)
print(diversity(vote, X_test, y_test).work(), "\n")
stack = StackingClassifier(team).fit(X_train, y_train)
trust = ", ".join(f"{name} {weight:.2f}" for (name, _), weight in zip(team, stack.blend_, strict=True))
print("what the stack trusts:", trust, "\n")

# Is it worth it? The simplest learner within one standard error of the best is chosen.
models = {
    "naive Bayes": NaiveBayes(),
    "C4.5": C45(),
    "forest of 30": RandomForestClassifier(30, random_state=0),
    "boosted C4.5": AdaBoostClassifier(C45(), n_estimators=10),
}
cv = StratifiedKFold(10, shuffle=True, random_state=0)
print(ob.compare(models, X, y, cv))
