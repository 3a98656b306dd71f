"""Where a model errs: segments, confident mistakes, disagreement of two models, importance of columns."""
