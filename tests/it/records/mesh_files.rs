//! Walls of triangles from files: what is read stands in the resolved scenario; such runs stand still, resume and
//! carry clumps as others do.

use std::path::Path;

use arenite::geometry::Spatial;
use arenite::record::{BodyRef, MemorySink};
use arenite::scenario::{AnySetup, Resolved, Scenario};
use arenite::system::{Setup, System};
use arenite::walls::Shape;
use nalgebra::Vector3;

use crate::support::*;
use crate::theory::mesh_surface::shattered;

type V3 = Vector3<f64>;

const HEAD: &str = r#"
    name = "test"
    dimension = 3
    [field]
    gravity = [0.0, 0.0, -9.8]
    [run]
    end_time = 1.5
    [material.bead]
    density = 2500.0
    [[law]]
    between = ["bead", "bead"]
    [law.linear]
    normal_stiffness = 2e4
    tangential_stiffness = 1e4
    normal_damping = 1.0
    tangential_damping = 0.5
    friction = 0.5
"#;

fn resolved(text: &str, folder: Option<&Path>) -> Resolved {
    Scenario::parse("test.toml", text, folder, &[])
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
}

fn setup_of(text: &str) -> Setup<Spatial> {
    match resolved(text, None).setup {
        AnySetup::Spatial(setup) => setup,
        AnySetup::Planar(_) => panic!("spatial"),
    }
}

