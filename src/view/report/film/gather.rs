//! Converts snapshots to compact frames.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::record::read::{Snapshot, Snapshots, TableReader};
use crate::record::{BodyRef, BondState, GrainRow, LinkRow, RecordError, RunMeta, Table};
use crate::view::colour::Layers;

/// Limit on the rows of grains held in memory; of longer records only some snapshots are used.
const MOST_ROWS: usize = 8_000_000;

/// Constant properties of a grain.
#[derive(Clone, Copy, Debug)]
pub(in crate::view::report) struct Constant {
    pub(in crate::view::report) id: u32,
    pub(in crate::view::report) radius: f32,
    /// Index in the list of shapes, from 1; 0: a disk or a sphere.
    pub(super) shape: u16,
    pub(super) layer: u8,
}

/// A grain in a frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::view::report) struct GrainState {
    /// Index of the grain's constants.
    pub(in crate::view::report) index: u32,
    pub(in crate::view::report) position: [f32; 3],
    pub(in crate::view::report) velocity: [f32; 3],
    pub(super) rotation: [f32; 4],
    /// Component about z in the plane; magnitude in space.
    pub(super) spin: f32,
    pub(super) regime: u8,
    /// Index, from 1, of the constants of the grain that its cluster is named after; 0: none.
    pub(super) cluster: u32,
    /// The same for its group at rest.
    pub(super) group: u32,
    /// The same for its fragment; 0: no bond joins it.
    pub(super) fragment: u32,
}

/// A link in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkState {
    /// Index of a grain's constants.
    pub(super) a: u32,
    /// Index of a grain's constants, or [`WALL`] and the boundary's number.
    pub(super) b: u32,
    pub(super) force: f32,
    /// Bit flags: 1 slips, 2 stable, 4 pulls, 8 bonded; the upper four bits have the share of the bond's strength.
    pub(super) flags: u8,
    /// For a link with a wall: vector from the grain's centre to the contact point over its radius.
    pub(super) offset: [f32; 3],
}

/// Returns the flags of a link with a bond.
fn flags_of(bond: &BondState) -> u8 {
    8 | ((bond.share.clamp(0.0, 1.0) * 15.0) as u8) << 4
}

/// Marks a wall among the bodies of links.
pub(super) const WALL: u32 = 1 << 31;

/// A snapshot.
#[derive(Debug)]
pub(in crate::view::report) struct Frame {
    pub(in crate::view::report) time: f64,
    /// Sorted by index.
    pub(in crate::view::report) grains: Vec<GrainState>,
    /// Sorted by the pair of bodies.
    pub(super) links: Vec<LinkState>,
    /// Number of links between grains, and with walls: two bodies may touch at several places.
    pub(in crate::view::report) contacts: (usize, usize),
}

impl Frame {
    /// Returns the compressive normal forces, N.
    pub(in crate::view::report) fn forces(&self) -> Vec<f64> {
        let pressing = self.links.iter().filter(|l| l.flags & 4 == 0);
        let forces = pressing.map(|l| f64::from(l.force));
        forces.filter(|f| *f > 0.0 && f.is_finite()).collect()
    }
}

/// The snapshots of a run.
#[derive(Debug)]
pub(in crate::view::report) struct Frames {
    pub(in crate::view::report) meta: RunMeta,
    /// Number of snapshots that the run recorded.
    pub(in crate::view::report) recorded: usize,
    pub(in crate::view::report) grains: Vec<Constant>,
    pub(in crate::view::report) frames: Vec<Frame>,
    /// The last snapshot as recorded.
    pub(in crate::view::report) last: Snapshot,
    /// Index of the constants of each grain, by its number.
    index: BTreeMap<u32, u32>,
}

impl Frames {
    /// Returns an empty list, for a run that has recorded no snapshots yet.
    pub(in crate::view::report) fn none(meta: RunMeta) -> Frames {
        Frames {
            meta,
            recorded: 0,
            grains: Vec::new(),
            frames: Vec::new(),
            last: Snapshot::default(),
            index: BTreeMap::new(),
        }
    }

    /// Reads a run's snapshots.
    pub(super) fn read(dir: &Path) -> Result<Frames, RecordError> {
        let every = TableReader::open(dir, Table::Grains)?
            .rows()
            .div_ceil(MOST_ROWS)
            .max(1);
        let mut reader = Snapshots::open(dir)?;
        let mut frames = Frames::none(reader.meta.clone());
        let mut layers = Layers::default();
        while let Some(snapshot) = reader.next_snapshot()? {
            // Layers are those of the bed at the start: the last snapshot of the settling, if any.
            if frames.recorded == 0 || snapshot.time <= 0.0 {
                layers = frames.layers(&snapshot.grains);
            }
            if frames.recorded.is_multiple_of(every) {
                frames.take(snapshot.time, &snapshot.grains, &snapshot.links);
            }
            frames.recorded += 1;
            frames.last = snapshot;
        }
        frames.dye(&layers, 0);
        Ok(frames)
    }

