//! Pictures of group-time effects: `--plot` and `burn-did plot`.

use std::fs;

use crate::run::*;

#[test]
fn plots_are_written() {
    let (saved, png, svg) = (temporary("plot.json"), temporary("es.png"), temporary("es.svg"));
    stdout(&mpdta(&["--aggregate", "dynamic", "--plot", &png, "--save", &saved]));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));

    let draw = ["plot", &saved, "--out", &svg, "--title", "Teen employment"];
    let size = ["--width", "640", "--height", "480", "--x-label", "Years", "--y-label", ""];
    let drawn = |more: &[&str]| {
        stdout(&[&draw[..], &size, more].concat());
        fs::read_to_string(&svg).unwrap()
    };
    let event_study = drawn(&["--aggregate", "dynamic"]);
    assert!(event_study.contains("640") && event_study.contains("<svg"));
    assert_ne!(drawn(&["--aggregate", "group"]), event_study);
    assert_ne!(drawn(&[]), event_study);
    stdout(&["aggregate", &saved, "--aggregate", "calendar", "--plot", &svg]);
    failure(2, &["plot", &saved, "--out", &svg, "--aggregate", "simple"]);
    failure(2, &["plot", &saved, "--out", "es.gif"]);
    failure(2, &["plot", &saved, "--out", &svg, "--width", "640"]);
    failure(2, &["plot", &saved, "--out", &svg, "--width", "5", "--height", "5"]);
}

#[test]
fn commands_that_estimate_take_the_options_of_pictures() {
    let [svg, saved] = [temporary("options.svg"), temporary("options.json")];
    let fit = ["--aggregate", "dynamic", "--plot", &svg, "--save", &saved];
    let words = ["--title", "Teen employment", "--x-label", "Years", "--y-label", ""];
    let looks = ["--style", "ribbon", "--grid", "both", "--colours", "#102030,#405060"];
    let parts = ["--hide", "overall,treatment,legend", "--y-ticks", "4"];
    let all = [&words[..], &looks, &parts].concat();
    stdout(&mpdta(&[&fit[..], &all].concat()));
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(drawn.contains("Teen employment") && drawn.contains("#405060"), "{drawn}");
    assert!(!drawn.contains("Overall") && !drawn.contains("lemp"), "{drawn}");

    let again = temporary("options-again.svg");
    let plot = ["plot", &saved, "--out", &again, "--aggregate", "dynamic"];
    stdout(&[&plot[..], &all].concat());
    assert_eq!(fs::read_to_string(&again).unwrap(), drawn);
    let average = ["aggregate", &saved, "--aggregate", "dynamic", "--plot", &again];
    stdout(&[&average[..], &all].concat());
    assert_eq!(fs::read_to_string(&again).unwrap(), drawn);

    let pdf = temporary("options.pdf");
    stdout(&["plot", &saved, "--out", &pdf, "--aggregate", "dynamic"]);
    let document = fs::read(&pdf).unwrap();
    assert!(document.starts_with(b"%PDF-") && document.ends_with(b"%%EOF"));
}

#[test]
fn what_cannot_be_formed_is_not_replaced_in_the_picture() {
    let (saved, picture) = (temporary("replaced.json"), temporary("replaced.svg"));
    stdout(&mpdta(&["--save", &saved]));
    let failing = ["--aggregate", "dynamic:min_e=9", "--plot", &picture];
    for more in [&[][..], &["--quiet"], &["--format", "json"], &["--aggregate", "group"]] {
        let done = burn_did(&mpdta(&[&failing[..], more].concat()));
        assert_eq!(done.status.code(), Some(1), "{more:?}");
        let said = text(&done.stderr);
        assert!(said.starts_with("error: aggregate dynamic:min_e=9: no event time"), "{said}");
        assert!(!done.stdout.is_empty(), "the results are written");
    }
    for more in ["group", "calendar", "simple", "dynamic"] {
        let args = [&["aggregate", &saved][..], &failing, &["--aggregate", more]].concat();
        let done = burn_did(&args);
        assert_eq!(done.status.code(), Some(1), "{more}");
        let said = text(&done.stderr);
        assert!(said.contains("error: aggregate dynamic:min_e=9: no event time"), "{said}");
        assert!(!done.stdout.is_empty(), "the results are written");
    }
    assert!(!std::path::Path::new(&picture).exists());
    // Two that are no event study: the cells are drawn, and without cells nothing is.
    let two = ["--aggregate", "group", "--aggregate", "calendar", "--plot", &picture];
    stdout(&mpdta(&two));
    let cells = fs::read_to_string(&picture).unwrap();
    assert!(cells.contains("Group-Time Average Treatment Effects"), "{cells}");
    let message = failure(2, &[&["aggregate", &saved][..], &two].concat());
    assert!(message.contains("--plot needs a dynamic aggregate"), "{message}");
}
