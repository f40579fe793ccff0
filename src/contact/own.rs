//! Contact laws defined by the calling program.
//!
//! Kernels are compiled for the laws of this crate. A law of the calling program is evaluated through a pointer, eight contacts at a time, by the
//! kernels of laws with additional terms ([`Composed`](super::Composed)).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::law::{Contact, Elastic, Law, Loss, Response};
use crate::vector::{LANES, Lanes};

/// One number for each of eight contacts.
pub type Eight = [f64; LANES];

/// A contact law defined by the calling program: a normal force that depends on the overlap, dashpots, a tangential spring and Coulomb friction.
/// Equal arguments must give equal results: kernels evaluate it from many threads.
pub trait OwnLaw: Debug + Send + Sync {
    /// Returns the name in messages and saved states, unique in a program.
    fn name(&self) -> &str;

    /// Returns Coulomb's coefficient.
    fn friction(&self) -> f64;

    /// Returns the elastic forces and the coefficients of eight contacts. `sliding` is 0. An overlap of 0 or less must give no elastic force.
    fn respond(&self, contact: &Contact<Eight>) -> Response<Eight>;

    /// Returns a power law that bounds the stiffness; it determines the time step and the duration of collisions. It must be the normal force
    /// itself unless [`OwnLaw::energy`] and [`OwnLaw::stiffness`] are defined.
    fn elastic(&self) -> Elastic;

    /// Returns the loss along the normal, which determines the time step and the restitution.
    fn loss(&self) -> Loss;

    /// Returns the tangential stiffness at an overlap (m) and an effective radius (m), N/m, equal to that of [`OwnLaw::respond`].
    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64;

    /// Returns the elastic energy of the normal force, J.
    fn energy(&self, overlap: f64, radius: f64) -> f64 {
        self.elastic().energy(overlap, radius)
    }

    /// Returns the normal stiffness, N/m.
    fn stiffness(&self, overlap: f64, radius: f64) -> f64 {
        self.elastic().stiffness(overlap, radius)
    }
}

/// All laws of the calling program, by name.
static LAWS: Mutex<BTreeMap<String, &'static dyn OwnLaw>> = Mutex::new(BTreeMap::new());

/// Handle of such a law in a setup. Saved states contain only its name.
#[derive(Clone, Copy, Debug)]
pub struct OwnLawHandle(&'static dyn OwnLaw);

impl OwnLawHandle {
    /// Registers a law for the rest of the process. States that are restored later use the latest law of a name.
    pub fn new(law: impl OwnLaw + 'static) -> Self {
        let law: &'static dyn OwnLaw = Box::leak(Box::new(law));
        let mut laws = LAWS.lock().unwrap_or_else(PoisonError::into_inner);
        laws.insert(law.name().to_owned(), law);
        OwnLawHandle(law)
    }

    /// Returns the name of the law.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl PartialEq for OwnLawHandle {
    fn eq(&self, other: &Self) -> bool {
        // Laws without fields may share an address.
        self.name() == other.name() && std::ptr::addr_eq(self.0, other.0)
    }
}

impl Serialize for OwnLawHandle {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(to)
    }
}

impl<'de> Deserialize<'de> for OwnLawHandle {
    fn deserialize<R: Deserializer<'de>>(from: R) -> Result<Self, R::Error> {
        let name = String::deserialize(from)?;
        let laws = LAWS.lock().unwrap_or_else(PoisonError::into_inner);
        let law = laws.get(&name).copied();
        law.map(OwnLawHandle).ok_or_else(|| {
            serde::de::Error::custom(format!("the program has no contact law `{name}`"))
        })
    }
}

impl Law for OwnLawHandle {
    const NEEDS_RADIUS: bool = true;
    const STIFFENS: bool = true;
    // Evaluated by the kernels of laws with additional terms.
    const COMPOSED: bool = true;

    fn friction(&self) -> f64 {
        self.0.friction()
    }

    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        let response = self.0.respond(&Contact {
            overlap: contact.overlap.to_array(),
            inverse_mass: contact.inverse_mass.to_array(),
            radius: contact.radius.to_array(),
            speed: contact.speed.to_array(),
            sliding: [0.0; LANES],
        });
        Response {
            elastic: L::from_array(response.elastic),
            normal_damping: L::from_array(response.normal_damping),
            tangential_stiffness: L::from_array(response.tangential_stiffness),
            tangential_compliance: L::from_array(response.tangential_compliance),
            tangential_damping: L::from_array(response.tangential_damping),
        }
    }

    fn elastic(&self) -> Elastic {
        self.0.elastic()
    }

    fn loss(&self) -> Loss {
        self.0.loss()
    }

    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64 {
        self.0.tangential_stiffness(overlap, radius)
    }

    /// Returns the ratio at an overlap of a thousandth of a radius.
    fn tangential_ratio(&self) -> f64 {
        let (overlap, radius) = (1e-3, 1.0);
        let normal = self.0.stiffness(overlap, radius);
        match normal > 0.0 {
            true => self.0.tangential_stiffness(overlap, radius) / normal,
            false => 0.0,
        }
    }

    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        self.0.energy(overlap, radius)
    }

    #[inline(always)]
    fn normal_stiffness<L: Lanes>(&self, overlap: L, radius: L) -> L {
        let (overlap, radius) = (overlap.to_array(), radius.to_array());
        L::from_array(std::array::from_fn(|k| {
            self.0.stiffness(overlap[k], radius[k])
        }))
    }
}
