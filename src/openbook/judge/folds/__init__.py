"""Which rows train and which test, and what the models of the folds predict."""
