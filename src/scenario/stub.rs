//! STAND-IN, to be dropped at the merge: the filling methods of `system::filling`. At the merge
//! delete this file and let `fill.rs` use `crate::system::filling`.

/// Stand-in for `system::filling`.
pub(super) mod filling {
    use crate::body::{Boundary, Grain};
    use crate::geometry::{Dimension, Vector};
    use crate::system::RadiusLaw;
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;

    #[allow(dead_code)]
    pub struct FillRequest<'a, D: Dimension> {
        pub boundaries: &'a [Boundary<D>],
        pub existing: &'a [Grain<D>],
        pub count: usize,
        pub radius: RadiusLaw,
        pub material: u16,
        pub density: f64,
        pub min: D::Vector,
        pub max: D::Vector,
        pub first_id: u32,
    }

    #[derive(Debug, thiserror::Error)]
    pub enum FillError {
        #[error("there is room for {room} grains only")]
        Full { room: usize },
    }

    pub fn lattice<D: Dimension>(
        request: &FillRequest<'_, D>,
        jitter: f64,
        speed: f64,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Grain<D>>, FillError> {
        let size: Vec<f64> = (0..D::N).map(|k| request.max[k] - request.min[k]).collect();
        let cells = |s: f64| -> Vec<usize> {
            size.iter()
                .map(|w| (w / s * (1.0 + 1e-9)) as usize)
                .collect()
        };
        let greatest = match request.radius {
            RadiusLaw::Equal(r) => r,
            RadiusLaw::Normal { mean, spread } => mean * (1.0 + 3.0 * spread),
            RadiusLaw::Uniform { max, .. } => max,
        };
        let room = |s: f64| cells(s).iter().product::<usize>();
        if room(2.0 * greatest) < request.count {
            return Err(FillError::Full {
                room: room(2.0 * greatest),
            });
        }
        let (mut low, mut high) = (
            2.0 * greatest,
            size.iter().fold(f64::INFINITY, |a, b| a.min(*b)),
        );
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if room(middle) >= request.count {
                low = middle;
            } else {
                high = middle;
            }
        }
        let step = low;
        let counts = cells(step);
        Ok((0..request.count)
            .map(|i| {
                let radius = match request.radius {
                    RadiusLaw::Equal(r) => r,
                    _ => 0.5 * greatest,
                };
                let slack = (0.5 * step - radius) * jitter * 0.999;
                let mut rest = i;
                let x = D::Vector::from_fn(|k| {
                    let here = if k + 1 < D::N { rest % counts[k] } else { rest };
                    rest /= counts[k].max(1);
                    let pitch = if k + 1 < D::N {
                        size[k] / counts[k] as f64
                    } else {
                        step
                    };
                    request.min[k]
                        + (here as f64 + 0.5) * pitch
                        + slack * rng.random_range(-1.0..=1.0)
                });
                let id = request.first_id + i as u32;
                let mut grain = Grain::new(id, request.material, radius, request.density, x);
                grain.velocity = D::Vector::from_fn(|_| speed * rng.random_range(-1.0..=1.0));
                grain
            })
            .collect())
    }

    pub fn random<D: Dimension>(
        request: &FillRequest<'_, D>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Grain<D>>, FillError> {
        lattice(request, 1.0, 0.0, rng)
    }

    pub fn roll_down<D: Dimension>(
        request: &FillRequest<'_, D>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Grain<D>>, FillError> {
        lattice(request, 0.0, 0.0, rng)
    }
}
