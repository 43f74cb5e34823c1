# What a table may hold, from R's own types: levels of factors in their order, ordered factors, dates, truth values, NA, special codes.

toml_text <- function(x) vapply(enc2utf8(as.character(x)), function(one) as.character(toJSON(one, auto_unbox = TRUE)), "", USE.NAMES = FALSE)

toml_key <- function(x) toml_text(x)

toml_value <- function(x) {
  if (is.list(x)) {
    return(paste0("{ ", paste0(toml_key(names(x)), " = ", vapply(x, toml_value, ""), collapse = ", "), " }"))
  }
  text <- if (is.character(x) || is.factor(x)) toml_text(x) else if (is.logical(x)) tolower(as.character(x)) else toml_number(x)
  if (length(text) == 1 && !inherits(x, "toml_list")) text else paste0("[", paste(text, collapse = ", "), "]")
}

toml_number <- function(x) {
  text <- number_text(x)
  # 1e+05 is no number of TOML for a whole one.
  whole <- is.finite(x) & x == round(x) & abs(x) < 2^53
  text[whole] <- format(x[whole], scientific = FALSE, trim = TRUE, nsmall = 0)
  text
}

listed <- function(x) structure(x, class = c("toml_list", class(x)))

section_of <- function(name, x, codes, minnumlevels) {
  said <- list()
  if (is.factor(x)) {
    said$kind <- if (is.ordered(x)) "ordinal" else "categorical"
    said$levels <- listed(levels(x))
  } else if (is.logical(x)) {
    said$kind <- "categorical"
    said$levels <- listed(c("FALSE", "TRUE"))
  } else if (inherits(x, "Date")) {
    said$kind <- "date"
    said$format <- "YYYY-MM-DD"
  } else if (inherits(x, "POSIXct")) {
    said$kind <- "datetime"
    said$format <- "YYYY-MM-DD HH:MM:SS"
  } else if (is.numeric(x)) {
    values <- x[!is.na(x) & !(x %in% codes)]
    if (length(unique(values)) <= minnumlevels && minnumlevels > 0 && length(codes) == 0) {
      said$kind <- "categorical"
      said$levels <- listed(number_text(sort(unique(values))))
    } else {
      said$kind <- if (all(values == round(values) & abs(values) <= 2^53)) "integer" else "real"
      if (length(codes) > 0) said$codes <- setNames(as.list(rep("special", length(codes))), number_text(codes))
    }
  } else {
    # Levels of text are those that the records show.
    said$kind <- "categorical"
  }
  if (anyNA(x)) said$missing <- TRUE
  said$domain <- "learned"
  said
}

# What R's types say. They do not say which columns name units: the program finds those among the records.
schema_of_types <- function(data, cont.na = NULL, rules = NULL, rvalues = NULL, minnumlevels = 0) {
  check_names_of(cont.na, data, "cont.na")
  sections <- lapply(setNames(nm = names(data)), function(name) {
    codes <- cont.na[[name]]
    section_of(name, data[[name]], codes[!is.na(codes)], minnumlevels)
  })
  made <- list(table = list(find_identifiers = TRUE), variables = sections, rules = rules_of(rules, rvalues, data))
  structure(made, class = "lookalike_schema")
}

schema <- function(data, cont.na = NULL, rules = NULL, rvalues = NULL, minnumlevels = 0) {
  data <- check_frame(data, quiet = TRUE)
  made <- schema_of_types(data, cont.na, rules, rvalues, minnumlevels)
  found <- drafted(data, made)
  for (name in names(made$variables)) {
    said <- found[[name]]
    if (identical(said$kind, "text-id")) {
      made$variables[[name]] <- said[c("kind", "missing", "stored", "type", "refers_to", "domain")[c("kind", "missing", "stored", "type", "refers_to", "domain") %in% names(said)]]
    } else if (identical(made$variables[[name]]$kind, "categorical") && is.null(made$variables[[name]]$levels)) {
      made$variables[[name]]$levels <- listed(sort(unique(data[[name]]), method = "radix"))
    }
  }
  made$table$find_identifiers <- NULL
  made
}

# What the program drafts of the variables, under the types of R.
drafted <- function(data, made) {
  with_folder(function(folder) {
    path <- file.path(folder, "data.arrow")
    put_data(data, made, path)
    draft <- file.path(folder, "draft.toml")
    call_program("describe", c(path, "--schema", put_schema(made, folder), "--write-schema", draft), folder, tolerate = TRUE)
    if (!file.exists(draft)) refuse("the program drafted no schema")
    variable_sections(readLines(draft, encoding = "UTF-8", warn = FALSE))
  })
}

# The sections of variables in the text of a schema, with those of their keys that are a text or a truth value.
variable_sections <- function(lines) {
  heads <- grep("^\\[variables\\.", lines)
  ends <- c(grep("^\\[", lines), length(lines) + 1)
  sections <- lapply(heads, function(at) {
    inside <- lines[seq_len(min(ends[ends > at]) - at - 1) + at]
    inside <- grep("^[a-z_]+ = (\".*\"|true|false)$", inside, value = TRUE)
    setNames(lapply(sub("^[a-z_]+ = ", "", inside), fromJSON), sub(" = .*$", "", inside))
  })
  inner <- sub("\\]$", "", sub("^\\[variables\\.", "", lines[heads]))
  names(sections) <- vapply(inner, function(name) if (startsWith(name, "\"")) fromJSON(name) else name, "", USE.NAMES = FALSE)
  sections
}

check_names_of <- function(x, data, argument) {
  wrong <- setdiff(names(x), names(data))
  if (length(wrong) > 0) refuse(paste0("`", argument, "` names `", wrong[1], "`, which is no column of the data"))
}

