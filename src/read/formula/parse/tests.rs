use proptest::prelude::*;

use super::parse;

/// Labels of the terms, with `1` for the intercept.
fn terms(text: &str) -> String {
    let parts = parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    let label = |term: &Vec<usize>| {
        let labels: Vec<_> = term.iter().map(|atom| parts.atoms[*atom].label.as_str()).collect();
        labels.join(":")
    };
    let intercept = parts.intercept.then(|| "1".to_owned());
    intercept.into_iter().chain(parts.terms.iter().map(label)).collect::<Vec<_>>().join(" + ")
}

#[test]
fn formulas_expand_as_in_r() {
    let cases = [
        // The intercept.
        ("~ 1", "1"),
        ("1", "1"),
        ("~ x", "1 + x"),
        ("~ 0 + x", "x"),
        ("~ x + 0", "x"),
        ("~ x - 1", "x"),
        ("-1 + x", "x"),
        ("~ +0 + x", "x"),
        ("~ x + -1", "x"),
        ("~ x - 0", "1 + x"),
        ("~ 0 + x + 1", "1 + x"),
        ("~ 1 + x - 1", "x"),
        ("~ (x - 1) + z", "x + z"),
        ("~ x - (z - 1)", "1 + x"),
        ("~ x - (1 + z)", "x"),
        // Sums, duplicates, removal.
        ("a+b+a", "1 + a + b"),
        ("~ a - b + b", "1 + a + b"),
        ("~ a + b - a", "1 + b"),
        ("~ a + b - a + a", "1 + b + a"),
        ("~ (a + b) - (b + c)", "1 + a"),
        // Interactions, sorted by degree; atoms in order of first appearance.
        ("~ a:b", "1 + a:b"),
        ("~ a:b + c", "1 + c + a:b"),
        ("~ b + a:b", "1 + b + b:a"),
        ("~ a:b + b:a", "1 + a:b"),
        ("~ a:a", "1 + a"),
        ("~ a*b", "1 + a + b + a:b"),
        ("~ a*b*c", "1 + a + b + c + a:b + a:c + b:c + a:b:c"),
        ("~ a*b - a", "1 + b + a:b"),
        ("~ a*b - a:b", "1 + a + b"),
        ("~ (a + b):c", "1 + a:c + b:c"),
        ("~ (a + b)*c", "1 + a + b + c + a:c + b:c"),
        ("~ a + b:(c + d)", "1 + a + b:c + b:d"),
        ("~ a:b*c", "1 + c + a:b + a:b:c"),
        ("~ (a + b)^2", "1 + a + b + a:b"),
        ("~ (a + b + c)^2", "1 + a + b + c + a:b + a:c + b:c"),
        ("~ (a + b)^1000000", "1 + a + b + a:b"),
        ("~ (a + b + c)^3 - a:b:c", "1 + a + b + c + a:b + a:c + b:c"),
        // Atoms and their labels.
        ("I( x ^ 2 )+I(x^2)+I(x**2)", "1 + I(x^2)"),
        ("I((x+1)/ -z*2)", "1 + I((x + 1)/-z * 2)"),
        ("log(x+1):I(1e6*z)", "1 + log(x + 1):I(1e+06 * z)"),
        ("exp(sqrt(abs(log1p(log2(log10(x))))))", "1 + exp(sqrt(abs(log1p(log2(log10(x))))))"),
        ("log(I(x))", "1 + log(I(x))"),
        ("C( f ) + factor(f) + f", "1 + C(f) + factor(f) + f"),
        ("`a b` + C(`a b`) + log(`a b`)", "1 + `a b` + C(`a b`) + log(`a b`)"),
        ("`x` + x", "1 + x"),
        ("~ größe + first.treat + .x + _y + x2", "1 + größe + first.treat + .x + _y + x2"),
        ("log + C", "1 + log + C"),
        ("((((x))))", "1 + x"),
        ("~\n  x\t+ z\n", "1 + x + z"),
    ];
    for (text, expected) in cases {
        assert_eq!(terms(text), expected, "{text}");
    }
}

