//! `arenite report`: a page that stands alone, whose plots and animation say what the tables say.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use arenite::event::Regime;
use arenite::record::read::{self, Snapshot, Snapshots};
use arenite::record::{BodyRef, GrainRow, LinkRow, RunFolder, Sink, Status};
use arenite::view::report::{Report, ReportOptions, report};
use serde_json::Value;

use crate::cli_tools::{arenite, run_well, said};
use crate::record_sample::{feed, meta, summary};
use crate::records::export::walk;

/// Sixty disks fall through a hole in a floor while a paddle swings, and a gate opens.
const SMALL: &str = "name = \"small\"\ndescription = \"an <odd> & a </script> in it\"\ndimension = 2\nseed = 1\n\
    [field]\ngravity = [0.0, -9.8]\n\
    [run]\nend_time = 0.6\noutlet_interval = 0.002\n[log]\nseries = 0.01\nsnapshots = 0.03\n\
    [[boundary]]\nname = \"box\"\nmaterial = \"thesis-wall\"\n\
    polyline = { points = [[0.06, 0.0], [0.0, 0.0], [0.0, 0.6]] }\n\
    [[boundary]]\nname = \"other\"\nmaterial = \"thesis-wall\"\n\
    polyline = { points = [[0.14, 0.0], [0.2, 0.0], [0.2, 0.6]] }\n\
    [[boundary]]\nname = \"paddle\"\nmaterial = \"thesis-wall\"\n\
    polyline = { points = [[0.3, 0.0], [0.3, 0.1]] }\n\
    motion = { harmonic = { amplitude = [0.02, 0.0], frequency = 2.0 } }\n\
    [[fill]]\nmaterial = \"thesis-disk\"\n[fill.lattice]\ncount = 60\n\
    radius = { mean = 0.01, spread = 0.05 }\nmin = [0.0, 0.0]\nmax = [0.2, 0.6]\njitter = 1.0\n\
    [[outlet]]\nplane = { point = [0.0, -0.1], normal = [0.0, 1.0] }\n";

pub fn small(folder: &Path, more: &[&str]) -> std::path::PathBuf {
    fs::write(folder.join("small.toml"), SMALL).unwrap();
    let arguments = ["run", "small.toml", "-q", "-o", "small", "--threads", "1"];
    run_well(folder, &[&arguments[..], more].concat());
    folder.join("small")
}

fn page(dir: &Path) -> Report {
    report(dir, &ReportOptions::default()).unwrap()
}

/// What stands between two marks, each time.
pub fn between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let parts = text.split(from).skip(1);
    parts
        .map(|part| part.split_once(to).expect("it ends").0)
        .collect()
}

/// The text of a script by its id.
fn script<'a>(html: &'a str, id: &str) -> &'a str {
    let found = between(html, &format!("id=\"{id}\">"), "</script>");
    assert_eq!(found.len(), 1, "{id}");
    found[0]
}

/// The table behind a plot: columns by their names.
pub fn table(html: &str, plot: &str) -> BTreeMap<String, Vec<f64>> {
    let columns: Value = serde_json::from_str(script(html, &format!("data-{plot}"))).unwrap();
    let column = |c: &Value| {
        let values = c["values"].as_array().unwrap().iter();
        let values = values.map(|v| v.as_f64().unwrap_or(f64::NAN));
        (c["name"].as_str().unwrap().to_string(), values.collect())
    };
    columns.as_array().unwrap().iter().map(column).collect()
}

