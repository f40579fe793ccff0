//! Export for ParaView: PolyData files (.vtp) with one collection (.pvd) that carries the times.
//!
//! `grains.pvd` holds points to be drawn as spheres of the array `radius`, one per component for clumps;
//! `outlines.pvd` holds grains bounded by arcs as polygons; `links.pvd` holds lines, from centre to centre or from
//! centre to contact point, with their forces; `walls.vtp` holds the walls at the start. Arrays are base64 of
//! little-endian numbers, each preceded by its length.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{about_z, forget_older, quaternion};
use crate::record::RecordError;
use crate::record::meta::WallDrawing;
use crate::record::read::{Snapshot, Snapshots};
use crate::record::rows::{BodyRef, GrainRow};
use crate::record::shape::GrainShape;
use crate::record::whole::write_anew;

pub(super) fn export(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut snapshots = Snapshots::open(dir)?;
    let n = snapshots.meta.dimensions;
    let outlined = snapshots.meta.shapes.iter().any(GrainShape::is_arcs);
    let folders: &[&str] = if outlined {
        &["grains", "links", "outlines"]
    } else {
        &["grains", "links"]
    };
    forget_older(
        out,
        &["grains.pvd", "links.pvd", "outlines.pvd", "walls.vtp"],
        &["grains", "links", "outlines"],
        &["vtp"],
    )?;
    for folder in folders {
        let folder = out.join(folder);
        fs::create_dir_all(&folder).map_err(RecordError::io("cannot create", &folder))?;
    }
    let mut times = Vec::new();
    while let Some(snapshot) = snapshots.next_snapshot()? {
        let name = format!("{:05}.vtp", times.len());
        let shapes = &snapshots.meta.shapes;
        save(
            &out.join("grains").join(&name),
            &grains(shapes, &snapshot, n),
        )?;
        if outlined {
            save(
                &out.join("outlines").join(&name),
                &outlines(shapes, &snapshot),
            )?;
        }
        save(&out.join("links").join(&name), &links(&snapshot))?;
        times.push((snapshot.time, name));
    }
    let mut files = Vec::new();
    for folder in folders {
        let path = out.join(format!("{folder}.pvd"));
        save(&path, &collection(folder, &times))?;
        files.push(path);
    }
    if !snapshots.meta.walls.is_empty() {
        let path = out.join("walls.vtp");
        save(&path, &walls(&snapshots.meta.walls))?;
        files.push(path);
    }
    Ok(files)
}

/// Returns a collection that lists the files in a folder with their times.
pub(super) fn collection(folder: &str, times: &[(f64, String)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, name) in times {
        text += &format!("<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{folder}/{name}\"/>\n");
    }
    text + "</Collection>\n</VTKFile>\n"
}

pub(super) fn save(path: &Path, text: &str) -> Result<(), RecordError> {
    write_anew(path, |w| {
        w.write_all(text.as_bytes())
            .map_err(RecordError::io("cannot write", path))
    })
}

/// Returns the outlines of grains bounded by arcs, as polygons.
fn outlines(shapes: &[GrainShape], snapshot: &Snapshot) -> String {
    let (mut points, mut cells, mut of) = (Vec::new(), Vec::new(), Vec::new());
    for grain in &snapshot.grains {
        let shape = grain.shape.and_then(|k| shapes.get(usize::from(k)));
        let Some(shape) = shape.filter(|shape| shape.is_arcs()) else {
            continue;
        };
        let first = points.len() as i64;
        points.extend(shape.outline(grain));
        cells.push((first..points.len() as i64).collect::<Vec<i64>>());
        of.push(grain);
    }
    let mut data = integers("grain", of.iter().map(|g| i64::from(g.grain)));
    data += &integers("regime", of.iter().map(|g| g.regime as i64));
    let velocities: Vec<[f64; 3]> = of.iter().map(|g| g.velocity).collect();
    data += &floats("velocity", 3, velocities.as_flattened());
    poly_data(&points, "Polys", &cells, "", &data)
}

fn grains(shapes: &[GrainShape], snapshot: &Snapshot, n: usize) -> String {
    let parts = super::parts(shapes, &snapshot.grains, n);
    let rows: Vec<&GrainRow> = parts.iter().map(|part| part.0).collect();
    let radii: Vec<f64> = parts.iter().map(|part| part.2).collect();
    let masses: Vec<f64> = rows.iter().map(|g| g.mass).collect();
    let mut data = String::new();
    let flat = |vectors: Vec<[f64; 3]>| vectors.as_flattened().to_vec();
    data += &floats("radius", 1, &radii);
    data += &floats("mass", 1, &masses);
    data += &integers("grain", rows.iter().map(|g| i64::from(g.grain)));
    data += &integers("material", rows.iter().map(|g| i64::from(g.material)));
    data += &integers("regime", rows.iter().map(|g| g.regime as i64));
    data += &integers("cluster", rows.iter().map(|g| g.cluster));
    data += &integers("group", rows.iter().map(|g| g.group));
    data += &floats(
        "velocity",
        3,
        &flat(rows.iter().map(|g| g.velocity).collect()),
    );
    data += &floats(
        "spin",
        3,
        &flat(rows.iter().map(|g| about_z(g.spin, n)).collect()),
    );
    data += &floats("force", 3, &flat(rows.iter().map(|g| g.force).collect()));
    let turned: Vec<[f64; 4]> = rows.iter().map(|g| quaternion(g.rotation, n)).collect();
    data += &floats("orientation", 4, turned.as_flattened());
    let points: Vec<[f64; 3]> = parts.iter().map(|part| part.1).collect();
    let single: Vec<Vec<i64>> = (0..points.len() as i64).map(|k| vec![k]).collect();
    poly_data(&points, "Verts", &single, &data, "")
}

