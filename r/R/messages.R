# What the program says, in the words of R: its options by the arguments that they are here, its commands by functions, and lines of the files that
# data frames go to by rows of the data.

# `args` is the call of the program, of which the first is the command.
in_r <- function(texts, args, called = called_here()) {
  command <- if (identical(args[1L], "panel")) paste(args[1L], args[2L]) else args[1L]
  vapply(texts, function(text) options_in_r(functions_in_r(files_in_r(text)), command, called, args), "", USE.NAMES = FALSE)
}

# Every match of a pattern by what a function makes of it and of its groups.
replaced <- function(text, pattern, made) {
  found <- gregexpr(pattern, text, perl = TRUE)
  matches <- regmatches(text, found)[[1L]]
  if (!length(matches)) return(text)
  groups <- regmatches(matches, regexec(pattern, matches, perl = TRUE))
  regmatches(text, found) <- list(vapply(groups, function(group) do.call(made, as.list(group)), ""))
  text
}

# The files that data frames are in, while the program runs.
sent <- new.env()

# A line of such a file, as a row of the data.
row_said <- function(line, data) {
  text <- data[vapply(data, function(column) is.character(column) || is.factor(column), NA)]
  # A text may have several lines.
  further <- lapply(text, function(column) {
    words <- replace(as.character(column), is.na(column), "")
    nchar(words) - nchar(gsub("\n", "", words, fixed = TRUE))
  })
  sizes <- 1 + rep_len(Reduce(`+`, further, 0), nrow(data))
  row <- findInterval(line, 2 + cumsum(sizes) - sizes)
  if (row < 1L) return("the names of the columns")
  name <- row.names(data)[row]
  paste0("row ", row, " of the data", if (name != row) paste0(" (\"", name, "\" by its name)"))
}

files_in_r <- function(text) {
  for (path in ls(sent)) {
    text <- replaced(text, paste0("line ([0-9]+) of \\Q", path, "\\E"), function(all, line) row_said(as.numeric(line), sent[[path]]))
    text <- gsub(path, "the data", text, fixed = TRUE)
  }
  # Other files of this package hold results.
  gsub(paste0("\\Q", tempdir(), "\\E/burndid-[[:alnum:]_.-]*[[:alnum:]]"), "the result", text, perl = TRUE)
}

# Functions in the place of commands and of Rust's names for them.
functions_in_r <- function(text) {
  name_of <- function(command) {
    found <- function_of(command)
    if (is.null(found)) NULL else paste0("`", found, "`")
  }
  or_same <- function(all, command) {
    found <- name_of(command)
    if (is.null(found)) all else found
  }
  text <- replaced(text, "`[A-Za-z_:]+`(?: \\(|; |, )`burn-did (?!help)([a-z -]+)`\\)?", function(all, command) {
    found <- name_of(command)
    # The bracket is that of the pair, or around it.
    if (is.null(found)) all else if (endsWith(all, ")") && !grepl("(", all, fixed = TRUE)) paste0(found, ")") else found
  })
  text <- replaced(text, "`burn-did (?!help)((?:panel )?[a-z-]+)((?: --[a-z-]+(?: [^` ]+)?)?)`", function(all, command, option) {
    found <- name_of(command)
    if (is.null(found)) all else paste0(found, if (nzchar(option)) paste0(" with", option))
  })
  text <- replaced(text, "`([a-z]+-[a-z-]+)`", or_same)
  # Of names that are one word only those that hardly are of columns.
  replaced(text, "(?<!column )`((?:[A-Z][a-z]+){2,}|Etwfe|Imputation)`", function(all, name) or_same(all, tolower(gsub("(?<=[a-z])(?=[A-Z])", "-", name, perl = TRUE))))
}

# Options that the library names otherwise.
phrases <- c("choose repeated cross sections" = "--repeated-cross-sections", "occurs as `reference`" = "occurs as --ref-p")

