"""The models of a study in pictures and tables: coefficients, rules, members, importances, regions."""

from typing import Any

import numpy as np

from openbook.data import Table as Rows
from openbook.draw.columns import drawable
from openbook.draw.regions import draw_boundary
from openbook.judge.folds.splits import TINY
from openbook.report import svg
from openbook.report.blocks import (
    Block,
    Figure,
    Fold,
    Heading,
    Paragraph,
    Sheet,
    TableLine,
    picture_figure,
    sketched,
)
from openbook.report.fitted import inside, prepared_rows, unwrapped
from openbook.report.study import StudyResult
from openbook.words.numbers import figure
from openbook.words.sentences import listed, plural
from openbook.work import Grid

#: The most end nodes of a drawn tree, labels whose classifiers are shown, rules, and importances.
_MOST_ENDS, _MOST_LABELS, _MOST_RULES, _MOST_BARS = 30, 12, 10, 12
#: The most leaves of a member that is shown as its rules.
_MOST_SPELT = 4


def portraits(result: StudyResult) -> list[Block]:
    """The description of each derived model, in blocks."""
    blocks: list[Block] = []
    for label in result.models:
        if own := [*model_blocks(result, label), *_boundary(result, label)]:
            blocks.append(Heading(label if label == result.choice.label else f"For comparison: {label}"))
            blocks += own
    return blocks


def model_blocks(result: StudyResult, label: str) -> list[Block]:
    """The description of a derived model."""
    model = result.models[label]
    blocks = portrait(model, prepared_rows(model, result.training[0]), weighted="weight" in result.roles)
    together = [result.roles[role] for role in ("group", "sequence", "time") if role in result.roles]
    if together and any(isinstance(one, Sheet) and "interval" in " ".join(one.header) for one in blocks):
        note = f"Rows that belong together by {listed(together)} are not, so the intervals are likely to be"
        text = f"These intervals take the rows as independent. {note} too narrow."
        blocks.append(Paragraph(text, "note"))
    return blocks


def portrait(model: Any, X: Rows, *, weighted: bool = False) -> list[Block]:
    """The description of a model; X are its training rows, which may have had weights."""
    model = unwrapped(model)
    if hasattr(model, "seen_by"):
        return _of_labels(model, X, weighted=weighted)
    if getattr(model, "tree_", None) is not None:
        return _tree(model)
    if blocks := inside(model, X, weighted=weighted):
        return blocks
    if hasattr(model, "rules"):
        return [rule_sheet(model)]
    words = [Paragraph(words)] if (words := _members(model)) else []
    return [*words, *_importances(model), *_rounds(model), *_growth(model)]


#: The methods of learners of several labels.
_SCHEMES = {
    "MultiOutputClassifier": "Binary relevance: a classifier for each label, fitted to whether rows have it.",
    "ClassifierChain": "A classifier chain: a classifier for each label, which sees the labels before it.",
    "LabelPowerset": "A label powerset: a classifier of whole sets of labels, those of the training rows.",
}


def _of_labels(model: Any, X: Rows, *, weighted: bool) -> list[Block]:
    """The labels with their thresholds, and each classifier folded away."""
    about = f"{_SCHEMES[type(model).__name__]} The classifiers: {type(model.estimator).__name__}."
    grid = next(part for part in model.work().parts if isinstance(part, Grid))
    blocks: list[Block] = [Paragraph(about), Sheet.of(grid, "Labels and thresholds")]
    seen = model.seen_by(X)
    for label, member, rows in seen[:_MOST_LABELS]:
        blocks.append(Fold(f"The classifier of {label}", portrait(member, rows, weighted=weighted)))
    if (more := len(seen) - _MOST_LABELS) > 0:
        blocks.append(Paragraph(f"{plural(more, 'more classifier')} in the model.", "note"))
    return blocks


def _boundary(result: StudyResult, label: str) -> list[Block]:
    """The regions of a classifier's predictions over two columns; none for a baseline."""
    X, y = result.training
    model = result.models[label]
    if label in result.baselines or not hasattr(model, "classes_") or len(drawable(X)) < 2:
        return []
    if "sequence" in result.roles and hasattr(unwrapped(model), "sequence"):
        return []  # its prediction of a row depends on the rows before and after it
    if result.looks.importance is None and len(X) >= TINY:
        return []  # to find the two columns would take as long as the skipped analysis
    picture = draw_boundary(model, X, y, _most_important(result, label))
    about = (
        "The predicted class as the two most important columns vary and the others stay fixed. Dots are"
        " training rows. A row in the region of another class may still be predicted correctly, because its"
        " other columns differ."
    )
    return [picture_figure(picture, about, *picture.notes)]


def _most_important(result: StudyResult, label: str) -> list[str] | None:
    """The two most important columns of this model, if the study has computed importances."""
    looks = result.looks
    if looks.importance is None or looks.label != label:
        return None
    usable = set(drawable(result.training[0]))
    found = [one.column for one in looks.importance if one.column in usable][:2]
    return found if len(found) == 2 else None


def legible(model: Any) -> Any:
    """The drawing of a model of one tree, to the depth at which it is legible."""
    from openbook.tree import draw

    nodes = draw(model).places
    deepest = max(node.depth for node in nodes)

    def ends(depth: int) -> int:
        return sum(n.depth == depth or (n.depth < depth and not n.children) for n in nodes)

    return draw(model, next((d for d in range(deepest, 0, -1) if ends(d) <= _MOST_ENDS), 0))