#[test]
fn variables_are_distinct_and_in_order() {
    let cases: [(&str, &[&str]); 5] = [
        ("1", &[]),
        ("log(b) + a*b", &["b", "a"]),
        ("I(z/x) + C(f):x - z", &["z", "x", "f"]),
        ("`a b` + `a b`:x", &["a b", "x"]),
        ("x - w", &["x", "w"]),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text).unwrap().variables, expected, "{text}");
    }
}

#[test]
fn problems_name_token_and_position() {
    let cases = [
        // Not in the grammar.
        ("y ~ x", "`~` at character 3 makes it two-sided"),
        ("~ ~ x", "`~` at character 3 is where a term is expected"),
        ("~ .", "`.` (all columns) at character 3"),
        ("~ . - x", "`.` (all columns) at character 3"),
        ("~ poly(x, 2)", "`poly()` at character 3 is not supported; supported are"),
        ("~ x + offset(z)", "`offset()` at character 7"),
        ("~ ns(x, 3)", "`ns()` at character 3"),
        ("a %in% b", "`%in%` at character 3 is not supported; write an interaction a:b"),
        ("a/b", "`/` at character 2 between terms is not supported; write a + a:b, or I(a/b)"),
        ("x > 1", "`>` at character 3"),
        ("a | b", "`|` at character 3"),
        ("x == 1", "`=` at character 3"),
        ("\"x\"", "`\"` at character 1"),
        ("a % b", "`%` at character 3"),
        // Powers of terms.
        ("~ x^2", "`^` at character 4 would only cross `x` with itself; write I(x^2) for a power"),
        ("~ x**2", "write I(x^2)"),
        ("~ z + log(x)^2", "write I(log(x)^2)"),
        ("~ (x)^2", "write I((x)^2)"),
        ("~ `a b`^2", "write I(`a b`^2)"),
        ("~ (a + b)^1", "after `^` at character 10 must be a whole number from 2"),
        ("~ (a + b)^1.5", "whole number from 2"),
        ("~ (a + b)^c", "whole number from 2"),
        ("~ (a + b)^", "whole number from 2"),
        // Empty pieces.
        ("", "it is empty; write `~ 1`"),
        ("  ", "it is empty"),
        ("~", "it ends at character 2 where a term is expected"),
        ("a +", "it ends at character 4"),
        ("a + + b", "`+` at character 5 is where a term is expected"),
        ("a - - b", "`-` at character 5 is where a term is expected"),
        ("a::b", "`:` at character 3 is where a term is expected"),
        ("* a", "`*` at character 1 is where a term is expected"),
        ("()", "`)` at character 2 is where a term is expected"),
        ("I()", "`)` at character 3 is not supported in arithmetic"),
        ("``", "the backticks at character 1 hold no name"),
        ("~ 0", "leaves neither covariates nor an intercept"),
        ("x - x - 1", "leaves neither covariates nor an intercept"),
        ("(a - a):b", "has no terms"),
        // Brackets.
        ("(a + b", "`(` at character 1 is not closed"),
        ("a + b)", "`)` at character 6 closes nothing"),
        ("log(x", "`(` at character 4 is not closed"),
        ("I((x)", "`(` at character 2 is not closed"),
        ("C(f", "`(` at character 2 is not closed"),
        ("(a b)", "`b` at character 4 does not follow an operator"),
        ("a, b", "`,` at character 2 does not follow an operator"),
        ("a `b", "the backtick at character 3 is not closed"),
        // Numbers.
        ("2", "`2` at character 1 is not a term"),
        ("2 * x", "put arithmetic into I()"),
        ("x + 1:z", "`1` at character 5 is the intercept, which cannot be crossed"),
        ("x * 0", "`0` at character 5 is the intercept"),
        ("2x", "`2` at character 1"),
        ("x + 1e999", "`1e999` at character 5 is not a finite number"),
        // Inside functions.
        ("I(2)", "`I(2)` at character 1 names no column"),
        ("x + exp(1)", "`exp(1)` at character 5 names no column"),
        ("log(x, 2)", "`,` at character 6: `log` takes one argument"),
        ("I(x:z)", "`:` at character 4 is not supported in arithmetic, which takes"),
        ("I(x ~ z)", "`~` at character 5 is not supported in arithmetic"),
        ("I(x %in% z)", "`%in%` at character 5"),
        ("I(x +)", "`)` at character 6 is not supported in arithmetic"),
        ("I(x + .)", "`.` at character 7"),
        ("I(x", "`(` at character 2 is not closed"),
        ("I(", "it ends at character 3 inside arithmetic"),
        ("log(sin(x))", "`sin()` at character 5 is not supported"),
        ("log(C(f))", "`C()` at character 5 is a categorical"),
        ("C(f, sum)", "`C()` at character 1 takes one column name"),
        ("factor(x + 1)", "`factor()` at character 1 takes one column name"),
        ("C()", "`C()` at character 1 takes one column name"),
    ];
    for (text, expected) in cases {
        let problem = parse(text).unwrap_err();
        assert!(problem.contains(expected), "{text}: {problem}");
    }
}

