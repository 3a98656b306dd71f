"""Excel workbooks as people make them: merged cells, percentages, spans of time, several sheets."""

import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pytest

import openbook as ob
from openbook.data import Numeric
from openbook.errors import DataError

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
#: The numbers of Excel's formats: 0.00%, [h]:mm:ss, mm:ss, and two of its own kind.
GENERAL, PERCENT, ELAPSED, MINUTES, HOURS, PERCENT_OF_ITS_OWN = range(6)
STYLES = f"""<styleSheet {MAIN}><numFmts><numFmt numFmtId="170" formatCode="[h]:mm"/>
    <numFmt numFmtId="171" formatCode="0.0%"/></numFmts><cellXfs>
    {"".join(f'<xf numFmtId="{n}"/>' for n in (0, 10, 46, 45, 170, 171))}</cellXfs></styleSheet>"""


def cell(row, column, value):
    """The XML of a cell: a text, a number, or a number and its style."""
    name, (value, style) = f"{chr(65 + column)}{row}", value if isinstance(value, tuple) else (value, GENERAL)
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{name}" s="{style}"><v>{value}</v></c>'


def write(path, sheets, merged=()):
    """A workbook of sheets of rows, with ranges that are merged in all of them."""
    numbers = range(1, len(sheets) + 1)
    named = zip(numbers, sheets, strict=True)
    tags = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in named)
    parts = {
        "xl/workbook.xml": f"<workbook {MAIN} {OFFICE}><sheets>{tags}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": "<R>{}</R>".format(
            "".join(f'<R Id="r{i}" Target="worksheets/s{i}.xml"/>' for i in numbers)
        ),
        "xl/styles.xml": STYLES,
    }
    ranges = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    for i, rows in zip(numbers, sheets.values(), strict=True):
        lines = "".join(
            f'<row r="{r}">{"".join(cell(r, c, value) for c, value in enumerate(row))}</row>'
            for r, row in enumerate(rows, start=1)
        )
        parts[f"xl/worksheets/s{i}.xml"] = (
            f"<worksheet {MAIN}><sheetData>{lines}</sheetData><mergeCells>{ranges}</mergeCells></worksheet>"
        )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_cells_merged_over_rows_count_for_each_of_them(tmp_path):
    rows = [
        ["Sales of the year"],
        ["region", "", "shop", "sold"],
        ["North", None, "a", 1],
        [None, None, "b", 2],
        [],
        ["South", None, "c", 3],
        [None, None, "d", 4],
        [None, None, "e", 5],
    ]
    table = ob.read(write(tmp_path / "t.xlsx", {"S": rows}, ["A1:D1", "A3:A5", "A6:A8"]))
    assert table.names == ("region", "shop", "sold")
    assert table["region"].tolist() == ["North", "North", "South", "South", "South"]
    assert table.data("sold").tolist() == [1, 2, 3, 4, 5]
    assert table.notes == (
        "1 column without a cell left out",
        "1 line above the header left out: Sales of the year",
        "1 row without a cell left out",
        "region: the value of merged cells is repeated in 3 rows",
    )


def test_spans_of_time_are_hours_and_percentages_are_shares(tmp_path):
    rows = [
        ["worked", "late", "lap", "discount", "tax"],
        [(1.5, ELAPSED), (0.25, HOURS), (0.0625, MINUTES), (0.133, PERCENT), (0.19, PERCENT_OF_ITS_OWN)],
        [(0.5, ELAPSED), (0.125, HOURS), (0.03125, MINUTES), (0, PERCENT), (0.07, PERCENT_OF_ITS_OWN)],
    ]
    table = ob.read(write(tmp_path / "t.xlsx", {"S": rows}))
    spans = [Numeric(name, "h") for name in ("worked", "late", "lap")]
    assert table.schema.attributes == (*spans, Numeric("discount"), Numeric("tax"))
    cells = np.column_stack([table.data(name) for name in table.names])
    np.testing.assert_allclose(cells, [[36, 6, 1.5, 0.133, 0.19], [12, 3, 0.75, 0, 0.07]])
    assert table.notes == (
        "discount: percentages are read as shares: 13.3% as 0.133",
        "tax: percentages are read as shares: 7% as 0.07",
    )


def test_the_first_of_several_sheets_is_named_and_ranges_may_be_columns(tmp_path):
    sheets = {"May": [["a", "b", "c"], [1, 2, 3], [4, 5, 6]], "June": [["d"], [7]]}
    path = write(tmp_path / "t.xlsx", sheets)
    said = "this is sheet 'May', the first of 2; for another, read with sheet='June'"
    assert ob.read(path).notes == (said,)
    assert ob.read(path, sheet="May").notes == ()
    for span in ("B:C", "$b:$c", "b1:c3", "May!B:C"):
        part = ob.read(path, sheet=span)
        assert (part.names, part.data("c").tolist()) == (("b", "c"), [3, 6])
    with pytest.raises(DataError, match=r"no sheet 'Jun'\. Did you mean 'June'"):
        ob.read(path, sheet="Jun")