#[test]
fn a_page_stands_alone_and_is_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &[]);
    let html = page(&dir).html;
    // The only address is the name of SVG's namespace.
    let addresses: Vec<&str> = html
        .match_indices("://")
        .map(|(at, _)| &html[at - 4..at + 22])
        .collect();
    for address in &addresses {
        assert_eq!(*address, "http://www.w3.org/2000/svg", "{addresses:?}");
    }
    assert!(!html.contains("src=") && !html.contains("@import") && !html.contains("fetch("));
    for link in between(&html, "href=\"", "\"") {
        assert!(link == "data:,", "{link}");
    }
    // No script is ended from inside: as many begin as end, and the page ends as it should.
    assert_eq!(
        html.matches("<script").count(),
        html.matches("</script>").count()
    );
    assert!(html.trim_end().ends_with("</body>\n</html>"));
    assert!(
        html.contains("An &lt;odd&gt; &amp; a &lt;/script&gt; in it. Seed 1")
            && !html.contains("<odd>")
    );
    for drawing in between(&html, "<svg class=\"plot\"", "</svg>") {
        let text = format!("<svg class=\"plot\"{drawing}</svg>");
        assert!(walk(&text).len() > 10);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    // Ids are named once.
    let mut ids: Vec<&str> = between(&html.replace("script", ""), " id=\"", "\"")
        .into_iter()
        .map(|id| id.to_string().leak() as &str)
        .collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    // The same run gives the same page.
    assert_eq!(page(&dir).html, html);
}

#[test]
fn plots_hold_the_values_of_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &[]);
    let made = page(&dir);
    let series = read::series(&dir).unwrap();
    let whole = |name: &str| -> Vec<f64> {
        let values = series.integers(name).unwrap().iter();
        values.map(|v| v.unwrap() as f64).collect()
    };
    let discharged = table(&made.html, "discharged");
    assert_eq!(discharged["time"], series.floats("time").unwrap());
    assert_eq!(discharged["discharged"], whole("discharged"));
    assert!(*discharged["discharged"].last().unwrap() > 10.0);
    assert_eq!(
        table(&made.html, "balance")["balance_error"],
        series.floats("balance_error").unwrap()
    );
    assert_eq!(
        table(&made.html, "regimes")["grains_flight"],
        whole("grains_flight")
    );
    let energy = table(&made.html, "energy");
    assert_eq!(energy["kinetic"], series.floats("kinetic").unwrap());
    // The stack is the ledger over its lowest potential energy; what there should be is all at the start and
    // what was brought in since. Sums of the same numbers in another order.
    let real = |name: &str| series.floats(name).unwrap();
    let (potential, removed) = (real("potential"), real("removed"));
    let lowest = potential.iter().zip(removed).map(|(p, r)| p + r);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    let parts: Vec<&Vec<f64>> = energy
        .iter()
        .filter(|(name, _)| !["time", "start_and_injected"].contains(&name.as_str()))
        .map(|(_, values)| values)
        .collect();
    let ledger = |k: usize| {
        let names = [
            "kinetic",
            "potential",
            "elastic",
            "removed",
            "dissipated_damping",
        ];
        let more = [
            "dissipated_slip",
            "dissipated_collision",
            "dissipated_morph",
        ];
        names
            .iter()
            .chain(&more)
            .map(|name| real(name)[k])
            .sum::<f64>()
            - lowest
    };
    let brought = real("injected");
    for k in 0..series.rows {
        let sum: f64 = parts.iter().map(|values| values[k]).sum();
        assert!(
            (sum - ledger(k)).abs() < 1e-10 * ledger(k),
            "{sum} {}",
            ledger(k)
        );
        let wanted = ledger(0) + brought[k] - brought[0];
        assert!((energy["start_and_injected"][k] - wanted).abs() < 1e-10 * wanted);
    }
    // The area under the rate is what left: a window loses half its length at either end.
    let rate = table(&made.html, "discharge-rate");
    let (times, rates) = (&rate["time"], &rate["discharge_rate"]);
    let area: f64 = (1..times.len())
        .map(|k| 0.5 * (rates[k] + rates[k - 1]) * (times[k] - times[k - 1]))
        .sum();
    let left = *discharged["discharged"].last().unwrap();
    assert!((area - left).abs() < 0.1 * left, "{area} {left}");
    for plot in ["contacts", "wall-loads", "contact-number", "motion"] {
        assert!(made.plots().contains(&plot), "{:?}", made.plots());
    }
}

