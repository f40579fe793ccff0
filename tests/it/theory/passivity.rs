//! A contact gives back no more than it took, whatever is done to it.
//!
//! Two grains, or a grain and a wall, are led along a path: pressed, sheared, rolled and twisted. The work that is done
//! on the contact, less what it stores, is what it has lost: from a virgin contact on that never falls by more than the
//! error of the integration, which goes with the square of the step.
//!
//! Where a tangential damper passes Coulomb's limit by itself, a sliding link is given a spring that pulls back to the limit (Luding
//! 2008, eq. 23, and whoever follows Cundall and Strack 1979): that spring is energy which sliding has not stored. Of laws with
//! such dampers only the whole is looked at: since it was virgin a contact has never given more than it took. (The linear law with a strong
//! damper across does not even hold that, by 2 % of what it stores at most: a contact that slides from its first touch on is
//! given a spring before it has borne anything. docs/laws.md tells.)

use arenite::cluster::Dem;
use arenite::cluster::integrate::Integrate;
use arenite::contact::{
    Cohesion, ContactLaw, ContactTerms, Hertz, HertzHysteretic, Loss, Plastic, Resistance,
    ResistanceKind, ThorntonNing, Viscoelastic,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::Cells;
use arenite::system::Setup;
use arenite::vector::{Level, Row};

use crate::support::*;

const RADIUS: f64 = 0.01;
const MASS: f64 = 0.1;
/// Duration of a path, s, and about how deep it presses and how far it shears, m.
const LAST: f64 = 5e-3;
const DEEP: f64 = 1e-5;

/// A sum of three waves, from -1 to 1, and its rate.
#[derive(Clone, Copy)]
struct Waves([[f64; 3]; 3]);

impl Waves {
    fn new(dice: &mut Dice) -> Self {
        Waves([(); 3].map(|()| {
            let turns = dice.between(0.5, 4.0);
            let rate = turns * std::f64::consts::TAU / LAST;
            [dice.between(-1.0, 1.0) / 3.0, rate, dice.between(0.0, 6.3)]
        }))
    }
    fn at(&self, time: f64) -> f64 {
        self.0
            .iter()
            .map(|[a, w, p]| a * (w * time + p).sin())
            .sum()
    }
    fn rate(&self, time: f64) -> f64 {
        let rates = self.0.iter().map(|[a, w, p]| a * w * (w * time + p).cos());
        rates.sum()
    }
}

/// A path: overlap, shift across (2), surface speeds by spin (3).
struct Path {
    press: Waves,
    shear: [Waves; 2],
    spin: [Waves; 3],
    /// How far the surfaces shear and turn, m.
    far: f64,
}

impl Path {
    fn new(seed: u64, far: f64) -> Self {
        let mut dice = Dice(seed);
        Path {
            press: Waves::new(&mut dice),
            shear: [(); 2].map(|()| Waves::new(&mut dice)),
            spin: [(); 3].map(|()| Waves::new(&mut dice)),
            far,
        }
    }
    /// Where the led grain is, from where it just touches.
    fn place<D: Dimension>(&self, time: f64) -> D::Vector {
        let arc = (std::f64::consts::PI * time / LAST).sin();
        let overlap = DEEP * (arc * (1.0 + 0.8 * self.press.at(time)) - 0.05);
        D::Vector::from_fn(|k| {
            if k == D::N - 1 {
                -overlap
            } else {
                self.far * self.shear[k].at(time)
            }
        })
    }
    /// Radius times spin.
    fn surface_spin(&self, time: f64) -> [f64; 3] {
        self.spin.map(|waves| self.far * waves.rate(time))
    }
}

/// Velocity and surface spin that the integrator carries, and those that forces see.
fn lead<D: Integrate>(engine: &mut Dem<D>, velocity: D::Vector, spin: [f64; 3], seen: bool) {
    let arrays = &mut engine.world.grains.arrays;
    // Of the grain that is led.
    let slot = arrays.slots() - 1;
    let first = if seen { 4 } else { 0 };
    for k in 0..D::N {
        let row = if seen {
            &mut arrays.rows
        } else {
            &mut arrays.state
        };
        row[slot].0[first + k] = velocity[k];
    }
    match (D::N, seen) {
        (2, true) => arrays.rows[slot].0[6] = spin[0],
        (2, false) => arrays.state[slot].0[2] = spin[0],
        (_, true) => arrays.spins[slot].0[..3].copy_from_slice(&spin),
        (_, false) => arrays.state[slot].0[4..7].copy_from_slice(&spin),
    }
}

/// Leads the last grain along a path; calls back after each evaluation with the time and the power done on the contact, W.
fn led<D: Integrate>(
    setup: &Setup<D>,
    steps: usize,
    place: impl Fn(f64) -> D::Vector,
    spin: impl Fn(f64) -> [f64; 3],
    mut look: impl FnMut(&Dem<D>, f64, f64),
) {
    let step = LAST / steps as f64;
    let cells = Box::new(Cells::new());
    let mut engine = stepped(setup, (step, 0), (1e-3, 5e-4), cells, Level::best());
    for n in 0..steps {
        let time = step * n as f64;
        let way = place(time + step) - place(time);
        lead(
            &mut engine,
            way * (1.0 / step),
            spin(time + 0.5 * step),
            false,
        );
        // Who is led does not yield, and neither does the other.
        engine.world.grains.arrays.forces.fill(Row::default());
        engine.advance();
        let ahead = time + step;
        let nudge = 1e-3 * step;
        let velocity = (place(ahead + nudge) - place(ahead - nudge)) * (0.5 / nudge);
        let spin = spin(ahead);
        lead(&mut engine, velocity, spin, true);
        if arenite::cluster::renew::outer_is_stale(&engine.world.physics, &engine.skin) {
            engine.renew();
        } else {
            engine.refresh_inner();
        }
        engine.forces();
        let arrays = &engine.world.grains.arrays;
        let (force, moment) = D::force(arrays, arrays.slots() - 1);
        let mut power = -(0..D::N).map(|k| force[k] * velocity[k]).sum::<f64>();
        power -= (0..D::SPINS).map(|k| moment[k] * spin[k]).sum::<f64>();
        look(&engine, ahead, power);
    }
}

/// What a contact has lost of energy, or all that it took where it has a damper across, J, step by step; and the greatest that it
/// stored.
fn losses<D: Integrate>(
    setup: &Setup<D>,
    path: &Path,
    steps: usize,
    [holds, damped]: [bool; 2],
) -> (Vec<f64>, f64) {
    let (mut work, mut losses, mut most, mut before) = (0.0, Vec::new(), 0.0_f64, 0.0);
    let spin = |time| path.surface_spin(time);
    led(
        setup,
        steps,
        |time| path.place::<D>(time),
        spin,
        |engine, _, power| {
            work += 0.5 * LAST / steps as f64 * (before + power);
            before = power;
            let mut stored = 0.0;
            arenite::cluster::observe::each_contact(&engine.world, |link| {
                stored += link.elastic.sum()
            });
            most = most.max(stored);
            losses.push(if damped && !holds {
                work
            } else {
                work - stored
            });
        },
    );
    (losses, most)
}

/// By how much at most a number falls below what it was at first.
fn greatest_debt(taken: &[f64]) -> f64 {
    let first = taken.first().map_or(0.0, |first| first.max(0.0));
    first - taken.iter().copied().fold(first, f64::min)
}

/// By how much at most a number falls from what it was before.
fn greatest_fall(losses: &[f64]) -> f64 {
    let (mut top, mut fall) = (f64::NEG_INFINITY, 0.0_f64);
    for &loss in losses {
        top = top.max(loss);
        fall = fall.max(top - loss);
    }
    fall
}

/// Grains, or a grain and a wall, that just touch.
fn in_touch<D: Integrate>(law: ContactLaw, slots: ContactTerms, wall: bool) -> Setup<D> {
    let mut setup: Setup<D> = empty(law, 1e-6, LAST);
    setup.matter.laws.set_terms(0, 0, slots);
    if wall {
        floor(&mut setup);
    } else {
        let below = place::<D>(0.0, -1.3 * RADIUS);
        add(&mut setup, 1.3 * RADIUS, MASS, below, D::Vector::default());
    }
    let above = place::<D>(0.0, RADIUS + 0.05 * DEEP);
    add(&mut setup, RADIUS, MASS, above, D::Vector::default());
    setup
}

/// Laws, and what they have beside.
fn laws<D: Dimension>() -> Vec<(&'static str, ContactLaw, ContactTerms)> {
    let hertz = |damping_ratio: f64, friction: f64| {
        ContactLaw::Hertz(Hertz {
            young: 3e7,
            shear: 1.1e7,
            damping_ratio,
            friction,
        })
    };
    let viscoelastic = |dissipation: f64, friction: f64| {
        ContactLaw::Viscoelastic(Viscoelastic {
            young: 2e7,
            shear: 0.9e7,
            dissipation,
            friction,
        })
    };
    let yielding = |damping_ratio: f64| {
        ContactLaw::from(ThorntonNing {
            young: 3e7,
            shear: 1.1e7,
            yield_pressure: 4e5,
            damping_ratio,
            friction: 0.5,
        })
    };
    let spring = |friction: f64, damping: f64| {
        Some(Resistance {
            friction,
            kind: ResistanceKind::Spring {
                stiffness: None,
                damping,
            },
        })
    };
    let turns = |damping: f64| ContactTerms {
        rolling: spring(0.4, damping),
        twisting: (D::N == 3).then(|| spring(0.3, damping)).flatten(),
        ..ContactTerms::default()
    };
    let turning = turns(0.3);
    let cohesion = |cohesion: Cohesion| ContactTerms {
        cohesion: Some(cohesion),
        ..turns(0.0)
    };
    let none = ContactTerms::default();
    vec![
        ("linear", linear(1e5, 7e4, 0.0, 0.0, 0.4), none),
        ("turned", linear(1e5, 7e4, 20.0, 10.0, 0.6), turning),
        (
            "plastic",
            linear(1e5, 7e4, 20.0, 10.0, 0.6),
            ContactTerms {
                plastic: Some(Plastic {
                    unloading: 2e5,
                    cohesion: 1e4,
                }),
                ..turning
            },
        ),
        ("hertz that sticks", hertz(0.0, 10.0), none),
        ("hertz", hertz(0.0, 0.5), none),
        ("damped hertz", hertz(0.2, 0.5), none),
        ("turned hertz", hertz(0.0, 8.0), turning),
        (
            "hertz with a limit on the spring",
            hertz(0.1, 0.5),
            ContactTerms {
                spring_limited: true,
                ..none
            },
        ),
        ("jkr", hertz(0.0, 2.0), cohesion(Cohesion::Jkr(0.02))),
        ("dmt", hertz(0.0, 2.0), cohesion(Cohesion::Dmt(0.02))),
        ("viscoelastic that sticks", viscoelastic(0.0, 10.0), none),
        ("viscoelastic", viscoelastic(3e-5, 0.4), turning),
        ("plastic spheres", yielding(0.0), none),
        ("damped plastic spheres", yielding(0.2), none),
        (
            "hertz_hysteretic",
            ContactLaw::HertzHysteretic(HertzHysteretic {
                young: 3e7,
                unloading: 0.6,
                friction: 0.4,
                smoothing: 1e-3,
            }),
            none,
        ),
    ]
}

/// Whether a damper acts across, or on rolling and twisting, that the limit of the spring does not leave out.
fn is_damped(law: &ContactLaw, slots: &ContactTerms) -> bool {
    let across = match law.loss() {
        Loss::Dashpot { tangential, .. } => tangential,
        Loss::Ratio(damping) | Loss::Dissipation(damping) => damping,
        Loss::Unloading(_) => 0.0,
    };
    let turns = |resistance: Option<Resistance>| {
        let damping = |r: Resistance| match r.kind {
            ResistanceKind::Spring { damping, .. } => damping,
            ResistanceKind::Constant(_) => 0.0,
        };
        resistance.is_some_and(|r| damping(r) > 0.0)
    };
    across > 0.0 && !slots.spring_limited || turns(slots.rolling) || turns(slots.twisting)
}

/// The greatest fall over some paths, over the greatest energy that was stored.
fn worst<D: Integrate>(
    setup: &Setup<D>,
    steps: usize,
    far: f64,
    [holds, damped]: [bool; 2],
) -> f64 {
    let falls = (0..4).map(|seed| {
        let (losses, most) = losses::<D>(setup, &Path::new(17 + seed, far), steps, [holds, damped]);
        // What pulls from the moment of touch on begins and ends with a jump, within a step of which the mean of the
        // power at both ends is of the first order: looked at without these.
        let inner = if holds {
            steps / 10..9 * steps / 10
        } else {
            0..steps
        };
        let of = if damped { greatest_debt } else { greatest_fall };
        of(&losses[inner]) / most
    });
    falls.fold(0.0, f64::max)
}

fn is_passive<D: Integrate>() {
    let mut faults = Vec::new();
    for (name, law, slots) in laws::<D>() {
        for wall in [false, true] {
            for far in [0.3 * DEEP, 3.0 * DEEP] {
                let setup = in_touch::<D>(law, slots, wall);
                let holds = slots.cohesion.is_some() || slots.plastic.is_some();
                let damped = is_damped(&law, &slots);
                let of = |steps| worst::<D>(&setup, steps, far, [holds, damped]);
                let [coarse, fine, finest] = [500, 1000, 2000].map(of);
                println!(
                    "{}D {name}, wall {wall}, far {far:.0e}: {coarse:.1e} {fine:.1e} {finest:.1e}",
                    D::N
                );
                // Twice halved it is a sixteenth; where contacts begin and slip amid steps it is uneven.
                if !(finest < 1e-10 || finest < coarse / 6.0 && coarse < 3e-2) {
                    faults.push(format!(
                        "{}D {name}, wall {wall}: {coarse:.1e} {fine:.1e} {finest:.1e}",
                        D::N
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn contacts_are_passive() {
    is_passive::<Planar>();
    is_passive::<Spatial>();
}

/// Sheared, then pressed, then released by half and pressed again: the force across stays what it was while the contact
/// grows stiffer, and goes with its stiffness, the root of the overlap, while that falls (Thornton and Randall 1988).
fn keeps_its_force<D: Integrate>() {
    let law = ContactLaw::Hertz(Hertz {
        young: 2e7,
        shear: 0.8e7,
        damping_ratio: 0.0,
        friction: 20.0,
    });
    let setup = in_touch::<D>(law, ContactTerms::default(), true);
    // Overlaps at the ends of five stages; between them it goes smoothly.
    let depths = [0.3, 0.3, 1.0, 0.5, 0.8].map(|depth| depth * DEEP);
    let stage = |time: f64| {
        let at = 5.0 * time / LAST;
        let k = (at.max(0.0) as usize).min(4);
        let part = at - k as f64;
        (k, part * part * (3.0 - 2.0 * part))
    };
    let place = |time: f64| {
        let (k, part) = stage(time);
        let from = if k == 0 { -0.05 * DEEP } else { depths[k - 1] };
        let overlap = from + part * (depths[k] - from);
        let shear = [0.0, part, 1.0, 1.0, 1.0][k];
        place::<D>(0.2 * DEEP * shear, -overlap)
    };
    let mut forces = Vec::new();
    led(
        &setup,
        5000,
        place,
        |_| [0.0; 3],
        |engine, time, _| {
            let done = 5.0 * time / LAST;
            if (done - done.round()).abs() < 1e-6 {
                arenite::cluster::observe::each_contact(&engine.world, |link| {
                    forces.push(link.tangential_force.norm())
                });
            }
        },
    );
    let (radius, shear) = (RADIUS, 0.8e7);
    let stiffness = |overlap: f64| 8.0 * shear * (radius * overlap).sqrt();
    let whole = stiffness(depths[1]) * 0.2 * DEEP;
    let released = whole * (depths[3] / depths[2]).sqrt();
    for (got, want) in forces.iter().zip([0.0, whole, whole, released, released]) {
        close("force across", *got, want, 1e-3 * whole);
    }
    assert_eq!(forces.len(), 5);
}

#[test]
fn pressing_keeps_the_force_across() {
    keeps_its_force::<Planar>();
    keeps_its_force::<Spatial>();
}
