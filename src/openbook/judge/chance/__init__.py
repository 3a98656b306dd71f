"""Chance: the intervals of scores, and tests of their differences."""
