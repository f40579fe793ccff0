//! Exports parse back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arenite::record::{DataFormat, RunFolder, Status, export_data};

use crate::record_sample::{feed, meta, snapshot, summary};

fn exported(dimensions: usize, format: DataFormat) -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = RunFolder::create(dir.path(), &meta(dimensions), 1, false).unwrap();
    for k in 0..3 {
        feed(&mut folder, k, dimensions);
    }
    folder.finish(&summary(Status::Finished)).unwrap();
    let files = export_data(dir.path(), format, None).unwrap();
    for file in &files {
        assert!(file.starts_with(dir.path().join("export")) && file.is_file());
    }
    (dir, files)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Walks a document of elements, attributes and text; panics where tags do not match. Returns
/// the elements in order of their start: name, attributes, text up to the next tag.
pub fn walk(document: &str) -> Vec<(String, BTreeMap<String, String>, String)> {
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut parts = document.split('<');
    assert_eq!(parts.next().unwrap().trim(), "");
    for part in parts {
        let (tag, after) = part.split_once('>').expect("a tag ends");
        if tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let alone = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = BTreeMap::new();
        while let Some((key, tail)) = rest.split_once("=\"") {
            let (value, tail) = tail.split_once('"').expect("a value ends");
            let old = attributes.insert(key.trim().to_string(), value.to_string());
            assert!(old.is_none(), "{key} twice");
            rest = tail;
        }
        assert_eq!(rest.trim(), "");
        found.push((name.to_string(), attributes, after.to_string()));
        if !alone {
            open.push(name.to_string());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

pub fn decode(coded: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut word, mut bits) = (0u32, 0);
    for letter in coded.bytes().filter(|b| *b != b'=') {
        word = word << 6 | letters.bytes().position(|l| l == letter).unwrap() as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    assert_eq!(length as usize, bytes.len() - 8);
    bytes.split_off(8)
}

#[test]
fn vtk_files_are_well_formed_and_hold_the_grains() {
    for dimensions in [2, 3] {
        let (dir, files) = exported(dimensions, DataFormat::Vtk);
        let collection = walk(&text(&files[0]));
        let sets: Vec<_> = collection.iter().filter(|e| e.0 == "DataSet").collect();
        let times: Vec<&str> = sets.iter().map(|s| s.1["timestep"].as_str()).collect();
        assert_eq!(times, ["0.0", "0.25", "0.5"]);
        for (k, set) in sets.iter().enumerate() {
            let file = dir.path().join("export").join(&set.1["file"]);
            let elements = walk(&text(&file));
            let (grains, links) = snapshot(k as u64, dimensions);
            let piece = elements.iter().find(|e| e.0 == "Piece").unwrap();
            assert_eq!(piece.1["NumberOfPoints"], grains.len().to_string());
            let array = |elements: &[(String, BTreeMap<String, String>, String)], name: &str| {
                let found = elements
                    .iter()
                    .find(|e| e.1.get("Name").is_some_and(|n| n == name));
                let bytes = decode(found.unwrap().2.trim());
                let chunks = bytes.chunks(8).map(|b| <[u8; 8]>::try_from(b).unwrap());
                chunks.collect::<Vec<_>>()
            };
            let radii: Vec<f64> = array(&elements, "radius")
                .into_iter()
                .map(f64::from_le_bytes)
                .collect();
            assert_eq!(radii, grains.iter().map(|g| g.radius).collect::<Vec<_>>());
            let points: Vec<f64> = array(&elements, "Points")
                .into_iter()
                .map(f64::from_le_bytes)
                .collect();
            let expected: Vec<f64> = grains.iter().flat_map(|g| g.position).collect();
            assert_eq!(points, expected);

            let file = dir.path().join(format!("export/links/{k:05}.vtp"));
            let elements = walk(&text(&file));
            let piece = elements.iter().find(|e| e.0 == "Piece").unwrap();
            assert_eq!(piece.1["NumberOfLines"], links.len().to_string());
            let forces: Vec<f64> = array(&elements, "normal_force")
                .into_iter()
                .map(f64::from_le_bytes)
                .collect();
            assert_eq!(
                forces,
                links.iter().map(|l| l.normal_force).collect::<Vec<_>>()
            );
            let ends: Vec<i64> = array(&elements, "offsets")
                .into_iter()
                .map(i64::from_le_bytes)
                .collect();
            assert_eq!(
                ends,
                (1..=links.len() as i64).map(|k| 2 * k).collect::<Vec<_>>()
            );
        }
        walk(&text(&dir.path().join("export/walls.vtp")));
    }
}

#[test]
fn xyz_frames_have_the_lines_and_columns_they_promise() {
    for dimensions in [2, 3] {
        let (_dir, files) = exported(dimensions, DataFormat::Xyz);
        let text = text(&files[0]);
        let mut lines = text.lines();
        for k in 0..3 {
            let (grains, _) = snapshot(k, dimensions);
            assert_eq!(
                lines.next().unwrap().parse::<usize>().unwrap(),
                grains.len()
            );
            let comment = lines.next().unwrap();
            let properties = comment.split(' ').next().unwrap();
            let fields: Vec<&str> = properties
                .strip_prefix("Properties=")
                .unwrap()
                .split(':')
                .collect();
            let width: usize = fields
                .chunks(3)
                .map(|f| f[2].parse::<usize>().unwrap())
                .sum();
            assert!(comment.contains(&format!("Time={:?}", 0.25 * k as f64)));
            for grain in &grains {
                let cells: Vec<&str> = lines.next().unwrap().split(' ').collect();
                assert_eq!(cells.len(), width);
                let number = |k: usize| cells[k].parse::<f64>().unwrap();
                assert_eq!(cells[0], grain.regime.name());
                assert_eq!([number(1), number(2), number(3)], grain.position);
                assert_eq!(cells[4], grain.grain.to_string());
                // The orientation is a unit quaternion; four squares, each rounded.
                let norm: f64 = (10..14).map(|k| number(k) * number(k)).sum();
                assert!((norm - 1.0).abs() < 1e-14);
            }
        }
        assert!(lines.next().is_none());
    }
}

/// Along periodic directions the box of the scenario; along others what the grains take up.
#[test]
fn xyz_tells_periodic_directions_and_their_box() {
    for dimensions in [2, 3] {
        let dir = tempfile::tempdir().unwrap();
        let mut meta = meta(dimensions);
        meta.periodic[0] = Some([-0.25, 1.5]);
        let mut folder = RunFolder::create(dir.path(), &meta, 1, false).unwrap();
        feed(&mut folder, 0, dimensions);
        folder.finish(&summary(Status::Finished)).unwrap();
        let files = export_data(dir.path(), DataFormat::Xyz, None).unwrap();
        let text = text(&files[0]);
        let comment = text.lines().nth(1).unwrap();
        assert!(comment.ends_with("pbc=\"T F F\""), "{comment}");
        let value = |key: &str| -> Vec<f64> {
            let (_, rest) = comment.split_once(&format!("{key}=\"")).unwrap();
            let cells = rest.split('"').next().unwrap().split(' ');
            cells.map(|cell| cell.parse().unwrap()).collect()
        };
        let (lattice, origin) = (value("Lattice"), value("Origin"));
        assert_eq!((lattice.len(), origin.len()), (9, 3));
        assert_eq!((lattice[0], origin[0]), (1.5, -0.25));
        let (grains, _) = snapshot(0, dimensions);
        for k in 0..3 {
            assert!((0..3).all(|j| j == k || lattice[3 * k + j] == 0.0));
            let inside = |x: f64| x >= origin[k] && x <= origin[k] + lattice[4 * k] + 1e-12;
            assert!(k == 0 || grains.iter().all(|g| inside(g.position[k] - g.radius)));
            assert!(k == 0 || grains.iter().all(|g| inside(g.position[k] + g.radius)));
        }
    }
    let (_dir, files) = exported(3, DataFormat::Xyz);
    assert!(!text(&files[0]).contains("Lattice"));
    assert!(text(&files[0]).contains("pbc=\"F F F\""));
}

#[test]
fn csv_has_a_line_a_row() {
    let (_dir, files) = exported(2, DataFormat::Csv);
    let names: Vec<_> = files
        .iter()
        .map(|f| f.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "events.csv",
            "series.csv",
            "grains.csv",
            "links.csv",
            "avalanches.csv",
            "stagnant.csv",
            "impacts.csv",
            "wear.csv"
        ]
    );
    let events = text(&files[0]);
    assert_eq!(events.lines().count(), 1201);
    let header = events.lines().next().unwrap();
    assert_eq!(
        header,
        "seq,time,kind,regime_from,regime_to,body_a,body_b,link,x,y,energy,cause"
    );
    assert_eq!(
        events.lines().nth(1).unwrap(),
        "1,0.0,predict-trajectory,,,0,,0,0.0,-0.5,,0"
    );
    assert_eq!(
        events.lines().nth(4).unwrap(),
        "4,0.003,add-body,flight,cluster,3,,3,0.30000000000000004,-0.5,0.3333333333333333,1"
    );
    for file in &files {
        let text = text(file);
        let width = text.lines().next().unwrap().split(',').count();
        assert!(text.lines().all(|line| line.split(',').count() == width));
    }
}

/// Each link is owned by one graph, and what a graph holds is in the one that holds it.
#[test]
fn nodes_hold_all_grains_and_links() {
    for dimensions in [2, 3] {
        let (_dir, files) = exported(dimensions, DataFormat::Nodes);
        let text = text(&files[0]);
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let rows: Vec<BTreeMap<&str, &str>> = lines
            .map(|line| names.iter().copied().zip(line.split(',')).collect())
            .collect();
        for k in 0..3u64 {
            let (grains, links) = snapshot(k, dimensions);
            let of = |row: &&BTreeMap<&str, &str>| row["snapshot"] == k.to_string();
            let nodes: Vec<&BTreeMap<&str, &str>> = rows.iter().filter(of).collect();
            let count =
                |row: &BTreeMap<&str, &str>, name: &str| -> usize { row[name].parse().unwrap() };
            let system = nodes[0];
            assert_eq!((system["kind"], system["owner"]), ("system", ""));
            assert_eq!(count(system, "grains"), grains.len());
            let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
            let told: f64 = system["mass"].parse().unwrap();
            assert!((told - mass).abs() < 1e-12 * mass);
            let owned: usize = nodes.iter().map(|row| count(row, "links")).sum();
            assert_eq!(owned, links.len());
            for (place, row) in nodes.iter().enumerate().skip(1) {
                assert_eq!(count(row, "node"), place);
                let owner = nodes[count(row, "owner")];
                assert_eq!(count(row, "depth"), count(owner, "depth") + 1);
                assert!(count(row, "grains") <= count(owner, "grains"));
                // The least of a cluster is that of none of its groups unless they have it too.
                assert!(owner["grain"].is_empty() || count(owner, "grain") <= count(row, "grain"));
            }
            let held = |kind: &str| -> usize {
                let of_kind = nodes.iter().filter(|row| row["kind"] == kind);
                of_kind.map(|row| count(row, "grains")).sum()
            };
            let named = |has: fn(&arenite::record::GrainRow) -> bool| {
                grains.iter().filter(|grain| has(grain)).count()
            };
            assert_eq!(held("rest-group"), named(|grain| grain.group >= 0));
            assert!(held("cluster") >= named(|grain| grain.cluster >= 0));
        }
    }
}

#[test]
fn lammps_gets_the_masses_right() {
    for dimensions in [2, 3] {
        let (_dir, files) = exported(dimensions, DataFormat::Lammps);
        let text = text(&files[0]);
        let (grains, _) = snapshot(2, dimensions);
        assert!(text.contains(&format!("\n{} atoms\n2 atom types\n", grains.len())));
        let atoms = text.split("Atoms # sphere\n\n").nth(1).unwrap();
        let (atoms, velocities) = atoms.split_once("\n\nVelocities\n\n").unwrap();
        assert_eq!(atoms.lines().count(), grains.len());
        assert_eq!(velocities.lines().count(), grains.len());
        for (line, grain) in atoms.lines().zip(&grains) {
            let cells: Vec<f64> = line.split(' ').map(|c| c.parse().unwrap()).collect();
            assert_eq!(cells[0], f64::from(grain.grain + 1));
            let volume = std::f64::consts::PI / 6.0 * cells[2].powi(3);
            // A few roundings.
            assert!((cells[3] * volume / grain.mass - 1.0).abs() < 1e-14);
        }
        for axis in ["x", "y", "z"] {
            let limits = format!("{axis}lo {axis}hi");
            let line = text.lines().find(|line| line.ends_with(&limits)).unwrap();
            let cells: Vec<&str> = line.split(' ').collect();
            let k = "xyz".find(axis).unwrap();
            let (low, high): (f64, f64) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
            assert!(
                grains
                    .iter()
                    .all(|g| low <= g.position[k] && g.position[k] <= high)
            );
            assert!(low < high);
        }
    }
}

/// The numbers before a name at the end of a line of a data file.
fn before(text: &str, name: &str) -> Vec<f64> {
    let line = text.lines().find_map(|line| line.strip_suffix(name));
    let cells = line
        .unwrap_or_else(|| panic!("no {name}"))
        .split_whitespace();
    cells.map(|cell| cell.parse().unwrap()).collect()
}

/// LAMMPS gets the periodic box of the run, not the one that the grains happen to take up.
#[test]
fn lammps_gets_the_periodic_box() {
    for dimensions in [2, 3] {
        let dir = tempfile::tempdir().unwrap();
        let mut meta = meta(dimensions);
        meta.periodic[0] = Some([-0.25, 1.5]);
        let mut folder = RunFolder::create(dir.path(), &meta, 1, false).unwrap();
        feed(&mut folder, 0, dimensions);
        folder.finish(&summary(Status::Finished)).unwrap();
        let files = export_data(dir.path(), DataFormat::Lammps, None).unwrap();
        let text = text(&files[0]);
        assert_eq!(before(&text, " xlo xhi"), [-0.25, 1.25]);
        let ends = if dimensions == 2 { "p f p" } else { "p f f" };
        assert!(
            text.lines()
                .next()
                .unwrap()
                .ends_with(&format!("boundary {ends}"))
        );
        assert!(!text.contains("xy xz yz"));
    }
}

/// The box of a cell that is sheared and pressed, at each snapshot. Links are the measure: over the nearest image by the
/// exported box, the centres of two grains that touch are as far apart as radii and overlap say.
#[test]
fn exports_tell_the_box_of_a_driven_cell() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    crate::cli_tools::run_well(
        at,
        &[
            "run",
            "simple-shear",
            "-q",
            "-o",
            "run",
            "--set",
            "run.end_time=0.3",
            "--set",
            "fill[0].lattice.count=140",
            "--set",
            "periodic.x=[-0.1,0.1]",
            "--set",
            "periodic.y=[1.0,1.12]",
            "--set",
            "fill[0].lattice.min=[-0.1,1.0]",
            "--set",
            "fill[0].lattice.max=[0.1,1.12]",
            "--set",
            "run.step=1e-5",
        ],
    );
    let run = at.join("run");
    let files = export_data(&run, DataFormat::Xyz, None).unwrap();
    let xyz = text(&files[0]);
    let comments = xyz.lines().filter(|line| line.contains("Properties="));
    let mut snapshots = arenite::record::read::Snapshots::open(&run).unwrap();
    let (mut across, mut last) = (0, Vec::new());
    for comment in comments {
        assert!(comment.ends_with("pbc=\"T T F\""), "{comment}");
        let value = |key: &str| -> Vec<f64> {
            let (_, rest) = comment.split_once(&format!("{key}=\"")).unwrap();
            let cells = rest.split('"').next().unwrap().split(' ');
            cells.map(|cell| cell.parse().unwrap()).collect()
        };
        let (lattice, origin) = (value("Lattice"), value("Origin"));
        assert_eq!(origin[..2], [-0.1, 1.0]);
        let (length, along, height) = (lattice[0], lattice[3], lattice[4]);
        let snapshot = snapshots.next_snapshot().unwrap().unwrap();
        let grain = |body| match body {
            arenite::record::BodyRef::Grain(id) => {
                snapshot.grains.iter().find(|g| g.grain == id).unwrap()
            }
            other => panic!("{other:?}"),
        };
        for link in &snapshot.links {
            let (a, b) = (grain(link.body_a), grain(link.body_b));
            let (mut x, mut y) = (a.position[0] - b.position[0], a.position[1] - b.position[1]);
            let rows = (y / height).round();
            across += usize::from(rows != 0.0 && snapshot.time > 0.0);
            y -= rows * height;
            x -= rows * along;
            x -= (x / length).round() * length;
            let apart = a.radius + b.radius - x.hypot(y);
            // Edges move by at most (4.6 + 5.0) 1/s x 0.12 m = 1.2 m/s; the series may be a step of 1e-5 s behind.
            assert!(
                (apart - link.overlap).abs() < 1.2e-5,
                "{}: {apart} {}",
                snapshot.time,
                link.overlap
            );
        }
        last = vec![length, along, height];
    }
    assert!(snapshots.next_snapshot().unwrap().is_none());
    assert!(across > 20, "{across} links across the sheared border");
    let files = export_data(&run, DataFormat::Lammps, None).unwrap();
    let data = text(&files[0]);
    let (x, y) = (before(&data, " xlo xhi"), before(&data, " ylo yhi"));
    assert_eq!((x[0], y[0]), (-0.1, 1.0));
    assert!((x[1] - x[0] - last[0]).abs() < 1e-15 && (y[1] - y[0] - last[2]).abs() < 1e-15);
    assert_eq!(before(&data, " xy xz yz"), [last[1], 0.0, 0.0]);
    assert!(data.lines().next().unwrap().ends_with("boundary p p p"));
}
