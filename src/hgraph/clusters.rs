//! Which grains hang together: merged at once, split when asked.

use serde::{Deserialize, Serialize};

/// No entry in the list of marked clusters.
const UNMARKED: u32 = u32::MAX;

/// What is kept of a cluster, at the slot of the root of its tree.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Root {
    /// Slots in the tree.
    size: u32,
    /// The least of them: the name of the cluster.
    least: u32,
    /// Place in the list of marked clusters, or [`UNMARKED`].
    mark: u32,
}

/// Clusters of grains (thesis 5.3.2): connected groups of the graph whose nodes are grains, by dense
/// slot, and whose edges are links between grains. Boundaries never join clusters (thesis 5.6.1), so
/// links to them are not told to this index.
///
/// A new link merges two clusters at once (union by size, paths halved). A lost link only marks its
/// cluster, since most lost links of a dense flow split nothing and the others can wait until
/// somebody asks; [`refresh`](Self::refresh) then looks at the marked clusters and at no others.
/// Between refreshes a marked cluster may hold several true clusters, never less than a whole one.
///
/// A cluster is named by its least grain, whatever the order in which links came and went.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClusterIndex {
    /// Forest of union and find.
    parent: Vec<u32>,
    /// Members of a tree as a ring: two rings become one by one exchange.
    next: Vec<u32>,
    /// Meaningful at roots.
    roots: Vec<Root>,
    /// Whether a slot holds a grain.
    alive: Vec<bool>,
    /// Roots of clusters that may have split.
    marked: Vec<u32>,
    /// Number of trees that hold, or held since the last refresh, a grain.
    count: usize,
    /// Members of the cluster under refresh; kept to save its allocation.
    scratch: Vec<u32>,
}

impl ClusterIndex {
    /// No grains.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grains 0 to `grains` - 1, each a cluster by itself.
    pub fn with_grains(grains: u32) -> Self {
        let mut index = Self::default();
        for grain in 0..grains {
            index.add_grain(grain);
        }
        index
    }

    /// A grain without links appears at a slot, which may have been that of a removed one.
    pub fn add_grain(&mut self, grain: u32) {
        let slot = grain as usize;
        while self.parent.len() <= slot {
            let new = self.parent.len() as u32;
            self.parent.push(new);
            self.next.push(new);
            self.alive.push(false);
            self.roots.push(Root {
                size: 1,
                least: new,
                mark: UNMARKED,
            });
        }
        debug_assert!(!self.alive[slot], "slot {grain} holds a grain");
        // A slot left by a member of a cluster not refreshed since is still part of its tree: the new
        // grain counts as of that (marked) cluster until the refresh, which tells the truth.
        if self.next[slot] == grain {
            self.count += 1;
        }
        self.alive[slot] = true;
    }

    /// A grain goes, and with it its links, which the caller no longer reports.
    pub fn remove_grain(&mut self, grain: u32) {
        let slot = grain as usize;
        debug_assert!(self.alive[slot], "slot {grain} holds no grain");
        self.alive[slot] = false;
        if self.next[slot] == grain {
            self.unmark(grain);
            self.count -= 1;
        } else {
            self.mark(grain);
        }
    }

    /// A link forms between two grains. Returns whether two clusters became one.
    #[inline]
    pub fn insert_link(&mut self, a: u32, b: u32) -> bool {
        debug_assert!(self.alive[a as usize] && self.alive[b as usize]);
        let (a, b) = (self.find_and_halve(a), self.find_and_halve(b));
        if a == b {
            return false;
        }
        self.join(a, b);
        true
    }

    /// A link between two grains is lost: their cluster may have split.
    #[inline]
    pub fn remove_link(&mut self, a: u32, b: u32) {
        debug_assert_eq!(self.find(a), self.find(b), "no link joined {a} and {b}");
        self.mark(a);
    }

    /// Finds the splits of all marked clusters. `links` calls back with the peer of every link of a
    /// grain; peers that are no grains are passed over. Costs the members and links of the marked
    /// clusters; returns how many grains were looked at.
    pub fn refresh<L>(&mut self, links: L) -> usize
    where
        L: Fn(u32, &mut dyn FnMut(u32)),
    {
        let mut looked_at = 0;
        while let Some(&root) = self.marked.last() {
            looked_at += self.rebuild(root, &links);
        }
        looked_at
    }

    /// Finds the splits of the cluster of one grain alone.
    pub fn refresh_cluster_of<L>(&mut self, grain: u32, links: L) -> usize
    where
        L: Fn(u32, &mut dyn FnMut(u32)),
    {
        let root = self.find_and_halve(grain);
        if self.roots[root as usize].mark == UNMARKED {
            return 0;
        }
        self.rebuild(root, &links)
    }

