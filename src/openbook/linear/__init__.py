"""Linear models: a weighted sum of the columns, and what is made of it."""
