//! Walls as primitives: each point outside sees each corner, edge and face once, at the true
//! distance.

use arenite::geometry::surface::{Probe, Surface};
use arenite::geometry::{Dimension, Planar, Spatial};
use arenite::walls::Shape;
use arenite::walls::shapes;
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;

type V2 = Vector2<f64>;
type V3 = Vector3<f64>;

fn polyline(points: &[[f64; 2]], closed: bool) -> Shape<Planar> {
    Shape::Polyline(shapes::Polyline {
        points: points.iter().map(|&[x, y]| V2::new(x, y)).collect(),
        closed,
    })
}

fn revolved(profile: &[[f64; 2]]) -> Shape<Spatial> {
    Shape::Revolved(shapes::Revolved {
        origin: V3::new(0.1, -0.2, 0.3),
        axis: V3::new(0.0, 0.0, 2.0),
        profile: profile.to_vec(),
    })
}

fn probes<D: Dimension>(shape: &Shape<D>, x: D::Vector) -> Vec<Probe<D>> {
    let surfaces = shape.surfaces().unwrap();
    surfaces.iter().filter_map(|s| s.probe(x)).collect()
}

/// What is met within a reach of a point is among the surfaces that are called back with.
fn all_near_are_named<D: Dimension>(shape: &Shape<D>, x: D::Vector, reach: f64) {
    let surfaces = shape.surfaces().unwrap();
    let mut named = Vec::new();
    surfaces.near(x, reach, |k| named.push(k));
    for (k, surface) in surfaces.iter().enumerate() {
        let met = surface.probe(x).is_some_and(|p| p.distance <= reach);
        assert!(!met || named.contains(&k), "{k} of {shape:?} at {x:?}");
    }
}

