//! The thesis's hopper: 5 s of discharge.

use arenite::geometry::Planar;
use arenite::scenario::AnySetup;
use arenite::system::Setup;

use super::lammps::{Atom, data};
use super::{Fallible, Job, Place, Run, ours};

/// Fillings by seed: the scenario's own.
fn setup(seed: u64, step: Option<&str>) -> Fallible<Setup<Planar>> {
    let mut values = vec![("seed", seed.to_string())];
    values.extend(step.map(|s| ("run.step", s.to_string())));
    match ours::scenario("hopper", &values)? {
        AnySetup::Planar(setup) => Ok(setup),
        AnySetup::Spatial(_) => Err("the hopper is planar".into()),
    }
}

fn peer(place: &Place, seed: u64) -> Fallible<Run> {
    let setup = setup(seed, None)?;
    let atoms: Vec<Atom> = setup.grains.iter().map(Atom::of).collect();
    let top = atoms.iter().fold(0.0_f64, |top, a| top.max(a.position[1])) + 0.3;
    let file = place.folder.join("hopper.data");
    data(&file, &atoms, 2, [-0.05, -0.06, -0.05], [0.35, top, 0.05])?;
    let variables = [
        ("init", "hopper.data".into()),
        ("out", "hopper-curve".into()),
    ];
    let told = place.lammps.run(&place.folder, "hopper", &variables)?;
    let left = told.last.iter().find(|(name, _)| name == "Atoms");
    let mut run = told.last_loop(1.0);
    run.through = left.is_some_and(|(_, count)| *count == 0.0);
    Ok(run)
}

pub fn job() -> Job {
    Job {
        peer: Box::new(peer),
        ours: vec![
            (
                "1e-5 s",
                Box::new(|_, seed| ours::from_time_0(setup(seed, Some("1e-5"))?)),
            ),
            (
                "own step",
                Box::new(|_, seed| ours::from_time_0(setup(seed, None)?)),
            ),
        ],
    }
}
