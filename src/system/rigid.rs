//! Which of the grains that stand still are rigid with others, by counting (docs/morphing.md): a
//! figure of the record that never touches the motion.
//!
//! Links of grains that stand still come and go ten times a millisecond, mostly the same ones again.
//! So groups are brought up to date now and then only, by what has changed between two such moments:
//! before each row that tells of them, and each few solves for increments. In between, who is woken is
//! rigid no more; the rest is as it was.

use super::{EventLog, System, SystemError};
use crate::cluster::Other;
use crate::cluster::integrate::Integrate;
use crate::event::{EventKind, Regime};
use crate::qrb::{BodyKey, BodyKind, LinkKey, Pebble};
use crate::record::Sink;
use crate::stress::LinkState;

/// Groups are brought up to date at least each so many times that loads are carried.
pub(super) const EVERY: f64 = 5.0;
/// All boundaries that stand still together, in place of a grain's number.
const GROUND: u32 = u32::MAX;

/// A link: its bodies by number, the lesser first, and whether it slides.
type Bond = (u32, u32, bool);

/// The count of rigid groups and what it has seen so far. Rebuilt from the links, not saved.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pebble: Pebble,
    ground: Option<BodyKey>,
    /// By number of a grain.
    bodies: Vec<Option<BodyKey>>,
    /// Links that are in the count, in order, with their keys there.
    bonds: Vec<(Bond, LinkKey)>,
}

fn state(slides: bool) -> LinkState {
    if slides {
        LinkState::Slide
    } else {
        LinkState::Grip
    }
}

impl Groups {
    fn body(&mut self, id: u32) -> BodyKey {
        if id == GROUND {
            let pebble = &mut self.pebble;
            return *self
                .ground
                .get_or_insert_with(|| pebble.add_body(BodyKind::Shape));
        }
        let id = id as usize;
        if self.bodies.len() <= id {
            self.bodies.resize(id + 1, None);
        }
        let pebble = &mut self.pebble;
        *self.bodies[id].get_or_insert_with(|| pebble.add_body(BodyKind::Disk))
    }

    /// Goes over to these links, which are in order. What stays costs a look, what changed a game
    /// around it. New links come first: next to them, most of what goes is superfluous.
    fn follow(&mut self, bonds: &[Bond]) {
        let old = std::mem::take(&mut self.bonds);
        let mut kept: Vec<(Bond, LinkKey)> = Vec::with_capacity(bonds.len());
        let mut gone: Vec<LinkKey> = Vec::new();
        let mut flipped: Vec<(LinkKey, bool)> = Vec::new();
        let mut i = 0;
        for &bond in bonds {
            let pair = (bond.0, bond.1);
            while i < old.len() && (old[i].0.0, old[i].0.1) < pair {
                gone.push(old[i].1);
                i += 1;
            }
            if i < old.len() && (old[i].0.0, old[i].0.1) == pair {
                if old[i].0.2 != bond.2 {
                    flipped.push((old[i].1, bond.2));
                }
                kept.push((bond, old[i].1));
                i += 1;
                continue;
            }
            let (a, b) = (self.body(bond.0), self.body(bond.1));
            kept.push((bond, self.pebble.insert_link(a, b, state(bond.2))));
        }
        gone.extend(old[i..].iter().map(|(_, key)| *key));
        // Those that grip from now on before those that slide.
        flipped.sort_by_key(|&(_, slides)| slides);
        for (link, slides) in flipped {
            self.pebble.set_state(link, state(slides));
        }
        for link in gone {
            self.pebble.remove_link(link);
        }
        self.bonds = kept;
    }

    /// Maximal groups: whether the ground is in it, and the grains by number, ascending.
    fn groups(&mut self) -> Vec<(bool, Vec<u32>)> {
        let mut id_of = vec![GROUND; self.bodies.len() + 1];
        for (id, body) in self.bodies.iter().enumerate() {
            if let Some(body) = *body {
                id_of[body] = id as u32;
            }
        }
        let groups = self.pebble.clusters().into_iter().map(|group| {
            let mut ids: Vec<u32> = group.into_iter().map(|body| id_of[body]).collect();
            ids.sort_unstable();
            let grounded = ids.last() == Some(&GROUND);
            ids.truncate(ids.len() - usize::from(grounded));
            (grounded, ids)
        });
        groups.collect()
    }
}