fn segment_distance(a: V2, b: V2, x: V2) -> f64 {
    let t = ((x - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
    (x - a - (b - a) * t).norm()
}

fn chain_distance(points: &[V2], closed: bool, x: V2) -> f64 {
    let n = points.len();
    (0..if closed { n } else { n - 1 })
        .map(|i| segment_distance(points[i], points[(i + 1) % n], x))
        .fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(crate::same_cases(256))]

    /// A ball around all of a wall says that a point is far from it only where it is.
    #[test]
    fn walls_are_near_where_they_are_met(
        points in prop::collection::vec((0.05..3.0, -2.0..2.0), 2..6),
        x in (-4.0..4.0, -4.0..4.0, -4.0..4.0),
        reach in 0.0..3.0_f64,
    ) {
        let points: Vec<[f64; 2]> = points.iter().map(|&(x, y)| [x, y]).collect();
        let (place, centre) = (V3::new(x.0, x.1, x.2), V3::new(0.3, -0.2, 0.1));
        let (flat, middle) = (place.xy(), centre.xy());
        all_near_are_named(&polyline(&points, false), flat, reach);
        all_near_are_named(&revolved(&points), place, reach);
        for inside in [false, true] {
            let [min, max] = [-0.7, 1.1];
            let radius = 1.3;
            all_near_are_named::<Spatial>(&Shape::Ball(shapes::Ball { centre, radius, inside }), place, reach);
            let square = shapes::Cuboid {
                min: V2::repeat(min),
                max: V2::repeat(max),
                inside,
            };
            all_near_are_named::<Planar>(&Shape::Box(square), flat, reach);
            let cube = shapes::Cuboid {
                min: V3::repeat(min),
                max: V3::repeat(max),
                inside,
            };
            all_near_are_named::<Spatial>(&Shape::Box(cube), place, reach);
            let torus = shapes::Torus {
                centre,
                axis: V3::new(0.2, 0.3, 1.0),
                radius,
                tube: 0.4,
                inside,
            };
            all_near_are_named::<Spatial>(&Shape::Torus(torus), place, reach);
        }
        let arc = shapes::Arc {
            centre: middle,
            radius: 1.2,
            angles: [0.4, 0.4 + reach],
        };
        all_near_are_named::<Planar>(&Shape::Arc(arc), flat, reach);
    }

    /// The nearest of the primitives that own a point is the nearest point of the chain, however
    /// acute its corners; rounding of products of coordinates about 1 stays under 1e-12.
    #[test]
    fn nearest_of_a_chain(
        corners in prop::collection::vec((-1.0..1.0, -1.0..1.0), 3..7),
        closed in any::<bool>(),
        x in (-2.0..2.0, -2.0..2.0),
    ) {
        let points: Vec<V2> = corners.iter().map(|&(a, b)| V2::new(a, b)).collect();
        let shape: Shape<Planar> = Shape::Polyline(shapes::Polyline { points: points.clone(), closed });
        let x = V2::new(x.0, x.1);
        let wanted = chain_distance(&points, closed, x);
        let found = probes(&shape, x);
        let nearest = found.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        prop_assert!((nearest - wanted).abs() < 1e-12, "{nearest} against {wanted}");
        for probe in found {
            prop_assert!((probe.normal.norm() - 1.0).abs() < 1e-15);
            // The surface point that it stands for lies on the chain.
            prop_assert!(chain_distance(&points, closed, x - probe.normal * probe.distance) < 1e-12);
        }
        for surface in shape.surfaces().unwrap() {
            let bound = surface.distance_bound(x);
            prop_assert!(surface.probe(x).is_none_or(|p| bound <= p.distance + 1e-12));
            prop_assert!(bound >= wanted - 1e-12);
        }
    }

    /// The same in space, against the profile's distance in the half-plane of the point.
    #[test]
    fn nearest_of_a_revolved_profile(
        corners in prop::collection::vec((0.01..1.0, -1.0..1.0), 2..6),
        x in (-2.0..2.0, -2.0..2.0, -2.0..2.0),
    ) {
        let profile: Vec<[f64; 2]> = corners.iter().map(|&(a, b)| [a, b]).collect();
        let shape = revolved(&profile);
        let x = V3::new(x.0, x.1, x.2);
        let rho = (x.x - 0.1).hypot(x.y + 0.2);
        let points: Vec<V2> = profile.iter().map(|&[a, b]| V2::new(a, b)).collect();
        let wanted = chain_distance(&points, false, V2::new(rho, x.z - 0.3));
        let found = probes(&shape, x);
        let nearest = found.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        prop_assert!((nearest - wanted).abs() < 1e-12, "{nearest} against {wanted}");
        for probe in found {
            prop_assert!((probe.normal.norm() - 1.0).abs() < 1e-14);
        }
    }

    /// A solid box from outside: one contact, at the clamped point.
    #[test]
    fn nearest_of_a_box(x in (-3.0..3.0, -3.0..3.0, -3.0..3.0)) {
        let shape = Shape::<Spatial>::Box(shapes::Cuboid {
            min: V3::new(-1.0, -0.5, 0.0),
            max: V3::new(1.0, 2.0, 0.5),
            inside: false,
        });
        let x = V3::new(x.0, x.1, x.2);
        let clamped = V3::new(x.x.clamp(-1.0, 1.0), x.y.clamp(-0.5, 2.0), x.z.clamp(0.0, 0.5));
        let found = probes(&shape, x);
        prop_assert_eq!(found.len(), 1);
        prop_assume!(clamped != x);
        prop_assert!((found[0].distance - (x - clamped).norm()).abs() < 1e-15);
        prop_assert!((found[0].normal - (x - clamped).normalize()).norm() < 1e-14);
    }

    /// Around a convex corner, of whatever angle, a grain outside has one contact; inside the
    /// angle it has two as long as it is near enough to see both sides.
    #[test]
    fn corners_count_once(half in 0.05..1.5_f64, turn in 0.0..std::f64::consts::TAU, at in 0.0..1.0) {
        let from_angle = |angle: f64, r: f64| V2::new(r * angle.cos(), r * angle.sin());
        let shape: Shape<Planar> = Shape::Polyline(shapes::Polyline {
            points: vec![from_angle(turn + half, 1.0), V2::zeros(), from_angle(turn - half, 1.0)],
            closed: false,
        });
        let outside = turn + half + 1e-6 + at * (std::f64::consts::TAU - 2.0 * half - 2e-6);
        prop_assert_eq!(probes(&shape, from_angle(outside, 0.1)).len(), 1);
        let inside: f64 = turn + half * (2.0 * at - 1.0) * 0.999;
        let sees = (half + (inside - turn).abs()) < std::f64::consts::FRAC_PI_2;
        prop_assert_eq!(probes(&shape, from_angle(inside, 0.1)).len(), 1 + usize::from(sees));
    }

    /// Where the flat form is given, it has the same bits as the probe.
    #[test]
    fn flat_form_has_the_same_bits(x in (-2.0..2.0, -2.0..2.0)) {
        let shape = polyline(&[[0.3, 0.1], [-0.7, 0.4], [-0.9, -0.8], [1.1, -0.3]], true);
        let x = V2::new(x.0, x.1);
        for surface in shape.surfaces().unwrap() {
            if let Some(flat) = surface.flat(x) {
                let (along, lo, hi) = flat.extent.unwrap();
                let t = along.x * x.x + along.y * x.y;
                let told = (lo <= t && t < hi).then(|| Probe {
                    distance: flat.normal.x * x.x + flat.normal.y * x.y - flat.offset,
                    normal: flat.normal,
                });
                prop_assert_eq!(told, surface.probe(x));
            }
        }
    }
}

#[test]
fn a_redundant_point_changes_nothing() {
    let straight = polyline(&[[0.0, 0.0], [0.3, 0.9], [1.0, 0.9]], false);
    let redundant = polyline(
        &[
            [0.0, 0.0],
            [0.1, 0.3],
            [0.2, 0.6],
            [0.3, 0.9],
            [0.7, 0.9],
            [1.0, 0.9],
        ],
        false,
    );
    assert_eq!(straight.surfaces(), redundant.surfaces());
    let ring = polyline(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], true);
    // Begun amid an edge, and closed by repeating that point.
    let seam = polyline(
        &[
            [0.0, 0.5],
            [0.0, 0.0],
            [1.0, 0.0],
            [1.0, 1.0],
            [0.0, 1.0],
            [0.0, 0.5],
        ],
        false,
    );
    assert_eq!(ring.surfaces(), seam.surfaces());
    assert_eq!(ring.surfaces().unwrap().len(), 8);
    let cone = revolved(&[[0.1, 0.0], [0.2, 0.2], [0.3, 0.4]]);
    assert_eq!(
        cone.surfaces(),
        revolved(&[[0.1, 0.0], [0.3, 0.4]]).surfaces()
    );
}

