"""`openbook balance`: corrections for a rare class, compared in a table."""

from typing import Annotated, Any

import typer

from openbook.cli.options import kinds_of, with_help


@with_help
def balance(
    source: str,
    *,
    target: str | None = None,
    learner: str = "logistic_regression",
    folds: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Number of folds. By default as in a study.")
    ] = None,
    kind: list[str] | None = None,
    ignore: list[str] | None = None,
    read_with: dict[str, Any],
) -> None:
    """Compare corrections for a rare class on the same folds.

    The corrections are none, class weights, a tuned threshold, over- and under-sampling and SMOTE; the scores
    are log loss, AUC, balanced accuracy and the distortion of the probabilities. Rows without a target are
    left out, and so is the column in which `openbook label` marks the requested labels.

    Parameters
    ----------
    target : COLUMN
        The column of two classes, one of them rare.
    learner : NAME
        The classifier to correct.
    """
    from openbook import registry
    from openbook.cli.bar import waiting
    from openbook.cli.output import put_out
    from openbook.cli.screen import console, readable
    from openbook.cli.tables import default_target, open_table
    from openbook.data.asked import written_by_label
    from openbook.decide.corrections import compare_corrections
    from openbook.errors import DataError
    from openbook.work.text import to_text

    aim = target or default_target(source)
    if aim is None:
        raise DataError("say which column has the rare class: --target …")
    classifier = registry.learner(learner).make()
    with waiting("Reading the data"):
        table = open_table(source, kinds_of(kind), read_with).drop(*(ignore or ()))
    marks = written_by_label(table, aim)
    X, y = table.drop(*([marks] if marks else [])).drop_missing(aim).split(aim)
    with waiting("Comparing the corrections"):
        found = compare_corrections(classifier, X, y, cv=folds)
    put_out(to_text(found.work(), readable(console())) + "\n")
