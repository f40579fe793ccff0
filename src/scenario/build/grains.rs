//! Grains at the start: fills, files, lists; then the overlap check.

use std::path::Path;

use super::check::Check;
use super::mixture::{Known, mixture};
use super::outside::Vessels;
use super::shapes::Shaped;
use super::{MAX_GRAINS, walls};
use crate::body::{Formed, Grain};
use crate::geometry::{Dimension, Vector};
use crate::record::{FillFigures, FillSizes};
use crate::scenario::fill::{self, Filling};
use crate::scenario::input;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{FillSpec, GrainSpec};
use crate::scenario::table;
use crate::system::PeriodicAxis;
use crate::system::filling::Inside;
use crate::walls::Boundary;

/// The grains of all fills, and the origin of each grain.
pub(super) struct Filled<D: Dimension> {
    pub grains: Vec<Grain<D>>,
    /// First grain of each fill, with the place to point to.
    starts: Vec<(usize, Place, Listed)>,
    /// Where there are agglomerates: for each of their parts and each grain the grain as filled, by index, and the number of the part.
    pub parts: Vec<(usize, Option<usize>)>,
    /// Figures of each fill for the summary.
    pub figures: Vec<FillFigures>,
    pub warnings: Vec<String>,
}

/// ShapeTemplate in which a fill lists its grains.
#[derive(Clone, Copy, PartialEq)]
enum Listed {
    Made,
    InFile,
    OneByOne,
}

impl<D: Dimension> Filled<D> {
    /// Returns the place where a grain was written, and its name in messages.
    pub fn origin(&self, index: usize) -> (Place, String) {
        let Some(&(whole, part)) = self.parts.get(index) else {
            return self.origin_as_filled(index);
        };
        let (place, name) = self.origin_as_filled(whole);
        match part {
            Some(part) => (place, format!("part {part} of {name}")),
            None => (place, name),
        }
    }

    fn origin_as_filled(&self, index: usize) -> (Place, String) {
        let found = self.starts.iter().rev().find(|(start, ..)| *start <= index);
        match found {
            Some((start, place, Listed::OneByOne)) => {
                let place = place.index(index - start);
                let name = format!("`{place}`");
                (place, name)
            }
            Some((start, place, Listed::InFile)) => (
                place.clone(),
                format!("grain {} of the file (`{place}`)", index - start + 1),
            ),
            Some((start, place, Listed::Made)) => (
                place.clone(),
                format!("grain {} of `{place}`", index - start + 1),
            ),
            None => (Place::default(), format!("grain {index}")),
        }
    }
}

/// The surroundings in which fills are made.
#[derive(Clone, Copy)]
pub(super) struct Around<'a, D: Dimension> {
    /// Walls as written.
    pub walls: &'a [Boundary<D>],
    /// Walls including those of their images that reach into a periodic box or touch it.
    pub images: &'a [Boundary<D>],
    pub gravity: D::Vector,
    pub periodic: &'a [Option<PeriodicAxis>],
}

