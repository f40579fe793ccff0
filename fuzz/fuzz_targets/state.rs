//! Saved states: the first byte says of which run, and whether the rest is a state or changes one.

#![no_main]

use std::sync::LazyLock;

use arenite::outside;
use arenite::scenario::AnySetup;
use libfuzzer_sys::fuzz_target;

static SAVED: LazyLock<Vec<(AnySetup, Vec<u8>)>> =
    LazyLock::new(|| (0..outside::STATES).map(outside::saved).collect());

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let (setup, whole) = &SAVED[usize::from(*first) % outside::STATES];
    let state = match first & 0x80 == 0 {
        true => outside::edited(whole, rest),
        false => rest.to_vec(),
    };
    let _ = outside::state(setup, &state);
});
