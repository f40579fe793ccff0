//! Update of a rigid group when one of its links is removed or weakened.

use std::collections::VecDeque;

use super::bars::{Bar, Vertex};
use super::pebble::{BodyKey, BodyKind, Joint, LinkKey, Pebble};
use crate::stress::LinkState;

/// Bodies of the first patch; each further patch has four times as many.
const FIRST: usize = 16;

/// The search does not continue through a body with more links than this, such as a ground.
const HUB: usize = 64;

/// Bodies around a link, in ascending order, and the links among them.
struct Patch {
    bodies: Vec<BodyKey>,
    links: Vec<LinkKey>,
}

/// Conclusion from a patch about the group around it.
enum Verdict {
    /// Undecided: a wider patch is needed.
    Open,
    /// These bodies leave the group, in ascending order; the rest stays rigid.
    Leaving(Vec<BodyKey>),
}

impl Pebble {
    /// Handles the weakening of a link inside a rigid group. If the links around its ends still make these rigid with
    /// each other, nothing changes. Otherwise the function considers a patch around the link that was rigid: the rest
    /// of the group is attached only to those bodies of the patch that have links to the rest. If these bodies are
    /// still rigid with each other within the patch, the rest stays rigid with them.
    pub(super) fn weaken(&mut self, link: LinkKey, from: LinkState) {
        let Some(joint) = self.links[link] else {
            return;
        };
        let group = self.bars.core(joint.ends[0] as u32);
        let size = self.bars.members(group).len();
        let mut most = FIRST;
        let leaving = loop {
            let patch = self.patch(group, joint.ends, most);
            self.count_searched(patch.bodies.len());
            if let Verdict::Leaving(leaving) = self.judge(&patch, group, link, from) {
                break leaving;
            }
            debug_assert!(patch.bodies.len() < size, "the whole was rigid");
            most *= 4;
        };
        if !leaving.is_empty() {
            self.detach(group, leaving, size);
        }
    }

    /// Patch of the bodies of the group nearest to a link.
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
                // The remainder is reachable only through hubs.
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
            // The removed link alone connected the rest: take the whole group.
            inside.extend(self.bars.members(group).iter().map(|&body| body as BodyKey));
        }
        let all = inside.len() == whole;
        let mut patch = Patch {
            bodies: inside.iter().copied().collect(),
            links: Vec::new(),
        };
        for &body in &patch.bodies {
            if self.links_of[body].len() <= HUB || all {
                self.each_neighbour(group, body, |link, other| {
                    if inside.contains(&other) {
                        patch.links.push(link);
                    }
                });
            }
        }
        patch.links.sort_unstable();
        patch.links.dedup();
        patch
    }

    /// Calls back with each link of a body to others of its group.
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

    fn judge(&self, patch: &Patch, group: Vertex, weak: LinkKey, from: LinkState) -> Verdict {
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
            if let Some(joint) = self.links[link]
                && link != weak
            {
                let [a, b] = joint.ends.map(local);
                game.insert_link(a, b, joint.state);
            }
        }
        let Some(Joint { ends, state, .. }) = self.links[weak] else {
            return Verdict::Open;
        };
        let [a, b] = ends.map(local);
        let link = game.insert_link(a, b, state);
        let of = |groups: &[Vec<BodyKey>], body: BodyKey| -> Option<Vec<BodyKey>> {
            let found = groups
                .iter()
                .find(|group| group.binary_search(&body).is_ok());
            found.cloned()
        };
        let after = game.own_groups();
        let first = of(&after, a);
        if first
            .as_ref()
            .is_some_and(|group| group.binary_search(&b).is_ok())
        {
            return Verdict::Leaving(Vec::new());
        }
        game.set_state(link, from);
        let before = game.own_groups();
        let part = match of(&before, a) {
            Some(part) if part.binary_search(&b).is_ok() => part,
            _ => return Verdict::Open,
        };
        let mut held = part.iter().copied().filter(|&k| {
            let body = patch.bodies[k];
            let hub = self.links_of[body].len() > HUB;
            let mut out = hub && part.len() < self.bars.members(group).len();
            if !out {
                self.each_neighbour(group, body, |_, other| {
                    let inside = patch.bodies.binary_search(&other);
                    out |= inside.map_or(true, |k| part.binary_search(&k).is_err());
                });
            }
            out
        });
        let kept = match held.next() {
            None => after
                .iter()
                .find(|group| part.binary_search(&group[0]).is_ok())
                .cloned()
                .unwrap_or_default(),
            Some(first) => {
                let kept = of(&after, first);
                let others = held.collect::<Vec<_>>();
                match kept {
                    Some(kept) if others.iter().all(|k| kept.binary_search(k).is_ok()) => kept,
                    // A single disk is no group: the rest may turn against it like gears, which the
                    // patch as a whole prevented.
                    None if others.is_empty()
                        && !self.bars.is_single_disk(patch.bodies[first] as u32) =>
                    {
                        vec![first]
                    }
                    _ => return Verdict::Open,
                }
            }
        };
        let leaving = part.iter().filter(|k| kept.binary_search(k).is_err());
        Verdict::Leaving(leaving.map(|&k| patch.bodies[k]).collect())
    }

    /// Removes bodies from a group whose remainder stays rigid, and counts their links again.
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
        // Bars that depended on the former group may now be independent.
        let spare = self.spare_within([group, group]);
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
        self.replace(&spare, usize::MAX);
    }
}
