//! Calls the filling methods of the system; the only place in a scenario that does.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::body::{Formed, Grain, ShapeTemplate};
use crate::geometry::Dimension;
use crate::system::filling;

pub(super) use filling::FillRequest as Request;

/// A method of placing grains.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filling {
    Lattice { jitter: f64, speed: f64 },
    Random,
    RollDown,
}

/// Random streams of a run are separated by number: those of fills start here.
const FILL_STREAMS: u64 = 1 << 32;

/// Places the grains of the fill with this index in the scenario; each fill has its own stream
/// of random numbers, so that a change of one does not change another.
pub(super) fn fill<D: Dimension>(
    filling: Filling,
    request: &Request<'_, D>,
    seed: u64,
    index: usize,
) -> Result<Vec<Grain<D>>, filling::FillError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(FILL_STREAMS + index as u64);
    match filling {
        Filling::Lattice { jitter, speed } => filling::lattice(request, jitter, speed, &mut rng),
        Filling::Random => filling::random(request, &mut rng),
        Filling::RollDown => filling::roll_down(request, &mut rng),
    }
}

/// Orientations have separate streams, so that positions do not depend on shapes.
const TURN_STREAMS: u64 = 1 << 33;

/// Gives the grains of the fill with this index their form and uniformly distributed orientations.
pub(super) fn shape<D: Formed>(
    grains: &mut [Grain<D>],
    forms: &[ShapeTemplate<D>],
    density: impl Fn(u16) -> f64,
    seed: u64,
    fill: usize,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(TURN_STREAMS + fill as u64);
    for grain in grains {
        let Some(index) = grain.form else {
            continue;
        };
        grain.shape(index, &forms[usize::from(index)], density(grain.material));
        grain.rotation = D::any_rotation(std::array::from_fn(|_| rng.random::<f64>()));
    }
}
