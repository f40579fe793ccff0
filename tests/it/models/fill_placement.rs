//! Fillings: nothing overlaps, everything fits, and what was rolled down is supported.

use arenite::body::Grain;
use arenite::geometry::surface::Surface;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::system::filling::{FillError, FillRequest, lattice, random, roll_down};
use arenite::system::{Mixture, RadiusLaw};
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, Shape};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type V2 = Vector2<f64>;
type V3 = Vector3<f64>;

const POLY: RadiusLaw = RadiusLaw::Normal {
    mean: 0.01,
    spread: 0.05,
};

fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn wall<D: Dimension>(shape: Shape<D>) -> Boundary<D> {
    Boundary {
        name: "wall".into(),
        material: 0,
        shape,
        motion: Motion::Fixed,
        opens_at: None,
        passes_below_radius: 0.0,
        belt: Default::default(),
    }
}

fn chain(points: &[[f64; 2]]) -> Boundary<Planar> {
    wall(Shape::Polyline(shapes::Polyline {
        points: points.iter().map(|&[x, y]| V2::new(x, y)).collect(),
        closed: false,
    }))
}

/// The silo of thesis 4.7: 0.3 m wide, open at the top.
fn silo() -> Vec<Boundary<Planar>> {
    vec![chain(&[[0.0, 2.0], [0.0, 0.0], [0.3, 0.0], [0.3, 2.0]])]
}

/// A hopper with a gate over its orifice.
fn hopper() -> Vec<Boundary<Planar>> {
    vec![
        chain(&[[0.0, 2.0], [0.0, 0.2], [0.12, 0.0]]),
        chain(&[[0.3, 2.0], [0.3, 0.2], [0.18, 0.0]]),
        chain(&[[0.12, 0.0], [0.18, 0.0]]),
    ]
}

fn request<D: Dimension>(
    boundaries: &[Boundary<D>],
    count: usize,
    radius: RadiusLaw,
    min: D::Vector,
    max: D::Vector,
) -> FillRequest<'_, D> {
    FillRequest {
        boundaries,
        existing: &[],
        periodic: &[],
        inside: None,
        count,
        what: Mixture::one(3, 1190.0, radius),
        min,
        max,
        first_id: 7,
    }
}

/// Gaps of all pairs and walls below a bound, with the normals towards the first grain.
fn gaps<D: Dimension>(
    boundaries: &[Boundary<D>],
    grains: &[Grain<D>],
    bound: f64,
) -> Vec<Vec<(f64, D::Vector)>> {
    let surfaces: Vec<D::Surface> = boundaries
        .iter()
        .flat_map(|b| b.shape.surfaces().unwrap())
        .collect();
    let mut all = Vec::new();
    for (i, a) in grains.iter().enumerate() {
        let mut own = Vec::new();
        for (j, b) in grains.iter().enumerate() {
            let arm = a.position - b.position;
            let gap = arm.norm() - a.radius - b.radius;
            if i != j && gap < bound {
                own.push((gap, arm * (1.0 / arm.norm())));
            }
        }
        for probe in surfaces.iter().filter_map(|s| s.probe(a.position)) {
            if probe.distance - a.radius < bound {
                own.push((probe.distance - a.radius, probe.normal));
            }
        }
        all.push(own);
    }
    all
}

fn check<D: Dimension>(request: &FillRequest<'_, D>, grains: &[Grain<D>], overlap: f64) {
    assert_eq!(grains.len(), request.count);
    let all: Vec<Grain<D>> = request.existing.iter().chain(grains).copied().collect();
    for own in gaps(request.boundaries, &all, 0.0) {
        for (gap, _) in own {
            assert!(gap >= -overlap, "an overlap of {}", -gap);
        }
    }
    for (k, grain) in grains.iter().enumerate() {
        assert_eq!(grain.id, request.first_id + k as u32);
        assert_eq!(grain.material, 3);
        let mass = 1190.0 * D::ball_measure(grain.radius);
        assert_eq!(grain.mass, mass);
    }
}

fn check_region<D: Dimension>(request: &FillRequest<'_, D>, grains: &[Grain<D>]) {
    for grain in grains {
        for k in 0..D::N {
            assert!(grain.position[k] - grain.radius >= request.min[k] - 1e-15);
            assert!(grain.position[k] + grain.radius <= request.max[k] + 1e-15);
        }
    }
}

