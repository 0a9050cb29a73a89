use crate::estimator::group_time::report::fixtures;

#[test]
fn cells_with_a_uniform_band() {
    let expected = "\
Group-Time Average Treatment Effects

 Group  Time  ATT(g,t)  Std. Error  [95% Uniform  Conf. Band]
  2004  2004   -0.0145      0.0231       -0.0758       0.0467
  2004  2005   -0.0764      0.0303       -0.1567       0.0039
  2004  2006   -0.1404      0.0381       -0.2416      -0.0393 *
  2004  2007   -0.1069      0.0345       -0.1984      -0.0154 *
  2006  2004   -0.0005      0.0226       -0.0604       0.0595
  2006  2005   -0.0062      0.0190       -0.0566       0.0442
  2006  2006    0.0010      0.0197       -0.0513       0.0532
  2006  2007   -0.0413      0.0199       -0.0940       0.0114
  2007  2004    0.0267      0.0142       -0.0110       0.0645
  2007  2005   -0.0046      0.0156       -0.0460       0.0368
  2007  2006   -0.0284      0.0184       -0.0773       0.0204
  2007  2007   -0.0288      0.0169       -0.0735       0.0159
---
Signif. codes: `*' confidence band does not cover 0

P-value for pre-test of parallel trends assumption: 0.23267
Control Group: Never Treated, Anticipation Periods: 0, Base Period: Varying
Estimation Method: Doubly Robust, Outcome: lemp, Covariates: ~ lpop
Units: 500, Rows: 2500 (balanced panel)
Std. Errors: multiplier bootstrap (Mammen, 20000 draws, seed 42)
";
    assert_eq!(fixtures::uniform().to_string(), expected);
}

#[test]
fn failed_and_reference_cells() {
    let expected = "\
Group-Time Average Treatment Effects

 Group  Time  ATT(g,t)  Std. Error  [95% Pointwise  Conf. Band]
  2004  2003    0.0000          NA              NA           NA
  2004  2004   -0.0105      0.0233         -0.0561       0.0351
  2004  2005        NA          NA              NA           NA (1)
  2004  2006        NA          NA              NA           NA (1)
  2004  2007        NA          NA              NA           NA (2)
---
Signif. codes: `*' confidence band does not cover 0
(1) no comparison units in period 2006
(2) no treated unit has positive weight

Control Group: Never Treated, Anticipation Periods: 0, Base Period: Universal
Estimation Method: Doubly Robust, Outcome: lemp, Covariates: ~ 1
Units: 500, Rows: 2500 (balanced panel)
Std. Errors: analytic, clustered by state (29 clusters)
Warning: dropped 3 rows with missing or infinite values (3 for `lemp`)
";
    assert_eq!(fixtures::failed().to_string(), expected);
}

#[test]
fn event_study() {
    let expected = "\
Average Effects by Length of Exposure

Overall summary of ATTs based on event-study/dynamic aggregation:
                  ATT  Std. Error  [95% Pointwise  Conf. Int.]
              -0.0804      0.0201         -0.1198      -0.0409 *

Dynamic Effects:
 Event time  Estimate  Std. Error    [95% Uniform  Conf. Band]
         -3    0.0267      0.0142         -0.0093       0.0628
         -2   -0.0036      0.0131         -0.0368       0.0296
         -1   -0.0232      0.0147         -0.0606       0.0141
          0   -0.0211      0.0118         -0.0509       0.0088
          1   -0.0530      0.0164         -0.0947      -0.0114 *
          2   -0.1404      0.0375         -0.2355      -0.0454 *
          3   -0.1069      0.0343         -0.1937      -0.0201 *
---
Signif. codes: `*' confidence band does not cover 0

Control Group: Never Treated, Anticipation Periods: 0, Base Period: Varying
Estimation Method: Doubly Robust, Outcome: lemp, Covariates: ~ lpop
Units: 500, Rows: 2500 (balanced panel)
Std. Errors: multiplier bootstrap (Mammen, 20000 draws, seed 42)
";
    assert_eq!(fixtures::dynamic_uniform().to_string(), expected);
}

#[test]
fn simple_average() {
    let text = fixtures::simple().to_string();
    let expected = "\
Average Effect of Participating in the Treatment

     ATT  Std. Error  [95% Pointwise  Conf. Int.]
 -0.0400      0.0120         -0.0635      -0.0164 *
---
";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn pointwise_bands_are_called_so() {
    let text = fixtures::calendar().to_string();
    assert!(text.contains("Time  Estimate  Std. Error  [95% Pointwise  Conf. Band]"), "{text}");
    let mut result = fixtures::universal();
    result.settings.inference.alpha = 0.1;
    result.settings.weights = Some("pop".into());
    result.settings.layout = crate::read::panel::Layout::RepeatedCrossSections;
    let text = result.to_string();
    assert!(text.contains("[90% Pointwise"), "{text}");
    assert!(text.contains("Rows: 2500 (repeated cross sections), Weights: pop"), "{text}");
}

#[test]
fn latex_and_markdown_carry_the_same_rows() {
    let (latex, markdown) = (fixtures::group().to_latex(), fixtures::group().to_markdown());
    assert!(latex.contains(
        "2004 & $-$0.0846$^{*}$ & {[}$-$0.1448, $-$0.0244{]} \\\\\n & (0.0273) &  \\\\\n"
    ));
    assert!(
        latex.contains("\\caption{Average Effects by Group: lemp}\n\\label{tab:att-gt-group}\n")
    );
    assert!(latex.contains("Covariates: \\textasciitilde{} 1\\par"));
    assert!(
        markdown.contains("| 2004 | -0.0846\\* | \\[-0.1448, -0.0244\\] |\n|  | (0.0273) |  |\n")
    );
    assert!(
        markdown.contains("*Group Effects:*\n\n| Group | Estimate | 95% uniform confidence band |")
    );
    for text in [latex, markdown] {
        assert!(text.contains("Standard errors in parentheses") && !text.contains("Conf. Band"));
    }
}
