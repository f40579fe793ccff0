//! Colours of grains: dyed layers by initial height, or regimes.

use std::collections::BTreeMap;

use super::picture::Colour;
use crate::event::Regime;

/// Colours of the layers, from the bottom up, repeated: neighbours also differ in lightness, so that they are
/// distinct in grey and for colour-blind readers.
pub(super) const LAYERS: [Colour; 4] = [
    Colour::new(0x2f6f8f),
    Colour::new(0xeac67a),
    Colour::new(0xc8603e),
    Colour::new(0xf1e6cf),
];

/// Returns the colour of a regime.
pub(super) const fn of_regime(regime: Regime) -> Colour {
    match regime {
        Regime::Flight => Colour::new(0x4ba3c7),
        Regime::Cluster => Colour::new(0xe3a73f),
        Regime::Rest => Colour::new(0xd9d2c3),
        Regime::Rigid => Colour::new(0x6b705c),
    }
}

/// Layers of grains by their height at a reference time.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    heights: BTreeMap<u32, f64>,
    bottom: f64,
    thickness: f64,
    /// Number of grains per layer, to colour grains added later by their number.
    share: u32,
}

impl Layers {
    /// Makes four to ten layers, each about five grains thick.
    pub(super) fn new(heights: impl IntoIterator<Item = (u32, f64, f64)>) -> Layers {
        let mut layers = Layers::default();
        let (mut top, mut radii) = (f64::NEG_INFINITY, 0.0);
        layers.bottom = f64::INFINITY;
        for (grain, height, radius) in heights {
            layers.heights.insert(grain, height);
            layers.bottom = layers.bottom.min(height);
            top = top.max(height);
            radii += radius;
        }
        let count = layers.heights.len();
        let diameter = 2.0 * radii / (count.max(1) as f64);
        let number = ((top - layers.bottom) / (5.0 * diameter))
            .round()
            .clamp(4.0, 10.0);
        layers.thickness = (top - layers.bottom) / number;
        layers.share = ((count as f64 / number) as u32).max(20);
        layers
    }

    /// Returns the colour of a grain.
    pub(super) fn colour(&self, grain: u32) -> Colour {
        LAYERS[usize::from(self.place(grain))]
    }

    /// Returns the index of a grain's colour among those of the layers.
    pub(super) fn place(&self, grain: u32) -> u8 {
        let layer = match self.heights.get(&grain) {
            Some(height) if self.thickness > 0.0 => {
                // The topmost grain belongs to the layer below its height.
                let layer = ((height - self.bottom) / self.thickness - 1e-9).max(0.0);
                layer as usize
            }
            Some(_) => 0,
            None => (grain / self.share.max(1)) as usize,
        };
        (layer % LAYERS.len()) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_follow_height() {
        let column = (0..100u32).map(|k| (k, f64::from(k) * 0.02, 0.01));
        let layers = Layers::new(column);
        let colours: Vec<Colour> = (0..100).map(|k| layers.colour(k)).collect();
        let changes = colours.windows(2).filter(|w| w[0] != w[1]).count();
        assert_eq!(changes, 9);
        assert_eq!(layers.colour(0), LAYERS[0]);
        // A single grain has a layer too, and grains added later have a colour.
        let alone = Layers::new([(3, 1.0, 0.1)]);
        assert_eq!(alone.colour(3), LAYERS[0]);
        assert_eq!(alone.colour(25), LAYERS[1]);
    }
}
