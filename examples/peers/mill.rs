//! The scenario `mill`: 125 steel balls in a shaken cylinder, for 0.2 s, from collision to collision. LAMMPS has no
//! hard collisions: its contacts last 10 us (of the order of such balls' own by Hertz's law) with the same restitutions, and
//! are seen through in fifty steps. So it is not the same model, but the same question.

use std::f64::consts::PI;

use arenite::geometry::Spatial;
use arenite::scenario::AnySetup;
use arenite::system::{Events, Setup};

use super::lammps::{Atom, data};
use super::{Fallible, Job, Place, Run, ours};

const FINISH: f64 = 0.2;
/// Duration of a contact, s.
const CONTACT: f64 = 1e-5;
const STEP: f64 = 2e-7;

fn setup(seed: u64) -> Fallible<Setup<Spatial>> {
    let values = [
        ("run.end_time", FINISH.to_string()),
        ("seed", seed.to_string()),
    ];
    match ours::scenario("mill", &values)? {
        AnySetup::Spatial(setup) => Ok(setup),
        AnySetup::Planar(_) => Err("the mill is in space".into()),
    }
}

/// Stiffness and damping over the effective mass of a linear contact of this duration and a restitution.
fn law(mass: f64, restitution: f64) -> [f64; 2] {
    let damping = -2.0 * restitution.ln() / CONTACT;
    let stiffness = mass * ((PI / CONTACT).powi(2) + 0.25 * damping * damping);
    [stiffness, damping]
}

fn peer(place: &Place, seed: u64) -> Fallible<Run> {
    let setup = setup(seed)?;
    let atoms: Vec<Atom> = setup.grains.iter().map(Atom::of).collect();
    let file = place.folder.join("mill.data");
    data(&file, &atoms, 1, [-0.04, -0.04, -0.02], [0.04, 0.04, 0.12])?;
    let mass = setup.grains.first().ok_or("a mill without balls")?.mass;
    let ([k, g], [kw, gw]) = (law(0.5 * mass, 0.98), law(mass, 0.95));
    let variables = [
        ("init", "mill.data".into()),
        ("steps", format!("{:.0}", FINISH / STEP)),
        ("h", STEP.to_string()),
        ("k", k.to_string()),
        ("g", g.to_string()),
        ("kw", kw.to_string()),
        ("gw", gw.to_string()),
    ];
    let told = place.lammps.run(&place.folder, "mill", &variables)?;
    Ok(told.last_loop(1.0))
}

pub fn job() -> Fallible<Job> {
    Ok(Job {
        peer: Box::new(peer),
        ours: vec![(
            "from collision to collision",
            Box::new(|_, seed| ours::counted(&mut Events::new(setup(seed)?, None)?)),
        )],
    })
}
