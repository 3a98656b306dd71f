"""What each verdict means, and what to try, the most promising first."""

__all__ = ["MEANINGS", "REMEDIES"]

MEANINGS = {
    "nothing learnt": (
        "what it says of new rows is not shown to be better than the baseline. Either these attributes tell"
        " nothing of the target, or the learner cannot see what they tell"
    ),
    "under-fitting": "it does badly even on the rows it was fitted on, and something else does better",
    "high bias": (
        "training and validation have met above what something else reaches: more rows would not help, and"
        " what it can express is too little"
    ),
    "over-fitting": "it has learnt of its training rows what does not hold for others",
    "high variance": (
        "validation is far behind training, and more rows still help, or nothing else that was tried does:"
        " what it learns depends on which rows it is given"
    ),
    "noise floor": (
        "nothing that was tried does better, and more rows are not shown to help: what is left is noise, or"
        " bias that all learners tried share"
    ),
    "high bias or noise floor": (
        "training and validation have met, and more rows are not shown to help. A curve cannot tell bias from"
        " noise; another learner can"
    ),
    "still learning": "training and validation are close, and both still gain from more rows",
    "fine": "it leaves no more than a tenth of the baseline's error",
    "undecided": "the evidence does not decide",
    "nothing to learn": "the baseline makes no error that could be mended",
}

_RICHER = "a richer model: more terms, deeper trees, more hidden units, fewer neighbours"
_LESS_REGULAR = "less regularisation: a smaller penalty, less pruning, more rounds"
_NEW_ATTRIBUTES = "new attributes: transformed, combined, or measured besides"
_SIMPLER = "a simpler model: fewer terms, shallower trees, fewer units, more neighbours"
_REGULAR = "regularisation: a larger penalty, pruning, larger leaves, stopping earlier"
_FEWER_ATTRIBUTES = "fewer attributes: those that tell nothing only add variance"
_BAGGING = "bagging or a forest, which average variance away"
_BOOSTING = "boosting, which lowers bias"
_MORE_ROWS = "more rows"
_LABELS = "a look at the target: are the labels right, and the rows matched to them?"
_COMPARE = "a comparison with learners of other kinds on the same folds"

REMEDIES = {
    "nothing learnt": (_COMPARE, _NEW_ATTRIBUTES, _LABELS),
    "under-fitting": (_RICHER, _LESS_REGULAR, _NEW_ATTRIBUTES, _BOOSTING),
    "high bias": (_RICHER, _NEW_ATTRIBUTES, _LESS_REGULAR, _BOOSTING),
    "over-fitting": (_SIMPLER, _REGULAR, _FEWER_ATTRIBUTES, _BAGGING, _MORE_ROWS),
    "high variance": (_MORE_ROWS, _BAGGING, _FEWER_ATTRIBUTES, _REGULAR, _SIMPLER),
    "noise floor": (_NEW_ATTRIBUTES, _LABELS, "the simplest of the learners that are level"),
    "high bias or noise floor": (_COMPARE, _RICHER, _NEW_ATTRIBUTES, _LABELS),
    "still learning": (_MORE_ROWS, _RICHER),
    "fine": ("the simplest learner that does as well",),
    "undecided": (),
    "nothing to learn": (_LABELS,),
}
