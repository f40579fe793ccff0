//! Candidate lists: pairs that may come into contact soon, and the contact history of links.
//!
//! There are two levels: an outer list of all pairs nearer than a wide margin, renewed rarely from the
//! neighbour search, and inner batches of pairs nearer than a narrow margin, filtered from it. The
//! history of a link is stored in the inner batch beside the indices and moves only at a renewal.

use serde::{Deserialize, Serialize};

use super::kernel::{Batch, Flags, Memory, SpatialHistory};
use crate::contact::LinkLaw;
use crate::vector::{LANES, Row};

/// Eight tangential springs.
pub trait History:
    Copy + Default + std::fmt::Debug + Send + Sync + Serialize + for<'a> Deserialize<'a>
{
    /// Returns one of them.
    fn lane(&self, lane: usize) -> [f64; 3];
    /// Sets one of them.
    fn set_lane(&mut self, lane: usize, spring: [f64; 3]);
}

impl History for Row {
    fn lane(&self, lane: usize) -> [f64; 3] {
        [self.0[lane], 0.0, 0.0]
    }
    fn set_lane(&mut self, lane: usize, spring: [f64; 3]) {
        self.0[lane] = spring[0];
    }
}

impl History for SpatialHistory {
    fn lane(&self, lane: usize) -> [f64; 3] {
        [self[0].0[lane], self[1].0[lane], self[2].0[lane]]
    }
    fn set_lane(&mut self, lane: usize, spring: [f64; 3]) {
        for (row, s) in self.iter_mut().zip(spring) {
            row.0[lane] = s;
        }
    }
}

/// Candidates of one law, with their contact history.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Lists<H: History> {
    /// The candidates.
    pub batches: Vec<Batch>,
    /// Tangential springs.
    pub history: Vec<H>,
    /// Flags.
    pub flags: Vec<Flags>,
    /// Number of consecutive checks at which each link was at rest.
    pub calm: Vec<[u8; LANES]>,
    /// Index of each lane's candidate in the outer list.
    pub outer: Vec<[u32; LANES]>,
    /// For each batch: displacement since the lists were filtered up to which none of its pairs can
    /// touch, m (grains of arcs only).
    pub quiet: Vec<f64>,
    /// Whether the stiffness of tangential springs depends on the overlap.
    pub stiffens: bool,
    /// Tangential stiffnesses at the previous evaluation, N/m, for laws with variable stiffness; 0 if unknown.
    pub stiffness: Vec<Row>,
    /// Whether the law has additional terms.
    pub composed: bool,
    /// Contact history of additional terms; empty if the law has none.
    pub memory: Vec<Memory>,
}

impl<H: History> Lists<H> {
    /// Lists of a law.
    pub fn of_law(law: &LinkLaw) -> Self {
        Lists {
            stiffens: law.stiffens(),
            composed: law.is_composed(),
            ..Self::default()
        }
    }

    /// Whether each batch has all its data, and its first bodies exist.
    pub(super) fn is_whole(&self, there: impl Fn(&u32) -> bool) -> bool {
        let count = self.batches.len();
        let all = [
            self.history.len(),
            self.flags.len(),
            self.calm.len(),
            self.outer.len(),
        ];
        all.iter().all(|length| *length == count)
            && (!self.stiffens || self.stiffness.len() == count)
            && (!self.composed || self.memory.len() == count)
            && self.batches.iter().flat_map(|batch| &batch.a).all(there)
    }

    /// Contact history of a link apart from its tangential spring.
    pub fn memory_of(&self, batch: usize, lane: usize) -> Remembered {
        let slots = self.memory.get(batch).map(|memory| memory.lane(lane));
        let stiffness = self.stiffness.get(batch).map(|row| row.0[lane]);
        Remembered {
            slots: slots.unwrap_or_default(),
            stiffness: stiffness.unwrap_or_default(),
        }
    }

    /// Sets that history of a link.
    pub fn set_memory(&mut self, batch: usize, lane: usize, remembered: &Remembered) {
        if let Some(memory) = self.memory.get_mut(batch) {
            memory.set_lane(lane, remembered.slots);
        }
        if let Some(row) = self.stiffness.get_mut(batch) {
            row.0[lane] = remembered.stiffness;
        }
    }

