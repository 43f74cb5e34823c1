# Data frames as Arrow IPC, written and read column by column in plain R: factors travel as codes, numbers as they lie in memory.
# The format is https://arrow.apache.org/docs/format/Columnar.html; what describes the columns is a FlatBuffer (https://flatbuffers.dev/internals).

# Numbers of the format.
ARROW_VERSION <- 4L
ARROW_HEADER <- c(schema = 1L, dictionary = 2L, records = 3L)
ARROW_TYPE <- c(int = 2L, real = 3L, text = 5L, truth = 6L, date = 8L, timestamp = 10L)

# FlatBuffers. A table is a list of its slots, NULL where one is left out; each slot takes eight bytes, so that every number is aligned.

fb_number <- function(value, size) structure(list(value = value, size = size), class = "fb_number")
fb_table <- function(...) structure(list(...), class = "fb_table")
fb_tables <- function(tables) structure(tables, class = "fb_tables")
fb_structs <- function(count, bytes) structure(list(count = count, bytes = bytes), class = "fb_structs")

little <- function(value, size = 4L) writeBin(as.integer(value), raw(), size = size, endian = "little")

# Whole numbers up to 2^53 as eight bytes each.
little64 <- function(value) {
  value <- as.vector(value)
  high <- floor(value / 2^32)
  low <- value - high * 2^32
  low <- ifelse(low >= 2^31, low - 2^32, low)
  # R has no whole number -2^31; its bytes are those of NA.
  low[!is.na(low) & low == -2^31] <- NA
  low[is.na(value)] <- 0
  high[is.na(value)] <- 0
  writeBin(as.integer(rbind(low, high)), raw(), size = 4L, endian = "little")
}

flatbuffer <- function(root) {
  out <- raw(4)
  put <- function(bytes) {
    at <- length(out)
    out <<- c(out, bytes)
    at
  }
  align <- function(remainder) put(raw((remainder - length(out)) %% 8L))
  point <- function(slot, at) out[slot + 1:4] <<- little(at - slot)
  written <- function(x) {
    align(4L)
    if (is.character(x)) {
      bytes <- charToRaw(enc2utf8(x))
      return(put(c(little(length(bytes)), bytes, as.raw(0))))
    }
    if (inherits(x, "fb_structs")) return(put(c(little(x$count), x$bytes)))
    if (inherits(x, "fb_tables")) {
      at <- put(c(little(length(x)), raw(4L * length(x))))
      for (i in seq_along(x)) point(at + 4L * i, written(x[[i]]))
      return(at)
    }
    slots <- unclass(x)
    there <- which(!vapply(slots, is.null, TRUE))
    places <- integer(length(slots))
    places[there] <- 4L + 8L * (seq_along(there) - 1L)
    fields <- put(c(little(4L + 2L * length(slots), 2L), little(4L + 8L * length(there), 2L), little(places, 2L)))
    align(4L)
    at <- put(c(raw(4), raw(8L * length(there))))
    out[at + 1:4] <<- little(at - fields)
    for (i in there) {
      slot <- at + places[i]
      value <- slots[[i]]
      if (!inherits(value, "fb_number")) {
        point(slot, written(value))
      } else {
        bytes <- if (value$size == 8L) little64(value$value) else little(value$value, value$size)
        out[slot + seq_along(bytes)] <<- bytes
      }
    }
    at
  }
  point(0L, written(root))
  align(0L)
  out
}

fb_int32 <- function(bytes, at) readBin(bytes[at + 1:4], "integer", size = 4L, endian = "little")
fb_int64 <- function(bytes, at, count = 1L) whole64(readBin(bytes[at + seq_len(8L * count)], "integer", n = 2L * count, size = 4L, endian = "little"))
fb_small <- function(bytes, at, size) readBin(bytes[at + seq_len(size)], "integer", size = size, signed = FALSE, endian = "little")

# Where a slot of a table is, if it is there.
fb_slot <- function(bytes, table, slot) {
  fields <- table - fb_int32(bytes, table)
  if (4L + 2L * slot >= fb_small(bytes, fields, 2L)) return(NULL)
  offset <- fb_small(bytes, fields + 4L + 2L * slot, 2L)
  if (offset == 0L) NULL else table + offset
}

fb_follow <- function(bytes, at) if (is.null(at)) NULL else at + fb_int32(bytes, at)
fb_child <- function(bytes, table, slot) fb_follow(bytes, fb_slot(bytes, table, slot))

fb_value <- function(bytes, table, slot, size, default) {
  at <- fb_slot(bytes, table, slot)
  if (is.null(at)) default else switch(as.character(size), "8" = fb_int64(bytes, at), "4" = fb_int32(bytes, at), fb_small(bytes, at, size))
}

fb_text <- function(bytes, at) {
  text <- rawToChar(bytes[at + 4L + seq_len(fb_int32(bytes, at))])
  Encoding(text) <- "UTF-8"
  text
}

fb_members <- function(bytes, at) {
  if (is.null(at)) return(integer(0))
  vapply(seq_len(fb_int32(bytes, at)), function(i) fb_follow(bytes, at + 4L * i), 0L)
}

