//! Motion of the edges of a cell between evaluations, and its effect on the grains.

use super::{CellControl, CellSetup, CellState, CellSums, Edges, Flow, Tensor};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::observe;
use crate::cluster::state::Book;
use crate::cluster::world::Cell;
use crate::cluster::world::Clock;
use crate::cluster::world::Grains;
use crate::cluster::world::Physics;
use crate::cluster::world::World;
use crate::geometry::Vector;

/// Ratio of the greatest distance of pairs within a step to the reach of lists: a margin for the bound of displacements.
const BEYOND: f64 = 1.1;

/// A position relative to the least corner of the cell.
fn from_origin<D: Integrate>(cell: &CellState, x: D::Vector) -> D::Vector {
    D::Vector::from_fn(|k| x[k] - cell.origin[k])
}

impl Cell {
    /// Configures the drive of the edges of the periodic cell; must precede all grains.
    pub fn set_cell(&mut self, setup: Option<CellSetup>) {
        self.sums = setup.is_some().then(Box::default);
        self.setup = setup;
    }

    /// Whether the edges of the periodic cell may move.
    pub fn has_cell(&self) -> bool {
        self.setup.is_some()
    }

    /// The required present rates of edges, m/s; none for lengths that a pressure drives.
    fn asked(&self, state: &CellState) -> ([Option<f64>; 3], f64) {
        let setup = self.setup.as_ref();
        let lengths = std::array::from_fn(|k| {
            let drive = state.drives[k].and_then(|index| setup?.drives.get(index as usize));
            match drive.map(|drive| drive.control) {
                Some(CellControl::Strain(rate)) => Some(rate * state.edges.lengths[k]),
                Some(CellControl::Pressure { .. }) => None,
                None => Some(0.0),
            }
        });
        (lengths, state.shear)
    }

    /// Restarts the means after a row of the series.
    pub fn begin_means(&mut self) {
        if let Some(state) = &mut self.state {
            state.stress.sum = Tensor::default();
            state.stress.steps = 0;
        }
    }
}

/// Before the first evaluation: initialises the edges, and the flow that is on from the start.
pub fn start_cell<D: Integrate>(world: &mut World<D>, book: &mut Book) {
    if world.cell.setup.is_none() {
        return;
    }
    let mut state = CellState {
        edges: Edges {
            lengths: [1.0; 3],
            offset: 0.0,
        },
        ..CellState::default()
    };
    for (k, axis) in world.physics.periodic.iter().enumerate() {
        if let Some(axis) = axis {
            state.origin[k] = axis.origin;
            state.edges.lengths[k] = axis.length;
        }
    }
    world.cell.state = Some(state);
    change_drives(&world.clock, &mut world.grains, &mut world.cell, book);
}

/// Restores the lengths of a saved state in the engine.
pub fn restore_cell<D: Integrate>(physics: &mut Physics<D>, cell: &Cell) {
    let Some(state) = &cell.state else {
        return;
    };
    for (axis, length) in physics.periodic.iter_mut().zip(state.edges.lengths) {
        if let Some(axis) = axis {
            axis.length = length;
        }
    }
}

/// Velocity of the flow of the cell at a position, at the evaluation; 0 without a flow.
pub fn flow_at<D: Integrate>(cell: &Cell, x: D::Vector) -> D::Vector {
    match &cell.state {
        // At the time of the velocities: half a step after the stored ones.
        Some(state) => {
            let rates = state.carried.plus(1.0, &state.next).times(0.5);
            state.edges.flow(&rates).at(from_origin::<D>(state, x))
        }
        None => D::Vector::default(),
    }
}

/// Greatest radius of a grain, m.
pub fn greatest_radius<D: Integrate>(grains: &Grains<D>) -> f64 {
    let arrays = &grains.arrays;
    let active = grains.active.iter();
    let radii = active.map(|&slot| arrays.radius(slot as usize));
    radii.fold(0.0, f64::max)
}