/// Each grain is held by walls and grains that came before it: straight up lies between two of
/// their normals.
fn check_held(boundaries: &[Boundary<Planar>], grains: &[Grain<Planar>]) {
    for k in 0..grains.len() {
        let own = gaps(boundaries, &grains[..=k], 1e-11).pop().unwrap();
        let between =
            |a: V2, b: V2| a.x <= 1e-7 && b.x >= -1e-7 && a.y * b.x.abs() + b.y * a.x.abs() > -1e-7;
        let level = own.iter().any(|(_, n)| n.x.abs() < 1e-6 && n.y > 0.0);
        let pair = own
            .iter()
            .any(|(_, a)| own.iter().any(|(_, b)| a != b && between(*a, *b)));
        assert!(
            level || pair,
            "grain {k} at {:?}: {own:?}",
            grains[k].position
        );
    }
}

proptest! {
    #![proptest_config(crate::same_cases(12))]

    #[test]
    fn lattice_in_a_hopper(seed in any::<u64>(), jitter in 0.0..=1.0, poly in any::<bool>()) {
        let walls = hopper();
        let law = if poly { POLY } else { RadiusLaw::Equal(0.01) };
        let request = request(&walls, 500, law, V2::new(0.0, 0.0), V2::new(0.3, 1.6));
        let grains = lattice(&request, jitter, 0.3, &mut seeded(seed)).unwrap();
        check(&request, &grains, 0.0);
        check_region(&request, &grains);
        prop_assert!(grains.iter().all(|g| g.velocity.x.abs() <= 0.3 && g.velocity.y.abs() <= 0.3));
        prop_assert_eq!(&grains, &lattice(&request, jitter, 0.3, &mut seeded(seed)).unwrap());
    }

    #[test]
    fn random_among_others(seed in any::<u64>()) {
        let walls = hopper();
        let law = RadiusLaw::Uniform { min: 0.004, max: 0.012 };
        let mut first = request(&walls, 100, law, V2::new(0.0, 0.0), V2::new(0.3, 0.6));
        let existing = random(&first, &mut seeded(seed)).unwrap();
        check(&first, &existing, 0.0);
        first.existing = &existing;
        first.first_id = 107;
        let more = random(&first, &mut seeded(seed ^ 1)).unwrap();
        check(&first, &more, 0.0);
        check_region(&first, &more);
    }

    #[test]
    fn rolled_down_in_a_silo(seed in any::<u64>(), poly in any::<bool>(), funnel in any::<bool>()) {
        let walls = if funnel { hopper() } else { silo() };
        let law = if poly { POLY } else { RadiusLaw::Equal(0.01) };
        let request = request(&walls, 200, law, V2::new(0.1, 0.0), V2::new(0.2, 1.0));
        let grains = roll_down(&request, &mut seeded(seed)).unwrap();
        check(&request, &grains, 1e-11);
        check_held(&walls, &grains);
        prop_assert_eq!(&grains, &roll_down(&request, &mut seeded(seed)).unwrap());
    }

    /// In space: no free level direction for a grain that touches three bodies.
    #[test]
    fn rolled_down_in_a_box_and_a_cone(seed in any::<u64>(), cone in any::<bool>()) {
        let shape = if cone {
            Shape::Revolved(shapes::Revolved {
                origin: V3::new(0.1, 0.1, 0.0),
                axis: V3::z(),
                profile: vec![[0.0, 0.0], [0.03, 0.0], [0.12, 0.15], [0.12, 1.0]],
            })
        } else {
            Shape::Box(shapes::Cuboid { min: V3::zeros(), max: V3::new(0.2, 0.2, 1.0), inside: true })
        };
        let walls = vec![wall(shape)];
        let min = V3::new(0.03, 0.03, 0.0);
        let request = request::<Spatial>(&walls, 150, POLY, min, V3::new(0.17, 0.17, 1.0));
        let grains = roll_down(&request, &mut seeded(seed)).unwrap();
        check(&request, &grains, 1e-11);
        // No way leads down: of 2000 directions spread over the sphere, each that falls by more
        // than 0.02 is stopped by a wall or a grain that came before.
        let ways: Vec<V3> = (0..2000)
            .map(|i| {
                let z = (f64::from(i) + 0.5) / 1000.0 - 1.0;
                let angle = f64::from(i) * std::f64::consts::TAU * 0.618_033_988_75;
                let across = (1.0 - z * z).sqrt();
                V3::new(across * angle.cos(), across * angle.sin(), z)
            })
            .filter(|way| way.z < -0.02)
            .collect();
        for k in 0..grains.len() {
            let own = gaps(&walls, &grains[..=k], 1e-11).pop().unwrap();
            let free = ways.iter().find(|way| own.iter().all(|(_, n)| Vector::dot(n, way) > 0.0));
            prop_assert!(free.is_none(), "grain {k} may go along {free:?}: {own:?}");
        }
    }
}

