//! What a link leaves behind when it goes out of a rigid group.

use std::collections::VecDeque;

use super::bars::{Bar, Vertex};
use super::pebble::{BodyKey, BodyKind, LinkKey, Pebble};
use crate::stress::LinkState;

/// Bodies of the first patch; each next one has four times as many.
const FIRST: usize = 16;

/// A body with more links than this, as a ground is, is not walked through.
const HUB: usize = 64;

/// Bodies around a link, with their links among each other.
struct Patch {
    /// In rising order.
    bodies: Vec<BodyKey>,
    links: Vec<LinkKey>,
    /// Bodies with links to the rest of the group.
    rim: Vec<BodyKey>,
}

impl Pebble {
    /// A link between two bodies of one rigid group became weaker. The rest of the group hangs on
    /// the rim of a patch around it; when all the rim is rigid within the patch, then so is the
    /// rest with it, as it was when the whole patch was rigid.
    pub(super) fn weaken(&mut self, ends: [BodyKey; 2]) {
        let group = self.bars.core(ends[0] as u32);
        let size = self.bars.members(group).len();
        let mut most = FIRST;
        let leaving = loop {
            let patch = self.patch(group, ends, most);
            self.count_searched(patch.bodies.len());
            let kept = self.kept(&patch);
            if let Some(kept) = kept {
                break leaving(&patch.bodies, &kept);
            }
            debug_assert!(patch.bodies.len() < size, "the whole has no rim");
            most *= 4;
        };
        if !leaving.is_empty() {
            self.detach(group, leaving, size);
        }
    }

    /// Bodies of the group nearest to a link.
    fn patch(&self, group: Vertex, ends: [BodyKey; 2], most: usize) -> Patch {
        let mut inside = std::collections::BTreeSet::new();
        let mut queue = VecDeque::new();
        let mut hubs = Vec::new();
        let whole = self.bars.members(group).len();
        for body in ends {
            if inside.insert(body) {
                queue.push_back(body);
            }
        }
        while inside.len() < most {
            let Some(body) = queue.pop_front() else {
                // All that is left hangs on hubs.
                let Some(hub) = hubs.pop() else { break };
                self.each_neighbour(group, hub, |_, other| {
                    if inside.insert(other) {
                        queue.push_back(other);
                    }
                });
                continue;
            };
            if self.links_of[body].len() > HUB {
                hubs.push(body);
                continue;
            }
            self.each_neighbour(group, body, |_, other| {
                if inside.insert(other) {
                    queue.push_back(other);
                }
            });
        }
        if inside.len() < whole && queue.is_empty() && hubs.is_empty() {
            // The links that go by are what held the rest: take it all.
            inside.extend(self.bars.members(group).iter().map(|&body| body as BodyKey));
        }
        let all = inside.len() == whole;
        let mut patch = Patch {
            bodies: Vec::new(),
            links: Vec::new(),
            rim: Vec::new(),
        };
        for &body in &inside {
            let hub = self.links_of[body].len() > HUB;
            let mut rim = hub && !all;
            if !hub || all {
                self.each_neighbour(group, body, |link, other| {
                    if inside.contains(&other) {
                        patch.links.push(link);
                    } else {
                        rim = true;
                    }
                });
            }
            if rim {
                patch.rim.push(body);
            }
            patch.bodies.push(body);
        }
        patch.links.sort_unstable();
        patch.links.dedup();
        patch
    }

    /// Links of a body to others of its group.
    fn each_neighbour(&self, group: Vertex, body: BodyKey, mut f: impl FnMut(LinkKey, BodyKey)) {
        for &link in &self.links_of[body] {
            let Some(joint) = self.links[link] else {
                continue;
            };
            if joint.state == LinkState::Off {
                continue;
            }
            let [a, b] = joint.ends;
            let other = if a == body { b } else { a };
            if other != body && self.bars.core(other as u32) == group {
                f(link, other);
            }
        }
    }

    /// The group within a patch that holds all of its rim, in rising order; without a rim the
    /// largest, or nothing. None when the rim is not rigid.
    fn kept(&self, patch: &Patch) -> Option<Vec<BodyKey>> {
        let mut game = Pebble::new();
        for &body in &patch.bodies {
            game.add_body(if self.bars.is_single_disk(body as u32) {
                BodyKind::Disk
            } else {
                BodyKind::Shape
            });
        }
        let local = |body: BodyKey| patch.bodies.binary_search(&body).unwrap_or(0);
        for &link in &patch.links {
            if let Some(joint) = self.links[link] {
                let [a, b] = joint.ends.map(local);
                game.insert_link(a, b, joint.state);
            }
        }
        let groups = game.own_groups();
        let global = |group: &[BodyKey]| -> Vec<BodyKey> {
            group.iter().map(|&k| patch.bodies[k]).collect()
        };
        let Some(&first) = patch.rim.first() else {
            return Some(groups.first().map_or_else(Vec::new, |group| global(group)));
        };
        // A disk by itself is no group: the rest may turn against it like gears, where the patch
        // as a whole did not let it.
        if patch.rim.len() == 1 && !self.bars.is_single_disk(first as u32) {
            let first = local(first);
            let own = groups.iter().find(|group| group.contains(&first));
            return Some(own.map_or_else(|| global(&[first]), |group| global(group)));
        }
        let first = local(first);
        let group = groups.iter().find(|group| group.contains(&first))?;
        let all = patch
            .rim
            .iter()
            .all(|&body| group.binary_search(&local(body)).is_ok());
        all.then(|| global(group))
    }

    /// Takes bodies out of a group whose rest stays rigid, and counts their links anew.
    fn detach(&mut self, group: Vertex, mut leaving: Vec<BodyKey>, size: usize) {
        if leaving.len() + 1 == size {
            leaving = self
                .bars
                .members(group)
                .iter()
                .map(|&body| body as BodyKey)
                .collect();
            leaving.sort_unstable();
        }
        let mut links: Vec<LinkKey> = leaving
            .iter()
            .flat_map(|&body| self.links_of[body].iter().copied())
            .collect();
        links.sort_unstable();
        links.dedup();
        let mut bars: Vec<Bar> = Vec::new();
        for &link in &links {
            let Some(joint) = self.links[link] else {
                continue;
            };
            let count = match joint.state {
                LinkState::Grip => 2,
                LinkState::Slide => 1,
                LinkState::Off => 0,
            };
            for bar in joint.bar..joint.bar + 2 {
                self.bars.remove(bar);
                self.forget_spare(bar);
            }
            bars.extend(joint.bar..joint.bar + count);
        }
        let names: Vec<u32> = leaving.iter().map(|&body| body as u32).collect();
        self.bars.split_off(group, &names);
        self.insert_bars(&bars);
        // What else depended on the group as it was may not any more.
        self.replace(usize::MAX);
    }
}

/// Bodies of a patch that are not kept, both in rising order.
fn leaving(bodies: &[BodyKey], kept: &[BodyKey]) -> Vec<BodyKey> {
    let others = bodies.iter().copied();
    others
        .filter(|body| kept.binary_search(body).is_err())
        .collect()
}
