//! Walls in the engine: the surfaces that grains of each cell can meet.
//!
//! Walls that are fixed, or swing by little, and have few pieces are assigned to cells by surface. Walls with unbounded
//! motion, and those with very many pieces, are searched at each prediction for surfaces near a grain's path.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::cells::Cells;
use super::{SetupError, next};
use crate::geometry::path::Path;
use crate::geometry::surface::Surface;
use crate::geometry::{Dimension, Vector};
use crate::neighbor::PeriodicAxis;
use crate::walls::{Boundary, Meeting, Motion, Seen, Touch, Wall, Way};

/// Greatest distance, in radii, that a grain moves between searches of a wall with very many pieces.
const FORESEEN: f64 = 64.0;

/// Factor that enlarges distances to allow for rounding.
const MORE: f64 = 1.0 + 1e-9;

/// A surface of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Face {
    /// Index of the wall.
    pub wall: u16,
    /// Number of the surface, counting each image separately.
    pub surface: u32,
}

/// Serialized form of walls in a saved engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Uncut<D: Dimension> {
    boundaries: Vec<Boundary<D>>,
    periodic: Vec<Option<PeriodicAxis>>,
}

/// All walls, divided into surfaces.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Uncut<D>", into = "Uncut<D>", bound = "")]
struct Cut<D: Dimension> {
    list: Vec<Wall<D>>,
    periodic: Vec<Option<PeriodicAxis>>,
}

impl<D: Dimension> From<Cut<D>> for Uncut<D> {
    fn from(cut: Cut<D>) -> Self {
        Uncut {
            boundaries: cut.list.into_iter().map(|wall| wall.boundary).collect(),
            periodic: cut.periodic,
        }
    }
}

impl<D: Dimension> TryFrom<Uncut<D>> for Cut<D> {
    type Error = SetupError;
    fn try_from(uncut: Uncut<D>) -> Result<Self, SetupError> {
        let cut = |(index, boundary): (usize, &Boundary<D>)| {
            Wall::new(boundary, &uncut.periodic)
                .map_err(|error| SetupError::Wall(index, error.to_string()))
        };
        let list: Result<_, _> = uncut.boundaries.iter().enumerate().map(cut).collect();
        Ok(Cut {
            list: list?,
            periodic: uncut.periodic,
        })
    }
}

/// The walls of an engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Walls<D: Dimension> {
    cut: Cut<D>,
    /// Number of the first surface of each wall in the list of all surfaces.
    first: Vec<u32>,
    /// Greatest acceleration at which one swings, m/s^2; infinite where one moves in other ways.
    shaken: f64,
    /// Walls that are searched at each prediction.
    asked: Vec<u16>,
    /// Sets of surfaces that may be met together; each cell has one.
    sets: Vec<Vec<Face>>,
    /// Index of the set of each cell.
    of_cell: Vec<u32>,
    /// One bit per cell: whether there is anything to meet. Read at every prediction.
    near: Vec<u64>,
}

/// A grain's path from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flyer<D: Dimension> {
    pub path: Path<D>,
    pub radius: f64,
    /// Present time, s, on the clock of the walls.
    pub clock: f64,
}

/// Search for the earliest event on a grain's path, which ends there.
struct First<'a, D: Dimension> {
    walls: &'a Walls<D>,
    way: Way<D>,
    event: Option<u32>,
    /// The last wall tested.
    asked: Option<u16>,
    /// The path relative to that wall.
    seen: Option<Seen<D>>,
    tests: &'a mut u64,
}