/// The rows of the comparison with other codes: 12 columns of 25 mm in a silo 0.3 m wide.
#[test]
fn lattice_rows_run_from_below() {
    let request = request::<Planar>(&[], 500, POLY, V2::new(0.0, 0.2205), V2::new(0.3, 1.5));
    let grains = lattice(&request, 0.0, 0.0, &mut seeded(1)).unwrap();
    for (i, grain) in grains.iter().enumerate() {
        let wanted = V2::new(
            ((i % 12) as f64 + 0.5) * 0.025,
            0.2205 + ((i / 12) as f64 + 0.5) * 0.025,
        );
        assert!((grain.position - wanted).norm() < 1e-14);
        assert_eq!(grain.velocity, V2::zeros());
    }
}

#[test]
fn lattice_packs_closer_when_it_must() {
    let equal = RadiusLaw::Equal(0.01);
    let count = 10 * 10 * 10;
    let max = V3::new(0.2001, 0.2001, 0.2011);
    let request = request::<Spatial>(&[], count, equal, V3::zeros(), max);
    let grains = lattice(&request, 1.0, 0.1, &mut seeded(3)).unwrap();
    check(&request, &grains, 0.0);
    check_region(&request, &grains);
}

/// A disk on a flat floor is level; on the top of another it is not, and rolls off.
#[test]
fn a_single_grain_rests_on_the_floor_or_rolls_off() {
    let walls = silo();
    let mut on_floor = request(
        &walls,
        1,
        RadiusLaw::Equal(0.01),
        V2::new(0.14, 0.0),
        V2::new(0.16, 0.5),
    );
    let grains = roll_down(&on_floor, &mut seeded(1)).unwrap();
    assert!((grains[0].position - V2::new(0.15, 0.01)).norm() < 2e-10);
    on_floor.existing = &grains;
    let next = roll_down(&on_floor, &mut seeded(2)).unwrap();
    assert!((next[0].position.y - 0.01).abs() < 1e-11);
    // It leaves the other at the equator, off by the step of a tenth radius: 0.1^2 / 4 radii.
    let beyond = (next[0].position.x - 0.15).abs() - 0.02;
    assert!((-1e-11..0.0026 * 0.01).contains(&beyond), "{beyond}");
}

/// On a hollow floor a grain comes to rest at the bottom although it has one contact.
#[test]
fn a_bowl_collects() {
    let bowl = [wall(Shape::Ball(shapes::Ball {
        centre: V3::new(0.0, 0.0, 0.5),
        radius: 0.5,
        inside: true,
    }))];
    let request = request::<Spatial>(
        &bowl,
        1,
        RadiusLaw::Equal(0.01),
        V3::new(-0.1, -0.1, 0.0),
        V3::new(0.1, 0.1, 0.5),
    );
    let grains = roll_down(&request, &mut seeded(1)).unwrap();
    // The bottom is flat to second order: 1e-6 of a radius in height is 1e-3 aside.
    assert!((grains[0].position - V3::new(0.0, 0.0, 0.01)).norm() < 1e-3);
    assert!((grains[0].position.z - 0.01).abs() < 1e-7);
}

#[test]
fn failures_say_how_many_and_what_to_do() {
    let walls = silo();
    let equal = RadiusLaw::Equal(0.01);
    let small = request(&walls, 500, equal.clone(), V2::zeros(), V2::new(0.3, 0.3));
    let message = |e: FillError| e.to_string();
    assert_eq!(
        message(lattice(&small, 0.5, 0.0, &mut seeded(1)).unwrap_err()),
        "only 196 of 500 grains found room; enlarge the region (above all upwards) or lower the count"
    );
    let full = message(random(&small, &mut seeded(1)).unwrap_err());
    assert!(full.contains("of 500 grains found room; enlarge the region, lower the count, or"));
    let full = message(roll_down(&small, &mut seeded(1)).unwrap_err());
    assert!(
        full.ends_with("of 500 grains found room; raise the top of the region or lower the count")
    );
    let bottomless = request::<Planar>(&[], 3, equal.clone(), V2::zeros(), V2::new(0.3, 0.3));
    assert_eq!(
        message(roll_down(&bottomless, &mut seeded(1)).unwrap_err()),
        "grain 1 of 3 fell out of the region; put walls below and beside the region, or a smaller region over the vessel"
    );
    let narrow = request(&walls, 5, equal, V2::zeros(), V2::new(0.01, 0.3));
    assert_eq!(
        message(random(&narrow, &mut seeded(1)).unwrap_err()),
        "the region is 0.01 m wide along coordinate 1; the largest grain needs 0.02 m; enlarge the region or choose smaller radii"
    );
    let wide = RadiusLaw::Normal {
        mean: 0.01,
        spread: 0.4,
    };
    let wrong = request(&walls, 5, wide, V2::zeros(), V2::new(0.3, 0.3));
    assert!(message(random(&wrong, &mut seeded(1)).unwrap_err()).contains("they run from -0.0"));
}

