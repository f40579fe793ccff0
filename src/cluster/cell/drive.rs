//! Moving the edges of a cell from evaluation to evaluation, and what that does to the grains.

use super::{CellControl, CellSetup, CellState, CellSums, Edges, Flow, Tensor};
use crate::cluster::Engine;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::geometry::Vector;

/// The way of pairs beyond the reach of lists within a step, over that reach: a margin for the bound of ways.
const BEYOND: f64 = 1.1;

impl<D: Integrate> Engine<D> {
    /// Lets the edges of the periodic cell be driven; before grains are there.
    pub fn set_cell(&mut self, setup: Option<CellSetup>) {
        self.cell_sums = setup.is_some().then(Box::default);
        self.cell = setup;
    }

    /// Whether the edges of the periodic cell may move.
    pub fn has_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Before the first evaluation: the edges, and the flow that is on from the start.
    pub fn start_cell(&mut self) {
        if self.cell.is_none() {
            return;
        }
        let mut state = CellState {
            edges: Edges {
                lengths: [1.0; 3],
                offset: 0.0,
            },
            ..CellState::default()
        };
        for (k, axis) in self.periodic.iter().enumerate() {
            if let Some(axis) = axis {
                state.origin[k] = axis.origin;
                state.edges.lengths[k] = axis.length;
            }
        }
        self.state.cell = Some(state);
        self.change_drives();
    }

    /// The lengths that a state holds become those of the engine: after it was read.
    pub fn restore_cell(&mut self) {
        let Some(cell) = &self.state.cell else { return };
        for (axis, length) in self.periodic.iter_mut().zip(cell.edges.lengths) {
            if let Some(axis) = axis {
                axis.length = length;
            }
        }
    }

    /// A place from the least corner of the cell.
    fn from_origin(cell: &CellState, x: D::Vector) -> D::Vector {
        D::Vector::from_fn(|k| x[k] - cell.origin[k])
    }

    /// Velocity of the flow of the cell at a place, at the evaluation; 0 where there is none.
    pub fn flow_at(&self, x: D::Vector) -> D::Vector {
        match &self.state.cell {
            // As velocities are told there: half a step after those that are carried.
            Some(cell) => {
                let rates = cell.carried.plus(1.0, &cell.next).times(0.5);
                cell.edges.flow(&rates).at(Self::from_origin(cell, x))
            }
            None => D::Vector::default(),
        }
    }

    /// Greatest radius of a grain, m.
    pub fn greatest_radius(&self) -> f64 {
        let arrays = &self.state.arrays;
        let active = self.state.active.iter();
        let radii = active.map(|&slot| arrays.radius(slot as usize));
        radii.fold(0.0, f64::max)
    }

    /// The rates that edges should have now, m/s; nothing for lengths that a pressure drives.
    fn asked(&self, cell: &CellState) -> ([Option<f64>; 3], f64) {
        let setup = self.cell.as_ref();
        let lengths = std::array::from_fn(|k| {
            let drive = cell.drives[k].and_then(|index| setup?.drives.get(index as usize));
            match drive.map(|drive| drive.control) {
                Some(CellControl::Strain(rate)) => Some(rate * cell.edges.lengths[k]),
                Some(CellControl::Pressure { .. }) => None,
                None => Some(0.0),
            }
        });
        (lengths, cell.shear)
    }

