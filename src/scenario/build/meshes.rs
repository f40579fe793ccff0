//! Walls of triangles: from an STL file or from lists, scaled, turned and moved.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::Vector3;

use super::check::Check;
use super::walls::spin;
use crate::body::{MeshShape, stl_triangles};
use crate::geometry::surface::mesh::{self, Exactness, MOST_TRIANGLES};
use crate::geometry::{Dimension, Vector};
use crate::scenario::input;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::MeshSpec;

/// A file over this size is refused, bytes: the most triangles as text take less.
const MAX_BYTES: u64 = 1 << 30;

/// The mesh of a wall. A file is taken into the spec as lists, triangles without area left out where the spec says so.
pub(super) fn mesh<D: Dimension>(
    check: Check<'_>,
    here: &Place,
    spec: &mut MeshSpec,
    folder: Option<&Path>,
) -> Result<MeshShape<D>, Problem> {
    let scale = check.positive(&here.key("scale"), spec.scale)?;
    let lists = spec.corners.is_some() || spec.triangles.is_some();
    check.one_of(
        here,
        "where its triangles are",
        &[("file", spec.file.is_some()), ("corners", lists)],
    )?;
    let at = here.key(if spec.file.is_some() {
        "file"
    } else {
        "triangles"
    });
    if let Some(file) = spec.file.take() {
        let (corners, triangles) = read_file(&at, &file, folder)?;
        spec.corners = Some(corners);
        spec.triangles = Some(triangles);
    }
    let (Some(list), Some(triangles)) = (&spec.corners, &mut spec.triangles) else {
        let missing = if spec.corners.is_some() {
            "triangles"
        } else {
            "corners"
        };
        return Err(Problem::at_key(
            here,
            format!("`{here}` lacks `{missing}`: lists have `corners` and `triangles`"),
        ));
    };
    let mut corners = Vec::with_capacity(list.len());
    for (k, corner) in list.iter().enumerate() {
        corners.push(check.vector::<D>(&here.key("corners").index(k), corner)?);
    }
    if triangles.len() > MOST_TRIANGLES {
        return Err(Problem::at(
            &at,
            format!(
                "the mesh has {} triangles; a wall may have {MOST_TRIANGLES} at most",
                triangles.len()
            ),
        )
        .help("a mesh program can decimate it: plane parts need few triangles"));
    }
    let most = corners.len();
    let beyond = |face: &[u32; 3]| face.iter().any(|&corner| corner as usize >= most);
    if let Some(k) = triangles.iter().position(beyond) {
        let place = at.index(k);
        return Err(Problem::at(
            &place,
            format!("`{place}` names a corner that there is not: there are {most}, the first is 0"),
        ));
    }
    let raw: Vec<Vector3<f64>> = list
        .iter()
        .map(|&[x, y, z]| Vector3::new(x, y, z))
        .collect();
    if spec.skip_degenerate {
        triangles.retain(|face| !mesh::is_line(&raw, *face));
    } else if let Some(k) = mesh::degenerate(&raw, triangles) {
        let corners = triangles[k].map(|i| list[i as usize]);
        return Err(Problem::at(
            &at,
            format!(
                "triangle {} of the mesh has no area: its corners {:?}, {:?} and {:?} lie on one line",
                k + 1,
                corners[0],
                corners[1],
                corners[2]
            ),
        )
        .help("`skip_degenerate = true` leaves out triangles without area"));
    }
    if triangles.is_empty() {
        return Err(Problem::at(&at, "the mesh has no triangles".to_string()));
    }
    let mut exactness = Exactness::of(&raw).scaled(scale);
    if let Some(flatness) = spec.flatness {
        exactness.flatness = check.non_negative(&here.key("flatness"), flatness)?;
    }
    place::<D>(check, here, spec, scale, &mut corners)?;
    let shape = MeshShape {
        corners,
        triangles: spec.triangles.clone().unwrap_or_default(),
        exactness,
    };
    // Found now, where the place in the file is known.
    crate::body::Shape::Mesh(shape.clone())
        .surfaces()
        .map_err(|why| Problem::at(&at, format!("`{here}`: {why}")))?;
    Ok(shape)
}

/// Scales, turns and moves corners.
fn place<D: Dimension>(
    check: Check<'_>,
    here: &Place,
    spec: &MeshSpec,
    scale: f64,
    corners: &mut [D::Vector],
) -> Result<(), Problem> {
    let turn = match &spec.rotation {
        Some(turn) => Some(D::turned(
            D::identity(),
            spin::<D>(check, &here.key("rotation"), turn)?,
        )),
        None => None,
    };
    let position = &here.key("position");
    let shift = check.vector_or_zero::<D>(position, spec.position.as_deref())?;
    for x in corners.iter_mut() {
        *x = *x * scale;
        if let Some(turn) = turn {
            *x = D::rotate(turn, *x);
        }
        *x += shift;
        if !x.is_finite() {
            return Err(Problem::at_key(
                here,
                format!("`{here}`: scaled and moved, a corner is no finite number any more"),
            ));
        }
    }
    Ok(())
}

type Lists = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Corners, each once, and triangles of an STL file.
fn read_file(place: &Place, file: &str, folder: Option<&Path>) -> Result<Lists, Problem> {
    let path = input::located(folder, file);
    let shown = path.display();
    let bytes = crate::input::bytes(&path, MAX_BYTES)
        .map_err(|why| Problem::at(place, format!("cannot read {shown}: {why}")))?;
    let found = stl_triangles(&bytes).map_err(|why| match why {
        crate::body::MeshError::Line { .. } => Problem::at(place, format!("{shown}, {why}")),
        _ => Problem::at(place, format!("{shown} {why}")),
    })?;
    if found.is_empty() {
        return Err(Problem::at(place, format!("{shown} has no triangles")));
    }
    let mut number: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let (mut corners, mut triangles) = (Vec::new(), Vec::with_capacity(found.len()));
    for (k, triangle) in found.iter().enumerate() {
        if !triangle.iter().all(Vector::is_finite) {
            return Err(Problem::at(
                place,
                format!(
                    "{shown}: triangle {} has a coordinate that is not a finite number",
                    k + 1
                ),
            ));
        }
        triangles.push(triangle.map(|x| {
            // Both zeros are one.
            let x = [x.x + 0.0, x.y + 0.0, x.z + 0.0];
            *number.entry(x.map(f64::to_bits)).or_insert_with(|| {
                corners.push(x);
                corners.len() as u32 - 1
            })
        }));
    }
    Ok((corners, triangles))
}
