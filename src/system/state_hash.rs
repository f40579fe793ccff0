//! Hash of a state: equal hashes mean equal bits.

use std::hash::Hasher;

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

use crate::body::Grain;
use crate::geometry::{Dimension, Vector};

/// FNV-1a over the bytes of 64-bit words, the lowest first.
pub(super) struct StateHash(FnvHasher);

impl StateHash {
    pub fn new() -> Self {
        Self(FnvHasher::default())
    }

    pub fn word(&mut self, bits: u64) {
        self.0.write(&bits.to_le_bytes());
    }

    pub fn vector<V: Vector>(&mut self, vector: V) {
        vector.components().for_each(|x| self.word(x.to_bits()));
    }

    pub fn spin<D: Dimension>(&mut self, spin: D::Spin) {
        (0..D::SPINS).for_each(|k| self.word(D::spin_component(spin, k).to_bits()));
    }

    /// Adds number, position, velocity, rotation and spin of a grain.
    pub fn grain<D: Dimension>(&mut self, grain: &Grain<D>) {
        self.word(u64::from(grain.id));
        self.vector(grain.position);
        self.vector(grain.velocity);
        let (rotation, components) = D::rotation_components(grain.rotation);
        rotation[..components]
            .iter()
            .for_each(|x| self.word(x.to_bits()));
        self.spin::<D>(grain.spin);
    }

    /// Adds the hash of departed grains, if there are any.
    pub fn departures(&mut self, departures: Departures) {
        if departures != Departures::default() {
            self.word(departures.0);
        }
    }

    pub fn value(self) -> u64 {
        self.0.finish()
    }
}

/// Hash of departed grains, with time and motion: a sum of hashes, the same in whatever order, and on however many ranks, they left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Departures(u64);

impl Departures {
    /// Adds a grain that leaves, as it is at `time`, s.
    pub fn book<D: Dimension>(&mut self, grain: &Grain<D>, time: f64) {
        let mut hash = StateHash::new();
        hash.word(time.to_bits());
        hash.grain(grain);
        self.add(Self(hash.value()));
    }

    pub fn add(&mut self, others: Self) {
        self.0 = self.0.wrapping_add(others.0);
    }
}