    /// Where another drive acts from now on: what changes at once are rates of edges, and with them the velocities
    /// of all grains by the flow that is new.
    fn change_drives(&mut self) {
        let (Some(setup), Some(mut cell)) = (&self.cell, self.state.cell) else {
            return;
        };
        let time = self.time();
        let drives = std::array::from_fn(|k| setup.drive(k, time).map(|index| index as u32));
        let shear = setup.shear(time);
        if (drives, shear) == (cell.drives, cell.shear) {
            return;
        }
        (cell.drives, cell.shear) = (drives, shear);
        let (lengths, shear) = self.asked(&cell);
        let mut change = Edges::default();
        for (k, asked) in lengths.into_iter().enumerate() {
            if let Some(asked) = asked {
                change.lengths[k] = asked - cell.rates.lengths[k];
            }
        }
        let along = (cell.rates.lengths[0] + change.lengths[0]) / cell.edges.lengths[0];
        let offset = shear * cell.edges.lengths[1] + along * cell.edges.offset;
        change.offset = offset - cell.rates.offset;
        let flow = cell.edges.flow(&change);
        cell.rates = cell.rates.plus(1.0, &change);
        cell.carried = cell.carried.plus(1.0, &change);
        self.state.cell = Some(cell);
        let mut work = 0.0;
        let arrays = &mut self.state.arrays;
        for &slot in &self.state.active {
            let slot = slot as usize;
            let dv = flow.at(Self::from_origin(&cell, arrays.position(slot)));
            let v = if cell.started {
                let (v, _) = D::carried(arrays, slot);
                D::Vector::from_fn(|k| v[k])
            } else {
                arrays.velocity(slot)
            };
            work += (v + dv * 0.5).dot(&dv) / arrays.inverse_mass(slot);
            for k in 0..D::N {
                arrays.rows[slot].0[4 + k] += dv[k];
                arrays.state[slot].0[k] += dv[k];
            }
        }
        self.state.flows.walls += work;
    }

    /// Edges go on by a step, after the grains did. Gives a bound of the way by which two grains that lists look at
    /// came nearer, halved, m.
    pub(in crate::cluster) fn move_cell(&mut self) -> Option<f64> {
        let mut cell = self.state.cell?;
        let h = self.options.step;
        let middle = cell.edges.plus(0.5 * h, &cell.next);
        let flow = middle.flow(&cell.next);
        let arrays = &self.state.arrays;
        let mut fastest = 0.0f64;
        for &slot in &self.state.active {
            let slot = slot as usize;
            let (v, _) = D::carried(arrays, slot);
            let v = D::Vector::from_fn(|k| v[k]);
            let x = Self::from_origin(&cell, arrays.position(slot) - v * (0.5 * h));
            fastest = fastest.max((v - flow.at(x)).norm_squared());
        }
        // Of two grains that a list looks at the flow changes the way between them by no more than this.
        let reach = BEYOND * (2.0 * self.greatest_radius() + self.options.outer_margin);
        let way = h * (fastest.sqrt() + 0.5 * flow.bound() * reach);
        cell.edges = cell.edges.plus(h, &cell.next);
        let foreseen = cell.acceleration.plus(1.0, &cell.previous);
        cell.rates = cell.next.plus(0.25 * h, &foreseen);
        cell.carried = cell.next;
        cell.sheared += h * flow.across;
        // The image one length further is as good: offsets stay small.
        let turns = (cell.edges.offset / cell.edges.lengths[0]).round();
        if turns != 0.0 {
            for edges in [
                &mut cell.edges,
                &mut cell.rates,
                &mut cell.carried,
                &mut cell.acceleration,
                &mut cell.previous,
            ] {
                edges.offset -= turns * edges.lengths[0];
            }
        }
        self.state.cell = Some(cell);
        self.restore_cell();
        self.change_drives();
        Some(way)
    }

