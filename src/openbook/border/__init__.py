"""The border of every learner: inputs checked and encoded once, parameter rules, chunks of rows, folding."""
