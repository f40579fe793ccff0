//! Periodic cells whose edges move.

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::cluster::{CellState, Edges};
use arenite::event::EventKind;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::{BroadPhase, Brute, Cells, Levels, PeriodicAxis, pairs_across};
use arenite::record::{MemorySink, SeriesRow};
use arenite::system::{
    CellControl, CellDrive, CellSetup, CellShear, EventLog, IntegratorName, Setup, Span, System,
};

use crate::support::*;

const LENGTH: f64 = 0.1;

/// A cubic cell of one material, nothing driven.
fn cell<D: Integrate>(law: arenite::contact::ContactLaw, step: f64, finish: f64) -> Setup<D> {
    let mut setup: Setup<D> = empty(law, step, finish);
    setup.space.periodic = vec![
        Some(PeriodicAxis {
            origin: -0.03,
            length: LENGTH,
        });
        D::N
    ];
    setup.space.cell = Some(CellSetup::default());
    setup
}

fn shear<D: Dimension>(setup: &mut Setup<D>, rate: f64, from: f64, until: Option<f64>) {
    let cell = setup.space.cell.get_or_insert_default();
    cell.shears.push(CellShear {
        rate,
        span: Span { from, until },
    });
}

fn drive<D: Dimension>(setup: &mut Setup<D>, axes: &[usize], control: CellControl, from: f64) {
    let cell = setup.space.cell.get_or_insert_default();
    cell.drives.push(CellDrive {
        axes: std::array::from_fn(|k| axes.contains(&k)),
        control,
        span: Span { from, until: None },
    });
}

fn pressed(pressure: f64, mass: f64, rate: f64) -> CellControl {
    CellControl::Pressure {
        pressure,
        mass: [mass; 3],
        rate,
    }
}

fn state<D: Integrate>(system: &System<D>) -> CellState {
    system.dem().world.cell.state.unwrap()
}

/// A difference of places brought to its shortest image in the cell.
fn shortest<V: Vector>(edges: &Edges, d: V) -> V {
    d - edges.image::<V>(edges.turns(d))
}

/// Some grains here and there in the cell, none overlapping, with velocities up to `speed`: in the plane they fill 0.4 of
/// it with 30, in space 0.25.
fn crowd<D: Integrate>(setup: &mut Setup<D>, count: usize, speed: f64) {
    let radius = if D::N == 2 { 0.0065 } else { 0.0125 };
    let radius = radius * (30.0 / count as f64).powf(1.0 / D::N as f64);
    let mut dice = Dice(7);
    let edges = Edges {
        lengths: [LENGTH; 3],
        offset: 0.0,
    };
    while setup.grains.len() < count {
        let r = radius * dice.between(0.8, 1.2);
        let x = dice.vector::<D>(-0.03, -0.03 + LENGTH);
        let free = |g: &Grain<D>| shortest(&edges, g.position - x).norm() > g.radius + r;
        if setup.grains.iter().all(free) {
            let v = dice.vector::<D>(-speed, speed);
            add(setup, r, 4e4 * r * r * r, x, v);
        }
    }
}

/// A lone grain keeps its velocity in space: that of the flow where it began and its own; with each way through the
/// border above its velocity falls by rate times length exactly. Against the flow: c_x = c_x0 - rate c_y t.
fn lone<D: Integrate>() {
    let (rate, finish) = (3.0, 2.0);
    let mut setup = cell::<D>(linear(1e5, 0.5e5, 20.0, 10.0, 0.4), 1e-4, finish);
    shear(&mut setup, rate, 0.0, None);
    let start = D::Vector::from_fn(|k| [0.013, 0.021, 0.05][k]);
    let own = D::Vector::from_fn(|k| [0.2, -0.31, 0.17][k]);
    add(&mut setup, 0.01, 0.1, start, own);
    let (system, _) = run(&setup);
    let time = system.time();
    let (grain, now) = (system.grains_at(time)[0], state(&system));
    // From the origin of the cell, where the flow stands.
    let height = start[1] + 0.03;
    let mut whole = own;
    whole[0] += rate * height;
    let way = shortest(&now.edges, grain.position - start - whole * time);
    // 2e4 steps round the place by 1e-17 m each, the offset alike.
    assert!(way.norm() < 1e-12, "{way:?}");
    let turns = ((grain.position[1] - start[1] - own[1] * time) / LENGTH).round();
    assert!(turns >= 6.0, "{turns}");
    close(
        "velocity in space",
        grain.velocity[0],
        whole[0] + turns * rate * LENGTH,
        1e-12,
    );
    let against = grain.velocity[0] - rate * (grain.position[1] + 0.03);
    close(
        "own velocity",
        against,
        own[0] - rate * own[1] * time,
        1e-11,
    );
    assert!(now.edges.offset.abs() <= 0.5 * LENGTH);
    // A sum of 2e4 terms, each rounded.
    close("shear", now.sheared, rate * time, 1e-11);
}

