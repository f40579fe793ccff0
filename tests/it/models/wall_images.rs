//! Walls in periodic boxes: a grain meets the image of a wall behind the border as it would meet the wall itself.

use arenite::cluster::integrate::Integrate;
use arenite::geometry::surface::mesh::Exactness;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::PeriodicAxis;
use arenite::system::{Setup, System};
use arenite::walls::shapes;
use arenite::walls::{MeshShape, Motion, Shape, Vessel};

use crate::support::*;

const ORIGIN: f64 = -0.04;
const LENGTH: f64 = 0.3;
/// Where walls stand for the twin: in the midst of the box.
const MIDST: f64 = 0.13;
const RADIUS: f64 = 0.012;
const EXACT: Exactness = Exactness {
    hair: 1e-9,
    flatness: 1e-9,
};

/// What stands and how it moves, about a place.
type Made<D> = Box<dyn Fn(<D as Dimension>::Vector) -> (Shape<D>, Motion<D>)>;

fn still<D: Dimension>(shape: impl Fn(D::Vector) -> Shape<D> + 'static) -> Made<D> {
    Box::new(move |at| (shape(at), Motion::Fixed))
}

fn along<D: Dimension>(k: usize) -> D::Vector {
    D::Vector::from_fn(|j| if j == k { 1.0 } else { 0.0 })
}

fn in_box(x: f64) -> f64 {
    ORIGIN + (x - ORIGIN).rem_euclid(LENGTH)
}

/// A wall made about a place, and a grain that strikes it from below along the first `axes` periodic directions, off its
/// middle by `off` along the last coordinate.
fn strike<D: Integrate>(made: &Made<D>, at: f64, axes: usize, off: f64) -> Setup<D> {
    let mut setup: Setup<D> = empty(linear(2e4, 1e4, 3.0, 2.0, 0.3), 2e-5, 0.16);
    let axis = PeriodicAxis {
        origin: ORIGIN,
        length: LENGTH,
    };
    for k in 0..axes {
        setup.space.periodic[k] = Some(axis);
    }
    let at = D::Vector::from_fn(|k| if k < axes { at } else { 0.0 });
    let (shape, motion) = made(at);
    wall(&mut setup, "wall", shape).motion = motion;
    let way = D::Vector::from_fn(|k| if k < axes { 0.0713 } else { 0.0 });
    let x = at - way + along::<D>(D::N - 1) * off;
    let x = D::Vector::from_fn(|k| if k < axes { in_box(x[k]) } else { x[k] });
    let velocity = D::Vector::from_fn(|k| if k < axes { 0.9 } else { 0.0 });
    add(&mut setup, RADIUS, 0.02, x, velocity).spin = rolling::<D>(11.0);
    setup.log.series = Some(0.004);
    setup
}

