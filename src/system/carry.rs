//! Equilibrium solve for grains at rest: their loads are carried down to where they are borne, by
//! increments of all displacements from the present forces.
//!
//! The solve uses the links of all grains in touch as they are strained now; a link at Coulomb's bound
//! resists along its normal, and in space across its slide. Stepped grains bear no load of their own in it but
//! move along: held fast, they would take over the loads that they cause. The solve is one implicit step
//! of the motion from rest: what inertia would not let move in the time of the step, loosely held grains
//! and whole columns of a deep bed, is left to the next solves. A step is taken as far as it lowers the
//! energy, potential and elastic together, so that the solve cannot add energy. A grain that would go too
//! far is woken instead, and so is a grain that is left without balance.
//!
//! Mostly the solve covers the surroundings of stepped grains alone, with all others held fast. The load that
//! these receive is kept; a solve for the whole group carries it on when it reaches [`PENDING`]. Each group has its own entry in
//! the queue (`groups`); groups whose entries are due are solved together.

use super::avalanche::Carried;
use super::groups::Asked;
use super::journal::Journal;
use super::pending::{self, PENDING, Pending};
use super::rest::RestState;
use super::{
    MorphSetup, Setup, System, SystemError, avalanche, cost, driver, field_loads, groups,
    linear_response, patch, perturb, reason, rest,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{
    ContactArms, ContactRef, Dem, Elastic, FieldLoad, Limits, Other, Part, Touching, World, Wrench,
};
use crate::contact::slow::SlowLink;
use crate::event::EventKind;
use crate::field::FieldSet;
use crate::geometry::{Dimension, Vector};
use crate::record::Sink;
use crate::stress::{Bed, Number, Strut};

/// Passes while grains are stepped: sliding links change the stiffness, so that each takes about 0.6 of the pending load and
/// costs as much as the first; the rest waits.
const PASSES: usize = 1;
/// Passes when no grain is stepped, since nothing is left to later solves, and at most where too much is pending.
const LAST: usize = 8;
/// Solves in a pass: a solve after which grains are to be woken is repeated.
const TRIES: usize = 16;
/// Greatest number of halvings of a step that does not lower the energy.
const HALVINGS: usize = 8;
/// Residual that a linear solve may leave, over the load: the next solve finds it again.
const ROUGH: f64 = 0.05;
/// Greatest number of iterations of a solve.
pub(super) const ITERATIONS: usize = 1000;
/// Factor on the pace of resting grains in whole groups: deep grains have waited, and waves are long.
const LONGER: f64 = 2.0;
/// Greatest distance of the other grains from a stepped one, in links.
const REACH: usize = 5;
/// Share of the grains asked for from which on, near stepped grains, all are solved at once.
const MOST: f64 = 0.5;
/// Limits of the displacements: beyond these the geometry has changed, or nothing holds the grain.
pub(super) const LIMITS: Limits = Limits {
    strain: 0.03,
    apart: 0.02,
    way: 0.2,
    closing: 0.005,
};

/// Result of a solve: whether it found displacements, for which loads (forces and moments over the radius, N, for all
/// slots of the part), and the grains to be woken because they would go too far or because nothing holds them.
struct Increments {
    found: bool,
    load: Vec<f64>,
    loose: Vec<u32>,
}

/// Links in touch of a part.
pub(super) struct Held<D: Dimension> {
    struts: Vec<Strut<D>>,
    /// Positions of the balls in touch within grains of several parts, by strut; empty where there are none.
    levers: Vec<ContactArms<D>>,
    touching: Vec<Touching<D>>,
    /// The same by link among grains.
    between: Vec<ContactArms<D>>,
}

impl<D: Dimension> Held<D> {
    /// Returns the links as a bed, with the inertia of its grains.
    pub fn bed<S: Number>(&self, ground: &[[f64; 2]]) -> Bed<D, S> {
        Bed::with_levers(&self.struts, &self.levers, ground)
    }
}

/// What solves did.
#[derive(Default)]
pub(super) struct Solved {
    /// Slots that they woke: the lists must be renewed.
    pub woken: Vec<u32>,
    /// Whether they displaced grains.
    pub moved: bool,
    /// Whether grains beside patches received more than may be left.
    handed_on: bool,
}

/// Solves for equilibrium of the resting grains of the groups that are asked for; large ones in patches, each by itself. `None` where there is nothing
/// to solve for.
pub(super) fn carry<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    morph: &MorphSetup,
    asked: &Asked,
) -> Result<Option<Solved>, SystemError> {
    system.dem.world.sleeping.still.pairs.find_groups();
    // Loads that change by themselves come to all.
    let in_patches = system.uniform && !perturb::loads_change(system);
    let mut all = None;
    // What goes beyond patches waits for the next solves, where there will be any.
    let rounds = match system.dem.world.grains.active.is_empty() {
        true => LAST,
        false => 1,
    };
    for _ in 0..rounds {
        let mut handed_on = false;
        for pending in patch::divided(&system.dem.world, asked, in_patches) {
            let all: &mut Solved = all.get_or_insert_default();
            if !all.woken.is_empty() {
                system.dem.renew_woken();
            }
            let solved = carry_together(system, sink, morph, asked, &pending)?;
            all.woken.extend(solved.woken);
            all.moved |= solved.moved;
            handed_on |= solved.handed_on;
        }
        if !handed_on || !system.dem.world.grains.active.is_empty() {
            break;
        }
    }
    if !in_patches {
        patch::load_all(&mut system.dem.world);
    }
    Ok(all)
}

