r"""A derivation as LaTeX: a fragment for a document that loads amsmath and booktabs.

Latin and Greek letters and mathematical signs compile with any engine; other scripts and emoji stay as they
are, and need LuaLaTeX or XeLaTeX with a font that has them.
"""

from openbook.words.numbers import cell
from openbook.words.sentences import printable
from openbook.work.formula import terms
from openbook.work.nodes import Fence, Fraction, Node, Root, RowNode, Script, Symbol
from openbook.work.step import Grid, Step
from openbook.work.tex import text_to_tex, to_tex
from openbook.work.unicode import broken, to_unicode
from openbook.work.work import Work

HEADINGS = (r"\subsection*", r"\subsubsection*", r"\paragraph*")
LINE = 70  # characters that fill a line, roughly
LABEL = 32  # a longer label has a line of its own


def to_latex(work: Work) -> str:
    r"""The derivation as align environments and tables, under unnumbered headings.

    >>> step = Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7)
    >>> print(to_latex(Work("How often No?", (step,))))
    \begingroup\allowdisplaybreaks
    \subsection*{How often No?}
    \begin{align*}
    \text{P(No)} &= \frac{N_{c}}{N} = \frac{7}{10} = 0.7
    \end{align*}
    \endgroup
    """
    return "\n".join([r"\begingroup\allowdisplaybreaks", *_work(work, 0), r"\endgroup"])


def _work(work: Work, depth: int) -> list[str]:
    lines = [f"{HEADINGS[min(depth, len(HEADINGS) - 1)]}{{{text_to_tex(work.title)}}}"]
    for block in work.blocks():
        if isinstance(block, Work):
            lines.extend(_work(block, depth + 1))
        elif isinstance(block, Grid):
            lines.extend(_grid(block))
        else:
            equations = [line for step in block for line in _step(step)]
            lines.extend([r"\begin{align*}", " \\\\\n".join(equations), r"\end{align*}"])
    if work.conclusion:
        lines.append(rf"\par\noindent\textbf{{{text_to_tex(work.conclusion)}}}\par")
    return lines


def _step(step: Step) -> list[str]:
    """The lines of one step, each with its alignment mark."""
    label = printable(step.label)
    room = LINE - len(label) if len(label) <= LABEL else LINE
    if sum(_length(term) + 3 for term in terms(step)) <= room:
        lines = ["&" + " ".join(f"= {to_tex(term)}" for term in terms(step))]
    else:
        lines = []
        for term in terms(step):
            first, *others = (to_tex(line) for line in broken(term, room))
            lines += [f"&= {first}", *(rf"&\quad {{}}{line}" for line in others)]
    if len(label) <= LABEL:
        lines[0] = rf"\text{{{text_to_tex(label)}}} {lines[0]}"
    else:
        lines.insert(0, rf"&\parbox[t]{{0.55\linewidth}}{{\raggedright {text_to_tex(label)}}}")
    if step.note:
        lines.append(rf"&\quad\parbox[t]{{0.6\linewidth}}{{\small\raggedright {text_to_tex(step.note)}}}")
    return lines


def _length(node: Node) -> int:
    """The characters that a formula is long when set, where a fraction is as long as its longer side."""
    match node:
        case RowNode(items):
            signs = sum(isinstance(item, Symbol) and item.kind in {"relation", "binary"} for item in items)
            return sum(map(_length, items)) + 2 * signs
        case Fraction(top, bottom):
            return max(_length(top), _length(bottom))
        case Script(base, below, above):
            return _length(base) + max(_length(script) for script in (below, above) if script is not None)
        case Fence(_, body) | Root(body):
            return _length(body) + 2
    return len(to_unicode(node))


def _grid(grid: Grid) -> list[str]:
    lines = [r"\par\smallskip\noindent"]
    if grid.title:
        lines.append(rf"\textbf{{{text_to_tex(grid.title)}}}\par\smallskip\noindent")
    if grid.width:
        columns = "".join("r" if grid.numeric(column) else "l" for column in range(grid.width))
        lines.extend([rf"\begin{{tabular}}{{{columns}}}", r"\toprule"])
        if grid.header:
            lines.extend([_cells([str(name) for name in grid.header]), r"\midrule"])
        lines.extend(_cells([cell(value) for value in row]) for row in grid.rows)
        lines.extend([r"\bottomrule", r"\end{tabular}\par\smallskip"])
    if grid.note:
        lines.append(rf"{{\small\noindent {text_to_tex(grid.note)}\par}}")
    return lines


def _cells(texts: list[str]) -> str:
    r"""One line of a table; the braces before it keep a cell's [ or * from being read as an option of \\."""
    return "{}" + " & ".join(text_to_tex(text) for text in texts) + r" \\"