#[test]
fn a_lone_grain_keeps_its_motion_in_a_sheared_cell() {
    lone::<Planar>();
    lone::<Spatial>();
}

/// A cell in which everything moves at once: one length strained, the others under pressure, sheared from a moment in
/// the run on.
fn moving<D: Integrate>(finish: f64) -> Setup<D> {
    let mut setup = cell::<D>(linear(2e4, 1e4, 3.0, 2.0, 0.4), 1e-5, finish);
    setup.log.events = EventLog::Links;
    drive(&mut setup, &[0], CellControl::Strain(-2.0), 0.0);
    let others: Vec<usize> = (1..D::N).collect();
    drive(&mut setup, &others, pressed(400.0, 0.3, 3.0), 0.0);
    shear(&mut setup, 4.0, 0.005, None);
    setup
}

/// No place in the cell differs from any other: grains put elsewhere as a whole do the same, link by link, but for the
/// flow, which carries the shift along: to rounding, grown by collisions.
fn anywhere<D: Integrate>() {
    let finish = 0.03;
    let scene = |shift: D::Vector| {
        let mut setup = moving::<D>(finish);
        crowd(&mut setup, 30, 0.5);
        for grain in &mut setup.grains {
            let x = grain.position + shift;
            grain.position = D::Vector::from_fn(|k| (x[k] + 0.03).rem_euclid(LENGTH) - 0.03);
            grain.spin = rolling::<D>(3.0 + f64::from(grain.id));
        }
        run(&setup)
    };
    let links = |sink: &MemorySink| -> Vec<_> {
        let of = |e: &&arenite::record::EventRow| {
            matches!(
                e.kind,
                EventKind::InsertLink | EventKind::RemoveLink | EventKind::SlipLink
            )
        };
        let rows = sink.events.iter().filter(of);
        rows.map(|e| (e.kind, e.body_a, e.body_b, e.time)).collect()
    };
    let (system, sink) = scene(D::Vector::default());
    let want = system.grains_at(system.time());
    let events = links(&sink);
    assert!(events.len() > 60, "{}", events.len());
    for shift in [
        [0.05, 0.02, 0.0],
        [0.011, 0.083, 0.047],
        [0.0, 0.0999, 0.03],
    ] {
        let shift = D::Vector::from_fn(|k| shift[k]);
        let (other, sink) = scene(shift);
        let (a, b) = (state(&system).edges, state(&other).edges);
        for k in 0..D::N {
            close("length", b.lengths[k], a.lengths[k], 1e-13);
        }
        // Velocities are told by the forces at the evaluation, half a step after those that are carried.
        let now = state(&system);
        let rates = now.carried.plus(1.0, &now.next).times(0.5);
        // H(t) H(0)^-1 times the shift.
        let shares: [f64; 3] =
            std::array::from_fn(|k| if k < D::N { shift[k] / LENGTH } else { 0.0 });
        let (moved, flow): (D::Vector, D::Vector) = (a.image(shares), rates.image(shares));
        for (got, want) in other.grains_at(other.time()).iter().zip(&want) {
            let d = got.position - want.position - moved;
            let turns = a.turns(d);
            let apart = d - a.image::<D::Vector>(turns);
            assert!(apart.norm() < 1e-11, "grain {}: {apart:?}", got.id);
            let jump: D::Vector = rates.image(turns);
            let faster = got.velocity - want.velocity - flow - jump;
            assert!(faster.norm() < 1e-8, "grain {}: {faster:?}", got.id);
        }
        let others = links(&sink);
        assert_eq!(others.len(), events.len());
        for (got, want) in others.iter().zip(&events) {
            assert_eq!((got.0, got.1, got.2), (want.0, want.1, want.2));
            // Slips are found on a line between values of both ends, all others from gaps and speeds.
            close("time of an event", got.3, want.3, 1e-9);
        }
    }
}

#[test]
fn no_place_in_a_moving_cell_differs_from_another() {
    anywhere::<Planar>();
    anywhere::<Spatial>();
}

