"""The text of a row, each word shaded by what it contributes to the prediction.

    score s(x)         ln P(c | x) - ln P(r | x), of the predicted class c and the runner-up r; of numbers the
                       prediction itself
    contribution       s(x) - s(x without the word, wherever it occurs in the text)

That is asked of the fitted model as it stands, so it holds for every learner. Of a naive Bayes it is exactly
x ln(p_c / p_r). Words that the model does not know contribute nothing. Logarithms of probabilities are kept
above -700, where a double ends.
"""

from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import category

import numpy as np

from openbook.data import Table
from openbook.data.attributes import as_text
from openbook.text.columns import RULE
from openbook.work import Passage

if TYPE_CHECKING:
    from openbook.border.base import Learner

__all__ = ["shaded_texts"]

#: The most characters of a text that are shown, and the most distinct words that are left out in turn.
_MOST_SIGNS, _MOST_WORDS = 10_000, 400
_LEAST_LOG = -700.0


def shaded_texts(model: "Learner", row: Table) -> tuple[Passage, ...]:
    """The texts of a one-row table, as the fitted model weighs their words."""
    found = []
    for column, places in model.schema_.words.items():
        text = row.data(column)[0]
        if text:
            pieces = _pieces(text)
            known = [term for _, term in pieces if term in places]
            words = sorted(dict.fromkeys(known), key=lambda term: -known.count(term))[:_MOST_WORDS]
            weights, about = _contributions(model, row, column, known, words) if words else ({}, "")
            shown = tuple((sign, weights.get(term or "", 0.0)) for sign, term in pieces)
            found.append(Passage(column, shown, about))
    return tuple(found)


def _contributions(
    model: "Learner", row: Table, column: str, known: list[str], words: list[str]
) -> tuple[dict[str, float], str]:
    """What each word adds to the score, and what the score is."""
    without = [" ".join(term for term in known if term != word) for word in words]
    texts = np.array([" ".join(known), *without], dtype=object)
    columns = [texts if name == column else row.data(name).repeat(len(texts)) for name in row.names]
    rows = Table(row.schema, columns)
    if not hasattr(model, "classes_"):
        about = f"Shading: what each word adds to {model.target_}."
        scores = model.predict(rows)  # type: ignore[attr-defined]
    elif len(model.classes_) < 2:
        return {}, ""
    else:
        logs = np.maximum(model.predict_log_proba(rows), _LEAST_LOG)  # type: ignore[attr-defined]
        runner_up, predicted = np.argsort(logs[0], kind="stable")[-2:]
        scores = logs[:, predicted] - logs[:, runner_up]
        ahead, behind = (as_text(model.classes_[c].item()) for c in (predicted, runner_up))
        about = f"Shading: what each word adds to the log odds of {ahead} against {behind}."
    return dict(zip(words, (scores[0] - scores[1:]).tolist(), strict=True)), about


def _pieces(text: str) -> list[tuple[str, str | None]]:
    """The text in pieces, each with its term; None where it is no word, or none that is counted."""
    runs = [("".join(signs), inside) for inside, signs in groupby(text[:_MOST_SIGNS], _in_word)]
    terms = RULE.terms([run for run, _ in runs])
    found = [(run, term if inside else None) for (run, inside), term in zip(runs, terms, strict=True)]
    return [*found, ("…", None)] if len(text) > _MOST_SIGNS else found


def _in_word(sign: str) -> bool:
    return category(sign)[0] in "LMN"
