//! Frame of all saved states: the program that wrote it, the kind of run, and the state.
//!
//! A state is bound to the sources of the program: they define its layout, and a run goes on with the same bits only where
//! the same code goes on. No number has to be raised by hand where either changes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::SystemError;

const MAGIC: [u8; 8] = *b"ARENITE\0";

/// Kind of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// Grains that are stepped, in flight and at rest.
    Stepped,
    /// From collision to collision.
    Events,
    /// From equilibrium to equilibrium.
    QuasiStatic,
}

/// Header of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head<'a> {
    magic: [u8; 8],
    version: &'a str,
    /// A hash of the sources.
    revision: &'a str,
    kind: Kind,
}

impl Head<'static> {
    /// Returns the header of this program.
    fn own(kind: Kind) -> Self {
        Self {
            magic: MAGIC,
            version: env!("CARGO_PKG_VERSION"),
            revision: env!("ARENITE_REVISION"),
            kind,
        }
    }
}

fn garbled(error: postcard::Error) -> SystemError {
    SystemError::Saved(error.to_string())
}

/// Returns a state in its frame.
///
/// # Errors
/// The state cannot be written down.
pub(super) fn put<T: Serialize>(kind: Kind, state: &T) -> Result<Vec<u8>, SystemError> {
    postcard::to_stdvec(&(Head::own(kind), state)).map_err(garbled)
}

/// Returns whether a state is that of a kind of run, whichever program wrote it.
pub(super) fn is_of(kind: Kind, bytes: &[u8]) -> bool {
    let read = postcard::take_from_bytes::<Head<'_>>(bytes).ok();
    read.is_some_and(|(head, _)| head.magic == MAGIC && head.kind == kind)
}

/// Returns the state in a frame.
///
/// # Errors
/// It is of another program or kind, or damaged.
pub(super) fn take<T: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Result<T, SystemError> {
    let own = Head::own(kind);
    let read = postcard::take_from_bytes::<Head<'_>>(bytes).ok();
    let (head, state) = read
        .filter(|(head, _)| head.magic == MAGIC)
        .ok_or_else(|| SystemError::Saved("it does not name the program that wrote it: an earlier one did, or it is damaged; start the run again".into()))?;
    if (head.version, head.revision) != (own.version, own.revision) {
        return Err(SystemError::Saved(format!(
            "arenite {} with the sources {} wrote it, and this is {} with {}; resume with the program that wrote it, or start the run again",
            head.version, head.revision, own.version, own.revision
        )));
    }
    if head.kind != kind {
        return Err(SystemError::Saved("it belongs to another scenario".into()));
    }
    postcard::from_bytes(state).map_err(garbled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_taken_out() -> Result<(), SystemError> {
        let bytes = put(Kind::Events, &(3u8, "three"))?;
        let (number, name): (u8, String) = take(Kind::Events, &bytes)?;
        assert_eq!((number, name.as_str()), (3, "three"));
        Ok(())
    }

    #[test]
    fn others_are_refused_by_name() -> Result<(), SystemError> {
        let why = |bytes: &[u8]| match take::<u8>(Kind::Stepped, bytes) {
            Err(error) => error.to_string(),
            Ok(_) => "taken".into(),
        };
        assert!(why(&put(Kind::Events, &7u8)?).contains("another scenario"));
        // Earlier programs began with a number.
        assert!(why(&[25, 0, 0, 0]).contains("does not name the program"));
        assert!(why(&[]).contains("does not name the program"));
        let mut other = put(Kind::Stepped, &7u8)?;
        let revision = env!("ARENITE_REVISION").as_bytes();
        let place = other.windows(revision.len()).position(|w| w == revision);
        let digit = &mut other[place.unwrap_or_default()];
        *digit = if *digit == b'0' { b'1' } else { b'0' };
        let words = why(&other);
        assert!(
            words.contains("with the sources")
                && words.contains("resume with the program that wrote it"),
            "{words}"
        );
        Ok(())
    }
}
