# How the program is found and run, and how what it says becomes conditions of R.

burn_did_program <- function() {
  named <- getOption("burndid.program", Sys.getenv("BURN_DID"))
  if (nzchar(named)) {
    if (!file.exists(named)) {
      stop_burndid("no_program", paste0("there is no program ", named, ", which the option `burndid.program` or the variable BURN_DID names"),
                   "name the program burn-did")
    }
    return(path.expand(named))
  }
  found <- unname(Sys.which("burn-did"))
  if (!nzchar(found)) {
    stop_burndid("no_program", "the program burn-did is not installed, or not on the PATH",
                 paste("install it with `cargo install --path . --features cli` in a clone of burn-did,",
                       "or name it: options(burndid.program = \"/path/to/burn-did\")"))
  }
  found
}

# Runs a command of the program; its warnings become warnings, and its error an error.
run_program <- function(args) {
  program <- burn_did_program()
  out <- tempfile("burndid-out-")
  said <- tempfile("burndid-said-")
  on.exit(unlink(c(out, said)))
  before <- Sys.getenv("BURN_DID_MESSAGES", NA)
  Sys.setenv(BURN_DID_MESSAGES = "json")
  on.exit(if (is.na(before)) Sys.unsetenv("BURN_DID_MESSAGES") else Sys.setenv(BURN_DID_MESSAGES = before), add = TRUE)
  status <- suppressWarnings(system2(program, shQuote(args), stdout = out, stderr = said))
  messages <- lapply(readLines(said, warn = FALSE, encoding = "UTF-8"), read_message)
  # A call that succeeds says what it left out; one that fails says why.
  problems <- Filter(function(m) identical(m$kind, "error"), messages)
  if (status != 0L || length(problems)) {
    other <- Filter(function(m) !identical(m$kind, "warning"), messages)
    # That a result has no estimate is a warning of the result.
    if (!length(other)) other <- messages
    text <- vapply(other, function(m) m$text, "")
    first <- if (length(problems)) problems[[1L]] else list()
    if (!length(text)) text <- paste("burn-did ended with status", status)
    # How a command is called is no help in a call from R.
    text <- sub("\n\nFor more information, try '--help'.*$", "", sub("\n\nUsage: .*$", "", text))
    stop_burndid(if (is.null(first$code)) "program" else first$code, in_r(paste(text, collapse = "\n"), args), if (!is.null(first$hint)) in_r(first$hint, args))
  }
  for (m in messages) warn_burndid(in_r(m$text, args))
  paste(readLines(out, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
}

read_message <- function(line) {
  tryCatch({
    message <- jsonlite::fromJSON(line)
    stopifnot(is.character(message$text))
    message
  }, error = function(e) list(kind = "text", text = line))
}

stop_burndid <- function(code, message, hint = NULL) {
  text <- if (is.null(hint)) message else paste0(message, "\nhint: ", hint)
  classes <- c(paste0("burndid_", code), "burndid_error", "error", "condition")
  stop(structure(class = classes, list(message = text, call = NULL, code = code, problem = message, hint = hint)))
}

warn_burndid <- function(text) {
  warning(structure(class = c("burndid_warning", "warning", "condition"), list(message = text, call = NULL)))
}

# Options of the command line. NULL and FALSE leave an option out, TRUE is a flag, and several conditions on rows are an option each.
options_of <- function(...) {
  given <- list(...)
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    if (inherits(value, "formula")) value <- if (name %in% c("weightsname", "clustervars")) weights_name(value, name) else formula_text(value)
    flag <- paste0("--", name)
    if (name == "rows" && inherits(given[[name]], "formula")) {
      stop_burndid("usage", "`rows` must be text, and not a formula", "as in rows = \"year > 2004\", or choose the rows of the data frame")
    }
    check_value(value, name)
    if (is.null(value) || identical(value, FALSE)) return(NULL)
    if (identical(value, TRUE)) return(flag)
    if (name == "rows") return(paste0(flag, "=", value))
    # A value that begins with a minus sign is no option.
    paste0(flag, "=", paste(vapply(value, as_argument, ""), collapse = ","))
  }))
}