/// Motion of the grain and loads of the wall at the border are those in the midst of the box; not all loads are 0.
fn as_in_the_midst<D: Integrate>(name: &str, made: &Made<D>, off: f64, collisions: bool) {
    for axes in 1..=2.min(D::N) {
        let scene = |at: f64| {
            let mut setup = strike::<D>(made, at, axes, off);
            setup.motion.collisions = collisions.then_some(0.05);
            run(&setup)
        };
        let (_, midst) = scene(MIDST);
        let finish = 0.16;
        for at in [ORIGIN + 0.002, ORIGIN + LENGTH - 0.003] {
            let ((a, _), (b, border)) = (scene(MIDST), scene(at));
            let (a, b) = (a.grains_at(finish)[0], b.grains_at(finish)[0]);
            let what = format!("{name}, {axes} directions, at {at}");
            let off = (a.velocity - b.velocity).norm();
            assert!(
                off < 1e-9,
                "{what}: velocities {:?} {:?}",
                a.velocity,
                b.velocity
            );
            let spins = (0..D::SPINS)
                .map(|k| (D::spin_component(a.spin, k) - D::spin_component(b.spin, k)).abs());
            let off = spins.fold(0.0, f64::max);
            assert!(off < 1e-7, "{what}: spins {:?} {:?}", a.spin, b.spin);
            let mut apart = a.position - b.position;
            for k in 0..axes {
                apart[k] -= MIDST - at;
                apart[k] -= LENGTH * (apart[k] / LENGTH).round();
            }
            assert!(apart.norm() < 1e-9, "{what}: places are off by {apart:?}");
            let mut greatest = [0.0f64; 2];
            for (a, b) in midst.series.iter().zip(&border.series) {
                for k in 0..6 {
                    let (a, b) = (a.walls[0][k], b.walls[0][k]);
                    greatest[k / 3] = greatest[k / 3].max(a.abs());
                    let hair = if k < 3 { 1e-7 } else { 1e-8 };
                    assert!((a - b).abs() < hair, "{what}: load {k}: {a} {b}");
                }
                let (a, b) = (a.walls[0][6], b.walls[0][6]);
                assert!((a - b).abs() < 1e-9, "{what}: work {a} {b}");
            }
            assert!(greatest[0] > 0.1, "{what}: it strikes nothing");
            assert!(off == 0.0 || greatest[1] > 1e-6, "{what}: no moment");
        }
    }
}

fn planar_walls() -> Vec<(&'static str, Made<Planar>)> {
    let to = |x: f64, y: f64| place::<Planar>(x, y);
    vec![
        (
            "disk",
            still(move |at| {
                Shape::Ball(shapes::Ball {
                    centre: at,
                    radius: 0.008,
                    inside: false,
                })
            }),
        ),
        (
            "box",
            still(move |at| {
                Shape::Box(shapes::Cuboid {
                    min: at - to(0.006, 0.01),
                    max: at + to(0.009, 0.012),
                    inside: false,
                })
            }),
        ),
        (
            "polyline",
            still(move |at| {
                Shape::Polyline(shapes::Polyline {
                    points: vec![
                        at + to(0.01, -0.04),
                        at + to(-0.004, 0.001),
                        at + to(0.012, 0.03),
                    ],
                    closed: false,
                })
            }),
        ),
        (
            "arc",
            still(move |at| {
                Shape::Arc(shapes::Arc {
                    centre: at + to(0.02, 0.0),
                    radius: 0.025,
                    angles: [2.0, 4.1],
                })
            }),
        ),
        (
            "rough",
            still(move |at| {
                Shape::Grains(shapes::Grains(vec![
                    (at, 0.006),
                    (at + to(0.002, 0.011), 0.005),
                ]))
            }),
        ),
        (
            "moving disk",
            Box::new(move |at| {
                let shape = Shape::Ball(shapes::Ball {
                    centre: at,
                    radius: 0.008,
                    inside: false,
                });
                (shape, Motion::Velocity(to(-0.35, 0.02)))
            }),
        ),
        (
            "turning polyline",
            Box::new(move |at| {
                let shape = Shape::Polyline(shapes::Polyline {
                    points: vec![at + to(0.0, -0.03), at + to(0.001, 0.03)],
                    closed: false,
                });
                let motion = Motion::Rotation {
                    centre: at + to(0.0, 0.005),
                    spin: 9.0,
                };
                (shape, motion)
            }),
        ),
    ]
}

