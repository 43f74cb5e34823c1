# The program that does the work: one process a call, files in a folder of its own, JSON back.

lookalike_binary <- function() {
  found <- c(getOption("lookalike.binary"), Sys.getenv("LOOKALIKE_BINARY"), system.file("bin", "lookalike", package = "lookalike"),
             Sys.which("lookalike"))
  found <- found[nzchar(found)]
  found <- found[file.exists(found)]
  if (length(found) == 0) {
    refuse("the program `lookalike` was not found; install it, put it on the PATH, or name it with options(lookalike.binary = ...)")
  }
  unname(found[1])
}

lookalike_available <- function() !inherits(try(lookalike_binary(), silent = TRUE), "try-error")

# An error with the words of R, of class lookalike_error and its kind.
refuse <- function(message, kind = "lookalike_usage") {
  stop(structure(class = c(kind, "lookalike_error", "error", "condition"), list(message = message, call = NULL)))
}

# A folder for the files of one call, which only its owner can read.
work_folder <- function() {
  folder <- tempfile("lookalike-")
  dir.create(folder, mode = "0700")
  folder
}

# Calls the program and gives what it wrote as JSON; `text` of the result is what it printed.
call_program <- function(command, words, folder, json = TRUE, tolerate = FALSE) {
  out <- file.path(folder, "out.txt")
  err <- file.path(folder, "err.txt")
  result <- file.path(folder, "result.json")
  all <- c(command, words, if (json) c("--json", result, "--force"))
  status <- suppressWarnings(system2(lookalike_binary(), shQuote(all), stdout = out, stderr = err))
  said <- paste(readLines(err, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  if (status != 0 && !(tolerate && file.exists(result))) {
    kind <- switch(as.character(status), "2" = "lookalike_usage", "3" = "lookalike_refused", "lookalike_failed")
    refuse(in_r(sub("^error: ", "", said), folder), kind)
  }
  text <- readLines(out, encoding = "UTF-8", warn = FALSE)
  facts <- if (json) fromJSON(result, simplifyVector = FALSE) else NULL
  list(facts = facts, text = gsub(paste0(folder, "/"), "", text, fixed = TRUE), passed = status == 0, notes = said)
}

# Messages in the words of R: arguments instead of options, no names of files that nobody knows.
in_r <- function(message, folder) {
  if (grepl("needs a declared schema", message)) {
    return(paste0("a private run needs a declared schema: a domain read off the records is itself a leak. Draft one with s <- schema(data), review it ",
                  "against the code book, declare it with s <- declare(s, reason = \"...\"), and pass schema = s"))
  }
  message <- gsub(paste0(folder, "/"), "", message, fixed = TRUE)
  message <- gsub("^data\\.arrow: ", "the data: ", message)
  message <- gsub("`lookalike describe [^`]*`", "schema(data)", message)
  message <- gsub("say --force", "say replace = TRUE", message, fixed = TRUE)
  names <- c(epsilon = "epsilon", rows = "k", limit = "limits", "original-rows" = "original.rows", "learned-schema" = "learned.schema",
             "small-table" = "small.table", "no-limits" = "no.limits", "unpaid-look" = "unpaid.look", "keep-copies" = "keep.copies")
  for (option in names(names)) message <- gsub(paste0("--", option, "\\b"), paste0("`", names[[option]], " =`"), message)
  message <- gsub("--([a-z]+)-([a-z]+)", "`\\1.\\2 =`", message)
  gsub("--([a-z]+)", "`\\1 =`", message)
}

# The folder, removed with the call that made it.
with_folder <- function(work) {
  folder <- work_folder()
  on.exit(unlink(folder, recursive = TRUE))
  work(folder)
}
