"""The parts of a report, by subject; one that has nothing to show is left out."""

from openbook.report.blocks import Part, numbers_in, with_numbers
from openbook.report.sections.data import from_file_to_model, possible_leaks, the_data
from openbook.report.sections.draft import draft_of_report
from openbook.report.sections.errors import (
    cost_of_decisions,
    documents_and_words,
    fairness_by_group,
    labelled_sequences,
    segments_and_mistakes,
    the_errors,
)
from openbook.report.sections.judging import evaluation_protocol, final_test, the_choice, the_ranking
from openbook.report.sections.model import (
    feature_importance,
    learning_and_diagnosis,
    the_model,
    worked_predictions,
)
from openbook.report.sections.questions import questions_to_answer
from openbook.report.sections.short import in_short, reproduce, skipped
from openbook.report.study import StudyResult

__all__ = ["parts", "the_data"]

#: In reading order: the data, the judging, the model and its errors, what to do next. The summary comes
#: before them, the draft after; both refer to their figures and tables.
_SECTIONS = (
    the_data,
    from_file_to_model,
    possible_leaks,
    evaluation_protocol,
    the_ranking,
    the_choice,
    final_test,
    the_model,
    labelled_sequences,
    the_errors,
    documents_and_words,
    segments_and_mistakes,
    learning_and_diagnosis,
    feature_importance,
    fairness_by_group,
    cost_of_decisions,
    worked_predictions,
    skipped,
    questions_to_answer,
    reproduce,
)


def parts(result: StudyResult) -> list[Part]:
    """The parts that have something to show, in reading order."""
    built = (section(result) for section in _SECTIONS)
    body = with_numbers([part for part in built if part.blocks])
    numbers = {part.id: own for part in body if (own := numbers_in(part))}
    return [in_short(result, numbers), *body, draft_of_report(result, numbers)]
