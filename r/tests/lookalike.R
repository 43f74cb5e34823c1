# Without the program, nothing can be made: then only what is R alone is tested.
library(lookalike)
fails <- function(expression, words) {
  error <- tryCatch({ expression; NULL }, lookalike_error = identity)
  stopifnot("no lookalike_error was raised" = !is.null(error))
  if (!grepl(words, conditionMessage(error))) stop("the message is: ", conditionMessage(error))
  if (grepl("--", conditionMessage(error), fixed = TRUE)) stop("it speaks of options: ", conditionMessage(error))
}

enc2utf8_all <- function(x) if (is.character(x)) enc2utf8(x) else x

set.seed(1)
n <- 300
people <- data.frame(
  id = sprintf("P%05d", sample(99999, n)), sex = factor(sample(c("F", "M"), n, TRUE), levels = c("M", "F", "X")),
  size = factor(sample(c("S", "M", "L"), n, TRUE), levels = c("S", "M", "L"), ordered = TRUE), age = sample(16:90, n, TRUE),
  income = ifelse(runif(n) < 0.2, -8, round(rlnorm(n, 7, 0.5), 2)), born = as.Date("1980-01-01") + sample(9000, n, TRUE),
  smokes = c(NA, runif(n - 1) < 0.3), town = sample(c("\u0141\u00f3d\u017a", "a, b", "c \"d\"", "latin \xe9", NA), n, TRUE),
  stringsAsFactors = FALSE, check.names = FALSE
)
Encoding(people$town) <- ifelse(grepl("latin", people$town, useBytes = TRUE), "latin1", Encoding(people$town))
names(people)[8] <- "the \"town\", as said"

fails(schema(5), "data frame")
fails(schema(people[0, ]), "no rows")
fails(schema(data.frame(x = I(list(1, 2)))), "`x`")
fails(schema(people, cont.na = list(nobody = 1)), "nobody")
fails(schema(data.frame(x = c(1, Inf))), "infinite")
fails(syn(people, event = "x"), "`event`")

# What travels comes back as it was: every class, missing values, letters of other alphabets, the smallest whole numbers, one record.
odd <- data.frame(i = c(NA, -2147483647L, 5L), x = c(0.1, NA, -1e300), w = c(2^31, -2^31, 2^53), l = c(TRUE, NA, FALSE), d = as.Date(c("1900-02-28", NA, "2038-01-20")),
                  t = as.POSIXct(c("1969-12-31 23:59:59", "2040-01-01 00:00:00", NA), tz = "UTC"), s = c("\u0141\u00f3d\u017a", NA, "a \"b\", c"), f = factor(c("z", NA, "a"), levels = c("z", "a", "never")))
travelled <- tempfile()
for (frame in list(odd, odd[1, ], odd["s"], people)) {
  columns <- lapply(frame, lookalike:::arrow_column)
  lookalike:::write_arrow(frame, travelled)
  bytes <- readBin(travelled, "raw", file.size(travelled))
  # A file is a stream after its name.
  writeBin(c(charToRaw("ARROW1"), raw(2), bytes), travelled)
  found <- lookalike:::read_arrow(travelled)
  stopifnot(identical(names(found), names(frame)))
  for (name in names(frame)) {
    x <- frame[[name]]
    if (inherits(x, "POSIXct")) found[[name]] <- found[[name]] * 1e6
    stopifnot(isTRUE(all.equal(lookalike:::restored_column(found[[name]], x), if (is.factor(x)) x else enc2utf8_all(x), check.attributes = FALSE)))
  }
}

if (!lookalike_available()) {
  cat("skipped: the program lookalike is not here\n")
  quit(save = "no")
}

s <- schema(people, cont.na = list(income = -8))
stopifnot(s$variables$sex$kind == "categorical", s$variables$size$kind == "ordinal", s$variables$born$kind == "date", s$variables$id$kind == "text-id")
fails(declare(s), "reason")
fails(declare(s, reason = "code book"), "range")
fails(syn(people, method = "nobody"), "nobody")

# What travels comes back as it was: every class, missing values, letters of other alphabets, the smallest whole numbers.
odd <- data.frame(i = c(NA, -2147483647L, 5L), x = c(0.1, NA, -1e300), w = c(2^31, -2^31, 2^53), l = c(TRUE, NA, FALSE), d = as.Date(c("1900-02-28", NA, "2038-01-20")),
                  t = as.POSIXct(c("1969-12-31 23:59:59", "2040-01-01 00:00:00", NA), tz = "UTC"), s = c("\u0141\u00f3d\u017a", NA, "a \"b\", c"), f = factor(c("z", NA, "a"), levels = c("z", "a", "never")))[rep(1:3, 40), ]
odd$coin <- rep(c("a", "b"), 60)
kept <- syn(odd, seed = 1, method = setNames(c(rep("", 8), "cart"), names(odd)), learned.schema = "a test")$syn
stopifnot(nrow(kept) == nrow(odd))
for (name in names(odd)) stopifnot(identical(class(kept[[name]]), class(odd[[name]])), all(as.character(kept[[name]]) %in% as.character(odd[[name]])))

# Columns that name units are found whatever R holds them as, also where they repeat, and what points to them keeps its links.
units <- data.frame(person = rep(1:200, 2), case = factor(sprintf("A-%04d-%d", rep(1:130, length.out = 400) * 7L, rep(1:130, length.out = 400))),
                    name = sprintf("name %d", 1:400), age = rep(20:69, 8), sex = rep(c("F", "M", "M", "F"), 100), stringsAsFactors = FALSE)