# Pairs of 32-bit halves as numbers.
whole64 <- function(halves) {
  low <- halves[c(TRUE, FALSE)]
  high <- halves[c(FALSE, TRUE)]
  # The bytes of NA are those of -2^31.
  if (anyNA(low)) low[is.na(low)] <- -2^31
  low + 2^32 * (high + (low < 0))
}

# What is written.

# Which values are there, as bits.
bits <- function(there) packBits(c(there, logical(-length(there) %% 8L)))

# A column: its type, what fills it, and its levels where it has some.
arrow_column <- function(x) {
  index <- fb_table(fb_number(32L, 4L), fb_number(1L, 1L))
  levelled <- function(codes, levels, ordered = FALSE) list(type = ARROW_TYPE[["text"]], table = fb_table(), index = index, values = codes, levels = levels, ordered = ordered)
  found <- if (is.factor(x)) {
    levelled(as.integer(x) - 1L, levels(x), is.ordered(x))
  } else if (is.logical(x)) {
    levelled(as.integer(x), c("FALSE", "TRUE"))
  } else if (is.character(x)) {
    levels <- unique(x)
    levels <- levels[!is.na(levels)]
    levelled(match(x, levels) - 1L, levels)
  } else if (inherits(x, "Date")) {
    list(type = ARROW_TYPE[["date"]], table = fb_table(fb_number(0L, 2L)), values = as.integer(floor(unclass(x))))
  } else if (inherits(x, "POSIXct")) {
    list(type = ARROW_TYPE[["timestamp"]], table = fb_table(fb_number(0L, 2L)), values = little64(floor(as.numeric(x))))
  } else if (is.integer(x)) {
    list(type = ARROW_TYPE[["int"]], table = fb_table(fb_number(32L, 4L), fb_number(1L, 1L)), values = as.integer(x))
  } else {
    list(type = ARROW_TYPE[["real"]], table = fb_table(fb_number(2L, 2L)), values = as.double(x))
  }
  found$missing <- if (anyNA(x)) is.na(x)
  found
}

# The bytes of texts, and where each begins.
text_buffers <- function(texts) {
  texts <- enc2utf8(texts)
  list(c(0L, cumsum(nchar(texts, "bytes"))), texts)
}

buffer_size <- function(values) if (is.character(values)) sum(nchar(values, "bytes")) else length(values) * switch(typeof(values), raw = 1, integer = 4, double = 8)

arrow_message <- function(file, kind, header, buffers = list()) {
  sizes <- vapply(buffers, buffer_size, 0)
  total <- sum(sizes + (-sizes) %% 8)
  message <- flatbuffer(fb_table(fb_number(ARROW_VERSION, 2L), fb_number(ARROW_HEADER[[kind]], 1L), header, fb_number(total, 8L)))
  # The message begins after eight bytes and ends at a multiple of eight.
  writeBin(c(as.raw(c(255, 255, 255, 255)), little(length(message)), message), file)
  for (i in seq_along(buffers)) {
    if (is.character(buffers[[i]])) writeLines(buffers[[i]], file, sep = "", useBytes = TRUE) else writeBin(buffers[[i]], file, endian = "little")
    writeBin(raw((-sizes[i]) %% 8), file)
  }
}

arrow_batch <- function(rows, missing, buffers) {
  sizes <- vapply(buffers, buffer_size, 0)
  starts <- cumsum(c(0, sizes + (-sizes) %% 8))[seq_along(sizes)]
  fb_table(fb_number(rows, 8L), fb_structs(length(missing), little64(rbind(rep(rows, length(missing)), missing))),
           fb_structs(length(sizes), little64(rbind(starts, sizes))))
}

write_arrow <- function(data, path) {
  columns <- lapply(data, arrow_column)
  numbers <- cumsum(vapply(columns, function(column) !is.null(column$levels), TRUE))
  fields <- Map(function(column, name, number) {
    dictionary <- if (!is.null(column$levels)) fb_table(fb_number(number, 8L), column$index, fb_number(as.integer(column$ordered), 1L))
    fb_table(name, fb_number(1L, 1L), fb_number(column$type, 1L), column$table, dictionary, fb_tables(list()))
  }, columns, names(data), numbers)
  file <- file(path, open = "wb")
  on.exit(close(file))
  arrow_message(file, "schema", fb_table(fb_number(0L, 2L), fb_tables(unname(fields))))
  for (i in which(!vapply(columns, function(column) is.null(column$levels), TRUE))) {
    levels <- columns[[i]]$levels
    buffers <- c(list(raw(0)), text_buffers(levels))
    arrow_message(file, "dictionary", fb_table(fb_number(numbers[[i]], 8L), arrow_batch(length(levels), 0, buffers)), buffers)
  }
  buffers <- unlist(lapply(unname(columns), function(column) list(if (is.null(column$missing)) raw(0) else bits(!column$missing), column$values)), recursive = FALSE)
  missing <- vapply(columns, function(column) sum(column$missing), 0)
  arrow_message(file, "records", arrow_batch(nrow(data), missing, buffers), buffers)
  writeBin(c(as.raw(c(255, 255, 255, 255)), raw(4)), file)
}