    /// Returns layers of these grains by their heights.
    pub(in crate::view::report) fn layers(&self, grains: &[GrainRow]) -> Layers {
        let up = self.meta.dimensions - 1;
        Layers::new(grains.iter().map(|g| (g.grain, g.position[up], g.radius)))
    }

    /// Assigns layers to the grains from index `from` on.
    pub(in crate::view::report) fn dye(&mut self, layers: &Layers, from: usize) {
        for grain in &mut self.grains[from..] {
            grain.layer = layers.place(grain.id);
        }
    }

    /// Adds a snapshot as a frame.
    pub(in crate::view::report) fn take(
        &mut self,
        time: f64,
        rows: &[GrainRow],
        linked: &[LinkRow],
    ) {
        let index = &mut self.index;
        for grain in rows {
            index.entry(grain.grain).or_insert_with(|| {
                self.grains.push(Constant {
                    id: grain.grain,
                    radius: grain.radius as f32,
                    shape: grain.shape.map_or(0, |k| k.saturating_add(1)),
                    layer: 0,
                });
                (self.grains.len() - 1) as u32
            });
        }
        let single = |v: [f64; 3]| v.map(|x| x as f32);
        let planar = self.meta.dimensions == 2;
        let named = |id: i64| {
            let place = u32::try_from(id).ok().and_then(|id| index.get(&id));
            place.map_or(0, |place| place + 1)
        };
        let bonded = linked.iter().filter(|link| link.bond.is_some());
        let bonded: BTreeSet<u32> = bonded
            .flat_map(|link| [link.body_a, link.body_b])
            .filter_map(|body| match body {
                BodyRef::Grain(grain) => Some(grain),
                _ => None,
            })
            .collect();
        let mut grains: Vec<GrainState> = rows
            .iter()
            .map(|g| GrainState {
                index: index[&g.grain],
                position: single(g.position),
                velocity: single(g.velocity),
                rotation: g.rotation.map(|x| match planar {
                    // Whole turns would cost visible digits.
                    true => libm::remainder(x, std::f64::consts::TAU) as f32,
                    false => x as f32,
                }),
                spin: match planar {
                    true => g.spin[0] as f32,
                    false => g.spin.iter().map(|w| w * w).sum::<f64>().sqrt() as f32,
                },
                regime: g.regime as u8,
                cluster: named(g.cluster),
                group: named(g.group),
                fragment: match bonded.contains(&g.grain) {
                    true => named(i64::from(g.fragment)),
                    false => 0,
                },
            })
            .collect();
        grains.sort_by_key(|g| g.index);
        let place = |id: u32| {
            let here = index.get(&id).copied()?;
            let found = grains.binary_search_by_key(&here, |g| g.index).ok()?;
            Some((here, grains[found].position))
        };
        let mut links = Vec::with_capacity(linked.len());
        let mut seen = BTreeSet::new();
        let mut contacts = (0, 0);
        for link in linked {
            let (BodyRef::Grain(a), false) = (link.body_a, link.normal_force.is_nan()) else {
                continue;
            };
            let Some((a, centre)) = place(a) else {
                continue;
            };
            let (b, offset) = match link.body_b {
                BodyRef::Grain(b) => match place(b) {
                    Some((b, _)) => (b, [0.0; 3]),
                    None => continue,
                },
                BodyRef::Boundary(wall) => {
                    let radius = self.grains[a as usize].radius;
                    let off = |k: usize| (link.point[k] as f32 - centre[k]) / radius;
                    (WALL | u32::from(wall), std::array::from_fn(off))
                }
                BodyRef::None => continue,
            };
            // The grains of a bond need not touch.
            match b & WALL {
                0 if link.bond.is_some() && link.overlap < 0.0 => {}
                0 => contacts.0 += 1,
                _ => contacts.1 += 1,
            }
            // Two shapes may touch at several places; the first stands for all contacts of a pair.
            let pair = if b & WALL == 0 && b < a {
                (b, a)
            } else {
                (a, b)
            };
            if !seen.insert(pair) {
                continue;
            }
            links.push(LinkState {
                a: pair.0,
                b: pair.1,
                force: link.normal_force.abs() as f32,
                flags: u8::from(link.slipping)
                    | u8::from(link.stable) << 1
                    | u8::from(link.normal_force < 0.0) << 2
                    | link.bond.as_ref().map_or(0, flags_of),
                offset,
            });
        }
        links.sort_by_key(|l| (l.a, l.b));
        self.frames.push(Frame {
            time,
            grains,
            links,
            contacts,
        });
    }

    /// Keeps every `every`th frame, including the last one.
    pub(super) fn thin(&mut self, every: usize) {
        let last = self.frames.len() - 1;
        let mut k = 0;
        self.frames.retain(|_| {
            let keep = (last - k).is_multiple_of(every);
            k += 1;
            keep
        });
    }

    /// Returns the mean radius, m.
    pub(in crate::view::report) fn mean_radius(&self) -> f64 {
        let sum: f64 = self.grains.iter().map(|g| f64::from(g.radius)).sum();
        sum / self.grains.len().max(1) as f64
    }
}
