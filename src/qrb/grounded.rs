//! Rigid groups of many disks on a ground, at the cost of looking at each link.
//!
//! Most of a bed is rigid from the ground up, disk by disk: who has two links to what is rigid with the
//! ground, one of them gripping, is so too (the thesis's hamburger), and so are two that grip each other
//! and each grip it (its triangle). What is left after that is counted by [`Pebble`], together with the
//! disks that it touches, welded to the ground. So the groups are those that [`Pebble`] finds on the
//! whole.

use super::pebble::{BodyKey, BodyKind, Pebble};
use crate::stress::LinkState;

/// A link between a disk and another one, or the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskLink {
    /// The first disk.
    pub a: u32,
    /// The other; none for the ground.
    pub b: Option<u32>,
    /// Whether it slides.
    pub slides: bool,
}

/// Rigid groups, the disks of each in rising order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskGroups {
    /// Disks that are rigid with the ground.
    pub grounded: Vec<u32>,
    /// Other groups of two disks or more, largest first, then by their first disk.
    pub free: Vec<Vec<u32>>,
}

/// Links of each disk: others, or the ground as `u32::MAX`, and whether they slide.
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

/// What a disk has to the rigid part: links, and those of them that grip.
#[derive(Clone, Copy, Default)]
struct Hold {
    links: u16,
    grips: u16,
    rigid: bool,
}

/// Disks that are rigid with the ground one by one, or by twos.
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
    /// Maximal rigid groups of disks, numbered from 0, and a ground. Disks without links may be among
    /// them.
    pub fn new(disks: usize, links: &[DiskLink]) -> Self {
        Self::with_shapes(disks, links, |_| false)
    }

    /// The same where some are no disks: a link that slides feels how they turn. All that is told of disks
    /// to grow by holds for them too; two may share several links.
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
                    // Two links that grip hold a disk to a body: a weld.
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
