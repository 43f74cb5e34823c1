# syn() with the arguments of synthpop; what is not honoured is refused by name.

# Methods of one variable, by synthpop's names.
variable_methods <- c(cart = "cart", ctree = "cart", rf = "forest", ranger = "forest", bag = "bagging", norm = "norm", lognorm = "lognorm", sqrtnorm = "sqrtnorm",
                      cubertnorm = "cubertnorm", normrank = "normrank", pmm = "pmm", logreg = "logreg", polyreg = "polyreg", polr = "polr",
                      nested = "nested", sample = "sample", constant = "constant")

# Methods of the whole table.
table_methods <- c("catall", "ipf", "saturated", "pairwise", "graph", "mst", "dirichlet", "mvnorm", "normal-release", "sequential")

# Arguments of synthpop that are not honoured, with the way out.
not_honoured <- c(
  event = "survival times are not synthesised", denom = "survival times are not synthesised",
  semicont = "name the values in `cont.na`, they are drawn first", numtocat = "cut numbers in the data, or give `cuts` in a schema",
  catgroups = "cut numbers in the data, or give `cuts` in a schema", models = "models are kept by the program, not as R objects",
  default.method = "name methods in `method`", drop.not.used = "columns that you do not want are left out of the data",
  drop.pred.only = "columns that you do not want are dropped from the result", maxfaclevels = "factors with many levels are predictors like others",
  na.value = "missing is NA", rf.ntree = "give it in `options`", cont.na.method = "give missing_method in `options`",
  minstratumsize = "strata of any size are synthesised", tab.strataobs = "the call prints no table", diagnostics = "remarks are in $remarks"
)

syn <- function(data, method = "cart", visit.sequence = NULL, predictor.matrix = NULL, m = 1, k = NULL, proper = FALSE, minnumlevels = 1,
                rules = NULL, rvalues = NULL, cont.na = NULL, smoothing = NULL, strata = NULL, seed = "sample", print.flag = FALSE,
                cart.minbucket = NULL, cart.cp = NULL, epsilon = NULL, delta = NULL, rho = NULL, records = NULL, schema = NULL, options = list(),
                small.table = NULL, learned.schema = NULL, ...) {
  others <- list(...)
  for (name in names(others)) {
    way <- if (name %in% names(not_honoured)) not_honoured[[name]] else "see ?syn for the arguments that there are"
    refuse(paste0("argument `", name, "` is not honoured: ", way))
  }
  if (length(others) > 0) refuse("an argument without a name was not expected")
  called <- match.call()
  whole <- check_frame(data)
  if (!is.null(schema) && (!is.null(rules) || !is.null(cont.na))) refuse("`rules` and `cont.na` are said in the schema when there is one; leave them out")
  made <- if (is.null(schema)) schema_of_types(whole, cont.na, rules, rvalues, minnumlevels) else schema
  folder <- work_folder()
  keep <- FALSE
  on.exit(if (!keep) unlink(folder, recursive = TRUE))
  path <- file.path(folder, "data.arrow")
  put_data(whole, made, path)
  on.exit(unlink(path), add = TRUE)
  if (is.null(schema)) made <- with_identifiers(made, whole, path, folder)
  # The method that suits a private run is chosen by the program where nobody names one.
  usual <- missing(method) && !(is.null(epsilon) && is.null(rho))
  if (usual) method <- "pairwise"
  recipe <- recipe_of(names(whole), method, visit.sequence, predictor.matrix, proper, smoothing, cart.minbucket, cart.cp, options,
                      made_new = names(Filter(function(said) identical(said$kind, "text-id"), made$variables)))
  recipe_path <- file.path(folder, "given.recipe.toml")
  writeLines(enc2utf8(recipe$text), recipe_path, useBytes = TRUE)
  number <- function(option, value) if (is.null(value)) NULL else c(option, number_text(value))
  out <- file.path(folder, "release")
  words <- c(path, "--schema", put_schema(made, folder), if (!usual || length(options) > 0) c("--recipe", recipe_path), "--out", out, "--format", "arrow", "--m", m, number("--rows", k),
             if (!identical(seed, "sample") && !is.null(seed) && !all(is.na(seed))) c("--seed", format(seed, scientific = FALSE)),
             if (!is.null(strata)) c("--strata", paste(strata, collapse = ",")), number("--epsilon", epsilon), number("--delta", delta),
             number("--rho", rho), number("--records", records), if (!is.null(small.table)) c("--small-table", small.table),
             if (!is.null(learned.schema)) c("--learned-schema", learned.schema))
  done <- call_program("synth", words, folder)
  tables <- lapply(seq_len(m), function(at) read_made(file.path(out, paste0("synthetic-", at, ".arrow")), whole))
  if (!isTRUE(made$table$declared)) tables <- shown_levels(tables)
  if (print.flag) cat(done$text, sep = "\n")
  remarks <- unlist(done$facts$remarks)
  if (!print.flag && length(remarks) > 0) for (remark in remarks) message(paste(strwrap(remark, prefix = "  ", initial = "- "), collapse = "\n"))
  keep <- TRUE
  structure(list(call = called, m = m, k = nrow(tables[[1]]), n = nrow(whole), syn = if (m == 1) tables[[1]] else tables, method = recipe$methods,
                 seed = seed, folder = out, schema = made, names = names(whole), remarks = remarks,
                 label = done$facts$label, copies = done$facts$copies,
                 ledger = if (file.exists(file.path(out, "ledger.json"))) fromJSON(file.path(out, "ledger.json"), simplifyVector = FALSE)),
            class = c("lookalike_syn", "synds"))
}