# synthpop's rules: where a condition holds, a variable has a value.
rules_of <- function(rules, rvalues, data) {
  if (is.null(rules)) return(list())
  check_names_of(rules, data, "rules")
  if (!setequal(names(rules), names(rvalues))) refuse("`rvalues` must name the variables of `rules`")
  made <- list()
  for (name in names(rules)) {
    for (at in seq_along(rules[[name]])) {
      value <- rvalues[[name]][[at]]
      then <- if (is.na(value)) paste(sql_name(name), "IS NULL") else paste(sql_name(name), "=", if (is.numeric(data[[name]])) number_text(value) else sql_text(value))
      made <- c(made, list(list(when = condition_text(rules[[name]][[at]]), then = then)))
    }
  }
  made
}

sql_name <- function(name) paste0("\"", gsub("\"", "\"\"", name, fixed = TRUE), "\"")
sql_text <- function(text) paste0("'", gsub("'", "''", text, fixed = TRUE), "'")

# A condition of R in the words of a schema.
condition_text <- function(text) {
  walk <- function(part) {
    if (is.character(part)) return(sql_text(part))
    if (is.numeric(part)) return(number_text(part))
    if (is.logical(part)) return(sql_text(as.character(part)))
    if (is.name(part)) return(sql_name(as.character(part)))
    head <- as.character(part[[1]])
    two <- function(word) paste0("(", walk(part[[2]]), " ", word, " ", walk(part[[3]]), ")")
    words <- c("==" = "=", "!=" = "<>", "<" = "<", "<=" = "<=", ">" = ">", ">=" = ">=", "&" = "AND", "&&" = "AND", "|" = "OR", "||" = "OR",
               "+" = "+", "*" = "*", "/" = "/")
    if (length(part) == 3 && head %in% names(words)) return(two(words[[head]]))
    if (head == "-" && length(part) == 3) return(two("-"))
    if (head == "-") return(paste0("-", walk(part[[2]])))
    if (head == "(") return(walk(part[[2]]))
    if (head == "!" && is.call(part[[2]]) && identical(part[[2]][[1]], as.name("is.na"))) return(paste0("(", walk(part[[2]][[2]]), " IS NOT NULL)"))
    if (head == "!") return(paste0("(NOT ", walk(part[[2]]), ")"))
    if (head == "is.na") return(paste0("(", walk(part[[2]]), " IS NULL)"))
    if (head == "%in%") return(paste0("(", walk(part[[2]]), " IN (", paste(vapply(eval(part[[3]], baseenv()), function(one) walk(one), ""), collapse = ", "), "))"))
    refuse(paste0("`rules`: the condition uses `", head, "`, which a schema does not know; say it with comparisons, &, |, !, is.na and %in%"))
  }
  walk(tryCatch(parse(text = text)[[1]], error = function(...) refuse("`rules`: a condition cannot be read as R")))
}

declare <- function(schema, reason) {
  if (!inherits(schema, "lookalike_schema")) refuse("`schema` must be what schema(data) or read.schema(file) gives")
  if (missing(reason) || !is.character(reason) || !nzchar(trimws(reason))) refuse("`reason`: say in words why the domain may be taken as public, such as \"code book 2024\"")
  schema$table$declared <- TRUE
  schema$table$reason <- reason
  if (!is.null(schema$text)) {
    schema$text <- c("[table]", "declared = true", paste("reason =", toml_text(reason)), schema$text[!grepl("^(\\[table\\]|declared *=|reason *=)", schema$text)])
    return(schema)
  }
  open <- names(Filter(function(said) said$kind %in% c("integer", "real", "date", "datetime") && is.null(said$range), schema$variables))
  if (length(open) > 0) {
    refuse(paste0("the schema says no range of ", paste0("`", open, "`", collapse = ", "), "; set it first, such as s$variables$", open[1],
                  "$range <- c(low, high), from the code book and not from the data"))
  }
  schema
}

schema_toml <- function(schema) {
  if (!is.null(schema$text)) return(paste(schema$text, collapse = "\n"))
  section <- function(head, said) {
    lines <- vapply(names(said), function(key) {
      value <- said[[key]]
      if (key %in% c("levels", "range", "cuts")) value <- listed(value)
      paste(key, "=", toml_value(value))
    }, "")
    c(head, lines, "")
  }
  text <- if (length(schema$table) > 0) section("[table]", schema$table) else character(0)
  for (name in names(schema$variables)) text <- c(text, section(paste0("[variables.", toml_key(name), "]"), schema$variables[[name]]))
  for (rule in schema$rules) text <- c(text, section("[[rules]]", rule))
  for (cell in schema$impossible) text <- c(text, section("[[impossible]]", list(where = cell)))
  paste(text, collapse = "\n")
}

print.lookalike_schema <- function(x, ...) {
  cat(schema_toml(x), "\n", sep = "")
  invisible(x)
}

write.schema <- function(schema, file) {
  if (file.exists(file)) refuse(paste0("`", file, "` exists; choose another name"))
  writeLines(enc2utf8(schema_toml(schema)), file, useBytes = TRUE)
  Sys.chmod(file, "0600")
  invisible(file)
}

read.schema <- function(file) {
  text <- readLines(file, encoding = "UTF-8", warn = FALSE)
  structure(list(text = text, table = list(declared = any(grepl("^declared *= *true", text))), variables = variable_sections(text)), class = "lookalike_schema")
}

put_schema <- function(schema, folder) {
  path <- file.path(folder, "data.schema.toml")
  writeLines(enc2utf8(schema_toml(schema)), path, useBytes = TRUE)
  path
}
