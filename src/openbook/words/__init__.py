"""Wording: numbers, plurals and lists as people read them, and text from data that is safe to show."""
