"""Spaces: distances over typed rows, and the indexes that find near rows."""

from openbook.spaces.choose_index import make_index

__all__ = ["make_index"]