/// What only some runs have: meters, wear of walls, the stress of a box that moves.
#[test]
fn samples_have_plots_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let made = |arguments: &[&str]| {
        run_well(
            folder.path(),
            &[&["run", "-q", "-o"][..], arguments].concat(),
        );
        let dir = folder.path().join(arguments[0]);
        let (series, wear) = (read::series(&dir).unwrap(), read::wear(&dir).unwrap());
        (page(&dir).html, series, wear)
    };
    let (html, series, wear) = made(&["a", "screen", "--until", "1.5", "--set", "log.wear=0.02"]);
    let meters = table(&html, "meters");
    assert_eq!(
        meters["under_mass"],
        series.floats("meter_under_mass").unwrap()
    );
    assert!(*meters["under_count"].last().unwrap() > 5.0);
    let worn = table(&html, "wear");
    assert_eq!(worn["archard_work"], wear.floats("archard_work").unwrap());
    assert!(worn["friction"].iter().sum::<f64>() > 0.0);
    let (html, series, _) = made(&["b", "simple-shear", "--until", "0.1"]);
    let stress = table(&html, "stress");
    let sheared = series.floats("cell_pressure_yx").unwrap();
    assert_eq!(stress["pressure_yx"], sheared);
    assert!(sheared.iter().any(|p| *p != 0.0));
}

/// Reads columns as the page's script does, from scratch.
struct Packed {
    bytes: Vec<u8>,
    at: usize,
}

impl Packed {
    fn open(html: &str, number: usize) -> Packed {
        let text = script(html, &format!("film-{number}"));
        let value = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let mut deflated = Vec::new();
        for four in text.trim_end_matches('=').as_bytes().chunks(4) {
            let bits = four
                .iter()
                .fold(0u32, |sum, c| sum << 6 | u32::from(value(*c)));
            let bits = bits << (6 * (4 - four.len()));
            deflated.extend(&bits.to_be_bytes()[1..four.len()]);
        }
        Packed {
            bytes: miniz_oxide::inflate::decompress_to_vec_zlib(&deflated).unwrap(),
            at: 0,
        }
    }

    fn number(&mut self) -> usize {
        let four = self.bytes[self.at..self.at + 4].try_into().unwrap();
        self.at += 4;
        u32::from_le_bytes(four) as usize
    }

    fn column(&mut self, n: usize, width: u64) -> Vec<u32> {
        let mut values = vec![0u32; n];
        for plane in 0..width as usize {
            for value in &mut values {
                *value |= u32::from(self.bytes[self.at]) << (8 * plane);
                self.at += 1;
            }
        }
        values
    }
}

fn unfolded(v: u32) -> i64 {
    i64::from(v >> 1) ^ -i64::from(v & 1)
}

/// A grain of the film: its whole numbers so far.
#[derive(Clone, Default)]
struct Told {
    position: [i64; 3],
    change: [i64; 3],
    seen: bool,
    rest: BTreeMap<usize, i64>,
}

/// Number, place and regime of each grain, and the links as pairs with their forces.
type Frame = (Vec<(u32, [f64; 3], u8)>, BTreeMap<(u32, i64), f64>);

