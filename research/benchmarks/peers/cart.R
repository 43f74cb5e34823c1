# What synthpop does, without its checks: a tree for each variable on those before it, donors from its leaves.
library(rpart)
d <- read.csv(shared("golden/sd18_cart/original.csv"), stringsAsFactors = TRUE)
for (name in names(d)) {
  if (is.factor(d[[name]])) d[[name]] <- addNA(d[[name]], ifany = TRUE) else d[[name]][is.na(d[[name]])] <- -1
}
# A factor of many levels with a response of many classes does not finish: such predictors are taken as numbers.
wide <- sapply(d, function(x) is.factor(x) && nlevels(x) > 12)
as_predictor <- function(x) { for (name in names(x)) if (wide[[name]]) x[[name]] <- as.integer(x[[name]]); x }
synth <- function() {
  s <- d[sample(nrow(d), replace = TRUE), 1, drop = FALSE]
  for (j in 2:ncol(d)) {
    x <- as_predictor(d[, 1:(j - 1), drop = FALSE])
    fit <- rpart(y ~ ., data = cbind(y = d[[j]], x), minbucket = 5, cp = 1e-8, xval = 0, maxsurrogate = 0, maxcompete = 0,
                 method = if (is.factor(d[[j]])) "class" else "anova")
    donors <- split(seq_len(nrow(d)), fit$where)
    leaf <- as.character(rpart:::pred.rpart(fit, rpart:::rpart.matrix(model.frame(delete.response(fit$terms), as_predictor(s), na.action = na.pass))))
    place <- vapply(leaf, function(name) {
      rows <- donors[[name]]
      if (is.null(rows)) rows <- seq_len(nrow(d)) # a value that the tree has not seen ends within it
      rows[sample.int(length(rows), 1)]
    }, 1L)
    s[[names(d)[j]]] <- d[[j]][place]
  }
  s
}
emit(cpu(synth, runs = 1))
