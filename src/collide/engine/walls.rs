//! Walls as the engine keeps them: which of their surfaces the grains of each cell can meet.
//!
//! Surfaces of walls that stand, or swing by little, and have few pieces are known cell by cell. Walls that go on, and those of very many
//! pieces, are asked at each look for what is near a grain's way.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::cells::Cells;
use super::{SetupError, next};
use crate::geometry::path::Path;
use crate::geometry::{Dimension, Vector};
use crate::neighbor::PeriodicAxis;
use crate::walls::{Boundary, Meeting, Motion, Seen, Touch, Wall, Way};

/// Radii that a grain goes at most between looks for the pieces of a wall that has very many.
const FORESEEN: f64 = 64.0;

/// A surface of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Face {
    /// Index of the wall.
    pub wall: u16,
    /// Number of the surface, images told apart.
    pub surface: u32,
}

/// What walls are made from; a saved engine holds this.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Uncut<D: Dimension> {
    boundaries: Vec<Boundary<D>>,
    periodic: Vec<Option<PeriodicAxis>>,
}

/// All walls, cut into surfaces.
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
    /// Number of the first surface of each wall among those of all.
    first: Vec<u32>,
    /// Walls that are asked at each look.
    asked: Vec<u16>,
    /// Surfaces that may be met together, sets of which each cell has one.
    sets: Vec<Vec<Face>>,
    /// For each cell its set.
    of_cell: Vec<u32>,
    /// For each cell a bit: whether there is anything to be met. Asked at every look.
    near: Vec<u64>,
}

/// A grain's path from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flyer<D: Dimension> {
    pub path: Path<D>,
    pub radius: f64,
    /// Now, s, on the clock of the walls.
    pub clock: f64,
}

/// The earliest that was found on a grain's way, which ends there.
struct First<'a, D: Dimension> {
    walls: &'a Walls<D>,
    way: Way<D>,
    event: Option<u32>,
    /// The last wall that was asked.
    asked: Option<u16>,
    /// The way as that sees it.
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
            // By then a gate may be open.
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

/// How many surfaces a wall has, images told apart.
fn surfaces<D: Dimension>(wall: &Wall<D>) -> u32 {
    wall.surfaces.len() as u32 * wall.images.count()
}

/// How far a wall's surface is ever moved, m; infinite when unbounded.
fn reach<D: Dimension>(motion: &Motion<D>) -> f64 {
    match motion {
        motion if motion.is_fixed() => 0.0,
        Motion::Harmonic { amplitude, .. } => 2.0 * amplitude.norm(),
        Motion::Parabolic { amplitude, .. } => amplitude.norm(),
        _ => f64::INFINITY,
    }
}

impl<D: Dimension> Walls<D> {
    /// Cuts boundaries in a box whose periodic axes are told.
    ///
    /// # Errors
    /// Which cannot be cut, or what there is too much of.
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
        Ok(Walls {
            asked: asked.map(|w| w as u16).collect(),
            cut,
            first,
            sets: vec![Vec::new()],
            of_cell: Vec::new(),
            near: Vec::new(),
        })
    }

    /// Bytes of what cells know.
    pub fn bytes(&self) -> usize {
        let sets = self
            .sets
            .iter()
            .map(|set| set.capacity() * size_of::<Face>());
        self.of_cell.capacity() * 4 + self.near.capacity() * 8 + sets.sum::<usize>()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cut.list.is_empty()
    }
    /// A wall.
    pub fn wall(&self, index: u16) -> &Wall<D> {
        &self.cut.list[usize::from(index)]
    }
    /// The number by which events tell a surface.
    fn name(&self, face: Face) -> u32 {
        self.first[usize::from(face.wall)] + face.surface
    }
    /// The surface of a number.
    pub fn face(&self, name: u32) -> Face {
        let wall = self.first.partition_point(|&first| first <= name) - 1;
        Face {
            wall: wall as u16,
            surface: name - self.first[wall],
        }
    }

    /// Finds which surfaces grains of a radius up to `largest` (m) in each cell can be near.
    pub fn lay_out(&mut self, cells: &Cells, largest: f64) {
        if self.is_empty() {
            return;
        }
        self.of_cell = vec![0; cells.len()];
        let all = if self.asked.is_empty() { 0 } else { u64::MAX };
        self.near = vec![all; cells.len().div_ceil(64)];
        let mut known = HashMap::from([(Vec::new(), 0u32)]);
        for (index, [min, max]) in cells.boxes::<D>() {
            let set = self.near_box(min, max, largest);
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
    fn near_box(&self, min: D::Vector, max: D::Vector, largest: f64) -> Vec<Face> {
        // The distance changes by no more than the way from the middle; boxes without end on a
        // side reach everything there.
        let far = (0..D::N).any(|k| !min[k].is_finite() || !max[k].is_finite());
        let mut set = Vec::new();
        for (index, wall) in self.cut.list.iter().enumerate() {
            if self.asked.contains(&(index as u16)) {
                continue;
            }
            let wall_index = index as u16;
            if far {
                set.extend((0..surfaces(wall)).map(|surface| Face {
                    wall: wall_index,
                    surface,
                }));
                continue;
            }
            let middle = (min + max) * 0.5;
            let moved = reach(&wall.boundary.motion);
            let within = ((max - min).norm() * 0.5 + largest + moved) * (1.0 + 1e-9);
            let pose = wall.pose(0.0);
            wall.near(&pose, middle, within, |surface, _| {
                if wall.surface_distance(surface, middle, 0.0) <= within {
                    set.push(Face {
                        wall: wall_index,
                        surface,
                    });
                }
            });
        }
        set
    }

    /// What a grain in a cell meets before `after` s from now: when, and the event that it is; counts what was tested.
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
            wall.near(&pose, place, grain.radius + reach, |surface, _| {
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

    /// Whether a grain in a cell that is put from one place to another comes nearer than it may to a surface.
    pub fn block(&self, cell: u32, grain: &Flyer<D>, from: D::Vector) -> bool {
        let to = grain.path.position;
        let nearer = |face: Face| {
            let wall = self.wall(face.wall);
            let gap = |x: D::Vector| wall.surface_distance(face.surface, x, grain.clock);
            let now = gap(to);
            wall.is_there(grain.radius, grain.clock) && now < grain.radius && now < gap(from)
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

    /// Where a grain touches a surface; none where another part of the wall is touched.
    pub fn touch(&self, face: Face, x: D::Vector, radius: f64, time: f64) -> Option<Touch<D>> {
        self.wall(face.wall).touch(face.surface, x, radius, time)
    }
}