/// All frames of a film, or of a part of it that comes after these grains are known.
fn unpack(html: &str, known: &mut Vec<u32>) -> Vec<Frame> {
    let head: Value = serde_json::from_str(script(html, "film-head")).unwrap();
    let (scale, d) = (
        &head["scale"],
        head["dimensions"].as_u64().unwrap() as usize,
    );
    let width = |name: &str| scale[name].as_u64().unwrap();
    let real = |name: &str| scale[name].as_f64().unwrap();
    let grains = head["grains"].as_u64().unwrap() as usize;
    let new = grains - known.len();
    known.extend(Packed::open(html, 0).column(new, 4));
    let ids = &*known;
    let starts = head["starts"].as_array().unwrap();
    let count = head["times"].as_array().unwrap().len();
    let mut frames = Vec::new();
    for chunk in 0..starts.len() {
        let mut packed = Packed::open(html, chunk + 1);
        let from = starts[chunk].as_u64().unwrap() as usize;
        let to = starts
            .get(chunk + 1)
            .map_or(count, |v| v.as_u64().unwrap() as usize);
        let mut told = vec![Told::default(); grains];
        let mut index: Vec<u32> = Vec::new();
        let mut links: Vec<((u32, u32), i64, i64)> = Vec::new();
        for _ in from..to {
            let n = packed.number();
            if packed.column(1, 1)[0] == 0 {
                index = packed.column(n, width("number"));
                for k in 1..n {
                    index[k] += index[k - 1];
                }
            }
            for axis in 0..d {
                for (k, step) in packed.column(n, width("position")).into_iter().enumerate() {
                    let grain = &mut told[index[k] as usize];
                    let modulus = 1i64 << (8 * width("position"));
                    let sum = grain.position[axis] + grain.change[axis] + unfolded(step);
                    let now = sum.rem_euclid(modulus);
                    let moved = now - grain.position[axis];
                    grain.change[axis] = if grain.seen { moved } else { 0 };
                    grain.position[axis] = now;
                }
            }
            let root = width("root");
            let turns = if d == 2 {
                vec![width("angle")]
            } else {
                vec![1; 4]
            };
            let widths = [
                vec![root; d],
                turns,
                vec![root, 1, width("number"), width("number"), width("number")],
            ]
            .concat();
            for (column, w) in widths.iter().enumerate() {
                for (k, step) in packed.column(n, *w).into_iter().enumerate() {
                    *told[index[k] as usize].rest.entry(column).or_default() += unfolded(step);
                }
            }
            let regime = widths.len() - 4;
            let place = |g: &Told| {
                std::array::from_fn(|k| match k < d {
                    true => {
                        scale["origin"][k].as_f64().unwrap() + g.position[k] as f64 * real("step")
                    }
                    false => 0.0,
                })
            };
            let mut here = Vec::new();
            for &i in &index {
                let grain = &mut told[i as usize];
                grain.seen = true;
                here.push((ids[i as usize], place(grain), grain.rest[&regime] as u8));
            }
            let came = packed.number();
            let gone = packed.column(links.len(), 1);
            let (steps, others) = (
                packed.column(came, width("number")),
                packed.column(came, width("number")),
            );
            let mut k = 0;
            links.retain(|_| {
                k += 1;
                gone[k - 1] == 0
            });
            let mut a = 0;
            for (step, other) in steps.into_iter().zip(others) {
                a += step;
                let modulus = 1i64 << (8 * width("number"));
                let b = (i64::from(a) + unfolded(other)).rem_euclid(modulus);
                links.push(((a, b as u32), 0, 0));
            }
            for (link, step) in links.iter_mut().zip(packed.column(k_of(&gone, came), root)) {
                link.1 = (link.1 + unfolded(step)).rem_euclid(1 << (8 * root));
            }
            packed.column(links.len(), 1);
            let walls = links.iter().filter(|l| l.0.1 as usize >= grains).count();
            for _ in 0..d {
                packed.column(walls, 1);
            }
            let most = if root == 1 { 255.0 } else { 65_535.0 };
            let body = |b: u32| match (b as usize).checked_sub(grains) {
                Some(wall) => -1 - wall as i64,
                None => i64::from(ids[b as usize]),
            };
            let forces = links.iter().map(|((a, b), q, _)| {
                let force = real("force") * (*q as f64 / most).powi(2);
                ((ids[*a as usize], body(*b)), force)
            });
            frames.push((here, forces.collect()));
        }
        assert_eq!(packed.at, packed.bytes.len());
    }
    frames
}

/// Links there are after some have gone and some have come.
fn k_of(gone: &[u32], came: usize) -> usize {
    gone.iter().filter(|g| **g == 0).count() + came
}

pub fn snapshots(dir: &Path) -> Vec<Snapshot> {
    let mut reader = Snapshots::open(dir).unwrap();
    std::iter::from_fn(|| reader.next_snapshot().unwrap()).collect()
}

