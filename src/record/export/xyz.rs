//! Extended XYZ, as OVITO reads it: one file, a frame per snapshot.
//!
//! The particle type is the regime, so that OVITO colours by it; the orientation is a quaternion
//! x, y, z, w (in the plane about z). Without a lattice OVITO draws the box around each frame.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{about_z, quaternion};
use crate::record::RecordError;
use crate::record::read::Snapshots;
use crate::record::whole::{publish, write_part};

const PROPERTIES: &str = "species:S:1:pos:R:3:id:I:1:radius:R:1:mass:R:1:velo:R:3:orientation:R:4:\
                          angular_velocity:R:3:force:R:3:material:I:1:cluster:I:1";

pub(super) fn export(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut snapshots = Snapshots::open(dir)?;
    let dimensions = snapshots.meta.dimensions;
    let path = out.join("grains.xyz");
    write_part(&path, |w| {
        while let Some(snapshot) = snapshots.next_snapshot()? {
            let frame = |w: &mut dyn Write| -> std::io::Result<()> {
                writeln!(w, "{}", snapshot.grains.len())?;
                writeln!(
                    w,
                    "Properties={PROPERTIES} Time={:?} Snapshot={} pbc=\"F F F\"",
                    snapshot.time, snapshot.number
                )?;
                for g in &snapshot.grains {
                    write!(w, "{}", g.regime.name())?;
                    numbers(w, &g.position)?;
                    write!(w, " {}", g.grain)?;
                    numbers(w, &[g.radius, g.mass])?;
                    numbers(w, &g.velocity)?;
                    numbers(w, &quaternion(g.rotation, dimensions))?;
                    numbers(w, &about_z(g.spin, dimensions))?;
                    numbers(w, &g.force)?;
                    writeln!(w, " {} {}", g.material, g.cluster)?;
                }
                Ok(())
            };
            frame(w).map_err(RecordError::io("cannot write", &path))?;
        }
        Ok(())
    })?;
    publish(&path)?;
    Ok(vec![path])
}

fn numbers(w: &mut dyn Write, values: &[f64]) -> std::io::Result<()> {
    values.iter().try_for_each(|v| write!(w, " {v:?}"))
}
