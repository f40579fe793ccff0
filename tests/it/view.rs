//! Pictures: well-formed, decodable, not blank, and showing what they should.

use std::fs;

use arenite::record::{RunFolder, Status};
use arenite::view::{Colouring, ExportFormat, PictureOptions, export, export_with};

use crate::record_export::walk;
use crate::record_sample::{feed, meta, snapshot, summary};

fn run(dimensions: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = RunFolder::create(dir.path(), &meta(dimensions), 1, false).unwrap();
    for k in 0..5 {
        feed(&mut folder, k, dimensions);
    }
    folder.finish(&summary(Status::Finished)).unwrap();
    dir
}

#[test]
fn an_svg_draws_the_grains_of_the_chosen_moment() {
    for dimensions in [2, 3] {
        let dir = run(dimensions);
        let files = export(dir.path(), ExportFormat::Svg, None).unwrap();
        let text = fs::read_to_string(&files[0]).unwrap();
        let elements = walk(&text);
        let count = |name: &str| elements.iter().filter(|e| e.0 == name).count();
        // The last snapshot with at least half of the grains.
        let counts: Vec<usize> = (0..5).map(|k| snapshot(k, dimensions).0.len()).collect();
        let shown = counts.iter().rposition(|&n| 2 * n >= counts[0]).unwrap();
        assert!(shown > 0 && shown < 4);
        if dimensions == 2 {
            assert_eq!(count("circle"), counts[shown]);
        } else {
            // A heap in space is cut open through the middle.
            let share = count("circle") as f64 / counts[shown] as f64;
            assert!((0.4..0.6).contains(&share), "{share}");
        }
        assert!(count("path") > 50 && count("text") >= 2);
        assert!(!text.contains("NaN") && !text.contains("inf"));
        let caption = format!(
            "t = {:.3} s   {} grains",
            0.25 * shown as f64,
            counts[shown]
        );
        assert!(text.contains(&caption));
    }
}

#[test]
fn a_gate_is_drawn_until_it_opens() {
    let dir = run(2);
    // Walls are the only lines of full width.
    let walls = |time: f64| {
        let options = PictureOptions {
            time: Some(time),
            colouring: Colouring::Regime,
            ..PictureOptions::default()
        };
        let files = export_with(dir.path(), ExportFormat::Svg, None, &options).unwrap();
        let text = fs::read_to_string(&files[0]).unwrap();
        assert!(text.contains(">cluster</text>"));
        text.matches("stroke-width=\"3.00\"").count()
    };
    assert_eq!(walls(0.25), 3);
    assert_eq!(walls(0.5), 2);
}

#[test]
fn a_png_decodes_and_is_not_blank() {
    for dimensions in [2, 3] {
        let dir = run(dimensions);
        let out = dir.path().join("pictures");
        let files = export(dir.path(), ExportFormat::Png, Some(&out)).unwrap();
        assert_eq!(files, [out.join("picture.png")]);
        let map = tiny_skia::Pixmap::load_png(&files[0]).unwrap();
        assert!(map.width() >= 700 && map.height() >= 700);
        let background = map.pixels()[0];
        let drawn = map.pixels().iter().filter(|p| **p != background).count();
        // Grains fill a good part of a tight picture, but not all of it.
        let share = drawn as f64 / map.pixels().len() as f64;
        assert!((0.2..0.9).contains(&share), "{share}");
        let mut colours: Vec<_> = map
            .pixels()
            .iter()
            .map(|p| (p.red() / 32, p.green() / 32, p.blue() / 32))
            .collect();
        colours.sort();
        colours.dedup();
        assert!(colours.len() > 8);
        if let Ok(keep) = std::env::var("ARENITE_KEEP_PICTURES") {
            let keep = std::path::Path::new(&keep);
            fs::copy(&files[0], keep.join(format!("picture-{dimensions}.png"))).unwrap();
        }
    }
}

#[test]
fn a_run_without_grains_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap();
    folder.finish(&summary(Status::Empty)).unwrap();
    let message = export(dir.path(), ExportFormat::Png, None)
        .unwrap_err()
        .to_string();
    let expected = format!(
        "{}: holds no snapshot with grains to draw",
        dir.path().display()
    );
    assert_eq!(message, expected);
}