impl<D: Dimension> First<'_, D> {
    fn see(&mut self, face: Face) {
        let (wall, way) = (self.walls.wall(face.wall), &self.way);
        if !wall.is_there(way.radius, way.now) {
            return;
        }
        *self.tests += 1;
        if self.asked != Some(face.wall) {
            (self.asked, self.seen) = (Some(face.wall), way.seen_from(wall));
        }
        match way.first_meeting(self.seen.as_ref(), wall, face.surface) {
            Meeting::None => {}
            // A gate may be open by then.
            Meeting::In(time) if !wall.is_there(way.radius, way.now + time) => {}
            Meeting::In(time) => self.take(time, next::WALL + self.walls.name(face)),
            Meeting::NotBefore(time) => self.take(time, next::LOOK),
        }
    }
    fn take(&mut self, time: f64, event: u32) {
        if time < self.way.length {
            self.way.length = time;
            self.event = Some(event);
        }
    }
}

/// Number of surfaces of a wall, counting each image separately.
fn surfaces<D: Dimension>(wall: &Wall<D>) -> u32 {
    wall.surfaces.len() as u32 * wall.images.count()
}

/// Greatest displacement of a wall's surface, m; infinite if unbounded.
fn reach<D: Dimension>(motion: &Motion<D>) -> f64 {
    match motion {
        motion if motion.is_fixed() => 0.0,
        Motion::Harmonic { amplitude, .. } => 2.0 * amplitude.norm(),
        Motion::Parabolic { amplitude, .. } => amplitude.norm(),
        Motion::Slide(slide) => slide.way.norm(),
        _ => f64::INFINITY,
    }
}

/// Whether a surface of a wall with bounded motion comes nearer than `within`, m, to some point of a box.
fn comes_near<D: Dimension>(
    wall: &Wall<D>,
    surface: u32,
    [mut min, mut max]: [D::Vector; 2],
    within: f64,
) -> bool {
    /// Number of halvings along each axis; boxes still undecided then count as near.
    const HALVINGS: usize = 3;
    if !(min.is_finite() && max.is_finite()) {
        let around = wall.surface(surface).around();
        let Some((centre, radius)) = around.filter(|_| wall.images.are_own()) else {
            return true;
        };
        let (centre, far) = (centre + wall.pose(0.0).shift, (radius + within) * MORE);
        min = D::Vector::from_fn(|k| min[k].max(centre[k] - far));
        max = D::Vector::from_fn(|k| max[k].min(centre[k] + far));
        if (0..D::N).any(|k| min[k] > max[k]) {
            return false;
        }
    }
    let mut boxes = vec![([min, max], 0)];
    while let Some(([min, max], depth)) = boxes.pop() {
        // The distance changes by at most the distance from the centre of the box.
        let middle = (min + max) * 0.5;
        let distance = wall.surface_distance(surface, middle, 0.0);
        if distance > (within + 0.5 * (max - min).norm()) * MORE {
            continue;
        }
        if distance <= within || depth == HALVINGS * D::N {
            return true;
        }
        let mut longest = 0;
        for k in 1..D::N {
            if max[k] - min[k] > max[longest] - min[longest] {
                longest = k;
            }
        }
        let (mut lower, mut upper) = (max, min);
        (lower[longest], upper[longest]) = (middle[longest], middle[longest]);
        boxes.extend([([min, lower], depth + 1), ([upper, max], depth + 1)]);
    }
    false
}

/// Returns a bound of the acceleration of a wall at all times, m/s^2; infinite unless it is at rest, goes on evenly or swings.
fn shake<D: Dimension>(motion: &Motion<D>) -> f64 {
    match motion {
        Motion::Velocity(_) | Motion::Harmonic { .. } | Motion::Parabolic { .. } => {
            motion.greatest_acceleration(0.0)
        }
        motion if motion.is_fixed() => 0.0,
        _ => f64::INFINITY,
    }
}

