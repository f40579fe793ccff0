//! Record of the checks for rest and for jams, and of their verdict.

use serde::{Deserialize, Serialize};

use super::rattlers::Mover;
use super::stillness::Look;
use crate::record::Jam;

/// Number of calm rest checks in a row that end settling.
pub(super) const SETTLE_LOOKS: u32 = 3;

/// Number of jam checks in a row, where nothing moves (at the interval of `RestLook`).
const JAM_LOOKS: u32 = 8;

/// Number of checks in a row where rattlers still move.
const RATTLE_LOOKS: u32 = 16;

/// Greatest number of checks that a verdict takes: where the bed shakes.
pub(super) const LOOKS: u32 = 2 * RATTLE_LOOKS;

/// Greatest displacement of any grain over all these checks, in diameters, where no arch is found.
pub(super) const ANY_CREEP: f64 = 0.02;

/// Positions of grains, by number, in order of it, m.
pub(super) type Places = Vec<(u32, [f64; 3])>;

/// Number of jams that may be refuted, between one grain that leaves and the next, before all grains are stepped.
const UNDONE: u64 = 4;

/// Test that a doubted jam requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// All loads are solved anew.
    Solve,
    /// All grains are stepped: the jam has been refuted again and again.
    Step,
    /// None: the jam is established.
    No,
}

/// Watch for rest, while settling, and for jams.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct JamWatch {
    /// While settling, number of calm checks in a row; then twice the number of checks in a row that may end in a jam, where those at which
    /// the bed shakes count once.
    calm_looks: u32,
    /// Of these, number of checks in a row at which nothing moved.
    still_looks: u32,
    /// Positions of all grains at the first calm check.
    calm_places: Places,
    /// Numbers of grains that have since been seen on their way back there.
    turned: Vec<u32>,
    /// Time of the last disturbance from outside, s: a gate that opened, a perturbation, a change of gravity.
    disturbed: f64,
    /// Number of grains out when a jam was last refuted, and number of jams refuted since.
    undone: [u64; 2],
    /// The established jam: no grain is stepped until a disturbance from outside.
    jam: Option<Jam>,
    /// Jam in which a run that is over has ended, as its continuation has shown.
    later: Option<Jam>,
}

impl JamWatch {
    /// Books a rest check; returns whether all have been at rest for long enough.
    pub fn settle(&mut self, calm: bool) -> bool {
        self.calm_looks = if calm { self.calm_looks + 1 } else { 0 };
        self.calm_looks >= SETTLE_LOOKS
    }

    /// Resets the count when settling is over.
    pub fn begin(&mut self) {
        self.calm_looks = 0;
    }

    /// Books the result of a jam check; `places` returns the positions of all grains, and is called at the first calm check. Returns whether
    /// the calm has lasted long enough.
    pub fn book(&mut self, look: Look, places: impl FnOnce() -> Places) -> bool {
        if look == Look::Restless {
            self.restless();
            return false;
        }
        if self.calm_looks == 0 {
            self.calm_places = places();
        }
        self.calm_looks += if look == Look::Shakes { 1 } else { 2 };
        self.still_looks = match look {
            Look::Still => self.still_looks + 1,
            _ => 0,
        };
        self.still_looks >= JAM_LOOKS || self.calm_looks >= LOOKS
    }

    /// Forgets all previous checks, since something moves.
    pub fn restless(&mut self) {
        self.calm_looks = 0;
        self.still_looks = 0;
        self.calm_places.clear();
        self.turned.clear();
    }

    /// Books a disturbance from outside at a time, s.
    pub fn disturb(&mut self, time: f64) {
        self.restless();
        self.disturbed = time;
    }

    /// Books gravity that changes all the time, at a time, s.
    pub fn sway(&mut self, time: f64) {
        self.disturbed = time;
    }

    /// Returns the time of the last disturbance from outside, s.
    pub fn disturbed(&self) -> f64 {
        self.disturbed
    }

    /// Returns the position of a grain at the first calm check, m.
    pub fn place(&self, id: u32) -> Option<[f64; 3]> {
        let at = self.calm_places.binary_search_by_key(&id, |place| place.0);
        Some(self.calm_places[at.ok()?].1)
    }

    /// Returns the positions at the first calm check, for other ranks.
    pub fn places(&self) -> &Places {
        &self.calm_places
    }

    /// Takes positions from all ranks, in any order.
    pub fn gather(&mut self, mut places: Places) {
        places.sort_unstable_by_key(|place| place.0);
        places.dedup_by_key(|place| place.0);
        self.calm_places = places;
    }

    /// Returns whether all moving grains are where they can stay: each that is in the air, or has moved some way, has been seen on its way
    /// back. A grain that rolls along a floor reaches an edge one day; one that swings or hops in a pocket comes back.
    pub fn all_stay(&mut self, movers: &[Mover]) -> bool {
        let turned = &mut self.turned;
        turned.extend(movers.iter().filter(|m| m.returns).map(|m| m.id));
        turned.sort_unstable();
        turned.dedup();
        movers.iter().all(|mover| {
            let rests = mover.gone <= ANY_CREEP && !mover.touches.is_empty();
            rests || turned.binary_search(&mover.id).is_ok()
        })
    }

    /// Returns the test to make before a jam is accepted with beds asleep, after so many grains have left.
    pub fn doubt(&mut self, out: u64) -> Doubt {
        let [then, times] = &mut self.undone;
        if *then != out {
            [*then, *times] = [out, 0];
        }
        *times += 1;
        match (*times).cmp(&UNDONE) {
            std::cmp::Ordering::Less => Doubt::Solve,
            std::cmp::Ordering::Equal => Doubt::Step,
            std::cmp::Ordering::Greater => Doubt::No,
        }
    }

    /// Lowers the counts after a jam was doubted: if nothing moves for two checks, the jam is considered again.
    pub fn look_again(&mut self) {
        self.still_looks = self.still_looks.min(JAM_LOOKS - 2);
        self.calm_looks = self.calm_looks.min(2 * (RATTLE_LOOKS - 2));
    }

    /// Lets the next check come to the same result once more, and accept it.
    pub fn believe_next(&mut self) {
        self.calm_looks -= 1;
        self.still_looks = self.still_looks.saturating_sub(1);
        self.undone[1] = UNDONE + 1;
    }

    /// Establishes a jam.
    pub fn stand(&mut self, jam: Jam) {
        self.jam = Some(jam);
    }

    /// Returns the established jam.
    pub fn jam(&self) -> Option<&Jam> {
        self.jam.as_ref()
    }

    /// Records a jam that the run would have reached after its end.
    pub fn stand_later(&mut self, jam: Jam) {
        self.later = Some(jam);
    }

    /// Returns the jam that the run would have reached after its end.
    pub fn later(&self) -> Option<&Jam> {
        self.later.as_ref()
    }

    /// Returns whether all was calm at the last check, and no jam is established.
    pub fn is_calm(&self) -> bool {
        self.calm_looks > 0 && self.jam.is_none()
    }

    /// Forgets the later jam: the run goes on after its end.
    pub fn go_on(&mut self) {
        self.later = None;
    }

    /// Books a perturbation at a time, s; returns whether it ends a jam.
    pub fn perturb(&mut self, time: f64) -> bool {
        self.disturb(time);
        self.undone = [0; 2];
        self.jam.take().is_some()
    }
}