    /// The rates of edges over the coming step, from the pressure at the evaluation.
    fn next_rates(&self, cell: &CellState) -> Edges {
        let h = self.options.step;
        let mut next = Edges::default();
        let volume = cell.edges.volume();
        for k in 0..D::N {
            let length = cell.edges.lengths[k];
            let setup = self.cell.as_ref();
            let drive = cell.drives[k].and_then(|index| setup?.drives.get(index as usize));
            next.lengths[k] = match drive.map(|drive| drive.control) {
                None => 0.0,
                Some(CellControl::Strain(rate)) => length * libm::expm1(rate * h) / h,
                Some(CellControl::Pressure {
                    pressure,
                    mass,
                    rate,
                }) => {
                    // Who begins at an evaluation has only half of a step to go.
                    let (before, kick) = if cell.started {
                        (cell.carried.lengths[k], h)
                    } else {
                        (cell.rates.lengths[k], 0.5 * h)
                    };
                    let area = volume / length;
                    let half = 0.5 * kick * area * pressure / (rate * length * mass[k]);
                    let pull = area * (cell.pressure[k][k] - pressure) / mass[k];
                    (before * (1.0 - half) + kick * pull) / (1.0 + half)
                }
            };
        }
        // The shear of the middle of the step; the offset there depends on the rate sought.
        let middle = |k: usize| cell.edges.lengths[k] + 0.5 * h * next.lengths[k];
        let along = next.lengths[0] / middle(0);
        let sheared = cell.shear * middle(1) + along * cell.edges.offset;
        next.offset = sheared / (1.0 - 0.5 * h * along);
        next
    }

    /// The last part of an evaluation: the pressure, where the edges go next, and what that does to the grains.
    pub(in crate::cluster) fn settle_cell(&mut self, sums: &CellSums) {
        let Some(mut cell) = self.state.cell else {
            return;
        };
        let h = self.options.step;
        let [links, dampers] = sums.totals();
        cell.links = links;
        cell.pressure = self.pressure(&cell);
        cell.next = self.next_rates(&cell);
        if cell.started {
            cell.previous = cell.acceleration;
            cell.acceleration = cell.next.plus(-1.0, &cell.carried).times(1.0 / h);
        } else {
            cell.acceleration = cell.next.plus(-1.0, &cell.rates).times(2.0 / h);
            cell.previous = cell.acceleration;
            cell.carried = cell.rates.times(2.0).plus(-1.0, &cell.next);
        }
        let mean = cell.carried.plus(1.0, &cell.next).times(0.5);
        self.follow(&cell, &cell.edges.flow(&mean), [&links, &dampers]);
        cell.started = true;
        let late = self.time() > self.late_from;
        for i in 0..3 {
            for j in 0..3 {
                cell.sum[i][j] += cell.pressure[i][j];
                if late {
                    cell.late[i][j] += cell.pressure[i][j];
                }
            }
        }
        cell.steps += 1;
        cell.late_steps += u64::from(late);
        self.state.cell = Some(cell);
    }

    /// Pressure: the flux of momentum by links and by motion against the flow, over the volume.
    fn pressure(&self, cell: &CellState) -> Tensor {
        let flow = cell.flow();
        let arrays = &self.state.arrays;
        let mut sum = cell.links;
        for &slot in &self.state.active {
            let slot = slot as usize;
            let x = Self::from_origin(cell, arrays.position(slot));
            let c = arrays.velocity(slot) - flow.at(x);
            let mass = 1.0 / arrays.inverse_mass(slot);
            for i in 0..D::N {
                for j in 0..D::N {
                    sum[i][j] += mass * c[i] * c[j];
                }
            }
        }
        let inverse = 1.0 / cell.edges.volume();
        sum.map(|row| row.map(|value| value * inverse))
    }