fn spatial_walls() -> Vec<(&'static str, Made<Spatial>)> {
    let to = |x: f64, y: f64, z: f64| {
        let mut v = place::<Spatial>(x, z);
        v[1] = y;
        v
    };
    let turned = move |profile: &[[f64; 2]]| {
        let profile = profile.to_vec();
        still::<Spatial>(move |at| {
            Shape::Revolved(shapes::Revolved {
                origin: at,
                axis: to(0.2, 0.1, 1.0),
                profile: profile.clone(),
            })
        })
    };
    vec![
        (
            "sphere",
            still(move |at| {
                Shape::Ball(shapes::Ball {
                    centre: at,
                    radius: 0.008,
                    inside: false,
                })
            }),
        ),
        (
            "box",
            still(move |at| {
                Shape::Box(shapes::Cuboid {
                    min: at - to(0.006, 0.007, 0.01),
                    max: at + to(0.009, 0.005, 0.012),
                    inside: false,
                })
            }),
        ),
        ("cylinder", turned(&[[0.004, -0.05], [0.004, 0.05]])),
        ("cone", turned(&[[0.002, -0.04], [0.012, 0.05]])),
        (
            "turned profile",
            turned(&[[0.0, -0.03], [0.01, -0.004], [0.003, 0.003], [0.02, 0.04]]),
        ),
        (
            "mesh",
            still(move |at| {
                Shape::Mesh(MeshShape {
                    corners: vec![
                        at + to(0.01, -0.03, -0.04),
                        at + to(0.01, 0.04, -0.02),
                        at + to(-0.006, 0.002, 0.002),
                        at + to(0.012, -0.02, 0.05),
                    ],
                    triangles: vec![[0, 1, 2], [1, 3, 2], [3, 0, 2]],
                    exactness: EXACT,
                })
            }),
        ),
        (
            "rough",
            still(move |at| {
                Shape::Grains(shapes::Grains(vec![
                    (at, 0.006),
                    (at + to(0.002, 0.001, 0.011), 0.005),
                ]))
            }),
        ),
        (
            "swinging sphere",
            Box::new(move |at| {
                let shape = Shape::Ball(shapes::Ball {
                    centre: at,
                    radius: 0.008,
                    inside: false,
                });
                let motion = Motion::Harmonic {
                    amplitude: to(0.02, 0.01, 0.0),
                    frequency: 9.0,
                    phase: 0.4,
                };
                (shape, motion)
            }),
        ),
        (
            "turning mesh",
            Box::new(move |at| {
                let shape = Shape::Mesh(MeshShape {
                    corners: vec![
                        at + to(0.0, -0.03, -0.04),
                        at + to(0.0, 0.04, -0.02),
                        at + to(0.001, 0.0, 0.05),
                    ],
                    triangles: vec![[0, 1, 2]],
                    exactness: EXACT,
                });
                let motion = Motion::Rotation {
                    centre: at + to(0.0, 0.0, 0.005),
                    spin: to(0.0, 7.0, 2.0),
                };
                (shape, motion)
            }),
        ),
    ]
}

#[test]
fn images_of_walls_in_the_plane_are_met() {
    for (name, made) in planar_walls() {
        as_in_the_midst(name, &made, 0.0043, false);
    }
}

#[test]
fn images_of_walls_in_space_are_met() {
    for (name, made) in spatial_walls() {
        as_in_the_midst(name, &made, 0.0043, false);
    }
}

#[test]
fn images_of_walls_are_met_in_flight() {
    for (name, made) in planar_walls() {
        as_in_the_midst(name, &made, 0.0043, true);
    }
    for (name, made) in spatial_walls() {
        as_in_the_midst(name, &made, 0.0043, true);
    }
}

/// Inside of a round wall across the border a grain goes to and fro as in the midst of the box.
fn cavities<D: Integrate>(shape: impl Fn(D::Vector) -> Shape<D>) {
    let scene = |at: f64| {
        let mut setup: Setup<D> = empty(linear(2e4, 1e4, 0.0, 0.0, 0.3), 2e-5, 0.7);
        setup.space.periodic[0] = Some(PeriodicAxis {
            origin: ORIGIN,
            length: LENGTH,
        });
        wall(&mut setup, "cavity", shape(place::<D>(at, 0.0)));
        let x = place::<D>(in_box(at + 0.01), 0.007);
        add(&mut setup, RADIUS, 0.02, x, place::<D>(0.8, 0.3));
        let (system, _) = run(&setup);
        let links = system.summary().events.by_kind["insert-link"];
        assert!(links > 3, "{at}: {links} contacts");
        system.grains_at(setup.run.end_time)[0]
    };
    let midst = scene(MIDST);
    for at in [ORIGIN, ORIGIN + 0.03, ORIGIN + LENGTH - 0.02] {
        let off = (scene(at).velocity - midst.velocity).norm();
        // Each bounce makes roundings grow.
        assert!(off < 1e-6, "{at}: {off:e}");
    }
}

