use super::spatial::laid_flat;
use super::{All, BandRows, Batch, Block, BodyRows, Flags, ForceRows, Memory, Timing};
use crate::cluster::dimension::ClusterDimension;
use crate::contact::{
    Cohesion, ContactLaw, ContactTerms, Hertz, Linear, LinearPerMass, LinkLaw, Resistance,
    ResistanceKind, ThorntonNing,
};
use crate::geometry::{Planar, Spatial};
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

const BODIES: usize = 12;
const FIRST: u32 = 100;

fn laws() -> Vec<LinkLaw> {
    let resistance = Resistance {
        friction: 0.2,
        kind: ResistanceKind::Constant(1e-3),
    };
    let slots = ContactTerms {
        cohesion: Some(Cohesion::Dmt(0.05)),
        rolling: Some(resistance),
        twisting: Some(resistance),
        ..ContactTerms::default()
    };
    let linear = Linear {
        normal_stiffness: 1e5,
        tangential_stiffness: 3e4,
        normal_damping: 20.0,
        tangential_damping: 10.0,
        friction: 0.4,
    };
    let per_mass = ContactLaw::from(LinearPerMass(linear));
    let hertz = ContactLaw::from(Hertz {
        young: 1e7,
        shear: 4e6,
        damping_ratio: 0.2,
        friction: 0.3,
    });
    let mut all = [linear.into(), per_mass, hertz]
        .map(LinkLaw::Plain)
        .to_vec();
    all.extend([per_mass, hertz].map(|law| LinkLaw::new(law, slots)));
    all.push(LinkLaw::Plain(ContactLaw::from(ThorntonNing {
        young: 1e7,
        shear: 4e6,
        yield_pressure: 1e5,
        damping_ratio: 0.2,
        friction: 0.3,
    })));
    assert_eq!(all.len(), 6);
    all
}