    /// Grains follow edges whose rates change; and the book of what images do. Forces across the border work on the
    /// grains as the images move: what all forces do with the flow, less what they do with it between the ends of
    /// links. `mean` is the flow of the mean of the rates before and after, which goes with the mean of velocities by
    /// which forces work.
    fn follow(&mut self, cell: &CellState, mean: &Flow, [links, dampers]: [&Tensor; 2]) {
        let h = self.options.step;
        let push = cell.edges.flow(&cell.acceleration);
        let pushes = push != Flow::default();
        let (mut given, mut lost) = (-mean.power(links), -mean.power(dampers));
        let arrays = &mut self.state.arrays;
        for &slot in &self.state.active {
            let slot = slot as usize;
            let x = Self::from_origin(cell, arrays.position(slot));
            let with = mean.at(x);
            let (force, damper) = (D::force(arrays, slot).0, D::damper(arrays, slot).0);
            for k in 0..D::N {
                given += force[k] * with[k];
                lost += damper[k] * with[k];
            }
            if !pushes {
                continue;
            }
            let inverse = arrays.inverse_mass(slot);
            let body = push.at(x) * (1.0 / inverse);
            let (carried, seen) = (D::carried(arrays, slot).0, arrays.velocity(slot));
            for k in 0..D::N {
                let met = if cell.started {
                    carried[k] + 0.5 * h * (force[k] + body[k]) * inverse
                } else {
                    seen[k]
                };
                given += body[k] * met;
            }
            let body = std::array::from_fn(|k| if k < D::N { body[k] } else { 0.0 });
            D::add_force(arrays, slot, body, [0.0; 3]);
        }
        let flows = &mut self.state.flows;
        flows.walls += h * given;
        flows.last[2] += h * given;
        // The stride books the work of dampers on each grain; across the border the images' part of it is given.
        flows.damping += h * lost;
        flows.last[1] += h * lost;
    }

    /// Brings stepped grains back into the cell. With each edge their velocity changes by its rate; that energy comes
    /// from outside.
    pub(in crate::cluster) fn wrap_into_cell(&mut self, cell: &CellState) {
        let edges = &cell.edges;
        for slot in 1..self.state.arrays.slots() {
            let arrays = &mut self.state.arrays;
            if arrays.status[slot] != Status::Stepped {
                continue;
            }
            let x = Self::from_origin(cell, arrays.position(slot));
            let mut turns = [0.0; 3];
            turns[1] = (x[1] / edges.lengths[1]).floor();
            turns[0] = ((x[0] - turns[1] * edges.offset) / edges.lengths[0]).floor();
            if D::N == 3 {
                turns[2] = (x[2] / edges.lengths[2]).floor();
            }
            if turns == [0.0; 3] {
                continue;
            }
            let way: D::Vector = edges.image(turns);
            let seen: D::Vector = cell.rates.image(turns);
            let jump: D::Vector = cell.carried.image(turns);
            let last: D::Vector = cell.acceleration.image(turns);
            let (v, _) = D::carried(arrays, slot);
            let mut work = 0.0;
            for k in 0..D::N {
                let row = &mut arrays.rows[slot].0;
                row[k] -= way[k];
                row[4 + k] -= seen[k];
                arrays.state[slot].0[k] -= jump[k];
                if D::N == 2 {
                    arrays.state[slot].0[4 + k] -= last[k];
                } else {
                    arrays.previous[slot].0[k] -= last[k];
                }
                work -= (v[k] - 0.5 * jump[k]) * jump[k];
            }
            self.state.flows.walls += work / self.state.arrays.inverse_mass(slot);
        }
    }

    /// After a row of the series: its means begin anew.
    pub fn begin_means(&mut self) {
        if let Some(cell) = &mut self.state.cell {
            cell.sum = Tensor::default();
            cell.steps = 0;
        }
    }

    /// The way to the nearest image of a difference of two places, m, and its velocity against that of the
    /// difference itself, m/s; a step before the evaluation if `before`.
    pub(in crate::cluster) fn nearest_image_of(
        &self,
        d: D::Vector,
        before: bool,
    ) -> (D::Vector, D::Vector) {
        let Some(cell) = &self.state.cell else {
            return (self.shortest(d), D::Vector::default());
        };
        let h = self.options.step;
        let (edges, rates) = if before {
            let rates = cell.carried.times(2.0).plus(-1.0, &cell.rates);
            (cell.edges.plus(-h, &cell.carried), rates)
        } else {
            (cell.edges, cell.rates)
        };
        let turns = edges.turns(d);
        (
            d - edges.image::<D::Vector>(turns),
            rates.image::<D::Vector>(turns) * -1.0,
        )
    }
}
