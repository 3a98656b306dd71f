"""The colours of classes and lines, told apart by colour-blind eyes too; c8 is the grey of the rarer ones."""

LIGHT = ("#0072b2", "#e08a00", "#00916a", "#c2649a", "#4ba9de", "#c94f00", "#6a51a3", "#8c7a2b", "#98a4ad")
#: Those that are lighter on a dark page.
DARK = {0: "#4ba3dd", 2: "#1fb085", 4: "#8fd0f5", 5: "#e8712b", 6: "#a48fd6"}

#: How many classes have a colour of their own; the rarer ones share a grey.
COLOURS, RARE = 8, "c8"


def colour_of(i: int) -> str:
    """The colour of the i-th class or line, as a class of the stylesheet.

    >>> colour_of(0), colour_of(8)
    ('c0', 'c8')
    """
    return f"c{i}" if i < COLOURS else RARE
