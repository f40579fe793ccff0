//! Some snapshots as they were recorded, for studies that the page's compact frames are too coarse for.

use std::path::Path;

use crate::record::RecordError;
use crate::record::read::{Snapshot, Snapshots};

/// Rows of grains held at most, some 80 MB with as many links as usual.
const MOST_ROWS: usize = 120_000;

/// Snapshots from time 0 on: all, or each second, fourth... so that they are few enough; the last one always.
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