#[test]
fn cavities_lie_across_the_border() {
    fn ball<D: Dimension>(centre: D::Vector) -> Shape<D> {
        Shape::Ball(shapes::Ball {
            centre,
            radius: 0.06,
            inside: true,
        })
    }
    cavities::<Planar>(ball);
    cavities::<Spatial>(ball);
    cavities::<Spatial>(|at| {
        let half = place::<Spatial>(0.02, 0.04);
        Shape::Vessel(Vessel {
            from: at - half,
            to: at + half,
            radius: 0.05,
            lid_radius: 0.07,
        })
    });
}

/// A floor of teeth as long as the box: what falls on the tooth at the seam does what it does on any other.
#[test]
fn a_row_of_teeth_goes_on_over_the_seam() {
    const TEETH: usize = 4;
    let tooth = LENGTH / TEETH as f64;
    let scene = |number: usize| {
        let mut setup: Setup<Planar> = empty(linear(2e4, 1e4, 1.0, 1.0, 0.3), 2e-5, 0.5);
        setup.fields.gravity = place::<Planar>(0.0, -9.81);
        setup.space.periodic[0] = Some(PeriodicAxis {
            origin: ORIGIN,
            length: LENGTH,
        });
        let points = (0..=2 * TEETH).map(|k| {
            let up = if k % 2 == 0 { 0.0 } else { -0.01 };
            place::<Planar>(ORIGIN + 0.5 * k as f64 * tooth, up)
        });
        let shape = Shape::Polyline(shapes::Polyline {
            points: points.collect(),
            closed: false,
        });
        wall(&mut setup, "teeth", shape);
        let x = in_box(ORIGIN + number as f64 * tooth - 0.006);
        add(
            &mut setup,
            RADIUS,
            0.02,
            place::<Planar>(x, 0.02),
            place::<Planar>(0.13, 0.0),
        );
        end(&setup)[0]
    };
    let midst = scene(2);
    assert!(midst.spin.abs() > 0.1);
    for number in [0, 4] {
        let grain = scene(number);
        let off = (grain.velocity - midst.velocity).norm();
        assert!(
            off < 1e-6,
            "{number}: {:?} {:?}",
            grain.velocity,
            midst.velocity
        );
        let apart = grain.position[0] - midst.position[0] - (number as f64 - 2.0) * tooth;
        close(
            "place",
            apart - LENGTH * (apart / LENGTH).round(),
            0.0,
            1e-6,
        );
    }
}

