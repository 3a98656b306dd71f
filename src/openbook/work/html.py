"""A derivation as HTML with MathML: for a notebook, a report, or a page of its own.

It needs no script and no network. Text takes the colour of its surroundings, so it suits light and dark
pages. Long equations break before their signs, and parts that cannot break scroll.
"""

from html import escape

from openbook.words.numbers import cell
from openbook.words.sentences import printable
from openbook.work.formula import pieces, terms
from openbook.work.mathml import to_mathml
from openbook.work.nodes import Node, RowNode, Symbol, TextNode
from openbook.work.step import Grid, Passage, Step
from openbook.work.work import Work

STYLE = """
.ob-work { --ob-line: #8884; --ob-accent: #2a6f97; }
.ob-work { max-width: 64rem; line-height: 1.5; overflow-wrap: anywhere; }
.ob-work .ob-work { margin: 1.2rem 0; padding-left: 1rem; border-left: 3px solid var(--ob-line); }
.ob-work :is(h1, h2, h3, h4, h5, h6) { margin: 0 0 .6rem; font-size: 1.15em; line-height: 1.3; }
.ob-work .ob-work :is(h2, h3, h4, h5, h6) { font-size: 1em; }
.ob-work math { font-size: 1.1em; }
.ob-work :is(dl, dl > div) { display: grid; column-gap: 1.2rem; align-items: baseline; }
.ob-work dl { grid-template-columns: fit-content(40%) minmax(0, 1fr); margin: .8rem 0; }
.ob-work dl > div { grid-column: 1 / -1; grid-template-columns: subgrid; }
.ob-work dl > div { padding: .35rem 0; border-bottom: 1px solid var(--ob-line); }
.ob-work :is(dt, dd) { margin: 0; min-width: 0; }
.ob-work dd { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .5em; }
.ob-work .ob-term { max-width: 100%; overflow-x: auto; overflow-y: hidden; padding: .1em 0; }
.ob-work .ob-result { color: var(--ob-accent); font-weight: 600; }
.ob-work .ob-note { flex-basis: 100%; margin: 0; font-size: .88em; opacity: .75; }
.ob-work figure { margin: 1rem 0; overflow-x: auto; }
.ob-work figcaption { margin-bottom: .3rem; font-weight: 600; }
.ob-work table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.ob-work :is(th, td) { padding: .2rem .8rem; border-bottom: 1px solid var(--ob-line); text-align: left; }
.ob-work thead th { border-bottom-width: 2px; }
.ob-work .ob-number { text-align: right; }
.ob-work .ob-conclusion { margin: .8rem 0 0; font-weight: 600; }
.ob-work .ob-passage { margin: 0; white-space: normal; line-height: 1.7; }
.ob-work mark { color: inherit; border-radius: .2em; }
.ob-work mark.ob-for { background: color-mix(in srgb, #2a9d58 calc(var(--ob-share) * 60%), transparent); }
.ob-work mark.ob-against { background: color-mix(in srgb, #d1495b calc(var(--ob-share) * 60%), transparent); }
@media (max-width: 40rem) {
  .ob-work :is(dl, dl > div) { display: block; }
  .ob-work .ob-work { padding-left: .6rem; }
}
@media (prefers-color-scheme: dark) { .ob-work { --ob-accent: #7cc0e8; } }
"""

#: Pieces of a smaller share of the largest weight are not shaded.
_FAINT = 0.02

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1.5rem; font-family: system-ui, sans-serif; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def to_html(work: Work, *, level: int = 3, style: bool = True, standalone: bool = False) -> str:
    """The derivation as a fragment, or as a whole page where it is to be `standalone`.

    Parameters
    ----------
    work : Work
    level : int
        The title's heading, 1 to 6; nested derivations go one deeper.
    style : bool
        Whether the fragment brings its stylesheet; a page of many needs `STYLE` only once.
    standalone : bool
    """
    sheet = f"<style>{STYLE}</style>\n" if style else ""
    fragment = sheet + _work(work, 1 if standalone else level)
    return PAGE.format(title=_text(work.title), body=fragment) if standalone else fragment


def _work(work: Work, level: int) -> str:
    heading = f"h{min(level, 6)}"
    lines = ['<section class="ob-work">', f"<{heading}>{_text(work.title)}</{heading}>"]
    for block in work.blocks():
        if isinstance(block, Work):
            lines.append(_work(block, level + 1))
        elif isinstance(block, Grid):
            lines.append(_grid(block))
        else:
            lines.append("<dl>\n" + "\n".join(_step(step) for step in block) + "\n</dl>")
    lines += [_passage(part) for part in work.parts if isinstance(part, Passage)]
    if work.conclusion:
        lines.append(f'<p class="ob-conclusion">∴ {_text(work.conclusion)}</p>')
    return "\n".join([*lines, "</section>"])


def _step(step: Step) -> str:
    *others, last = terms(step)
    equation = "".join(map(_term, others)) + _term(last, "" if step.states_rule else " ob-result")
    note = f'<p class="ob-note">{_text(step.note)}</p>' if step.note else ""
    return f"<div><dt>{_text(step.label)}</dt>\n<dd>{equation}{note}</dd></div>"


def _term(node: Node, mark: str = "") -> str:
    """`= formula`, as one <math> for each piece, since browsers break lines between them but not within."""
    if isinstance(node, TextNode):
        return f'<span class="ob-term{mark}">= {_text(node.text)}</span>'
    first, *others = pieces(node)
    maths = [RowNode((Symbol("=", "relation"), first)), *others]
    shown = "<wbr>".join(f'<math displaystyle="true">{to_mathml(piece)}</math>' for piece in maths)
    return f'<span class="ob-term{mark}">{shown}</span>'


def _grid(grid: Grid) -> str:
    sides = [' class="ob-number"' if grid.numeric(column) else "" for column in range(grid.width)]
    lines = ["<figure>"]
    if grid.title:
        lines.append(f"<figcaption>{_text(grid.title)}</figcaption>")
    lines.append("<table>")
    if grid.header:
        lines.append(f"<thead>{_cells('th', [str(name) for name in grid.header], sides)}</thead>")
    lines.append("<tbody>")
    lines.extend(_cells("td", [cell(value) for value in row], sides) for row in grid.rows)
    lines.append("</tbody>\n</table>")
    if grid.note:
        lines.append(f'<p class="ob-note">{_text(grid.note)}</p>')
    return "\n".join([*lines, "</figure>"])


def _passage(passage: Passage) -> str:
    """The text, each piece in a shade as strong as its weight: green for, red against."""
    note = f'<p class="ob-note">{_text(passage.note)}</p>' if passage.note else ""
    shown = "".join(_piece(text, weight, passage.largest) for text, weight in passage.pieces)
    title = f"<figcaption>{_text(passage.title)}</figcaption>"
    return f'<figure>{title}\n<p class="ob-passage">{shown}</p>{note}</figure>'


def _piece(text: str, weight: float, largest: float) -> str:
    share = abs(weight) / largest if largest > 0 else 0.0
    if not share >= _FAINT:
        return _text(text)
    side = "for" if weight > 0 else "against"
    shade = f'class="ob-{side}" style="--ob-share:{share:.2f}"'
    return f'<mark {shade} title="{weight:+.3g}">{_text(text)}</mark>'


def _cells(tag: str, texts: list[str], sides: list[str]) -> str:
    cells = (f"<{tag}{side}>{_text(text)}</{tag}>" for text, side in zip(texts, sides, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _text(text: str) -> str:
    return escape(printable(text))
