//! Where forces run and where links slide: directions of links, one grain's avalanche, heat by
//! height, and the slope of a heap made by the same rolling down.

use arenite::geometry::Planar;
use arenite::record::{AvalancheRow, BodyRef, EventRow, LinkRow};
use arenite::study::correlation::spearman;
use arenite::study::ensemble::{Spread, spread};
use arenite::system::Setup;

use super::{DRAWN, Failure, Filling};

/// Parts of the height of a bed that the heat of slides is told for.
const PARTS: usize = 5;

/// Heats of slides by height, from the floor up, J (the thesis draws them: Fig. 4.10b).
#[derive(Clone, Debug, Default)]
pub(super) struct Heats {
    inside: [f64; PARTS],
    wall: [f64; PARTS],
}

pub(super) fn wall(body: BodyRef) -> bool {
    matches!(body, BodyRef::Boundary(_))
}

impl Heats {
    /// Sums over the slides of a filling `height` metres high.
    pub(super) fn new<'a>(slides: impl Iterator<Item = &'a EventRow>, height: f64) -> Self {
        let mut heats = Heats::default();
        for row in slides {
            // The highest grains stand out of a bed whose height is that of its centre of mass.
            let part = (row.position[1] / height * PARTS as f64).max(0.0) as usize;
            let by_height = if wall(row.body_a) || wall(row.body_b) {
                &mut heats.wall
            } else {
                &mut heats.inside
            };
            by_height[part.min(PARTS - 1)] += row.energy;
        }
        heats
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn of(
    fillings: &[Filling],
    value: impl Fn(&Filling) -> Result<f64, Failure>,
) -> Result<Spread, Failure> {
    let values: Result<Vec<f64>, Failure> = fillings.iter().map(value).collect();
    Ok(spread(&values?)?)
}

fn line(name: &str, s: Spread) {
    println!(
        "| {name} | {:.4} | {:.4} | {:.4} |",
        s.mean, s.deviation, s.error
    );
}

fn between_grains(f: &Filling) -> impl Iterator<Item = &LinkRow> {
    f.links.iter().filter(|l| !wall(l.body_b))
}

/// Median angle to the horizontal of the links with more than so many mean forces, degrees.
fn angle(f: &Filling, least: f64) -> Result<f64, Failure> {
    let links: Vec<&LinkRow> = between_grains(f).collect();
    let mean = links.iter().map(|l| l.normal_force).sum::<f64>() / links.len() as f64;
    let strong = links.iter().filter(|l| l.normal_force > least * mean);
    let degrees = |l: &&LinkRow| l.normal[1].abs().atan2(l.normal[0].abs()).to_degrees();
    Ok(median(strong.map(degrees).collect()))
}

/// Compression of the contacts between grains, m.
fn compression(f: &Filling) -> Result<f64, Failure> {
    let overlaps: Vec<f64> = between_grains(f).map(|l| l.overlap).collect();
    Ok(overlaps.iter().sum::<f64>() / overlaps.len() as f64)
}

/// How far the order in which grains came is that of their heights.
fn by_height(f: &Filling) -> Result<f64, Failure> {
    let heights: Vec<f64> = f.setup.grains.iter().map(|g| g.position.y).collect();
    let order: Vec<f64> = (0..heights.len()).map(|k| k as f64).collect();
    Ok(spearman(&order, &heights)?.coefficient)
}

fn with_the_bed(f: &Filling, heat: bool) -> Result<f64, Failure> {
    let grains: Vec<f64> = f.avalanches.iter().map(|a| a.start).collect();
    let measure = |a: &AvalancheRow| if heat { a.energy } else { a.size as f64 };
    let measures: Vec<f64> = f.avalanches.iter().map(measure).collect();
    Ok(spearman(&grains, &measures)?.coefficient)
}

pub(super) fn places(fillings: &[Filling]) -> Result<(), Failure> {
    println!(
        "\n| over {} fillings | mean | standard deviation | standard error |\n|---|---|---|---|",
        fillings.len()
    );
    for least in [0.0, 1.0, 2.0] {
        let name = format!("degrees to the horizontal, links over {least} mean forces, median");
        line(&name, of(fillings, |f| angle(f, least))?);
    }
    let micrometres = of(fillings, |f| Ok(1e6 * compression(f)?))?;
    line("compression of a contact, um", micrometres);
    line(
        "rank correlation of size and grains there",
        of(fillings, |f| with_the_bed(f, false))?,
    );
    line(
        "rank correlation of heat and grains there",
        of(fillings, |f| with_the_bed(f, true))?,
    );
    line(
        "rank correlation of order and height",
        of(fillings, by_height)?,
    );
    drawn(fillings);
    println!("\nHeat of slides by fifths of the height, from the floor up, over all\n");
    println!("| filling | inside | walls and floor |\n|---|---|---|");
    let shares = |heats: &[f64; PARTS]| {
        let sum: f64 = heats.iter().sum();
        let share = |h: &f64| format!("{:.3}", h / sum);
        heats.iter().map(share).collect::<Vec<_>>().join(" ")
    };
    let mut all = Heats::default();
    for (index, f) in fillings.iter().enumerate() {
        for part in 0..PARTS {
            all.inside[part] += f.heats.inside[part];
            all.wall[part] += f.heats.wall[part];
        }
        let name = index + 1;
        println!(
            "| {name} | {} | {} |",
            shares(&f.heats.inside),
            shares(&f.heats.wall)
        );
    }
    println!("| all | {} | {} |", shares(&all.inside), shares(&all.wall));
    Ok(())
}

/// The avalanche that the thesis draws, of the 463rd grain.
fn drawn(fillings: &[Filling]) {
    println!("\nThe 463rd grain\n");
    println!(
        "| filling | links that slid | of them with walls and floor | such links there are | rounds | heat, J | of it at walls and floor |\n|---|---|---|---|---|---|---|"
    );
    for (index, f) in fillings.iter().enumerate() {
        let Some(row) = f.avalanches.iter().find(|a| a.start == DRAWN) else {
            continue;
        };
        let at_walls = f.drawn.values().filter(|at_wall| **at_wall).count();
        println!(
            "| {} | {} | {at_walls} | {} | {} | {:.3e} | {:.3} |",
            index + 1,
            f.drawn.len(),
            f.links.iter().filter(|l| wall(l.body_b)).count(),
            row.rounds,
            row.energy,
            row.by_place[0] / row.energy
        );
    }
}

/// Slopes of a heap: each flank's line through the highest grains of columns a diameter wide,
/// without the crest and the foot, degrees.
pub(super) fn slopes(setup: &Setup<Planar>) -> [f64; 2] {
    let place = |g: &arenite::body::Grain<Planar>| (g.position.x, g.position.y);
    let grains: Vec<(f64, f64)> = setup.grains.iter().map(place).collect();
    let crest = grains
        .iter()
        .copied()
        .fold((0.0, 0.0), |m: (f64, f64), g| if g.1 > m.1 { g } else { m });
    let width = 2.0 * setup.grains.iter().map(|g| g.radius).sum::<f64>() / grains.len() as f64;
    [-1.0, 1.0].map(|side| {
        let mut tops: Vec<(f64, f64)> = Vec::new();
        for (x, y) in &grains {
            let out = side * (x - crest.0);
            if out < 0.0 {
                continue;
            }
            let column = (out / width) as usize;
            if column >= tops.len() {
                tops.resize(column + 1, (f64::NAN, 0.0));
            }
            if *y > tops[column].1 {
                tops[column] = (out, *y);
            }
        }
        let flank: Vec<(f64, f64)> = tops
            .into_iter()
            .skip(1)
            .filter(|(out, y)| out.is_finite() && *y > 2.0 * width)
            .collect();
        let n = flank.len() as f64;
        let (mx, my) = flank
            .iter()
            .fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
        let (xy, xx) = flank.iter().fold((0.0, 0.0), |s, p| {
            (s.0 + (p.0 - mx) * (p.1 - my), s.1 + (p.0 - mx) * (p.0 - mx))
        });
        (-xy / xx).atan().to_degrees()
    })
}
