//! Faults that a reader found, each by its own case.

use arenite::record::NullSink;
use arenite::system::System;

use crate::cli_tools::number;
use crate::commands::scenarios_run::run_text;
use crate::support::{Checkpoints, finish, planar, run, written_planar};

const STONE: &str = "[[law]]\nbetween = [\"stone\", \"stone\"]\n[law.linear]\nnormal_stiffness = 2e6\n\
    tangential_stiffness = 1e6\nnormal_damping = 200.0\ntangential_damping = 100.0\nfriction = 0.5\n";

const SOFT: &str = "[[law]]\nbetween = [\"stone\", \"stone\"]\n[law.linear]\nnormal_stiffness = 2e5\n\
    tangential_stiffness = 1e5\nnormal_damping = 1500.0\ntangential_damping = 500.0\nfriction = 0.4\nper_mass = true\n";

/// A grain of arcs that falls on the free end of a wall: an arc of its far side, whose middle lies beyond the end, must
/// not be taken for the one that touches. A contact as deep as the grain brings energy from nowhere.
#[test]
fn an_arc_on_the_end_of_a_wall_gains_no_energy() {
    for x in [-0.005, -0.003, 0.002] {
        let (_, figures) = run_text(
            2,
            &format!(
                "[field]\ngravity = [0.0, -1.0]\n[run]\nend_time = 0.5\n[material.stone]\ndensity = 2500.0\n{STONE}\
                 [[boundary]]\nname = \"shelf\"\nmaterial = \"stone\"\n\
                 segment = {{ from = [-1.0, 0.0], to = [0.0, 0.0] }}\n[[fill]]\nmaterial = \"stone\"\n\
                 shape = \"quasi-triangle\"\n[[fill.grains]]\nposition = [{x}, 0.03]\nradius = 0.01\n\
                 rotation = 1.5\n"
            ),
        );
        // The step leaves some 1e-4 of what flows.
        let error = number(&figures, "/energy/balance_error");
        assert!(error < 1e-2, "at {x}: {error}");
    }
}

/// Grains of arcs that go on from any saved state end with the same bits.
#[test]
fn grains_of_arcs_go_on_with_the_same_bits() {
    let few = [
        "fill[0].lattice.count=100",
        "run.end_time=0.4",
        "log.checkpoint=0.06",
    ];
    for shape in ["quasi-triangle", "quasi-square"] {
        let name = format!("fill[0].shape=\"{shape}\"");
        let setup = planar("settle-shapes", &[&few[..], &[name.as_str()]].concat());
        let mut system = System::new(setup.clone()).unwrap();
        let mut sink = Checkpoints::default();
        finish(&mut system, &mut sink);
        assert!(sink.states.len() >= 5, "{}", sink.states.len());
        for state in &sink.states {
            let mut again = System::restore(setup.clone(), state).unwrap();
            finish(&mut again, &mut NullSink);
            assert_eq!(again.state_hash(), system.state_hash(), "{shape}");
        }
    }
}

/// Grains of arcs that stand still, all of them, are found where they are by a run that goes on from a saved state: no step
/// comes there to tell which of their arcs face each other, and one was taken to lie six radii deep in another.
#[test]
fn grains_of_arcs_that_stand_still_are_not_crushed_by_a_resume() {
    let setup = written_planar(&format!(
        "name = \"still\"\ndimension = 2\nseed = 3\n[field]\ngravity = [0.0, -29.4]\n[run]\nend_time = 0.3\n[log]\n\
         checkpoint = 0.03\n[morph]\nkinetic = 0.3\ndwell = 1e-3\nresidual = 3.0\nresidual_after_solve = 6.0\nwake = 20.0\n\
         wake_share = 2.0\n[material.stone]\ndensity = 1000.0\n{SOFT}[[boundary]]\nname = \"vessel\"\n\
         material = \"stone\"\nbox = {{ min = [0.0, 0.0], max = [0.05, 0.3], grains = \"inside\" }}\n[[fill]]\n\
         material = \"stone\"\nshape = \"quasi-square\"\n[fill.lattice]\ncount = 9\nradius = 0.006\nmin = [0.0, 0.0]\n\
         max = [0.05, 0.08]\njitter = 0.8\n"
    ));
    let mut system = System::new(setup.clone()).unwrap();
    let mut sink = Checkpoints::default();
    finish(&mut system, &mut sink);
    assert!(sink.states.len() >= 9, "{}", sink.states.len());
    for state in &sink.states {
        let mut again = System::restore(setup.clone(), state).unwrap();
        finish(&mut again, &mut NullSink);
        assert_eq!(again.state_hash(), system.state_hash());
    }
}

