//! Pictures: well-formed, decodable, not blank, and showing what they should.

use std::fs;

use arenite::record::{RunFolder, Status};
use arenite::view::{Colouring, ExportFormat, PictureOptions, export, export_with};

use crate::record_sample::{feed, meta, snapshot, summary};
use crate::records::export::walk;

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

/// An animated GIF as its frames, put together, of palette colours; written from the specification alone.
struct Animation {
    size: [usize; 2],
    frames: Vec<Vec<[u8; 3]>>,
    delays: Vec<u16>,
}

fn unpacked(packed: &[u8], bits: u32) -> Vec<u8> {
    let (clear, end) = (1usize << bits, (1usize << bits) + 1);
    let mut table: Vec<Vec<u8>> = Vec::new();
    let (mut length, mut at, mut before) = (bits + 1, 0usize, None::<usize>);
    let mut pixels = Vec::new();
    loop {
        let code = (0..length as usize).fold(0usize, |sum, k| {
            let bit = usize::from(packed[(at + k) / 8] >> ((at + k) % 8) & 1);
            sum | bit << k
        });
        at += length as usize;
        if code == end {
            assert!(at.div_ceil(8) <= packed.len());
            return pixels;
        }
        if code == clear {
            table = (0..=255u8).map(|k| vec![k]).collect();
            table.extend([Vec::new(), Vec::new()]);
            (length, before) = (bits + 1, None);
            continue;
        }
        if let Some(before) = before {
            let first = if code < table.len() {
                table[code][0]
            } else {
                table[before][0]
            };
            if table.len() < 4096 {
                table.push([&table[before][..], &[first]].concat());
            }
        }
        pixels.extend(&table[code]);
        before = Some(code);
        if table.len() == 1 << length && length < 12 {
            length += 1;
        }
    }
}

fn animation(bytes: &[u8]) -> Animation {
    let number = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    assert_eq!(&bytes[..6], b"GIF89a");
    let size = [number(6), number(8)];
    let colours: Vec<[u8; 3]> = bytes[13..13 + 768]
        .chunks(3)
        .map(|c| [c[0], c[1], c[2]])
        .collect();
    let mut found = Animation {
        size,
        frames: Vec::new(),
        delays: Vec::new(),
    };
    let mut canvas = vec![[0u8; 3]; size[0] * size[1]];
    let (mut at, mut clear) = (13 + 768, None);
    let blocks = |mut at: usize| {
        let mut data = Vec::new();
        while bytes[at] > 0 {
            let end = at + 1 + usize::from(bytes[at]);
            data.extend(&bytes[at + 1..end]);
            at = end;
        }
        (data, at + 1)
    };
    loop {
        match bytes[at] {
            0x21 => {
                if bytes[at + 1] == 0xf9 {
                    found.delays.push(number(at + 4) as u16);
                    clear = (bytes[at + 3] & 1 == 1).then_some(bytes[at + 6]);
                }
                at = blocks(at + 2).1;
            }
            0x2c => {
                let [left, top, width, height] = [1, 3, 5, 7].map(|k| number(at + k));
                assert_eq!(bytes[at + 9], 0);
                let (packed, next) = blocks(at + 11);
                let pixels = unpacked(&packed, u32::from(bytes[at + 10]));
                assert_eq!(pixels.len(), width * height);
                for (k, &index) in pixels.iter().enumerate() {
                    if Some(index) != clear {
                        let place = (top + k / width) * size[0] + left + k % width;
                        canvas[place] = colours[usize::from(index)];
                    }
                }
                found.frames.push(canvas.clone());
                at = next;
            }
            0x3b => {
                assert_eq!(at + 1, bytes.len());
                return found;
            }
            other => panic!("a block {other:x}"),
        }
    }
}

#[test]
fn an_animation_has_the_pictures_of_all_snapshots() {
    for dimensions in [2, 3] {
        let dir = run(dimensions);
        let options = PictureOptions {
            rate: Some(4.0),
            width: Some(300),
            ..PictureOptions::default()
        };
        let files = export_with(dir.path(), ExportFormat::Gif, None, &options).unwrap();
        assert!(files[0].ends_with("export/picture.gif"));
        let found = animation(&fs::read(&files[0]).unwrap());
        assert_eq!(found.frames.len(), 5);
        assert_eq!(found.size[0], 300);
        assert_eq!(found.delays, [25, 25, 25, 25, 150]);
        // The hopper empties: ever fewer pixels differ from the background.
        let drawn: Vec<usize> = found
            .frames
            .iter()
            .map(|f| f.iter().filter(|c| **c != f[0]).count())
            .collect();
        assert!(drawn.windows(2).all(|w| w[1] < w[0]), "{drawn:?}");
        if dimensions == 2 {
            // The first frame is the picture of the first snapshot, to what 255 colours can show.
            let at = PictureOptions {
                time: Some(0.0),
                ..PictureOptions::default()
            };
            let picture = arenite::view::picture(dir.path(), &at).unwrap();
            let png = picture.to_png(300.0 / picture.width).unwrap();
            let map = tiny_skia::Pixmap::decode_png(&png).unwrap();
            let colours = map.pixels().iter().map(|p| [p.red(), p.green(), p.blue()]);
            let far = colours.zip(&found.frames[0]).map(|(a, b)| {
                let off = (0..3).map(|k| (i32::from(a[k]) - i32::from(b[k])).abs());
                off.max().unwrap_or(0)
            });
            let far: Vec<i32> = far.collect();
            assert_eq!(far.len(), 300 * found.size[1]);
            // A class of colours is 8 wide; thin rims may meet a colour farther off.
            let mean = far.iter().sum::<i32>() as f64 / far.len() as f64;
            assert!(mean < 4.0, "{mean}");
        }
    }
}