# Levels that no synthetic record has are those of the original alone: without a declared schema they are not handed on.
shown_levels <- function(tables) {
  for (name in names(tables[[1]])) {
    if (!is.factor(tables[[1]][[name]])) next
    used <- unique(unlist(lapply(tables, function(table) as.character(table[[name]]))))
    kept <- intersect(levels(tables[[1]][[name]]), used)
    tables <- lapply(tables, function(table) {
      table[[name]] <- factor(as.character(table[[name]]), levels = kept, ordered = is.ordered(table[[name]]))
      table
    })
  }
  tables
}

recipe_of <- function(names, method, visit.sequence, predictor.matrix, proper, smoothing, cart.minbucket, cart.cp, options, made_new) {
  if (length(method) == 1 && is.null(names(method)) && method %in% table_methods) {
    if (!is.null(visit.sequence) || !is.null(predictor.matrix)) refuse(paste0("`visit.sequence` and `predictor.matrix` mean nothing to the method ", method))
    text <- c(paste("method =", toml_text(method)), if (length(options) > 0) c("[options]", paste(toml_key(names(options)), "=", vapply(options, toml_value, ""))))
    return(list(text = text, methods = setNames(rep(method, length(names)), names)))
  }
  if (length(method) == 1 && is.null(names(method))) method <- setNames(rep(method, length(names)), names)
  if (is.null(names(method))) {
    if (length(method) != length(names)) refuse("`method` must have one name for all columns, or one for each")
    method <- setNames(method, names)
  }
  check_names_of(method, setNames(as.list(names), names), "method")
  full <- setNames(rep("cart", length(names)), names)
  full[names(method)] <- method
  if (!is.null(visit.sequence)) {
    if (is.numeric(visit.sequence)) visit.sequence <- names[visit.sequence]
    wrong <- setdiff(visit.sequence, names)
    if (length(wrong) > 0) refuse(paste0("`visit.sequence` names `", wrong[1], "`, which is no column of the data"))
    if (length(visit.sequence) < length(names)) refuse("`visit.sequence` leaves columns out; drop them from the data, or give them the method \"\" to keep them as they are")
    # What names units is made new, and has no place in the order.
    options$order <- listed(setdiff(visit.sequence, made_new))
  }
  if (isTRUE(proper)) options$proper <- TRUE
  if (!is.null(smoothing)) {
    if (is.list(smoothing) || length(smoothing) > 1) refuse("`smoothing` is one word for all numbers: \"density\", \"spline\", \"none\" or \"auto\"")
    options$smoothing <- smoothing
  }
  if (!is.null(cart.minbucket)) options$min_bucket <- cart.minbucket
  if (!is.null(cart.cp)) options$complexity <- cart.cp
  text <- "method = \"sequential\""
  if (length(options) > 0) text <- c(text, "[options]", paste(toml_key(names(options)), "=", vapply(options, toml_value, "")))
  for (name in setdiff(names, made_new)) {
    given <- full[[name]]
    if (startsWith(given, "~")) refuse(paste0("method of `", name, "`: a passive method is said in a schema, as s$variables$", name, "$formula <- \"weight / pow(height, 2)\""))
    ours <- if (given == "") "keep" else if (given %in% names(variable_methods)) variable_methods[[given]] else
      refuse(paste0("method of `", name, "`: there is no method \"", given, "\"; there are ", paste(names(variable_methods), collapse = ", "), " and, for the whole table, ", paste(table_methods, collapse = ", ")))
    said <- if (ours != "cart") paste("method =", toml_text(ours))
    if (!is.null(predictor.matrix)) {
      if (!all(dim(predictor.matrix) == length(names))) refuse("`predictor.matrix` must have a row and a column for each column of the data")
      order <- if (is.null(visit.sequence)) names else visit.sequence
      before <- setdiff(order[seq_len(match(name, order) - 1)], made_new)
      predictors <- intersect(names[predictor.matrix[match(name, names), ] != 0], before)
      if (!setequal(predictors, before)) said <- c(said, paste("predictors =", toml_value(listed(predictors))))
    }
    if (length(said) > 0) text <- c(text, paste0("[variables.", toml_key(name), "]"), said)
  }
  list(text = text, methods = full)
}