/// The film is that of the snapshots, to the rounding that it tells.
fn same_as_recorded(dir: &Path, html: &str, taken: &[Snapshot]) {
    same_part(&dir.display().to_string(), html, taken, &mut Vec::new());
}

/// The same of a part of a film.
pub fn same_part(what: &str, html: &str, taken: &[Snapshot], known: &mut Vec<u32>) {
    let head: Value = serde_json::from_str(script(html, "film-head")).unwrap();
    let step = head["scale"]["step"].as_f64().unwrap();
    let strongest = head["scale"]["force"].as_f64().unwrap();
    let frames = unpack(html, known);
    assert_eq!(frames.len(), taken.len(), "{what}");
    for ((grains, links), snapshot) in frames.iter().zip(taken) {
        assert_eq!(grains.len(), snapshot.grains.len());
        let recorded: BTreeMap<u32, _> = snapshot.grains.iter().map(|g| (g.grain, g)).collect();
        for (id, place, regime) in grains {
            let grain = recorded[id];
            assert_eq!(*regime, grain.regime as u8);
            for axis in 0..3 {
                // Half a step, and single precision on the way.
                let off = (place[axis] - grain.position[axis]).abs();
                assert!(
                    off <= 0.5 * step + 1e-6 * grain.position[axis].abs(),
                    "{off} {step}"
                );
            }
        }
        // A grain in a corner has two contacts with one wall: the film has one of them.
        let mut pairs: BTreeMap<(u32, i64), Vec<f64>> = BTreeMap::new();
        for link in &snapshot.links {
            if let (BodyRef::Grain(a), b) = (link.body_a, link.body_b.code()) {
                let turned = b >= 0 && b < i64::from(a);
                let pair = if turned {
                    (b as u32, i64::from(a))
                } else {
                    (a, b)
                };
                pairs.entry(pair).or_default().push(link.normal_force);
            }
        }
        assert_eq!(pairs.len(), links.len());
        for (pair, forces) in pairs {
            // The root of a share is rounded to one of 255 steps at worst.
            let share = |f: f64| (f.abs() / strongest).min(1.0).sqrt();
            let off = |force: &f64| (share(links[&pair]) - share(*force)).abs();
            let least = forces.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(least < 0.6 / 255.0, "{least}");
        }
    }
}

#[test]
fn the_animation_is_that_of_the_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &[]);
    let html = page(&dir).html;
    same_as_recorded(&dir, &html, &snapshots(&dir));
    // The paddle is drawn where its motion brings it, from where it is at the start.
    let scene: Value = serde_json::from_str(script(&html, "film-scene")).unwrap();
    let moving = scene["moving"].as_array().unwrap();
    assert_eq!(moving.len(), 1);
    assert_eq!(moving[0]["name"], "paddle");
    for (pose, snapshot) in moving[0]["poses"]
        .as_array()
        .unwrap()
        .iter()
        .zip(snapshots(&dir))
    {
        let shift = pose[2].as_f64().unwrap();
        let wanted = 0.02 * (std::f64::consts::TAU * 2.0 * snapshot.time).sin();
        // Single precision.
        assert!(
            (shift - wanted).abs() < 1e-8 && pose[0] == 1.0 && pose[1] == 0.0,
            "{pose}"
        );
    }
    // In space, from made-up rows.
    let space = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create(space.path(), &meta(3), 1, false).unwrap();
    for k in 0..5 {
        feed(&mut run, k, 3);
    }
    run.finish(&summary(Status::Jammed)).unwrap();
    same_as_recorded(
        space.path(),
        &page(space.path()).html,
        &snapshots(space.path()),
    );
}

