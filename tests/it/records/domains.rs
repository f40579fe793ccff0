//! One system over many ranks, which are threads here.

use arenite::ranks::{One, Threads};

use crate::domains_checks as checks;

#[test]
fn ranks_share_a_system() {
    checks::domains(&One);
    for size in [2, 3, 4] {
        Threads::run(size, |ranks| checks::domains(ranks));
    }
}
