//! Bonded grains as rigid bodies: they move as one while the loads of their bonds, solved for in equilibrium with inertia (thesis
//! 5.7.7 to 5.7.9), stay below their strengths.
//!
//! Members stay grains with slots of their own, in the lists of contacts and in all that is observed; the body is a constraint on
//! them. [`act`] sums what acts on members after an evaluation and breaks bonds, `stride` moves bodies, and members in the lists
//! with them; [`settle`] writes the others when somebody looks.

mod body;
mod dimension;
mod division;
mod form;
mod load;
mod look;
mod motion;
mod statics;
mod strength;
mod template;

pub use body::{Axes, BodyMotion, Push, Rates, RigidBody, Solved};
pub use dimension::{MemberState, RigidDimension};
pub(super) use division::leave_out;
pub(super) use form::form;
pub use load::{BodyLoad, TieLoad};
pub(super) use look::sights;
pub use look::{damping_power, force_now, rates_of};
pub use motion::{act, settle};
pub(super) use motion::{find_exposed, shift_images, stride};
pub use statics::Statics;
pub use template::{Member, Template, Tie};

use serde::{Deserialize, Serialize};

use crate::cluster::integrate::Integrate;
use crate::geometry::Dimension;
use crate::stress::StressError;

/// Marks a slot that is no member of a body.
const NONE: u32 = u32::MAX;

/// Counts of the work on loads of bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RigidCounts {
    /// Bodies that formed at the start.
    pub formed: u64,
    /// Bounds of loads that were computed.
    pub screened: u64,
    /// Times that the loads of all bonds of a body were computed.
    pub solved: u64,
    /// Times that a body broke into parts.
    pub divided: u64,
}

/// All rigid bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RigidBodies<D: Dimension> {
    /// Bodies.
    pub list: Vec<RigidBody<D>>,
    /// Their builds.
    pub templates: Vec<Template<D>>,
    /// Whether something may act on members that are in no list, so that all are written at each step.
    pub everyone: bool,
    /// Whether others than contacts look at members between steps, so that all are written at each: grains in flight do.
    #[serde(skip)]
    pub is_watched: bool,
    /// Counts.
    pub counts: RigidCounts,
    /// By slot: index of the body, and place in it; empty without bodies.
    #[serde(skip)]
    homes: Vec<[u32; 2]>,
    /// Stepped slots that are no members.
    #[serde(skip)]
    loose: Vec<u32>,
    /// A member of the body whose loads could not be solved for, by slot, and the reason.
    #[serde(skip)]
    pub failed: Option<(u32, StressError)>,
}

impl<D: Integrate> RigidBodies<D> {
    /// Adds to the velocity, m/s, and the spin, rad/s, of the member at a slot, if there is one.
    pub(super) fn kick(&mut self, slot: u32, velocity: D::Vector, spin: D::Spin) {
        if let Some((body, member)) = self.of(slot) {
            let body = &mut self.list[body];
            let template = &self.templates[body.template as usize];
            body.kick(template, member, velocity, spin);
        }
    }
}

impl<D: Dimension> Default for RigidBodies<D> {
    fn default() -> Self {
        RigidBodies {
            list: Vec::new(),
            templates: Vec::new(),
            everyone: false,
            is_watched: false,
            counts: RigidCounts::default(),
            homes: Vec::new(),
            loose: Vec::new(),
            failed: None,
        }
    }
}

