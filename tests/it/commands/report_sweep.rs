//! Reports of sweeps and of runs side by side, plots as files, the clock beside a run's tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arenite::record::read;
use arenite::view::report::{ReportOptions, report, sweep};
use serde_json::Value;

use crate::cli_tools::{TABLES, arenite, run_well, said};
use crate::commands::report::{between, browse, browser, small, table};
use crate::commands::sweep::MINI;
use crate::records::export::walk;

/// Wider shafts let more disks out in a second; two lengths of the run beside it, three seeds.
const WIDTHS: &str = "scenario = \"mini.toml\"\nname = \"shafts\"\ndescription = \"an <odd> & a </script> in it\"\n\
    seeds = 3\n[grid]\n\"run.end_time\" = [0.12, 0.16]\n\"$width\" = [0.04, 0.06, 0.08, 0.1]\n\
    [derive]\n\"boundary[1].segment.from[0]\" = \"$width\"\n\"boundary[1].segment.to[0]\" = \"$width\"\n\
    \"fill[0].lattice.max[0]\" = \"$width\"\n\
    [study]\nfigures = [\"discharge.count\", \"energy.kinetic\"]\n\
    beverloo = { width = \"$width\", least_grains = 1, rate = \"discharge.mean_rate\" }\n";

/// A folder with a sweep that has run into `out`.
fn ran(text: &str, more: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mini.toml"), MINI).unwrap();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let arguments = ["sweep", "s.toml", "-o", "out", "-q"];
    run_well(folder.path(), &[&arguments[..], more].concat());
    folder
}