    /// The cluster of a grain, by its least grain.
    #[inline]
    pub fn cluster_of(&self, grain: u32) -> u32 {
        self.roots[self.find(grain) as usize].least
    }

    /// Whether two grains are in one cluster.
    #[inline]
    pub fn same(&self, a: u32, b: u32) -> bool {
        self.find(a) == self.find(b)
    }

    /// Whether the cluster of a grain may have split since it was last refreshed.
    #[inline]
    pub fn may_have_split(&self, grain: u32) -> bool {
        self.roots[self.find(grain) as usize].mark != UNMARKED
    }

    /// Whether some cluster may have split since the last refresh.
    pub fn needs_refresh(&self) -> bool {
        !self.marked.is_empty()
    }

    /// Number of clusters, single grains included.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of grains in the cluster of a grain.
    pub fn size(&self, grain: u32) -> usize {
        if self.may_have_split(grain) {
            return self.members(grain).count();
        }
        self.roots[self.find(grain) as usize].size as usize
    }

    /// Grains of the cluster of a grain, itself first. The order of the others depends on the
    /// history of the links: sort where it matters.
    pub fn members(&self, grain: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = Some(grain);
        std::iter::from_fn(move || {
            let here = at?;
            let next = self.next[here as usize];
            at = (next != grain).then_some(next);
            Some(here)
        })
        .filter(|&g| self.alive[g as usize])
    }

    /// The clusters by their least grains, ascending. Complete after a refresh.
    pub fn clusters(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.parent.len() as u32).filter(|&g| self.alive[g as usize] && self.cluster_of(g) == g)
    }

    #[inline]
    fn find(&self, grain: u32) -> u32 {
        let mut at = grain;
        loop {
            let up = self.parent[at as usize];
            if up == at {
                return at;
            }
            at = up;
        }
    }

    #[inline]
    fn find_and_halve(&mut self, grain: u32) -> u32 {
        let mut at = grain;
        loop {
            let up = self.parent[at as usize];
            if up == at {
                return at;
            }
            let above = self.parent[up as usize];
            self.parent[at as usize] = above;
            at = above;
        }
    }

    /// Makes one tree of two, given by their roots.
    fn join(&mut self, a: u32, b: u32) {
        let larger = self.roots[a as usize].size >= self.roots[b as usize].size;
        let (top, under) = if larger { (a, b) } else { (b, a) };
        let lost = self.roots[under as usize];
        self.parent[under as usize] = top;
        self.next.swap(top as usize, under as usize);
        let kept = &mut self.roots[top as usize];
        kept.size += lost.size;
        kept.least = kept.least.min(lost.least);
        self.count -= 1;
        if lost.mark != UNMARKED {
            if kept.mark == UNMARKED {
                kept.mark = lost.mark;
                self.marked[lost.mark as usize] = top;
                self.roots[under as usize].mark = UNMARKED;
            } else {
                self.unmark(under);
            }
        }
    }

    #[inline]
    fn mark(&mut self, grain: u32) {
        let root = self.find_and_halve(grain);
        let mark = &mut self.roots[root as usize].mark;
        if *mark == UNMARKED {
            *mark = self.marked.len() as u32;
            self.marked.push(root);
        }
    }

    fn unmark(&mut self, root: u32) {
        let at = std::mem::replace(&mut self.roots[root as usize].mark, UNMARKED);
        if at != UNMARKED {
            self.marked.swap_remove(at as usize);
            if let Some(&moved) = self.marked.get(at as usize) {
                self.roots[moved as usize].mark = at;
            }
        }
    }

    /// Takes a tree apart and joins its grains anew by the links that are left.
    fn rebuild<L>(&mut self, root: u32, links: &L) -> usize
    where
        L: Fn(u32, &mut dyn FnMut(u32)),
    {
        self.unmark(root);
        let mut members = std::mem::take(&mut self.scratch);
        members.clear();
        members.push(root);
        let mut at = self.next[root as usize];
        while at != root {
            members.push(at);
            at = self.next[at as usize];
        }
        self.count -= 1;
        for &slot in &members {
            self.parent[slot as usize] = slot;
            self.next[slot as usize] = slot;
            self.roots[slot as usize] = Root {
                size: 1,
                least: slot,
                mark: UNMARKED,
            };
            self.count += usize::from(self.alive[slot as usize]);
        }
        for &grain in &members {
            if !self.alive[grain as usize] {
                continue;
            }
            links(grain, &mut |peer| {
                if self.alive.get(peer as usize) == Some(&true) {
                    let (a, b) = (self.find_and_halve(grain), self.find_and_halve(peer));
                    if a != b {
                        self.join(a, b);
                    }
                }
            });
        }
        let looked_at = members.len();
        self.scratch = members;
        looked_at
    }
}