/// Makes the grains of all fills; writes files into the spec as lists.
pub(super) fn fills<D: Formed>(
    check: Check<'_>,
    specs: &mut [FillSpec],
    known: Known<'_, D>,
    around: Around<'_, D>,
    seed: u64,
    folder: Option<&Path>,
) -> Result<Filled<D>, Problem> {
    let mut filled = Filled::<D> {
        grains: Vec::new(),
        starts: Vec::new(),
        parts: Vec::new(),
        figures: Vec::new(),
        warnings: Vec::new(),
    };
    let vessels = Vessels::new(around.walls, around.gravity);
    for (k, spec) in specs.iter_mut().enumerate() {
        let at = Place::of("fill").index(k);
        let kind = check.one_of(
            &at,
            "how the grains are placed",
            &[
                ("lattice", spec.lattice.is_some()),
                ("random", spec.random.is_some()),
                ("roll_down", spec.roll_down.is_some()),
                ("file", spec.file.is_some()),
                ("grains", spec.grains.is_some()),
            ],
        )?;
        let here = at.key(kind);
        let mut listed = Listed::Made;
        if let Some(file) = spec.file.take() {
            let read = input::table(&here, &file, folder, table::grains::<D>)?;
            let first = filled.grains.len();
            let told = read.ids.and_then(|ids| renumbered(&here, &ids, first));
            filled.warnings.extend(told);
            spec.grains = Some(read.grains);
            listed = Listed::InFile;
        } else if spec.grains.is_some() {
            listed = Listed::OneByOne;
        }
        let start = filled.grains.len();
        let mut held = Vec::new();
        let made = if let Some(list) = &spec.grains {
            let mixed = [
                ("mix", !spec.mix.is_empty()),
                ("mix_by", spec.mix_by.is_some()),
            ];
            if let Some((key, _)) = mixed.iter().find(|(_, given)| *given) {
                return Err(Problem::at_key(
                    &at.key(key),
                    format!(
                        "`{at}` lists its grains one by one, so that nothing is drawn: `{key}` is for `lattice`, `random` and `roll_down`"
                    ),
                ));
            }
            let material = known.materials.index(&spec.material);
            let shape = known.shapes.of(spec.shape.as_deref(), spec.equal_measure);
            if spec.equal_measure
                && let Some(i) = list.iter().position(|grain| grain.radius.is_none())
            {
                let what = "`equal_measure` says what the radii mean, but this grain has none";
                return Err(Problem::at(&here.index(i), what));
            }
            limit(&here, list.len() as u64, start)?;
            list.iter()
                .enumerate()
                .map(|(i, grain)| {
                    let density = known.materials.density(material);
                    let id = (start + i) as u32;
                    one::<D>(check, &here.index(i), grain, id, material, density, shape)
                })
                .collect::<Result<Vec<_>, _>>()?
        } else {
            let (count, radius, min, max) = match (&spec.lattice, &spec.random, &spec.roll_down) {
                (Some(f), ..) => (f.count, &f.radius, &f.min, &f.max),
                (_, Some(f), _) | (_, _, Some(f)) => (f.count, &f.radius, &f.min, &f.max),
                _ => return Err(Problem::at(&at, format!("`{at}` places no grains"))),
            };
            limit(&here.key("count"), count, start)?;
            let (min, max) = check.corners::<D>(&here, min, max)?;
            let filling = match (&spec.lattice, &spec.random) {
                (Some(lattice), _) => Filling::Lattice {
                    jitter: check.within(&here.key("jitter"), lattice.jitter, 0.0, 1.0)?,
                    speed: check.non_negative(&here.key("speed"), lattice.speed)?,
                },
                (_, Some(_)) => Filling::Random,
                _ => Filling::RollDown,
            };
            let request = fill::Request {
                boundaries: around.images,
                existing: &filled.grains,
                periodic: around.periodic,
                inside: None,
                count: count as usize,
                what: mixture(
                    check,
                    &at,
                    &spec.sorts(),
                    spec.mix_by,
                    (&here.key("radius"), radius),
                    known,
                )?,
                min,
                max,
                first_id: start as u32,
            };
            let mut made = fill::fill(filling, &request, seed, k).map_err(|why| {
                Problem::at_key(&here, format!("`{here}` cannot be filled: {why}"))
            })?;
            // If some grains would be outside the vessel that the others are in, all are placed inside.
            held = vessels.holding(&places(&made), Some((min, max)));
            if let Some(first) = held.first().filter(|held| held.is_meant) {
                let inside = |x: D::Vector, radius: f64| {
                    let mut all = held.iter();
                    all.all(|held| vessels.holds(held.vessel, x, radius))
                };
                let request = fill::Request {
                    inside: Some(Inside(&inside)),
                    ..request
                };
                made = fill::fill(filling, &request, seed, k).map_err(|why| {
                    let text = format!(
                        "`{here}` cannot be filled: {} of {count} grains would be outside of the vessel {}, and inside of it {why}",
                        first.outside.len(),
                        first.names
                    );
                    Problem::at_key(&here, text)
                })?;
                held.clear();
            }
            let density = |material| known.materials.density(material);
            fill::shape(&mut made, &known.shapes.forms, density, seed, k);
            made
        };
        if listed != Listed::Made {
            held = vessels.holding(&places(&made), None);
        }
        filled.warnings.extend(held.iter().map(|held| {
            format!(
                "`{here}`: {} of {} grains start outside of the vessel {} that holds others",
                held.outside.len(),
                made.len(),
                held.names
            )
        }));
        let mut outside: Vec<usize> = held.into_iter().flat_map(|held| held.outside).collect();
        outside.sort_unstable();
        outside.dedup();
        filled.figures.push(FillFigures {
            name: at.to_string(),
            outside: outside.len() as u64,
            sizes: sizes(&made),
        });
        filled.starts.push((start, here, listed));
        filled.grains.extend(made);
        let heavy = |grain: &Grain<D>| {
            let inertia = grain.inertia.iter().fold(0.0, |sum, part| sum + part);
            grain.mass.is_normal() && f64::is_normal(inertia)
        };
        if let Some(k) = filled.grains[start..].iter().position(|g| !heavy(g)) {
            let grain = &filled.grains[start + k];
            let (place, name) = filled.origin(start + k);
            let text = format!(
                "{name}: with a radius of {:e} m its mass is {:e} kg and its moments of inertia are {:?} kg m^2, which no number holds well",
                grain.radius, grain.mass, grain.inertia
            );
            return Err(Problem::at(&place, text));
        }
    }
    Ok(filled)
}

