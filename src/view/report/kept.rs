//! Selects some snapshots as recorded, for studies that need more precision than the page's compact frames.

use std::path::Path;

use crate::record::RecordError;
use crate::record::read::{Snapshot, Snapshots};

/// Limit on the rows of grains held, some 80 MB with the usual number of links.
const MOST_ROWS: usize = 120_000;

/// Returns the snapshots from time 0 on: all, or every second, fourth, ... to limit their number; always with the
/// last one.
pub(super) fn kept(dir: &Path) -> Result<Vec<Snapshot>, RecordError> {
    let mut reader = Snapshots::open(dir)?;
    let mut kept: Vec<Snapshot> = Vec::new();
    let (mut every, mut seen, mut rows) = (1usize, 0usize, 0);
    let mut last = None;
    while let Some(snapshot) = reader.next_snapshot()? {
        if snapshot.time < 0.0 {
            last = Some(snapshot);
            continue;
        }
        let chosen = seen.is_multiple_of(every);
        seen += 1;
        if !chosen {
            last = Some(snapshot);
            continue;
        }
        last = None;
        rows += snapshot.grains.len();
        kept.push(snapshot);
        while rows > MOST_ROWS && kept.len() > 2 {
            every *= 2;
            let mut k = 0;
            kept.retain(|_| {
                k += 1;
                !usize::is_multiple_of(k, 2)
            });
            rows = kept.iter().map(|s| s.grains.len()).sum();
        }
    }
    kept.extend(last);
    Ok(kept)
}