/// The rows of `sweep.csv` by the names of its columns.
fn rows(dir: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(dir.join("sweep.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(String::from));
    let heads: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|line| heads.iter().cloned().zip(line).collect())
        .collect()
}

fn stands_alone(html: &str) {
    for (at, _) in html.match_indices("://") {
        assert_eq!(&html[at - 4..at + 22], "http://www.w3.org/2000/svg");
    }
    assert!(!html.contains("src=") && !html.contains("@import") && !html.contains("fetch("));
    assert_eq!(
        html.matches("<script").count(),
        html.matches("</script>").count()
    );
    assert!(html.trim_end().ends_with("</body>\n</html>"));
    assert!(!html.contains("{{"));
    for drawing in between(html, "<svg class=\"plot\"", "</svg>") {
        let text = format!("<svg class=\"plot\"{drawing}</svg>");
        assert!(walk(&text).len() > 10);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn the_page_of_a_sweep_says_what_its_table_says() {
    let folder = ran(WIDTHS, &[]);
    let dir = folder.path().join("out");
    let output = arenite(folder.path(), &["report", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out/report.html\n");
    let html = fs::read_to_string(dir.join("report.html")).unwrap();
    stands_alone(&html);
    assert!(
        html.contains("An &lt;odd&gt; &amp; a &lt;/script&gt; in it.") && !html.contains("<odd>")
    );
    assert!(html.contains("<h1>shafts</h1>") && html.contains(">24<small>"));
    // Both keys are numbers, and all combinations were run: curves along each, and a map.
    let made = sweep(&dir).unwrap();
    let plots = made.plots();
    for plot in [
        "discharge-count-map",
        "discharge-count-by-width",
        "discharge-count-by-run-end-time",
        "energy-kinetic-by-width",
        "beverloo-1",
        "beverloo-line-1",
        "beverloo-2",
    ] {
        assert!(plots.contains(&plot), "{plot} in {plots:?}");
    }
    // No run jams.
    assert!(
        !plots.iter().any(|plot| plot.starts_with("jam")),
        "{plots:?}"
    );
    // Means and errors of three seeds, worked out here.
    let all = rows(&dir);
    let counts = |width: &str, finish: &str| -> Vec<f64> {
        let here = all
            .iter()
            .filter(|row| row["width"] == width && row["run.end_time"] == finish);
        here.map(|row| row["discharge.count"].parse().unwrap())
            .collect()
    };
    let drawn = table(&html, "discharge-count-by-width");
    assert_eq!(drawn["width"], [0.04, 0.06, 0.08, 0.1]);
    for finish in ["0.12", "0.16"] {
        for (k, width) in ["0.04", "0.06", "0.08", "0.1"].iter().enumerate() {
            let values = counts(width, finish);
            assert_eq!(values.len(), 3);
            let mean = values.iter().sum::<f64>() / 3.0;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2.0;
            let error = (variance / 3.0).sqrt();
            let head = format!("discharge.count, run.end_time = {finish}");
            let low = format!("discharge.count from, run.end_time = {finish}");
            // Rounding of sums in another order.
            assert!((drawn[&head][k] - mean).abs() < 1e-12 * mean);
            assert!((drawn[&low][k] - (mean - error)).abs() < 1e-9 * mean);
        }
    }
    let map = table(&html, "discharge-count-map");
    assert_eq!(map["discharge.count"].len(), 8);
    // The law is that of study.json.
    let study: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("study.json")).unwrap()).unwrap();
    let points = study["beverloo"][0]["points"].as_array().unwrap();
    let rates: Vec<f64> = points.iter().map(|p| p["rate"].as_f64().unwrap()).collect();
    assert_eq!(table(&html, "beverloo-1")["discharge.mean_rate"], rates);
    // The tables: heads and all runs.
    let found = between(&html, "<section class=\"table\">", "</section>");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].matches("<tr>").count(), 1 + 8);
    assert_eq!(found[1].matches("<tr>").count(), 1 + 24);
}

#[test]
fn plots_are_written_as_files() {
    let folder = ran(WIDTHS, &[]);
    let output = arenite(folder.path(), &["report", "out", "--plots", "figures"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!folder.path().join("out/report.html").exists());
    small(folder.path(), &[]);
    let output = arenite(folder.path(), &["report", "small", "--plots", "figures"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let made = report(&folder.path().join("small"), &ReportOptions::default()).unwrap();
    let swept = sweep(&folder.path().join("out")).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("figures: {} plots\n", made.drawings.len())
    );
    for drawing in made.drawings.iter().chain(&swept.drawings) {
        let file = |end| {
            folder
                .path()
                .join(format!("figures/{}.{end}", drawing.name()))
        };
        let text = fs::read_to_string(file("svg")).unwrap();
        // Nothing in it waits for a page: colours are given, no script, a size of its own.
        assert!(
            !text.contains("var(") && !text.contains("<script") && text.contains("width=\"500\"")
        );
        let (head, drawn) = text.split_once("?>").unwrap();
        assert!(head.starts_with("<?xml") && walk(drawn.trim()).len() > 10);
        let csv = fs::read_to_string(file("csv")).unwrap();
        assert!(csv.lines().count() > 1, "{}", drawing.name());
        assert!(!csv.contains("NaN"));
    }
    let csv = fs::read_to_string(folder.path().join("figures/discharged.csv")).unwrap();
    let last = csv
        .lines()
        .last()
        .unwrap()
        .split(',')
        .nth(1)
        .unwrap()
        .parse::<f64>()
        .unwrap();
    assert_eq!(
        last,
        table(&made.html, "discharged")["discharged"]
            .last()
            .copied()
            .unwrap()
    );
    assert!(csv.starts_with("time [s],discharged\n"));
    // One or the other.
    let output = arenite(
        folder.path(),
        &["report", "out", "--plots", "figures", "-o", "a.html"],
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn failures_and_missing_runs_are_told() {
    let text = "scenario = \"mini.toml\"\nseeds = 2\n[grid]\n\"fill[0].lattice.radius\" = [0.008, -1.0, 0.006]\n";
    let folder = ran(text, &[]);
    let dir = folder.path().join("out");
    let html = sweep(&dir).unwrap().html;
    assert!(
        html.contains("done; 2 failed") && html.contains("Run 3 failed: "),
        "{}",
        &html[..2000]
    );
    stands_alone(&html);
    // Killed before there was a table: what has a row is shown, where the scenario is found.
    for name in ["sweep.csv", "sweep.parquet", "study.json"] {
        fs::remove_file(dir.join(name)).unwrap();
    }
    let rows: Vec<_> = fs::read_dir(dir.join("rows"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert_eq!(rows.len(), 6);
    fs::remove_file(&rows[0]).unwrap();
    let fails = |words: &str| {
        let output = arenite(folder.path(), &["report", "out"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{}", said(&output));
    };
    fails("the sweep has no table yet, and its scenario is not found from here");
    fs::copy(folder.path().join("mini.toml"), dir.join("mini.toml")).unwrap();
    let html = sweep(&dir).unwrap().html;
    assert!(html.contains("5 of 6 runs so far") && html.contains("5 of 6 runs are there"));
    // Neither a run nor a sweep.
    fs::create_dir(folder.path().join("empty")).unwrap();
    let output = arenite(folder.path(), &["report", "empty"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("empty holds no records of a run"));
    let output = arenite(folder.path(), &["report", "nowhere"]);
    assert!(
        said(&output)
            .contains("there is no folder nowhere; give the folder of a run or of a sweep")
    );
}

/// What the command line sets is part of the sweep: of a part of it, the page knows how much is missing.
#[test]
fn what_the_command_line_set_is_known() {
    let text = "scenario = \"mini.toml\"\nseeds = 4\n";
    let folder = ran(text, &["--set", "log.series=0.02"]);
    let dir = folder.path().join("out");
    fs::copy(folder.path().join("mini.toml"), dir.join("mini.toml")).unwrap();
    let rows: Vec<_> = fs::read_dir(dir.join("rows"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    for name in ["sweep.csv", "sweep.parquet", "study.json"] {
        fs::remove_file(dir.join(name)).unwrap();
    }
    fs::remove_file(&rows[0]).unwrap();
    assert!(sweep(&dir).unwrap().html.contains("3 of 4 runs so far"));
    // Without it the same command is another sweep.
    run_well(folder.path(), &["sweep", "s.toml", "-o", "out", "-q"]);
    assert!(sweep(&dir).unwrap().html.contains("done"));
}

/// Points that are spread, seeds alone, texts: no curve to draw, but a page all the same.
#[test]
fn every_kind_of_sweep_has_a_page() {
    let sampled = "scenario = \"mini.toml\"\n[sample]\ncount = 16\n[sample.keys]\n\
        \"fill[0].lattice.speed\" = { from = 0.1, to = 0.5 }\n\
        \"run.end_time\" = { from = 0.2, to = 0.4 }\n";
    let folder = ran(sampled, &[]);
    let made = sweep(&folder.path().join("out")).unwrap();
    stands_alone(&made.html);
    let dots = table(&made.html, "discharge-count-by-run-end-time");
    assert_eq!(dots["discharge.count"].len(), 16);
    assert_eq!(dots["fill[0].lattice.speed"].len(), 16);
    assert!(!made.plots().contains(&"discharge-count-map"));
    let texts = "scenario = \"mini.toml\"\nseeds = 2\n[grid]\n\"run.integrator\" = [\"verlet\", \"heun\"]\n";
    let made = sweep(&ran(texts, &[]).path().join("out")).unwrap();
    stands_alone(&made.html);
    assert!(made.plots().is_empty() && made.html.contains("verlet"));
    let seeds = "scenario = \"mini.toml\"\nseeds = 5\n";
    let made = sweep(&ran(seeds, &["--keep", "row"]).path().join("out")).unwrap();
    stands_alone(&made.html);
    assert!(made.html.contains("what varies: the seed"));
}

/// Jams: their share along the width, and how many flow out before.
#[test]
fn jams_have_their_curves() {
    let text = "scenario = \"hopper\"\nuntil = 0.4\nseeds = 6\n[grid]\n\"$width\" = [0.03, 0.12]\n\
        [set]\n\"fill[0].lattice.count\" = 60\n\
        [derive]\n\"boundary[2].segment.to[0]\" = \"0.15 - $width / 2\"\n\
        \"boundary[3].segment.to[0]\" = \"0.15 + $width / 2\"\n";
    let folder = ran(text, &[]);
    let made = sweep(&folder.path().join("out")).unwrap();
    let share = table(&made.html, "jam-probability-by-width");
    assert_eq!(share["width"], [0.03, 0.12]);
    // One and a half diameters jam always, six never. Wilson's interval for 6 of 6: from n / (n + z^2).
    assert_eq!(share["jam_probability"], [1.0, 0.0]);
    let z = 1.959_963_984_540_054_f64;
    assert!((share["jam_probability from"][0] - 6.0 / (6.0 + z * z)).abs() < 1e-9);
    let outflow = table(&made.html, "outflow");
    assert_eq!(outflow["share_with_more"].len(), 6);
    assert_eq!(outflow["share_with_more"][5], 0.0);
}

/// The clock has a row for each of the series, goes on over an interruption, and changes nothing else.
#[test]
fn the_clock_stands_beside_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &[]);
    let ticks = read::clock(&dir);
    let series = read::series(&dir).unwrap();
    let times: Vec<f64> = ticks.iter().map(|tick| tick.time).collect();
    assert_eq!(times, series.floats("time").unwrap());
    assert!(
        ticks
            .windows(2)
            .all(|w| w[1].wall >= w[0].wall && w[1].events >= w[0].events)
    );
    let figures: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("summary.json")).unwrap()).unwrap();
    assert!(ticks.last().unwrap().wall < figures["time"]["wall"].as_f64().unwrap() + 5.0);
    assert!(ticks.last().unwrap().wall > 0.0);
    let made = report(&dir, &ReportOptions::default()).unwrap();
    let efficiency = table(&made.html, "efficiency");
    assert_eq!(efficiency["time"], times);
    assert!(efficiency["efficiency"].iter().any(|e| *e > 0.0));
    assert_eq!(table(&made.html, "event-rate-clock")["time"], times);
    // Without it there is all but these two.
    let bytes = |dir: &Path| TABLES.map(|name| fs::read(dir.join(name)).unwrap());
    let first = bytes(&dir);
    fs::remove_file(dir.join("clock.csv")).unwrap();
    let without = report(&dir, &ReportOptions::default()).unwrap();
    assert_eq!(without.drawings.len() + 2, made.drawings.len());
    small(folder.path(), &[]);
    assert!(first == bytes(&dir));
    assert!(dir.join("clock.csv").exists());
    // A folder in its place is no reason to fail.
    fs::remove_file(dir.join("clock.csv")).unwrap();
    fs::create_dir(dir.join("clock.csv")).unwrap();
    small(folder.path(), &["--force"]);
    assert!(first == bytes(&dir));
    // Runs of a sweep share the machine: they have none.
    let swept = ran("scenario = \"mini.toml\"\nseeds = 2\n", &["--keep", "all"]);
    for run in fs::read_dir(swept.path().join("out/runs")).unwrap() {
        assert!(!run.unwrap().path().join("clock.csv").exists());
    }
}

/// An interrupted run goes on with its clock.
#[test]
fn a_clock_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["run", "hopper", "-q", "-o", "run", "--until", "0.2"];
    let output = arenite(
        folder.path(),
        &[&arguments[..], &["--wall-limit", "0.05"]].concat(),
    );
    let first = read::clock(&folder.path().join("run"));
    if output.status.code() == Some(130) {
        run_well(folder.path(), &[&arguments[..], &["--resume"]].concat());
    }
    let ticks = read::clock(&folder.path().join("run"));
    let series = read::series(&folder.path().join("run")).unwrap();
    assert_eq!(ticks.len(), series.rows);
    assert!(
        ticks
            .windows(2)
            .all(|w| w[1].wall >= w[0].wall && w[1].time > w[0].time)
    );
    assert!(ticks.len() >= first.len());
}

#[test]
fn runs_side_by_side_have_a_page() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mini.toml"), MINI).unwrap();
    for (count, name) in [("12", "few"), ("24", "many")] {
        for seed in ["1", "2"] {
            let out = format!("{name}-{seed}");
            let set = format!("fill[0].lattice.count={count}");
            run_well(
                folder.path(),
                &[
                    "run",
                    "mini.toml",
                    "-q",
                    "-o",
                    &out,
                    "--seed",
                    seed,
                    "--set",
                    &set,
                ],
            );
        }
    }
    let output = arenite(
        folder.path(),
        &[
            "compare",
            "few-1",
            "few-2",
            "many-1",
            "many-2",
            "-o",
            "both.html",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "both.html\n");
    let html = fs::read_to_string(folder.path().join("both.html")).unwrap();
    stands_alone(&html);
    let discharged = table(&html, "discharged");
    let series = read::series(&folder.path().join("many-2")).unwrap();
    let last = series
        .integers("discharged")
        .unwrap()
        .last()
        .unwrap()
        .unwrap() as f64;
    assert_eq!(discharged.len(), 5);
    assert_eq!(
        discharged["many-2"]
            .iter()
            .copied()
            .rfind(|v| v.is_finite()),
        Some(last)
    );
    assert!(html.contains("Means over seeds") && html.contains("discharge.count"));
}

/// The pages in a real browser: `cargo test --release --test it report_sweep::in_a_browser -- --ignored`.
#[test]
#[ignore = "needs chromium or chrome on the path"]
fn in_a_browser_nothing_is_complained_of() {
    let folder = ran(WIDTHS, &[]);
    run_well(folder.path(), &["report", "out"]);
    small(folder.path(), &[]);
    run_well(
        folder.path(),
        &["compare", "small", "small", "-o", "both.html"],
    );
    for page in ["out/report.html", "both.html"] {
        let (document, complaints) = browse(browser(), &folder.path().join(page));
        assert_eq!(complaints, "", "{page}");
        assert!(document.contains("data-ready=\"yes\""), "{page}");
        assert!(document.contains("<th><button type=\"button\">"), "{page}");
    }
}