options_in_r <- function(text, command, called, args = command) {
  named <- function(option) paste0("`", argument_of(option, command, called)$name, "`")
  said <- function(option, value = "") paste0("`", argument_said(option, value, command, called), "`")
  for (phrase in names(phrases)) text <- gsub(phrase, phrases[[phrase]], text, fixed = TRUE)
  if (grepl("--[a-z]", text)) {
    rust <- "`[A-Za-z_:]+(?:\\(.*?\\))?`"
    option <- "(?<![[:alnum:]-])--([a-z][A-Za-z-]*)"
    # A value is all of such a word, or nothing of it.
    word <- "(:?[A-Za-z0-9_-]++(?:[,.:][A-Za-z0-9_-]++)*+)"
    # No words of a sentence are these: in quotes, or several without a space between them.
    value <- "(\"[^\"]*\"|[^\\s,;\"'`()]+(?:,[^\\s,;\"'`()]*[^\\s,;:.\"'`()])+)"
    condition <- "--rows \"[^\"`]*\""
    text <- replaced(text, paste0("`(", condition, "(?: ", condition, ")*)`"), function(all, given) {
      conditions <- strsplit(substr(given, 9L, nchar(given) - 1L), "\" --rows \"", fixed = TRUE)[[1L]]
      paste0("`", rows_left(conditions, args, argument_of("rows", command, called)$name), "`")
    })
    text <- gsub(paste0("(", option, " ", value, ") (?=--[a-z])"), "\\1, ", text, perl = TRUE)
    # Rust's word for an option stands before it or behind it.
    text <- replaced(text, paste0(rust, " \\(`?", option, "(?: ([^`)]+))?`?\\)(?: `([^`]+)`)?"), function(all, option, inner, behind) said(option, paste0(inner, behind)))
    text <- replaced(text, paste0(rust, ", `", option, "(?: ([^`]+))?`,?"), function(all, option, value) said(option, value))
    text <- replaced(text, paste0("`", option, "(?: ([^`]+))?` \\(`[A-Za-z_]+::[a-z_]+`\\)"), function(all, option, value) said(option, value))
    text <- replaced(text, paste0("`", option, "(?: ([^`]+))?`(?:, `[A-Za-z_]+::[a-z_]+`)?"), function(all, option, value) said(option, value))
    # As the command line quotes them: '--alp <ALPHA>'.
    text <- replaced(text, paste0("'", option, "(?: <[^>]*>)?'"), function(all, option) named(option))
    text <- replaced(text, paste0(option, " ", value), function(all, option, value) said(option, value))
    # A word behind an option is its value where the sentence ends after it, or where it is one that the option has.
    text <- replaced(text, paste0(option, " ", word, "(?=$|[,;:.)\\n])"), function(all, option, value) {
      if (is_switch(option, command, called)) paste(said(option), value) else said(option, value)
    })
    text <- replaced(text, paste0(option, "(?: ", word, "(?=$|\\s))?"), function(all, option, value) {
      if (!nzchar(value) || value %in% traits_of(option, command)$values) return(said(option, value))
      paste(if (is_switch(option, command, called)) said(option) else named(option), value)
    })
  }
  # `unit` must be a column: words of the library, which are other names of options.
  replaced(text, "^`([a-z_ ]+)` must be ", function(all, word) {
    option <- gsub("[_ ]", "-", word)
    if (option %in% names(options_in_help(command))) paste0(named(option), " must be ") else all
  })
}

# The rows that conditions leave; those without a missing value are rows of the data frame, if what is missing is so there.
rows_left <- function(conditions, args, name) {
  column <- sub(" is not missing$", "", conditions[1L])
  has_gaps <- vapply(ls(sent), function(path) anyNA(sent[[path]][[column]]), NA)
  if (length(conditions) == 1L && column != conditions && any(has_gaps) && !any(startsWith(args, "--na="))) {
    return(paste0("data[!is.na(data[[", quoted(column), "]]), ]"))
  }
  paste(name, "=", vector_said(quoted(conditions)))
}

quoted <- function(words) paste0("\"", words, "\"")

vector_said <- function(values) if (length(values) > 1L) paste0("c(", paste(values, collapse = ", "), ")") else values

# Whether an option has no value.
is_switch <- function(option, command, called) argument_of(option, command, called)$negated || traits_of(option, command)$is_flag

# name = "value", as a call has it.
argument_said <- function(option, value, command, called) {
  argument <- argument_of(option, command, called)
  if (argument$negated) return(paste(argument$name, "= FALSE"))
  if (!nzchar(value)) return(paste0(argument$name, if (traits_of(option, command)$is_flag) paste(" =", !startsWith(option, "no-"))))
  value <- gsub("^['\"]|['\"]$", "", value)
  # Words for missing values may have spaces.
  values <- if (grepl(" ", value, fixed = TRUE) && option != "na") value else strsplit(value, ",", fixed = TRUE)[[1L]]
  if (anyNA(suppressWarnings(as.numeric(values)))) values <- quoted(vapply(values, word_of, "", argument$choices))
  paste(argument$name, "=", vector_said(values))
}

# A word as the argument has it: not_yet_treated is notyettreated, or notyet.
word_of <- function(word, choices) {
  near <- choices[startsWith(gsub("_", "", word, fixed = TRUE), choices)]
  if (word %in% choices || !length(near)) word else near[which.max(nchar(near))]
}