    /// Sets the tangential spring of a link, m, and the overlap to which it was loaded, m.
    pub fn load(&mut self, batch: usize, lane: usize, (spring, deepest): ([f64; 3], f64)) {
        self.history[batch].set_lane(lane, spring);
        if let Some(memory) = self.memory.get_mut(batch) {
            memory.deepest.0[lane] = deepest;
        }
    }

    /// Empties the lists, but keeps their memory.
    pub fn clear(&mut self) {
        self.batches.clear();
        self.history.clear();
        self.flags.clear();
        self.calm.clear();
        self.outer.clear();
        self.quiet.clear();
        self.stiffness.clear();
        self.memory.clear();
    }
}

/// Contact history of a link apart from its tangential spring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// For additional terms: springs of rolling (3) and twisting, m, and the overlap to which the link was loaded, m.
    pub slots: [f64; 5],
    /// Tangential stiffness at the previous evaluation, N/m, if it depends on the overlap; 0 if
    /// unknown.
    pub stiffness: f64,
}

/// A link that is kept through a renewal of the outer list.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ContactHistory {
    /// First body's slot.
    pub a: u32,
    /// Second body's slot; for walls the surface.
    pub b: u32,
    /// Tangential spring, m.
    pub spring: [f64; 3],
    /// Whether the link slides.
    pub slip: bool,
    /// Number of checks at which it was at rest.
    pub calm: u8,
    /// Further contact history.
    pub memory: Remembered,
}

impl ContactHistory {
    /// A new link, without tangential stress.
    pub fn new(a: u32, b: u32) -> Self {
        ContactHistory {
            a,
            b,
            ..ContactHistory::default()
        }
    }
}

/// Calls back with batch and lane of each link in contact.
pub fn each_link(flags: &[Flags], mut f: impl FnMut(usize, usize)) {
    for (batch, flags) in flags.iter().enumerate() {
        let mut bits = flags.touch;
        while bits != 0 {
            f(batch, bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

impl<H: History> Lists<H> {
    /// Appends the links in contact.
    pub fn kept(&self, out: &mut Vec<ContactHistory>) {
        each_link(&self.flags, |i, k| {
            out.push(ContactHistory {
                a: self.batches[i].a[k],
                b: self.batches[i].b[k],
                spring: self.history[i].lane(k),
                slip: self.flags[i].slip >> k & 1 == 1,
                calm: self.calm[i][k],
                memory: self.memory_of(i, k),
            });
        });
    }

    /// Calls back with each candidate of the outer list that is not in contact, including those
    /// that the inner batches omit since they were far away at the last filtering.
    pub fn each_apart<C: Copy>(&self, outer: &[C], mut f: impl FnMut(C)) {
        let mut in_touch = vec![false; outer.len()];
        each_link(&self.flags, |i, k| {
            in_touch[self.outer[i][k] as usize] = true
        });
        for (&candidate, _) in outer.iter().zip(in_touch).filter(|(_, touch)| !touch) {
            f(candidate);
        }
    }

    /// Appends a lane; `filled` counts the lanes so far.
    pub(super) fn append(
        &mut self,
        filled: &mut usize,
        bodies: [u32; 2],
        outer: u32,
    ) -> (usize, usize) {
        let lane = *filled % LANES;
        if lane == 0 {
            self.batches.push(Batch::default());
            self.history.push(H::default());
            self.flags.push(Flags::default());
            self.calm.push([0; LANES]);
            self.outer.push([0; LANES]);
            self.quiet.push(f64::NEG_INFINITY);
            if self.stiffens {
                self.stiffness.push(Row::default());
            }
            if self.composed {
                self.memory.push(Memory::default());
            }
        }
        *filled += 1;
        let batch = self.batches.len() - 1;
        self.batches[batch].a[lane] = bodies[0];
        self.batches[batch].b[lane] = bodies[1];
        self.outer[batch][lane] = outer;
        (batch, lane)
    }

    /// Fills the lists only with links in contact, with their positions in a new outer list.
    pub fn restart(&mut self, kept: impl Iterator<Item = (ContactHistory, u32)>) {
        self.clear();
        let mut filled = 0;
        for (link, outer) in kept {
            let (i, k) = self.append(&mut filled, [link.a, link.b], outer);
            self.history[i].set_lane(k, link.spring);
            self.flags[i].touch |= 1 << k;
            self.flags[i].slip |= u8::from(link.slip) << k;
            self.calm[i][k] = link.calm;
            self.set_memory(i, k, &link.memory);
        }
    }
}
