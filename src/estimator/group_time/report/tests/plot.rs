use std::path::PathBuf;

use crate::Estimate;
use crate::base::error::{DidError, Result};
use crate::base::words::Words;
use crate::estimator::aggregate::Aggregated;
use crate::estimator::aggregate::AggregatedRow;
use crate::estimator::group_time::GroupTimeResult;
use crate::estimator::group_time::report::fixtures;
use crate::group_time::{LeftOut, LeftOutRow};
use crate::report::plot::font::Typeface;
use crate::report::plot::{Colour, PlotGrid, PlotOptions, PlotStyle, layout, raster, scene};

/// A folder that goes away with its value, unless the environment asks to keep the pictures for people to look at.
struct Folder {
    path: PathBuf,
    keep: bool,
}

impl Folder {
    fn new(name: &str) -> Self {
        let kept = std::env::var_os("BURN_DID_PLOTS").map(PathBuf::from);
        let fresh = || std::env::temp_dir().join(format!("burn-did-{}", std::process::id()));
        let keep = kept.is_some();
        let path = kept.unwrap_or_else(fresh).join(name);
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Self { path, keep }
    }

    fn file(&self, name: &str, extension: &str) -> PathBuf {
        self.path.join(name).with_extension(extension)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.keep {
            drop(std::fs::remove_dir_all(&self.path));
        }
    }
}

/// Width and height that the header of a PNG file states.
fn dimensions(png: &[u8]) -> (u32, u32) {
    let number = |i: usize| u32::from_be_bytes([png[i], png[i + 1], png[i + 2], png[i + 3]]);
    assert_eq!(&png[1..4], b"PNG");
    (number(16), number(20))
}

fn event_study(rows: &[(f64, f64, Option<f64>)]) -> Aggregated {
    let mut result = fixtures::dynamic_uniform();
    let row = |&(at, att, se): &(f64, f64, Option<f64>)| AggregatedRow {
        at,
        estimate: Estimate::new(Some(att), se, 2.5),
        reference: false,
    };
    result.rows = rows.iter().map(row).collect();
    result
}

#[test]
fn pictures_have_the_size_asked_for() {
    let folder = Folder::new("size");
    for (name, options, size) in [
        ("default", PlotOptions::new(), (1200, 750)),
        ("small", PlotOptions::new().size(480, 300), (480, 300)),
        ("tall", PlotOptions::new().size(500, 900), (500, 900)),
        ("large", PlotOptions::new().size(2400, 1500), (2400, 1500)),
    ] {
        let path = folder.file(name, "png");
        fixtures::dynamic_uniform().plot_with(&path, &options).expect("a plot");
        assert_eq!(dimensions(&std::fs::read(&path).expect("the file")), size);
    }
}

#[test]
fn every_result_has_a_picture() {
    let folder = Folder::new("results");
    for extension in ["png", "SVG", "pdf"] {
        let path = |name: &str| folder.file(name, extension);
        fixtures::dynamic_uniform().plot(path("dynamic-uniform")).expect("a plot");
        fixtures::dynamic_universal().plot(path("dynamic-universal")).expect("a plot");
        fixtures::group().plot(path("group")).expect("a plot");
        fixtures::calendar().plot(path("calendar")).expect("a plot");
        fixtures::uniform().plot(path("cells-uniform")).expect("a plot");
        fixtures::universal().plot(path("cells-universal")).expect("a plot");
        fixtures::failed().plot(path("cells-failed")).expect("a plot");
    }
    let mut files = std::fs::read_dir(&folder.path).expect("the folder").flatten();
    assert!(files.all(|f| f.metadata().is_ok_and(|m| m.len() > 2000)));
}

#[test]
fn ink_of_points_is_where_it_should_be() {
    let (options, face) = (PlotOptions::default(), Typeface::load().expect("the font"));
    let result = fixtures::dynamic_universal();
    let chart = result.chart(&options).expect("a chart");
    let scene = layout::scene(&chart, &options, &face).expect("a scene");
    let pixels = raster::pixels(&scene, &face).expect("pixels");
    let count = |c: Colour| pixels.chunks(3).filter(|p| *p == [c.0, c.1, c.2]).count();
    assert!(count(options.pre) > 500 && count(options.post) > 500);
}