impl<D: Integrate> System<D> {
    /// Rigid groups of grains that stand still, brought up to date: for each, whether it holds the
    /// boundaries, and the numbers of its grains, ascending. None in space, where counting does not
    /// decide.
    pub fn rigid_groups(&mut self) -> Vec<(bool, Vec<u32>)> {
        if D::N != 2 {
            return Vec::new();
        }
        let mut bonds: Vec<Bond> = Vec::with_capacity(self.groups.bonds.len());
        let id = &self.engine.state.arrays.id;
        self.engine.each_still_bond(|a, b, slides| {
            let a = id[a as usize];
            let b = match b {
                Other::Slot(b) => id[b as usize],
                Other::Boundary(_) => GROUND,
            };
            bonds.push((a.min(b), a.max(b), slides));
        });
        bonds.sort_unstable();
        self.groups.follow(&bonds);
        self.groups.groups()
    }

    /// Whether a grain that stands still was rigid with others when that was last looked at.
    pub(super) fn is_rigid(&self, slot: u32) -> bool {
        let id = self.engine.state.arrays.id[slot as usize];
        self.s.rest.rigid.binary_search(&id).is_ok()
    }

    /// Takes slots that no longer stand still off the list; those of them that were on it, by number.
    pub(super) fn leave_groups(&mut self, slots: &[u32]) -> Vec<u32> {
        if self.s.rest.rigid.is_empty() {
            return Vec::new();
        }
        let id = &self.engine.state.arrays.id;
        let mut gone: Vec<u32> = slots
            .iter()
            .filter(|&&slot| self.is_rigid(slot))
            .map(|&slot| id[slot as usize])
            .collect();
        gone.sort_unstable();
        if !gone.is_empty() {
            self.s
                .rest
                .rigid
                .retain(|id| gone.binary_search(id).is_err());
        }
        gone
    }

    /// Brings up to date who is rigid, when it is time to; between rows of the series.
    pub(super) fn regroup_in_time(
        &mut self,
        sink: &mut dyn Sink,
        every: f64,
    ) -> Result<(), SystemError> {
        if self.engine.time() - self.s.rest.grouped >= EVERY * every {
            self.regroup(sink)?;
        }
        Ok(())
    }

    /// Brings up to date who is rigid.
    pub(super) fn regroup(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if self.setup.morph.is_none() || D::N != 2 {
            return Ok(());
        }
        let now = self.engine.time();
        self.s.rest.grouped = now;
        if self.engine.state.still.count == 0 && self.s.rest.rigid.is_empty() {
            return Ok(());
        }
        self.account(now);
        let mut rigid: Vec<u32> = Vec::with_capacity(self.s.rest.rigid.len());
        for (_, ids) in self.rigid_groups() {
            rigid.extend(ids);
        }
        rigid.sort_unstable();
        let before = std::mem::replace(&mut self.s.rest.rigid, rigid);
        if before == self.s.rest.rigid {
            return Ok(());
        }
        self.log_groups(sink, &before)
    }

    /// Logs who became rigid and who is so no more.
    fn log_groups(&mut self, sink: &mut dyn Sink, before: &[u32]) -> Result<(), SystemError> {
        let standing = self.engine.standing().into_iter();
        let mut changed: Vec<(u32, u32, bool)> = standing
            .map(|slot| (self.engine.state.arrays.id[slot as usize], slot))
            .map(|(id, slot)| (id, slot, before.binary_search(&id).is_ok()))
            .filter(|&(_, slot, was)| was != self.is_rigid(slot))
            .collect();
        changed.sort_unstable();
        self.s.by_kind[EventKind::Morph as usize] += changed.len() as u64;
        if self.s.settling || self.setup.log.events == EventLog::None {
            return Ok(());
        }
        let time = self.engine.time();
        for (_, slot, was) in changed {
            let (from, to) = if was {
                (Regime::Rigid, Regime::Rest)
            } else {
                (Regime::Rest, Regime::Rigid)
            };
            let mut row = self.row(time, EventKind::Morph);
            row.regime_from = Some(from);
            row.regime_to = Some(to);
            row.cause = self.s.causes.now;
            self.put_body(&mut row, slot);
            sink.event(&row)?;
        }
        Ok(())
    }
}
