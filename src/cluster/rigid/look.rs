//! What is told of rigid bodies and their members.

use super::body::{Axes, Rates};
use super::load::{TieLoad, force_of};
use super::strength::share_of;
use crate::cluster::bonds::BondSight;
use crate::cluster::dem::{Dem, spin_of, three};
use crate::cluster::integrate::Integrate;
use crate::cluster::world::World;
use crate::geometry::Vector;

/// Returns velocity, spin and their rates of a member at the evaluation; none for a slot that is no member.
pub fn rates_of<D: Integrate>(world: &World<D>, slot: u32) -> Option<Rates<D>> {
    let rigid = &world.grains.rigid;
    let (body, member) = rigid.of(slot)?;
    let body = &rigid.list[body];
    let template = &rigid.templates[body.template as usize];
    let whole = body.rates(template, &world.clock, &world.physics);
    let arm = D::rotate(body.motion.rotation, template.members[member].place);
    let turning = D::cross_spin(whole.spin, arm);
    Some(Rates {
        velocity: whole.velocity + turning,
        acceleration: whole.acceleration
            + D::cross_spin(whole.turning, arm)
            + D::cross_spin(whole.spin, turning),
        ..whole
    })
}

/// Returns the contact force on a stepped slot at the last evaluation, N, and its moment over the radius.
pub fn force_now<D: Integrate>(world: &World<D>, slot: u32) -> ([f64; 3], [f64; 3]) {
    let (arrays, rigid) = (&world.grains.arrays, &world.grains.rigid);
    let Some((body, member)) = rigid.of(slot) else {
        return D::force(arrays, slot as usize);
    };
    let pushed = &rigid.list[body].pushed;
    match pushed.binary_search_by_key(&(member as u32), |of| of.0) {
        Ok(place) => {
            let push = &pushed[place].1;
            let inverse = 1.0 / arrays.radius(slot as usize);
            (three(push.force), spin_of::<D>(push.moment * inverse))
        }
        Err(_) => Default::default(),
    }
}

/// Returns the power of the dampers on all bodies at the evaluation, W.
pub fn damping_power<D: Integrate>(dem: &Dem<D>) -> f64 {
    let (world, rigid) = (&dem.world, &dem.world.grains.rigid);
    let power = rigid.list.iter().map(|body| {
        let template = &rigid.templates[body.template as usize];
        let rates = body.rates(template, &world.clock, &world.physics);
        let (force, moment) = body.push.damping;
        force.dot(&rates.velocity) + D::spin_dot(moment, rates.spin)
    });
    // An empty sum is -0.
    0.0 + power.sum::<f64>()
}

/// Returns the bonds of all bodies at the last evaluation. Where loads cannot be solved for they are told as 0.
pub(in crate::cluster) fn sights<D: Integrate>(world: &World<D>) -> Vec<BondSight<D>> {
    let (arrays, rigid) = (&world.grains.arrays, &world.grains.rigid);
    let mut all = Vec::new();
    for body in &rigid.list {
        let template = &rigid.templates[body.template as usize];
        let load = body.load(template, &world.clock, &world.physics);
        let axes = Axes::<D>::of(body.motion.rotation);
        let loads =
            template.with_statics(|statics| Ok((statics.loads(&load)?, statics.frames.clone())));
        let (loads, frames) = loads.unwrap_or_else(|_| {
            let ties = template.ties.len();
            (
                vec![TieLoad::default(); ties],
                vec![Default::default(); ties],
            )
        });
        for (index, (tie, (load, frame))) in template
            .ties
            .iter()
            .zip(loads.iter().zip(&frames))
            .enumerate()
        {
            let slots = tie.ends.map(|end| body.members[end as usize] as usize);
            let [a, b] = tie.ends.map(|end| template.members[end as usize].place);
            let apart = axes.outward(b - a);
            let weakness = body.weakness.get(index).copied().unwrap_or_default();
            all.push(BondSight {
                grains: slots.map(|slot| arrays.id[slot]),
                radii: slots.map(|slot| arrays.radius(slot)),
                apart,
                middle: arrays.position(slots[0]) + apart * 0.5,
                force: axes.outward(force_of::<D>(load, frame)),
                load: load.of_beam(tie.beam.length),
                share: share_of(tie, weakness, load).max(0.0),
            });
        }
    }
    all
}
