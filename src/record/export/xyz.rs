//! Export as extended XYZ, as OVITO reads it: one file, a frame per snapshot.
//!
//! Each component of a clump is a particle, with the number, mass, velocities and force of its grain; a grain bounded
//! by arcs is written as its circumscribed particle.
//!
//! The particle type is the regime, so that OVITO colours by it; the orientation is a quaternion x, y, z, w (in the
//! plane about z). Where space is periodic, `pbc` gives the periodic directions, and `Lattice` and `Origin` give the
//! box at that time: exact along periodic directions, sheared if the box is, and along the others as wide as the
//! grains of the frame. Without a lattice OVITO draws its own box around each frame.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::space::{Edges, Space};
use super::{about_z, quaternion};
use crate::record::RecordError;
use crate::record::read::Snapshots;
use crate::record::rows::GrainRow;
use crate::record::whole::write_anew;

const PROPERTIES: &str = "species:S:1:pos:R:3:id:I:1:radius:R:1:mass:R:1:velo:R:3:orientation:R:4:\
                          angular_velocity:R:3:force:R:3:material:I:1:cluster:I:1:group:I:1";

pub(super) fn export(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut snapshots = Snapshots::open(dir)?;
    let dimensions = snapshots.meta.dimensions;
    let space = Space::open(dir, &snapshots.meta)?;
    let path = out.join("grains.xyz");
    write_anew(&path, |w| {
        while let Some(snapshot) = snapshots.next_snapshot()? {
            let edges = space.at(snapshot.time);
            let frame = |w: &mut dyn Write| -> std::io::Result<()> {
                let parts = super::parts(&snapshots.meta.shapes, &snapshot.grains, dimensions);
                writeln!(w, "{}", parts.len())?;
                writeln!(
                    w,
                    "{}Properties={PROPERTIES} Time={:?} Snapshot={} pbc=\"{}\"",
                    lattice(&edges, &snapshot.grains),
                    snapshot.time,
                    snapshot.number,
                    edges
                        .axes
                        .map(|p| if p.is_some() { "T" } else { "F" })
                        .join(" ")
                )?;
                for (g, place, radius) in parts {
                    write!(w, "{}", g.regime.name())?;
                    numbers(w, &place)?;
                    write!(w, " {}", g.grain)?;
                    numbers(w, &[radius, g.mass])?;
                    numbers(w, &g.velocity)?;
                    numbers(w, &quaternion(g.rotation, dimensions))?;
                    numbers(w, &about_z(g.spin, dimensions))?;
                    numbers(w, &g.force)?;
                    writeln!(w, " {} {} {}", g.material, g.cluster, g.group)?;
                }
                Ok(())
            };
            frame(w).map_err(RecordError::io("cannot write", &path))?;
        }
        Ok(())
    })?;
    Ok(vec![path])
}

/// Returns the keys of the box, followed by a space; nothing where no direction is periodic.
fn lattice(edges: &Edges, grains: &[GrainRow]) -> String {
    let periodic = &edges.axes;
    if periodic.iter().all(Option::is_none) {
        return String::new();
    }
    let extent = |k: usize| {
        periodic[k].unwrap_or_else(|| {
            let ends = grains.iter().map(|g| (g.position[k], g.radius));
            let low = ends.clone().map(|(x, r)| x - r).fold(f64::MAX, f64::min);
            let high = ends.map(|(x, r)| x + r).fold(f64::MIN, f64::max);
            // The box needs an extent even without grains.
            if low < high {
                [low, high - low]
            } else {
                [0.0, 1.0]
            }
        })
    };
    let [[x, a], [y, b], [z, c]] = std::array::from_fn(extent);
    let along = edges.offset;
    format!(
        "Lattice=\"{a:?} 0.0 0.0 {along:?} {b:?} 0.0 0.0 0.0 {c:?}\" Origin=\"{x:?} {y:?} {z:?}\" "
    )
}

fn numbers(w: &mut dyn Write, values: &[f64]) -> std::io::Result<()> {
    values.iter().try_for_each(|v| write!(w, " {v:?}"))
}