# What is read: the columns as plain vectors, those with levels as factors.

read_arrow <- function(path) {
  file <- file(path, open = "rb")
  on.exit(close(file))
  start <- readBin(file, "raw", 8L)
  # A file has its name before what a stream is.
  if (!identical(start[1:6], charToRaw("ARROW1"))) refuse("what the program wrote is no Arrow file")
  fields <- NULL
  dictionaries <- list()
  parts <- list()
  repeat {
    head <- readBin(file, "integer", 2L, size = 4L, endian = "little")
    # Before the first message the program fills up to a multiple of 64 bytes.
    if (identical(head, c(0L, 0L)) && is.null(fields)) next
    if (length(head) < 2L || head[2] == 0L) break
    bytes <- readBin(file, "raw", head[2])
    root <- fb_int32(bytes, 0L)
    kind <- fb_value(bytes, root, 1L, 1L, 0L)
    header <- fb_child(bytes, root, 2L)
    body <- fb_value(bytes, root, 3L, 8L, 0)
    if (kind == ARROW_HEADER[["schema"]]) {
      fields <- lapply(fb_members(bytes, fb_child(bytes, header, 1L)), arrow_field, bytes = bytes)
    } else if (kind == ARROW_HEADER[["dictionary"]]) {
      texts <- list(list(type = ARROW_TYPE[["text"]]))
      number <- as.character(fb_value(bytes, header, 0L, 8L, 0))
      dictionaries[[number]] <- read_batch(file, bytes, fb_child(bytes, header, 1L), body, texts)[[1]]
    } else {
      parts[[length(parts) + 1L]] <- read_batch(file, bytes, header, body, fields)
    }
  }
  if (is.null(fields)) refuse("what the program wrote is no Arrow file")
  columns <- lapply(seq_along(fields), function(at) {
    values <- if (length(parts) == 1L) parts[[1]][[at]] else unlist(lapply(parts, `[[`, at))
    levels <- if (!is.null(fields[[at]]$dictionary)) dictionaries[[fields[[at]]$dictionary]]
    if (is.null(fields[[at]]$dictionary)) values else structure(values + 1L, levels = as.character(levels), class = "factor")
  })
  names(columns) <- vapply(fields, function(field) field$name, "")
  columns
}

arrow_field <- function(bytes, at) {
  type <- fb_value(bytes, at, 2L, 1L, 0L)
  table <- fb_child(bytes, at, 3L)
  dictionary <- fb_child(bytes, at, 4L)
  # What has levels is read as their codes, which are whole numbers of 32 bits.
  list(name = fb_text(bytes, fb_child(bytes, at, 0L)), type = if (is.null(dictionary)) type else ARROW_TYPE[["int"]],
       bits = if (is.null(dictionary) && type == ARROW_TYPE[["int"]]) fb_value(bytes, table, 0L, 4L, 32L) else 32L,
       dictionary = if (!is.null(dictionary)) as.character(fb_value(bytes, dictionary, 0L, 8L, 0)))
}

read_batch <- function(file, bytes, batch, body, fields) {
  rows <- fb_value(bytes, batch, 0L, 8L, 0)
  buffers <- fb_child(bytes, batch, 2L)
  places <- matrix(fb_int64(bytes, buffers + 4L, 2L * fb_int32(bytes, buffers)), nrow = 2L)
  passed <- 0
  number <- 0L
  # The next buffer, as `count` values of so many bytes; all of it without a count.
  following <- function(what, count = NULL, size = 1L) {
    number <<- number + 1L
    if (is.null(count)) count <- places[2L, number]
    if (places[2L, number] == 0) return(vector(what, 0))
    readBin(file, "raw", places[1L, number] - passed)
    values <- readBin(file, what, count, size = size, endian = "little")
    passed <<- places[1L, number] + count * size
    values
  }
  columns <- lapply(fields, function(field) {
    marks <- following("raw")
    values <- if (field$type == ARROW_TYPE[["text"]]) {
      starts <- following("integer", rows + 1, 4L)
      written <- following("raw")
      texts <- if (length(written) == 0) character(rows) else readChar(written, diff(starts), useBytes = TRUE)
      if (any(written > as.raw(127))) Encoding(texts) <- "UTF-8"
      texts
    } else if (field$type == ARROW_TYPE[["real"]]) {
      following("double", rows, 8L)
    } else if (field$type == ARROW_TYPE[["truth"]]) {
      as.logical(rawToBits(following("raw", ceiling(rows / 8))))[seq_len(rows)]
    } else if (field$type == ARROW_TYPE[["date"]] || (field$type == ARROW_TYPE[["int"]] && field$bits == 32L)) {
      following("integer", rows, 4L)
    } else {
      whole64(following("integer", 2 * rows, 4L))
    }
    if (length(marks) > 0) values[!as.logical(rawToBits(marks))[seq_len(rows)]] <- NA
    values
  })
  readBin(file, "raw", body - passed)
  columns
}
