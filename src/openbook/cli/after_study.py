"""The commands for the results of a study: its model (predict, check, work, query, rules, draw) and its plan
(export).
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from openbook.cli.options import RulesFormat, WorkFormat, kinds_of, reading, with_help


@reading
@with_help
def predict(
    model: Path, new: str, *, out: Path | None = None, proba: bool = False, read_with: dict[str, Any]
) -> None:
    """Predict the target of new rows.

    The output has the columns of NEW and a column "prediction". Missing cells are recognised as in the study.
    CSV and Parquet files larger than 64 MB are streamed.

    Parameters
    ----------
    out
        File to write: .csv, .tsv, .parquet or .jsonl. By default print CSV.
    proba
        Add the probability of each class.
    """
    from openbook.cli.bar import waiting
    from openbook.cli.predictions import (
        chunks_of,
        predicted,
        rows_to_predict,
        sequence_note,
        threshold_note,
        writer,
    )
    from openbook.cli.tables import as_in_study, study_file
    from openbook.data.limits import far_outside
    from openbook.store import open_model
    from openbook.words.sentences import printable

    write = writer(out)
    with waiting("Predicting"):
        fitted = open_model(path := study_file(model))
        rows = rows_to_predict(new, fitted.schema_, as_in_study(path, read_with))
        frames = predicted(fitted, rows, with_proba=proba)
        limits = getattr(fitted, "training_limits_", {})
        warnings = sequence_note(fitted, rows), far_outside(chunks_of(rows), fitted.schema_.given, limits)
    if note := threshold_note(fitted):
        typer.echo(note, err=True)
    for warning in filter(None, warnings):
        typer.echo(f"openbook: warning: {printable(warning)}", err=True)
    with waiting("Predicting"):
        write(frames)


@reading
@with_help
def check_new_rows(model: Path, new: str, *, read_with: dict[str, Any]) -> None:
    """Check whether new rows look like those that a model was trained on.

    Each column and all of them together are tested, with p-values that are valid for any number of
    columns. The output says how differences may affect the predictions.
    """
    from openbook.cli.output import put_out
    from openbook.cli.tables import as_in_study, open_table, study_file
    from openbook.store import from_file, open_model

    path = study_file(model)
    fitted = open_model(path)
    rows = open_table(new, fitted.schema_, as_in_study(path, read_with))
    with from_file(path):
        put_out(fitted.unlike(rows).work().text() + "\n")


@reading
@with_help
def work(
    model: Path,
    new: str | None = None,
    *,
    row: int | None = None,
    form: WorkFormat = WorkFormat.text,
    out: Path | None = None,
    read_with: dict[str, Any],
) -> None:
    """Derive a prediction step by step.

    Without NEW, derive the model from its training data.

    Parameters
    ----------
    new : [NEW]
        A data file with the row, or a bundled data set.
    row
        Row of NEW; the first is 0. By default the first.
    form : FORMAT
        Format of the derivation: text, html, latex or json.
    """
    from openbook.cli.derivations import derive_file, write_work
    from openbook.cli.tables import as_in_study, study_file
    from openbook.store import from_file, open_model

    with from_file(path := study_file(model)):
        model = open_model(path)
        write_work(
            derive_file(model, new, row, as_in_study(path, read_with)),
            form.value,
            out,
            getattr(model, "note_", ""),
        )


@reading
@with_help
def query(
    source: str,
    *,
    ask: list[str],
    given: list[str] | None = None,
    show_work: bool = False,
    form: WorkFormat = WorkFormat.text,
    out: Path | None = None,
    save_as: Path | None = None,
    kind: list[str] | None = None,
    read_with: dict[str, Any],
) -> None:
    """Ask a belief network for the probability of a node, given findings.

    From a data file, a network is learnt by hill climbing; cells may be missing.

    Parameters
    ----------
    source : SOURCE
        The folder of a study, a model file, a network in a .bif file, or a data file from which a network
        is learnt.
    ask : NODE
        Node whose distribution to print; repeat it for a joint.
    given : NODE=VALUE
        A finding, as NODE=VALUE. Repeatable.
    show_work
        Derive the answer step by step.
    form : FORMAT
        Format of the derivation: text, html, latex or json.
    save_as : FILE
        Model file for the network, such as model.openbook.
    """
    from openbook.cli.derivations import write_work
    from openbook.cli.questions import answered, findings, opened_network
    from openbook.store import save

    evidence = findings(given or [])
    network = opened_network(source, kinds_of(kind), read_with)
    if save_as is not None:
        save(network, save_as)
    if show_work or form != WorkFormat.text or out is not None:
        write_work(network.work(ask if len(ask) > 1 else ask[0], given=evidence), form.value, out)
    else:
        typer.echo(answered(network, ask, evidence))


@with_help
def print_rules(model: Path, *, form: RulesFormat = RulesFormat.text, out: Path | None = None) -> None:
    """Print a decision tree as rules, one for each leaf.

    The SQL format is a query that selects the rows of a table t with their predictions.

    Parameters
    ----------
    form
        Format of the output.
    """
    from openbook.cli.derivations import write_rules
    from openbook.cli.tables import study_file

    write_rules(study_file(model), form.value, out)


@reading
@with_help
def draw_picture(
    source: str,
    *,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    colour: str | None = None,
    picture: str | None = None,
    data: str | None = None,
    row: int | None = None,
    out: Path | None = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="Maximum depth of the drawing of a tree.", show_default="all")
    ] = None,
    kind: list[str] | None = None,
    read_with: dict[str, Any],
) -> None:
    """Draw a table, a model or a function.

    Parameters
    ----------
    source : SOURCE
        A table (a data file or a bundled set), a model file, a network in a .bif file, the folder of a
        study, or the function activations or impurity.
    x : COLUMN
        Column on the x axis.
    y : COLUMN
        Column on the y axis.
    z : COLUMN
        Column on a third axis, in an .html file that turns.
    colour : COLUMN
        Column that colours the rows.
    picture : NAME
        Of a table: matrix, histograms, boxes, correlations, parallel or pixels; fit (polynomials) or
        descent (the loss of a line) of --x and --y; likelihood of --x. By default a scatter plot of --x
        and --y, a histogram of --x, or the matrix of all pairs. Of a model: steps, network, path or
        scree; over --data also margin or voronoi. Of a study: comparison, roc or costs.
    data : TABLE
        Rows to draw a model over: regions, a curve or clusters.
    row : N
        Row of --data, from 0, whose neighbours are marked.
    out
        File to write: .svg; .html for three columns; a tree also .dot or .txt. By default a tree is drawn
        on the screen.
    """
    from openbook.cli import drawings
    from openbook.cli.tables import open_table, study_file

    if source in drawings.FUNCTIONS:
        drawings.write_function_picture(source, out)
    elif picture in drawings.STUDIES and Path(source).is_dir():
        drawings.write_study_picture(Path(source), picture, out)
    elif drawings.is_model(source):
        path = study_file(Path(source))
        columns = [name for name in (x, y) if name is not None]
        rows = None if data is None else open_table(data, kinds_of(kind), read_with)
        asked = drawings.ModelPicture(picture, rows, columns, row, depth)
        drawings.write_model_picture(drawings.model_in(path), path, asked, out)
    else:
        table = open_table(source, kinds_of(kind), read_with)
        drawings.write_table_picture(table, (x, y, z), colour, picture, out)


@with_help
def export_study(plan: Path, *, out: Path | None = None) -> None:
    """Write a study as a Python script.

    Parameters
    ----------
    plan : PLAN
        The folder of a study, or its plan.toml.
    """
    from openbook.cli.output import put_out
    from openbook.cli.tables import study_file
    from openbook.plan.explore_plan import ExplorePlan, open_plan
    from openbook.plan.export import export, export_exploration

    opened = open_plan(study_file(plan, "plan.toml"))
    put_out(export_exploration(opened) if isinstance(opened, ExplorePlan) else export(opened), out)
