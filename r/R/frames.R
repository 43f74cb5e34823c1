# Data frames into files and back, with their classes.

check_frame <- function(data, what = "data", quiet = FALSE) {
  if (!is.data.frame(data)) refuse(paste0("`", what, "` must be a data frame"))
  if (ncol(data) == 0) refuse(paste0("`", what, "` has no columns"))
  if (nrow(data) == 0) refuse(paste0("`", what, "` has no rows; a table needs at least one record"))
  if (anyDuplicated(names(data))) refuse(paste0("`", what, "` has two columns named `", names(data)[anyDuplicated(names(data))], "`"))
  for (name in names(data)) {
    x <- data[[name]]
    known <- is.factor(x) || is.character(x) || is.logical(x) || inherits(x, "Date") || inherits(x, "POSIXct") || (is.numeric(x) && is.null(dim(x)))
    if (!known || inherits(x, c("difftime", "integer64"))) {
      refuse(paste0("column `", name, "` is of class ", paste(class(x), collapse = ", "), ", which a table cannot hold; make it a factor, text, a number or a date"))
    }
    if (is.numeric(x) && any(is.infinite(x))) refuse(paste0("column `", name, "` holds infinite numbers"))
  }
  data <- as.data.frame(data, stringsAsFactors = FALSE)
  # An empty text is missing in a file, and a level of a factor in R.
  for (name in names(data)) {
    x <- data[[name]]
    empty <- if (is.factor(x)) "" %in% levels(x) else is.character(x) && any(x == "", na.rm = TRUE)
    if (empty) {
      if (!quiet) warning("column `", name, "`: empty text is taken as missing", call. = FALSE)
      if (is.factor(x)) {
        levels(data[[name]])[levels(x) == ""] <- NA
      } else {
        data[[name]][!is.na(x) & x == ""] <- NA
      }
    }
  }
  data
}

quoted <- function(text) {
  text <- enc2utf8(text)
  odd <- grepl("[\",;\n\r]", text) | grepl("^\\s|\\s$", text)
  text[odd] <- paste0("\"", gsub("\"", "\"\"", text[odd], fixed = TRUE), "\"")
  text
}

# A number as short as it can be and still be the same.
number_text <- function(x) {
  text <- sprintf("%.15g", x)
  off <- which(suppressWarnings(as.numeric(text)) != x)
  text[off] <- sprintf("%.17g", x[off])
  text[is.na(x)] <- NA
  text
}

# What a slow function makes of a vector with few different values.
by_value <- function(x, make) {
  values <- unique(x)
  make(values)[match(x, values)]
}

# What a spreadsheet would run as a formula gets an apostrophe before it, as in the files of the program.
guarded <- function(text) {
  inner <- sub("^'+", "", text)
  runs <- grepl("^[=+@\t\r-].", inner) & !(grepl("^[0-9.,eE+-]+$", inner) & !is.na(suppressWarnings(as.numeric(sub(",", ".", inner, fixed = TRUE)))))
  ifelse(runs, paste0("'", text), text)
}

# The text of each value of a column, NA where it is missing.
column_text <- function(x, of_text = identity) {
  if (is.factor(x)) {
    of_text(levels(x))[as.integer(x)]
  } else if (is.logical(x)) {
    c("FALSE", "TRUE")[x + 1L]
  } else if (inherits(x, "Date")) {
    by_value(x, function(days) format(days, "%Y-%m-%d"))
  } else if (inherits(x, "POSIXct")) {
    by_value(x, function(times) format(times, "%Y-%m-%d %H:%M:%S", tz = "UTC"))
  } else if (is.integer(x)) {
    as.character(x)
  } else if (is.numeric(x)) {
    number_text(x)
  } else {
    by_value(x, of_text)
  }
}

# A CSV file as the program writes it.
write_table <- function(data, path) {
  columns <- lapply(data, column_text, of_text = function(text) quoted(guarded(text)))
  # A record of one empty field would be an empty line.
  blank <- if (length(columns) == 1) "\"\"" else ""
  columns <- lapply(columns, function(text) ifelse(is.na(text), blank, text))
  writeLines(c(paste(quoted(names(data)), collapse = ","), do.call(paste, c(unname(columns), sep = ","))), path, useBytes = TRUE)
}

# The data as the program reads them: what the schema takes as levels is text, whatever it is in R.
put_data <- function(data, schema, path) {
  for (name in names(data)) {
    x <- data[[name]]
    levelled <- isTRUE(schema$variables[[name]]$kind %in% c("categorical", "ordinal"))
    if (levelled && is.numeric(x) && !is.factor(x)) data[[name]] <- by_value(x, number_text)
  }
  write_arrow(data, path)
}

# What the program made, with the classes of the data.
read_made <- function(path, like) {
  restored <- Map(restored_column, read_arrow(path)[names(like)], like)
  structure(restored, names = names(like), row.names = seq_along(restored[[1]]), class = "data.frame")
}

restored_column <- function(found, x) {
  levels <- levels(found)
  # What has levels is looked up once a level.
  by_level <- function(make) if (is.null(levels)) make(found) else make(levels)[as.integer(found)]
  if (is.factor(x)) {
    known <- levels(x)[levels(x) != ""]
    shown <- if (is.null(levels)) unique(as.character(found)) else levels
    # What names units was made new, and has levels of its own.
    if (!all(shown %in% c(known, NA))) known <- sort(shown)
    structure(by_level(function(values) match(as.character(values), known)), levels = known, class = class(x))
  } else if (is.logical(x)) {
    by_level(function(values) as.character(values) == "TRUE")
  } else if (inherits(x, "Date")) {
    structure(as.numeric(found), class = "Date")
  } else if (inherits(x, "POSIXct")) {
    structure(as.numeric(found) / 1e6, class = c("POSIXct", "POSIXt"), tzone = attr(x, "tzone"))
  } else if (is.integer(x)) {
    numbers <- by_level(as.numeric)
    if (any(abs(numbers) > .Machine$integer.max, na.rm = TRUE)) numbers else as.integer(numbers)
  } else if (is.numeric(x)) {
    by_level(as.numeric)
  } else {
    by_level(as.character)
  }
}