/// Momentum against the flow stays 0, whatever collides across the border, to rounding.
fn momentum<D: Integrate>() {
    let finish = 0.1;
    let mut setup = cell::<D>(linear(2e4, 1e4, 3.0, 2.0, 0.4), 1e-5, finish);
    shear(&mut setup, 8.0, 0.0, None);
    crowd(&mut setup, 30, 0.5);
    let masses: f64 = setup.grains.iter().map(|g| g.mass).sum();
    let sum = |grains: &[Grain<D>], own: &dyn Fn(&Grain<D>) -> D::Vector| {
        let all = grains.iter().map(|g| own(g) * g.mass);
        all.fold(D::Vector::default(), |a, b| a + b)
    };
    let mean = sum(&setup.grains, &|g| g.velocity) * (1.0 / masses);
    setup.grains.iter_mut().for_each(|g| g.velocity -= mean);
    let (system, _) = run(&setup);
    assert!(system.summary().events.by_kind["insert-link"] > 20);
    let engine = system.dem();
    let left = sum(&system.grains_at(system.time()), &|g| {
        g.velocity - arenite::cluster::cell::drive::flow_at::<D>(&engine.world.cell, g.position)
    });
    // 30 grains of 0.02 kg at 1 m/s.
    assert!(left.norm() < 1e-13, "{left:?}");
}

#[test]
fn momentum_against_the_flow_is_kept() {
    momentum::<Planar>();
    momentum::<Spatial>();
}

/// The book closes with the square of the step, as without a cell: links are springs integrated by the leapfrog. And
/// what it says was given is the work of the pressure on the flow, which is summed apart: the sums over steps end half a
/// step beside the book.
fn book<D: Integrate>() {
    let finish = 0.05;
    let at = |step: f64| {
        let mut setup = moving::<D>(finish);
        setup.motion.step = Some(step);
        setup.log.events = EventLog::None;
        setup.log.series = Some(finish / 50.0);
        // Without friction: where slip begins within a step the error is of first order.
        setup.matter.laws.set(0, 0, linear(2e4, 0.0, 3.0, 0.0, 0.0));
        crowd(&mut setup, 40, 0.5);
        run(&setup)
    };
    let (coarse, _) = at(2e-5);
    let (fine, sink) = at(1e-5);
    let errors = [&coarse, &fine].map(|s| s.summary().energy.balance_error);
    assert!(errors[1] < 5e-4, "{errors:?}");
    // Four times less; where bounces begin within a step lies by chance.
    assert!(errors[1] < 0.4 * errors[0], "{errors:?}");
    let energy = fine.summary().energy;
    assert!(energy.injected.abs() > 0.1 * energy.kinetic, "{energy:?}");
    let work: f64 = sink
        .series
        .windows(2)
        .map(|pair| {
            let [a, b] = [&pair[0], &pair[1]].map(|row| row.cell.unwrap());
            let p = b.pressure;
            let volume = |c: &arenite::record::CellRow| c.lengths[..D::N].iter().product::<f64>();
            let middle = 0.5 * (volume(&a) + volume(&b));
            let strain: f64 = (0..D::N)
                .map(|k| p[k][k] * (b.lengths[k] / a.lengths[k]).ln())
                .sum();
            -middle * (strain + p[1][0] * (b.sheared - a.sheared))
        })
        .sum();
    // Means of pressure and of flow are multiplied over a fiftieth of the run, in which both change by some percent.
    close("work", work, energy.injected, 0.02 * energy.injected.abs());
}

#[test]
fn the_book_closes_in_a_moving_cell() {
    book::<Planar>();
    book::<Spatial>();
}

/// L = L0 exp(rate t), and a grain at rest in the flow keeps its share of the cell, to rounding: the acceleration of the
/// scheme is that of the lengths.
#[test]
fn a_strained_cell_carries_its_grains() {
    fn strained<D: Integrate>() {
        let finish = 0.5;
        let mut setup = cell::<D>(linear(1e3, 0.5e3, 2.0, 1.0, 0.4), 2e-4, finish);
        drive(&mut setup, &[0], CellControl::Strain(-0.8), 0.0);
        drive(&mut setup, &[1], CellControl::Strain(0.5), 0.1);
        let start = D::Vector::from_fn(|k| [0.013, 0.021, 0.05][k]);
        add(&mut setup, 0.01, 0.1, start, D::Vector::default());
        let (system, _) = run(&setup);
        let (grain, now) = (system.grains_at(system.time())[0], state(&system));
        let time = system.time();
        close(
            "x",
            now.edges.lengths[0],
            LENGTH * (-0.8 * time).exp(),
            1e-14,
        );
        close(
            "y",
            now.edges.lengths[1],
            LENGTH * (0.5 * (time - 0.1)).exp(),
            1e-14,
        );
        for k in 0..D::N {
            let share = (grain.position[k] + 0.03) / now.edges.lengths[k];
            close("share", share, (start[k] + 0.03) / LENGTH, 1e-12);
        }
        assert!(system.summary().energy.kinetic < 1e-12);
    }
    strained::<Planar>();
    strained::<Spatial>();
}

