"""Margins: the boundary that keeps farthest from both classes."""
