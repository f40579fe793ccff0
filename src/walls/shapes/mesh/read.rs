//! Reads meshes from an STL file or from lists, and scales, rotates and translates them.

use nalgebra::Vector3;
use std::collections::BTreeMap;

use super::{MeshKeys, MeshShape};
use crate::body::{MeshError, stl_triangles};
use crate::geometry::surface::mesh::{self, Exactness, MOST_TRIANGLES};
use crate::geometry::{Dimension, Vector};
use crate::keys::{View, vector_or_zero};
use crate::walls::shapes::Shape;
use crate::walls::shapes::kind::{Kind, ShapeKeys};

/// Limit on the size of a file, bytes: the greatest number of triangles as text needs less.
const MAX_BYTES: u64 = 1 << 30;

impl<D: Dimension> ShapeKeys<D> for MeshKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        mesh::<D, V>(here, self).map(Shape::Mesh)
    }
}

/// Returns the mesh of a wall. The contents of a file replace its name in the keys as lists, without triangles of
/// zero area if the keys say so.
fn mesh<D: Dimension, V: View>(here: &V, spec: &mut MeshKeys) -> Result<MeshShape<D>, V::Fault> {
    let scale = here.key("scale").positive(spec.scale)?;
    let lists = spec.corners.is_some() || spec.triangles.is_some();
    here.one_of(
        "where its triangles are",
        &[("file", spec.file.is_some()), ("corners", lists)],
    )?;
    let at = here.key(if spec.file.is_some() {
        "file"
    } else {
        "triangles"
    });
    if let Some(file) = spec.file.take() {
        let (corners, triangles) = read_file(&at, &file)?;
        spec.corners = Some(corners);
        spec.triangles = Some(triangles);
    }
    let (Some(list), Some(triangles)) = (&spec.corners, &mut spec.triangles) else {
        let missing = if spec.corners.is_some() {
            "triangles"
        } else {
            "corners"
        };
        let path = here.path();
        return Err(here.fault_of_key(format!(
            "`{path}` lacks `{missing}`: lists have `corners` and `triangles`"
        )));
    };
    let mut corners = Vec::with_capacity(list.len());
    for (k, corner) in list.iter().enumerate() {
        corners.push(here.key("corners").index(k).vector::<D>(corner)?);
    }
    if triangles.len() > MOST_TRIANGLES {
        let fault = at.fault(format!(
            "the mesh has {} triangles; a wall may have {MOST_TRIANGLES} at most",
            triangles.len()
        ));
        let help = "a mesh program can decimate it: plane parts need few triangles";
        return Err(V::with_help(fault, help.into()));
    }
    let most = corners.len();
    let beyond = |face: &[u32; 3]| face.iter().any(|&corner| corner as usize >= most);
    if let Some(k) = triangles.iter().position(beyond) {
        let place = at.index(k);
        let path = place.path();
        return Err(place.fault(format!(
            "`{path}` names a corner that there is not: there are {most}, the first is 0"
        )));
    }
    let raw: Vec<Vector3<f64>> = list
        .iter()
        .map(|&[x, y, z]| Vector3::new(x, y, z))
        .collect();
    if spec.skip_degenerate {
        triangles.retain(|face| !mesh::is_line(&raw, *face));
    } else if let Some(k) = mesh::degenerate(&raw, triangles) {
        let corners = triangles[k].map(|i| list[i as usize]);
        let fault = at.fault(format!(
            "triangle {} of the mesh has no area: its corners {:?}, {:?} and {:?} lie on one line",
            k + 1,
            corners[0],
            corners[1],
            corners[2]
        ));
        let help = "`skip_degenerate = true` leaves out triangles without area";
        return Err(V::with_help(fault, help.into()));
    }
    if triangles.is_empty() {
        return Err(at.fault("the mesh has no triangles".to_string()));
    }
    let mut exactness = Exactness::of(&raw).scaled(scale);
    if let Some(flatness) = spec.flatness {
        exactness.flatness = here.key("flatness").non_negative(flatness)?;
    }
    place::<D, V>(here, spec, scale, &mut corners)?;
    let shape = MeshShape {
        corners,
        triangles: spec.triangles.clone().unwrap_or_default(),
        exactness,
    };
    // Reported here, where the place in the file is known.
    match shape.primitives() {
        Ok(_) => Ok(shape),
        Err(why) => Err(at.fault(format!("`{}`: {why}", here.path()))),
    }
}

/// Scales, rotates and translates corners.
fn place<D: Dimension, V: View>(
    here: &V,
    spec: &MeshKeys,
    scale: f64,
    corners: &mut [D::Vector],
) -> Result<(), V::Fault> {
    let turn = match &spec.rotation {
        Some(turn) => Some(D::turned(
            D::identity(),
            here.key("rotation").spin::<D>(&turn.0)?,
        )),
        None => None,
    };
    let position = here.key("position");
    let shift = vector_or_zero::<D, V>(&position, spec.position.as_deref())?;
    for x in corners.iter_mut() {
        *x = *x * scale;
        if let Some(turn) = turn {
            *x = D::rotate(turn, *x);
        }
        *x += shift;
        if !x.is_finite() {
            let path = here.path();
            return Err(here.fault_of_key(format!(
                "`{path}`: scaled and moved, a corner is no finite number any more"
            )));
        }
    }
    Ok(())
}

type Lists = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Reads an STL file: corners, each once, and triangles.
fn read_file<V: View>(place: &V, file: &str) -> Result<Lists, V::Fault> {
    let (bytes, shown) = place.bytes(file, MAX_BYTES)?;
    let found = stl_triangles(&bytes).map_err(|why| match why {
        MeshError::Line { .. } => place.fault(format!("{shown}, {why}")),
        _ => place.fault(format!("{shown} {why}")),
    })?;
    if found.is_empty() {
        return Err(place.fault(format!("{shown} has no triangles")));
    }
    let mut number: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let (mut corners, mut triangles) = (Vec::new(), Vec::with_capacity(found.len()));
    for (k, triangle) in found.iter().enumerate() {
        if !triangle.iter().all(Vector::is_finite) {
            return Err(place.fault(format!(
                "{shown}: triangle {} has a coordinate that is not a finite number",
                k + 1
            )));
        }
        triangles.push(triangle.map(|x| {
            // 0 and -0 are equal.
            let x = [x.x + 0.0, x.y + 0.0, x.z + 0.0];
            *number.entry(x.map(f64::to_bits)).or_insert_with(|| {
                corners.push(x);
                corners.len() as u32 - 1
            })
        }));
    }
    Ok((corners, triangles))
}
