"""The engine of all trees: columns sorted once, the search for the best split, growing and pruning."""