impl<D: Dimension> Walls<D> {
    /// Divides boundaries into surfaces in a box with the given periodic axes.
    ///
    /// # Errors
    /// If a boundary cannot be divided, or there are too many surfaces.
    pub fn new(
        boundaries: &[Boundary<D>],
        periodic: Vec<Option<PeriodicAxis>>,
    ) -> Result<Self, SetupError> {
        let cut = Cut::try_from(Uncut {
            boundaries: boundaries.to_vec(),
            periodic,
        })?;
        let (mut first, mut count) = (Vec::new(), 0u64);
        for (index, wall) in cut.list.iter().enumerate() {
            first.push(count as u32);
            count += wall.surfaces.len() as u64 * u64::from(wall.images.count());
            if count >= u64::from(next::FACE - next::WALL) {
                let what =
                    format!("there are {count} surfaces up to it, too many to be told apart");
                return Err(SetupError::Wall(index, what));
            }
        }
        let asked = |wall: &Wall<D>| {
            wall.surfaces.are_many() || reach(&wall.boundary.motion) == f64::INFINITY
        };
        let asked = (0..cut.list.len()).filter(|&w| asked(&cut.list[w]));
        let shaken = cut.list.iter().map(|wall| shake(&wall.boundary.motion));
        Ok(Walls {
            shaken: shaken.fold(0.0, f64::max),
            asked: asked.map(|w| w as u16).collect(),
            cut,
            first,
            sets: vec![Vec::new()],
            of_cell: Vec::new(),
            near: Vec::new(),
        })
    }

    /// Bytes of the data of cells.
    pub fn bytes(&self) -> usize {
        let sets = self
            .sets
            .iter()
            .map(|set| set.capacity() * size_of::<Face>());
        self.of_cell.capacity() * 4 + self.near.capacity() * 8 + sets.sum::<usize>()
    }
    /// The greatest acceleration at which a wall swings, m/s^2; infinite where one turns, or begins or ends to move.
    pub fn shaken(&self) -> f64 {
        self.shaken
    }
    /// Whether there is no wall.
    pub fn is_empty(&self) -> bool {
        self.cut.list.is_empty()
    }
    /// A wall.
    pub fn wall(&self, index: u16) -> &Wall<D> {
        &self.cut.list[usize::from(index)]
    }
    /// A wall, for changes of its motion.
    pub fn wall_mut(&mut self, index: usize) -> Option<&mut Wall<D>> {
        self.cut.list.get_mut(index)
    }
    /// Whether a ball at a position touches no wall, at a time, s.
    pub fn leave_free(&self, place: D::Vector, radius: f64, time: f64) -> bool {
        self.cut.list.iter().all(|wall| {
            !wall.is_there(radius, time) || wall.distance(&wall.pose(time), place) > radius
        })
    }
    /// The number that denotes a surface in events.
    fn name(&self, face: Face) -> u32 {
        self.first[usize::from(face.wall)] + face.surface
    }
    /// The surface denoted by a number.
    pub fn face(&self, name: u32) -> Face {
        let wall = self.first.partition_point(|&first| first <= name) - 1;
        Face {
            wall: wall as u16,
            surface: name - self.first[wall],
        }
    }

    /// Finds the surfaces that grains with a radius up to `largest` (m) in each cell can meet.
    pub fn lay_out(&mut self, cells: &Cells, largest: f64) {
        if self.is_empty() {
            return;
        }
        self.of_cell = vec![0; cells.len()];
        let all = if self.asked.is_empty() { 0 } else { u64::MAX };
        self.near = vec![all; cells.len().div_ceil(64)];
        let mut known = HashMap::from([(Vec::new(), 0u32)]);
        for (index, corners) in cells.boxes::<D>() {
            let set = self.near_box(corners, largest);
            let fresh = known.len() as u32;
            let number = *known.entry(set).or_insert_with_key(|set| {
                self.sets.push(set.clone());
                fresh
            });
            self.of_cell[index as usize] = number;
            self.near[index as usize / 64] |= u64::from(number != 0) << (index % 64);
        }
    }

