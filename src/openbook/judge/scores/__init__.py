"""Scores of predictions: confusion tables and rates, ROC curves, calibration, errors of numbers."""
