# Data frames as Arrow IPC, written column by column in plain R: factors travel as codes, numbers as they lie in memory.
# The format is https://arrow.apache.org/docs/format/Columnar.html; what describes the columns is a FlatBuffer (https://flatbuffers.dev/internals).

# Numbers of the format.
ARROW_VERSION <- 4L
ARROW_HEADER <- c(schema = 1L, dictionary = 2L, records = 3L)
ARROW_TYPE <- c(int = 2L, real = 3L, text = 5L, date = 8L, timestamp = 10L)

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
