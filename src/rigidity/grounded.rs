//! Rigid groups of many disks on a ground, at a cost proportional to the number of links.
//!
//! Most of a bed is rigid with the ground, disk by disk: a disk with two links to the rigid part,
//! one of them gripping, is rigid too (the thesis's hamburger), and so are two disks that grip each
//! other and each grip the rigid part (its triangle). [`Pebble`] counts the remainder, together
//! with the disks that it touches, which are welded to the ground. So the groups are those that
//! [`Pebble`] finds on the whole network.

use super::pebble::{BodyKey, BodyKind, Pebble};
use crate::stress::LinkState;

/// A link between a disk and another one, or the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskLink {
    /// The first disk.
    pub a: u32,
    /// The other disk; none for the ground.
    pub b: Option<u32>,
    /// Whether the link slides.
    pub slides: bool,
}

/// Rigid groups, the disks of each in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskGroups {
    /// Disks that are rigid with the ground.
    pub grounded: Vec<u32>,
    /// Other groups of two or more disks, largest first, then by their first disk.
    pub free: Vec<Vec<u32>>,
}

/// Links of each disk: the other disk, or `u32::MAX` for the ground, and whether the link slides.
struct Neighbours {
    first: Vec<u32>,
    others: Vec<(u32, bool)>,
}

const GROUND: u32 = u32::MAX;

impl Neighbours {
    fn new(disks: usize, links: &[DiskLink]) -> Self {
        let mut first = vec![0u32; disks + 1];
        let ends = || {
            links
                .iter()
                .flat_map(|l| [Some(l.a), l.b].into_iter().flatten())
        };
        for disk in ends() {
            first[disk as usize + 1] += 1;
        }
        for k in 0..disks {
            first[k + 1] += first[k];
        }
        let mut next = first.clone();
        let mut others = vec![(GROUND, false); first[disks] as usize];
        for link in links {
            let mut put = |disk: u32, other: Option<u32>| {
                let place = &mut next[disk as usize];
                others[*place as usize] = (other.unwrap_or(GROUND), link.slides);
                *place += 1;
            };
            put(link.a, link.b);
            if let Some(b) = link.b {
                put(b, Some(link.a));
            }
        }
        Neighbours { first, others }
    }

    fn of(&self, disk: u32) -> &[(u32, bool)] {
        let d = disk as usize;
        &self.others[self.first[d] as usize..self.first[d + 1] as usize]
    }
}

/// Links of a disk to the rigid part, and how many of them grip.
#[derive(Clone, Copy, Default)]
struct Hold {
    links: u16,
    grips: u16,
    rigid: bool,
}

/// Finds disks that are rigid with the ground one by one or in pairs.
fn grow(disks: usize, neighbours: &Neighbours) -> Vec<bool> {
    let mut holds = vec![Hold::default(); disks];
    let mut joining: Vec<u32> = Vec::new();
    let hold = |holds: &mut [Hold], disk: u32, slides: bool, joining: &mut Vec<u32>| {
        let own = &mut holds[disk as usize];
        if own.rigid {
            return;
        }
        own.links += 1;
        own.grips += u16::from(!slides);
        if own.links >= 2 && own.grips >= 1 {
            own.rigid = true;
            joining.push(disk);
        } else if own.grips == 1 {
            let holding = |&&(other, slides): &&(u32, bool)| {
                other != GROUND && !slides && {
                    let other = holds[other as usize];
                    !other.rigid && other.grips > 0
                }
            };
            if let Some(&(other, _)) = neighbours.of(disk).iter().find(holding) {
                holds[disk as usize].rigid = true;
                holds[other as usize].rigid = true;
                joining.extend([disk, other]);
            }
        }
    };
    for disk in 0..disks as u32 {
        for &(other, slides) in neighbours.of(disk) {
            if other == GROUND {
                hold(&mut holds, disk, slides, &mut joining);
            }
        }
    }
    while let Some(disk) = joining.pop() {
        for &(other, slides) in neighbours.of(disk) {
            if other != GROUND {
                hold(&mut holds, other, slides, &mut joining);
            }
        }
    }
    holds.into_iter().map(|hold| hold.rigid).collect()
}

impl DiskGroups {
    /// Maximal rigid groups of disks, numbered from 0, and a ground. Disks may be without links.
    pub fn new(disks: usize, links: &[DiskLink]) -> Self {
        Self::with_shapes(disks, links, |_| false)
    }

    /// The same where some bodies are not disks: a sliding link involves their rotation. The growth
    /// rules for disks hold for them too; two bodies may share several links.
    pub fn with_shapes(disks: usize, links: &[DiskLink], is_shape: impl Fn(u32) -> bool) -> Self {
        let neighbours = Neighbours::new(disks, links);
        let rigid = grow(disks, &neighbours);
        let mut game = Pebble::new();
        let ground = game.add_body(BodyKind::Shape);
        let mut body: Vec<Option<BodyKey>> = vec![None; disks];
        let mut names: Vec<u32> = vec![GROUND];
        let mut add = |game: &mut Pebble, disk: u32| {
            *body[disk as usize].get_or_insert_with(|| {
                let kind = if is_shape(disk) {
                    BodyKind::Shape
                } else {
                    BodyKind::Disk
                };
                let key = game.add_body(kind);
                names.push(disk);
                if rigid[disk as usize] {
                    // Two gripping links fix a disk to a body: a weld.
                    game.insert_link(ground, key, LinkState::Grip);
                    game.insert_link(ground, key, LinkState::Grip);
                }
                key
            })
        };
        for link in links {
            let within = |disk: u32| rigid[disk as usize];
            if within(link.a) && link.b.is_none_or(within) {
                continue;
            }
            let a = add(&mut game, link.a);
            let b = link.b.map_or(ground, |b| add(&mut game, b));
            let state = if link.slides {
                LinkState::Slide
            } else {
                LinkState::Grip
            };
            game.insert_link(a, b, state);
        }
        let mut groups = DiskGroups::default();
        let grown = (0..disks as u32).filter(|&disk| rigid[disk as usize]);
        groups.grounded.extend(grown);
        for group in game.clusters() {
            let mut disks: Vec<u32> = group.into_iter().map(|key| names[key]).collect();
            disks.sort_unstable();
            if disks.last() == Some(&GROUND) {
                groups.grounded.extend(&disks[..disks.len() - 1]);
            } else {
                groups.free.push(disks);
            }
        }
        groups.grounded.sort_unstable();
        groups.grounded.dedup();
        groups
            .free
            .sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
        groups
    }
}
