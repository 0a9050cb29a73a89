# Functions by sieves: estimates, standard errors and choices of R npiv 0.1.3 on its own data (Engel95); writes npiv_r.json and
# engel95.csv beside this folder. Run with R 4.2 and npiv 0.1.3 in the library: Rscript tests/golden/generate/npiv.R

suppressMessages(library(npiv))
data(Engel95, package = "npiv")
number <- function(v) paste0("[", paste(ifelse(is.finite(v), sprintf("%.17g", v), "null"), collapse = ","), "]")
word <- function(v) paste0("\"", v, "\"")
object <- function(...) {
  all <- list(...)
  paste0("{", paste(paste0(word(names(all)), ":", unlist(all)), collapse = ","), "}")
}
words <- function(v) paste0("[", paste(word(v), collapse = ","), "]")
list_of <- function(v) paste0("[", paste(v, collapse = ",\n"), "]")

# Six decimals: what is written is what is estimated.
engel <- round(Engel95[, c("food", "fuel", "logexp", "logwages", "nkids")], 6)
write.csv(engel, "tests/golden/engel95.csv", row.names = FALSE, quote = FALSE)
points <- function(names) sapply(names, function(n) as.numeric(quantile(engel[[n]], c(.02, .1, .25, .5, .75, .9, .98))))

cases <- c()
fixed <- list(
  list("food", "logexp", NULL, "tensor", "uniform", 3, 2, 3, 2, 1, 1),
  list("food", "logexp", NULL, "tensor", "quantiles", 3, 5, 3, 5, 1, 2),
  list("food", "logexp", "logwages", "tensor", "uniform", 3, 1, 4, 4, 1, 1),
  list("fuel", "logexp", "logwages", "tensor", "quantiles", 2, 3, 3, 6, 1, 1),
  list("fuel", c("logexp", "logwages"), NULL, "tensor", "quantiles", 2, 2, 2, 2, 2, 1),
  list("food", c("logexp", "logwages"), NULL, "additive", "uniform", 3, 2, 3, 2, 1, 1),
  list("food", c("logexp", "nkids"), c("logwages", "nkids"), "additive", "uniform", 2, 1, 3, 3, 1, 1)
)
for (f in fixed) {
  x <- f[[2]]
  w <- if (is.null(f[[3]])) x else f[[3]]
  # nkids is 0 or 1, so that its points are the ends.
  at <- points(x)
  set.seed(1)
  r <- npiv(engel[[f[[1]]]], as.matrix(engel[, x]), as.matrix(engel[, w]), X.eval = as.matrix(at), basis = f[[4]],
    knots = f[[5]], J.x.degree = f[[6]], J.x.segments = f[[7]], K.w.degree = f[[8]], K.w.segments = f[[9]],
    deriv.index = f[[10]], deriv.order = f[[11]], boot.num = 4999, progress = FALSE)
  cases <- c(cases, object(
    y = word(f[[1]]), x = words(x), w = words(f[[3]])[!is.null(f[[3]])][1], basis = word(f[[4]]), knots = word(f[[5]]), x_degree = f[[6]],
    x_segments = f[[7]], w_degree = f[[8]], w_segments = f[[9]], derivative_index = f[[10]] - 1, derivative_order = f[[11]],
    points = list_of(apply(at, 1, number)), h = number(r$h), se = number(r$asy.se), derivative = number(r$deriv),
    derivative_se = number(r$deriv.asy.se), cv = sprintf("%.17g", r$cv), cv_derivative = sprintf("%.17g", r$cv.deriv)
  ))
}
choices <- c()
for (f in list(
  list("food", "logexp", NULL, "uniform", 3), list("food", "logexp", "logwages", "uniform", 3), list("fuel", "logexp", NULL, "quantiles", 2),
  list("fuel", "logexp", "logwages", "quantiles", 3)
)) {
  w <- if (is.null(f[[3]])) f[[2]] else f[[3]]
  at <- points(f[[2]])
  even <- as.matrix(seq(min(engel[[f[[2]]]]), max(engel[[f[[2]]]]), length.out = 50))
  set.seed(1)
  r <- npiv(engel[[f[[1]]]], engel[[f[[2]]]], engel[[w]], X.eval = even, X.grid = even, knots = f[[4]], J.x.degree = f[[5]],
    boot.num = 2999, progress = FALSE)
  choices <- c(choices, object(
    y = word(f[[1]]), x = words(f[[2]]), w = words(f[[3]])[!is.null(f[[3]])][1], knots = word(f[[4]]), x_degree = f[[5]],
    x_segments = r$J.x.segments, w_segments = r$K.w.segments, h = number(r$h), se = number(r$asy.se), derivative = number(r$deriv),
    derivative_se = number(r$deriv.asy.se), cv = sprintf("%.17g", r$cv), cv_derivative = sprintf("%.17g", r$cv.deriv)
  ))
  cat(f[[1]], f[[3]], r$J.x.segments, r$K.w.segments, r$cv, r$cv.deriv, "\n")
}
empty <- function(text) gsub("\"w\":NA", "\"w\":[]", text)
writeLines(paste0("{\"reference\":\"R npiv 0.1.3\",\"cases\":", empty(list_of(cases)), ",\n\"choices\":", empty(list_of(choices)), "}"),
  "tests/golden/npiv_r.json")
