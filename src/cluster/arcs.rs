//! Grains of arcs as their kernels see them: tables beside the rows, and the passes over lists in which other
//! arcs are looked for where those named do not face each other any more.

use super::arrays::Status;
use super::dimension::ArcPass;
use super::engine::{Engine, law_of};
use super::facing_walls::wall_geometry;
use super::integrate::Integrate;
use super::kernel::{Arcs, Named, Timing, WHOLE, WallSums};
use super::kinematics::BodyMotion;
use super::state::PairClass;
use crate::body::Lever;
use crate::geometry::Vector;
use crate::vector::Row;

/// Rows before those of arcs: that of balls, and that of a grain as a whole.
const FIRST: [Row; 2] = [
    Row([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    Row([0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
];

impl<D: Integrate> Engine<D> {
    /// Whether there is a grain of arcs.
    pub(super) fn has_arcs(&self) -> bool {
        D::N == 2 && !self.state.bodies.list.is_empty() && self.forms.iter().any(|form| form.arcs)
    }

    /// Whether all grains of several parts are of arcs; only to be asked after `know_arcs`.
    pub(super) fn only_arcs(&self) -> bool {
        self.state.bodies.list.len() == self.arc_grains
    }

    /// Slots got new numbers: tables are to be made anew.
    pub(super) fn forget_arcs(&mut self) {
        self.arcs.place.clear();
        self.arcs.grains.clear();
        self.arc_grains = 0;
    }

    /// Makes the tables of arcs where they do not fit the slots; gives whether there are grains of arcs.
    pub fn know_arcs(&mut self) -> bool {
        if !self.has_arcs() {
            return false;
        }
        let slots = self.state.arrays.slots();
        if self.arcs.place.len() == slots {
            return true;
        }
        let Arcs {
            place,
            turns,
            rows,
            grains,
            named,
        } = &mut self.arcs;
        named.clear();
        rows.clear();
        rows.extend(FIRST);
        let mut first = Vec::new();
        for form in &self.forms {
            first.push(rows.len() as u32);
            let finest = form.finest();
            for part in form.parts.iter().filter(|_| form.arcs) {
                let [begin, end] = part.ends.unwrap_or_default();
                let (c, r) = (part.centre, part.radius);
                rows.push(Row([
                    c[0],
                    c[1],
                    r,
                    r - finest,
                    begin[0],
                    begin[1],
                    end[0],
                    end[1],
                ]));
            }
        }
        place.clear();
        place.extend((0..slots as u32).map(|slot| [slot, 0]));
        turns.clear();
        turns.resize(slots, [0.0, 1.0]);
        grains.clear();
        for body in &self.state.bodies.list {
            let form = usize::from(body.form);
            if !self.forms[form].arcs {
                continue;
            }
            grains.push(body.slot);
            place[body.slot as usize][1] = WHOLE;
            for part in 0..u32::from(body.parts) {
                place[(body.slot + 1 + part) as usize] = [body.slot, first[form] + part];
            }
        }
        D::turn_arcs(self.level, &self.state.arrays, &mut self.arcs);
        self.arc_grains = self.arcs.grains.len();
        // From now on those turn that are stepped; lists are renewed when others begin to be.
        let status = &self.state.arrays.status;
        let stepped = |&slot: &u32| status[slot as usize] == Status::Stepped;
        self.arcs.grains.retain(stepped);
        true
    }

    /// Some grains were displaced: those of arcs among them are turned as their rows say.
    pub(super) fn turn_displaced_arcs(&mut self, slots: &[u32]) {
        if !self.know_arcs() {
            return;
        }
        let whole = |&slot: &u32| self.arcs.place[slot as usize][1] == WHOLE;
        let displaced = slots.iter().copied().filter(whole).collect();
        let stepped = std::mem::replace(&mut self.arcs.grains, displaced);
        D::turn_arcs(self.level, &self.state.arrays, &mut self.arcs);
        self.arcs.grains = stepped;
    }

    /// Where an arc lies in its grain; none of what is no arc.
    pub(super) fn arc_lever(&self, slot: u32) -> Option<Lever<D>> {
        let (grain, row) = self.arc(slot)?;
        Some(Lever {
            arm: self.turned(grain, [row.0[0], row.0[1]]),
            share: row.0[2],
        })
    }

    /// Grains of arcs have turned.
    pub(super) fn turn_arcs(&mut self) {
        if self.know_arcs() {
            D::turn_arcs(self.level, &self.state.arrays, &mut self.arcs);
        }
    }

    /// Which grains and arcs the lanes of a class of pairs name.
    fn name_arcs(&mut self, class: usize) -> Vec<Named> {
        let all = &mut self.arcs.named;
        all.resize(self.state.pairs.len(), Vec::new());
        let mut named = std::mem::take(&mut all[class]);
        let batches = &self.state.pairs[class].lists.batches;
        if named.len() != batches.len() {
            named.clear();
            let place = &self.arcs.place;
            named.extend(batches.iter().map(|batch| Named::new(batch, place)));
        }
        named
    }

    /// Forces of a class of pairs; gives the work of tangential forces, J. A trial looks at all batches.
    pub(super) fn arc_pairs(&mut self, class: usize, timing: Timing, trial: bool) -> f64 {
        let mut named = self.name_arcs(class);
        let mut astray = std::mem::take(&mut self.astray);
        astray.clear();
        let pass = |engine: &mut Self, named: &[Named], sure, astray: &mut _| {
            let state = &mut engine.state;
            let pass = ArcPass {
                arcs: &engine.arcs,
                named,
                way: if trial {
                    f64::INFINITY
                } else {
                    state.inner_way
                },
                sure,
                astray,
            };
            let PairClass {
                lists, materials, ..
            } = &mut state.pairs[class];
            let law = law_of(&engine.known_laws, materials[0], materials[1]);
            let arrays = &mut state.arrays;
            let changed = &mut engine.changed;
            D::arc_pair_forces(engine.level, law, arrays, lists, changed, timing, pass)
        };
        let mut work = pass(self, &named, None, &mut astray);
        if !astray.is_empty() {
            self.find_some_faces(class, &astray);
            for &(batch, _) in &astray {
                let batch = batch as usize;
                let slots = &self.state.pairs[class].lists.batches[batch];
                named[batch] = Named::new(slots, &self.arcs.place);
            }
            work += pass(self, &named, Some(&astray), &mut Vec::new());
        }
        self.arcs.named[class] = named;
        self.astray = astray;
        work
    }

    /// Forces at a surface.
    pub(super) fn arc_walls(
        &mut self,
        class: usize,
        timing: Timing,
        reference: [f64; 3],
    ) -> WallSums {
        let mut astray = std::mem::take(&mut self.astray);
        astray.clear();
        let pass = |engine: &mut Self, sure, astray: &mut _| {
            let (arrays, wall) = (&mut engine.state.arrays, &mut engine.state.walls[class]);
            let geometry = wall_geometry(wall.flat.as_ref(), &engine.wall_lanes);
            let boundary = &engine.boundaries[usize::from(wall.boundary)];
            let law = law_of(
                &engine.known_laws,
                wall.material,
                boundary.boundary.material,
            );
            let arcs = &engine.arcs;
            let pass = ArcPass {
                arcs,
                named: &[],
                way: f64::INFINITY,
                sure,
                astray,
            };
            let changed = &mut engine.changed;
            D::arc_wall_forces(
                engine.level,
                law,
                arrays,
                &mut wall.lists,
                changed,
                timing,
                geometry,
                reference,
                pass,
            )
        };
        let mut sums = pass(self, None, &mut astray);
        if !astray.is_empty() {
            self.find_some_wall_faces(class, &astray);
            sums += pass(self, Some(&astray), &mut Vec::new());
        }
        self.astray = astray;
        sums
    }

    /// The grain of a slot and the row of its arc; none of what is no arc.
    #[inline]
    pub(super) fn arc(&self, slot: u32) -> Option<(usize, &Row)> {
        let &[grain, row] = self.arcs.place.get(slot as usize)?;
        (row > WHOLE).then(|| (grain as usize, &self.arcs.rows[row as usize]))
    }

    /// From the middle of a grain to the place of an arc over its radius, as it is turned.
    #[inline]
    fn turned(&self, grain: usize, own: [f64; 2]) -> D::Vector {
        let [sine, cosine] = self.arcs.turns[grain];
        let arm = [
            cosine * own[0] - sine * own[1],
            sine * own[0] + cosine * own[1],
        ];
        D::Vector::from_fn(|k| if k < 2 { arm[k] } else { 0.0 })
    }

    /// Middle of the circle of a slot, m.
    #[inline]
    pub(super) fn centre(&self, slot: u32) -> D::Vector {
        let arrays = &self.state.arrays;
        match self.arc(slot) {
            Some((grain, row)) => {
                let arm = self.turned(grain, [row.0[0], row.0[1]]);
                arrays.position(grain) + arm * arrays.radius(grain)
            }
            None => arrays.position(slot as usize),
        }
    }

    /// Motion of the circle of an arc; none of what is no arc.
    pub(super) fn arc_motion(&self, slot: usize) -> Option<BodyMotion<D>> {
        let arrays = &self.state.arrays;
        if arrays.status[slot] != Status::Part {
            return None;
        }
        let (grain, row) = self.arc(slot as u32)?;
        let arm = self.turned(grain, [row.0[0], row.0[1]]);
        let spin = D::surface_spin(arrays, grain);
        let across = D::Vector::from_fn(|k| match k {
            0 => -arm[1],
            1 => arm[0],
            _ => 0.0,
        });
        Some(BodyMotion {
            position: arrays.position(grain) + arm * arrays.radius(grain),
            velocity: arrays.velocity(grain) + across * spin[0],
            spin: spin.map(|s| s * row.0[2]),
        })
    }
}
