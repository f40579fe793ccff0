//! Spectrum of impacts: collisions sorted by their energy.
//!
//! The energy of an impact is the kinetic energy of approach along the normal, m v_n^2 / 2 with the
//! effective mass of the pair: the greatest loss without friction (thesis eqs. 3.16, 3.17 with a
//! restitution of 0). Each factor of two is divided into four classes of equal width, which follow from the
//! bits of the number without a logarithm.

use serde::{Deserialize, Serialize};

use crate::record::{BodyRef, ImpactRow};

/// Number of classes per octave.
const PARTS: u64 = 4;
/// Number of bits of the fraction of a double below those that determine the class.
const BELOW: u32 = 52 - PARTS.trailing_zeros();

/// Collisions of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Class {
    count: u64,
    /// Energy of the impacts, J.
    energy: f64,
    /// Energy lost in them, J.
    lost: f64,
}

/// Collisions with one partner, by their energy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Classes {
    /// Number of the first class.
    first: u64,
    classes: Vec<Class>,
}

/// Spectrum of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Spectrum {
    /// Collisions of pairs of grains.
    grains: Classes,
    /// Collisions with each boundary.
    walls: Vec<Classes>,
}

/// Returns the class of an energy above 0, J.
fn class(energy: f64) -> u64 {
    energy.to_bits() >> BELOW
}

/// Returns the energy at which a class begins, J.
fn start(class: u64) -> f64 {
    f64::from_bits(class << BELOW)
}

impl Classes {
    fn add(&mut self, energy: f64, lost: f64) {
        let class = class(energy);
        if self.classes.is_empty() {
            self.first = class;
        } else if class < self.first {
            let more = (self.first - class) as usize;
            self.classes
                .splice(0..0, std::iter::repeat_n(Class::default(), more));
            self.first = class;
        }
        let index = (class - self.first) as usize;
        if index >= self.classes.len() {
            self.classes.resize(index + 1, Class::default());
        }
        let here = &mut self.classes[index];
        here.count += 1;
        here.energy += energy;
        here.lost += lost;
    }

    fn rows(&self, with: BodyRef) -> impl Iterator<Item = ImpactRow> + '_ {
        (self.first..)
            .zip(&self.classes)
            .filter(|(_, class)| class.count > 0)
            .map(move |(number, class)| ImpactRow {
                with,
                from: start(number),
                to: start(number + 1),
                count: class.count,
                energy: class.energy,
                lost: class.lost,
            })
    }
}

impl Spectrum {
    /// Creates an empty spectrum for so many boundaries.
    pub fn new(boundaries: usize) -> Self {
        Spectrum {
            grains: Classes::default(),
            walls: vec![Classes::default(); boundaries],
        }
    }
    /// Adds a collision with a boundary, or of a pair of grains (`None`); J.
    pub fn add(&mut self, wall: Option<usize>, energy: f64, lost: f64) {
        match wall {
            None => self.grains.add(energy, lost),
            Some(wall) => self.walls[wall].add(energy, lost),
        }
    }
    /// Iterates over all classes that hold a collision: pairs of grains, then each boundary.
    pub fn rows(&self) -> impl Iterator<Item = ImpactRow> + '_ {
        let walls = self.walls.iter().enumerate();
        self.grains
            .rows(BodyRef::None)
            .chain(walls.flat_map(|(k, classes)| classes.rows(BodyRef::Boundary(k as u16))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every energy lies in its class, classes join without gaps, and sums are kept.
    #[test]
    fn energies_lie_in_their_classes() {
        let energies = [3e-7, 1.0, 1.249, 1.25, 1.999, 2.0, 5e-12, f64::MIN_POSITIVE];
        let mut spectrum = Spectrum::new(2);
        for energy in energies {
            let number = class(energy);
            assert!(start(number) <= energy && energy < start(number + 1));
            assert!(start(number + 1) <= 1.2501 * start(number));
            spectrum.add(None, energy, 0.5 * energy);
            spectrum.add(Some(1), energy, 0.0);
        }
        let rows: Vec<ImpactRow> = spectrum.rows().collect();
        let grains: Vec<&ImpactRow> = rows.iter().filter(|r| r.with == BodyRef::None).collect();
        assert_eq!(grains.len(), 7, "1 and 1.249 share a class");
        assert_eq!(rows.len(), 14);
        assert!(grains.windows(2).all(|pair| pair[0].to <= pair[1].from));
        assert_eq!(rows.iter().map(|r| r.count).sum::<u64>(), 16);
        let sum: f64 = grains.iter().map(|r| r.energy).sum();
        assert!((sum - energies.iter().sum::<f64>()).abs() < 1e-12);
        let lost: f64 = rows.iter().map(|r| r.lost).sum();
        assert!((lost - 0.5 * sum).abs() < 1e-12);
        assert_eq!(rows[13].with, BodyRef::Boundary(1));
    }
}
