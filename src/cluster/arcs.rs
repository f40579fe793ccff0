//! Grains of arcs in the form that kernels use: tables beside the rows, and the passes over lists
//! that search for other arcs where the stored ones do not face each other any more.

use super::arrays::Status;
use super::dem::{Work, law_of};
use super::dimension::ArcPass;
use super::facing;
use super::facing_walls::wall_geometry;
use super::integrate::Integrate;
use super::kernel::{Arcs, Named, Timing, WHOLE, WallSums};
use super::kinematics::BodyMotion;
use super::state::{PairClass, Skin};
use super::world::{Contacts, Grains, Physics, Shapes, World};
use crate::body::Lever;
use crate::geometry::Vector;
use crate::vector::Row;

/// Rows before those of arcs: that of balls, and that of a grain as a whole.
const FIRST: [Row; 2] = [
    Row([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    Row([0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
];

/// Whether there is a grain of arcs.
pub(super) fn has_arcs<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>) -> bool {
    D::N == 2 && !grains.bodies.list.is_empty() && shapes.forms.iter().any(|form| form.arcs)
}

/// Whether all grains of several parts consist of arcs; valid only after `know_arcs`.
pub(super) fn only_arcs<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>) -> bool {
    grains.bodies.list.len() == shapes.arc_grains
}

impl<D: Integrate> Shapes<D> {
    /// Discards the tables, since slots have new numbers.
    pub(super) fn forget_arcs(&mut self) {
        self.arcs.place.clear();
        self.arcs.grains.clear();
        self.arc_grains = 0;
    }

    /// Lever of an arc in its grain; none for a slot that is not an arc.
    pub(super) fn arc_lever(&self, slot: u32) -> Option<Lever<D>> {
        let (grain, row) = self.arc(slot)?;
        Some(Lever {
            arm: self.turned(grain, [row.0[0], row.0[1]]),
            share: row.0[2],
        })
    }

    /// The grain of a slot and the row of its arc; none for a slot that is not an arc.
    #[inline]
    pub(super) fn arc(&self, slot: u32) -> Option<(usize, &Row)> {
        let &[grain, row] = self.arcs.place.get(slot as usize)?;
        (row > WHOLE).then(|| (grain as usize, &self.arcs.rows[row as usize]))
    }

    /// Vector from the centre of a grain to the position of an arc over its radius, in the present orientation.
    #[inline]
    fn turned(&self, grain: usize, own: [f64; 2]) -> D::Vector {
        let [sine, cosine] = self.arcs.turns[grain];
        let arm = [
            cosine * own[0] - sine * own[1],
            sine * own[0] + cosine * own[1],
        ];
        D::Vector::from_fn(|k| if k < 2 { arm[k] } else { 0.0 })
    }
}

/// Builds the tables of arcs if they do not match the slots; returns whether there are grains of arcs.
pub fn know_arcs<D: Integrate>(
    physics: &Physics<D>,
    shapes: &mut Shapes<D>,
    grains: &Grains<D>,
) -> bool {
    if !has_arcs(shapes, grains) {
        return false;
    }
    let slots = grains.arrays.slots();
    if shapes.arcs.place.len() == slots {
        return true;
    }
    let Arcs {
        place,
        turns,
        rows,
        grains: stepping,
        named,
    } = &mut shapes.arcs;
    named.clear();
    rows.clear();
    rows.extend(FIRST);
    let mut first = Vec::new();
    for form in &shapes.forms {
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
    stepping.clear();
    for body in &grains.bodies.list {
        let form = usize::from(body.form);
        if !shapes.forms[form].arcs {
            continue;
        }
        stepping.push(body.slot);
        place[body.slot as usize][1] = WHOLE;
        for part in 0..u32::from(body.parts) {
            place[(body.slot + 1 + part) as usize] = [body.slot, first[form] + part];
        }
    }
    D::turn_arcs(physics.level, &grains.arrays, &mut shapes.arcs);
    shapes.arc_grains = shapes.arcs.grains.len();
    // From now on only stepped grains turn; when others begin to step, lists are renewed.
    let status = &grains.arrays.status;
    let stepped = |&slot: &u32| status[slot as usize] == Status::Stepped;
    shapes.arcs.grains.retain(stepped);
    true
}

/// Updates the orientation of displaced grains of arcs from their rows.
pub(super) fn turn_displaced_arcs<D: Integrate>(
    physics: &Physics<D>,
    shapes: &mut Shapes<D>,
    grains: &Grains<D>,
    slots: &[u32],
) {
    if !know_arcs(physics, shapes, grains) {
        return;
    }
    let whole = |&slot: &u32| shapes.arcs.place[slot as usize][1] == WHOLE;
    let displaced = slots.iter().copied().filter(whole).collect();
    let stepped = std::mem::replace(&mut shapes.arcs.grains, displaced);
    D::turn_arcs(physics.level, &grains.arrays, &mut shapes.arcs);
    shapes.arcs.grains = stepped;
}

/// Updates the orientations of grains of arcs after a rotation.
pub(super) fn turn_arcs<D: Integrate>(
    physics: &Physics<D>,
    shapes: &mut Shapes<D>,
    grains: &Grains<D>,
) {
    if know_arcs(physics, shapes, grains) {
        D::turn_arcs(physics.level, &grains.arrays, &mut shapes.arcs);
    }
}

/// The grains and arcs of the lanes of a class of pairs.
fn name_arcs<D: Integrate>(
    shapes: &mut Shapes<D>,
    contacts: &Contacts<D>,
    class: usize,
) -> Vec<Named> {
    let all = &mut shapes.arcs.named;
    all.resize(contacts.pairs.len(), Vec::new());
    let mut named = std::mem::take(&mut all[class]);
    let batches = &contacts.pairs[class].lists.batches;
    if named.len() != batches.len() {
        named.clear();
        let place = &shapes.arcs.place;
        named.extend(batches.iter().map(|batch| Named::new(batch, place)));
    }
    named
}

/// Computes the forces of a class of pairs; returns the work of tangential forces, J. A trial processes all batches.
pub(super) fn arc_pairs<D: Integrate>(
    world: &mut World<D>,
    skin: &Skin,
    work: &mut Work<D>,
    class: usize,
    timing: Timing,
    trial: bool,
) -> f64 {
    let mut named = name_arcs(&mut world.shapes, &world.contacts, class);
    let mut astray = std::mem::take(&mut world.shapes.astray);
    astray.clear();
    let way = if trial {
        f64::INFINITY
    } else {
        skin.max_inner_displacement
    };
    let pass = |world: &mut World<D>, changed: &mut _, named: &[Named], sure, astray: &mut _| {
        let pass = ArcPass {
            arcs: &world.shapes.arcs,
            named,
            way,
            sure,
            astray,
        };
        let PairClass {
            lists, materials, ..
        } = &mut world.contacts.pairs[class];
        let law = law_of(&world.physics.known_laws, materials[0], materials[1]);
        let arrays = &mut world.grains.arrays;
        D::arc_pair_forces(
            world.physics.level,
            law,
            arrays,
            lists,
            changed,
            timing,
            pass,
        )
    };
    let mut done = pass(world, &mut work.changed, &named, None, &mut astray);
    if !astray.is_empty() {
        facing::find_some_faces(world, class, &astray);
        for &(batch, _) in &astray {
            let batch = batch as usize;
            let slots = &world.contacts.pairs[class].lists.batches[batch];
            named[batch] = Named::new(slots, &world.shapes.arcs.place);
        }
        done += pass(
            world,
            &mut work.changed,
            &named,
            Some(&astray),
            &mut Vec::new(),
        );
    }
    world.shapes.arcs.named[class] = named;
    world.shapes.astray = astray;
    done
}

/// Computes the forces at a surface.
pub(super) fn arc_walls<D: Integrate>(
    world: &mut World<D>,
    work: &mut Work<D>,
    class: usize,
    timing: Timing,
    reference: [f64; 3],
) -> WallSums {
    let mut astray = std::mem::take(&mut world.shapes.astray);
    astray.clear();
    let pass = |world: &mut World<D>, work: &mut Work<D>, sure, astray: &mut _| {
        let (arrays, wall) = (&mut world.grains.arrays, &mut world.contacts.walls[class]);
        let geometry = wall_geometry(wall.flat.as_ref(), &work.wall_lanes);
        let boundary = &world.walls.boundaries[usize::from(wall.boundary)];
        let law = law_of(
            &world.physics.known_laws,
            wall.material,
            boundary.boundary.material,
        );
        let arcs = &world.shapes.arcs;
        let pass = ArcPass {
            arcs,
            named: &[],
            way: f64::INFINITY,
            sure,
            astray,
        };
        let changed = &mut work.changed;
        D::arc_wall_forces(
            world.physics.level,
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
    let mut sums = pass(world, work, None, &mut astray);
    if !astray.is_empty() {
        facing::find_some_wall_faces(world, class, &astray);
        sums += pass(world, work, Some(&astray), &mut Vec::new());
    }
    world.shapes.astray = astray;
    sums
}

/// Centre of the circle of a slot, m.
#[inline]
pub(super) fn centre<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>, slot: u32) -> D::Vector {
    let arrays = &grains.arrays;
    match shapes.arc(slot) {
        Some((grain, row)) => {
            let arm = shapes.turned(grain, [row.0[0], row.0[1]]);
            arrays.position(grain) + arm * arrays.radius(grain)
        }
        None => arrays.position(slot as usize),
    }
}

/// Motion of the circle of an arc; none for a slot that is not an arc.
pub(super) fn arc_motion<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: usize,
) -> Option<BodyMotion<D>> {
    let arrays = &grains.arrays;
    if arrays.status[slot] != Status::Part {
        return None;
    }
    let (grain, row) = shapes.arc(slot as u32)?;
    let arm = shapes.turned(grain, [row.0[0], row.0[1]]);
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