/// Who has left through an outlet is gone, in a periodic box too: no place there is far from all others.
#[test]
fn who_left_a_periodic_box_touches_nobody() {
    for length in [0.7, 1.0] {
        let (_, figures) = run_text(
            2,
            &format!(
                "[field]\ngravity = [0.0, -9.8]\n[periodic]\nx = [0.0, {length}]\n[run]\nend_time = 1.0\n\
                 [material.stone]\ndensity = 1000.0\n{STONE}[[outlet]]\n\
                 plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n[[fill]]\nmaterial = \"stone\"\n\
                 [fill.lattice]\ncount = 300\nradius = 0.01\nmin = [0.0, 0.05]\nmax = [{length}, 0.9]\n\
                 jitter = 1.0\nspeed = 0.5\n"
            ),
        );
        assert_eq!(number(&figures, "/grains/final"), 0.0);
        let error = number(&figures, "/energy/balance_error");
        assert!(error < 1e-3, "{length}: {error}");
    }
}

/// A magnetic field that lies in the plane turns a charge out of it: in the plane it does nothing.
#[test]
fn a_field_in_the_plane_does_no_work() {
    let (_, figures) = run_text(
        2,
        &format!(
            "[field]\nmagnetic = [100.0, 0.0, 0.0]\n[run]\nend_time = 0.5\n[material.stone]\ndensity = 1000.0\n\
             charge_per_mass = 1.0\n{STONE}[[fill]]\nmaterial = \"stone\"\n[[fill.grains]]\n\
             position = [0.0, 0.0]\nradius = 0.01\nvelocity = [0.0, 1.0]\n"
        ),
    );
    let mass = std::f64::consts::PI * 1e-4 * 1000.0;
    let kinetic = number(&figures, "/energy/kinetic");
    assert!((kinetic / (0.5 * mass) - 1.0).abs() < 1e-12, "{kinetic}");
}

/// Found by runs drawn at random (seed 88): a grain of arcs that lay deeper in a moving wall than its smallest corner is round was taken
/// by another arc, and the balance was off by a fiftieth of what flowed here, by half elsewhere.
#[test]
fn corners_of_arcs_deep_in_a_moving_wall_keep_the_balance() {
    for wall in [
        "plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }",
        "box = { min = [0.0, 0.0], max = [0.2, 0.2], grains = \"inside\" }",
    ] {
        let text = format!(
            "name = \"deep\"\ndimension = 2\nseed = 88\n[field]\ngravity = [-1.0, -11.0]\n[run]\nend_time = 0.3\nflight = false\n\
             [material.stuff]\ndensity = 2564.0\n[[law]]\nbetween = [\"stuff\", \"stuff\"]\nlinear = {{ normal_stiffness = 4e4, \
             tangential_stiffness = 1e4, normal_damping = 38.0, tangential_damping = 0.0, friction = 0.0, per_mass = true }}\n\
             [[boundary]]\nname = \"wall\"\nmaterial = \"stuff\"\n{wall}\n\
             motion = {{ parabolic = {{ amplitude = [0.0, -0.0061], frequency = 6.0 }} }}\n[[fill]]\nmaterial = \"stuff\"\n\
             shape = \"quasi-heptagon\"\nlattice = {{ count = 8, radius = 0.008, min = [0.05, 0.01], max = [0.15, 0.1], jitter = 0.9, \
             speed = 0.2 }}\n"
        );
        let (system, _) = run(&written_planar(&text));
        // What a sound step leaves (docs/reliability.md).
        let off = system.summary().energy.balance_error;
        assert!(off < 1e-3, "{wall}: {off}");
    }
}