/// Mean and spread of drawn radii within four standard errors of 100,000 draws; cut at three
/// spreads the spread is 0.9866 of the whole one.
#[test]
fn radii_follow_their_law() {
    let mut rng = seeded(5);
    let n = 100_000;
    let radii: Vec<f64> = (0..n).map(|_| POLY.draw(&mut rng)).collect();
    let mean = radii.iter().sum::<f64>() / f64::from(n);
    let variance = radii.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / f64::from(n);
    let spread = 0.9866 * 0.05 * 0.01;
    assert!((mean - 0.01).abs() < 4.0 * spread / f64::from(n).sqrt());
    assert!((variance.sqrt() / spread - 1.0).abs() < 4.0 / (2.0 * f64::from(n)).sqrt());
    assert!(radii.iter().all(|r| (0.0085..=0.0115).contains(r)));
    let uniform = RadiusLaw::Uniform { min: 0.5, max: 1.5 };
    let drawn: Vec<f64> = (0..n).map(|_| uniform.draw(&mut rng)).collect();
    assert!(drawn.iter().all(|r| (0.5..1.5).contains(r)));
    let mean = drawn.iter().sum::<f64>() / f64::from(n);
    assert!((mean - 1.0).abs() < 4.0 / (12.0 * f64::from(n)).sqrt());
}

/// Two planes across each coordinate; or turned by so little that no place changes by a bit, but that they are not across it
/// any more.
fn around<D: Dimension>(slant: f64) -> Vec<Boundary<D>> {
    let along = |k: usize, sign: f64| D::Vector::from_fn(|j| if j == k { sign } else { slant });
    let at = |x: f64| D::Vector::from_fn(|_| x);
    let sides = (0..D::N).flat_map(|k| [(k, 1.0, -0.1), (k, -1.0, 0.13)]);
    let plane = |(k, sign, x)| {
        wall(Shape::Plane(shapes::Plane {
            point: at(x),
            normal: along(k, sign),
        }))
    };
    sides.map(plane).collect()
}

/// A lattice that reaches `far` to all sides, from an odd word of a stream on; and the number that comes next there.
fn reaching<D: Dimension>(
    walls: &[Boundary<D>],
    far: f64,
    count: usize,
) -> Result<(Vec<Grain<D>>, u64), FillError> {
    let mut rng = seeded(3);
    rng.set_word_pos(7);
    let what = RadiusLaw::Uniform {
        min: 0.008,
        max: 0.012,
    };
    let request = FillRequest {
        boundaries: walls,
        existing: &[],
        periodic: &[],
        inside: None,
        count,
        what: Mixture::one(0, 1000.0, what),
        min: D::Vector::from_fn(|_| -far),
        max: D::Vector::from_fn(|_| far),
        first_id: 0,
    };
    let found = lattice(&request, 0.7, 0.3, &mut rng)?;
    Ok((found, rng.random()))
}

#[test]
fn cells_behind_walls_are_passed_over_with_what_they_would_draw() {
    fn same<D: Dimension>(far: f64, count: usize) {
        let [quick, slow] = [0.0, 1e-200].map(|slant| reaching(&around::<D>(slant), far, count));
        assert!(quick.is_ok() && quick == slow);
    }
    same::<Planar>(1.0, 40);
    same::<Spatial>(0.4, 200);
}

/// A box of a few hundred cells in the middle of 1e8: to look at all of them takes a minute.
#[test]
fn a_region_far_larger_than_its_vessel_is_no_work() {
    let vessel = [wall(Shape::<Planar>::Box(shapes::Cuboid {
        min: V2::new(-0.2, -0.2),
        max: V2::new(0.2, 0.2),
        inside: true,
    }))];
    let began = std::time::Instant::now();
    let (grains, _) = reaching(&vessel, 120.0, 100).unwrap();
    assert_eq!(grains.len(), 100);
    assert!(began.elapsed().as_secs() < 10);
}
