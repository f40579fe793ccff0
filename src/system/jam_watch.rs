//! What looks for rest, and for jams, have found so far, and what they found in the end.

use serde::{Deserialize, Serialize};

use super::rattlers::Mover;
use super::stillness::Look;
use crate::record::Jam;

/// Looks for rest in a row that end settling.
pub(super) const SETTLE_LOOKS: u32 = 3;

/// Looks for a jam in a row, where nothing moves ([`System::jam_look`](super::System::jam_look) apart).
const JAM_LOOKS: u32 = 8;

/// Looks in a row where rattlers still move.
const RATTLE_LOOKS: u32 = 16;

/// The most looks that a verdict takes: where the bed shakes.
pub(super) const LOOKS: u32 = 2 * RATTLE_LOOKS;

/// What any grain may have gone in all these looks, in diameters, where no arch is found.
pub(super) const ANY_CREEP: f64 = 0.02;

/// Where grains are, by number, in order of it, m.
pub(super) type Places = Vec<(u32, [f64; 3])>;

/// Jams that may turn out to be none, between one grain that leaves and the next, before all step.
const UNDONE: u64 = 4;

/// What a jam that is doubted asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// All loads are carried anew.
    Solve,
    /// All are stepped: it has turned out to be none again and again.
    Step,
    /// Nothing: it stands.
    No,
}

/// The watch for rest, while settling, and for jams.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct JamWatch {
    /// While settling, looks in a row at which all rest; then twice the looks in a row that may end in a jam, those at which the bed
    /// shakes counted once.
    calm_looks: u32,
    /// Of these, looks in a row at which nothing moved.
    still_looks: u32,
    /// Where each grain was at the first of the calm looks.
    calm_places: Places,
    /// Numbers of grains that have been seen on their way back there since.
    turned: Vec<u32>,
    /// When something last came from outside: a gate that opened, a perturbation, a change of gravity, s.
    disturbed: f64,
    /// Grains out when a jam last turned out to be none, and how many did since.
    undone: [u64; 2],
    /// The jam that stands: nobody steps until something comes from outside.
    jam: Option<Jam>,
    /// The jam in which a run that is over has ended, as its going on has shown.
    later: Option<Jam>,
}

impl JamWatch {
    /// Books a look for rest; gives whether all have rested for long enough.
    pub fn settle(&mut self, calm: bool) -> bool {
        self.calm_looks = if calm { self.calm_looks + 1 } else { 0 };
        self.calm_looks >= SETTLE_LOOKS
    }

    /// Settling is over.
    pub fn begin(&mut self) {
        self.calm_looks = 0;
    }

    /// Books what a look for a jam has found, with the places of all, which are asked for at the first calm look. Gives whether that has
    /// been so for long enough.
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

    /// Something moves: all that was found before is forgotten.
    pub fn restless(&mut self) {
        self.calm_looks = 0;
        self.still_looks = 0;
        self.calm_places.clear();
        self.turned.clear();
    }

    /// Something came from outside, s.
    pub fn disturb(&mut self, time: f64) {
        self.restless();
        self.disturbed = time;
    }

    /// Gravity changes all the time, s.
    pub fn sway(&mut self, time: f64) {
        self.disturbed = time;
    }

    /// When something last came from outside, s.
    pub fn disturbed(&self) -> f64 {
        self.disturbed
    }

    /// Where a grain was at the first of the calm looks, m.
    pub fn place(&self, id: u32) -> Option<[f64; 3]> {
        let at = self.calm_places.binary_search_by_key(&id, |place| place.0);
        Some(self.calm_places[at.ok()?].1)
    }

    /// Places of the calm looks, for other ranks.
    pub fn places(&self) -> &Places {
        &self.calm_places
    }

    /// Takes places from all ranks, in any order.
    pub fn gather(&mut self, mut places: Places) {
        places.sort_unstable_by_key(|place| place.0);
        places.dedup_by_key(|place| place.0);
        self.calm_places = places;
    }

    /// Whether all that move are where they can stay: each that is in the air, or has gone some way, has been seen on its way
    /// back. What rolls along a floor comes to an edge one day; what swings in a pocket, or hops there, comes back.
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

    /// Before a jam is believed with beds that sleep: what is to be done, after how many grains have left.
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

    /// A jam was doubted: if nothing comes of it for two looks, it is asked for again.
    pub fn look_again(&mut self) {
        self.still_looks = self.still_looks.min(JAM_LOOKS - 2);
        self.calm_looks = self.calm_looks.min(2 * (RATTLE_LOOKS - 2));
    }

    /// Has the next look come to the same end once more, and believe it.
    pub fn believe_next(&mut self) {
        self.calm_looks -= 1;
        self.still_looks = self.still_looks.saturating_sub(1);
        self.undone[1] = UNDONE + 1;
    }

    /// A jam stands.
    pub fn stand(&mut self, jam: Jam) {
        self.jam = Some(jam);
    }

    /// The jam that stands.
    pub fn jam(&self) -> Option<&Jam> {
        self.jam.as_ref()
    }

    /// A jam that a run would have come to if it had gone on after its end.
    pub fn stand_later(&mut self, jam: Jam) {
        self.later = Some(jam);
    }

    /// Such a jam.
    pub fn later(&self) -> Option<&Jam> {
        self.later.as_ref()
    }

    /// Whether all was calm at the last look, and no jam stands.
    pub fn is_calm(&self) -> bool {
        self.calm_looks > 0 && self.jam.is_none()
    }

    /// The run goes on after its end.
    pub fn go_on(&mut self) {
        self.later = None;
    }

    /// A perturbation, s. Gives whether it ends a jam.
    pub fn perturb(&mut self, time: f64) -> bool {
        self.disturb(time);
        self.undone = [0; 2];
        self.jam.take().is_some()
    }
}
