"""The meaning of each verdict, and what to try next, the most promising first."""

MEANINGS = {
    "nothing learnt": (
        "its predictions are not shown to be better than {baseline} on new rows."
        " Either the attributes tell nothing about the target, or this learner cannot use them"
    ),
    "useful probabilities": (
        "its probabilities are better than those of {baseline} on new rows, but its decisions are not shown"
        " to be better"
    ),
    "under-fitting": "its error is high even on its training rows, and another learner is better",
    "high bias": (
        "training and validation error are equal, and another learner is better: the model is too simple,"
        " and more rows would not help"
    ),
    "over-fitting": "it has learnt details of its training rows that do not hold for new rows",
    "high variance": (
        "validation error is far above training error, and more rows still help, or no other learner is"
        " better: the model depends on which rows it is trained on"
    ),
    "noise floor": (
        "no other learner is clearly better, and more rows are not shown to help: the remaining error is"
        " noise, or a bias that all these learners share"
    ),
    "high bias or noise floor": (
        "training and validation error are close, and more rows are not shown to help. A learning curve"
        " cannot distinguish bias from noise; another learner can"
    ),
    "still learning": "training and validation error are close, and more rows still help",
    "fine": "it removes at least 90% of the error of {baseline}",
    "undecided": "training and validation scores do not show what holds the model back",
    "nothing to learn": "{baseline} makes no error",
}

#: Of a noise floor, where the slope is unclear.
UNSETTLED = (
    "no other learner is clearly better, and it is not settled whether more rows help: if they do not, the"
    " remaining error is noise, or a bias that all these learners share"
)

_RICHER = "a richer model: more terms, deeper trees, more hidden units, fewer neighbours"
_LESS_REGULAR = "less regularisation: a smaller penalty, less pruning, more rounds"
_NEW_ATTRIBUTES = "new attributes: transformed or combined by --prepare steps, or measured in addition"
_SIMPLER = "a simpler model: fewer terms, shallower trees, fewer units, more neighbours"
_REGULAR = "regularisation: a larger penalty, pruning, larger leaves, stopping earlier"
_FEWER_ATTRIBUTES = "fewer attributes: uninformative ones only add variance"
BAGGING = "bagging or a forest, which reduce variance by averaging"
BOOSTING = "boosting, which lowers bias"
_MORE_ROWS = "more rows"
_LABELS = "a check of the target: whether its labels are right and belong to these rows"
_COMPARE = "a comparison with learners of other kinds on the same folds"
REPEATS = "more repeats of the folds, for steadier scores"
THRESHOLD = (
    "a decision threshold other than 0.5, tuned on training rows or set by the costs of errors (--costs)"
)

REMEDIES = {
    "nothing learnt": (_NEW_ATTRIBUTES, _LABELS, _MORE_ROWS),
    "useful probabilities": (
        THRESHOLD,
        "a ranking of the learners by AUC or log loss (--metric roc_auc or log_loss)",
        _NEW_ATTRIBUTES,
    ),
    "under-fitting": (_RICHER, _LESS_REGULAR, _NEW_ATTRIBUTES, BOOSTING),
    "high bias": (_RICHER, _NEW_ATTRIBUTES, _LESS_REGULAR, BOOSTING),
    "over-fitting": (_SIMPLER, _REGULAR, _FEWER_ATTRIBUTES, BAGGING, _MORE_ROWS),
    "high variance": (_MORE_ROWS, BAGGING, _FEWER_ATTRIBUTES, _REGULAR, _SIMPLER),
    "noise floor": (_NEW_ATTRIBUTES, _LABELS),
    "high bias or noise floor": (_COMPARE, _RICHER, _NEW_ATTRIBUTES, _LABELS),
    "still learning": (_MORE_ROWS, _RICHER),
    "fine": ("a check on rows collected later or elsewhere, before you rely on it",),
    "undecided": (_MORE_ROWS, REPEATS),
    "nothing to learn": (_LABELS,),
}