# The argument that an option is in the functions that were called, of which the first that has it decides.
argument_of <- function(option, command, called) {
  known <- options_in_help(command)
  if (option %in% names(known)) option <- known[[option]]
  own <- gsub("-", "_", sub("^no-", "", option))
  candidates <- arguments_of_options()[[option]]
  names <- vapply(candidates, function(candidate) candidate$name, "")
  for (f in called) {
    given <- intersect(c(own, names), names(formals(f)))
    if (!length(given)) next
    found <- if (given[1L] %in% names) candidates[[match(given[1L], names)]] else list(name = own, negated = FALSE)
    return(c(found, list(choices = choices_of(f, given[1L]))))
  }
  # Options that no argument stands for are arguments by their names.
  found <- if (!length(names) || own %in% names || option %in% known) list(name = own, negated = FALSE) else candidates[[1L]]
  # They may be those of another function, which the message advises.
  others <- Filter(is.function, mget(getNamespaceExports(topenv()), topenv()))
  choices <- lapply(others, choices_of, found$name)
  c(found, list(choices = unique(unlist(choices, use.names = FALSE))))
}

# The words of which an argument is one.
choices_of <- function(f, name) {
  default <- formals(f)[name]
  if (is.call(default[[1L]]) && identical(default[[1L]][[1L]], quote(c))) as.character(unlist(Filter(is.character, as.list(default[[1L]])[-1L]))) else character()
}

# The functions of this package that called each other, from that which was called from outside.
called_here <- function() {
  space <- topenv()
  at <- sys.nframe()
  found <- list()
  while (at > 0L) {
    here <- sys.function(at)
    if (identical(topenv(environment(here)), space)) found <- c(here, found)
    at <- sys.parents()[at]
  }
  found
}

maps <- new.env()

# Options by the arguments that calls of options_of give them in this package, read from its functions.
arguments_of_options <- function() {
  if (is.null(maps$options)) {
    space <- topenv()
    found <- list()
    for (name in ls(space)) if (is.function(get(name, space))) found <- options_given(get(name, space), found)
    maps$options <- found
  }
  maps$options
}

options_given <- function(f, found) {
  own <- setdiff(names(formals(f)), "...")
  # Variables by the arguments that they are made of.
  origins <- list()
  sources <- function(part) {
    if (missing(part)) return(NULL)
    if (is.name(part)) return(if (as.character(part) %in% own) as.character(part) else origins[[as.character(part)]])
    if (!is.call(part)) return(NULL)
    head <- if (is.name(part[[1L]])) as.character(part[[1L]]) else ""
    if (head %in% c("is.null", "missing", "identical", "inherits", "function")) return(NULL)
    if (head %in% c("$", "[", "[[")) return(sources(part[[2L]]))
    if (head == "if") {
      of_values <- unlist(lapply(as.list(part)[-(1:2)], sources))
      return(unique(if (length(of_values)) of_values else sources(part[[2L]])))
    }
    unique(unlist(lapply(as.list(part)[-1L], sources)))
  }
  add <- function(option, from, negated) {
    # Of several it is the one of that name.
    if (length(from) > 1L) from <- intersect(from, gsub("-", "_", option))
    if (!length(from)) return()
    made <- list(list(name = from, negated = negated))
    if (!made %in% found[[option]]) found[[option]] <<- c(found[[option]], made)
  }
  walk <- function(part, asked = NULL) {
    if (!is.call(part)) return()
    head <- if (is.name(part[[1L]])) as.character(part[[1L]]) else ""
    if (head == "<-" && is.name(part[[2L]]) && !as.character(part[[2L]]) %in% own) origins[[as.character(part[[2L]])]] <<- sources(part[[3L]])
    if (head == "options_of") {
      for (option in setdiff(names(part), "")) {
        given <- part[[option]]
        negated <- is.call(given) && identical(given[[1L]], quote(`!`))
        add(option, if (isTRUE(given)) asked else sources(given), negated)
      }
    }
    for (i in seq_along(part)[-1L]) {
      inner <- part[[i]]
      if (!missing(inner)) walk(inner, if (head == "if" && i > 2L) sources(part[[2L]]) else asked)
    }
  }
  walk(body(f))
  found
}

# The function that runs a command: that of its name, or the first that names it.
function_of <- function(command) {
  if (is.null(maps$functions)) {
    space <- topenv()
    exported <- Filter(function(name) is.function(get(name, space)), getNamespaceExports(space))
    found <- list()
    read <- function(name, part) {
      if (!is.call(part)) return()
      head <- if (is.name(part[[1L]])) as.character(part[[1L]]) else ""
      if (head %in% c("estimate", "read_result", "run_program", "look")) {
        first <- part[[2L]]
        if (is.call(first) && identical(first[[1L]], quote(c))) first <- first[[2L]]
        if (is.character(first) && is.null(found[[first]])) found[[first]] <<- name
      }
      for (i in seq_along(part)[-1L]) {
        inner <- part[[i]]
        if (!missing(inner)) read(name, inner)
      }
    }
    for (name in sort(exported)) read(name, body(get(name, space)))
    for (name in exported) found[[gsub("_", "-", sub("^panel_", "panel ", name))]] <- name
    maps$functions <- found
  }
  maps$functions[[command]]
}
