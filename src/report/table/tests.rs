use super::*;

fn table() -> Table {
    let strings = |cells: &[&str]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
    let row = strings(&["50% & {a_b}\n|", "-1.5*", "(x)"]);
    Table {
        title: "T_1 \\ [~^]".into(),
        align: vec![Align::Left, Align::Centre, Align::Mark],
        sections: vec![
            Section { caption: None, header: strings(&["", "A-1", ""]), rows: vec![row] },
            Section { rows: vec![strings(&["n", "-7"])], ..Section::default() },
        ],
        notes: vec![
            "`*' is <b>".into(),
            String::new(),
            "$ from -3 to (-4), \"pre\"-test #1".into(),
        ],
        ..Table::default()
    }
}

#[test]
fn text_is_aligned() {
    let expected = "\
T_1 \\ [~^]

                  A-1
 50% & {a_b} |  -1.5* (x)
-------------------------
 n                 -7
---
`*' is <b>

$ from -3 to (-4), \"pre\"-test #1
";
    assert_eq!(table().to_string(), expected);
}

#[test]
fn wide_letters_take_two_places() {
    let section = Section::new(["id", "n"]).row(["東京", "1"]).row(["e\u{301}te", "23"]);
    let mut table = Table::new("").section(section);
    table.align = vec![Align::Left];
    let expected = " id     n\n 東京   1\n e\u{301}te   23\n";
    assert_eq!(table.to_string(), expected);
}

#[test]
fn long_tables_go_on_on_the_next_page() {
    let section = |rows: usize| {
        let row = |number: usize| vec![number.to_string()];
        Section { header: vec!["n".into()], rows: (1..=rows).map(row).collect(), caption: None }
    };
    let table = |sections: Vec<Section>| Table {
        label: Some("t".into()),
        sections,
        notes: vec!["A note".into()],
        ..Table::new("T")
    };
    assert!(table(vec![section(39)]).to_latex().starts_with("\\begin{table}"));
    let one = table(vec![section(40)]).to_latex();
    let head = "\\begin{longtable}{r}\n\\caption{T}\\label{tab:t} \\\\\n\\toprule\nn \\\\\n\\midrule\n\\endfirsthead\n\\toprule\nn \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n1 \\\\\n";
    assert!(one.starts_with(head), "{one}");
    let end = "40 \\\\\n\\end{longtable}\n\\par\\smallskip\n";
    assert!(one.contains(end), "{one}");
    let several = table(vec![section(30), section(30)]).to_latex();
    assert_eq!(several.matches("\\begin{longtable}").count(), 1, "{several}");
    assert!(
        several.contains(
            "\\toprule\n\\endfirsthead\n\\toprule\n\\endhead\n\\bottomrule\n\\endfoot\nn \\\\\n"
        ),
        "{several}"
    );
    assert!(!several.contains("addtocounter"), "{several}");
    // Blocks of other columns follow without a caption, and have no number.
    let other = Section { header: vec!["a".into(), "b".into()], ..section(0) };
    let other = other.row(["1", "2"]);
    let blocks = table(vec![section(45), other]).to_latex();
    assert_eq!(blocks.matches("\\caption").count(), 1, "{blocks}");
    let begun = blocks.matches("\\begin{longtable}").count();
    assert_eq!(blocks.matches("\\addtocounter{table}{-1}").count(), begun - 1, "{blocks}");
    let bare = Table { label: None, ..table(vec![section(40)]) };
    let bare = Table { title: String::new(), ..bare }.to_latex();
    assert!(bare.contains("\\end{longtable}\n\\addtocounter{table}{-1}\n"), "{bare}");
    assert!(!bare.contains("endfirsthead"), "{bare}");
    assert!(several.contains("30 \\\\\n\\midrule\nn \\\\\n\\midrule\n1 \\\\\n"), "{several}");
}

#[test]
fn markdown_is_escaped() {
    let expected = "\
**T\\_1 \\\\ \\[\\~^\\]**

|  | A-1 |  |
|:---|:---:|:---|
| 50% \\& {a\\_b} \\| | -1.5\\* | (x) |
| n | -7 |  |

- \\`\\*' is \\<b\\>
- \\$ from -3 to (-4), \"pre\"-test \\#1
";
    assert_eq!(table().to_markdown(), expected);
}

