//! Who comes to rest where the scenario does not say so.

use arenite::record::Summary;
use arenite::system::why_all_step;

use crate::support::{planar, run, written_planar};

/// Disks in a cup; what `field` holds, and `more` sections.
fn cup(field: &str, fill: &str, more: &str) -> String {
    format!(
        "name = \"cup\"\ndimension = 2\n[field]\n{field}\n[run]\nend_time = 1.5\n[log]\nsnapshots = \"never\"\n{more}\n\
         [material.a]\ndensity = 1000.0\n[[law]]\nbetween = [\"a\", \"a\"]\n[law.linear]\nnormal_stiffness = 1e5\n\
         tangential_stiffness = 5e4\nnormal_damping = 20.0\ntangential_damping = 5.0\nfriction = 0.5\n\
         [[boundary]]\nname = \"cup\"\nmaterial = \"a\"\nbox = {{ min = [0.0, 0.0], max = [0.1, 1.0], grains = \"inside\" }}\n\
         [[fill]]\nmaterial = \"a\"\n{fill}\n[fill.lattice]\ncount = 40\nradius = 0.005\nmin = [0.0, 0.0]\nmax = [0.1, 0.2]\njitter = 1.0\n\
         speed = 0.1\n"
    )
}

const DOWN: &str = "gravity = [0.0, -9.8]";

fn summary(text: &str) -> Summary {
    run(&written_planar(text)).0.summary()
}

/// A bed comes to rest under gravity, with the bits of a scenario that asks for it, and with a section that forbids it is stepped.
#[test]
fn a_bed_rests_by_default() {
    let setup = written_planar(&cup(DOWN, "", ""));
    assert!(setup.models.morph.is_some_and(|morph| morph.by_default));
    let left = summary(&cup(DOWN, "", ""));
    let asked = summary(&cup(DOWN, "", "[morph]"));
    let stepped = summary(&cup(DOWN, "", "[morph]\nrigid = false"));
    assert!(left.regimes.rest + left.regimes.rigid > 0.3);
    assert_eq!(left.state_hash, asked.state_hash);
    assert_eq!(stepped.regimes.rest + stepped.regimes.rigid, 0.0);
    assert!(left.work.grain_steps < stepped.work.grain_steps / 2);
    assert_eq!(left.warnings, Vec::<String>::new());
}

/// Where nothing falls, what moves cannot rest, or a shape was not found to be right, all are stepped, and it is known why.
#[test]
fn what_does_not_suit_is_stepped_without_a_word() {
    let weightless = written_planar(&cup("", "", ""));
    let ovals = written_planar(&cup(DOWN, "shape = \"oval\"", ""));
    let sheared = planar("simple-shear", &[]);
    let events = planar("billiard", &[]);
    for (setup, why) in [
        (weightless, "without gravity"),
        (ovals, "of a shape"),
        (sheared, "without gravity"),
        (events, "another model"),
    ] {
        assert!(setup.models.morph.is_none());
        let told = why_all_step(&setup).expect("a reason");
        assert!(told.contains(why), "{told}");
    }
}
