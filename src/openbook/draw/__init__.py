"""Pictures as SVG that stand alone and follow light and dark: axes, dots, lines, bands, legends."""

from openbook.draw.axes import Categories, Marks, Numbers
from openbook.draw.plot import Picture

__all__ = ["Categories", "Marks", "Numbers", "Picture"]
