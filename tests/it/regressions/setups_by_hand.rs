//! Setups that a caller of the library makes by hand, with mistakes that no scenario file can hold.

use arenite::contact::LawTable;
use arenite::geometry::Planar;
use arenite::system::{Setup, System};

use crate::support::{add, empty, floor, linear, place};

/// Two that can meet without a law, and materials that are none, of grains and of a wall; one grain by itself needs no law.
#[test]
fn a_setup_without_a_law_is_refused() {
    let law = linear(1e5, 5e4, 2.0, 1.0, 0.4);
    let mut bare: Setup<Planar> = empty(law, 1e-5, 1e-3);
    bare.matter.materials = vec!["steel".into(), "glass".into()];
    bare.matter.laws = LawTable::new(2);
    let at = place::<Planar>;
    add(&mut bare, 0.01, 0.1, at(0.0, 0.0), at(0.0, 0.0));
    assert!(System::new(bare.clone()).is_ok());
    let why = |setup: &Setup<Planar>| match System::new(setup.clone()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let mut two = bare.clone();
    add(&mut two, 0.01, 0.1, at(0.1, 0.0), at(0.0, 0.0)).material = 1;
    let none = "`steel` and `glass` can meet, but no law is given for this pair";
    assert_eq!(why(&two), none);
    two.matter.laws.set(0, 1, law);
    assert_eq!(why(&two), "");
    two.grains[1].material = 2;
    assert_eq!(why(&two), "grains are of material 2, but laws are for 2");
    let mut walled = bare.clone();
    floor(&mut walled).material = 1;
    assert_eq!(why(&walled), none);
    assert_eq!(
        System::plan(&walled).err().map(|error| error.to_string()),
        Some(none.into())
    );
    walled.boundaries[0].material = 7;
    let what = why(&walled);
    assert!(
        what.ends_with("is of material 7, but laws are for 2"),
        "{what}"
    );
}
