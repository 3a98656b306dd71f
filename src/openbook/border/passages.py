"""The text of a row, each word shaded by what it contributes to the prediction.

    score s(x)         ln P(c | x) - ln P(r | x), of the predicted class c and the runner-up r; of numbers the
                       prediction itself; of a label that rows may have beside others, ln P / (1 - P);
                       where one of these is ln 0, as in a pure leaf of a tree, P(c | x) itself
    contribution       s(x) - s(x without the word, wherever it occurs in the text)

These are predictions of the fitted model, so this works for every learner. For naive Bayes the contribution
is exactly x ln(p_c / p_r). Words that the model does not know contribute nothing. Where characters make words
in pairs, as in Chinese, a character is shaded by the mean of its pairs.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import groupby
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data import Table
from openbook.data.attributes import as_text
from openbook.data.scripts import RUN
from openbook.text.columns import RULE
from openbook.text.tokens import in_word, tokens
from openbook.work import Passage

#: The most characters of a text that are shown, and the most distinct words that are left out in turn.
_MOST_SIGNS, _MOST_WORDS = 10_000, 400

#: The scores of rows, each with what it is of: of several labels, there are several.
Scored = list[tuple[str, npt.NDArray[Any]]]


def shaded_texts(
    words: Mapping[str, Collection[str]], row: Table, score: Callable[[Table], Scored]
) -> tuple[Passage, ...]:
    """The texts of a one-row table, as a fitted model weighs their words.

    words : the words that the model knows, by column of texts
    score : the scores of rows, by the model
    """
    found = []
    for column, known_words in words.items():
        text = row.data(column)[0]
        if text:
            distinct, codes, _ = tokens([text[:_MOST_SIGNS]])
            terms = [term or "" for term in RULE.terms(distinct)]  # of words that are not counted, none
            known = [terms[code] for code in codes.tolist() if terms[code] in known_words]
            some = sorted(dict.fromkeys(known), key=lambda term: -known.count(term))[:_MOST_WORDS]
            scored = score(_without_each(row, column, known, some)) if some else []
            for about, scores in scored or [("", np.zeros(1))]:
                weights = dict(zip(some, (scores[0] - scores[1:]).tolist(), strict=bool(scored)))
                added = {word: weights.get(term, 0.0) for word, term in zip(distinct, terms, strict=True)}
                shown = tuple(
                    (piece, _mean([added.get(word, 0.0) for word in own])) for piece, own in _pieces(text)
                )
                shading = f"Shading: what each word adds to {about}." if about else ""
                found.append(Passage(column, shown, shading))
    return tuple(found)


def _without_each(row: Table, column: str, known: list[str], words: list[str]) -> Table:
    """The row with its known words, and below it without each of some of them."""
    without = [" ".join(term for term in known if term != word) for word in words]
    texts = np.array([" ".join(known), *without], dtype=object)
    columns = [texts if name == column else row.data(name).repeat(len(texts)) for name in row.names]
    return Table(row.schema, columns)


def model_score(model: Any, rows: Table) -> Scored:
    """The score of rows by a learner of numbers or of classes; nothing if there is one class."""
    if not hasattr(model, "classes_"):
        return [(model.target_, model.predict(rows))]
    if len(model.classes_) < 2:
        return []
    logs = model.predict_log_proba(rows)
    runner_up, predicted = np.argsort(logs[0], kind="stable")[-2:]
    ahead, behind = (as_text(model.classes_[c].item()) for c in (predicted, runner_up))
    return [odds_score(f"{ahead} against {behind}", ahead, logs[:, predicted], logs[:, runner_up])]


def odds_score(
    odds: str, label: str, yes: npt.NDArray[Any], no: npt.NDArray[Any]
) -> tuple[str, npt.NDArray[Any]]:
    """The log odds of rows, from two logarithms of probabilities; or the probability, where one is 0.

    >>> odds_score("a against b", "a", np.log([0.8, 0.5]), np.log([0.2, 0.5]))
    ('the log odds of a against b', array([1.386..., 0.        ]))
    """
    if np.isneginf([yes, no]).any():
        return f"the probability of {label}", np.exp(yes)
    return f"the log odds of {odds}", yes - no


def _pieces(text: str) -> list[tuple[str, list[str]]]:
    """The text in pieces, each with its word, or none. A character of a script without spaces is a piece of
    two words, the pairs that it is part of.
    """
    found = []
    for (inside, unspaced), signs in groupby(text[:_MOST_SIGNS], _sort):
        run = "".join(signs)
        if inside and unspaced and len(run) > 1:
            pairs = list(map(add, run, run[1:]))
            found += [(sign, pairs[max(k - 1, 0) : k + 1]) for k, sign in enumerate(run)]
        else:
            found.append((run, [run] if inside else []))
    return [*found, ("…", [])] if len(text) > _MOST_SIGNS else found


def _sort(sign: str) -> tuple[bool, bool]:
    return in_word(sign), RUN.match(sign) is not None


def _mean(weights: list[float]) -> float:
    return sum(weights) / len(weights) if weights else 0.0