#[test]
fn a_film_that_is_too_large_is_packed_less_finely_and_thinned() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &[]);
    let all = snapshots(&dir);
    let size = |html: &str| -> usize {
        let count = html.matches(" id=\"film-").count() - 2;
        (0..count)
            .map(|k| script(html, &format!("film-{k}")).len())
            .sum()
    };
    let fine = page(&dir);
    assert!(fine.notes.is_empty());
    let full = size(&fine.html);
    let coarse = report(
        &dir,
        &ReportOptions {
            most: full * 9 / 10,
        },
    )
    .unwrap();
    assert!(size(&coarse.html) < full && coarse.notes.is_empty());
    same_as_recorded(&dir, &coarse.html, &all);
    let thin = report(&dir, &ReportOptions { most: full / 6 }).unwrap();
    assert!(
        size(&thin.html) <= full / 6 + 64,
        "{} of {full}",
        size(&thin.html)
    );
    let kept = unpack(&thin.html, &mut Vec::new()).len();
    let words = format!("the animation has {kept} of {} snapshots", all.len());
    assert!(thin.notes[0].starts_with(&words), "{:?}", thin.notes);
    let head: Value = serde_json::from_str(script(&thin.html, "film-head")).unwrap();
    let times = head["times"].as_array().unwrap();
    let taken = all.iter().filter(|s| times.iter().any(|t| *t == s.time));
    let taken: Vec<Snapshot> = taken.cloned().collect();
    // Evenly spaced, the last among them.
    assert_eq!(taken.last().unwrap().number, all.last().unwrap().number);
    let steps = taken.windows(2).map(|w| w[1].number - w[0].number);
    assert_eq!(steps.clone().min(), steps.max());
    same_as_recorded(&dir, &thin.html, &taken);
}

#[test]
fn wrong_folders_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |dir: &str, words: &str| {
        let output = arenite(folder.path(), &["report", dir]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{}", said(&output));
        assert!(output.stdout.is_empty());
    };
    fails(
        "nowhere",
        "there is no folder nowhere; give the folder of a run",
    );
    fs::create_dir(folder.path().join("empty")).unwrap();
    fails("empty", "empty holds no records of a run");
    fs::write(folder.path().join("empty/scenario.toml"), SMALL).unwrap();
    fails("empty", "empty holds a run that has not come to its end");
    assert!(!folder.path().join("empty/report.html").exists());
}

#[test]
fn a_run_without_snapshots_or_stopped_early_has_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &["--set", "log.snapshots=never"]);
    let output = arenite(folder.path(), &["report", "small"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "small/report.html\n"
    );
    assert!(said(&output).contains("no animation: the run recorded no snapshot with grains; run it with --set log.snapshots=SECONDS"));
    let html = fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(!html.contains("<canvas") && html.contains("no animation: the run recorded"));
    assert!(html.contains("id=\"data-discharged\"") && !html.contains("film-head"));

    let stopped = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create(stopped.path(), &meta(2), 1, false).unwrap();
    feed(&mut run, 0, 2);
    run.finish(&summary(Status::Interrupted)).unwrap();
    let html = page(stopped.path()).html;
    assert!(html.contains("interrupted: not finished") && html.contains("The run was interrupted"));
}

/// Loads a page in a browser without a window; its document after three seconds, and what it complained of.
pub fn browse(browser: &str, page: &Path) -> (String, String) {
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
        ])
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let errors = errors.lines().filter(|line| line.contains("CONSOLE"));
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        errors.collect::<Vec<_>>().join("\n"),
    )
}

