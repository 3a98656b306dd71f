"""Tuning inside the folds."""
