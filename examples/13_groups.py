"""Without a target: how many groups, what they are, the oddest rows and why, and what comes together."""

import openbook as ob
from openbook.associate import association_rules, frequent_itemsets
from openbook.cluster import KPrototypes, choose_k, describe_clusters
from openbook.outlier import LocalOutlierFactor

table = ob.load("credit", rows=400)

chosen = choose_k(table, range(1, 6))
print(chosen)
labels = KPrototypes(max(chosen.k, 2), random_state=0).fit_predict(table)
described = describe_clusters(table, labels)
for cluster in described.traits:
    print(described.sentence(cluster))

detector = LocalOutlierFactor().fit(table)
oddest = int(detector.oddness(table).argmax())
print(f"The oddest row is {oddest}:")
print(detector.reasons(table.take([oddest])))

rules = association_rules(frequent_itemsets(table, min_support=0.1, max_length=3), min_confidence=0.9)
for rule in rules.significant()[:5]:
    print(f"{rule.confidence:.2f} {rule}")
