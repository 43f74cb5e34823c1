# What synthetic data are worth and what they disclose: one call of the program, its findings as a data frame.

describe <- function(data, keys = NULL, schema = NULL) {
  data <- check_frame(data, quiet = TRUE)
  with_folder(function(folder) {
    path <- file.path(folder, "data.arrow")
    put_data(data, schema, path)
    words <- c(path, if (!is.null(schema)) c("--schema", put_schema(schema, folder)), if (!is.null(keys)) c("--keys", paste(keys, collapse = ",")))
    told(call_program("describe", words, folder, tolerate = TRUE))
  })
}

told <- function(done) structure(done, class = "lookalike_told")

print.lookalike_told <- function(x, ...) {
  cat(x$text, sep = "\n")
  invisible(x)
}

# Any option of `lookalike measure`, by its name: only, ways, keys, targets, tables, groups, classes, model, family, order, permutations, resamples, attacks, predict, seed.
measure <- function(object, data, schema = NULL, holdout = NULL, ...) {
  tables <- all_tables(object)
  data <- check_frame(data, quiet = TRUE)
  if (is.null(schema)) schema <- if (inherits(object, "synds")) object$schema else schema(data)
  options <- list(...)
  known <- c("only", "ways", "keys", "targets", "tables", "groups", "classes", "without.missing", "model", "family", "order", "permutations", "resamples", "attacks", "predict", "seed", "random.size", "mechanism")
  wrong <- setdiff(names(options), known)
  if (length(wrong) > 0) refuse(paste0("argument `", wrong[1], "` is not one of measure: there are ", paste(known, collapse = ", ")))
  with_folder(function(folder) {
    put <- function(table, name) {
      path <- file.path(folder, name)
      put_data(table, schema, path)
      path
    }
    original <- put(data, "data.arrow")
    made <- vapply(seq_along(tables), function(at) put(tables[[at]][names(data)], paste0("synthetic-", at, ".arrow")), "")
    words <- c(original, made, "--schema", put_schema(schema, folder), if (!is.null(holdout)) c("--holdout", put(check_frame(holdout, "holdout"), "holdout.arrow")))
    for (name in names(options)) {
      option <- paste0("--", gsub(".", "-", name, fixed = TRUE))
      value <- options[[name]]
      if (is.logical(value)) {
        if (isTRUE(value)) words <- c(words, option)
      } else if (name %in% c("model", "family") || (name == "keys" && is.list(value))) {
        for (one in as.list(value)) words <- c(words, option, paste(one, collapse = ","))
      } else if (name == "tables") {
        words <- c(words, option, paste(vapply(value, paste, "", collapse = ":"), collapse = ","))
      } else {
        words <- c(words, option, paste(value, collapse = ","))
      }
    }
    done <- call_program("measure", words, folder)
    structure(list(facts = done$facts, text = done$text), class = c("lookalike_findings", "lookalike_told"))
  })
}

as.data.frame.lookalike_findings <- function(x, ...) {
  number <- function(value) if (is.null(value)) NA_real_ else as.numeric(value)
  data.frame(measure = vapply(x$facts, function(one) one$measure, ""), on = vapply(x$facts, function(one) paste(unlist(one$on), collapse = ":"), ""),
             value = vapply(x$facts, function(one) number(one$value), 0), expected = vapply(x$facts, function(one) number(one$null), 0),
             better = vapply(x$facts, function(one) one$better, ""), because = vapply(x$facts, function(one) if (is.null(one$because)) "" else one$because, ""),
             stringsAsFactors = FALSE)
}

print.lookalike_findings <- function(x, ...) {
  cat(x$text, sep = "\n")
  invisible(x)
}

utility.gen <- function(object, data, ...) measure(object, data, only = "propensity", ...)

utility.tables <- function(object, data, tables = "twoway", vars = NULL, ...) {
  ways <- switch(tables, oneway = 1, twoway = 2, threeway = 3, refuse("`tables` is \"oneway\", \"twoway\" or \"threeway\""))
  if (!is.null(vars)) {
    if (inherits(object, "synds")) object$schema <- NULL
    object <- lapply(all_tables(object), function(table) table[vars])
    data <- data[vars]
  }
  measure(object, data, only = "tables", ways = ways, classes = "synthpop", ...)
}

utility.tab <- function(object, data, vars, ...) measure(object, data, only = "tables", tables = list(vars), classes = "synthpop", ...)

disclosure <- function(object, data, keys, target = NULL, ...) {
  if (missing(keys)) refuse("`keys`: name the variables by which an intruder might know a record")
  if (is.null(target)) {
    return(measure(object, data, only = c("uniques", "identity", "attribute"), keys = keys, ...))
  }
  measure(object, data, only = c("uniques", "identity", "attribute"), keys = keys, targets = target, ...)
}

multi.disclosure <- function(object, data, keys, targets = NULL, ...) disclosure(object, data, keys, targets, ...)

compare <- function(object, data, ...) UseMethod("compare")

compare.synds <- function(object, data, vars = NULL, msel = NULL, breaks = 20, ...) {
  if (length(list(...)) > 0) refuse(paste0("argument `", names(list(...))[1], "` is not honoured by compare"))
  tables <- all_tables(object)
  if (!is.null(msel)) tables <- tables[msel]
  vars <- if (is.null(vars)) intersect(names(data), names(tables[[1]])) else vars
  wrong <- setdiff(vars, names(tables[[1]]))
  if (length(wrong) > 0) refuse(paste0("`vars` names `", wrong[1], "`, which is no column of the synthetic data"))
  shares <- lapply(setNames(nm = vars), function(name) {
    x <- data[[name]]
    made <- unlist(lapply(tables, function(table) if (is.factor(table[[name]])) as.character(table[[name]]) else table[[name]]))
    if (is.factor(x)) x <- as.character(x)
    if (is.numeric(x) && length(unique(x)) > breaks) {
      limits <- unique(pretty(range(x, made, na.rm = TRUE), breaks))
      x <- cut(x, limits, include.lowest = TRUE)
      made <- cut(as.numeric(made), limits, include.lowest = TRUE)
    }
    levels <- if (is.factor(x)) levels(x) else sort(unique(c(as.character(x), as.character(made))))
    share <- function(values) 100 * prop(table(factor(as.character(values), levels = levels), useNA = "always"))
    rbind(observed = share(x), synthetic = share(made))
  })
  structure(list(tabs = shares, findings = measure(object, data, only = "tables", ways = 1, classes = "synthpop")), class = "lookalike_comparison")
}

prop <- function(counts) {
  shares <- as.numeric(counts) / sum(counts)
  names(shares) <- ifelse(is.na(names(counts)), "missing", names(counts))
  shares
}

print.lookalike_comparison <- function(x, ...) {
  for (name in names(x$tabs)) {
    cat("\n", name, " (percent)\n", sep = "")
    print(round(x$tabs[[name]], 2))
  }
  found <- as.data.frame(x$findings)
  cat("\n")
  print(found[found$on != "" & !is.na(found$value), c("measure", "on", "value", "expected")], row.names = FALSE)
  invisible(x)
}

plot.lookalike_comparison <- function(x, ...) {
  many <- length(x$tabs)
  columns <- ceiling(sqrt(many))
  old <- par(mfrow = c(ceiling(many / columns), columns), mar = c(5, 3, 2, 1))
  on.exit(par(old))
  for (name in names(x$tabs)) {
    barplot(x$tabs[[name]], beside = TRUE, main = name, las = 2, cex.names = 0.7, col = c("grey30", "grey75"), legend.text = name == names(x$tabs)[1])
  }
  invisible(x)
}
