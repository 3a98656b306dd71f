"""Ours against the peers, side by side in one run: `python -m bench`."""