/// Start and end of a text along its direction, and the room the page has in it.
fn span(text: &scene::Text, face: &Typeface, scene: &scene::Scene) -> (f64, f64, f64) {
    let width = face.width(&text.words, text.size);
    let before = match text.anchor {
        scene::Anchor::Start => 0.0,
        scene::Anchor::Middle => width / 2.0,
        scene::Anchor::End => width,
    };
    let (at, room) =
        if text.upright { (text.at.y, scene.height) } else { (text.at.x, scene.width) };
    (at - before, at - before + width, f64::from(room))
}

#[test]
fn texts_stay_inside_the_page() {
    let face = Typeface::load().expect("the font");
    let words = PlotOptions::new().title("Effects on wages ".repeat(9)).y_label("y".repeat(99));
    for options in [PlotOptions::new(), PlotOptions::new().size(240, 160), words.size(700, 500)] {
        let charts = [
            fixtures::universal().chart(&options),
            fixtures::dynamic_uniform().chart(&options),
            fixtures::group().chart(&options),
        ];
        for chart in charts {
            let scene = layout::scene(&chart.expect("a chart"), &options, &face);
            let scene = scene.expect("a scene");
            for shape in &scene.shapes {
                let scene::Shape::Text(text) = shape else { continue };
                let (start, end, room) = span(text, &face, &scene);
                assert!(start >= 0.0 && end <= room + 1.0, "{}", text.words);
            }
        }
    }
}

#[test]
fn svg_escapes_names_and_keeps_colours() {
    let options =
        PlotOptions::new().title("a < b & \"c\"\n").pre(Colour(1, 2, 3)).band(Colour(9, 8, 7));
    let svg = fixtures::dynamic_uniform().to_svg(&options).expect("a plot");
    assert!(svg.starts_with("<svg width=\"1200\" height=\"750\" viewBox=\"0 0 12000 7500\""));
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;\n"));
    assert!(svg.contains("#010203") && svg.contains("#090807") && svg.contains("#0072B2"));
    assert!(svg.contains("95% uniform band") && svg.contains("−0.05"));
    let svg = fixtures::dynamic_uniform().to_svg(&options.show_band(false)).expect("a plot");
    assert!(!svg.contains("#090807") && !svg.contains("uniform band"));
    let svg = fixtures::group().to_svg(&PlotOptions::new().show_legend(false)).expect("a plot");
    assert!(!svg.contains("Overall"));
}

#[test]
fn what_is_hidden_takes_no_room() {
    let has_band = |options: &PlotOptions| {
        let chart = fixtures::dynamic_uniform().chart(options).expect("a chart");
        chart.facets[0].rows.iter().any(|row| row.band_lower.or(row.band_upper).is_some())
    };
    assert!(has_band(&PlotOptions::new()));
    assert!(!has_band(&PlotOptions::new().show_band(false)));
}

#[test]
fn pictures_have_the_words_of_tables() {
    let options = PlotOptions::new();
    let (mut cells, mut group) = (fixtures::uniform(), fixtures::group());
    let title = |cells: &GroupTimeResult| cells.chart(&options).expect("a chart").title;
    assert_eq!(title(&cells), "Group-Time Average Treatment Effects");
    assert!(group.to_svg(&options).expect("a plot").contains("Overall ATT ("));
    cells.settings.estimator = fixtures::ddd();
    assert_eq!(title(&cells), cells.to_table().title);
    cells.settings.estimator = fixtures::slopes();
    group.settings.estimator = fixtures::slopes();
    assert_eq!(title(&cells), "Group-Time Average Causal Responses");
    let svg = group.to_svg(&options).expect("a plot");
    assert!(svg.contains("Overall ACRT (") && !svg.contains("ATT"), "{svg}");
}

#[test]
fn every_style_has_a_picture() {
    let folder = Folder::new("styles");
    let mut gap = fixtures::dynamic_universal();
    gap.rows[5].estimate = Estimate::default();
    for style in PlotStyle::WORDS.iter().map(|word| word.value) {
        let options = PlotOptions::new().style(style).grid(PlotGrid::Both).show_caps(true);
        let path = |name: &str| folder.file(&format!("{name}-{style}"), "png");
        fixtures::dynamic_uniform().plot_with(path("uniform"), &options).expect("a plot");
        gap.plot_with(path("gap"), &options).expect("a plot");
        fixtures::universal().plot_with(path("cells"), &options).expect("a plot");
        fixtures::group().plot_with(path("group"), &options).expect("a plot");
    }
}

