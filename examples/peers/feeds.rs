//! Disks that come one by one: the scenarios `silo-fill`, `silo-fill-large` and `heap` as they stand, with grains that stand still
//! at rest, and a step of their own; LAMMPS at 1e-5 s, each disk stepped all the time. Both draw disks of the same
//! sizes in the same region at the same times, not the same disks.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use arenite::geometry::Planar;
use arenite::record::GrainRow;
use arenite::scenario::AnySetup;
use arenite::system::Setup;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use super::lammps::{Atom, Told, data};
use super::ours::{self, Marks};
use super::{Fallible, Job, Place, Run};

/// Area of a silo's surface that a disk fills, m^2: at a packing fraction of 0.82.
const FOOTPRINT: f64 = 3.15e-4 / 0.82;

/// Disks of a stretch.
const STRETCH: u64 = 20;

fn planar(name: &str, values: &[(&str, String)]) -> Fallible<Setup<Planar>> {
    match ours::scenario(name, values)? {
        AnySetup::Planar(setup) => Ok(setup),
        AnySetup::Spatial(_) => Err("a planar scenario".into()),
    }
}

/// Some disks of a setup's feed, by their numbers from 0, for LAMMPS, which has `there` already: each is made and then so many steps are run.
fn feed(
    path: &Path,
    setup: &Setup<Planar>,
    numbers: Range<u64>,
    there: u64,
    every: u64,
    seed: u64,
) -> Fallible {
    let feed = setup
        .sources
        .feeds
        .first()
        .ok_or("a scenario with a feed")?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let sizes = Normal::new(0.01, 0.0005)?;
    let mut text = String::new();
    for k in 0..numbers.end {
        let up = feed.rise.y * (k * every) as f64 * 1e-5;
        let x = random.random_range(feed.min.x..feed.max.x);
        let y = up + random.random_range(feed.min.y..feed.max.y);
        let diameter = 2.0 * sizes.sample(&mut random);
        if k < numbers.start {
            continue;
        }
        let id = there + k - numbers.start + 1;
        let (u, v) = (feed.velocity.x, feed.velocity.y);
        writeln!(text, "create_atoms 1 single {x} {y} 0")?;
        writeln!(
            text,
            "set atom {id} diameter {diameter} density/disc 1190 vx {u} vy {v}\nrun {every} post no"
        )?;
    }
    Ok(std::fs::write(path, text)?)
}

/// A disk of a snapshot.
fn disk(row: &GrainRow) -> Atom {
    Atom {
        radius: row.radius,
        density: row.mass / (std::f64::consts::PI * row.radius * row.radius),
        position: row.position,
        velocity: row.velocity,
        spin: [0.0, 0.0, row.spin[0]],
        molecule: 0,
    }
}

/// Of the whole process without what an empty deck takes.
fn counted(place: &Place, told: &Told) -> Fallible<Run> {
    let none = place.lammps.run(&place.folder, "empty", &[])?;
    Ok(Run {
        seconds: told.whole - none.whole,
        grain_steps: told.loops.iter().map(|l| l.grain_steps).sum(),
        tells: told.figures(),
        through: true,
    })
}

/// The first disks of a filling, a hundred a second: so many as LAMMPS takes a minute for, where nothing else is said.
pub fn silo(name: &'static str, all: u64, place: &Place) -> Job {
    let count = place
        .first
        .unwrap_or(if all > 2000 { 800 } else { 500 })
        .min(all);
    let finish = count as f64 * 0.01;
    let width = if all > 2000 { 1.2 } else { 0.6 };
    let height = 0.3 + all as f64 * FOOTPRINT / width;
    let filling = move |seed: u64| {
        let values = [
            ("run.end_time", format!("{finish:?}")),
            ("seed", seed.to_string()),
        ];
        planar(name, &values)
    };
    let lammps = move |place: &Place, numbers: Range<u64>, init: Option<&[GrainRow]>, seed| {
        let file = place.folder.join("silo.feed");
        let there = init.map_or(0, |grains| grains.len() as u64);
        feed(&file, &planar(name, &[])?, numbers, there, 1000, seed)?;
        let mut variables = vec![
            ("width", width.to_string()),
            ("height", height.to_string()),
            ("feed", "silo.feed".into()),
        ];
        if let Some(grains) = init {
            let atoms: Vec<Atom> = grains.iter().map(disk).collect();
            let file = place.folder.join("silo.data");
            data(
                &file,
                &atoms,
                1,
                [-0.01, -0.02, -0.05],
                [width + 0.01, height, 0.05],
            )?;
            variables.extend([("there", "1".into()), ("init", "silo.data".into())]);
        }
        let told = place.lammps.run(&place.folder, "silo_fill", &variables)?;
        counted(place, &told)
    };
    let peer = move |place: &Place, seed: u64| {
        let Some(stretches) = place.stretches else {
            return lammps(place, 0..count, None, seed);
        };
        if stretches * STRETCH > count {
            return Err(
                format!("{stretches} stretches of {STRETCH} disks are more than {count}").into(),
            );
        }
        // From the middle of each part of the time on, from the state that ours has there, without the springs of its links.
        let mut setup = filling(seed)?;
        setup.log.snapshots = Some(0.5 * finish / stretches as f64);
        let keep = Marks {
            keep: true,
            ..Default::default()
        };
        let (marks, ..) = ours::run(setup, keep)?;
        let mut all: Option<Run> = None;
        for grains in marks.snapshots.iter().skip(1).step_by(2) {
            let from = (grains.first().map_or(0.0, |row| row.time) * 100.0).round() as u64;
            let run = lammps(place, from..from + STRETCH, Some(grains), seed)?;
            let whole = count as f64 / (stretches * STRETCH) as f64;
            let before = all.map_or((0.0, 0.0), |run: Run| (run.seconds, run.grain_steps));
            all = Some(Run {
                seconds: before.0 + whole * run.seconds,
                grain_steps: before.1 + whole * run.grain_steps,
                ..run
            });
        }
        all.ok_or_else(|| "no snapshots".into())
    };
    let run = move |_: &Place, seed: u64| ours::whole(filling(seed)?);
    Job {
        peer: Box::new(peer),
        ours: vec![("own step, at rest nothing is stepped", Box::new(run))],
    }
}

/// 600 disks in 15 s, and 2 s more.
pub fn heap() -> Job {
    let peer = |place: &Place, seed: u64| {
        let file = place.folder.join("heap.feed");
        feed(&file, &planar("heap", &[])?, 0..600, 0, 2500, seed)?;
        let told = place
            .lammps
            .run(&place.folder, "heap", &[("feed", "heap.feed".into())])?;
        counted(place, &told)
    };
    let run = |_: &Place, seed: u64| {
        let run = ours::whole(planar("heap", &[("seed", seed.to_string())])?)?;
        // That a heap stands in the end is no jam.
        Ok(Run {
            through: true,
            ..run
        })
    };
    Job {
        peer: Box::new(peer),
        ours: vec![("own step, at rest nothing is stepped", Box::new(run))],
    }
}
