//! Outcome of collisions by contact law, with the tables that it requires: the same as in a run of
//! collisions alone.

use crate::body::Grain;
use crate::cluster::integrate::Integrate;
use crate::collide::engine::{self, Body, ByLaw, Contacts, Laws, Limits, Rule};
use crate::geometry::Vector;
use crate::system::events::no_start;
use crate::system::{Setup, SystemError, step};
use crate::walls::{Boundary, Motion};

/// Tolerance of the tables, for the tangential impulse in units of friction times effective mass times approach speed: a tenth
/// or less of the error of an instantaneous collision, which neglects the displacement during the contact.
const TOLERANCE: f64 = 1e-3;

/// Returns mass and radius of the least and of the greatest disk or sphere of a material, over present grains and those to come: contacts of others are
/// stepped.
fn extremes<D: Integrate>(setup: &Setup<D>, material: u16) -> Vec<[f64; 2]> {
    let mut ends: Option<[[f64; 2]; 2]> = None;
    let mut see = |mass: f64, radius: f64| {
        let [low, high] = ends.get_or_insert([[mass, radius]; 2]);
        *low = [low[0].min(mass), low[1].min(radius)];
        *high = [high[0].max(mass), high[1].max(radius)];
    };
    let is_round = |grain: &&Grain<D>| grain.material == material && grain.form.is_none();
    for Grain { mass, radius, .. } in setup.grains.iter().filter(is_round) {
        see(*mass, *radius);
    }
    let fed = setup
        .sources
        .feeds
        .iter()
        .flat_map(|feed| feed.what.components());
    for sort in fed.filter(|sort| sort.material == material && sort.form.is_none()) {
        for radius in [sort.radius.least(), sort.radius.greatest()] {
            see(sort.density * D::ball_measure(radius), radius);
        }
    }
    ends.map_or(Vec::new(), Vec::from)
}

/// Builds the tables for all pairs of materials that can meet.
pub(super) fn contacts<D: Integrate>(setup: &Setup<D>) -> Result<Contacts, SystemError> {
    let species = setup.matter.materials.len();
    let fast = step::impact_speed(setup);
    let mut bodies = Vec::new();
    for material in 0..species as u16 {
        for [mass, radius] in extremes(setup, material) {
            bodies.push(Body::<D> {
                position: D::Vector::default(),
                velocity: D::Vector::from_fn(|k| if k == 0 { fast } else { 0.0 }),
                spin: D::Spin::default(),
                rotation: D::identity(),
                radius,
                mass,
                species: material,
            });
        }
    }
    // Only the wall's material matters here; the speed already accounts for its motion.
    let wall = |boundary: &Boundary<D>| Boundary {
        motion: Motion::Fixed,
        belt: D::Vector::default(),
        ..boundary.clone()
    };
    let law = |pair: usize| {
        let (a, b) = ((pair / species) as u16, (pair % species) as u16);
        setup.matter.laws.get(a, b).map(|&law| ByLaw {
            law,
            terms: setup.matter.laws.terms(a, b),
            soft: false,
        })
    };
    let start = engine::Setup {
        bodies,
        coming: Vec::new(),
        min: D::Vector::default(),
        max: D::Vector::default(),
        periodic: [false; 3],
        gravity: setup.fields.gravity,
        fields: None,
        walls: setup.boundaries.iter().map(wall).collect(),
        species,
        rules: vec![Rule::smooth(1.0); species * species],
        laws: Laws {
            pairs: (0..species * species).map(law).collect(),
            tolerance: TOLERANCE,
        },
        limits: Limits::default(),
        shear: None,
        time: 0.0,
    };
    Contacts::build(&start)
        .map_err(|error| SystemError::Setup(no_start(&error, &setup.matter.materials)))
}