/// Applies a change of drives: the rates of edges change at once, and with them the velocities of
/// all grains by the change of the flow.
fn change_drives<D: Integrate>(
    clock: &Clock,
    grains: &mut Grains<D>,
    cell: &mut Cell,
    book: &mut Book,
) {
    let (Some(setup), Some(mut state)) = (&cell.setup, cell.state) else {
        return;
    };
    let time = clock.time();
    let drives = std::array::from_fn(|k| setup.drive(k, time).map(|index| index as u32));
    let shear = setup.shear(time);
    if (drives, shear) == (state.drives, state.shear) {
        return;
    }
    (state.drives, state.shear) = (drives, shear);
    let (lengths, shear) = cell.asked(&state);
    let mut change = Edges::default();
    for (k, asked) in lengths.into_iter().enumerate() {
        if let Some(asked) = asked {
            change.lengths[k] = asked - state.rates.lengths[k];
        }
    }
    let along = (state.rates.lengths[0] + change.lengths[0]) / state.edges.lengths[0];
    let offset = shear * state.edges.lengths[1] + along * state.edges.offset;
    change.offset = offset - state.rates.offset;
    let flow = state.edges.flow(&change);
    state.rates = state.rates.plus(1.0, &change);
    state.carried = state.carried.plus(1.0, &change);
    cell.state = Some(state);
    let mut work = 0.0;
    let arrays = &mut grains.arrays;
    for &slot in &grains.active {
        let slot = slot as usize;
        let dv = flow.at(from_origin::<D>(&state, arrays.position(slot)));
        let v = if state.started {
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
    book.flows.walls += work;
}

/// Advances the edges by a step, after the grains. Returns an upper bound of half the approach of
/// two grains in a list, m.
pub(in crate::cluster) fn move_cell<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
) -> Option<f64> {
    let mut state = world.cell.state?;
    let h = world.clock.step;
    let middle = state.edges.plus(0.5 * h, &state.next);
    let flow = middle.flow(&state.next);
    let arrays = &world.grains.arrays;
    let mut fastest = 0.0f64;
    for &slot in &world.grains.active {
        let slot = slot as usize;
        let (v, _) = D::carried(arrays, slot);
        let v = D::Vector::from_fn(|k| v[k]);
        let x = from_origin::<D>(&state, arrays.position(slot) - v * (0.5 * h));
        fastest = fastest.max((v - flow.at(x)).norm_squared());
    }
    // The flow changes the distance of two grains in a list by no more than this.
    let reach =
        BEYOND * (2.0 * greatest_radius(&world.grains) + world.physics.options.outer_margin);
    let way = h * (fastest.sqrt() + 0.5 * flow.bound() * reach);
    state.edges = state.edges.plus(h, &state.next);
    let foreseen = state.acceleration.plus(1.0, &state.previous);
    state.rates = state.next.plus(0.25 * h, &foreseen);
    state.carried = state.next;
    state.sheared += h * flow.across;
    // The image one length further is equivalent: offsets stay small.
    let turns = (state.edges.offset / state.edges.lengths[0]).round();
    if turns != 0.0 {
        for edges in [
            &mut state.edges,
            &mut state.rates,
            &mut state.carried,
            &mut state.acceleration,
            &mut state.previous,
        ] {
            edges.offset -= turns * edges.lengths[0];
        }
    }
    world.cell.state = Some(state);
    restore_cell(&mut world.physics, &world.cell);
    change_drives(&world.clock, &mut world.grains, &mut world.cell, book);
    Some(way)
}

/// The rates of edges over the coming step, from the pressure at the evaluation.
fn next_rates<D: Integrate>(clock: &Clock, cell: &Cell, state: &CellState) -> Edges {
    let h = clock.step;
    let mut next = Edges::default();
    let volume = state.edges.volume();
    for k in 0..D::N {
        let length = state.edges.lengths[k];
        let setup = cell.setup.as_ref();
        let drive = state.drives[k].and_then(|index| setup?.drives.get(index as usize));
        next.lengths[k] = match drive.map(|drive| drive.control) {
            None => 0.0,
            Some(CellControl::Strain(rate)) => length * libm::expm1(rate * h) / h,
            Some(CellControl::Pressure {
                pressure,
                mass,
                rate,
            }) => {
                // A drive that begins at an evaluation acts for half a step only.
                let (before, kick) = if state.started {
                    (state.carried.lengths[k], h)
                } else {
                    (state.rates.lengths[k], 0.5 * h)
                };
                let area = volume / length;
                let half = 0.5 * kick * area * pressure / (rate * length * mass[k]);
                let pull = area * (state.stress.pressure[k][k] - pressure) / mass[k];
                (before * (1.0 - half) + kick * pull) / (1.0 + half)
            }
        };
    }
    // The shear at the middle of the step; the offset there depends on the unknown rate.
    let middle = |k: usize| state.edges.lengths[k] + 0.5 * h * next.lengths[k];
    let along = next.lengths[0] / middle(0);
    let sheared = state.shear * middle(1) + along * state.edges.offset;
    next.offset = sheared / (1.0 - 0.5 * h * along);
    next
}

/// Last part of an evaluation: the pressure, the next rates of the edges, and their effect on the grains.
pub(in crate::cluster) fn settle_cell<D: Integrate>(
    clock: &Clock,
    grains: &mut Grains<D>,
    cell: &mut Cell,
    book: &mut Book,
    sums: &CellSums,
) {
    let Some(mut state) = cell.state else {
        return;
    };
    let h = clock.step;
    let [links, dampers] = sums.totals();
    state.stress.links = links;
    state.stress.pressure = pressure(grains, &state);
    state.next = next_rates::<D>(clock, cell, &state);
    if state.started {
        state.previous = state.acceleration;
        state.acceleration = state.next.plus(-1.0, &state.carried).times(1.0 / h);
    } else {
        state.acceleration = state.next.plus(-1.0, &state.rates).times(2.0 / h);
        state.previous = state.acceleration;
        state.carried = state.rates.times(2.0).plus(-1.0, &state.next);
    }
    let mean = state.carried.plus(1.0, &state.next).times(0.5);
    follow(
        clock,
        grains,
        book,
        &state,
        &state.edges.flow(&mean),
        [&links, &dampers],
    );
    state.started = true;
    let late = clock.time() > cell.late_from;
    for i in 0..3 {
        for j in 0..3 {
            state.stress.sum[i][j] += state.stress.pressure[i][j];
            if late {
                state.stress.late[i][j] += state.stress.pressure[i][j];
            }
        }
    }
    state.stress.steps += 1;
    state.stress.late_steps += u64::from(late);
    cell.state = Some(state);
}

/// Pressure: the flux of momentum by links and by motion relative to the flow, over the volume.
fn pressure<D: Integrate>(grains: &Grains<D>, state: &CellState) -> Tensor {
    let flow = state.flow();
    let arrays = &grains.arrays;
    let mut sum = state.stress.links;
    for &slot in &grains.active {
        let slot = slot as usize;
        let x = from_origin::<D>(state, arrays.position(slot));
        let c = arrays.velocity(slot) - flow.at(x);
        let mass = 1.0 / arrays.inverse_mass(slot);
        for i in 0..D::N {
            for j in 0..D::N {
                sum[i][j] += mass * c[i] * c[j];
            }
        }
    }
    let inverse = 1.0 / state.edges.volume();
    sum.map(|row| row.map(|value| value * inverse))
}

/// Makes grains follow edges whose rates change, and accounts for the work of images. Forces across
/// the border work on the grains as the images move: the work of all forces in the flow, minus
/// their work in the flow between the ends of links. `mean` is the flow for the mean of the rates
/// before and after, which corresponds to the mean velocities over which forces work.
fn follow<D: Integrate>(
    clock: &Clock,
    grains: &mut Grains<D>,
    book: &mut Book,
    state: &CellState,
    mean: &Flow,
    [links, dampers]: [&Tensor; 2],
) {
    let h = clock.step;
    let push = state.edges.flow(&state.acceleration);
    let pushes = push != Flow::default();
    let (mut given, mut lost) = (-mean.power(links), -mean.power(dampers));
    let arrays = &mut grains.arrays;
    for &slot in &grains.active {
        let slot = slot as usize;
        let x = from_origin::<D>(state, arrays.position(slot));
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
            let met = if state.started {
                carried[k] + 0.5 * h * (force[k] + body[k]) * inverse
            } else {
                seen[k]
            };
            given += body[k] * met;
        }
        let body = std::array::from_fn(|k| if k < D::N { body[k] } else { 0.0 });
        D::add_force(arrays, slot, body, [0.0; 3]);
    }
    let flows = &mut book.flows;
    flows.walls += h * given;
    flows.last[2] += h * given;
    // The stride accounts for the work of dampers on each grain; this adds the images' part across the border.
    flows.damping += h * lost;
    flows.last[1] += h * lost;
}

