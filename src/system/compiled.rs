//! Entry into a system, compiled for the plane and for space here, in the library.
//!
//! What is generic over the dimension is compiled by whoever calls it: each program and each crate of tests would compile
//! the whole engine anew, for minutes. The ways in from outside lead through functions of one dimension instead.

use std::any::Any;

use super::domains::{Domains, stepped};
use super::{Control, Outcome, Setup, System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::geometry::{Planar, Spatial};
use crate::ranks::Ranks;
use crate::record::Sink;

/// A value whose type is the other one too.
fn same<A: 'static, B: 'static>(value: A) -> Result<B, A> {
    let mut slot = Some(value);
    let other = (&mut slot as &mut dyn Any).downcast_mut::<Option<B>>();
    match other.and_then(Option::take) {
        Some(found) => Ok(found),
        None => Err(slot.unwrap_or_else(|| unreachable!("nothing was taken"))),
    }
}

/// There are two dimensions.
const BOTH: &str = "the dimension is that of the plane or of space";

/// Calls a method of the system of each dimension.
macro_rules! method {
    ($system:expr, $of:ident ( $($value:expr),* )) => {{
        let system: &mut dyn Any = $system;
        if let Some(system) = system.downcast_mut::<System<Planar>>() {
            planar::$of(system, $($value),*)
        } else if let Some(system) = system.downcast_mut::<System<Spatial>>() {
            spatial::$of(system, $($value),*)
        } else {
            unreachable!("{BOTH}")
        }
    }};
}

/// Makes a system of each dimension.
macro_rules! made {
    ($setup:expr, $of:ident ( $($value:expr),* )) => {{
        let found = match same::<Setup<D>, Setup<Planar>>($setup) {
            Ok(setup) => planar::$of(setup, $($value),*).map(|made| same(made).ok()),
            Err(setup) => match same::<Setup<D>, Setup<Spatial>>(setup) {
                Ok(setup) => spatial::$of(setup, $($value),*).map(|made| same(made).ok()),
                Err(_) => unreachable!("{BOTH}"),
            },
        };
        found.map(|made| made.unwrap_or_else(|| unreachable!("{BOTH}")))
    }};
}

impl<D: Integrate> System<D> {
    /// The system at the start of its setup.
    ///
    /// # Errors
    /// A setup that cannot run: no law for a pair that can meet, shapes that are none, a step that
    /// is far too large.
    pub fn new(setup: Setup<D>) -> Result<Self, SystemError> {
        made!(setup, new())
    }

    /// The system from a saved state.
    ///
    /// # Errors
    /// A state of another format or of another setup.
    pub fn restore(setup: Setup<D>, state: &[u8]) -> Result<Self, SystemError> {
        made!(setup, restore(state))
    }

    /// Runs to the end of the setup, or until interrupted.
    ///
    /// # Errors
    /// A record that cannot be written; a number that is none.
    pub fn run(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        method!(self, run(sink, control))
    }

    /// Runs a setup over ranks, all of which call this with the same setup (docs/ranks.md): the box is cut into bricks, so many along each axis and
    /// one for each rank (none: chosen), and each rank steps what is in its own. Rank 0 alone gives records to its sink and gets the
    /// system back, as after a run of its own.
    ///
    /// # Errors
    /// As of [`System::new`] and [`System::run`]; what ranks cannot share; an error of another rank.
    pub fn run_over(
        setup: Setup<D>,
        bricks: Option<[usize; 3]>,
        ranks: &dyn Ranks,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<(Self, Outcome)>, SystemError> {
        let found = match same::<Setup<D>, Setup<Planar>>(setup) {
            Ok(setup) => planar::run_over(setup, bricks, ranks, sink, control)?
                .map(|(system, outcome)| (same(system).ok(), outcome)),
            Err(setup) => match same::<Setup<D>, Setup<Spatial>>(setup) {
                Ok(setup) => spatial::run_over(setup, bricks, ranks, sink, control)?
                    .map(|(system, outcome)| (same(system).ok(), outcome)),
                Err(_) => unreachable!("{BOTH}"),
            },
        };
        Ok(found.and_then(|(system, outcome)| Some((system?, outcome))))
    }

    /// The state, for a checkpoint: all that decides what comes next.
    pub fn save(&mut self) -> Vec<u8> {
        method!(self, save())
    }
}

/// The functions of one dimension: not generic, so that they are compiled here.
macro_rules! dimension {
    ($name:ident, $dimension:ty) => {
        mod $name {
            use super::*;

            pub fn new(setup: Setup<$dimension>) -> Result<System<$dimension>, SystemError> {
                System::made_of(setup)
            }
            pub fn restore(
                setup: Setup<$dimension>,
                state: &[u8],
            ) -> Result<System<$dimension>, SystemError> {
                System::from_state(setup, state)
            }
            pub fn run(
                system: &mut System<$dimension>,
                sink: &mut dyn Sink,
                control: &mut Control<'_>,
            ) -> Result<Outcome, SystemError> {
                system.run_here(sink, control)
            }
            pub fn run_over(
                setup: Setup<$dimension>,
                bricks: Option<[usize; 3]>,
                ranks: &dyn Ranks,
                sink: &mut dyn Sink,
                control: &mut Control<'_>,
            ) -> Result<Option<(System<$dimension>, Outcome)>, SystemError> {
                Domains::dealt(stepped(setup), bricks, ranks)?.run_shared(sink, control)
            }
            pub fn save(system: &mut System<$dimension>) -> Vec<u8> {
                system.state()
            }
        }
    };
}

dimension!(planar, Planar);
dimension!(spatial, Spatial);
