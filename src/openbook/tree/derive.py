"""The readable twin of a tree: how it was grown, and the way of a row."""

from openbook.work import Work

__all__ = ["derive_model", "derive_row"]


def derive_model(model) -> Work:
    return Work(f"Tree for {model.target_}")


def derive_row(model, X) -> Work:
    return Work(f"Tree for {model.target_}: one prediction")
