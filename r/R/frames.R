# Data frames into CSV files and back, with their classes.

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
  # Whole numbers, and few values that come again and again, are quick.
  if (length(x) > 1000 && length(unique(x[1:1000])) < 500) {
    values <- unique(x)
    if (length(values) < length(x) / 4) return(number_text(values)[match(x, values)])
  }
  # Where a look at some of them shows that 15 digits do not suffice, all are written with 17 at once.
  some <- x[seq.int(1, length(x), length.out = min(length(x), 100))]
  if (length(x) > 1000 && mean(suppressWarnings(as.numeric(sprintf("%.15g", some))) != some, na.rm = TRUE) > 0.5) {
    text <- sprintf("%.17g", x)
    text[is.na(x)] <- NA
    return(text)
  }
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

column_text <- function(x) {
  text <- if (is.factor(x)) {
    quoted(levels(x))[as.integer(x)]
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
    by_value(x, quoted)
  }
  text[is.na(x)] <- ""
  text
}

# A column as write.table takes it: factors and whole numbers as they are, everything else as text.
written <- function(x) {
  if (is.factor(x)) {
    return(structure(as.integer(x), levels = quoted(levels(x)), class = "factor"))
  }
  is_whole <- is.integer(x) || (is.double(x) && !is.object(x) && all(abs(x) < 1e15 & x == round(x), na.rm = TRUE))
  if (is.logical(x) || (is_whole && !is.object(x))) x else column_text(x)
}

write_table <- function(data, path) {
  columns <- structure(lapply(data, written), row.names = seq_len(nrow(data)), class = "data.frame")
  file <- file(path, open = "wb", encoding = "UTF-8")
  on.exit(close(file))
  writeLines(paste(quoted(names(data)), collapse = ","), file, useBytes = TRUE)
  # A record of one empty field would be an empty line.
  blank <- if (length(columns) == 1) "\"\"" else ""
  if (length(columns) == 1 && is.character(columns[[1]])) columns[[1]][columns[[1]] == ""] <- NA
  utils::write.table(columns, file, sep = ",", quote = FALSE, na = blank, row.names = FALSE, col.names = FALSE, qmethod = "double")
}

# A synthetic file with the classes of the data.
read_table <- function(path, like) {
  plain <- function(x) if (is.factor(x) || is.character(x) || is.logical(x) || is.object(x)) "" else if (is.integer(x)) 0L else 0
  fields <- scan(path, what = lapply(unname(like), plain), sep = ",", quote = "\"", skip = 1, quiet = TRUE, na.strings = "", encoding = "UTF-8",
                 multi.line = TRUE, strip.white = FALSE)
  names(fields) <- names(like)
  # Texts that a spreadsheet would run as a formula are guarded by an apostrophe in files.
  freed <- function(text) sub("^'(?=[=+@-])", "", text, perl = TRUE)
  restored <- Map(function(text, x) {
    if (is.factor(x)) {
      known <- levels(x)[levels(x) != ""]
      values <- unique(text)
      codes <- match(freed(values), known)[match(text, values)]
      structure(codes, levels = known, class = class(x))
    } else if (is.logical(x)) {
      text == "TRUE"
    } else if (inherits(x, "Date")) {
      by_value(text, function(days) as.Date(days, "%Y-%m-%d"))
    } else if (inherits(x, "POSIXct")) {
      by_value(text, function(times) as.POSIXct(times, format = "%Y-%m-%d %H:%M:%S", tz = "UTC"))
    } else if (is.numeric(x)) {
      text
    } else {
      by_value(text, freed)
    }
  }, fields, like)
  structure(restored, names = names(like), row.names = seq_along(restored[[1]]), class = "data.frame")
}
