"""A tree as rules, SQL, text and pictures."""
