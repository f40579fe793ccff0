//! Where what stands still meets what is stepped: the rim, and what walls bear beneath both.

use super::engine::{Engine, three};
use super::integrate::Integrate;

impl<D: Integrate> Engine<D> {
    /// Finds who stands still within reach of a stepped grain.
    pub(super) fn find_rim(&mut self) {
        let mut rim = Vec::new();
        if self.state.still.count > 0 {
            for class in &self.state.pairs {
                let still = class.outer.iter().flatten().copied();
                rim.extend(
                    still
                        .filter(|&slot| self.stands(slot))
                        .map(|s| self.owner(s)),
                );
            }
            rim.sort_unstable();
            rim.dedup();
            // Whom nobody pushes any more has no such force.
            for slot in std::mem::take(&mut self.state.still.rim) {
                if self.stands(slot) && rim.binary_search(&slot).is_err() {
                    self.state.arrays.clear_force(slot as usize);
                    self.state.still.pushed[slot as usize] = [0.0; 6];
                }
            }
        }
        self.state.still.rim = rim;
        // Who has just stopped, or lost or won a neighbour that steps, is pushed by others than before.
        self.clear_rim();
        for (slot, [fx, fy, fz, mx, my, mz]) in self.rim_pushes() {
            let arrays = &mut self.state.arrays;
            D::add_force(arrays, slot as usize, [fx, fy, fz], [mx, my, mz]);
        }
        if self.state.still.walls_changed {
            self.sum_still_walls();
        }
    }

    /// Sums what walls do to grains that stand still: force, and moment about the boundary's point of
    /// reference.
    pub(super) fn sum_still_walls(&mut self) {
        self.state.still.walls_changed = false;
        self.state.still.at_walls.clear();
        if self.state.still.walls.is_empty() {
            return;
        }
        let mut sums = vec![[0.0; 6]; self.boundaries.len()];
        for (name, kept) in &self.state.still.walls {
            let Some(view) = self.kept_wall_view(name, kept) else {
                continue;
            };
            let n = view.kinematics.normal;
            let force = n * view.normal_force + view.tangential_force;
            let arm = three(
                view.kinematics.point
                    - view.kinematics.image
                    - self.boundaries[usize::from(name.0)].reference,
            );
            let f = three(force);
            let sum = &mut sums[usize::from(name.0)];
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                sum[k] += f[k];
                sum[3 + k] += arm[i] * f[j] - arm[j] * f[i];
            }
        }
        self.state.still.at_walls = sums;
    }

    /// Books the impulse of walls on grains that stand still over so many steps.
    pub(super) fn book_still_walls(&mut self, steps: f64) {
        let h = steps * self.options.step;
        let sums = self.state.wall_sums.iter_mut();
        for (total, sum) in sums.zip(&self.state.still.at_walls) {
            for (total, part) in total.iter_mut().zip(sum) {
                *total += h * part;
            }
        }
    }

    /// Goes on to a step to come while nobody steps.
    pub fn skip_to(&mut self, n: i64) {
        let skipped = (n - self.state.n).max(0);
        self.state.n += skipped;
        self.book_still_walls(skipped as f64);
    }

    /// Before an evaluation: forces of stepped grains on those that stand still start from nothing.
    pub(super) fn clear_rim(&mut self) {
        for &slot in &self.state.still.rim {
            self.state.arrays.clear_force(slot as usize);
        }
    }

    /// After an evaluation: gathers them.
    pub(super) fn gather_rim(&mut self) {
        let still = &mut self.state.still;
        still.evaluations += 1;
        for &slot in &still.rim {
            let (f, m) = D::force(&self.state.arrays, slot as usize);
            let push = &mut still.pushed[slot as usize];
            for k in 0..D::N {
                push[k] += f[k];
            }
            for k in 0..D::SPINS {
                push[3 + k] += m[k];
            }
        }
    }
}
