"""Neighbours: a row is judged by the rows nearest to it."""
