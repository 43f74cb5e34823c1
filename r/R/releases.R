# What synthpop does not have: a plan, a frontier, a release with its evidence, its verification.

plan_saturated <- function(data, family = "nbi", sigma = NULL, m = c(1, 5, 10), alpha = 0, schema = NULL) {
  data <- check_frame(data, quiet = TRUE)
  with_folder(function(folder) {
    path <- file.path(folder, "data.arrow")
    if (is.null(schema)) schema <- schema(data)
    put_data(data, schema, path)
    words <- c(path, "--schema", put_schema(schema, folder), "--family", family,
               if (!is.null(sigma)) c("--sigma", paste(number_text(sigma), collapse = ",")), "--m", paste(m, collapse = ","), "--alpha", number_text(alpha))
    told(call_program("plan", words, folder))
  })
}

frontier <- function(data, folder = NULL, grid = NULL, repeats = 5, limits = NULL, keys = NULL, only = NULL, contestants = NULL, seed = 1, schema = NULL) {
  data <- check_frame(data, quiet = TRUE)
  with_folder(function(work) {
    path <- file.path(work, "data.arrow")
    if (is.null(schema)) schema <- schema(data)
    put_data(data, schema, path)
    others <- character(0)
    for (name in names(contestants)) {
      paths <- vapply(seq_along(all_tables(contestants[[name]])), function(at) {
        file <- file.path(work, paste0("contestant-", match(name, names(contestants)), "-", at, ".arrow"))
        put_data(all_tables(contestants[[name]])[[at]][names(data)], schema, file)
        file
      }, "")
      others <- c(others, "--contestant", paste0(name, "=", paste(paths, collapse = ",")))
    }
    words <- c(path, "--schema", put_schema(schema, work), "--repeat", repeats, "--seed", seed, others,
               if (!is.null(grid)) c("--grid", grid), if (!is.null(folder)) c("--out", folder), if (!is.null(keys)) c("--keys", paste(keys, collapse = ",")),
               if (!is.null(only)) c("--only", paste(only, collapse = ",")), unlist(lapply(limits, function(limit) c("--limit", limit))))
    told(call_program("frontier", words, work))
  })
}

release <- function(data, out, accepted.by, schema, frontier = NULL, choose = NULL, recipe = NULL, limits = NULL, keys = NULL, only = NULL, note = NULL,
                    exception = NULL, unpaid.look = NULL, learned.schema = NULL, no.limits = NULL, small.table = NULL, keep.copies = NULL,
                    m = NULL, k = NULL, replace = FALSE) {
  if (missing(accepted.by)) refuse("`accepted.by`: name the person or body that accepts the release; it is published")
  if (missing(schema)) refuse("`schema`: a release needs a schema, such as declare(schema(data), reason = \"...\")")
  if (is.null(frontier) == is.null(recipe)) refuse("name a `frontier` (its folder) or a `recipe` (text of a recipe, or its file): one of the two")
  data <- check_frame(data, quiet = TRUE)
  with_folder(function(work) {
    path <- file.path(work, "data.arrow")
    put_data(data, schema, path)
    if (!is.null(recipe) && !file.exists(recipe[1])) {
      file <- file.path(work, "given.recipe.toml")
      writeLines(enc2utf8(recipe), file, useBytes = TRUE)
      recipe <- file
    }
    said <- list("--frontier" = frontier, "--recipe" = recipe, "--choose" = choose, "--note" = note, "--exception" = exception, "--unpaid-look" = unpaid.look,
                 "--learned-schema" = learned.schema, "--no-limits" = no.limits, "--small-table" = small.table, "--keep-copies" = keep.copies,
                 "--m" = m, "--rows" = k, "--keys" = if (!is.null(keys)) paste(keys, collapse = ","), "--only" = if (!is.null(only)) paste(only, collapse = ","))
    said <- Filter(Negate(is.null), said)
    if (!replace && file.exists(out)) refuse(paste0("`", out, "` exists; choose another folder, or say replace = TRUE"))
    words <- c(path, "--schema", put_schema(schema, work), "--accepted-by", accepted.by, "--out", out, unlist(Map(c, names(said), said), use.names = FALSE),
               unlist(lapply(limits, function(limit) c("--limit", limit))))
    told(call_program("release", words, work))
  })
}

verify <- function(folder) {
  with_folder(function(work) {
    done <- call_program("verify", folder, work, tolerate = TRUE)
    told(done)
  })
}
