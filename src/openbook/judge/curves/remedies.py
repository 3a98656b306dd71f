"""What each verdict means, {baseline} named, and what to try, the most promising first."""

MEANINGS = {
    "nothing learnt": (
        "its predictions are not shown to be better than {baseline} on new rows."
        " Either the attributes say nothing about the target, or this learner cannot use what they say"
    ),
    "useful probabilities": (
        "its probabilities are better than those of {baseline} on new rows, but its decisions are not shown"
        " to be"
    ),
    "under-fitting": "it does badly even on its training rows, and something else does better",
    "high bias": (
        "training and validation error are equal, and something else does better: the model is too simple,"
        " and more rows would not help"
    ),
    "over-fitting": "it has learnt details of its training rows that do not hold for other rows",
    "high variance": (
        "validation error is far above training error, and more rows still help, or nothing else that was"
        " tried does better: the model depends on which rows it is given"
    ),
    "noise floor": (
        "nothing that was tried does clearly better, and more rows are not shown to help: the error that is"
        " left is noise, or a bias that all learners tried share"
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

_RICHER = "a richer model: more terms, deeper trees, more hidden units, fewer neighbours"
_LESS_REGULAR = "less regularisation: a smaller penalty, less pruning, more rounds"
_NEW_ATTRIBUTES = "new attributes: transformed or combined by --prepare steps, or measured in addition"
_SIMPLER = "a simpler model: fewer terms, shallower trees, fewer units, more neighbours"
_REGULAR = "regularisation: a larger penalty, pruning, larger leaves, stopping earlier"
_FEWER_ATTRIBUTES = "fewer attributes: those that say nothing only add variance"
BAGGING = "bagging or a forest, which average variance away"
BOOSTING = "boosting, which lowers bias"
_MORE_ROWS = "more rows"
_LABELS = "a check of the target: whether its labels are right and belong to these rows"
_COMPARE = "a comparison with learners of other kinds on the same folds"
REPEATS = "more repeats of the folds, which make the scores steadier"
THRESHOLD = (
    "a decision threshold other than 0.5, tuned on training rows or set by what each mistake costs (--costs)"
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