/// Without grains in its way a pressure presses a cell together at its greatest rate: M r^2 L = A p (rate / r - 1) is left
/// of the equation at a steady rate, which makes the rate a little less than r.
#[test]
fn an_empty_cell_gives_way_at_the_greatest_rate() {
    let (pressure, mass, rate) = (100.0, 0.01, 0.5);
    let mut setup = cell::<Planar>(linear(1e5, 0.5e5, 20.0, 10.0, 0.4), 1e-5, 0.2);
    drive(&mut setup, &[0], pressed(pressure, mass, rate), 0.0);
    let still = Vector::from_fn(|_| 0.0);
    add(&mut setup, 1e-3, 1e-3, still, Vector::from_fn(|_| 0.0));
    let (system, _) = run(&setup);
    let now = state(&system);
    let strain = now.rates.lengths[0] / now.edges.lengths[0];
    let lag = mass * rate * rate * now.edges.lengths[0] / (LENGTH * pressure);
    // To second order in the lag, 1e-5.
    close("rate", strain / rate, -(1.0 + lag), 1e-7);
}

/// A sample pressed from all sides comes to rest under the pressure asked for, on each axis, and the ledger knows the
/// work.
fn rests<D: Integrate>() {
    // The slowest motions of a frictionless packing under a pressure p last as long as sqrt(k / p) contacts and take as many
    // swings to rest: seconds.
    let (pressure, damping, step) = if D::N == 2 {
        (20.0, 6.0, 2e-5)
    } else {
        (2e3, 20.0, 5e-5)
    };
    let mut setup = cell::<D>(linear(1e4, 0.0, damping, 0.0, 0.0), step, 4.0);
    let axes: Vec<usize> = (0..D::N).collect();
    drive(&mut setup, &axes, pressed(pressure, 0.1, 4.0), 0.0);
    crowd(&mut setup, 60, 0.1);
    setup.log.series = Some(0.01);
    let (system, sink) = run(&setup);
    let last = sink.series.last().unwrap().cell.unwrap();
    for k in 0..D::N {
        close("pressure", last.pressure[k][k] / pressure, 1.0, 1e-3);
    }
    let summary = system.summary();
    assert!(summary.energy.balance_error < 1e-3, "{:?}", summary.energy);
    let figures = summary.cell.unwrap();
    assert_eq!(figures.lengths.len(), D::N);
    assert_eq!(figures.friction, None);
    close("fraction", figures.fraction, last.fraction, 0.0);
}

#[test]
fn a_pressed_sample_rests_under_its_pressure() {
    rests::<Planar>();
    rests::<Spatial>();
}

/// A saved state goes on to the same bits.
#[test]
fn a_moving_cell_goes_on_from_a_saved_state() {
    fn again<D: Integrate>() {
        let end = 0.02;
        let mut setup = moving::<D>(end);
        setup.log.series = Some(end / 7.0);
        crowd(&mut setup, 30, 0.5);
        let (whole, sink) = run(&setup);
        let mut first = Saves::default();
        setup.log.checkpoint = Some(end / 2.5);
        let mut saving = System::new(setup.clone()).unwrap();
        finish(&mut saving, &mut first);
        assert!(first.states.len() >= 2);
        for saved in &first.states {
            let mut on = System::restore(setup.clone(), saved).unwrap();
            let mut rest = MemorySink::default();
            finish(&mut on, &mut rest);
            assert_eq!(on.grains_at(end), whole.grains_at(end));
            assert_eq!(state(&on), state(&whole));
            assert_eq!(
                rest.series.last().map(cell_of),
                sink.series.last().map(cell_of)
            );
        }
    }
    fn cell_of(row: &SeriesRow) -> Option<arenite::record::CellRow> {
        row.cell
    }
    again::<Planar>();
    again::<Spatial>();
}