/// Solves for equilibrium of the resting grains of some groups: near stepped grains, and in whole groups
/// where that is asked for, is due, or nothing is left to do near stepped ones.
fn carry_together<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    morph: &MorphSetup,
    asked: &Asked,
    groups: &Pending,
) -> Result<Solved, SystemError> {
    let slots = system.dem.world.grains.arrays.slots();
    let near = cluster::part::near_stepped(&system.dem.world, REACH, |slot| {
        groups.place(slot).is_some()
    });
    let resting = pending::standing(&system.dem.world, &near).count();
    let at_once = resting as f64 >= MOST * groups.slots.len() as f64;
    let mut near = Part::new(near, slots);
    let id = |slot: u32| driver::body_ref(&system.dem.world, Other::Slot(slot));
    let worst = pending::unrest(&system.dem.world, &groups.slots).worst;
    let mut avalanche = Carried::new(worst.map(|slot| (slot, id(slot))));
    let mut all_moved = false;
    if let Some(mut foreseen) = linear_response::foreseen(&system.dem.world, &mut system.s.known)
        && descend(
            &mut system.dem,
            &system.fields,
            &mut system.s.rest,
            &mut foreseen,
        )
    {
        avalanche::note_changes(system, sink, &mut avalanche)?;
        all_moved = true;
    }
    let begun = groups.unrest(&system.dem.world, &near.slots);
    // First the loose grains near stepped ones: in whole groups each try costs more.
    if !at_once {
        balance(system, sink, morph, &mut avalanche, &mut near, false)?;
    }
    let left = groups.unrest(&system.dem.world, &groups.slots);
    let beyond = groups.is_beyond(&near);
    let is_whole = |place: usize| match asked {
        Asked::All => !left[place].is_little(morph),
        Asked::Some(_) if at_once => true,
        Asked::Some(_) => {
            beyond[place] && (begun[place].is_little(morph) || left[place].sum > PENDING)
        }
    };
    let whole_groups: Vec<bool> = (0..left.len()).map(is_whole).collect();
    let mut whole = groups.slots.clone();
    whole.retain(|&slot| groups.place(slot).is_some_and(|place| whole_groups[place]));
    let mut solved = near.slots;
    if !whole.is_empty() {
        solved.extend(&whole);
        whole.extend(&system.dem.world.grains.active);
        whole.sort_unstable();
        whole.dedup();
        let mut whole = Part::new(whole, slots);
        balance(system, sink, morph, &mut avalanche, &mut whole, true)?;
        solved.sort_unstable();
        solved.dedup();
    }
    // When no grain is stepped, the residual stays: a grain too unbalanced to be put to rest must not keep it.
    let most = match system.dem.world.grains.active.is_empty() {
        true => morph.residual,
        false => morph.residual_after_solve,
    };
    let mut lacking: Vec<u32> = pending::standing(&system.dem.world, &solved).collect();
    lacking.retain(|&slot| rest::lacks(&system.dem.world, slot, most));
    avalanche::rouse_by(system, sink, &mut avalanche, &lacking)?;
    // Requests another solve for the remaining residuals, whether other grains come near or not.
    let left = groups.unrest(&system.dem.world, &groups.slots);
    for left in &left {
        if let Some(slot) = left.worst.filter(|_| !left.is_little(morph)) {
            groups::come_again(
                &system.dem.world,
                &mut system.s.schedule,
                slot,
                morph.carry_every,
            );
        }
    }
    let handed_on = patch::note_loads(&mut system.dem.world, groups, &left, &whole_groups, morph);
    let moved = avalanche.rounds > 0;
    let woken = std::mem::take(&mut avalanche.woken);
    avalanche::close_avalanche(
        &system.dem.world,
        &system.s.stage,
        &mut system.s.journal,
        &mut system.s.rest,
        sink,
        avalanche,
    )?;
    let (setup, world) = (&system.setup, &system.dem.world);
    if all_moved {
        reason::check_all_overlaps(setup, world, &mut system.s.warnings)?;
    } else if moved {
        solved.retain(|&slot| world.grains.stands(slot));
        reason::check_overlaps_of(setup, world, &solved, &mut system.s.warnings)?;
    }
    Ok(Solved {
        woken,
        moved,
        handed_on,
    })
}

