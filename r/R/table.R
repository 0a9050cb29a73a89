# Results side by side, in the words of fixest's etable.

etable <- function(..., headers = NULL, tex = FALSE, markdown = FALSE, file = NULL, keep = NULL, drop = NULL, dict = NULL, digits = NULL,
                   coefstat = c("se", "confint"), signif.code = NULL, title = NULL, label = NULL, aggregate = NULL, siunitx = FALSE) {
  given <- lapply(list(...), function(one) if (inherits(one, "burndid_several")) one$fits else one)
  said <- as.list(substitute(list(...)))[-1L]
  is_fit <- vapply(given, function(one) inherits(one, "burndid") || (is.list(one) && length(one) && all(vapply(one, inherits, NA, "burndid"))), NA)
  if (!all(is_fit)) {
    name <- names(given)[!is_fit][1L]
    if (is.null(name) || is.na(name) || !nzchar(name)) stop_burndid("usage", paste0("this needs results of this package, got ", class(given[!is_fit][[1L]])[1L]))
    hint <- switch(name, vcov = , cluster = , se = , ssc = "give it to the fits", `se.below` = "standard errors are below estimates")
    stop_burndid("usage", paste0("etable has no `", name, "`"), hint)
  }
  words <- vapply(seq_along(given), function(i) if (is.name(said[[i]])) as.character(said[[i]]) else "", "")
  named <- if (is.null(names(given))) rep("", length(given)) else names(given)
  words <- ifelse(nzchar(named), named, words)
  fits <- list()
  for (i in seq_along(given)) {
    part <- if (inherits(given[[i]], "burndid")) setNames(list(given[[i]]), words[i]) else given[[i]]
    if (is.null(names(part))) names(part) <- rep("", length(part))
    fits <- c(fits, part)
  }
  if (!length(fits)) stop_burndid("usage", "there is no result to compare")
  if (any(vapply(fits, inherits, NA, "burndid_emfx"))) {
    stop_burndid("usage", "tables have fits of etwfe, and not what emfx selects", "give the fits; they have all averages")
  }
  names(fits)[!nzchar(names(fits))] <- paste0("(", which(!nzchar(names(fits))), ")")
  if (!is.null(headers)) {
    if (length(headers) != length(fits)) stop_burndid("usage", paste0("`headers` has ", length(headers), " names, and there are ", length(fits), " results"))
    names(fits) <- as.character(headers)
  }
  names(fits) <- make.unique(names(fits))
  if (any(grepl(",", names(fits), fixed = TRUE))) stop_burndid("usage", "names of columns cannot have commas")
  folder <- tempfile("burndid-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  files <- file.path(folder, paste0(seq_along(fits), ".json"))
  for (i in seq_along(fits)) saved_json(fits[[i]], files[i])
  arguments <- c(files, options_of(names = names(fits), aggregate = aggregate))
  rows <- utils::read.csv(text = run_program(c("compare", arguments, "--format=csv")), na.strings = "", encoding = "UTF-8",
                          colClasses = c(model = "character", term = "character"))
  kept <- rows_named(unique(rows$term), keep, drop)
  stars <- levels_of_stars(signif.code)
  format <- if (flag(tex)) "latex" else if (flag(markdown)) "markdown" else "table"
  each <- function(option, values) if (length(values)) paste0("--", option, "=", values)
  options <- c(options_of(stars = stars, below = if (one_of(coefstat) == "confint") "interval", digits = digits, caption = title, `tex-label` = label,
                          siunitx = flag(siunitx)),
               if (!is.null(keep) || !is.null(drop)) each("keep", literal(kept)),
               if (length(dict)) each("label", paste0(names(dict), "=", dict)))
  text <- withCallingHandlers(run_program(c("compare", arguments, options, paste0("--format=", format))),
                              burndid_warning = function(w) if (length(rows)) invokeRestart("muffleWarning"))
  if (!is.null(file)) {
    writeLines(enc2utf8(text), file, useBytes = TRUE)
    return(invisible(file))
  }
  structure(list(text = text, rows = rows[rows$term %in% kept, ]), class = "burndid_table")
}

# Regular expressions choose rows, as in fixest: "!" before one turns it round.
rows_named <- function(terms, keep, drop) {
  matches <- function(pattern) {
    turned <- startsWith(pattern, "!")
    found <- grepl(sub("^[!%]+", "", pattern), terms)
    if (turned) !found else found
  }
  if (length(keep)) terms <- terms[Reduce(`|`, lapply(keep, matches))]
  if (length(drop)) terms <- terms[!Reduce(`|`, lapply(drop, matches))]
  if (!length(terms)) stop_burndid("usage", "no row is left", "`keep` and `drop` are regular expressions of the names of rows")
  terms
}

# In names of rows for the program, "?" stands for any character.
literal <- function(terms) gsub("*", "?", terms, fixed = TRUE)

# Stars as fixest's tables in LaTeX have them, by default, too.
levels_of_stars <- function(given) {
  if (length(given) == 1L && is.na(given)) return(NULL)
  if (is.null(given) || isTRUE(given)) return("levels")
  if (is.numeric(given) && identical(unname(sort(given)), c(0.01, 0.05, 0.1))) return("levels")
  stop_burndid("usage", "`signif.code` must be NULL, NA or c(\"***\" = 0.01, \"**\" = 0.05, \"*\" = 0.1)", "stars have these levels only, and NA is for none")
}

print.burndid_table <- function(x, ...) {
  cat(x$text, "\n", sep = "")
  invisible(x)
}

as.data.frame.burndid_table <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- x$rows
  cbind(model = rows$model, frame_of(rows, rows$term), stringsAsFactors = FALSE)
}
