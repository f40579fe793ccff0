//! Values of the command line.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = arenite::outside::setting(bytes);
});