/// Shows a page to a browser that runs by the clock: seconds until its animation is ready, pictures a second, and the
/// same with forces and pressures, and simulated seconds that it got along.
fn watched(browser: &str, page: &str) -> [f64; 4] {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let mut policy = between(page, "<meta http-equiv=\"Content-Security-Policy\"", ">");
    let policy = policy.pop().unwrap();
    let probe = format!("<script>{}</script></body>", include_str!("probe.js"));
    let page = page.replace(policy, "").replace("</body>", &probe);
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=1400,1000",
        ])
        .args(["--remote-debugging-port=0", &format!("http://{address}/")])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    server.set_nonblocking(true).unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    let measured: Value = loop {
        assert!(Instant::now() < end, "the page tells in time");
        let Ok((stream, _)) = server.accept() else {
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        stream.set_nonblocking(false).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(2)))
            .unwrap();
        let mut asked = BufReader::new(&stream);
        let (mut first, mut length) = (String::new(), 0);
        // Browsers open connections ahead that they may never use.
        if asked.read_line(&mut first).unwrap_or(0) == 0 {
            continue;
        }
        loop {
            let mut line = String::new();
            if asked.read_line(&mut line).unwrap() <= 2 {
                break;
            }
            let line = line.to_ascii_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap();
            }
        }
        let told: Vec<u8> = asked.take(length).bytes().map(Result::unwrap).collect();
        if first.contains(" /done ") {
            break serde_json::from_slice(&told).unwrap();
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close";
        let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{page}", page.len());
        (&stream).write_all(answer.as_bytes()).unwrap();
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let number = |name: &str| measured[name].as_f64().unwrap();
    [
        number("opened") / 1000.0,
        number("plain"),
        number("all"),
        number("way"),
    ]
}

/// A flow of 10,000 disks: rows that slide over each other, with waves in them, and links of ever new forces.
fn flow(dir: &Path, frames: u64) {
    let mut run = RunFolder::create(dir, &meta(2), 2, false).unwrap();
    let (across, radius) = (100u32, 1e-3);
    for k in 0..frames {
        let t = k as f64;
        let wave = |i: u32, j: u32| (0.11 * t + 0.13 * f64::from(i) + 0.29 * f64::from(j)).sin();
        let row = |id: u32| {
            let (i, j) = (id % across, id / across);
            let drift = 0.3 * t * f64::from(j) / 100.0;
            GrainRow {
                time: 0.01 * t,
                grain: id,
                shape: None,
                radius,
                mass: 1.0,
                material: 0,
                position: [
                    radius * (2.0 * f64::from(i) + drift + 0.4 * wave(i, j)),
                    radius * (2.0 * f64::from(j) + 0.4 * wave(j, i)),
                    0.0,
                ],
                velocity: [
                    radius * (30.0 * f64::from(j) / 100.0),
                    radius * wave(i, j),
                    0.0,
                ],
                rotation: [0.1 * t * wave(j, i), 0.0, 0.0, 0.0],
                spin: [wave(i, i), 0.0, 0.0],
                force: [0.0; 3],
                moment: [0.0; 3],
                regime: Regime::Cluster,
                cluster: 0,
                group: -1,
                force_error: 0.0,
                fragment: 0,
            }
        };
        let grains: Vec<GrainRow> = (0..across * across).map(row).collect();
        let mut links = Vec::new();
        for id in 0..across * across {
            // A third of the pairs is in touch at a time.
            for other in [id + 1, id + across] {
                if other < across * across && wave(id % 97, other % 89 + (k % 13) as u32) > 0.3 {
                    links.push(LinkRow {
                        time: 0.01 * t,
                        link: 0,
                        body_a: BodyRef::Grain(id),
                        body_b: BodyRef::Grain(other),
                        point: [0.0; 3],
                        normal: [1.0, 0.0, 0.0],
                        overlap: 0.0,
                        normal_force: (3.0 * wave(id % 101, other % 103)).exp(),
                        tangential_force: [0.0; 3],
                        slipping: (id + k as u32).is_multiple_of(7),
                        stable: false,
                        bond: None,
                    });
                }
            }
        }
        run.snapshot(&grains, &links).unwrap();
    }
    run.finish(&summary(Status::Finished)).unwrap();
}