print.synds <- function(x, ...) {
  cat("Call:\n")
  print(x$call)
  cat("\nNumber of synthesised data sets: ", x$m, "\nRecords in each: ", x$k, "\n", x$label, "\n", sep = "")
  if (!is.null(x$copies)) cat("Records that equal a unique original record: ", x$copies, "\n", sep = "")
  cat("\nFirst rows of the first data set:\n")
  print(head(all_tables(x)[[1]]))
  for (remark in x$remarks) cat("- ", remark, "\n", sep = "")
  invisible(x)
}

summary.synds <- function(object, ...) lapply(all_tables(object), summary)

all_tables <- function(object) {
  if (is.data.frame(object)) return(list(object))
  if (!inherits(object, "synds")) {
    if (is.list(object) && all(vapply(object, is.data.frame, TRUE))) return(object)
    refuse("`object` must be what syn() gives, a data frame, or a list of data frames")
  }
  if (object$m == 1) list(object$syn) else object$syn
}

codebook.syn <- function(data, maxlevs = 3) {
  data <- check_frame(data, quiet = TRUE)
  found <- describe(data)$facts
  rows <- lapply(found$variables, function(variable) {
    x <- data[[variable$name]]
    data.frame(variable = variable$name, class = paste(class(x), collapse = "/"), nmiss = sum(is.na(x)), perctmiss = 100 * mean(is.na(x)),
               ndistinct = length(unique(x[!is.na(x)])),
               details = if (is.factor(x) && nlevels(x) <= maxlevs) paste(levels(x), collapse = ", ") else if (is.numeric(x)) "Range" else "",
               notes = paste(unlist(variable$notes), collapse = "; "), stringsAsFactors = FALSE)
  })
  list(tab = do.call(rbind, rows))
}

write.syn <- function(object, filename, filetype = "csv", replace = FALSE, ...) {
  if (length(list(...)) > 0) refuse(paste0("argument `", names(list(...))[1], "` is not honoured by write.syn"))
  if (!filetype %in% c("csv", "rds")) refuse(paste0("`filetype` \"", filetype, "\" is not written here; say \"csv\" or \"rds\""))
  tables <- all_tables(object)
  paths <- paste0(filename, if (length(tables) > 1) paste0("_", seq_along(tables)), ".", filetype)
  if (!replace && any(file.exists(paths))) refuse(paste0("`", paths[file.exists(paths)][1], "` exists; choose another name, or say replace = TRUE"))
  for (at in seq_along(tables)) if (filetype == "csv") write_table(tables[[at]], paths[at]) else saveRDS(tables[[at]], paths[at])
  invisible(paths)
}

# What identifies a record: all of its values, as they are written.
record_texts <- function(data) do.call(paste, c(unname(lapply(data, function(x) paste0(ifelse(is.na(x), "", "="), column_text(x)))), sep = "\r"))

replicated.uniques <- function(object, data, exclude = NULL) {
  tables <- all_tables(object)
  data <- check_frame(data, quiet = TRUE)
  kept <- setdiff(names(tables[[1]]), exclude)
  original <- record_texts(data[kept])
  counts <- table(original)
  unique_texts <- names(counts)[counts == 1]
  copies <- lapply(tables, function(one) record_texts(one[kept]) %in% unique_texts)
  list(replications = if (length(copies) == 1) copies[[1]] else do.call(cbind, copies), no.uniques = length(unique_texts),
       no.replications = vapply(copies, sum, 0L), per.replications = 100 * vapply(copies, mean, 0))
}

sdc <- function(object, data, label = NULL, rm.replicated.uniques = FALSE, uniques.exclude = NULL, ...) {
  if (length(list(...)) > 0) refuse(paste0("argument `", names(list(...))[1], "` is not honoured by sdc: say it in a recipe ([after] top_codes, bottom_codes, ...)"))
  if (!inherits(object, "synds")) refuse("`object` must be what syn() gives")
  tables <- all_tables(object)
  if (rm.replicated.uniques) {
    copies <- as.matrix(replicated.uniques(object, data, uniques.exclude)$replications)
    tables <- lapply(seq_along(tables), function(at) tables[[at]][!copies[, at], , drop = FALSE])
  }
  if (!is.null(label)) tables <- lapply(tables, function(table) cbind(flag = label, table))
  object$syn <- if (object$m == 1) tables[[1]] else tables
  object$changed <- TRUE
  object
}
