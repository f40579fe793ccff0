//! The present state of links and gaps of grains at rest, and its change by a displacement: for
//! loads that are known in advance.

use super::coefficients::coefficients_after;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::ContactHistory;
use super::part::Part;
use super::state::Other;
use super::still::WallName;
use super::world::World;
use super::{bodies, candidates, facing, kinematics, part, still};
use crate::contact::LinkLaw;

/// A link whose ends are both at rest.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// First grain.
    pub a: u32,
    /// Normal force, N.
    pub normal: f64,
    /// Normal stiffness, N/m.
    pub kn: f64,
    /// Force of the tangential spring, N, in the engine's representation.
    pub pull: [f64; 3],
    /// Tangential stiffness, N/m.
    pub kt: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Whether the link slides.
    pub slides: bool,
}

/// A gap that could close.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// First grain, by the slot of the part closest to the second body.
    pub a: u32,
    /// Second body, likewise.
    pub b: Other,
    /// Surface of a boundary.
    pub surface: u32,
    /// Width of the gap, m.
    pub width: f64,
}

/// All links between grains at rest, and between these and walls.
pub fn courses<D: Integrate>(world: &World<D>) -> Vec<Course> {
    let still = &world.sleeping.still;
    let pairs = still.pairs.iter().map(|(class, kept)| {
        let [a, b] = world.contacts.pairs[class].materials;
        let kinematics = kinematics::pair_kinematics(world, kept.a, kept.b);
        (kept, world.physics.law(a, b), Some(kinematics), [a, b])
    });
    let walls = still.walls.iter().map(|(name, kept)| {
        let wall = world.walls.boundaries[usize::from(name.0)]
            .boundary
            .material;
        let kinematics = kinematics::surface_kinematics(world, name.0, name.1, kept.a);
        (
            kept,
            world.physics.law(name.3, wall),
            kinematics,
            [name.3, wall],
        )
    });
    type Known<'a, D> = (
        &'a ContactHistory,
        &'a LinkLaw,
        Option<Kinematics<D>>,
        [u16; 2],
    );
    let course = |(kept, law, kinematics, [a, b]): Known<'_, D>| {
        let mut course = Course {
            a: world.grains.owner(kept.a),
            normal: 0.0,
            kn: 0.0,
            pull: [0.0; 3],
            kt: 0.0,
            friction: 0.0,
            slides: kept.slip,
        };
        if let (Some(k), Some(pair)) = (kinematics, world.physics.laws.get(a, b)) {
            let c = coefficients_after(law, &k, kept.memory.slots[4]);
            course.normal = c.elastic;
            course.kn = pair.stiffness(k.overlap, k.radius).normal;
            course.kt = c.kt;
            course.pull = kept.spring.map(|s| c.kt * s);
            course.friction = c.friction;
        }
        course
    };
    pairs.chain(walls).map(course).collect()
}

/// In the order of [`courses`]: the separation of the bodies of each link by a displacement, m, and
/// the tangential strain of the link, m.
pub fn course_strains<D: Integrate>(world: &World<D>, part: &Part<D>) -> Vec<(f64, [f64; 3])> {
    let still = &world.sleeping.still;
    let of = |k: Kinematics<D>| (k.speed, k.sliding);
    let pairs = still.pairs.iter();
    let pairs = pairs.map(|(_, kept)| of(part::pair_strain(world, part, kept.a, kept.b)));
    let walls = still.walls.iter().map(|(name, kept)| {
        surface_strain(world, part, name.0, name.1, kept.a).map_or((0.0, [0.0; 3]), of)
    });
    pairs.chain(walls).collect()
}

fn surface_strain<D: Integrate>(
    world: &World<D>,
    part: &Part<D>,
    boundary: u16,
    surface: u32,
    slot: u32,
) -> Option<Kinematics<D>> {
    let motion = part::displaced(&world.shapes, &world.grains, part, slot);
    kinematics::surface_kinematics_of(world, boundary, surface, slot, motion, world.clock.time())
}

/// Gaps around grains at rest that are narrower than `within`, m.
pub fn gaps<D: Integrate>(world: &World<D>, within: f64) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let arrays = &world.grains.arrays;
    let standing: Vec<u32> = world
        .grains
        .standing()
        .into_iter()
        .flat_map(|slot| bodies::touching_of(&world.shapes, &world.grains, slot))
        .collect();
    for &a in &standing {
        let (x, r) = (arrays.position(a as usize), arrays.radius(a as usize));
        world.sleeping.cells.near(x, r + within, |b| {
            if b > a
                && world.grains.owner(a) != world.grains.owner(b)
                && !still::joined(&world.shapes, &world.grains, &world.sleeping, a, b)
            {
                let [a, b] = facing::faced(world, [a, b], false);
                let width = -kinematics::pair_kinematics(world, a, b).overlap;
                if width < within {
                    let b = Other::Slot(b);
                    gaps.push(Gap {
                        a,
                        b,
                        surface: 0,
                        width,
                    });
                }
            }
        });
    }
    // The cells give them in no particular order.
    gaps.sort_by_key(|gap| match gap.b {
        Other::Slot(b) => (gap.a, b),
        Other::Boundary(_) => (gap.a, 0),
    });
    let still_walls = world.sleeping.still.walls.iter();
    let name = |(n, k): &(WallName, ContactHistory)| {
        (
            bodies::candidate(&world.shapes, &world.grains, k.a),
            n.0,
            n.1,
        )
    };
    let mut known: Vec<(u32, u16, u32)> = still_walls.map(name).collect();
    known.sort_unstable();
    for &a in &standing {
        for boundary in (0..world.walls.boundaries.len()).filter(|&b| !world.walls.gone[b]) {
            for surface in candidates::surfaces_near(
                &world.clock,
                &world.walls,
                &world.grains,
                boundary,
                a,
                arrays.radius(a as usize) + within,
            ) {
                let (b, surface) = (boundary as u16, surface as u32);
                if known.binary_search(&(a, b, surface)).is_ok() {
                    continue;
                }
                let a = facing::facing_surface(world, (b, surface), a, world.clock.time());
                if let Some(k) = kinematics::surface_kinematics(world, b, surface, a)
                    && -k.overlap < within
                {
                    gaps.push(Gap {
                        a,
                        b: Other::Boundary(b),
                        surface,
                        width: -k.overlap,
                    });
                }
            }
        }
    }
    gaps
}

/// Widening of gaps by a displacement, m.
pub fn gap_strains<D: Integrate>(world: &World<D>, part: &Part<D>, gaps: &[Gap]) -> Vec<f64> {
    let of = |gap: &Gap| match gap.b {
        Other::Slot(b) => part::pair_strain(world, part, gap.a, b).speed,
        Other::Boundary(b) => {
            surface_strain(world, part, b, gap.surface, gap.a).map_or(0.0, |k| k.speed)
        }
    };
    gaps.iter().map(of).collect()
}
