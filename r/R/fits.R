# Models fitted to synthetic data, combined by the rule that is valid for how they were made.

lm.synds <- function(formula, data, ...) model_fit(formula, data, "gaussian", match.call(), ...)

glm.synds <- function(formula, family = "binomial", data, ...) {
  name <- if (is.function(family)) family()$family else if (is.list(family)) family$family else family
  ours <- switch(name, binomial = "logistic", gaussian = "gaussian", poisson = "poisson", refuse(paste0("`family` ", name, " is not fitted; there are binomial, gaussian and poisson")))
  model_fit(formula, data, ours, match.call(), ...)
}

multinom.synds <- function(formula, data, ...) model_fit(formula, data, "multinomial", match.call(), ...)

polr.synds <- function(formula, data, ...) model_fit(formula, data, "ordinal", match.call(), ...)

model_fit <- function(formula, data, family, called, ...) {
  if (length(list(...)) > 0) refuse(paste0("argument `", names(list(...))[1], "` is not honoured: models are fitted by the program"))
  if (!inherits(data, "synds")) refuse("`data` must be what syn() gives")
  if (isTRUE(data$changed)) refuse("the data sets were changed by sdc(), and how they were made no longer says which rule is valid; fit before")
  text <- if (is.character(formula)) formula else paste(deparse(formula, width.cutoff = 500), collapse = " ")
  object <- list(call = called, formula = text, family = family, synds = data, m = data$m)
  object$population <- fit_target(object, "population")
  structure(object, class = "fit.synds")
}

fit_target <- function(object, target) {
  with_folder(function(folder) {
    words <- c(object$formula, object$synds$folder, if (object$family != "gaussian") c("--family", object$family), "--target", target)
    call_program("fit", words, folder)
  })
}

coefficients_of <- function(done) {
  quantities <- done$facts$answers[[1]]$quantities
  number <- function(value) if (is.null(value)) NA_real_ else as.numeric(value)
  interval <- function(one, at) if (is.null(one$interval)) NA_real_ else as.numeric(unlist(one$interval)[at])
  error <- function(one) number(if (is.null(one$standard_error)) one$std_error else one$standard_error)
  data.frame(estimate = vapply(quantities, function(one) number(one$estimate), 0), std.error = vapply(quantities, error, 0),
             lower = vapply(quantities, interval, 0, at = 1), upper = vapply(quantities, interval, 0, at = 2),
             row.names = vapply(quantities, function(one) one$name, ""))
}

coef.fit.synds <- function(object, ...) {
  found <- coefficients_of(object$population)
  setNames(found$estimate, row.names(found))
}

print.fit.synds <- function(x, ...) {
  cat("Call:\n")
  print(x$call)
  cat("\n")
  print(coef(x))
  invisible(x)
}

summary.fit.synds <- function(object, population.inference = FALSE, ...) {
  done <- if (population.inference) object$population else fit_target(object, "original")
  structure(list(call = object$call, coefficients = coefficients_of(done), population.inference = population.inference, text = done$text,
                 rule = done$facts$answers[[1]]$rule), class = "summary.fit.synds")
}

print.summary.fit.synds <- function(x, ...) {
  cat(x$text, sep = "\n")
  invisible(x)
}

compare.fit.synds <- function(object, data, ...) {
  measure(object$synds, data, only = "model", model = object$formula, family = object$family, ...)
}

plot.fit.synds <- function(x, ...) {
  found <- coefficients_of(x$population)
  at <- rev(seq_len(nrow(found)))
  old <- par(mar = c(4, 10, 2, 1))
  on.exit(par(old))
  plot(found$estimate, at, xlim = range(found$lower, found$upper, 0, na.rm = TRUE), yaxt = "n", ylab = "", xlab = "estimate with 95 % interval", pch = 19)
  segments(found$lower, at, found$upper, at)
  axis(2, at, row.names(found), las = 2)
  abline(v = 0, lty = 2)
  invisible(x)
}