/// Wraps stepped grains into the cell. Each crossing of an edge changes their velocity by its rate;
/// that energy is external work.
pub(in crate::cluster) fn wrap_into_cell<D: Integrate>(
    grains: &mut Grains<D>,
    book: &mut Book,
    state: &CellState,
) {
    let edges = &state.edges;
    for slot in 1..grains.arrays.slots() {
        let arrays = &mut grains.arrays;
        if arrays.status[slot] != Status::Stepped {
            continue;
        }
        let x = from_origin::<D>(state, arrays.position(slot));
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
        let seen: D::Vector = state.rates.image(turns);
        let jump: D::Vector = state.carried.image(turns);
        let last: D::Vector = state.acceleration.image(turns);
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
        book.flows.walls += work / grains.arrays.inverse_mass(slot);
    }
}

/// Vector to the nearest image for a difference of two positions, m, and the velocity of that image
/// relative to the difference itself, m/s; one step before the evaluation if `before`.
pub(in crate::cluster) fn nearest_image_of<D: Integrate>(
    clock: &Clock,
    physics: &Physics<D>,
    cell: &Cell,
    d: D::Vector,
    before: bool,
) -> (D::Vector, D::Vector) {
    let Some(state) = &cell.state else {
        return (observe::shortest(physics, cell, d), D::Vector::default());
    };
    let h = clock.step;
    let (edges, rates) = if before {
        let rates = state.carried.times(2.0).plus(-1.0, &state.rates);
        (state.edges.plus(-h, &state.carried), rates)
    } else {
        (state.edges, state.rates)
    };
    let turns = edges.turns(d);
    (
        d - edges.image::<D::Vector>(turns),
        rates.image::<D::Vector>(turns) * -1.0,
    )
}
