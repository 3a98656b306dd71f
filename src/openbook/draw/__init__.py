"""Pictures as SVG that stand alone and follow light and dark: of tables, of models, and the marks they share.

>>> from openbook import load
>>> from openbook.draw import draw_scatter
>>> draw_scatter(load("iris"), "petal length (cm)", "petal width (cm)", colour="species").title
'petal width (cm) by petal length (cm)'
"""

from openbook.draw.axes import Blank, Categories, Dates, Marks, Numbers
from openbook.draw.fits import draw_fit, draw_predictions
from openbook.draw.functions import draw_descent, draw_likelihood
from openbook.draw.picture import Picture
from openbook.draw.pixels import draw_pixels
from openbook.draw.regions import draw_boundary
from openbook.draw.space import Turnable, draw_scatter_3d
from openbook.draw.tables import (
    draw_boxes,
    draw_correlations,
    draw_histograms,
    draw_parallel,
    draw_scatter,
    draw_scatter_matrix,
    draw_table,
)

__all__ = [
    "Blank",
    "Categories",
    "Dates",
    "Marks",
    "Numbers",
    "Picture",
    "Turnable",
    "draw_boundary",
    "draw_boxes",
    "draw_correlations",
    "draw_descent",
    "draw_fit",
    "draw_histograms",
    "draw_likelihood",
    "draw_parallel",
    "draw_pixels",
    "draw_predictions",
    "draw_scatter",
    "draw_scatter_3d",
    "draw_scatter_matrix",
    "draw_table",
]
