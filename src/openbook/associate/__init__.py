"""Association rules: frequent itemsets and the rules between them."""

from openbook.associate.itemsets import Itemset, Itemsets, frequent_itemsets
from openbook.associate.rules import AssociationRule, AssociationRules, association_rule, association_rules
from openbook.associate.transactions import Transactions

__all__ = [
    "AssociationRule",
    "AssociationRules",
    "Itemset",
    "Itemsets",
    "Transactions",
    "association_rule",
    "association_rules",
    "frequent_itemsets",
]