#[test]
fn latex_is_escaped() {
    let expected = r"\begin{table}[htbp]
\centering
\caption{T\_1 \textbackslash{} {[}\textasciitilde{}\textasciicircum{}{]}}
\begin{tabular}{lc@{\,}l}
\toprule
 & A-1 &  \\
\midrule
50\% \& \{a\_b\} \textbar{} & $-$1.5$^{*}$ & (x) \\
\midrule
n & $-$7 &  \\
\bottomrule
\end{tabular}
\par\smallskip
\begin{minipage}{\linewidth}\footnotesize
`*' is \textless{}b\textgreater{}\par
\$ from $-$3 to ($-$4), \char34{}pre\char34{}-test \#1\par
\end{minipage}
\end{table}
";
    assert_eq!(table().to_latex(), expected);
}

#[test]
fn hyphens_stay_hyphens_in_latex() {
    let latex = Table::new("a--b").note("burn-did att-gt --alp -0.1 ---x").to_latex();
    assert!(latex.contains("\\caption{a-{}-b}\n"), "{latex}");
    assert!(latex.contains("\nburn-did att-gt -{}-alp $-$0.1 -{}-{}-x\\par\n"), "{latex}");
}

#[test]
fn quotes_stay_straight_and_powers_are_raised_in_latex() {
    let section = Section::new(["x"]).row(["-1.427e-5"]).row(["2e9*"]);
    let latex =
        Table::new("").section(section).note("Sant'Anna: burn-did --xname '~ lpop'").to_latex();
    for line in [
        "\n$-1.427\\times10^{-5}$ \\\\\n",
        "\n$2\\times10^{9}$$^{*}$ \\\\\n",
        "\nSant'Anna: burn-did -{}-xname \\textquotesingle{}\\textasciitilde{} lpop\\textquotesingle{}\\par\n",
    ] {
        assert!(latex.contains(line), "{line}{latex}");
    }
}

#[test]
fn ragged_and_empty_tables_do_not_panic() {
    let mut ragged = table();
    ragged.sections[0].rows.push(Vec::new());
    ragged.align.clear();
    assert_eq!(ragged.to_markdown().matches('|').count(), 4 * 5 + 1);
    let empty = Table::default();
    assert_eq!(empty.to_string() + &empty.to_markdown(), "");
    assert!(empty.to_latex().starts_with("\\begin{table}"));
}

#[test]
fn references_with_a_colon_stand_as_they_are() {
    let label = |label: &str| Table { label: Some(label.into()), ..table() }.to_latex();
    assert!(label("Main results").contains("\\label{tab:main-results}\n"));
    assert!(label("tab:main_results").contains("\\label{tab:main_results}\n"));
    assert!(label("a:}b").contains("\\label{tab:a-b}\n"));
}

#[test]
fn numbers_are_aligned_by_siunitx() {
    let section = Section::new(["", "A", "B"])
        .row(["x_1", "-0.0804**", "12.5"])
        .row(["", "(0.0201)", "[-1.5, 2.5]"])
        .row(["n", "500", ""]);
    let table = Table::new("T").section(section).siunitx(true);
    let latex =
        Table { align: vec![Align::Left, Align::Centre, Align::Centre], ..table }.to_latex();
    for line in [
        "\n & {A} & {B} \\\\\n",
        "\nx\\_1 & -0.0804^{**} & 12.5 \\\\\n",
        "\n & (0.0201) & {{[}$-$1.5, 2.5{]}} \\\\\n",
        "\nn & {500} &  \\\\\n",
    ] {
        assert!(latex.contains(line), "{line}{latex}");
    }
    assert!(latex.contains("{l*{2}{S[parse-numbers=false"), "{latex}");
}

#[test]
fn latex_has_powers_of_ten_in_intervals_too() {
    let cells = ["4.2584e11*", "(1.1610e11)", "[-1.98e-9, 6.5e11]", "x1e5 (2e)"];
    let section = Section {
        header: cells.map(|_| String::new()).to_vec(),
        rows: vec![cells.map(str::to_owned).to_vec()],
        ..Section::default()
    };
    let latex = Table::new("").section(section).to_latex();
    for cell in [
        r"$4.2584\times10^{11}$$^{*}$",
        r"($1.1610\times10^{11}$)",
        r"{[}$-1.98\times10^{-9}$, $6.5\times10^{11}$]",
        "x1e5 (2e)",
    ] {
        assert!(latex.contains(cell), "{cell} is not in {latex}");
    }
}