/// Returns centres and radii.
fn places<D: Dimension>(grains: &[Grain<D>]) -> Vec<(D::Vector, f64)> {
    grains.iter().map(|g| (g.position, g.radius)).collect()
}

/// Returns the diameters below which given fractions of the mass lie, m.
fn sizes<D: Dimension>(grains: &[Grain<D>]) -> FillSizes {
    let mut sorted: Vec<(f64, f64)> = grains.iter().map(|g| (2.0 * g.radius, g.mass)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = sorted.iter().map(|grain| grain.1).sum();
    let finer = |share: f64| {
        let mut sum = 0.0;
        let found = sorted.iter().find(|grain| {
            sum += grain.1;
            sum >= share * all
        });
        found.or(sorted.last()).map_or(0.0, |grain| grain.0)
    };
    FillSizes {
        d10: finer(0.1),
        d50: finer(0.5),
        d90: finer(0.9),
    }
}

fn limit(place: &Place, count: u64, before: usize) -> Result<(), Problem> {
    if count == 0 {
        return Err(Problem::at(
            place,
            format!("`{place}` is 0, but must be at least 1"),
        ));
    }
    if count.saturating_add(before as u64) > MAX_GRAINS {
        return Err(Problem::at(
            place,
            format!(
                "`{place}`: {count} grains{} are more than the {MAX_GRAINS} that a scenario may start with",
                if before > 0 {
                    format!(" on top of {before}")
                } else {
                    String::new()
                }
            ),
        ));
    }
    Ok(())
}

/// Warns that the grains of a file get numbers other than their `id`; the first one gets `first`.
fn renumbered(place: &Place, ids: &[u64], first: usize) -> Option<String> {
    let (k, id) = (first..).zip(ids).find(|(k, id)| *k as u64 != **id)?;
    let last = first + ids.len() - 1;
    Some(format!(
        "`{place}`: its grains are numbered {first} to {last} in the order of their `id`: {k} is the one whose `id` is {id}"
    ))
}

fn one<D: Dimension>(
    check: Check<'_>,
    place: &Place,
    spec: &GrainSpec,
    id: u32,
    material: u16,
    density: f64,
    shape: Option<Shaped<'_, D>>,
) -> Result<Grain<D>, Problem> {
    let position = check.vector::<D>(&place.key("position"), &spec.position)?;
    let turn = match &spec.rotation {
        Some(turn) => walls::spin::<D>(check, &place.key("rotation"), turn)?,
        None => D::Spin::default(),
    };
    let (radius, centre) = match (spec.radius, shape) {
        (Some(radius), shape) => {
            let radius = check.positive(&place.key("radius"), radius)?;
            let radius = shape.map_or(radius, |shape| shape.radius(radius));
            (radius, position)
        }
        (None, Some(shape)) => {
            let turned = D::turned(D::identity(), turn);
            let centre = D::rotate(turned, shape.form.centroid);
            (shape.form.reach, position + centre)
        }
        (None, None) => {
            let what = format!(
                "`{place}` needs a `radius`: only grains of a shape of several parts do without"
            );
            return Err(Problem::at(place, what));
        }
    };
    let mut grain = Grain::<D>::new(id, material, radius, density, centre);
    if let Some(shape) = shape {
        grain.shape(shape.index, shape.form, density);
        grain.rotation = shape.form.axes;
    }
    if spec.rotation.is_some() {
        grain.rotation = D::turned(grain.rotation, turn);
    }
    grain.velocity = check.vector_or_zero::<D>(&place.key("velocity"), spec.velocity.as_deref())?;
    if let Some(spin) = &spec.spin {
        grain.spin = walls::spin::<D>(check, &place.key("spin"), spin)?;
    }
    Ok(grain)
}

/// Formats the components of a vector for a message: `(0.1, 0.2)`.
pub(super) fn point<V: Vector>(x: &V) -> String {
    let list: Vec<String> = x.components().map(|v| format!("{v:.6}")).collect();
    let trimmed = list.iter().map(|text| {
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0" } else { text }
    });
    format!("({})", trimmed.collect::<Vec<_>>().join(", "))
}
