//! Export of the last snapshot as a LAMMPS data file: `atom_style sphere`, SI units.
//!
//! LAMMPS gives every particle of this style the volume of a sphere, also in a run with
//! `dimension 2`; the densities in the file are mass over the volume of that sphere, so that the
//! masses are right in both dimensions. (The moment of inertia in the plane is that of a disk
//! with the `disc` option of `fix nve/sphere`.) Identifiers and types count from 1 there: grain
//! and material number plus one.
//!
//! Along periodic axes the box is that of the run at this time, with the tilt of a sheared box; along other axes it
//! encloses walls and grains. The first line gives the periodic axes in the form of the command `boundary` (a run in
//! the plane needs a periodic third axis).

use std::f64::consts::PI;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::about_z;
use super::space::{Edges, Space};
use crate::record::RecordError;
use crate::record::meta::RunMeta;
use crate::record::read::{Snapshot, Snapshots};
use crate::record::whole::write_anew;

pub(super) fn export(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut snapshots = Snapshots::open(dir)?;
    let mut last = None;
    while let Some(snapshot) = snapshots.next_snapshot()? {
        last = Some(snapshot);
    }
    let last = last.unwrap_or_default();
    let edges = Space::open(dir, &snapshots.meta)?.at(last.time);
    let path = out.join("grains.data");
    write_anew(&path, |w| {
        write(w, &snapshots.meta, &last, &edges).map_err(RecordError::io("cannot write", &path))
    })?;
    Ok(vec![path])
}

/// Returns the box along periodic axes, and the bounds of walls and grains along the others.
fn limits(meta: &RunMeta, snapshot: &Snapshot, edges: &Edges) -> [[f64; 2]; 3] {
    let mut limits = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let mut hold = |point: [f64; 3], reach: f64| {
        for (limit, x) in limits.iter_mut().zip(point) {
            *limit = [limit[0].min(x - reach), limit[1].max(x + reach)];
        }
    };
    let largest = snapshot
        .grains
        .iter()
        .fold(0.0, |r: f64, g| r.max(g.radius));
    for grain in &snapshot.grains {
        hold(grain.position, grain.radius);
    }
    for point in meta.walls.iter().flat_map(|wall| &wall.points) {
        hold(*point, largest);
    }
    for (limit, axis) in limits.iter_mut().zip(edges.axes) {
        if let Some([low, length]) = axis {
            *limit = [low, low + length];
        } else if limit[0] >= limit[1] || !limit[0].is_finite() {
            *limit = [-0.5, 0.5];
        }
    }
    limits
}

fn write(
    w: &mut dyn Write,
    meta: &RunMeta,
    snapshot: &Snapshot,
    edges: &Edges,
) -> std::io::Result<()> {
    let n = meta.dimensions;
    let types = snapshot
        .grains
        .iter()
        .map(|g| g.material + 1)
        .max()
        .unwrap_or(1);
    let ends = |k: usize| match edges.axes[k].is_some() || k >= n {
        true => "p",
        false => "f",
    };
    writeln!(
        w,
        "arenite {}: {n}D, time {:?} s, atom_style sphere, units si; density = mass / sphere volume; boundary {} {} {}",
        meta.version,
        snapshot.time,
        ends(0),
        ends(1),
        ends(2)
    )?;
    writeln!(w, "\n{} atoms\n{types} atom types\n", snapshot.grains.len())?;
    for (limit, axis) in limits(meta, snapshot, edges)
        .into_iter()
        .zip(["x", "y", "z"])
    {
        writeln!(w, "{:?} {:?} {axis}lo {axis}hi", limit[0], limit[1])?;
    }
    if edges.offset != 0.0 {
        writeln!(w, "{:?} 0.0 0.0 xy xz yz", edges.offset)?;
    }
    if snapshot.grains.is_empty() {
        return Ok(());
    }
    writeln!(w, "\nAtoms # sphere\n")?;
    for g in &snapshot.grains {
        let density = g.mass / (4.0 / 3.0 * PI * g.radius * g.radius * g.radius);
        let [x, y, z] = g.position;
        let (id, kind) = (u64::from(g.grain) + 1, g.material + 1);
        writeln!(
            w,
            "{id} {kind} {:?} {density:?} {x:?} {y:?} {z:?}",
            2.0 * g.radius
        )?;
    }
    writeln!(w, "\nVelocities\n")?;
    for g in &snapshot.grains {
        let [vx, vy, vz] = g.velocity;
        let [sx, sy, sz] = about_z(g.spin, n);
        let id = u64::from(g.grain) + 1;
        writeln!(w, "{id} {vx:?} {vy:?} {vz:?} {sx:?} {sy:?} {sz:?}")?;
    }
    Ok(())
}