#[test]
fn a_grain_that_slides_over_a_seam_has_one_contact_all_the_way() {
    let shape = polyline(&[[0.0, 0.0], [1.0, 0.0], [1.0, -1.0]], false);
    for k in 0..=1000 {
        let found = probes(&shape, V2::new(0.99 + 2e-5 * f64::from(k), 0.1));
        assert_eq!(found.len(), 1);
    }
}

#[test]
fn a_cup_has_two_contacts_in_its_edge_and_one_outside() {
    let cup = revolved(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    // No rim in the middle of the floor: a disk, a cylinder, the lower edge, the upper end.
    assert_eq!(cup.surfaces().unwrap().len(), 4);
    let at = |rho: f64, z: f64| V3::new(0.1 + 0.6 * rho, -0.2 + 0.8 * rho, 0.3 + z);
    assert_eq!(probes(&cup, at(0.95, 0.05)).len(), 2);
    let edge = probes(&cup, at(1.03, -0.04));
    assert_eq!(edge.len(), 1);
    assert!((edge[0].distance - 0.05).abs() < 1e-15);
    assert!((edge[0].normal - V3::new(0.36, 0.48, -0.8)).norm() < 1e-14);
    // On the axis the floor is felt straight up.
    let floor = probes(&cup, at(0.0, 0.2));
    assert!(
        floor
            .iter()
            .any(|p| p.normal == V3::z() && (p.distance - 0.2).abs() < 1e-15)
    );
}

#[test]
fn exact_places_give_no_nan() {
    let shapes: Vec<(Shape<Spatial>, Vec<V3>)> = vec![
        (
            revolved(&[[0.0, -0.5], [0.5, 0.0], [0.5, 1.0]]),
            vec![
                V3::new(0.1, -0.2, 0.3),
                V3::new(0.1, -0.2, -0.2),
                V3::new(0.6, -0.2, 0.3),
                V3::new(0.6, -0.2, 1.3),
            ],
        ),
        (
            Shape::Ball(shapes::Ball {
                centre: V3::zeros(),
                radius: 1.0,
                inside: true,
            }),
            vec![V3::zeros(), V3::x()],
        ),
        (
            Shape::Ball(shapes::Ball {
                centre: V3::zeros(),
                radius: 1.0,
                inside: false,
            }),
            vec![V3::zeros(), V3::x()],
        ),
        (
            Shape::Box(shapes::Cuboid {
                min: V3::zeros(),
                max: V3::new(1.0, 1.0, 1.0),
                inside: false,
            }),
            vec![
                V3::zeros(),
                V3::new(0.5, 0.5, 0.5),
                V3::new(1.0, 0.5, 0.5),
                V3::new(-1e-300, -1e-300, 0.5),
            ],
        ),
    ];
    for (shape, places) in shapes {
        for x in places {
            let found = probes(&shape, x);
            assert!(!found.is_empty(), "{shape:?} at {x}");
            for probe in found {
                assert!(probe.distance.is_finite());
                assert!(
                    (probe.normal.norm() - 1.0).abs() < 1e-14,
                    "{shape:?} at {x}"
                );
            }
        }
    }
    let chain = polyline(&[[0.0, 0.0], [1.0, 0.0]], false);
    for x in [V2::zeros(), V2::new(0.5, 0.0), V2::new(1.0, 0.0)] {
        let found = probes(&chain, x);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].distance, 0.0);
        assert_eq!(found[0].normal, V2::y());
    }
}

