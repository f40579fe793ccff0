//! Export of the nodes of the hierarchy as a table: the system, clusters and groups at rest of each snapshot, with
//! the contents of each.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::hgraph::{NodeKey, NodeKind};
use crate::record::RecordError;
use crate::record::hierarchy::Hierarchy;
use crate::record::snapshots::{Snapshot, Snapshots};
use crate::record::whole::write_anew;

const COLUMNS: &str =
    "snapshot,time,node,kind,owner,depth,grain,grains,links,links_outside,mass,x,y,z";

/// Totals of a graph over all its levels.
#[derive(Clone, Copy, Default)]
struct Held {
    grains: usize,
    mass: f64,
    /// Sum of masses times positions, kg m.
    moment: [f64; 3],
}

pub(super) fn export(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut snapshots = Snapshots::open(dir)?;
    let path = out.join("nodes.csv");
    write_anew(&path, |w| {
        let refuse = || RecordError::io("cannot write", &path);
        writeln!(w, "{COLUMNS}").map_err(refuse())?;
        while let Some(snapshot) = snapshots.next_snapshot()? {
            let hierarchy = Hierarchy::of(&snapshot.grains, &snapshot.links).map_err(|why| {
                RecordError::Damaged {
                    path: dir.display().to_string(),
                    what: why.to_string(),
                }
            })?;
            nodes(w, &snapshot, &hierarchy).map_err(refuse())?;
        }
        Ok(())
    })?;
    Ok(vec![path])
}

/// Writes a row for the system, then for each cluster and each group, by the least number of their grains; a cluster
/// before its groups.
fn nodes(w: &mut impl Write, snapshot: &Snapshot, hierarchy: &Hierarchy) -> std::io::Result<()> {
    let Hierarchy {
        graph,
        grains,
        names,
    } = hierarchy;
    let mut held: BTreeMap<NodeKey, Held> = BTreeMap::from([(graph.root(), Held::default())]);
    for (row, &key) in snapshot.grains.iter().zip(grains) {
        for owner in graph.owners(key) {
            let held = held.entry(owner).or_default();
            held.grains += 1;
            held.mass += row.mass;
            for (sum, x) in held.moment.iter_mut().zip(row.position) {
                *sum += row.mass * x;
            }
        }
    }
    let depth = |node: NodeKey| graph.owners(node).count();
    let mut order: Vec<NodeKey> = held.keys().copied().collect();
    order.sort_by_key(|&node| (names.get(&node).copied(), depth(node)));
    let numbers: BTreeMap<NodeKey, usize> =
        order.iter().enumerate().map(|(k, &key)| (key, k)).collect();
    for node in order {
        let kind = match graph.kind(node) {
            Some(NodeKind::Cluster) => "cluster",
            Some(NodeKind::RigidBody) => "rest-group",
            _ => "system",
        };
        let held = held[&node];
        let text = |number: Option<i64>| number.map_or(String::new(), |n| n.to_string());
        let owner = graph.owner(node).map(|owner| numbers[&owner] as i64);
        write!(
            w,
            "{},{:?},{},{kind},{},{},{},{},{},{},{:?}",
            snapshot.number,
            snapshot.time,
            numbers[&node],
            text(owner),
            depth(node),
            text(names.get(&node).map(|&name| i64::from(name))),
            held.grains,
            graph.internal_links(node).len(),
            graph.peer_links(node).len(),
            held.mass,
        )?;
        for moment in held.moment {
            write!(w, ",{:?}", moment / held.mass)?;
        }
        writeln!(w)?;
    }
    Ok(())
}
