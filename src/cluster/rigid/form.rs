//! How rigid bodies form.

use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, VecDeque};

use super::body::{BodyMotion, Push, RigidBody};
use super::template::{Member, Template, Tie};
use super::{RigidBodies, RigidDimension};
use crate::cluster::dem::Dem;
use crate::cluster::integrate::Integrate;
use crate::contact::bond::Bond;
use crate::geometry::{Dimension, Vector};

/// A member of a body that forms.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewMember<D: Dimension> {
    pub slot: u32,
    /// Its centre where the body is whole, m.
    pub place: D::Vector,
    pub rotation: D::Rotation,
    pub mass: f64,
    pub inertia: f64,
    /// What brings it into a periodic box, m.
    pub image: D::Vector,
}

impl<D: RigidDimension> RigidBodies<D> {
    /// Makes a body without motion, of a known build if there is one.
    pub(super) fn assemble(
        &mut self,
        members: &[NewMember<D>],
        ties: Vec<Tie>,
        weakness: Vec<[f64; 4]>,
    ) -> RigidBody<D> {
        let of_template = members.iter().map(|member| Member {
            place: member.place,
            mass: member.mass,
            inertia: member.inertia,
        });
        let (template, position, mut rotation) = Template::new(of_template.collect(), ties);
        let known = self.templates.iter().zip(0..);
        let same = known
            .filter_map(|(known, index)| Some((index, known.turn_onto(&template)?)))
            .next();
        let index = match same {
            Some((index, turn)) => {
                rotation = D::composed(rotation, turn);
                index
            }
            None => {
                self.templates.push(template);
                self.templates.len() as u32 - 1
            }
        };
        let back = D::inverse(rotation);
        let none = D::Vector::default();
        let away = members.iter().any(|member| member.image != none);
        let mut weakest = [0.0_f64; 4];
        for of in &weakness {
            (0..4).for_each(|k| weakest[k] = weakest[k].max(of[k]));
        }
        RigidBody {
            template: index,
            members: members.iter().map(|member| member.slot).collect(),
            turns: members
                .iter()
                .map(|member| D::composed(back, member.rotation))
                .collect(),
            images: match away {
                true => members.iter().map(|member| member.image).collect(),
                false => Vec::new(),
            },
            weakness: match weakest == [0.0; 4] {
                true => Vec::new(),
                false => weakness,
            },
            weakest,
            motion: BodyMotion {
                position,
                rotation,
                velocity: none,
                momentum: D::Spin::default(),
                seen: (none, D::Spin::default()),
                before: (none, D::Spin::default()),
            },
            is_fresh: true,
            push: Push::default(),
            pushed: Vec::new(),
            solved: None,
            exposed: Vec::new(),
        }
    }
}