#[test]
fn solids_push_out_from_within() {
    let block = Shape::<Planar>::Box(shapes::Cuboid {
        min: V2::zeros(),
        max: V2::new(1.0, 1.0),
        inside: false,
    });
    let found = probes(&block, V2::new(0.9, 0.5));
    assert_eq!(found[0].normal, V2::x());
    assert!((found[0].distance + 0.1).abs() < 1e-15);
    let room = Shape::<Planar>::Box(shapes::Cuboid {
        min: V2::zeros(),
        max: V2::new(1.0, 2.0),
        inside: true,
    });
    let mut distances: Vec<f64> = probes(&room, V2::new(0.25, 0.5))
        .iter()
        .map(|p| p.distance)
        .collect();
    distances.sort_by(f64::total_cmp);
    assert_eq!(distances, [0.25, 0.5, 0.75, 1.5]);
    let plane = Shape::<Planar>::Plane(shapes::Plane {
        point: V2::new(0.0, 1.0),
        normal: V2::new(0.0, 5.0),
    });
    assert_eq!(probes(&plane, V2::zeros())[0].distance, -1.0);
}

#[test]
fn impossible_shapes_say_why() {
    let message = |shape: &Shape<Planar>| shape.surfaces().unwrap_err().to_string();
    let spatial = |shape: &Shape<Spatial>| shape.surfaces().unwrap_err().to_string();
    assert_eq!(
        message(&polyline(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], false)),
        "corners 2 and 3 of the chain are the same point; each segment needs a length"
    );
    assert_eq!(
        message(&polyline(&[[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]], false)),
        "the chain doubles back on itself at corner 2"
    );
    assert_eq!(
        message(&polyline(&[[0.0, 0.0]], false)),
        "a chain of segments needs at least 2 corners, a closed one 3; this one has 1"
    );
    assert_eq!(
        message(&polyline(&[[0.0, f64::NAN], [1.0, 0.0]], false)),
        "the corners' coordinates must be finite numbers"
    );
    assert_eq!(
        message(&Shape::Ball(shapes::Ball {
            centre: V2::zeros(),
            radius: -1.0,
            inside: false
        })),
        "the radius must be greater than 0 m, not -1"
    );
    assert_eq!(
        message(&Shape::Plane(shapes::Plane {
            point: V2::zeros(),
            normal: V2::zeros()
        })),
        "the plane's normal must have a length greater than 0"
    );
    assert_eq!(
        message(&Shape::Box(shapes::Cuboid {
            min: V2::zeros(),
            max: V2::new(1.0, 0.0),
            inside: true
        })),
        "the box's min must lie below its max in every coordinate; coordinate 2 has min 0 and max 0"
    );
    assert_eq!(
        message(&Shape::Revolved(shapes::Revolved {
            origin: V2::zeros(),
            axis: V2::y(),
            profile: vec![[1.0, 0.0], [1.0, 1.0]]
        })),
        "a revolved surface exists only in three dimensions; use a polyline"
    );
    assert_eq!(
        spatial(&Shape::Polyline(shapes::Polyline {
            points: vec![V3::zeros(), V3::x()],
            closed: false
        })),
        "a polyline exists only in two dimensions; use a revolved surface, planes or a box"
    );
    assert_eq!(
        spatial(&revolved(&[[0.5, 0.0], [-0.1, 1.0]])),
        "corner 2 of the profile has the distance -0.1 m from the axis; it must be 0 or more"
    );
    assert_eq!(
        spatial(&revolved(&[[0.0, 0.0], [0.0, 1.0]])),
        "the profile runs along the axis from corner 1; such a segment sweeps no surface"
    );
}

#[test]
fn a_wall_that_is_far_is_not_asked() {
    let count = |shape: &Shape<Planar>, x: V2| {
        let mut count = 0;
        shape.surfaces().unwrap().near(x, 1.0, |_| count += 1);
        count
    };
    let chain = polyline(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], false);
    assert_eq!(count(&chain, V2::new(0.5, 0.5)), 5);
    assert_eq!(count(&chain, V2::new(9.0, 0.0)), 0);
    // What lies beyond a box from inside is within the wall.
    let vessel = Shape::Box(shapes::Cuboid {
        min: V2::zeros(),
        max: V2::repeat(1.0),
        inside: true,
    });
    assert_eq!(count(&vessel, V2::new(9.0, 0.0)), 4);
}