check_value <- function(value, name) {
  said <- gsub("-", "_", name)
  if (is.atomic(value) && anyNA(value)) stop_burndid("usage", paste0("`", said, "` is NA"), "NULL is for what is not asked for")
  if (is.null(value) || is.atomic(value)) return(invisible())
  kind <- if (is.function(value)) "function" else class(value)[1L]
  stop_burndid("usage", paste0("`", said, "` is a ", kind, ", and burn-did takes numbers and text"),
               if (is.function(value)) "estimators of one's own are possible from Rust and Python")
}

# TRUE or FALSE, and nothing else.
flag <- function(value) {
  if (isTRUE(value) || isFALSE(value)) return(value)
  stop_burndid("usage", paste0("`", deparse(substitute(value)), "` must be TRUE or FALSE"))
}

# As match.arg, with an error that names the argument.
one_of <- function(given) {
  name <- deparse(substitute(given))
  choices <- eval(formals(sys.function(sys.parent()))[[name]])
  tryCatch(match.arg(given, choices), error = function(e) {
    stop_burndid("usage", paste0("`", name, "` must be one of ", paste0("\"", choices, "\"", collapse = ", ")))
  })
}

as_argument <- function(value) {
  if (is.numeric(value)) return(sub("^(-?)Inf$", "\\1inf", sprintf("%.17g", value)))
  as.character(value)
}

formula_text <- function(formula) {
  if (is.null(formula)) return(NULL)
  if (is.character(formula)) return(paste(formula, collapse = " "))
  paste(trimws(deparse(formula, width.cutoff = 500L)), collapse = " ")
}

# Arguments of `...`: options of the command line by their names, as `frequency = "month"`. What the model packages have beside these is
# not lost in silence. It is named in a warning where it asks for no other result (`without`), and in an error where it does: `absent` has
# the hints. Neither is said of FALSE and NULL, which ask for nothing.
more_options <- function(..., command, without = character(), absent = character()) {
  given <- list(...)
  if (!length(given)) return(NULL)
  if (is.null(names(given)) || any(!nzchar(names(given)))) {
    stop_burndid("usage", "an argument has no name", "write it as name = value")
  }
  idle <- intersect(names(given), without)
  warn_unused(given[idle])
  refused <- intersect(names(given), names(absent))
  for (name in refused) if (is_asked(given[[name]])) stop_absent(name, absent[[name]])
  given <- given[setdiff(names(given), c(idle, refused))]
  if (!length(given)) return(NULL)
  if (is.list(given$ssc)) given$ssc <- corrections(given$ssc)
  names(given) <- known_options(names(given), command)
  do.call(options_of, given)
}

is_asked <- function(value) !(is.null(value) || isFALSE(value))

stop_absent <- function(name, hint) stop_burndid("usage", paste0("burn-did has no `", name, "`"), if (nzchar(hint)) hint)

# The options of a command as its help has them: names by all words for them.
options_in_help <- function(command) {
  found <- help_of(command)$names
  found[names(found) != "help"]
}

# Whether an option of a command is a flag, and the words that it takes, where the help lists them.
traits_of <- function(option, command) {
  help <- help_of(command)
  if (option %in% names(help$names)) option <- help$names[[option]]
  list(is_flag = option %in% help$flags, values = help$values[[option]])
}

help_of <- function(command) {
  program <- burn_did_program()
  key <- paste(program, file.mtime(program), command)
  if (is.null(helps[[key]])) {
    said <- suppressWarnings(system2(program, shQuote(c(strsplit(command, " ", fixed = TRUE)[[1L]], "--help")), stdout = TRUE, stderr = FALSE))
    names <- character()
    flags <- character()
    values <- list()
    last <- NA
    for (line in said) {
      if (grepl("^ {2,6}(-[a-z], )?--[A-Za-z]", line)) {
        last <- sub("^ +(-[a-z], )?--([A-Za-z-]+).*$", "\\2", line)
        names[[last]] <- last
        if (!grepl("<", line, fixed = TRUE)) flags <- c(flags, last)
      } else if (grepl("^ +\\[alias(es)?: ", line)) {
        for (word in regmatches(line, gregexpr("--[A-Za-z_-]+", line))[[1L]]) names[[gsub("_", "-", sub("^--", "", word))]] <- last
      } else if (grepl("^ +- [A-Za-z0-9_-]+: ", line)) {
        values[[last]] <- c(values[[last]], sub("^ +- ([A-Za-z0-9_-]+): .*$", "\\1", line), also_in(line))
      }
    }
    assign(key, list(names = names, flags = flags, values = values), envir = helps)
  }
  helps[[key]]
}

