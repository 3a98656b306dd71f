"""Ensembles: votes, bags, forests, boosting, stacks."""
