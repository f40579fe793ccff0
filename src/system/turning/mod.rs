//! A vessel that turns as a whole, such as a drum, computed in its own frame.
//!
//! Grains at rest relative to walls that turn together are in equilibrium in the frame of these walls, where gravity turns the other way
//! and centrifugal and Coriolis forces act. So a setup whose walls all turn about one axis at one rate is computed there: its walls stand,
//! and beds come to rest as anywhere else. Until time 0, while grains settle, the frame stands; then it begins to turn, and each grain has
//! the velocity and the spin of the frame less. All records are those of the laboratory: [`Laboratory`] turns rows back, and
//! `books` has energies, and loads and work of walls.

mod books;
mod laboratory;

use crate::capabilities::{Feature, Model, Support};
use crate::cluster::integrate::Integrate;
use crate::control::Command;
use crate::field::{FieldFeature, GravityChange, TurningFrame};
use crate::geometry::{Dimension, cross, three};
use crate::record::Sink;
use crate::system::perturb::{PerturbKind, PerturbSetup, PerturbWhen, SLOW};
use crate::system::{Setup, System, SystemError, air, features, ledger, regimes, rest};
use crate::walls::{Boundary, Motion, Shape};

pub(super) use books::{TurnedWalls, gather_walls, given_beyond, in_laboratory};
pub(super) use laboratory::{Laboratory, telling};

/// Sine of the angle within which two axes count as one.
const ALIGNED: f64 = 1e-12;

/// Returns the axis about which a wall turns, and its rate; none if it does anything else.
fn turn_of<D: Dimension>(wall: &Boundary<D>) -> Option<TurningFrame<D>> {
    match wall.motion {
        Motion::Rotation { centre, spin } if wall.belt == D::Vector::default() => {
            Some(TurningFrame {
                waits: true,
                ..TurningFrame::with_spin(centre, spin)
            })
        }
        _ => None,
    }
}

