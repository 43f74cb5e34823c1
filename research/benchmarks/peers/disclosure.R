# Attribute disclosure of income by the same six keys: Dorig, DiS and DiSCO, numbers by their values, missing values as a level.
o <- read.csv(shared("golden/sd18_cart/original.csv"), na.strings = "", colClasses = "character")
s <- read.csv(shared("golden/sd18_cart/synthetic.csv"), na.strings = "", colClasses = "character")
keys <- c("sex", "age", "eduspec", "marital", "height", "smoke")
disclosing <- function(key, target) {
  pairs <- unique(data.frame(key, target))
  counts <- table(pairs$key)
  single <- pairs[pairs$key %in% names(counts)[counts == 1], ]
  setNames(single$target, single$key)
}
work <- function() {
  ok <- do.call(paste, c(o[keys], sep = "\r")); sk <- do.call(paste, c(s[keys], sep = "\r"))
  ot <- paste(o$income); st <- paste(s$income)
  told <- disclosing(sk, st)[ok]
  c(Dorig = 100 * mean(ok %in% names(disclosing(ok, ot))), DiS = 100 * mean(!is.na(told)),
    DiSCO = 100 * mean(!is.na(told) & told == ot))
}
emit(cpu(work))
