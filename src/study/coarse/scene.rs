//! Input of the fields: grains and contacts at one time as plain data, and their conversion from a snapshot.

use super::places::Lattice;
use crate::record::read::{Columns, Snapshot};
use crate::record::{BodyRef, GrainRow, RunMeta};
use crate::study::StudyError;
use crate::study::error::check;

/// A grain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Particle {
    /// Centre of mass, m; in the plane the third component is 0.
    pub position: [f64; 3],
    /// Velocity, m/s.
    pub velocity: [f64; 3],
    /// Mass, kg.
    pub mass: f64,
    /// Volume, m^3; in the plane area, m^2.
    pub volume: f64,
}

/// A contact of two grains, or of a grain with another body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Position of the contact point, m.
    pub point: [f64; 3],
    /// From there to the centre of the first grain, m.
    pub first: [f64; 3],
    /// From there to the centre of the second grain; none for a wall.
    pub second: Option<[f64; 3]>,
    /// Force on the first grain, N.
    pub force: [f64; 3],
    /// Whether the contact slides.
    pub sliding: bool,
}

/// Grains and contacts at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Grains.
    pub particles: Vec<Particle>,
    /// Contacts, each once.
    pub contacts: Vec<Contact>,
    /// Periodic directions.
    pub lattice: Lattice,
}

impl Scene {
    pub(super) fn checked(&self) -> Result<(), StudyError> {
        self.lattice.checked()?;
        let number = |what, value: f64| check(what, value, "a finite number", |_| true);
        for p in &self.particles {
            for value in p.position.iter().chain(&p.velocity) {
                number("place or velocity of a grain", *value)?;
            }
            check("mass of a grain", p.mass, "at least 0", |m| m >= 0.0)?;
        }
        for c in &self.contacts {
            let ways = c.point.iter().chain(&c.first).chain(&c.force);
            for value in ways.chain(c.second.iter().flatten()) {
                number("place or force of a contact", *value)?;
            }
        }
        Ok(())
    }
}

/// Returns the volume of a grain, in the plane its area; NaN for a shape whose folder lacks it.
fn volume(meta: &RunMeta, grain: &GrainRow) -> f64 {
    let pi = std::f64::consts::PI;
    let r = grain.radius;
    let (power, round) = match meta.dimensions {
        2 => (r * r, pi),
        _ => (r * r * r, 4.0 / 3.0 * pi),
    };
    let shape = grain.shape.map(|k| meta.shapes.get(usize::from(k)));
    match shape {
        None => round * power,
        Some(shape) => shape.and_then(|s| s.measure).unwrap_or(f64::NAN) * power,
    }
}

/// Converts a snapshot. A link whose other end is not in the snapshot counts as a link with a wall.
pub fn scene(snapshot: &Snapshot, meta: &RunMeta, lattice: Lattice) -> Scene {
    let particle = |g: &GrainRow| Particle {
        position: g.position,
        velocity: g.velocity,
        mass: g.mass,
        volume: volume(meta, g),
    };
    let mut places: Vec<(u32, [f64; 3])> = snapshot
        .grains
        .iter()
        .map(|g| (g.grain, g.position))
        .collect();
    places.sort_unstable_by_key(|g| g.0);
    let place = |body: BodyRef| {
        let BodyRef::Grain(id) = body else {
            return None;
        };
        let found = places.binary_search_by_key(&id, |g| g.0).ok()?;
        Some(places[found].1)
    };
    let contact = |link: &crate::record::LinkRow| {
        if !link.normal_force.is_finite() {
            return None;
        }
        let way =
            |centre: [f64; 3]| lattice.nearest(std::array::from_fn(|k| centre[k] - link.point[k]));
        // The normal points from a to b; the tangential force of a row is that on a.
        let force: [f64; 3] =
            std::array::from_fn(|k| link.tangential_force[k] - link.normal_force * link.normal[k]);
        let (first, second) = (place(link.body_a), place(link.body_b));
        let (first, second, force) = match (first, second) {
            (Some(a), b) => (a, b, force),
            (None, Some(b)) => (b, None, force.map(|f| -f)),
            (None, None) => return None,
        };
        Some(Contact {
            point: link.point,
            first: way(first),
            second: second.map(way),
            force,
            sliding: link.slipping,
        })
    };
    Scene {
        particles: snapshot.grains.iter().map(particle).collect(),
        contacts: snapshot.links.iter().filter_map(contact).collect(),
        lattice,
    }
}

/// Returns the periodic directions of a run at given times (s); none for a time at which the series of a moving box
/// has no tick.
pub fn lattices(meta: &RunMeta, series: &Columns, times: &[f64]) -> Vec<Option<Lattice>> {
    if !meta.cell {
        let lengths = meta.periodic.map(|axis| axis.map(|[_, length]| length));
        let lattice = Lattice {
            lengths,
            ..Lattice::default()
        };
        return vec![Some(lattice); times.len()];
    }
    let axes = ["x", "y", "z"];
    let column = |name: &str| series.floats(name).ok();
    let lengths: Vec<Option<&[f64]>> = (0..meta.dimensions)
        .map(|k| column(&format!("cell_length_{}", axes[k])))
        .collect();
    let (ticks, offset, shear) = (column("time"), column("cell_offset"), column("cell_shear"));
    let at = |time: f64| {
        let (ticks, offset, shear) = (ticks?, offset?, shear?);
        let slack = 1e-9 * (1.0 + time.abs());
        let k = ticks.partition_point(|t| *t < time - slack);
        if (*ticks.get(k)? - time).abs() > slack {
            return None;
        }
        // Rates over the ticks on both sides, if there are two.
        let (before, after) = (k.saturating_sub(1), (k + 1).min(ticks.len() - 1));
        let lasted = ticks[after] - ticks[before];
        let rate = |values: &[f64]| match lasted > 0.0 {
            true => (values[after] - values[before]) / lasted,
            false => 0.0,
        };
        let mut lattice = Lattice {
            offset: offset[k],
            ..Lattice::default()
        };
        for (axis, values) in lengths.iter().enumerate() {
            let values = (*values)?;
            lattice.lengths[axis] = Some(values[k]);
            lattice.rates[axis] = rate(values);
        }
        lattice.offset_rate = rate(shear) * lattice.lengths[1]?;
        Some(lattice)
    };
    times.iter().map(|time| at(*time)).collect()
}
