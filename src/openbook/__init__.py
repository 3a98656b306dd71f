"""openbook: machine learning that shows its work."""
