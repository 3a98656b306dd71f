"""Learners side by side, whether there is anything to learn, and which model to choose."""
