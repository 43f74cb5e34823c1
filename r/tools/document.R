# Writes man/*.Rd from the functions themselves and the words below: Rscript tools/document.R, in the folder of the package.
for (file in list.files("R", full.names = TRUE)) sys.source(file, envir = globalenv())
library(jsonlite)

arguments <- c(
  data = "the confidential data frame", object = "what \\code{syn} gives; a data frame or a list of them where measures are asked for",
  method = "a method for all columns, or one for each by name: \"cart\", \"ctree\", \"rf\", \"bag\", \"norm\", \"lognorm\", \"sqrtnorm\", \"cubertnorm\", \"normrank\", \"pmm\", \"logreg\", \"polyreg\", \"polr\", \"nested\", \"sample\", \"constant\", or \"\" to keep a column as it is; or a method of the whole table, such as \"catall\", \"ipf\" or \"pairwise\"",
  visit.sequence = "the columns in the order in which they are drawn", predictor.matrix = "a matrix of 0 and 1: which columns predict which",
  m = "how many data sets; in a plan, numbers of data sets to plan for", k = "records in each data set; as many as the data if not given", proper = "draw parameters from their posterior too",
  minnumlevels = "numbers with at most this many values are categories", rules = "conditions of R, by the column that they fix", rvalues = "the values that the rules fix",
  cont.na = "special codes of numbers, such as \\code{list(income = -8)}", smoothing = "\"density\", \"spline\", \"none\" or \"auto\"", strata = "columns within whose cells the method is fitted apart",
  seed = "a seed; \"sample\" draws a fresh one. Data sets of a seed that can be guessed are for your own work, not for publication", print.flag = "print what was written",
  cart.minbucket = "records that a leaf must hold", cart.cp = "share of the root's risk by which a split must lower it", epsilon = "the epsilon of a differentially private run, which needs a declared schema", delta = "the delta that goes with it",
  rho = "the rho of zero-concentrated privacy, instead of epsilon", records = "the number of records, where it is public", schema = "a schema; for a private run and for a release a declared one",
  options = "options of the method by their names, as \\code{list(depth = 10)}", small.table = "why a table of fewer than 30 records may be synthesised", learned.schema = "why the schema that was learned from the records may be published",
  "..." = "for \\code{measure} and what calls it: only, ways, keys, targets, tables, groups, classes, without.missing, model, family, order, permutations, resamples, attacks, predict, seed, random.size, mechanism; elsewhere refused by name", maxlevs = "levels that are listed", filename = "the name of the files, without the ending", filetype = "\"csv\" or \"rds\"",
  replace = "whether existing files may be replaced", exclude = "columns that are not compared", label = "a text for a first column \\code{flag}", rm.replicated.uniques = "remove records that equal a unique original one",
  uniques.exclude = "columns that are not compared", holdout = "records of the same population that the generator never saw", tables = "\"oneway\", \"twoway\" or \"threeway\"", vars = "columns to look at",
  keys = "columns by which an intruder might know a record", target = "what an intruder might want to know", targets = "what an intruder might want to know", reason = "why the domain may be taken as public, in words; it is published",
  file = "the name of a file", formula = "a model, such as \\code{income ~ sex + age}", family = "for models binomial, gaussian or poisson; for a plan poisson, nbi, pig or delaporte", sigma = "dispersions to plan for", alpha = "mean count of a cell that is empty but could occur",
  folder = "a folder: of a frontier, which is as confidential as the data, or of a release", grid = "a file of recipes to try", repeats = "how often each recipe is run", limits = "limits that a release must keep, such as \"attribute.disco <= 5\"", only = "families of measures",
  contestants = "a list of what other calls or tools made, by name", out = "the folder to write", accepted.by = "the person or body that accepts the release; it is published", frontier = "the folder of a frontier", choose = "another contestant than the one that it recommends",
  recipe = "the text of a recipe, or its file", note = "what they have to say", exception = "why a version that breaks a limit may be released", unpaid.look = "why a private version may be accepted by what was measured", no.limits = "why no limit is set",
  keep.copies = "why copies of unique original records may stay", msel = "which data sets", breaks = "classes of a number"
)
topics <- list(
  syn = list("Make synthetic versions of a data frame", c("syn", "sdc", "write.syn", "codebook.syn", "replicated.uniques"),
    "\\code{syn} draws one column after the other, by CART unless \\code{method} says something else, as package synthpop does; with \\code{epsilon} it is differentially private. Columns that name units are found and made new. What was made new, left inside or replaced is said in messages, and kept in \\code{$remarks}. What synthpop has and is not honoured here is refused by name.",
    "\\code{syn} gives an object of class \\code{synds} with \\code{$syn} (a data frame, or a list of them), \\code{$m}, \\code{$k}, \\code{$n}, \\code{$method}, \\code{$remarks} and, of a private run, \\code{$ledger}.",
    "people <- data.frame(sex = factor(rep(c(\"F\", \"M\"), 50)), age = rep(20:69, 2))\nif (lookalike_available()) {\n  s <- syn(people, seed = 1)\n  head(s$syn)\n}"),
  measure = list("What synthetic data are worth and what they disclose", c("measure", "compare", "utility.gen", "utility.tables", "utility.tab", "disclosure", "multi.disclosure", "describe"),
    "Each function asks the program for some families of measures; \\code{measure} for any of them. \\code{compare} gives shares of each column side by side, or coefficients of a model on both data, and can be plotted.",
    "Findings, which \\code{as.data.frame} turns into a table. They hold exact figures of the original: confidential.", NULL),
  schema = list("What a table may hold", c("schema", "declare", "write.schema", "read.schema"),
    "\\code{schema} takes levels, order, dates, truth values and missing values from the data frame; which columns name units is found by the program. What it says was learned from the records. \\code{declare} makes it public, for a reason, once ranges of numbers are set from the code book.",
    "A list with \\code{$variables}, to be edited before it is declared.", "if (lookalike_available()) {\n  s <- schema(data.frame(sex = factor(c(\"F\", \"M\")), age = c(20, 30)))\n  s$variables$age$range <- c(0, 120)\n  declare(s, reason = \"code book 2024\")\n}"),
  lm.synds = list("Fit models to synthetic data", c("lm.synds", "glm.synds", "multinom.synds", "polr.synds"),
    "The model is fitted to every data set, and the estimates are combined by the rule that is valid for how the data sets were made. \\code{summary} is about the estimate that the original data would give, or with \\code{population.inference = TRUE} about the population.",
    "An object of class \\code{fit.synds}.", NULL),
  release = list("Plan, choose, release, verify", c("plan_saturated", "frontier", "release", "verify"),
    "\\code{frontier} runs many methods and settings and shows which are dominated and which is best; \\code{release} draws the chosen version again, measures it, holds it against the limits and writes it with reports and a decision record; \\code{verify} checks that a release is what its manifest says.",
    "What was found: \\code{$facts} for programs, \\code{$text} for people.", NULL),
  lookalike_binary = list("The program that does the work", c("lookalike_binary", "lookalike_available"),
    "The program is that of \\code{options(lookalike.binary = )}, of the environment variable \\code{LOOKALIKE_BINARY}, or on the PATH.", "Its path; whether it is there.", "lookalike_available()")
)
unlink(list.files("man", "[.]Rd$", full.names = TRUE))
dir.create("man", showWarnings = FALSE)
for (name in names(topics)) {
  topic <- topics[[name]]
  usage <- vapply(topic[[2]], function(f) {
    head <- paste(deparse(args(get(f)), width.cutoff = 80), collapse = "\n")
    sub("^function \\(", paste0(f, "("), sub("\\s*NULL$", "", head))
  }, "")
  used <- unique(unlist(lapply(topic[[2]], function(f) names(formals(get(f))))))
  lacking <- setdiff(used, names(arguments))
  if (length(lacking) > 0) stop(name, ": no words for ", paste(lacking, collapse = ", "))
  items <- if (length(used) > 0) c("\\arguments{", paste0("\\item{", ifelse(used == "...", "\\dots", used), "}{", arguments[used], "}"), "}")
  rd <- c(paste0("\\name{", name, "}"), paste0("\\alias{", topic[[2]], "}"), paste0("\\title{", topic[[1]], "}"), "\\usage{", gsub("%", "\\%", usage, fixed = TRUE), "}", items,
          paste0("\\description{", topic[[3]], "}"), paste0("\\value{", topic[[4]], "}"), if (!is.null(topic[[5]])) c("\\examples{", topic[[5]], "}"))
  writeLines(rd, file.path("man", paste0(name, ".Rd")))
}