/// The scene of an event study.
fn drawn(result: &Aggregated, options: &PlotOptions) -> scene::Scene {
    let face = Typeface::load().expect("the font");
    let chart = result.chart(options).expect("a chart");
    layout::scene(&chart, options, &face).expect("a scene")
}

/// Where a scene has upright dashes.
fn upright(scene: &scene::Scene) -> Vec<f64> {
    let dashes = scene.shapes.iter().filter_map(|shape| match shape {
        scene::Shape::Line { from, to, width, .. } => {
            let short = from.x == to.x && to.y - from.y <= 6.0 && *width < 1.3;
            (short && to.y > from.y).then_some(from.x)
        }
        _ => None,
    });
    let mut places: Vec<f64> = dashes.collect();
    places.dedup();
    places
}

#[test]
fn a_line_stands_between_before_and_after_treatment() {
    let options = PlotOptions::new();
    for result in [fixtures::dynamic_uniform(), fixtures::dynamic_universal()] {
        assert_eq!(result.chart(&options).expect("a chart").facets[0].treatment, Some(-0.5));
        let without = options.clone().show_treatment(false);
        let [with, without] = [&options, &without].map(|o| upright(&drawn(&result, o)).len());
        assert_eq!(with, without + 1);
    }
    assert_eq!(fixtures::group().chart(&options).expect("a chart").facets[0].treatment, None);
    let cells = fixtures::uniform().chart(&options).expect("a chart");
    let at: Vec<_> = cells.facets.iter().map(|facet| facet.treatment).collect();
    assert_eq!(at, [None, Some(2005.5), Some(2006.5)]);
}

#[test]
fn overall_effects_have_their_interval() {
    let options = PlotOptions::new();
    let result = fixtures::dynamic_uniform();
    let svg = result.to_svg(&options).expect("a plot");
    assert!(svg.contains("Overall ATT (−0.0804), 95% interval"), "{svg}");
    let overall = result.chart(&options).expect("a chart").facets[0].overall.expect("an average");
    assert_eq!(overall.interval, result.overall.ci_lower.zip(result.overall.ci_upper));
    let svg = result.to_svg(&options.show_overall(false)).expect("a plot");
    assert!(!svg.contains("Overall"));
}

#[test]
fn nothing_is_absent_without_a_word() {
    let mut result = fixtures::dynamic_universal();
    result.rows.remove(7);
    let row = |at, share| LeftOutRow { at, share };
    result.left_out = Some(LeftOut {
        share: 0.4,
        of: 12,
        cells: Vec::new(),
        groups: Vec::new(),
        rows: vec![row(1.0, 0.3), row(3.0, 1.0)],
    });
    let folder = Folder::new("left-out");
    for style in PlotStyle::WORDS.iter().map(|word| word.value) {
        let options = PlotOptions::new().style(style);
        let chart = result.chart(&options).expect("a chart");
        assert_eq!(
            (&chart.facets[0].failed[..], &chart.facets[0].partial[..]),
            (&[3.0][..], &[1.0][..])
        );
        let svg = result.to_svg(&options).expect("a plot");
        assert!(svg.contains("No estimate") && svg.contains("Without some of its cells"), "{svg}");
        result.plot_with(folder.file(style.word(), "png"), &options).expect("a plot");
    }
}

#[test]
fn styles_have_their_shapes_in_svg() {
    let result = fixtures::dynamic_universal();
    let count = |style: PlotStyle, name: &str| {
        let options = PlotOptions::new().style(style).show_legend(false).show_overall(false);
        let svg = result.to_svg(&options).expect("a plot");
        let document = roxmltree::Document::parse(&svg).expect("XML");
        document.descendants().filter(|node| node.tag_name().name() == name).count()
    };
    // A point each, and the white middle of the reference.
    assert_eq!(count(PlotStyle::Points, "circle"), result.rows.len() + 1);
    assert_eq!(count(PlotStyle::Points, "polygon"), 0);
    // A bar each.
    let [bars, points] = [PlotStyle::Bars, PlotStyle::Points].map(|style| count(style, "rect"));
    assert_eq!(bars, points + result.rows.len());
    // A piece of line between neighbours, and an area before and one after treatment.
    assert_eq!(count(PlotStyle::Line, "polygon"), result.rows.len() - 1);
    assert_eq!(count(PlotStyle::Ribbon, "polygon"), result.rows.len() - 1 + 2);
}

