"""Preparation: how columns become what a learner computes with."""