    /// The surfaces that a grain of radius `largest` whose centre is in a box could touch.
    fn near_box(&self, corners: [D::Vector; 2], largest: f64) -> Vec<Face> {
        let mut set = Vec::new();
        for (index, wall) in self.cut.list.iter().enumerate() {
            let index = index as u16;
            if self.asked.contains(&index) {
                continue;
            }
            let within = largest + reach(&wall.boundary.motion);
            let look = |surface: u32| {
                if comes_near(wall, surface, corners, within) {
                    let wall = index;
                    set.push(Face { wall, surface });
                }
            };
            let [min, max] = corners;
            if min.is_finite() && max.is_finite() {
                let far = (within + 0.5 * (max - min).norm()) * MORE;
                let middle = (min + max) * 0.5;
                wall.on_the_way(&wall.pose(0.0), middle, far, look);
            } else {
                (0..surfaces(wall)).for_each(look);
            }
        }
        set
    }

    /// The first wall event of a grain in a cell before `after` s from now: its time and code; counts the surfaces tested.
    pub fn first(
        &self,
        cell: u32,
        grain: &Flyer<D>,
        after: f64,
        tests: &mut u64,
    ) -> Option<(f64, u32)> {
        let mut first = First {
            walls: self,
            way: Way {
                path: grain.path,
                radius: grain.radius,
                now: grain.clock,
                length: after,
                least: 0.0,
            },
            event: None,
            asked: None,
            seen: None,
            tests,
        };
        for &face in self.set(cell) {
            first.see(face);
        }
        for &index in &self.asked {
            let wall = self.wall(index);
            let all = |surface| Face {
                wall: index,
                surface,
            };
            if !wall.surfaces.are_many() {
                (0..surfaces(wall)).for_each(|surface| first.see(all(surface)));
                continue;
            }
            let way = first.way;
            let length = way.length.min(way.window(wall, FORESEEN));
            let reach = Way { length, ..way }.bound(wall) * length;
            let pose = wall.pose(grain.clock);
            let place = grain.path.position;
            wall.on_the_way(&pose, place, grain.radius + reach, |surface| {
                first.see(all(surface));
            });
            if length < first.way.length {
                first.take(length, next::LOOK);
            }
        }
        first.event.map(|event| (first.way.length, event))
    }

    /// Whether there is anything that a grain in a cell could meet.
    #[inline(always)]
    pub fn are_near(&self, cell: u32) -> bool {
        let bits = self.near.get(cell as usize / 64);
        bits.is_some_and(|bits| bits >> (cell % 64) & 1 == 1)
    }

    fn set(&self, cell: u32) -> &[Face] {
        &self.sets[self.of_cell[cell as usize] as usize]
    }

    /// Whether a displacement of a grain in a cell brings it into overlap with a surface, nearer than before.
    pub fn block(&self, cell: u32, grain: &Flyer<D>, from: D::Vector) -> bool {
        let to = grain.path.position;
        let nearer = |face: Face| {
            let wall = self.wall(face.wall);
            let gap = |x: D::Vector| wall.surface_distance(face.surface, x, grain.clock);
            let now = gap(to);
            wall.is_there(grain.radius, grain.clock)
                && wall.away(face.surface, to, grain.clock) <= 0.0
                && now < grain.radius
                && now < gap(from)
        };
        let mut blocked = self.set(cell).iter().any(|&face| nearer(face));
        for &index in &self.asked {
            let wall = self.wall(index);
            wall.near(&wall.pose(grain.clock), to, grain.radius, |surface, _| {
                blocked |= nearer(Face {
                    wall: index,
                    surface,
                });
            });
        }
        blocked
    }