/// Solves for equilibrium in a part, with all other grains held fast.
fn balance<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    morph: &MorphSetup,
    avalanche: &mut Carried,
    part: &mut Part<D>,
    whole: bool,
) -> Result<(), SystemError> {
    let pace = if whole {
        [morph.solve_time, LONGER * morph.solve_time]
    } else {
        [morph.solve_time; 2]
    };
    let passes = match system.dem.world.grains.active.is_empty() {
        true => LAST,
        false => PASSES,
    };
    for pass in 0..LAST {
        let left = pending::unrest(&system.dem.world, &part.slots);
        if left.is_little(morph) || pass >= passes && left.sum <= morph.pending {
            break;
        }
        let Increments { found, load, loose } = increments(
            &system.setup,
            &system.dem.world,
            &mut system.s.journal,
            &mut system.s.rest,
            part,
            pace,
        );
        if !loose.is_empty() {
            avalanche::rouse_by(system, sink, avalanche, &loose)?;
            system.dem.renew_woken();
        }
        if !found || !descend(&mut system.dem, &system.fields, &mut system.s.rest, part) {
            break;
        }
        note_carried(&mut system.dem.world, part, &load);
        avalanche::note_changes(system, sink, avalanche)?;
    }
    Ok(())
}

/// Finds displacements that balance the residuals of all grains but those that they would take too far.
fn increments<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    journal: &mut Journal,
    rest: &mut RestState,
    part: &mut Part<D>,
    pace: [f64; 2],
) -> Increments {
    let links = cluster::part::still_links_of(&world.sleeping, part);
    let held = struts(setup, world, part, &links);
    let mut bed: Bed<D, f32> = held.bed(&inertia(world, part, pace));
    let m = D::N + D::SPINS;
    let mut load = vec![0.0; part.slots.len() * m];
    for (&slot, load) in part.slots.iter().zip(load.chunks_exact_mut(m)) {
        if world.grains.stands(slot) {
            let residual =
                cluster::held::residual(&world.physics, &world.grains, &world.sleeping, slot);
            load[..D::N].copy_from_slice(&residual[..D::N]);
            load[D::N..].copy_from_slice(&residual[3..3 + D::SPINS]);
        }
    }
    rest.work += cost::assembly(load.len());
    let mut moved = vec![0.0; load.len()];
    let mut loose: Vec<u32> = Vec::new();
    for _ in 0..TRIES {
        journal.count(EventKind::AnalyzeInternalForces);
        let solved = bed.solve(&load, &mut moved, ROUGH, ITERATIONS);
        rest.solved(solved.unwrap_or(ITERATIONS), load.len());
        if solved.is_none() {
            break;
        }
        for (shift, moved) in part.shifts.iter_mut().zip(moved.chunks_exact(m)) {
            shift.way = D::Vector::from_fn(|j| moved[j]);
            shift.turn[..D::SPINS].copy_from_slice(&moved[D::N..]);
        }
        let mut far = cluster::far::far(world, part, &held.touching, &held.between, &LIMITS);
        far.retain(|slot| loose.binary_search(slot).is_err());
        if far.is_empty() {
            loose.retain(|&slot| world.grains.stands(slot));
            return Increments {
                found: true,
                load,
                loose,
            };
        }
        for place in far.iter().filter_map(|&slot| part.place(slot)) {
            let place = place as usize;
            if world.grains.stands(part.slots[place]) {
                load[place * m..][..m].fill(0.0);
            } else {
                bed.hold(place);
            }
        }
        loose.extend(far);
        loose.sort_unstable();
    }
    loose.retain(|&slot| world.grains.stands(slot));
    Increments {
        found: false,
        load,
        loose,
    }
}