fn size(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Whether a wall that stands is the same however it is turned about the axis of a frame: a plane across it, such as the lid of a drum.
fn is_even<D: Dimension>(wall: &Boundary<D>, frame: &TurningFrame<D>) -> bool {
    let Shape::Plane(plane) = &wall.shape else {
        return false;
    };
    let normal = three(plane.normal);
    D::N == 3
        && wall.stands()
        && size(cross(normal, frame.rate)) <= ALIGNED * size(normal) * frame.angular_speed()
}

/// Returns the frame that turns with all walls of a setup (lids across its axis may stand in the laboratory), if all else in the setup can
/// be computed in it. What refers to places or directions of the laboratory cannot: feeds, outlets, meters, perturbations, fields beside
/// gravity, a grid of stagnant zones.
pub fn common_frame<D: Dimension>(setup: &Setup<D>) -> Option<TurningFrame<D>> {
    let frame = setup.boundaries.iter().find_map(turn_of)?;
    let rate = frame.angular_speed();
    let together = |wall: &Boundary<D>| {
        turn_of(wall).is_some_and(|other| {
            let apart = three(other.centre - frame.centre);
            let off = if D::N == 2 {
                size(apart)
            } else {
                size(cross(apart, frame.rate)) / rate
            };
            other.rate == frame.rate && off <= ALIGNED * size(apart).max(size(three(other.centre)))
        })
    };
    let along = |axis: usize| (0..3).all(|k| k == axis || frame.rate[k] == 0.0);
    let mut periodic = setup.space.periodic.iter().enumerate();
    let sources = &setup.sources;
    let supported = |feature: Feature| {
        let models = features::models(setup);
        let support = |model: &Model| feature.support(*model, D::N);
        models.iter().all(|model| support(model) == Support::Yes)
    };
    let fits = rate > 0.0
        && supported(Feature::Tilt)
        && supported(Feature::of_field(FieldFeature::TurningFrame))
        && setup
            .boundaries
            .iter()
            .all(|wall| together(wall) || is_even(wall, &frame))
        && setup.models.events.is_none()
        // In the frame of a vessel nobody flies.
        && setup.motion.collisions.is_none()
        && setup.models.quasi_static.is_none()
        && setup.run.begin == 0.0
        && setup.matter.forms.is_empty()
        && setup.space.cell.is_none()
        && periodic.all(|(k, axis)| axis.is_none() || D::N == 3 && along(k))
        && setup.fields.drag == 0.0
        && setup.fields.long_range.is_none()
        && setup.fields.place.asks().is_empty()
        && setup.fields.place.own.is_empty()
        && setup.fields.gravity != D::Vector::default()
        && setup.log.stagnant.is_none()
        && sources.feeds.is_empty()
        && sources.outlets.is_empty()
        && sources.meters.is_empty()
        && sources.controls.is_empty()
        && sources.perturbs.is_empty();
    fits.then_some(frame)
}

/// Returns the frame in which a setup is to be computed, if not in the laboratory: where grains can come to rest in it.
pub fn frame_of<D: Dimension>(setup: &Setup<D>) -> Option<TurningFrame<D>> {
    let morph = setup.models.morph.filter(|morph| morph.own_frame)?;
    common_frame(setup)
        .filter(|frame| frame.angular_speed() * morph.carry_every < SLOW * morph.residual)
}

/// Returns the frame of a setup that was changed to it.
pub(super) fn own_frame<D: Dimension>(setup: &Setup<D>) -> Option<TurningFrame<D>> {
    setup.fields.place.rotation.filter(|frame| frame.waits)
}

/// Changes a setup to the frame in which it is to be computed.
pub(super) fn enter<D: Dimension>(setup: &mut Setup<D>) {
    let Some(frame) = frame_of(setup) else {
        return;
    };
    let back = frame.spin() * -1.0;
    for wall in &mut setup.boundaries {
        wall.motion = match is_even(wall, &frame) {
            true => Motion::Rotation {
                centre: frame.centre,
                spin: back,
            },
            false => Motion::Fixed,
        };
    }
    setup.fields.place.rotation = Some(frame);
    setup.sources.perturbs.push(PerturbSetup {
        when: PerturbWhen::At(0.0),
        kind: PerturbKind::Gravity(GravityChange::Turn { spin: back }),
    });
}

/// Returns what is wrong with a command in a vessel that is computed in its own frame, which has no way for it; none if nothing is.
pub(super) fn refuses(command: &Command) -> Option<&'static str> {
    match command {
        Command::Tap { region: None, .. } | Command::Open { .. } | Command::Shut { .. } => None,
        Command::Tap { .. } => Some("a tap of a region has no place"),
        Command::Remove { .. } | Command::RemoveOfArch(_) => Some("no grain can be removed"),
        Command::Shake { .. } | Command::Tilt { .. } => Some("gravity cannot be changed"),
    }
}

/// Wakes all grains before the frame begins to turn.
pub(super) fn wake<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if own_frame(&system.setup).is_some() {
        let standing = system.dem.world.grains.standing();
        if rest::wake_grains(system, sink, &standing)? {
            regimes::renew(system, sink)?;
        }
    }
    Ok(())
}

/// Begins to turn the frame, at time 0: all grains move the other way, relative to it.
pub(super) fn begin<D: Integrate>(system: &mut System<D>) {
    let Some(frame) = own_frame(&system.setup) else {
        return;
    };
    system.s.turned = TurnedWalls::new(system.setup.boundaries.len());
    let time = system.dem.world.clock.time();
    let before = ledger::held(&system.dem.world, &system.fields, time);
    let damped = ledger::passed(&system.dem).damping;
    let spin = frame.spin() * -1.0;
    let slots: Vec<u32> = system.dem.world.grains.own().collect();
    for slot in slots {
        let place = system.dem.world.position_at(slot as usize, time);
        let velocity = D::cross_spin(spin, place - frame.centre);
        let grains = &mut system.dem.world.grains;
        grains.kick(slot, velocity);
        grains.spin_up(slot, spin);
    }
    system.fields.begin();
    // The work of the dampers of this evaluation is computed with the present velocities.
    let shifted = ledger::passed(&system.dem).damping - damped;
    system.dem.book.flows.damping -= shifted;
    let after = ledger::held(&system.dem.world, &system.fields, time);
    // What links hold is told otherwise while they slide at another speed, but has not changed.
    system.s.ledger.perturbed +=
        after.kinetic + after.potential - (before.kinetic + before.potential);
    air::forget_flyers(&mut system.air);
    system.s.rest.balanced = false;
}