/// `cargo test --release --test it report::a_large_run -- --ignored --nocapture`.
#[test]
#[ignore = "a minute; needs chromium or chrome on the path"]
fn a_large_run_is_light_and_opens() {
    let folder = tempfile::tempdir().unwrap();
    flow(folder.path(), 500);
    let since = Instant::now();
    let made = page(folder.path());
    println!(
        "{:.1} MB in {:.1} s; {:?}",
        made.html.len() as f64 / 1e6,
        since.elapsed().as_secs_f64(),
        made.notes
    );
    assert!(made.html.len() < 30_000_000);
    let file = folder.path().join("report.html");
    fs::write(&file, &made.html).unwrap();
    if let Ok(keep) = std::env::var("ARENITE_KEEP_PICTURES") {
        fs::copy(&file, Path::new(&keep).join("large.html")).unwrap();
    }
    let (document, complaints) = browse(browser(), &file);
    assert_eq!(complaints, "");
    assert!(document.contains("data-ready=\"yes\""));
    let [opened, plain, all, _] = watched(browser(), &made.html);
    println!(
        "opens in {opened:.2} s, plays {plain:.0} pictures a second, {all:.0} with forces and pressures"
    );
    assert!(plain > 0.0 && all > 0.0);
}

pub fn browser() -> &'static str {
    let browsers = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    browsers
        .into_iter()
        .find(works)
        .expect("a browser on the path")
}

/// The page in a real browser: `cargo test --release --test it report::in_a_browser -- --ignored`.
#[test]
#[ignore = "needs chromium or chrome on the path"]
fn in_a_browser_it_plays_without_complaint() {
    let folder = tempfile::tempdir().unwrap();
    let plain = small(folder.path(), &[]);
    let space = folder.path().join("space");
    let mut run = RunFolder::create(&space, &meta(3), 1, false).unwrap();
    for k in 0..5 {
        feed(&mut run, k, 3);
    }
    run.finish(&summary(Status::Finished)).unwrap();
    for dir in [&plain, &space] {
        let file = dir.join("report.html");
        fs::write(&file, page(dir).html).unwrap();
        let (document, complaints) = browse(browser(), &file);
        assert_eq!(complaints, "");
        assert!(
            document.contains("data-ready=\"yes\""),
            "the film was not unpacked"
        );
        let [.., way] = watched(browser(), &page(dir).html);
        assert!(way > 0.0, "it does not play");
    }
}

/// Maps and motion say what the tables say: the map of density sums up to the mass in the mean of the snapshots (within
/// 3 %: cells as wide as the kernel leave 1.6 %, and places that are nearly empty are not shown), the displacement over
/// one snapshot is that of the grains' places (in single precision).
#[test]
fn maps_and_displacements_are_those_of_the_grains() {
    let folder = tempfile::tempdir().unwrap();
    let dir = small(folder.path(), &[]);
    let html = page(&dir).html;
    let mut reader = Snapshots::open(&dir).unwrap();
    let mut all: Vec<Snapshot> = Vec::new();
    while let Some(snapshot) = reader.next_snapshot().unwrap() {
        if snapshot.time >= 0.0 {
            all.push(snapshot);
        }
    }
    let map = table(&html, "density-map");
    let mut xs = map["x"].clone();
    xs.sort_by(f64::total_cmp);
    let sides = xs.windows(2).map(|w| w[1] - w[0]).filter(|d| *d > 1e-6);
    let side = sides.fold(f64::INFINITY, f64::min);
    let sum = map["density"].iter().sum::<f64>() * side * side;
    let masses = all.iter().flat_map(|s| &s.grains).map(|g| g.mass);
    let mass = masses.sum::<f64>() / all.len() as f64;
    assert!((sum / mass - 1.0).abs() < 0.03, "{sum} {mass}");
    assert!(
        table(&html, "pressure-map")["pressure"]
            .iter()
            .all(|p| *p >= 0.0)
    );
    let (mut square, mut count) = (0.0, 0.0);
    for pair in all.windows(2) {
        for grain in &pair[1].grains {
            if let Some(before) = pair[0].grains.iter().find(|g| g.grain == grain.grain) {
                let way = |k: usize| grain.position[k] - before.position[k];
                square += way(0) * way(0) + way(1) * way(1);
                count += 1.0;
            }
        }
    }
    let found = table(&html, "msd")["displacement"][0];
    assert!((found * count / square - 1.0).abs() < 1e-4, "{found}");
}