/// The same of a mesh whose ridges run across: no grain is held twice at the seam.
#[test]
fn a_corrugated_mesh_goes_on_over_the_seam() {
    const TEETH: usize = 3;
    let tooth = LENGTH / TEETH as f64;
    let scene = |number: usize| {
        let mut setup: Setup<Spatial> = empty(linear(2e4, 1e4, 1.0, 1.0, 0.3), 2e-5, 0.4);
        setup.fields.gravity = place::<Spatial>(0.0, -9.81);
        setup.space.periodic[0] = Some(PeriodicAxis {
            origin: ORIGIN,
            length: LENGTH,
        });
        let mut corners = Vec::new();
        let mut triangles = Vec::new();
        for k in 0..=2 * TEETH as u32 {
            for y in [-0.1, 0.1] {
                let up = if k % 2 == 0 { 0.0 } else { -0.01 };
                let mut corner = place::<Spatial>(ORIGIN + 0.5 * f64::from(k) * tooth, up);
                corner[1] = y;
                corners.push(corner);
            }
            if k > 0 {
                let [a, b, c, d] = [2 * k - 2, 2 * k - 1, 2 * k, 2 * k + 1];
                triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
        let shape = Shape::Mesh(MeshShape {
            corners,
            triangles,
            exactness: EXACT,
        });
        wall(&mut setup, "teeth", shape);
        let x = in_box(ORIGIN + number as f64 * tooth - 0.006);
        let mut velocity = place::<Spatial>(0.11, 0.0);
        velocity[1] = 0.02;
        add(
            &mut setup,
            RADIUS,
            0.02,
            place::<Spatial>(x, 0.02),
            velocity,
        );
        end(&setup)[0]
    };
    let midst = scene(1);
    for number in [0, 3] {
        let off = (scene(number).velocity - midst.velocity).norm();
        assert!(off < 1e-6, "{number}: {off:e}");
    }
}

/// A thin floor as long as the box, or a tube through it, is the same all along: what rolls over the seam rolls on.
#[test]
fn a_wall_through_the_box_has_no_seam() {
    fn rolls<D: Integrate>(shape: Shape<D>, plane: Shape<D>) {
        let scene = |shape: Shape<D>| {
            let mut setup: Setup<D> = empty(linear(2e4, 1e4, 5.0, 2.0, 0.5), 2e-5, 1.0);
            setup.fields.gravity = place::<D>(0.0, -9.81);
            setup.space.periodic[0] = Some(PeriodicAxis {
                origin: ORIGIN,
                length: LENGTH,
            });
            wall(&mut setup, "floor", shape);
            let sag = 0.02 * 9.81 / 2e4;
            add(
                &mut setup,
                RADIUS,
                0.02,
                place::<D>(0.2, RADIUS - sag),
                place::<D>(0.7, 0.0),
            );
            run(&setup)
        };
        let ((a, _), (b, _)) = (scene(shape), scene(plane));
        let (a, b) = (a.grains_at(1.0)[0], b.grains_at(1.0)[0]);
        assert!((a.velocity - b.velocity).norm() < 1e-9, "{a:?} {b:?}");
        assert!((a.position - b.position).norm() < 1e-9, "{a:?} {b:?}");
    }
    let plane = Shape::<Planar>::Plane(shapes::Plane {
        point: place::<Planar>(0.0, 0.0),
        normal: place::<Planar>(0.0, 1.0),
    });
    let points = vec![
        place::<Planar>(ORIGIN, 0.0),
        place::<Planar>(ORIGIN + LENGTH, 0.0),
    ];
    rolls(
        Shape::Polyline(shapes::Polyline {
            points,
            closed: false,
        }),
        plane,
    );
    let tube = |low: f64, high: f64| {
        Shape::<Spatial>::Revolved(shapes::Revolved {
            origin: place::<Spatial>(0.0, 0.1),
            axis: place::<Spatial>(1.0, 0.0),
            profile: vec![[0.1, low], [0.1, high]],
        })
    };
    rolls(
        tube(ORIGIN, ORIGIN + LENGTH),
        tube(ORIGIN - 0.5, ORIGIN + LENGTH + 0.5),
    );
}

/// What has no images is refused, with the wall's name.
#[test]
fn walls_that_cannot_repeat_themselves_are_refused() {
    let scene = |shape: Shape<Planar>| {
        let mut setup = strike::<Planar>(&still(move |_| shape.clone()), MIDST, 1, 0.0);
        setup.motion.flight = false;
        System::new(setup).map(|_| ()).unwrap_err().to_string()
    };
    let long = Shape::<Planar>::Polyline(shapes::Polyline {
        points: vec![place::<Planar>(0.0, 0.0), place::<Planar>(1.6, 0.1)],
        closed: false,
    });
    let said = scene(long);
    assert!(
        said.contains("`wall`") && said.contains("periodic"),
        "{said}"
    );
    let slanted = Shape::<Planar>::Plane(shapes::Plane {
        point: place::<Planar>(0.0, -0.5),
        normal: place::<Planar>(0.1, 1.0),
    });
    let said = scene(slanted);
    assert!(
        said.contains("slanted") && said.contains("periodic"),
        "{said}"
    );
}