    /// The contact of a grain with a surface; none if it touches another part of the wall.
    pub fn touch(&self, face: Face, x: D::Vector, radius: f64, time: f64) -> Option<Touch<D>> {
        self.wall(face.wall).touch(face.surface, x, radius, time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use crate::walls::Shape;
    use crate::walls::shapes::{Ball, Cuboid, Polyline, Revolved, Vessel};
    use nalgebra::{Vector2, Vector3};
    use rand::{RngExt, SeedableRng};

    /// Checks that a surface touched somewhere in a box is in the box's set; returns the number of
    /// sets that contain a surface, and of all sets.
    fn sets<D: Dimension>(shape: Shape<D>, motion: Motion<D>) -> [usize; 2] {
        let boundary = Boundary {
            motion,
            ..Boundary::standing(shape, 0)
        };
        let walls = Walls::new(&[boundary], vec![None; D::N]).unwrap();
        let (wall, largest) = (walls.wall(0), 0.05);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let mut held = [0; 2];
        for turn in 0..400 {
            let mut min = D::Vector::from_fn(|_| 4.0 * rng.random::<f64>() - 2.0);
            let mut max = min + D::Vector::from_fn(|_| 0.7 * rng.random::<f64>());
            let ends = [min, max];
            if turn % 2 == 0 {
                let k = rng.random_range(0..D::N);
                if turn % 4 == 0 {
                    min[k] = f64::NEG_INFINITY;
                } else {
                    max[k] = f64::INFINITY;
                }
            }
            let set = walls.near_box([min, max], largest);
            held[0] += set.len();
            held[1] += surfaces(wall) as usize;
            for _ in 0..100 {
                let x = D::Vector::from_fn(|k| {
                    let share: f64 = rng.random();
                    match (min[k].is_finite(), max[k].is_finite()) {
                        (false, _) => max[k] - 3.0 * share,
                        (_, false) => min[k] + 3.0 * share,
                        _ => ends[0][k] + share * (ends[1][k] - ends[0][k]),
                    }
                });
                let time = 5.0 * rng.random::<f64>();
                for surface in 0..surfaces(wall) {
                    let touches = wall.surface_distance(surface, x, time) <= largest;
                    let face = Face { wall: 0, surface };
                    assert!(
                        !touches || set.contains(&face),
                        "{surface} of {min:?} {max:?}"
                    );
                }
            }
        }
        held
    }

    #[test]
    fn sets_hold_all_that_is_touched_and_little_else() {
        let swing = Motion::Harmonic {
            amplitude: Vector3::new(0.1, 0.0, -0.2),
            frequency: 0.7,
            phase: 0.3,
        };
        let can = |motion| {
            let shape = Revolved {
                origin: Vector3::new(0.1, 0.0, -0.8),
                axis: Vector3::new(0.0, 0.3, 1.0),
                profile: vec![[0.0, 0.0], [0.9, 0.0], [0.9, 1.7], [0.0, 1.7]],
            };
            sets::<Spatial>(shape.into(), motion)
        };
        for [held, all] in [can(Motion::Fixed), can(swing)] {
            assert!(held < all / 2, "{held} of {all}");
        }
        let vessel = Vessel {
            from: Vector3::new(0.0, -0.5, 0.0),
            to: Vector3::new(0.0, 0.6, 0.0),
            radius: 0.8,
            lid_radius: 1.0,
        };
        sets::<Spatial>(vessel.into(), Motion::Fixed);
        for inside in [false, true] {
            let (centre, radius) = (Vector2::new(0.2, 0.1), 0.7);
            let ball = Ball {
                centre,
                radius,
                inside,
            };
            sets::<Planar>(ball.into(), Motion::Fixed);
            let (min, max) = (Vector3::new(-0.5, -0.4, -1.0), Vector3::new(0.6, 0.9, 0.3));
            sets::<Spatial>(Cuboid { min, max, inside }.into(), Motion::Fixed);
        }
        let chain = Polyline {
            points: [[-1.0, 0.0], [0.0, -1.0], [0.5, 0.5]]
                .map(|[x, y]| Vector2::new(x, y))
                .into(),
            closed: false,
        };
        let [held, all] = sets::<Planar>(chain.into(), Motion::Fixed);
        assert!(held < all / 2, "{held} of {all}");
    }
}
