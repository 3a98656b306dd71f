"""Learning curves, bias and variance, and what they say is wrong with a learner."""