/// Forms bodies of grains that these bonds join, each with the vector between the centres of its grains, m; they have the momentum and the
/// angular momentum of their members. The lists must be renewed.
pub(in crate::cluster) fn form<D: Integrate>(dem: &mut Dem<D>, bonds: &[(Bond<D>, D::Vector)]) {
    let grains = &mut dem.world.grains;
    let arrays = &grains.arrays;
    let mut joined = UnionFind::<usize>::new(arrays.slots());
    let mut bonds_of: Vec<Vec<usize>> = vec![Vec::new(); arrays.slots()];
    for (index, (bond, _)) in bonds.iter().enumerate() {
        let [a, b] = bond.slots.map(|slot| slot as usize);
        joined.union(a, b);
        bonds_of[a].push(index);
        bonds_of[b].push(index);
        dem.clusters.insert_link(bond.slots[0], bond.slots[1]);
    }
    // Bodies in order of their least number, members in order of theirs.
    let mut slots: Vec<u32> = grains.own().collect();
    slots.retain(|&slot| !bonds_of[slot as usize].is_empty());
    slots.sort_unstable_by_key(|&slot| arrays.id[slot as usize]);
    let mut order = Vec::new();
    let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for slot in slots {
        let group = joined.find_mut(slot as usize);
        groups.entry(group).or_insert_with(|| {
            order.push(group);
            Vec::new()
        });
        groups.entry(group).or_default().push(slot);
    }
    let mut rigid = std::mem::take(&mut grains.rigid);
    for group in order {
        let slots = &groups[&group];
        let mut place: BTreeMap<u32, u32> = BTreeMap::new();
        for (member, &slot) in (0..).zip(slots) {
            place.insert(slot, member);
        }
        // Across a periodic border the body is put together where its first member is.
        let mut whole: Vec<Option<D::Vector>> = vec![None; slots.len()];
        whole[0] = Some(arrays.position(slots[0] as usize));
        let mut waiting = VecDeque::from([slots[0]]);
        while let Some(slot) = waiting.pop_front() {
            let Some(from) = whole[place[&slot] as usize] else {
                continue;
            };
            for &index in &bonds_of[slot as usize] {
                let (bond, apart) = &bonds[index];
                let (other, way) = match bond.slots[0] == slot {
                    true => (bond.slots[1], *apart),
                    false => (bond.slots[0], -*apart),
                };
                let to = &mut whole[place[&other] as usize];
                if to.is_none() {
                    *to = Some(from + way);
                    waiting.push_back(other);
                }
            }
        }
        let mut of_body: Vec<usize> = slots
            .iter()
            .flat_map(|&s| bonds_of[s as usize].clone())
            .collect();
        of_body.sort_unstable();
        of_body.dedup();
        let mut ties: Vec<(Tie, [f64; 4])> = of_body
            .iter()
            .map(|&index| {
                let bond = &bonds[index].0;
                let ends = bond.slots.map(|slot| place[&slot]);
                let tie = Tie {
                    ends: [ends[0].min(ends[1]), ends[0].max(ends[1])],
                    beam: bond.beam,
                };
                (tie, bond.beam.weakness)
            })
            .collect();
        ties.sort_by_key(|(tie, _)| tie.ends);
        let members: Vec<NewMember<D>> = slots
            .iter()
            .zip(&whole)
            .map(|(&slot, whole)| {
                let s = slot as usize;
                let radius = arrays.radius(s);
                let position = arrays.position(s);
                let place = whole.unwrap_or(position);
                NewMember {
                    slot,
                    place,
                    rotation: D::rotation(arrays, s),
                    mass: 1.0 / arrays.inverse_mass(s),
                    inertia: radius * radius / arrays.inverse_inertia(s),
                    image: whole_images::<D>(position - place, &dem.world.physics.periodic),
                }
            })
            .collect();
        let (ties, weakness) = ties.into_iter().unzip();
        let mut body = rigid.assemble(&members, ties, weakness);
        let template = &rigid.templates[body.template as usize];
        let (mut velocity, mut momentum) = (D::Vector::default(), D::Spin::default());
        for member in &members {
            let s = member.slot as usize;
            let (v, radius) = (arrays.velocity(s), arrays.radius(s));
            let surface = D::surface_spin(arrays, s);
            let spin = D::spin_from_fn(|k| surface[k] / radius);
            velocity += v * (member.mass / template.mass);
            let arm = member.place - body.motion.position;
            momentum += D::moment(arm, v * member.mass) + spin * member.inertia;
        }
        body.motion.velocity = velocity;
        body.motion.momentum = momentum;
        body.motion.seen = (velocity, body.stored_spin(template));
        rigid.list.push(body);
        rigid.counts.formed += 1;
    }
    rigid.find_homes();
    grains.rigid = rigid;
}

/// Returns the whole numbers of lengths of a periodic box in a difference of places, m.
fn whole_images<D: Dimension>(
    d: D::Vector,
    periodic: &[Option<crate::neighbor::PeriodicAxis>],
) -> D::Vector {
    D::Vector::from_fn(|k| match periodic.get(k).copied().flatten() {
        Some(axis) => axis.length * (d[k] / axis.length).round(),
        None => 0.0,
    })
}
