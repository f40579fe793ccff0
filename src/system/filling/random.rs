//! Filling at random places, one grain after another.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::obstacles::Obstacles;
use super::{FillError, FillRequest};
use crate::body::Grain;
use crate::geometry::{Dimension, Vector};

/// Number of places tried for a grain. Random sequential filling saturates near 0.547 of the area of disks
/// and 0.382 of the volume of spheres (Feder 1980; Zhang and Torquato 2013); shortly below, most
/// grains still find a place within some thousands of tries.
const TRIES: usize = 20_000;

/// Places grains at random in the region, each where it overlaps nothing. Large grains are placed
/// first; numbers follow the order in which the radii were drawn.
pub fn random<D: Dimension>(
    request: &FillRequest<'_, D>,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Grain<D>>, FillError> {
    let (_, largest) = request.check()?;
    let mut obstacles = Obstacles::new(request, largest)?;
    let drawn: Vec<_> = (0..request.count).map(|_| request.what.draw(rng)).collect();
    let mut order: Vec<usize> = (0..request.count).collect();
    order.sort_by(|&a, &b| drawn[b].1.total_cmp(&drawn[a].1).then(a.cmp(&b)));
    let mut places = vec![D::Vector::default(); request.count];
    for (placed, &index) in order.iter().enumerate() {
        let r = drawn[index].1;
        let free = (0..TRIES)
            .map(|_| {
                D::Vector::from_fn(|k| {
                    let (lo, hi) = (request.min[k] + r, request.max[k] - r);
                    lo + (hi - lo) * rng.random::<f64>()
                })
            })
            .find(|&x| !obstacles.overlaps(x, r) && request.allows(x, r));
        let Some(x) = free else {
            return Err(FillError::NoRoom {
                placed,
                asked: request.count,
                advice: "enlarge the region, lower the count, or fill by lattice or roll-down, which pack closer",
            });
        };
        obstacles.add(x, r);
        places[index] = x;
    }
    Ok((0..request.count)
        .map(|i| request.grain(i, drawn[i], places[i]))
        .collect())
}
