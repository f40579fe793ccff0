//! What is the same for all rigid bodies of one build: members, masses and ties in the frame of the body.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dimension::RigidDimension;
use super::statics::Statics;
use crate::contact::bond::Beam;
use crate::geometry::{Dimension, Vector};
use crate::stress::StressError;

/// A member of a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Member<D: Dimension> {
    /// Its centre from the body's centre of mass, in the frame of the body, m.
    pub place: D::Vector,
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about its own centre, kg m^2.
    pub inertia: f64,
}

/// A bond of a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tie {
    /// The members that it joins.
    pub ends: [u32; 2],
    /// Its properties; strengths are those of each body.
    pub beam: Beam,
}

/// A build of bodies.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Template<D: Dimension> {
    /// Members.
    pub members: Vec<Member<D>>,
    /// Bonds.
    pub ties: Vec<Tie>,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia about the centre of mass, kg m^2; in the plane the last.
    pub moments: [f64; 3],
    /// Greatest distance of a member from the centre of mass, m.
    pub reach: f64,
    /// Solves of the loads of bonds; made when they are first needed.
    #[serde(skip)]
    statics: Mutex<Option<Box<Statics<D>>>>,
}

impl<D: Dimension> Clone for Template<D> {
    fn clone(&self) -> Self {
        Template {
            members: self.members.clone(),
            ties: self.ties.clone(),
            statics: Mutex::default(),
            ..*self
        }
    }
}

/// Differences up to which two bodies are of one build, over their sizes.
const SAME: f64 = 1e-9;

impl<D: RigidDimension> Template<D> {
    /// Makes a template of members around any origin; returns it with its centre of mass and the rotation of its frame.
    pub fn new(mut members: Vec<Member<D>>, ties: Vec<Tie>) -> (Self, D::Vector, D::Rotation) {
        let mass: f64 = members.iter().map(|member| member.mass).sum();
        let mut centre = D::Vector::default();
        for member in &members {
            centre += member.place * (member.mass / mass);
        }
        let mut inertia = Matrix3::zeros();
        for member in &mut members {
            member.place -= centre;
            let mut arm = Vector3::zeros();
            (0..D::N).for_each(|k| arm[k] = member.place[k]);
            inertia += (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose())
                * member.mass
                + Matrix3::identity() * member.inertia;
        }
        let (rotation, moments) = D::principal(inertia);
        for member in &mut members {
            member.place = D::unrotate(rotation, member.place);
        }
        let far = members.iter().map(|member| member.place.norm());
        let template = Template {
            reach: far.fold(0.0, f64::max),
            members,
            ties,
            mass,
            moments,
            statics: Mutex::default(),
        };
        (template, centre, rotation)
    }

    /// Returns the rotation that brings this build onto another one, if they are the same.
    pub fn turn_onto(&self, other: &Self) -> Option<D::Rotation> {
        let near = |a: f64, b: f64| (a - b).abs() <= SAME * (a.abs() + b.abs());
        let alike = self.members.len() == other.members.len()
            && self.ties.len() == other.ties.len()
            && near(self.mass, other.mass)
            && self.ties.iter().zip(&other.ties).all(|(a, b)| {
                let numbers = |beam: &Beam| {
                    [
                        beam.length,
                        beam.stretching,
                        beam.shearing,
                        beam.straightening,
                        beam.twisting,
                    ]
                };
                let pairs = numbers(&a.beam).into_iter().zip(numbers(&b.beam));
                a.ends == b.ends && pairs.into_iter().all(|(a, b)| near(a, b))
            })
            && self
                .members
                .iter()
                .zip(&other.members)
                .all(|(a, b)| near(a.mass, b.mass) && near(a.inertia, b.inertia));
        if !alike {
            return None;
        }
        let both = self.members.iter().zip(&other.members);
        let pairs: Vec<[D::Vector; 2]> = both.map(|(a, b)| [a.place, b.place]).collect();
        let turn = D::nearest_turn(&pairs);
        let most = SAME * (self.reach + other.reach);
        let fits = |[from, to]: &[D::Vector; 2]| (D::rotate(turn, *from) - *to).norm() <= most;
        pairs.iter().all(fits).then_some(turn)
    }

    /// Returns the solves of the loads of its bonds.
    ///
    /// # Errors
    /// If the bonds leave a member a motion without strain.
    pub fn with_statics<T>(
        &self,
        work: impl FnOnce(&mut Statics<D>) -> Result<T, StressError>,
    ) -> Result<T, StressError> {
        let mut kept: MutexGuard<'_, Option<Box<Statics<D>>>> =
            self.statics.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            *kept = Some(Box::new(Statics::new(self)?));
        }
        match kept.as_deref_mut() {
            Some(statics) => work(statics),
            None => Err(StressError::NotFinite),
        }
    }
}
