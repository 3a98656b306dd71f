"""What deserves a second look before a model is fitted to a table."""
