//! The bars across that the spins of disks can carry: chains of spins, and their circuits.

use super::{Bar, Bars, Place, Vertex};

/// End of the chain of spins from a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// At a disk whose spin is free.
    Free(Vertex),
    /// At a body that is not a disk.
    Held,
    /// In an odd cycle, entered at this position of the chain.
    Cycle(usize),
}

/// A chain of spins: the disks, each with the bar that its spin covers, except a free last one.
struct Chain {
    disks: Vec<Vertex>,
    bars: Vec<Bar>,
    end: End,
}

impl Bars {
    /// The chain of spins from a disk; none starts at a body that is not a disk.
    fn chain(&mut self, start: Option<Vertex>) -> Chain {
        self.search.chain_count += 1;
        let mut chain = Chain {
            disks: Vec::new(),
            bars: Vec::new(),
            end: End::Held,
        };
        let mut at = start;
        while let Some(disk) = at {
            let (count, place) = self.search.on_chain[disk as usize];
            if count == self.search.chain_count {
                chain.end = End::Cycle(place as usize);
                break;
            }
            self.search.on_chain[disk as usize] =
                (self.search.chain_count, chain.disks.len() as u32);
            chain.disks.push(disk);
            let Some(bar) = self.nodes.spin[disk as usize] else {
                chain.end = End::Free(disk);
                break;
            };
            chain.bars.push(bar);
            let ends = self.ends(bar);
            let other = if ends[0] == disk { ends[1] } else { ends[0] };
            at = self.is_disk(other).then_some(other);
        }
        chain
    }

    /// The circuit that a bar between two spins (one of them none for a body that is not a disk)
    /// would close: its bars; none if the bar is independent.
    pub(super) fn circuit(&mut self, ends: [Option<Vertex>; 2]) -> Option<Vec<Bar>> {
        let a = self.chain(ends[0]);
        let b = self.chain(ends[1]);
        // Position on the first chain where the second meets it, after `k` bars.
        let meet = b.disks.iter().enumerate().find_map(|(k, disk)| {
            let place = a.disks.iter().position(|other| other == disk)?;
            Some((place, k))
        });
        match (a.end, b.end) {
            (End::Free(_), End::Free(_)) => {
                let (i, j) = meet?;
                if (i + j) % 2 == 0 {
                    return None; // closes an odd cycle
                }
                let mut bars = a.bars[..i].to_vec();
                bars.extend_from_slice(&b.bars[..j]);
                return Some(bars);
            }
            (End::Free(_), _) | (_, End::Free(_)) => return None,
            _ => {}
        }
        let mut bars = a.bars.clone();
        let Some((i, j)) = meet else {
            bars.extend(b.bars);
            return Some(bars);
        };
        if (i + j) % 2 == 1 {
            // Closes an even cycle, which is dependent by itself.
            bars.truncate(i);
            bars.extend_from_slice(&b.bars[..j]);
            return Some(bars);
        }
        if let End::Cycle(first) = a.end
            && i >= first
            && i != first
        {
            // Both chains reach one odd cycle, at different positions: the other way around the
            // cycle closes an even one.
            let mut bars = a.bars[..first].to_vec();
            bars.extend_from_slice(&b.bars[..j]);
            bars.extend_from_slice(&a.bars[i..]);
            return Some(bars);
        }
        bars.extend_from_slice(&b.bars[..j]);
        Some(bars)
    }

    /// Covers a bar across with a spin; the bar is independent of those covered by spins.
    pub(super) fn cover_by_spin(&mut self, bar: Bar) {
        let ends = self.ends(bar);
        for side in [0, 1] {
            if !self.is_disk(ends[side]) {
                continue;
            }
            let chain = self.chain(Some(ends[side]));
            if !matches!(chain.end, End::Free(_)) {
                continue;
            }
            // Each disk of the chain covers the bar of the one before, which frees the first.
            for (k, &moved) in chain.bars.iter().enumerate().rev() {
                let next = chain.disks[k + 1];
                self.nodes.spin[next as usize] = Some(moved);
                self.place[moved as usize] = Place::Spin(u8::from(self.ends(moved)[0] != next));
            }
            self.nodes.spin[ends[side] as usize] = Some(bar);
            self.place[bar as usize] = Place::Spin(side as u8);
            return;
        }
        debug_assert!(false, "no spin is free");
    }
}
