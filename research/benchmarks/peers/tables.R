# Every three-way table of both files, and its S_pMSE; numbers in quintiles of both files together.
o <- read.csv(shared("golden/sd18_cart/original.csv"), stringsAsFactors = TRUE, na.strings = "")
s <- read.csv(shared("golden/sd18_cart/synthetic.csv"), stringsAsFactors = TRUE, na.strings = "")
for (name in names(o)) {
  if (is.numeric(o[[name]])) {
    cuts <- unique(quantile(c(o[[name]], s[[name]]), 0:5 / 5, na.rm = TRUE))
    o[[name]] <- cut(o[[name]], cuts, right = FALSE, include.lowest = TRUE)
    s[[name]] <- cut(s[[name]], cuts, right = FALSE, include.lowest = TRUE)
  } else {
    s[[name]] <- factor(s[[name]], levels = levels(o[[name]]))
  }
}
work <- function() apply(combn(ncol(o), 3), 2, function(of) {
  y <- table(o[, of], useNA = "always"); t <- table(s[, of], useNA = "always")
  both <- y + t > 0
  sum(((y - t)^2 / ((y + t) / 2))[both]) / (sum(both) - 1)
})
emit(cpu(work, runs = 1))