/// Adds the loads that a solve carried on to those of the grains at rest of its part.
fn note_carried<D: Integrate>(world: &mut World<D>, part: &Part<D>, load: &[f64]) {
    let loads = load.chunks_exact(D::N + D::SPINS);
    for (&slot, load) in part.slots.iter().zip(loads) {
        if world.grains.stands(slot) {
            let squares: f64 = load[..D::N].iter().map(|f| f * f).sum();
            world.sleeping.still.carried[slot as usize] += squares.sqrt();
        }
    }
}

/// Returns the links in touch of a part, as they are strained now, with their stiffnesses; and those among
/// grains, walls left out. Grains beyond the part are ground.
pub(super) fn struts<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    part: &Part<D>,
    links: &[u32],
) -> Held<D> {
    let arrays = &world.grains.arrays;
    let mut struts: Vec<Strut<D>> = Vec::with_capacity(3 * part.slots.len());
    let mut touching: Vec<Touching<D>> = Vec::with_capacity(3 * part.slots.len());
    let (mut levers, mut between) = (Vec::new(), Vec::new());
    let shaped = world.grains.has_bodies();
    cluster::part::each_link_of(world, part, links, |view: ContactRef<D>| {
        let k = &view.kinematics;
        let material = |slot: u32| arrays.material[slot as usize];
        let radius = |slot: u32| arrays.radius(slot as usize);
        let place = part.place(view.a);
        let own = shaped.then(|| cluster::bodies::levers(&world.shapes, &world.grains, &view));
        let (other, b) = match view.b {
            Other::Slot(b) => {
                let [p, q] = cluster::bodies::sized(&world.shapes, &world.grains, &view);
                touching.push(Touching {
                    places: [place, part.place(b)],
                    normal: -k.normal,
                    radius: radius(p).min(radius(q)),
                });
                between.extend(own);
                (material(b), part.place(b))
            }
            Other::Boundary(wall) => (setup.boundaries[usize::from(wall)].material, None),
        };
        let pair = [material(view.a), other];
        let Some(law) = setup.matter.laws.get(pair[0], pair[1]) else {
            return;
        };
        let (a, b, normal) = match (place, b) {
            (Some(a), b) => (a, b, -k.normal),
            (None, Some(b)) => (b, None, k.normal),
            (None, None) => return,
        };
        let mut stiffness = law.stiffness(k.overlap, k.radius);
        if let Some(slow) = SlowLink::composed(&setup.matter.laws, pair, k.radius) {
            (stiffness.normal, stiffness.tangential) = slow.tangent(k.overlap, view.deepest);
        }
        let mut arms = view.arms;
        if place.is_none() {
            arms.reverse();
        }
        levers.extend(own.map(|[of_a, of_b]| match place {
            Some(_) => [of_a, of_b],
            None => [of_b, of_a],
        }));
        // A sliding link yields along the pull; in space it resists across it.
        let slides = if D::N == 3 && view.slipping {
            view.tangential_force.norm()
        } else {
            0.0
        };
        struts.push(Strut {
            a,
            b,
            normal,
            kn: stiffness.normal,
            kt: if view.slipping && slides == 0.0 {
                0.0
            } else {
                stiffness.tangential
            },
            slide: if slides > 0.0 {
                view.tangential_force * (1.0 / slides)
            } else {
                D::Vector::default()
            },
            turning: view.turning_stiffness,
            arms,
        });
    });
    Held {
        struts,
        levers,
        touching,
        between,
    }
}

/// Returns the inertia of the grains of a part in a step of length `pace` (of stepped ones, of others) from rest:
/// m / pace^2 between each and the ground.
pub(super) fn inertia<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    pace: [f64; 2],
) -> Vec<[f64; 2]> {
    let arrays = &world.grains.arrays;
    let inertia = |&slot: &u32| {
        let s = slot as usize;
        // Stepped grains move on their own meanwhile.
        let pace = pace[usize::from(world.grains.stands(slot))];
        let per = 1.0 / (pace * pace);
        let turning = match cluster::bodies::principal_moments(&world.shapes, &world.grains, slot) {
            // A body in space resists differently about each axis: the mean is near enough.
            Some([a, b, c]) if D::N == 3 => per * (a + b + c) / (3.0 * arrays.radius(s).powi(2)),
            _ => per / arrays.inverse_inertia(s),
        };
        [per / arrays.inverse_mass(s), turning]
    };
    part.slots.iter().map(inertia).collect()
}

