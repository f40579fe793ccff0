//! How far each grain may go before candidates are filtered anew: the faster it is, the farther.
//!
//! A pair that is not in the inner lists cannot come into touch as long as neither of both has gone farther than its *leeway* since these were
//! filtered, if its gap was over the sum of both leeways then. Most grains of a flow are slow and a few fall: with one margin for all the few
//! decide how often to filter, and the many have more candidates than they need. So a grain's leeway goes with its speed, and what is
//! minded is the greatest share of a leeway that anybody may have used up.

use serde::{Deserialize, Serialize};

use super::advance;
use super::border::Border;
use super::integrate::{Integrate, IntegratorName};
use super::state::Skin;
use super::world::{Clock, World};

/// Leeway of who stands still, over the greatest margin: it is displaced now and then.
const STILL: f64 = 0.25;
/// The least leeway over the greatest margin.
const LEAST: f64 = 1.0 / 64.0;
/// Leeways are meant for the root of this over the share of the greatest margin that is gone in a step at the usual speed, in steps: what
/// candidates cost that do not touch goes with that, what filtering costs with its inverse.
const STEPS: f64 = 7.5;
/// Everybody has leeway for this share of the usual speed more than the own one.
const MORE: f64 = 0.1;

/// What each slot may go, and what of it has been used up.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Leeways {
    /// By slot, m; nothing where all have the same margin.
    ways: Vec<f64>,
    /// By slot, one over the square of the leeway, 1/m^2.
    weights: Vec<f64>,
    /// Leeway of walls that move, m.
    wall: f64,
    /// The greatest speed of a wall at the end of the last step, m/s: it may have stopped within this one.
    wall_speed: f64,
    /// The greatest share that anybody may have used up since the lists were filtered.
    share: f64,
    /// The greatest square of a speed over leeway in the last step, 1/s^2.
    pub(super) fastest: f64,
}

impl Leeways {
    /// Whether somebody may have gone too far; none where all have the same margin.
    pub fn are_used_up(&self) -> Option<bool> {
        self.are_own().then_some(self.share > 1.0)
    }

    fn are_own(&self) -> bool {
        !self.ways.is_empty()
    }

    /// The greatest share that anybody may have used up.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Takes a share back.
    pub fn set_share(&mut self, share: f64) {
        self.share = share;
    }

    /// Of both slots of a pair together, m.
    pub fn of_pair(&self, a: u32, b: u32) -> Option<f64> {
        Some(self.ways.get(a as usize)? + self.ways.get(b as usize)?)
    }

    /// Of a slot and a wall together, m; that of a wall that does not move is nothing.
    pub fn at_wall(&self, slot: u32, fixed: bool) -> Option<f64> {
        let wall = if fixed { 0.0 } else { self.wall };
        Some(self.ways.get(slot as usize)? + wall)
    }

    /// One over the squares of the leeways of so many slots, 1/m^2; of those that came since there are candidates only after the next
    /// renewal of the lists.
    pub fn weights(&mut self, slots: usize) -> &mut [f64] {
        if self.are_own() {
            self.weights.resize(slots, 0.0);
        }
        &mut self.weights
    }

    /// The share of its leeway that a way (m) of a slot takes.
    pub fn share_of(&self, slot: u32, way: f64) -> f64 {
        let weight = self.weights.get(slot as usize);
        way * weight.map_or(0.0, |weight| weight.sqrt())
    }

    /// Somebody may have used up a share more.
    pub fn add(&mut self, share: f64) {
        self.share += share;
    }

    /// Forgets all; slots may have other numbers.
    pub fn clear(&mut self) {
        *self = Leeways::default();
    }

    /// Whether these could be the leeways of so many slots: who came since the lists were made may have none.
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

/// Deals out leeways to who is stepped. Where ranks share the system, grains have parts that go farther than they do, its edges
/// move, or forces are tried a step ahead (`heun`), all have the same margin.
pub(super) fn deal_leeways<D: Integrate>(world: &World<D>, skin: &mut Skin, border: &Border) {
    let same = !world.grains.bodies.list.is_empty()
        || world.cell.state.is_some()
        || border.shared
        || world.clock.integrator == IntegratorName::Heun;
    if same {
        skin.leeways.clear();
        return;
    }
    let (step, full) = (world.clock.step, world.physics.options.inner_margin);
    let wall = advance::wall_speed(world);
    let (arrays, active, leeways) = (
        &world.grains.arrays,
        &world.grains.active,
        &mut skin.leeways,
    );
    let slots = arrays.slots();
    let still = STILL * full;
    leeways.weights.truncate(leeways.ways.len());
    leeways.ways.resize(slots, still);
    leeways.weights.resize(slots, 1.0 / (still * still));
    let square = |slot: u32| {
        let velocity = &arrays.rows[slot as usize].0[4..4 + D::N];
        velocity.iter().map(|v| v * v).sum::<f64>()
    };
    let sum: f64 = active.iter().map(|&slot| square(slot)).sum();
    let usual = (sum / active.len().max(1) as f64).sqrt();
    // Where nobody moves the least leeway is what counts.
    let usual = usual.max(1e-6 * full / step);
    let time = (STEPS * full * step / usual).sqrt();
    let leeway = |speed: f64| (time * (speed + MORE * usual)).max(LEAST * full);
    for &slot in active {
        leeways.set(slot, leeway(square(slot).sqrt()));
    }
    (leeways.wall, leeways.wall_speed) = (leeway(wall), wall);
    leeways.share = 0.0;
}

/// Counts a step, with the speed of walls, m/s.
pub(super) fn count_leeway(clock: &Clock, skin: &mut Skin, wall: f64) {
    let step = clock.step;
    let leeways = &mut skin.leeways;
    if leeways.are_own() {
        let before = std::mem::replace(&mut leeways.wall_speed, wall);
        let at_walls = wall.max(before) / leeways.wall;
        leeways.add(step * leeways.fastest.sqrt().max(at_walls));
    }
}
