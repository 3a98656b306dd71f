"""What was changed, left out, pooled or derived from the file to the model, told in one place."""

import openbook as ob
from openbook.plan import make_plan, run
from openbook.report.changes import changes, made_of_columns
from openbook.tree import ID3, DecisionTreeClassifier


def test_a_study_tells_all_of_it_once(tmp_path):
    """Of 61 orders one has no units, and most have no number; 12 are held out, a fifth of the others."""
    orders = [f'{f"A{7 * i}" * (i > 35)},"${1000 + i:,}.50",{i % 3},s{i % 4},{i % 5},{i}' for i in range(60)]
    head = "order,price,size,shop,clerk,units"
    (tmp_path / "orders.csv").write_text("\n".join([head, *orders, 'A9999,"$1,000.00",,s1,1,']) + "\n")
    plan = make_plan(
        tmp_path / "orders.csv",
        "units",
        only=["cart_regressor"],
        ignore=["size"],
        group="shop",
        test_share=0.25,
    )
    result = run(plan, tmp_path / "study", workers=1)
    told = changes(result)
    assert told == [
        "On reading, price: '$1,000.00' is read as 1000 (unit $).",
        "1 row without units is left out.",
        "15 rows are held out for the final test; the model in the file is fitted on the other 45.",
        "Left out as likely identifiers: order.",
        "Left out as requested: size.",
        "shop is not used as a feature: it keeps rows in the same fold.",
    ]
    page = result.report.read_text(encoding="utf-8")
    assert page.count("From the file to the model") == 2  # in the list of parts, and as a heading
    assert all(page.count(line.replace("'", "&#39;")) == 1 for line in told)


def test_cells_that_keep_a_column_from_being_numbers_or_dates_are_told(tmp_path):
    units = [
        "temp,day,y",
        "°C,UTC,a",
        *(f"{i % 9 / 2},2024-03-{i % 28 + 1:02},{'ab'[i % 2]}" for i in range(80)),
    ]
    (tmp_path / "station.csv").write_text("\n".join(units), encoding="utf-8")
    told = changes(
        run(make_plan(tmp_path / "station.csv", "y", only=["one_r"]), tmp_path / "study", workers=1)
    )
    cells = {
        "temp": "1 of 81 cells is not a number, first '°C' in row 0",
        "day": "1 of 29 distinct values is not a date, first 'UTC'",
    }
    for (name, why), mark in zip(cells.items(), ("'°C'", "UTC"), strict=True):
        kept = f"{name} is nominal, not read as numbers or dates: {why}"
        assert f"{kept}; if that means missing, add --missing {mark}." in told


def test_columns_without_a_cell_and_unclear_ones_are_left_out_for_their_own_reason(tmp_path):
    """Sixty dates, each once, in two formats; and an Excel export's empty last column."""
    days = [
        f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" if i % 2 else f"{i % 28 + 1}.{i % 12 + 1}.2024"
        for i in range(60)
    ]
    lines = ["day,x,y,", *(f"{day} {i % 24:02}:{i:02},{i % 7},{'ab'[i % 2]}," for i, day in enumerate(days))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    result = run(make_plan(tmp_path / "t.csv", "y", only=["one_r"]), tmp_path / "study", workers=1)
    told = changes(result)
    assert "Left out without a known cell: column_4." in told
    assert any(line.startswith("Left out day: dates in several formats, such as ") for line in told)
    assert not any("identifiers" in line for line in told)
    assert set(result.columns.values()) == {("x",)}


def test_nothing_changed_is_said_too(tmp_path):
    result = run(make_plan("weather", only=["one_r"]), tmp_path, workers=1)
    assert changes(result) == ["Every row and every column is used as it is in the file."]


def test_what_was_pooled_is_said():
    """Thirty towns of four rows tell the class; five of one row cannot."""
    rows = [{"town": f"t{i}", "y": "ab"[i % 2]} for i in range(30) for _ in range(4)]
    table = ob.read([*rows, *({"town": f"u{i}", "y": "a"} for i in range(5)), {"town": None, "y": "a"}])
    towns, classes = table.split("y")
    words = "Rare values of town: 5 values of 35, in 5 rows, count as 'other values'."
    assert list(made_of_columns(DecisionTreeClassifier().fit(towns, classes), towns)) == [words]
    assert list(made_of_columns(ID3().fit(towns, classes), towns)) == []


def test_a_report_says_which_parts_of_dates_a_model_derived():
    from datetime import date, timedelta

    from openbook.linear import LogisticRegression

    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(140)]
    X = ob.read([{"day": str(day), "x": i % 3} for i, day in enumerate(days)])
    model = LogisticRegression().fit(X, ["busy" if day.weekday() > 4 else "calm" for day in days])
    assert list(made_of_columns(model, X)) == ["Derived from dates: day weekday (p < 0.001)."]