/// Work of fields in a displacement.
struct Work {
    /// Of all, J.
    load: f64,
    /// Of those without a potential, J.
    given: f64,
}

/// Returns the work of the loads of a part on those of its slots that `of` selects.
fn work<D: Integrate>(part: &Part<D>, loads: &[FieldLoad], of: impl Fn(u32) -> bool) -> Work {
    let mut sum = Work {
        load: 0.0,
        given: 0.0,
    };
    for ((&slot, shift), load) in part.slots.iter().zip(&part.shifts).zip(loads) {
        if of(slot) {
            let along = |wrench: &Wrench| {
                let straight = (0..D::N).map(|k| wrench[k] * shift.way[k]).sum::<f64>();
                straight + (0..3).map(|k| wrench[3 + k] * shift.turn[k]).sum::<f64>()
            };
            sum.load += along(&load.load);
            sum.given += along(&load.given);
        }
    }
    sum
}

/// Returns the elastic energy of the links of stepped grains.
fn stepped_elastic<D: Integrate>(world: &World<D>) -> Elastic {
    let mut elastic = Elastic::default();
    cluster::observe::each_list_link(world, |view| elastic += view.elastic);
    elastic.normal += cluster::loads::unseen_elastic(world);
    elastic
}

/// Follows the displacements as far as the energy falls; returns whether it moved the grains at all.
///
/// The energy is that of the resting grains that the solve balances, under their weight, fields and the push of
/// stepped grains, which are loads. Stepped grains count as weightless, and their links count by their
/// resistance beyond their present push.
pub(super) fn descend<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &FieldSet<D>,
    rest: &mut RestState,
    part: &mut Part<D>,
) -> bool {
    let gravity = dem.world.physics.gravity;
    if fields.has_moments() {
        dem.world.grains.settle_rotations();
    }
    let loads = field_loads::of(&dem.world, fields, &part.slots);
    let stepped = stepped_elastic(&dem.world);
    let mut given = cluster::loads::given_by_stepped(&dem.world, part);
    for (&slot, shift) in part.slots.iter().zip(&part.shifts) {
        if dem.world.grains.stands(slot) {
            let push = cluster::held::mean_push(&dem.world.grains, &dem.world.sleeping, slot);
            given -= (0..D::N).map(|k| push[k] * shift.way[k]).sum::<f64>();
            given -= (0..3).map(|k| push[3 + k] * shift.turn[k]).sum::<f64>();
        } else {
            let mass = 1.0 / dem.world.grains.arrays.inverse_mass(slot as usize);
            given += mass * gravity.dot(&shift.way);
        }
    }
    let is_stepped = |slot: u32| !dem.world.grains.stands(slot);
    given += work(part, &loads, is_stepped).load;
    let mut before = cluster::shift::before_shift(&dem.world, &dem.skin, part);
    for _ in 0..HALVINGS {
        let (mut elastic, [slid, crushed]) = cluster::shift::shift(
            &mut dem.world,
            &mut dem.skin,
            &mut dem.effects,
            part,
            &before,
        );
        elastic += stepped_elastic(&dem.world);
        elastic -= stepped;
        let mut potential = 0.0;
        for (&slot, shift) in part.slots.iter().zip(&part.shifts) {
            let mass = 1.0 / dem.world.grains.arrays.inverse_mass(slot as usize);
            potential -= mass * gravity.dot(&shift.way);
        }
        let worked = work(part, &loads, |_| true);
        potential -= worked.load;
        let change = potential + elastic.sum();
        // A pushed grain may lose the push meanwhile: no step may add to the energy that is there.
        if change + given < 0.0 && change < 0.0 {
            cluster::shift::settle_shift(
                &mut dem.world,
                &mut dem.book,
                &mut dem.clusters,
                &mut dem.effects,
                part,
            );
            rest.energy -= change + slid + crushed;
            // The ledger subtracts the energy of tangential springs from this flow.
            dem.book.flows.friction += elastic.tangential + slid;
            dem.book.flows.damping += crushed;
            dem.book.flows.fields.work += worked.given;
            let standing: Vec<u32> = pending::standing(&dem.world, &part.slots).collect();
            field_loads::refresh(dem, fields, &standing);
            return true;
        }
        cluster::shift::take_back(
            &mut dem.world,
            &mut dem.skin,
            &mut dem.effects,
            part,
            &mut before,
        );
        given *= 0.5;
    }
    false
}