#[test]
fn letters_and_ticks_follow_the_options() {
    let folder = Folder::new("letters");
    let options = PlotOptions::new().text_scale(1.5).y_ticks(4).x_ticks(3);
    let result = fixtures::dynamic_uniform();
    result.plot_with(folder.file("large", "png"), &options).expect("a plot");
    let ticks = |options: &PlotOptions| {
        let words = |shape: &scene::Shape| match shape {
            scene::Shape::Text(text) => text.words.replace('−', "-").parse::<f64>().ok(),
            _ => None,
        };
        drawn(&result, options).shapes.iter().filter_map(words).count()
    };
    assert!(ticks(&options) < ticks(&PlotOptions::new()));
    assert_eq!(ticks(&PlotOptions::new().y_ticks(5)), 7 + 7);
}

#[test]
fn awkward_results_are_drawn() {
    let folder = Folder::new("awkward");
    let many = (-60..60).map(|e| (f64::from(e), f64::from(e).sin(), Some(0.2))).collect::<Vec<_>>();
    let cases = [
        ("one", vec![(0.0, 0.0, None)]),
        ("no-error", vec![(-1.0, 0.3, None), (0.0, 0.5, None), (1.0, -2.0, Some(1e-9))]),
        ("halves", vec![(-1.5, 0.3, Some(0.1)), (-0.5, 0.1, Some(0.1)), (0.5, 0.7, Some(0.2))]),
        ("huge", vec![(-1.0, 3e12, Some(1e12)), (0.0, -4e12, Some(2e12))]),
        ("tiny", vec![(-1.0, 3e-9, Some(1e-9)), (0.0, -4e-9, Some(2e-9))]),
        ("endless", vec![(0.0, 1.0, Some(f64::INFINITY)), (1.0, 2.0, Some(f64::NAN))]),
        ("far", vec![(-1e9, 1.0, Some(1.0)), (1e9, 2.0, Some(0.5))]),
        ("many", many),
    ];
    for (name, rows) in cases {
        for extension in ["png", "svg"] {
            let path = folder.file(name, extension);
            event_study(&rows).plot(path).expect(name);
        }
    }
}

#[test]
fn many_cohorts_get_a_grid() {
    let groups: Vec<f64> = (0..23).map(|g| f64::from(1990 + g)).collect();
    let cell = |g: f64, t: f64| (g, t, 0.02 * (t - g).max(0.0) + 0.01 * t.sin(), Some(0.03));
    let cells: Vec<_> =
        groups.iter().flat_map(|&g| groups.iter().map(move |&t| cell(g, t))).collect();
    let result = fixtures::att_gt(&cells, 3.1, fixtures::uniform().settings.inference);
    result.plot(Folder::new("cohorts").file("cohorts", "png")).expect("a plot");
    let svg = result.to_svg(&PlotOptions::new()).expect("a plot");
    assert!(groups.iter().all(|g| svg.contains(&format!("Group {g}\n"))));
    let small = result.to_svg(&PlotOptions::new().size(300, 200)).expect_err("too small");
    assert_eq!(
        small.to_string(),
        "plot: 23 panels do not fit; set a larger size or smaller letters (`text_scale`)"
    );
}

#[test]
fn errors_say_what_to_do() {
    let result = fixtures::group();
    let message = |r: Result<()>| r.expect_err("an error").to_string();
    assert_eq!(message(result.plot("a.gif")), "plot: a.gif must end in .png, .svg or .pdf");
    assert_eq!(message(result.plot("plot")), "plot: plot must end in .png, .svg or .pdf");
    for path in ["no-such-folder/a.png", "no-such-folder/a.svg", "no-such-folder/a.pdf"] {
        assert!(matches!(result.plot(path), Err(DidError::Io { path: p, .. }) if p == path));
    }
    let tiny = PlotOptions::new().size(10, 10);
    assert!(message(result.plot_with("a.png", &tiny)).contains("200 × 150"));
    assert!(message(fixtures::simple().plot("a.png")).contains("single number"));
    let mut empty = fixtures::uniform();
    empty.cells.clear();
    assert_eq!(message(empty.plot("a.svg")), "plot: there is no estimate to draw");
    assert!(message(event_study(&[(0.0, 1e300, None)]).plot("a.svg")).contains("too large"));
}
