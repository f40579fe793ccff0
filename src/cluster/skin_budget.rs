//! Displacement that each grain may make before candidates are filtered again: the faster the grain, the greater.
//!
//! A pair that is not in the inner lists cannot come into contact as long as neither grain has moved farther than its *skin_budget* since
//! these were filtered, if its gap exceeded the sum of both skin_budgets then. Most grains of a flow are slow and a few fall: with one
//! margin for all, the few determine the rate of filtering, and the many have more candidates than necessary. So the skin_budget of a
//! grain depends on its speed, and the criterion is the greatest fraction of a skin_budget that any grain may have used.

use serde::{Deserialize, Serialize};

use super::advance;
use super::border::Border;
use super::integrate::{Integrate, IntegratorName};
use super::state::Skin;
use super::world::{Clock, World};

/// Leeway of a grain at rest, over the greatest margin, since it is sometimes displaced.
const STILL: f64 = 0.25;
/// Least skin_budget over the greatest margin.
const LEAST: f64 = 1.0 / 64.0;
/// Determines for how many steps skin_budgets are made: the square root of this over the fraction of the greatest margin covered per step
/// at the usual speed. The cost of candidates that do not touch is proportional to this number, that of filtering to its inverse.
const STEPS: f64 = 7.5;
/// Fraction of the usual speed that is added to each grain's own speed.
const MORE: f64 = 0.1;

/// Leeway of each slot, and the fraction used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SkinBudgets {
    /// By slot, m; empty if all grains have the same margin.
    ways: Vec<f64>,
    /// By slot, inverse square of the skin_budget, 1/m^2.
    weights: Vec<f64>,
    /// Leeway of moving walls, m.
    wall: f64,
    /// Greatest speed of a wall at the end of the last step, m/s: it may have stopped within this one.
    wall_speed: f64,
    /// Greatest fraction that any grain may have used since the lists were filtered.
    share: f64,
    /// Greatest square of a speed over skin_budget in the last step, 1/s^2.
    pub(super) fastest: f64,
}

impl SkinBudgets {
    /// Whether a grain may have moved too far; none if all have the same margin.
    pub fn are_used_up(&self) -> Option<bool> {
        self.are_own().then_some(self.share > 1.0)
    }

    fn are_own(&self) -> bool {
        !self.ways.is_empty()
    }

    /// Greatest fraction that any grain may have used.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Restores a fraction.
    pub fn set_share(&mut self, share: f64) {
        self.share = share;
    }

    /// Sum of the skin_budgets of the slots of a pair, m.
    pub fn of_pair(&self, a: u32, b: u32) -> Option<f64> {
        Some(self.ways.get(a as usize)? + self.ways.get(b as usize)?)
    }

    /// Sum of the skin_budgets of a slot and a wall, m; that of a fixed wall is zero.
    pub fn at_wall(&self, slot: u32, fixed: bool) -> Option<f64> {
        let wall = if fixed { 0.0 } else { self.wall };
        Some(self.ways.get(slot as usize)? + wall)
    }

    /// Inverse squares of the skin_budgets of so many slots, 1/m^2; slots added since then have
    /// candidates only after the next renewal of the lists.
    pub fn weights(&mut self, slots: usize) -> &mut [f64] {
        if self.are_own() {
            self.weights.resize(slots, 0.0);
        }
        &mut self.weights
    }

    /// Fraction of its skin_budget that a displacement (m) of a slot uses.
    pub fn share_of(&self, slot: u32, way: f64) -> f64 {
        let weight = self.weights.get(slot as usize);
        way * weight.map_or(0.0, |weight| weight.sqrt())
    }

    /// Adds to the fraction used.
    pub fn add(&mut self, share: f64) {
        self.share += share;
    }

    /// Clears everything, since slots may be renumbered.
    pub fn clear(&mut self) {
        *self = SkinBudgets::default();
    }

    /// Whether these are valid skin_budgets for so many slots: slots added since the lists were built may have none.
    pub fn fit(&self, slots: usize) -> bool {
        let positive =
            |values: &[f64]| values.iter().all(|value| value.is_finite() && *value > 0.0);
        let (dealt, all) = (self.ways.len(), self.weights.len());
        let lengths = all <= slots && if dealt == 0 { all == 0 } else { dealt <= all };
        lengths
            && positive(&self.ways)
            && positive(&self.weights[..dealt])
            && (dealt == 0 || positive(&[self.wall]))
            && self.share >= 0.0
            && self.wall_speed >= 0.0
            && self.fastest >= 0.0
    }

    fn set(&mut self, slot: u32, way: f64) {
        self.ways[slot as usize] = way;
        self.weights[slot as usize] = 1.0 / (way * way);
    }
}

/// Assigns skin_budgets to stepped grains. All have the same margin if ranks share the system, grains have parts
/// that move farther than they do, the edges of the cell move, or forces are tried a step ahead (`heun`).
pub(super) fn deal_skin_budgets<D: Integrate>(world: &World<D>, skin: &mut Skin, border: &Border) {
    let same = !world.grains.bodies.list.is_empty()
        || world.cell.state.is_some()
        || border.shared
        || world.clock.integrator == IntegratorName::Heun;
    if same {
        skin.skin_budgets.clear();
        return;
    }
    let (step, full) = (world.clock.step, world.physics.options.inner_margin);
    let wall = advance::wall_speed(world);
    let (arrays, active, skin_budgets) = (
        &world.grains.arrays,
        &world.grains.active,
        &mut skin.skin_budgets,
    );
    let slots = arrays.slots();
    let still = STILL * full;
    skin_budgets.weights.truncate(skin_budgets.ways.len());
    skin_budgets.ways.resize(slots, still);
    skin_budgets.weights.resize(slots, 1.0 / (still * still));
    let square = |slot: u32| {
        let velocity = &arrays.rows[slot as usize].0[4..4 + D::N];
        velocity.iter().map(|v| v * v).sum::<f64>()
    };
    let sum: f64 = active.iter().map(|&slot| square(slot)).sum();
    let usual = (sum / active.len().max(1) as f64).sqrt();
    // If no grain moves, the least skin_budget counts.
    let usual = usual.max(1e-6 * full / step);
    let time = (STEPS * full * step / usual).sqrt();
    let skin_budget = |speed: f64| (time * (speed + MORE * usual)).max(LEAST * full);
    for &slot in active {
        skin_budgets.set(slot, skin_budget(square(slot).sqrt()));
    }
    (skin_budgets.wall, skin_budgets.wall_speed) = (skin_budget(wall), wall);
    skin_budgets.share = 0.0;
}

/// Accounts for a step, with the speed of walls, m/s.
pub(super) fn count_skin_budget(clock: &Clock, skin: &mut Skin, wall: f64) {
    let step = clock.step;
    let skin_budgets = &mut skin.skin_budgets;
    if skin_budgets.are_own() {
        let before = std::mem::replace(&mut skin_budgets.wall_speed, wall);
        let at_walls = wall.max(before) / skin_budgets.wall;
        skin_budgets.add(step * skin_budgets.fastest.sqrt().max(at_walls));
    }
}
