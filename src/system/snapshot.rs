//! Snapshots: a row of each grain, and of each link.

use super::jam_watch::JamWatch;
use super::journal::Journal;
use super::rest::RestState;
use super::{SystemError, driver, force_error, outlet, rigid};
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::bonds::fragments::Fragments;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Dem, Other, World};
use crate::event::Regime;
use crate::field::FieldSet;
use crate::geometry::{Vector, three};
use crate::record::{BodyRef, BondState, GrainRow, LinkRow, Sink};

/// Returns, by slot, the least grain number of those of some slots that have its label; -1 for others. Slots change, numbers stay.
fn named_by_least<D: Integrate>(
    world: &World<D>,
    slots: impl Iterator<Item = u32>,
    label: impl Fn(u32) -> u32,
) -> Vec<i64> {
    let arrays = &world.grains.arrays;
    let labelled = slots.map(|slot| (label(slot), arrays.id[slot as usize], slot));
    let mut labelled: Vec<(u32, GrainId, u32)> = labelled.collect();
    labelled.sort_unstable();
    let mut names = vec![-1; arrays.slots()];
    for group in labelled.chunk_by(|a, b| a.0 == b.0) {
        for &(_, _, slot) in group {
            names[slot as usize] = i64::from(group[0].1);
        }
    }
    names
}

/// Returns rows of all grains at a time within a step of the last evaluation, in order of number.
pub(super) fn grain_rows<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &FieldSet<D>,
    watch: &JamWatch,
    rest: &RestState,
    time: f64,
) -> Vec<GrainRow> {
    let world = &mut dem.world;
    world.sleeping.still.pairs.find_groups();
    let (world, clusters) = (&*world, &mut dem.clusters);
    cluster::change::find_splits(&world.grains, &world.contacts, &world.sleeping, clusters);
    let arrays = &world.grains.arrays;
    let slots = || (1..arrays.slots() as u32).filter(|&s| arrays.status[s as usize].is_grain());
    let errors = force_error::of_groups(world, fields, clusters);
    let clusters = named_by_least(world, slots(), |slot| clusters.cluster_of(slot));
    let fragments = Fragments::of(world);
    let standing = slots().filter(|&slot| world.grains.stands(slot));
    let group_of = |slot: u32| world.sleeping.still.pairs.group_of(slot);
    let groups = named_by_least(world, standing, group_of);
    let mut rows: Vec<GrainRow> = slots()
        .map(|slot| {
            let flying = world.grains.flies(slot as usize);
            let grain = outlet::grain_at(world, watch, slot, time);
            let still = world.grains.stands(slot);
            let group = groups[slot as usize];
            let error = GrainId::try_from(group)
                .ok()
                .and_then(|least| errors.get(&least));
            let error = error.map_or(0.0, |group| group.error.sum());
            let (force, moment) = if flying {
                ([0.0; 3], [0.0; 3])
            } else if still {
                let [fx, fy, fz, mx, my, mz] =
                    cluster::held::contact_force(&world.grains, &world.sleeping, slot);
                ([fx, fy, fz], [mx, my, mz])
            } else {
                cluster::rigid::force_now(world, slot)
            };
            GrainRow {
                time,
                grain: grain.id,
                shape: grain.form,
                radius: grain.radius,
                mass: grain.mass,
                material: grain.material,
                position: three(grain.position),
                velocity: three(grain.velocity),
                rotation: D::rotation_components(grain.rotation).0,
                spin: std::array::from_fn(|k| {
                    if k < D::SPINS {
                        D::spin_component(grain.spin, k)
                    } else {
                        0.0
                    }
                }),
                force,
                moment: moment.map(|t| t * grain.radius),
                regime: if flying {
                    Regime::Flight
                } else if still && rigid::is_rigid(world, rest, slot)
                    || world.grains.rigid.of(slot).is_some()
                {
                    Regime::Rigid
                } else if still {
                    Regime::Rest
                } else {
                    Regime::Cluster
                },
                cluster: if flying { -1 } else { clusters[slot as usize] },
                group,
                force_error: error,
                fragment: fragments.name(slot, grain.id),
            }
        })
        .collect();
    rows.sort_unstable_by_key(|r| r.grain);
    rows
}

/// Returns rows of all links at the last evaluation, ordered by their bodies.
pub(super) fn link_rows<D: Integrate>(
    world: &World<D>,
    journal: &Journal,
    time: f64,
) -> Vec<LinkRow> {
    let mut rows = Vec::new();
    cluster::observe::each_contact(world, |link: ContactRef<D>| {
        let (mut a, mut b) = (
            driver::body_ref(world, Other::Slot(link.a)),
            driver::body_ref(world, link.b),
        );
        // From a to b; the kernels' normal points from b to a.
        let mut normal = -link.kinematics.normal;
        let mut force = link.tangential_force;
        if let (BodyRef::Grain(i), BodyRef::Grain(j)) = (a, b)
            && i > j
        {
            std::mem::swap(&mut a, &mut b);
            normal = -normal;
            force = -force;
        }
        rows.push(LinkRow {
            time,
            link: journal.links.find(a, b),
            body_a: a,
            body_b: b,
            point: three(link.kinematics.point),
            normal: three(normal),
            overlap: link.kinematics.overlap,
            normal_force: link.normal_force,
            tangential_force: three(force),
            slipping: link.slipping,
            stable: link.stable,
            bond: None,
        });
    });
    rows.sort_by_key(|r| (r.body_a.code(), r.body_b.code()));
    add_bonds(world, journal, time, &mut rows);
    rows
}

/// Adds the bonds to the rows of the links of their grains; where these do not touch the bond gets a row of its own.
fn add_bonds<D: Integrate>(
    world: &World<D>,
    journal: &Journal,
    time: f64,
    rows: &mut Vec<LinkRow>,
) {
    let touching = rows.len();
    let key = |row: &LinkRow| (row.body_a.code(), row.body_b.code());
    for bond in cluster::bonds::sights(world) {
        let [a, b] = bond.grains.map(BodyRef::Grain);
        let (a, b, sign) = if bond.grains[0] > bond.grains[1] {
            (b, a, -1.0)
        } else {
            (a, b, 1.0)
        };
        let length = bond.apart.norm();
        let normal = bond.apart * (sign / length);
        let force = bond.force * sign;
        let along = force.dot(&normal);
        let across = three(normal * along - force);
        let place = rows[..touching].binary_search_by_key(&(a.code(), b.code()), key);
        let place = place.unwrap_or_else(|_| {
            rows.push(LinkRow {
                time,
                link: journal.links.find(a, b),
                body_a: a,
                body_b: b,
                point: three(bond.middle),
                normal: three(normal),
                overlap: bond.radii[0] + bond.radii[1] - length,
                normal_force: 0.0,
                tangential_force: [0.0; 3],
                slipping: false,
                stable: false,
                bond: None,
            });
            rows.len() - 1
        });
        let row = &mut rows[place];
        row.normal_force += along;
        row.tangential_force = std::array::from_fn(|k| row.tangential_force[k] + across[k]);
        row.bond = Some(BondState {
            tension: bond.load.tension,
            shear: bond.load.shear,
            bending: bond.load.bending,
            twisting: bond.load.twisting,
            share: bond.share,
        });
    }
    rows.sort_by_key(key);
}

/// Writes the rows of all grains and links.
pub(super) fn log_snapshot<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &FieldSet<D>,
    journal: &Journal,
    watch: &JamWatch,
    rest: &RestState,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    let grains = grain_rows(dem, fields, watch, rest, time);
    let links = link_rows(&dem.world, journal, time);
    Ok(sink.snapshot(&grains, &links)?)
}