/// Bodies in a row from slot `FIRST` on that overlap with the next one, after the dummy and empty slots.
fn rows<D: ClusterDimension>() -> [Vec<Row>; 2] {
    let mut rows = vec![Row::default(); FIRST as usize + BODIES];
    let mut spins = rows.clone();
    for k in 0..BODIES {
        let (x, wobble) = (0.0199 * k as f64, (k as f64).sin());
        let slot = FIRST as usize + k;
        // The last column but the first: in the plane after the spin, in space after the third velocity.
        rows[slot] = if D::N == 2 {
            Row([
                x,
                1e-3 * wobble,
                0.0,
                0.01,
                0.01 * wobble,
                0.05,
                0.005 * wobble,
                5.0,
            ])
        } else {
            Row([
                x,
                1e-3 * wobble,
                5e-4,
                0.01,
                0.01 * wobble,
                0.05,
                wobble,
                5.0,
            ])
        };
        spins[slot] = Row([0.005 * wobble, 0.01, 0.03, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    [rows, spins]
}

/// Pairs of neighbours, by slot: one full batch except for an emptied lane, and one with three pairs.
fn batches() -> Vec<Batch> {
    let mut batches = vec![Batch::default(); 2];
    for k in 0..BODIES - 1 {
        let batch = &mut batches[k / LANES];
        batch.a[k % LANES] = FIRST + k as u32;
        batch.b[k % LANES] = FIRST + k as u32 + 1;
    }
    (batches[0].a[3], batches[0].b[3]) = (0, 0);
    batches
}

/// Links of one law, with their contact history.
struct Links<D: ClusterDimension> {
    law: LinkLaw,
    batches: Vec<Batch>,
    history: Vec<D::History>,
    stiffness: Vec<Row>,
    memory: Vec<Memory>,
    flags: Vec<Flags>,
}

impl<D: ClusterDimension> Links<D> {
    /// Adds the forces of a step, and the dampers' share.
    fn evaluate<F: ForceRows>(&mut self, [rows, spins]: [&[Row]; 2], [forces, dampers]: [F; 2]) {
        let timing = Timing {
            step: 1e-5,
            before: 0.5,
            after: 0.5,
            slip_tolerance: 1e-3,
            partial: true,
            centred: true,
            periodic: None,
            moving: None,
        };
        let block = Block {
            batches: &self.batches,
            history: &mut self.history,
            stiffness: &mut self.stiffness,
            memory: &mut self.memory,
            flags: &mut self.flags,
            changed: &mut Vec::new(),
            forces,
            dampers,
        };
        let [rows, spins] = [rows, spins].map(BodyRows::both);
        D::pair_forces(Level::best(), &self.law, rows, spins, block, timing, None);
    }
}

/// Forces and dampers' share of all slots, on the rows of a band or of all slots, and flags.
fn forces<D: ClusterDimension>(law: LinkLaw, band: bool) -> ([Vec<Row>; 2], Vec<Flags>) {
    let bodies = rows::<D>();
    let mut links: Links<D> = Links {
        law,
        batches: batches(),
        history: vec![D::History::default(); 2],
        stiffness: vec![Row::default(); 2],
        memory: vec![Memory::default(); 2],
        flags: vec![Flags::default(); 2],
    };
    let mut sums = [(); 2].map(|()| vec![Row::default(); bodies[0].len()]);
    for _ in 0..3 {
        if band {
            let onto = |rows| BandRows::both(FIRST, rows);
            let tables = sums.each_mut().map(|rows| &mut rows[FIRST as usize..]);
            let of_band = bodies.each_ref().map(|rows| &rows[FIRST as usize..]);
            links.evaluate(of_band, tables.map(onto));
        } else {
            let all = bodies.each_ref().map(|rows| &rows[..]);
            links.evaluate(all, sums.each_mut().map(|rows| All(rows)));
        }
    }
    (sums, links.flags)
}

/// Empty lanes touch nothing and add nothing: the last row of a band, which replaces the dummy
/// there, has the same bits as when the dummy has a row.
fn a_band_is_as_all<D: ClusterDimension>() {
    for law in laws() {
        let ([all, lost], flags) = forces::<D>(law, false);
        let (band, flags_in_band) = forces::<D>(law, true);
        assert_eq!(flags, flags_in_band, "{law:?}");
        assert_eq!(
            flags.iter().map(|of| of.touch).collect::<Vec<_>>(),
            [0xf7, 0x7]
        );
        assert_eq!(all[0], Row::default(), "{law:?}");
        assert!(all[FIRST as usize..].iter().all(|row| row.0[0].abs() > 0.0));
        let bits = |rows: &[Row]| -> Vec<u64> {
            rows.iter()
                .flat_map(|row| row.0)
                .map(f64::to_bits)
                .collect()
        };
        assert_eq!(bits(&all), bits(&band[0]), "{law:?}");
        assert_eq!(bits(&lost), bits(&band[1]), "{law:?}");
    }
}

#[test]
fn a_band_is_as_all_in_the_plane() {
    a_band_is_as_all::<Planar>();
}

#[test]
fn a_band_is_as_all_in_space() {
    a_band_is_as_all::<Spatial>();
}

#[test]
#[should_panic(expected = "outside the rows of its band")]
fn a_slot_outside_its_band_is_found() {
    let slots = [FIRST, FIRST + 1, 0, 0, FIRST - 1, 0, 0, 0];
    super::places(BODIES, FIRST, &slots);
}

struct Laid {
    springs: [Row; 3],
    normals: [Row; 3],
}

impl Kernel for Laid {
    type Output = [[f64; LANES]; 3];
    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let load = |rows: &[Row; 3]| [L::load(&rows[0]), L::load(&rows[1]), L::load(&rows[2])];
        laid_flat(load(&self.springs), load(&self.normals)).map(L::to_array)
    }
}

#[test]
fn springs_keep_their_length_and_do_not_know_their_neighbours() {
    // Angles by which the normal has turned towards the spring: none, below rounding, just above
    // it, small, next to the switch to the square root, and large.
    let angles = [0.0, 4e-9, 2e-8, 1e-4, 1.99e-3, 2.01e-3, 0.5, 1.5f64];
    let length = 3e-7;
    let column = |of: fn(f64) -> f64| Row(angles.map(of));
    let springs = [
        Row([0.6 * length; LANES]),
        Row([0.8 * length; LANES]),
        Row([0.0; LANES]),
    ];
    let normals = [
        column(|a| 0.6 * a.sin()),
        column(|a| 0.8 * a.sin()),
        column(f64::cos),
    ];
    let run = |level, springs| run(level, Laid { springs, normals });
    let all = run(Level::Plain, springs);
    for level in [Level::Avx2, Level::Avx512] {
        assert_eq!(all, run(level, springs), "{level:?}");
    }
    for lane in 0..LANES {
        let mut alone = [Row::default(); 3];
        for (row, spring) in alone.iter_mut().zip(&springs) {
            row.0[lane] = spring.0[lane];
        }
        let angle = angles[lane];
        let of = |columns: &[[f64; LANES]; 3]| [0, 1, 2].map(|k| columns[k][lane]);
        for level in [Level::Plain, Level::Avx2, Level::Avx512] {
            assert_eq!(of(&all), of(&run(level, alone)), "angle {angle}, {level:?}");
        }
        // The spring ends up below its former direction by the angle by which the normal turned towards it.
        let expected = [0.6 * angle.cos(), 0.8 * angle.cos(), -angle.sin()];
        for (found, expected) in of(&all).into_iter().zip(expected) {
            // A few rounding errors, which a spring nearly along the normal amplifies by 1 / cos(angle).
            let error = (found / length - expected).abs();
            assert!(error < 1e-15 / angle.cos(), "angle {angle}: {error:e}");
        }
    }
}