# Other words for a value.
also_in <- function(line) {
  if (!grepl("[also ", line, fixed = TRUE)) return(NULL)
  strsplit(gsub("[],]", "", sub("^.*\\[also ", "", line)), " ", fixed = TRUE)[[1L]]
}

helps <- new.env()

# Arguments as options of a command, by the first of their names.
known_options <- function(arguments, command) {
  known <- options_in_help(command)
  vapply(arguments, function(argument) {
    name <- gsub("[_.]", "-", argument)
    if (name %in% c("save", "format")) {
      stop_burndid("usage", paste0("`", argument, "` is what this package gives itself"), "saved_json(fit, file) writes a result to a file")
    }
    if (name %in% names(known)) return(known[[name]])
    near <- names(known)[utils::adist(name, names(known))[1L, ] <= 2L]
    stop_burndid("usage", paste0("`", argument, "` is no argument, and no option of burn-did ", command),
                 if (length(near)) paste0("did you mean `", gsub("-", "_", near[1L]), "`?") else paste0("`burn-did help ", command, "` lists its options"))
  }, "", USE.NAMES = FALSE)
}

# An option that an argument and one of `...` both stand for.
check_once <- function(arguments, command) {
  given <- sub("^--([A-Za-z-]+).*$", "\\1", grep("^--[A-Za-z]", arguments, value = TRUE))
  twice <- setdiff(given[duplicated(given)], c("rows", "aggregate"))
  if (!length(twice)) return(invisible())
  known <- options_in_help(command)
  words <- gsub("-", "_", names(known)[known == twice[1L]])
  stop_burndid("usage", paste0("`", gsub("-", "_", twice[1L]), "` is given twice"),
               if (length(words) > 1L) paste0("these are the same: ", paste0("`", words, "`", collapse = ", ")))
}

# Options of a bootstrap that is not asked for; `given` says which of them the call has.
check_bootstrap <- function(name, bootstrap, given) {
  if (flag(bootstrap) || !any(given)) return(invisible())
  stop_burndid("usage", paste0("`", names(given)[given][1L], "` is for a bootstrap, and `", name, "` is FALSE"), "leave one of them out")
}

# Corrections for small samples, as fixest's ssc() gives them: a list with names before fixest 0.13 or since.
corrections <- function(given) {
  names <- c(K.adj = "k_adj", K.fixef = "k_fixef", K.exact = "k_exact", G.adj = "G_adj", G.df = "G_df",
             adj = "k_adj", fixef.K = "k_fixef", fixef.force_exact = "k_exact", cluster.adj = "G_adj", cluster.df = "G_df")
  given <- unclass(given)
  if (identical(given$t.df, "min")) given$t.df <- NULL
  wrong <- setdiff(names(given), c(names(names), names))
  if (is.null(names(given)) || length(wrong)) {
    stop_burndid("usage", paste0("`ssc` has ", if (length(wrong)) paste0("`", wrong[1L], "`") else "no names"),
                 "it takes K.adj, K.fixef, K.exact, G.adj and G.df, as in ssc = list(K.fixef = \"none\")")
  }
  words <- vapply(given, function(value) tolower(as.character(value)), "")
  words[words == "nested"] <- "nonnested"
  known <- names(given) %in% names(names)
  paste0(ifelse(known, names[names(given)], names(given)), "=", words, collapse = ",")
}

warn_unused <- function(given) {
  asked <- names(given)[vapply(given, is_asked, NA)]
  if (length(asked)) warn_burndid(paste("not used by burn-did:", paste(asked, collapse = ", ")))
}