fn links(snapshot: &Snapshot) -> String {
    let rows = &snapshot.links;
    let mut numbered: Vec<(u32, [f64; 3])> = snapshot
        .grains
        .iter()
        .map(|g| (g.grain, g.position))
        .collect();
    numbered.sort_by_key(|g| g.0);
    let end = |body: BodyRef, other: [f64; 3]| match body {
        BodyRef::Grain(id) => match numbered.binary_search_by_key(&id, |g| g.0) {
            Ok(k) => numbered[k].1,
            Err(_) => other,
        },
        _ => other,
    };
    let mut points = Vec::with_capacity(2 * rows.len());
    for link in rows {
        points.push(end(link.body_a, link.point));
        points.push(end(link.body_b, link.point));
    }
    let lines: Vec<Vec<i64>> = (0..rows.len() as i64)
        .map(|k| vec![2 * k, 2 * k + 1])
        .collect();
    let forces: Vec<f64> = rows.iter().map(|l| l.normal_force).collect();
    let overlaps: Vec<f64> = rows.iter().map(|l| l.overlap).collect();
    let tangential: Vec<[f64; 3]> = rows.iter().map(|l| l.tangential_force).collect();
    let mut data = String::new();
    data += &integers("link", rows.iter().map(|l| l.link as i64));
    data += &floats("normal_force", 1, &forces);
    data += &floats("tangential_force", 3, tangential.as_flattened());
    data += &floats("overlap", 1, &overlaps);
    data += &integers("slip", rows.iter().map(|l| i64::from(l.slipping)));
    data += &integers("stable", rows.iter().map(|l| i64::from(l.stable)));
    poly_data(&points, "Lines", &lines, "", &data)
}

fn walls(walls: &[WallDrawing]) -> String {
    let mut points = Vec::new();
    let mut lines = Vec::new();
    let mut wall = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for drawing in walls {
        let first = points.len() as i64;
        points.extend_from_slice(&drawing.points);
        let mut line: Vec<i64> = (first..points.len() as i64).collect();
        if drawing.closed {
            line.extend(line.first().copied());
        }
        lines.push(line);
        let place = names.iter().position(|&n| n == drawing.name);
        wall.push(place.unwrap_or(names.len()) as i64);
        if place.is_none() {
            names.push(&drawing.name);
        }
    }
    poly_data(
        &points,
        "Lines",
        &lines,
        "",
        &integers("wall", wall.into_iter()),
    )
}

/// Returns a PolyData file of points and cells, with data of the points and of the cells.
fn poly_data(
    points: &[[f64; 3]],
    cells: &str,
    connections: &[Vec<i64>],
    point_data: &str,
    cell_data: &str,
) -> String {
    let mut end = 0;
    let offsets = connections.iter().map(|c| {
        end += c.len() as i64;
        end
    });
    let counts = ["Verts", "Lines", "Strips", "Polys"].map(|kind| {
        let count = if kind == cells { connections.len() } else { 0 };
        format!(" NumberOf{kind}=\"{count}\"")
    });
    format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n<Piece NumberOfPoints=\"{}\"{}>\n<PointData>\n{point_data}</PointData>\n\
         <CellData>\n{cell_data}</CellData>\n<Points>\n{}</Points>\n<{cells}>\n{}{}</{cells}>\n\
         </Piece>\n</PolyData>\n</VTKFile>\n",
        points.len(),
        counts.concat(),
        floats("Points", 3, points.as_flattened()),
        integers("connectivity", connections.iter().flatten().copied()),
        integers("offsets", offsets),
    )
}

pub(super) fn floats(name: &str, components: usize, values: &[f64]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    array("Float64", name, components, &bytes)
}

fn integers(name: &str, values: impl Iterator<Item = i64>) -> String {
    let bytes: Vec<u8> = values.flat_map(|v| v.to_le_bytes()).collect();
    array("Int64", name, 1, &bytes)
}

fn array(kind: &str, name: &str, components: usize, bytes: &[u8]) -> String {
    // The length is encoded together with the data: readers decode both as one stream.
    let mut all = (bytes.len() as u64).to_le_bytes().to_vec();
    all.extend_from_slice(bytes);
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">{}</DataArray>\n",
        STANDARD.encode(&all)
    )
}
