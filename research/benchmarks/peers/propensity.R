# Main effects by glm; a class tree with 50 permutations of which file a record is from.
library(rpart)
o <- read.csv(shared("golden/sd18_cart/original.csv"), na.strings = "")
s <- read.csv(shared("golden/sd18_cart/synthetic.csv"), na.strings = "")
d <- rbind(o, s)
for (name in names(d)) {
  if (is.numeric(d[[name]])) d[[name]][is.na(d[[name]])] <- 0
  else { d[[name]] <- addNA(factor(d[[name]]), ifany = TRUE); if (nlevels(d[[name]]) > 12) d[[name]] <- as.integer(d[[name]]) }
}
t <- rep(0:1, c(nrow(o), nrow(s)))
tree <- function(t) {
  p <- predict(rpart(factor(t) ~ ., data = d, method = "class", cp = 1e-3, minbucket = 5, xval = 0, maxsurrogate = 0, maxcompete = 0))[, 2]
  mean((p - mean(t))^2)
}
work <- function() {
  suppressWarnings(glm(t ~ ., data = d, family = binomial))
  tree(t)
  for (run in 1:50) tree(sample(t))
}
emit(cpu(work, runs = 1))