fn as_text(triangles: &[[V3; 3]]) -> String {
    let mut text = String::from("solid test\n");
    for triangle in triangles {
        text += " facet normal 0 0 0\n  outer loop\n";
        for x in triangle {
            let [x, y, z] = [x.x, x.y, x.z].map(|c| f64::from(c as f32));
            text += &format!("   vertex {x} {y} {z}\n");
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid test\n"
}

fn as_bytes(triangles: &[[V3; 3]]) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        for x in triangle.iter().flat_map(|x| x.iter()) {
            bytes.extend((*x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// The same triangles as text and as bytes are the same wall, which the resolved scenario holds by itself: scaled
/// from mm, a quarter turned about the first axis, and moved.
#[test]
fn files_are_read_scaled_turned_and_moved() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (corners, faces) = shattered(20, 4);
    let triangles: Vec<[V3; 3]> = faces
        .iter()
        .map(|face| face.map(|i| corners[i as usize] * 250.0))
        .collect();
    std::fs::write(folder.path().join("text.stl"), as_text(&triangles))?;
    std::fs::write(folder.path().join("bytes.stl"), as_bytes(&triangles))?;
    let text = |file: &str| {
        format!(
            "{HEAD}\n[[boundary]]\nname = \"floor\"\nmaterial = \"bead\"\n\
             mesh = {{ file = \"{file}\", scale = 0.001, rotation = [1.5707963267948966, 0.0, 0.0], \
             position = [0.1, 0.2, 0.3] }}\n\
             [[fill]]\nmaterial = \"bead\"\n\
             grains = [{{ position = [0.1, 0.1, 0.4], radius = 0.01 }}]\n"
        )
    };
    let first = resolved(&text("text.stl"), Some(folder.path()));
    assert!(!first.toml.contains(".stl"));
    let second = resolved(&first.toml, None);
    assert!(first.setup == second.setup);
    assert_eq!(first.toml, second.toml);
    let third = resolved(&text("bytes.stl"), Some(folder.path()));
    assert_eq!(first.toml, third.toml);
    let AnySetup::Spatial(setup) = first.setup else {
        return Err("spatial".into());
    };
    let shape = &setup.boundaries[0].shape;
    let (min, max) = shape.extent().ok_or("bounded")?;
    // What was level stands across the second axis, from -0.25 m to 0.25 m.
    assert!((min - V3::new(-0.15, 0.2, 0.05)).norm() < 1e-15, "{min:?}");
    assert!((max - V3::new(0.35, 0.2, 0.55)).norm() < 1e-15, "{max:?}");
    let Shape::Mesh(mesh) = shape else {
        return Err("a mesh".into());
    };
    assert_eq!((mesh.corners.len(), mesh.triangles.len()), (24, 42));
    // Nine lines: four sides and four corners are no more than ridges and tips of one plane part.
    assert_eq!(shape.surfaces()?.len(), 9);
    Ok(())
}

/// An open box of five squares, each of many triangles, from 0 to 0.05 and 0.3 high, as lists of a scenario.
fn open_box() -> String {
    let (flat, faces) = shattered(30, 8);
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    let mut side = |onto: &dyn Fn(f64, f64) -> [f64; 3]| {
        let first = corners.len() as u32;
        corners.extend(flat.iter().map(|c| onto(0.5 + 0.5 * c.x, 0.5 + 0.5 * c.y)));
        triangles.extend(faces.iter().map(|face| face.map(|i| i + first)));
    };
    side(&|u, v| [0.05 * u, 0.05 * v, 0.0]);
    for at in [0.0, 0.05] {
        side(&|u, v| [at, 0.05 * u, 0.3 * v]);
        side(&|u, v| [0.05 * u, at, 0.3 * v]);
    }
    format!("mesh = {{ corners = {corners:?}, triangles = {triangles:?} }}")
}

fn bed(wall: &str, more: &str) -> Setup<Spatial> {
    setup_of(&format!(
        "{HEAD}\n[[boundary]]\nname = \"box\"\nmaterial = \"bead\"\n{wall}\n\
         [[feed]]\nmaterial = \"bead\"\nradius = 0.005\ncount = 60\nevery = 0.01\n\
         min = [0.01, 0.01, 0.1]\nmax = [0.04, 0.04, 0.12]\n{more}\n"
    ))
}

fn borne(sink: &MemorySink) -> f64 {
    let (grains, links) = sink.snapshots.last().expect("the end");
    let weight: f64 = grains.iter().map(|g| g.mass * 9.8).sum();
    assert_eq!(grains.len(), 60);
    let of_wall = links
        .iter()
        .filter(|link| matches!(link.body_b, BodyRef::Boundary(_)));
    let push = of_wall.map(|link| link.tangential_force[2] - link.normal[2] * link.normal_force);
    push.sum::<f64>() / weight
}

/// Sixty beads, and as many clumps, rain into a box of triangles and come to rest: they stand still, the box bears
/// their weight, the balance closes. The bounds are those of the same in a plain box (`morph`).
#[test]
fn beds_come_to_rest_on_triangles() {
    let wall = open_box();
    for more in [
        "",
        "shape = \"tetra\"\n[shape.tetra]\nspheres = [{ centre = [0.0, 0.0, 0.0], radius = 1.0 }, \
                      { centre = [1.2, 0.0, 0.0], radius = 0.8 }]",
    ] {
        let mut setup = bed(&wall, &format!("{more}\n[morph]\n"));
        setup.log.snapshots = Some(1.5);
        let (system, sink) = run(&setup);
        let summary = system.summary();
        let error = summary.energy.balance_error;
        assert!(error < 1e-3, "{error}");
        assert!(summary.regimes.rest > 0.2, "{:?}", summary.regimes);
        let share = borne(&sink);
        assert!((share - 1.0).abs() < 5e-3, "{share} of the weight");
    }
}

/// A run among triangles that goes on from each of its saved states ends with the same bits, standing still or not.
#[test]
fn saved_states_go_on_with_the_same_bits() {
    for more in ["[morph]\nrigid = false\n", "[morph]\n"] {
        let mut setup = bed(&open_box(), more);
        setup.run.end_time = 0.9;
        setup.log.checkpoint = Some(0.2);
        let mut sink = Checkpoints::default();
        let mut whole = System::new(setup.clone()).expect("it runs");
        finish(&mut whole, &mut sink);
        let hash = whole.summary().state_hash;
        assert!(sink.states.len() >= 4);
        for state in &sink.states {
            let mut rest = System::restore(setup.clone(), state).expect("its own state");
            finish(&mut rest, &mut MemorySink::default());
            assert_eq!(rest.summary().state_hash, hash);
        }
    }
}

/// A clump on triangles does as on a plane, and so do beads that collide in flight.
#[test]
fn other_models_know_triangles() {
    let (corners, triangles) = shattered(100, 6);
    let corners: Vec<[f64; 3]> = corners.iter().map(|c| [c.x, c.y, c.z]).collect();
    let mesh = format!("mesh = {{ corners = {corners:?}, triangles = {triangles:?} }}");
    let plane = "plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }";
    let of = |wall: &str, more: &str, keys: &str| {
        let head = HEAD.replace("end_time = 1.5", &format!("end_time = 0.4\n{keys}"));
        let setup = setup_of(&format!(
            "{head}\n[[boundary]]\nmaterial = \"bead\"\n{wall}\n[[fill]]\nmaterial = \"bead\"\n{more}\n"
        ));
        run(&setup).0.grains_at(0.4)
    };
    let clump = "shape = \"pair\"\ngrains = [{ position = [0.1, 0.1, 0.05], radius = 0.01, \
                 spin = [3.0, 4.0, 5.0], velocity = [0.2, 0.1, 0.0] }]\n[shape.pair]\nspheres = [\
                 { centre = [0.0, 0.0, 0.0], radius = 1.0 }, { centre = [1.2, 0.0, 0.0], radius = 0.8 }]";
    let some = "grains = [{ position = [0.1, 0.1, 0.05], radius = 0.01 }, \
                { position = [0.1, 0.105, 0.08], radius = 0.008, velocity = [0.2, 0.0, -0.5] }]";
    for (more, keys) in [(clump, ""), (some, ""), (some, "collisions = true")] {
        let (on_mesh, on_plane) = (of(&mesh, more, keys), of(plane, more, keys));
        for (a, b) in on_mesh.iter().zip(&on_plane) {
            let off = (a.position - b.position).norm() + 0.01 * (a.velocity - b.velocity).norm();
            assert!(off < 1e-9, "{keys}: {off:e}");
        }
    }
}
