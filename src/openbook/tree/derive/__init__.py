"""The readable twins of the engine: how a tree was grown and pruned, and the way of a row."""
