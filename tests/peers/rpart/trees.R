# Grow a tree and print it: Rscript trees.R data.csv class|anova maxdepth
# The target is the last column, the rows' weights the one before it.
# One line a node, tabs between: number, condition, rows, deviance (or weight of errors), prediction, and the
# weight of each class. Then an empty line, and one line a step of cost-complexity pruning: alpha as a share of
# the root's deviance (or errors), and how many splits are left.
library(rpart)
words <- commandArgs(trailingOnly = TRUE)
data <- read.csv(words[1], stringsAsFactors = TRUE)
target <- names(data)[ncol(data)]
control <- rpart.control(minsplit = 2, minbucket = 1, cp = -1, xval = 0, maxdepth = as.integer(words[3]),
                         maxcompete = 0, maxsurrogate = 0, usesurrogate = 0)
fit <- rpart(reformulate(".", target), data[names(data) != "weight"], weights = data$weight, method = words[2],
             parms = if (words[2] == "class") list(split = "gini"), control = control)
number <- function(x) format(x, digits = 12, trim = TRUE, scientific = FALSE)
frame <- fit$frame
classes <- attr(fit, "ylevels")
prediction <- if (is.null(classes)) number(frame$yval) else classes[frame$yval]
weights <- if (is.null(classes)) "" else
  apply(frame$yval2[, 1 + seq_along(classes), drop = FALSE], 1, paste, collapse = " ")
lines <- paste(rownames(frame), labels(fit, digits = 12, minlength = 0), frame$n, number(frame$dev), prediction,
               weights, sep = "\t")
writeLines(c(sub("\t$", "", lines), ""))
steps <- fit$cptable[fit$cptable[, "CP"] > 1e-9, , drop = FALSE]
writeLines(paste(number(steps[, "CP"]), steps[, "nsplit"], sep = "\t"))