def tree_words(model: Any, drawing: Any) -> str:
    """The description of a tree and its drawing."""
    tree, lines = model.tree_, hasattr(model, "lines_")
    if tree.size == 1:
        answer = "one linear model predicts all rows" if lines else "all rows get the same prediction"
        return f"A tree with a single leaf: no split improves it, so {answer}."
    tested = len(np.unique(tree.attribute[tree.attribute >= 0]))
    used = f"{tested} of the {len(model.schema_)} columns" if len(model.schema_) > 1 else "the only column"
    words = f"A tree with {tree.n_leaves} leaves. It splits on {used}."
    if lines:
        words += " Each leaf has a linear model; a bar in the drawing shows the mean of the leaf’s rows."
    if hidden := sum(place.hidden for place in drawing.places):
        words += f" The drawing stops at depth {drawing.max_depth}: {hidden} leaves are hidden."
    return words


def _tree(model: Any) -> list[Block]:
    drawing = legible(model)
    blocks: list[Block] = [Paragraph(tree_words(model, drawing))]
    if model.tree_.size > 1:
        blocks.append(sketched(drawing.svg(), "", "", "tree"))
    return [*blocks, rule_sheet(model)] if model.tree_.size > 1 or hasattr(model, "lines_") else blocks


def rule_sheet(model: Any) -> Sheet:
    """The rules that cover most rows, and the share of the others."""
    listed, of_leaves = list(model.rules()), getattr(model, "tree_", None) is not None
    if of_leaves:  # no other order matters
        listed.sort(key=lambda rule: -rule.weight)
    shown, rest = listed[:_MOST_RULES], listed[_MOST_RULES:]
    sure = shown[0].confidence is not None
    note = "One rule for each leaf." if of_leaves else "The first rule that holds decides."
    note += " Rows: training rows that the rule covers."
    note += " Confidence: share of them in the predicted class." if sure else ""
    if rest:
        share = sum(rule.share for rule in rest)
        note += f" {plural(len(rest), 'more rule')} cover the other {share:.1%}."
    rows = []
    for rule in shown:
        confidence = [f"{rule.confidence:.1%}"] if sure else []
        cells = (rule.premise, rule.outcome, figure(rule.weight), f"{rule.share:.1%}", *confidence)
        rows.append(TableLine(cells))
    header = ("if", "then", "rows", "share", *(["confidence"] if sure else []))
    return Sheet("Rules", header, tuple(rows), note)


def _members(model: Any) -> str:
    if hasattr(model, "trees_"):
        nodes = sum(tree.size for tree in model.trees_) / len(model.trees_)
        return f"{plural(len(model.trees_), 'tree')} of {nodes:,.0f} nodes on average."
    return f"{plural(len(model.estimators_), 'member')}." if hasattr(model, "estimators_") else ""


def _rounds(model: Any) -> list[Sheet]:
    """The members of a boosted ensemble with the largest votes."""
    if not hasattr(model, "alphas_"):
        return []
    kept = np.flatnonzero(model.alphas_)  # the rounds whose member was not discarded
    order = np.argsort(-model.alphas_[kept], kind="stable")[:_MOST_RULES]
    rows = []
    for i, member in ((kept[k], model.estimators_[k]) for k in order.tolist()):
        weight, error = (figure(own[i], 3) for own in (model.alphas_, model.errors_))
        rows.append(TableLine((f"{i + 1}", _member_words(member), weight, error)))
    if not rows:
        return []
    caption = "Its member" if len(rows) == 1 else f"The {len(rows)} members with the largest weights"
    note = "Error: the weighted share of the training rows that the member gets wrong in its round."
    return [Sheet(caption, ("round", "member", "weight", "error"), tuple(rows), note)]


def _member_words(member: Any) -> str:
    """A small tree as its rules; another learner by its name."""
    from openbook.tree import rules

    if getattr(member, "tree_", None) is None or member.tree_.n_leaves > _MOST_SPELT:
        return type(member).__name__
    return "; ".join(f"{rule.premise}: {rule.outcome}" for rule in rules(member))


def _growth(model: Any) -> list[Figure]:
    """The error after each tree or round."""
    if hasattr(model, "oob_curve_"):
        kind = "error" if hasattr(model, "classes_") else "mean squared error"
        title, values, of = f"Out-of-bag {kind}", model.oob_curve_, "trees"
        note = "each row is predicted by the trees that were not trained on it"
    elif hasattr(model, "vote_errors_"):
        title, values, of = "Training error of the vote", model.vote_errors_, "rounds"
        note = "optimistic, because the members were trained on these rows"
    elif hasattr(model, "train_score_"):
        title, values, of = "Mean loss of the training rows", model.train_score_, "rounds"
        note = "optimistic, because the trees were grown on these rows"
    else:
        return []
    known = [(i, float(v)) for i, v in enumerate(values, start=1) if not np.isnan(v)]
    if len(known) < 2:
        return []
    caption = f"{title} by the number of {of}: {figure(known[-1][1], 3)} at the end; {note}."
    return [sketched(svg.curve(title, known, axis=of), "", caption, "narrow")]


def _importances(model: Any) -> list[Figure]:
    shares = getattr(model, "feature_importances_", None)
    if shares is None:
        return []
    named = sorted(zip(model.schema_.names, shares.tolist(), strict=True), key=lambda pair: -pair[1])
    shown = named[:_MOST_BARS]
    bars = svg.value_bars("Importances", shown, rest=len(named) - len(shown), form="{:.1%}", letters=26)
    caption = "Importance: share of the gain of all splits, on the training rows."
    return [sketched(bars, "", caption, "narrow")]