stopifnot(identical(vapply(schema(units)$variables, function(one) one$kind, ""), c(person = "text-id", case = "text-id", name = "text-id", age = "integer", sex = "categorical")))
heard <- character(0)
told <- withCallingHandlers(syn(units, seed = 1), message = function(m) { heard <<- c(heard, conditionMessage(m)); invokeRestart("muffleMessage") })
stopifnot(grepl("made new", paste(heard, collapse = " ")), any(grepl("made new", told$remarks)))
stopifnot(!any(told$syn$case %in% units$case), !any(told$syn$name %in% units$name), is.integer(told$syn$person))
ordered <- syn(units, seed = 1, visit.sequence = c("sex", "age", "person", "case", "name"))
stopifnot(!any(ordered$syn$name %in% units$name))
stopifnot(length(as.data.frame(utility.tables(told, units))$value) > 0)

made <- syn(people, seed = 1, cont.na = list(income = -8))
stopifnot(inherits(made, "synds"), nrow(made$syn) == n, identical(names(made$syn), names(people)), made$k == n, made$n == n)
stopifnot(identical(lapply(made$syn, class), lapply(people, class)))
stopifnot(identical(levels(made$syn$sex), c("M", "F")), identical(levels(made$syn$size), levels(people$size)), any(made$syn$income == -8))
stopifnot(!any(made$syn$id %in% people$id), anyNA(made$syn[[8]]))
stopifnot(identical(syn(people, seed = 1, cont.na = list(income = -8))$syn, made$syn))
two <- syn(people, seed = 1, m = 2, k = 50, method = c(income = "norm", age = "sample"), visit.sequence = names(people), cart.minbucket = 10)
stopifnot(two$m == 2, nrow(two$syn[[2]]) == 50)

# The bytes are those of the program.
folder <- tempfile()
dir.create(folder)
plain <- people[c("sex", "age")]
write.csv(plain, file.path(folder, "d.csv"), row.names = FALSE, quote = FALSE)
write.schema(schema(plain), file.path(folder, "s.toml"))
system2(lookalike_binary(), c("synth", file.path(folder, "d.csv"), "--schema", file.path(folder, "s.toml"), "--seed", "3", "--out", file.path(folder, "out"), "--quiet"))
stopifnot(identical(as.character(syn(plain, seed = 3)$syn$sex), read.csv(file.path(folder, "out", "synthetic-1.csv"))$sex))

# A rule, an empty text, one column.
ruled <- syn(transform(plain, job = ifelse(age < 18, "none", sample(c("a", "b"), n, TRUE))), seed = 1, rules = list(job = "age < 18"), rvalues = list(job = "none"))
stopifnot(all(ruled$syn$job[ruled$syn$age < 18] == "none"))
stopifnot(tryCatch({ syn(data.frame(edu = factor(c("", "x", "y"))[1 + seq_len(60) %% 3])); FALSE }, warning = function(w) grepl("edu", conditionMessage(w))))
fails(syn(plain[1:10, ], seed = 1), "small.table")

# Privacy.
fails(syn(plain, epsilon = 1), "declare\\(")
public <- schema(plain)
public$variables$age$range <- c(0, 120)
public <- declare(public, reason = "invented")
private <- syn(plain, epsilon = 1, schema = public, method = "ipf")
stopifnot(!is.null(private$ledger), identical(levels(private$syn$sex), c("M", "F", "X")))
fails(syn(plain, epsilon = 1, schema = public, method = "ipf", seed = 1), "seed")

# Measures, fits, the rest.
found <- as.data.frame(utility.tables(made, people))
stopifnot(nrow(found) > 20, any(!is.na(found$value)))
stopifnot(nrow(as.data.frame(disclosure(made, people, keys = c("sex", "age")))) > 0)
stopifnot(replicated.uniques(made, people)$no.replications == 0)
both <- compare(made, people, vars = c("sex", "age"))
stopifnot(abs(sum(both$tabs$sex["observed", ]) - 100) < 1e-9)
pdf(NULL)
plot(both)
fit <- lm.synds(age ~ sex, data = two)
stopifnot(length(coef(fit)) == 2, nrow(summary(fit)$coefficients) == 2, nrow(summary(fit, population.inference = TRUE)$coefficients) == 2)
plot(fit)
stopifnot(length(compare(fit, people)$facts) > 0)
fails(measure(made, people, nothing = 1), "`nothing`")
fails(disclosure(made, people, keys = "nobody"), "nobody")
stopifnot(nrow(codebook.syn(people)$tab) == ncol(people))
run <- write.syn(data.frame(x = c("=1+1", "-5", "a"), y = 1:3), file.path(folder, "formulas"))
stopifnot(identical(readLines(run), c("x,y", "'=1+1,1", "-5,2", "a,3")))
files <- write.syn(two, file.path(folder, "w"))
stopifnot(file.exists(files), nrow(read.csv(files[1])) == 50)
stopifnot(length(plan_saturated(plain)$facts) > 0)
fails(release(plain, file.path(folder, "r"), "the board", schema = public, recipe = "method = \"ipf\""), "no.limits")
released <- release(plain, file.path(folder, "r"), "the board", schema = public, recipe = "method = \"ipf\"", no.limits = "a test", only = c("tables", "uniques"))
stopifnot(verify(file.path(folder, "r"))$passed)
stopifnot(nrow(sdc(made, people, label = "FAKE", rm.replicated.uniques = TRUE)$syn) == n)
