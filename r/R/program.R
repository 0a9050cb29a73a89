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
    stop_burndid(if (is.null(first$code)) "program" else first$code, paste(text, collapse = "\n"), first$hint)
  }
  for (m in messages) warn_burndid(m$text)
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

# Options of the command line. NULL, NA and FALSE leave an option out, TRUE is a flag, and several conditions on rows are an option each.
options_of <- function(...) {
  given <- list(...)
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    flag <- paste0("--", name)
    check_value(value, name)
    if (is.null(value) || identical(value, FALSE) || (length(value) == 1L && is.na(value))) return(NULL)
    if (identical(value, TRUE)) return(flag)
    if (name %in% c("rows", "subset")) return(paste0(flag, "=", value))
    # A value that begins with a minus sign is no option.
    paste0(flag, "=", paste(vapply(value, as_argument, ""), collapse = ","))
  }))
}

check_value <- function(value, name) {
  if (is.null(value) || is.atomic(value)) return(invisible())
  kind <- if (is.function(value)) "function" else class(value)[1L]
  stop_burndid("usage", paste0("`", gsub("-", "_", name), "` is a ", kind, ", and burn-did takes numbers and text"),
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

# Arguments of `...`: options of the command line by their names, as `frequency = "month"`; what the model packages have and a program
# of its own has no use for is named in a warning, and not lost in silence, unless it is FALSE or NULL and asks for nothing.
more_options <- function(..., without = character()) {
  given <- list(...)
  if (!length(given)) return(NULL)
  if (is.null(names(given)) || any(!nzchar(names(given)))) {
    stop_burndid("usage", "an argument has no name", "write it as name = value")
  }
  idle <- intersect(names(given), without)
  warn_unused(given[idle])
  given <- given[setdiff(names(given), idle)]
  names(given) <- gsub("[_.]", "-", names(given))
  do.call(options_of, given)
}

warn_unused <- function(given) {
  asked <- names(given)[!vapply(given, function(value) is.null(value) || isFALSE(value), NA)]
  if (length(asked)) warn_burndid(paste("not used by burn-did:", paste(asked, collapse = ", ")))
}