impl<D: Dimension> RigidBodies<D> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the index of the body of a slot, and its place in the body.
    pub fn of(&self, slot: u32) -> Option<(usize, usize)> {
        let [body, member] = *self.homes.get(slot as usize)?;
        (body != NONE).then_some((body as usize, member as usize))
    }

    /// Whether two slots are members of one body.
    pub fn are_one(&self, a: u32, b: u32) -> bool {
        matches!((self.of(a), self.of(b)), (Some((a, _)), Some((b, _))) if a == b)
    }

    /// Returns the number of bonds in bodies.
    pub fn ties(&self) -> usize {
        let of = |body: &RigidBody<D>| self.templates[body.template as usize].ties.len();
        self.list.iter().map(of).sum()
    }

    /// Calls back with the slots of both ends of each bond in a body.
    pub fn each_tie(&self, mut f: impl FnMut(u32, u32)) {
        for body in &self.list {
            for tie in &self.templates[body.template as usize].ties {
                let [a, b] = tie.ends.map(|end| body.members[end as usize]);
                f(a, b);
            }
        }
    }

    /// Finds the bodies of all slots.
    pub(super) fn find_homes(&mut self) {
        let members = self.list.iter().flat_map(|body| &body.members);
        let slots = members.max().map_or(0, |&last| last as usize + 1);
        self.homes.clear();
        self.homes.resize(slots, [NONE; 2]);
        for (index, body) in (0..).zip(&self.list) {
            for (member, &slot) in (0..).zip(&body.members) {
                self.homes[slot as usize] = [index, member];
            }
        }
    }

    /// Renumbers the slots.
    pub(super) fn renumber(&mut self, new_slot: &[u32]) {
        for body in &mut self.list {
            for slot in &mut body.members {
                *slot = new_slot[*slot as usize];
            }
        }
        self.find_homes();
    }

    /// Finds which of these slots are no members.
    pub(super) fn find_loose(&mut self, active: &[u32]) {
        let mut loose = std::mem::take(&mut self.loose);
        loose.clear();
        loose.extend(active.iter().filter(|&&slot| self.of(slot).is_none()));
        self.loose = loose;
    }

    /// Returns the slots that the stride of single grains moves, of these.
    pub(super) fn without_members<'a>(&'a self, active: &'a [u32]) -> &'a [u32] {
        match self.is_empty() {
            true => active,
            false => &self.loose,
        }
    }

    /// Whether all that a state refers to exists: an invalid file need not satisfy this.
    pub(super) fn is_whole(&self, slots: usize) -> bool {
        let mut taken = vec![false; slots];
        let templates = self.templates.iter().all(|template| {
            let members = template.members.len();
            let ends = template.ties.iter().flat_map(|tie| tie.ends);
            members > 1 && { ends }.all(|end| (end as usize) < members)
        });
        templates
            && self.list.iter().all(|body| {
                let Some(template) = self.templates.get(body.template as usize) else {
                    return false;
                };
                let count = template.members.len();
                let fits = |length: usize| length == count;
                let pushed = body.pushed.iter().map(|of| of.0);
                let loaded = body.solved.iter().flat_map(|solved| &solved.load.on);
                let known = pushed.chain(loaded.map(|of| of.0));
                fits(body.members.len())
                    && fits(body.turns.len())
                    && (body.images.is_empty() || fits(body.images.len()))
                    && (body.weakness.is_empty() || body.weakness.len() == template.ties.len())
                    && { known }.all(|member| (member as usize) < count)
                    && body.members.iter().all(|&slot| {
                        let slot = slot as usize;
                        let free = (1..slots).contains(&slot) && !taken[slot];
                        if free {
                            taken[slot] = true;
                        }
                        free
                    })
            })
    }

    /// Drops builds of which there is no body, once they are many.
    fn drop_unused(&mut self) {
        if self.templates.len() <= 2 * self.list.len() + 16 {
            return;
        }
        let mut place = vec![NONE; self.templates.len()];
        for body in &self.list {
            place[body.template as usize] = 0;
        }
        let used = place.iter_mut().filter(|place| **place == 0);
        for (place, next) in used.zip(0..) {
            *place = next;
        }
        let mut index = 0;
        self.templates.retain(|_| {
            index += 1;
            place[index - 1] != NONE
        });
        for body in &mut self.list {
            body.template = place[body.template as usize];
        }
    }
}