/// Keeps saved states.
#[derive(Default)]
struct Saves {
    states: Vec<Vec<u8>>,
}

impl arenite::record::Sink for Saves {
    fn event(&mut self, _: &arenite::record::EventRow) -> Result<(), arenite::record::RecordError> {
        Ok(())
    }
    fn series(&mut self, _: &SeriesRow) -> Result<(), arenite::record::RecordError> {
        Ok(())
    }
    fn snapshot(
        &mut self,
        _: &[arenite::record::GrainRow],
        _: &[arenite::record::LinkRow],
    ) -> Result<(), arenite::record::RecordError> {
        Ok(())
    }
    fn avalanche(
        &mut self,
        _: &arenite::record::AvalancheRow,
    ) -> Result<(), arenite::record::RecordError> {
        Ok(())
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), arenite::record::RecordError> {
        self.states.push(state.to_vec());
        Ok(())
    }
}

/// All searches list the same pairs across a displaced border: those of all images, one by one.
#[test]
fn searches_agree_across_a_displaced_border() {
    fn agree<D: Integrate>() {
        let mut dice = Dice(3);
        for case in 0..40 {
            let lengths: [f64; 3] = std::array::from_fn(|_| dice.between(0.5, 1.5));
            let periodic: Vec<_> = (0..D::N)
                .map(|k| {
                    Some(PeriodicAxis {
                        origin: 0.2,
                        length: lengths[k],
                    })
                })
                .collect();
            let offset = dice.between(-0.5, 0.5) * lengths[0];
            let edges = Edges { lengths, offset };
            let count = 3 + 4 * case;
            let spread = if case % 2 == 0 { 1.1 } else { 8.0 };
            let radii: Vec<f64> = (0..count)
                .map(|_| dice.between(0.06 / spread, 0.06))
                .collect();
            let places: Vec<D::Vector> = (0..count)
                .map(|_| {
                    let x = dice.vector::<D>(0.0, 1.0);
                    D::Vector::from_fn(|k| 0.2 + x[k] * lengths[k])
                })
                .collect();
            let margin = 0.03;
            let mut want = Vec::new();
            for i in 0..count {
                for j in i + 1..count {
                    let d = shortest(&edges, places[j] - places[i]);
                    if d.norm() < radii[i] + radii[j] + margin {
                        want.push((i as u32, j as u32));
                    }
                }
            }
            let searches: [Box<dyn BroadPhase<D>>; 3] = [
                Box::new(Brute::new()),
                Box::new(Cells::new()),
                Box::new(Levels::always()),
            ];
            for mut search in searches {
                let mut found = Vec::new();
                pairs_across(
                    &mut *search,
                    (&places, &radii),
                    margin,
                    &periodic,
                    offset,
                    &mut found,
                );
                assert_eq!(found, want, "case {case}");
            }
        }
    }
    agree::<Planar>();
    agree::<Spatial>();
}

/// What does not go with a moving cell is refused by the library too, before anything runs.
#[test]
fn what_a_moving_cell_does_not_know_is_refused() {
    let fresh = || {
        let mut setup = cell::<Planar>(linear(1e5, 0.0, 0.0, 0.0, 0.0), 1e-4, 1.0);
        add(
            &mut setup,
            0.01,
            0.1,
            place::<Planar>(0.0, 0.0),
            place::<Planar>(0.0, 0.0),
        );
        setup
    };
    assert!(System::new(fresh()).is_ok());
    let refused = |change: &dyn Fn(&mut Setup<Planar>), word: &str| {
        let mut setup = fresh();
        change(&mut setup);
        let error = System::new(setup).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    refused(
        &|s| s.space.periodic[1] = None,
        "periodic in all directions",
    );
    refused(&|s| floor(s).name.clear(), "no walls");
    refused(
        &|s| s.fields.gravity = place::<Planar>(0.0, -1.0),
        "field.gravity",
    );
    refused(&|s| s.fields.drag = 0.1, "field.drag");
    refused(
        &|s| s.motion.integrator = IntegratorName::Midpoint,
        "verlet",
    );
    // Driven too far, a run ends with a word.
    let mut setup = fresh();
    drive(&mut setup, &[1], CellControl::Strain(-3.0), 0.0);
    let mut system = System::new(setup).unwrap();
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut control = arenite::system::Control::new(&never);
    let error = system
        .run(&mut MemorySink::default(), &mut control)
        .unwrap_err();
    assert!(
        error.to_string().contains("less than two diameters"),
        "{error}"
    );
}
