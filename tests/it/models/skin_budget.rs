//! Candidates are filtered as seldom as skin_budgets allow, and never too seldom.
//!
//! Reference: the same steps with candidates filtered at each, to the bit.

use arenite::cluster::Dem;
use arenite::cluster::integrate::Integrate;
use arenite::neighbor::Cells;
use arenite::system::{Setup, System};
use arenite::vector::Level;

use crate::setups::planar;
use crate::support::{in_two_passes, spatial, stepped};

/// Lists that are never filtered between renewals must be found out, or this could not fail.
fn nothing_is_left_out<D: Integrate>(setup: &Setup<D>, steps: usize) {
    let step = System::<D>::plan(setup).unwrap().step;
    let radius = setup.grains.iter().map(|g| g.radius).sum::<f64>() / setup.grains.len() as f64;
    let engine = || {
        let search = Box::new(Cells::new());
        stepped(
            setup,
            (step, 0),
            (radius, 0.12 * radius),
            search,
            Level::best(),
        )
    };
    let (mut usual, mut always, mut never) = (engine(), engine(), engine());
    for _ in 0..steps {
        in_two_passes(&mut usual);
        never.skin.skin_budgets.set_share(f64::NEG_INFINITY);
        in_two_passes(&mut never);
        always.advance();
        if arenite::cluster::renew::outer_is_stale(&always.world.physics, &always.skin) {
            always.renew();
        } else {
            always.filter();
        }
        always.forces();
    }
    let moved = |engine: &Dem<D>| {
        let arrays = &engine.world.grains.arrays;
        let rows = arrays.rows.iter().chain(&arrays.spins).chain(&arrays.state);
        rows.flat_map(|row| row.0.map(f64::to_bits))
            .collect::<Vec<_>>()
    };
    let filterings = [&usual, &always, &never].map(|engine| engine.book.counts.filterings);
    // Not printed: megabytes.
    assert!(moved(&usual) == moved(&always), "{filterings:?}");
    assert!(moved(&never) != moved(&always), "{filterings:?}");
    assert!(filterings[0] * 5 < filterings[1], "{filterings:?}");
}

/// Some fall fast, most are slow.
#[test]
fn nothing_is_left_out_of_a_flow_in_the_plane() {
    nothing_is_left_out(&planar("dam-break", &[]), 4000);
}

/// A wall moves, too.
#[test]
fn nothing_is_left_out_in_a_drum() {
    nothing_is_left_out(&planar("drum", &["run.step=2e-5"]), 4000);
}

#[test]
fn nothing_is_left_out_of_a_flow_in_space() {
    nothing_is_left_out(&spatial("hopper-3d", &[]), 1500);
}