#[test]
fn size_and_depth_are_bounded() {
    let deep = |open: &str, n: usize, close: &str| {
        parse(&format!("{}x{}", open.repeat(n), close.repeat(n))).map(|_| ())
    };
    assert!(deep("(", 60, ")").is_ok());
    assert!(deep("(", 100_000, ")").unwrap_err().contains("nested"));
    assert!(deep("I(", 100_000, ")").unwrap_err().contains("operands"));
    assert!(deep("log(-", 100_000, ")").unwrap_err().contains("operands"));
    assert!(parse(&format!("I(x{})", "^x".repeat(10_000))).unwrap_err().contains("operands"));
    assert!(parse(&format!("x{}", " + x".repeat(100_000))).is_ok());
    let many: Vec<String> = (0..5_000).map(|i| format!("x{i}")).collect();
    assert!(parse(&many.join(" + ")).unwrap_err().contains("more than 4096 terms"));
    assert!(parse(&many[..13].join(" * ")).unwrap_err().contains("more than 4096 terms"));
    assert!(parse(&format!("({})^9", many[..30].join("+"))).unwrap_err().contains("terms"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_sequence_of_tokens_panics(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "~", "+", "-", "*", ":", "^", "/", "(", ")", ",", "**", "%in%", ".", "0", "1", "2", "1.5",
            "x", "y.z", "`a b`", "größe", "log(", "I(", "C(", "factor(", "poly(", " ", "`", "1e", "e5",
        ]),
        0..24,
    )) {
        let _ = parse(&tokens.concat());
    }

    /// What is accepted means the same when written out term by term.
    #[test]
    fn expansion_is_stable(tokens in prop::collection::vec(
        prop::sample::select(vec!["x", "y", "log(z)", "C(f)", "(", ")", "+", "+", "-", "*", ":", "1"]),
        1..16,
    )) {
        if parse(&tokens.concat()).is_ok() {
            let expanded = terms(&tokens.concat());
            let again = if expanded.starts_with('1') { expanded.clone() } else { format!("0 + {expanded}") };
            let sort = |text: &str| {
                let mut atoms: Vec<Vec<String>> = text.split(" + ").map(|term| {
                    let mut atoms: Vec<_> = term.split(':').map(str::to_owned).collect();
                    atoms.sort();
                    atoms
                }).collect();
                atoms.sort();
                atoms
            };
            prop_assert_eq!(sort(&terms(&again)), sort(&expanded));
        }
    }
}
