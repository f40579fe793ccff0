//! The contact network of a packing: number of contacts, sliding ones, directions, forces, and rigidity.

use serde::Serialize;

use super::ensemble::quantile;
use super::error::{StudyError, check, enough};
use super::fabric::{Touch, tensor};
use crate::geometry::{Planar, Spatial};
use crate::record::read::Snapshot;
use crate::record::{BodyRef, LinkRow};
use crate::rigidity::{BodyKind, Pebble};
use crate::stress::LinkState;

/// A contact of grains; grains are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkLink {
    /// First grain.
    pub first: usize,
    /// Second grain; none for a wall.
    pub second: Option<usize>,
    /// Direction of the normal, of any length and either sign.
    pub normal: [f64; 3],
    /// Normal force, N, positive in compression.
    pub force: f64,
    /// Whether the contact slides.
    pub sliding: bool,
}

/// Statistics of a contact network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    /// Number of grains.
    pub grains: usize,
    /// Number of contacts, including those with walls.
    pub contacts: usize,
    /// Number of contacts with walls.
    pub with_walls: usize,
    /// Contacts per grain; a contact of two grains counts for both.
    pub coordination: f64,
    /// Number of bearing grains: see [`bearing`].
    pub bearing: usize,
    /// Fraction of the other grains, the rattlers.
    pub rattlers: f64,
    /// Contacts per bearing grain, without those with rattlers; none without bearing grains.
    pub coordination_bearing: Option<f64>,
    /// Fraction of sliding contacts, among those of bearing grains with each other and with walls.
    pub sliding: Option<f64>,
    /// Mean normal force, N.
    pub mean_force: Option<f64>,
    /// Forces relative to their mean below which 10, 50, 90 and 99 % of the contacts are.
    pub percentiles: Option<[f64; 4]>,
    /// Fabric tensor, the mean of n n (Satake 1982), row by row.
    pub fabric: Option<Vec<Vec<f64>>>,
    /// Anisotropy of the contacts: 2 (F1 - F2) in the plane, 5/2 (F1 - F3) in space, of the greatest and least
    /// principal value; the amplitude of the second harmonic of their directions.
    pub anisotropy: Option<f64>,
}

/// Returns which grains bear load: those with at least as many contacts as dimensions with walls and other bearing
/// grains. Fewer contacts cannot hold a grain in place, with friction or without; a grain that is held by such grains
/// falls with them.
///
/// # Errors
/// Contacts of grains that do not exist.
pub fn bearing(
    dimensions: usize,
    grains: usize,
    links: &[NetworkLink],
) -> Result<Vec<bool>, StudyError> {
    let mut contacts = vec![0usize; grains];
    let mut links_of: Vec<Vec<u32>> = vec![Vec::new(); grains];
    for (number, link) in links.iter().enumerate() {
        for grain in [Some(link.first), link.second].into_iter().flatten() {
            check(
                "index of a grain in a contact",
                grain as f64,
                "under the number of grains",
                |_| grain < grains,
            )?;
            contacts[grain] += 1;
            links_of[grain].push(number as u32);
        }
    }
    let mut bears = vec![true; grains];
    let mut fallen: Vec<usize> = (0..grains).filter(|g| contacts[*g] < dimensions).collect();
    for &grain in &fallen {
        bears[grain] = false;
    }
    while let Some(grain) = fallen.pop() {
        for &number in &links_of[grain] {
            let link = &links[number as usize];
            for other in [Some(link.first), link.second].into_iter().flatten() {
                if bears[other] {
                    contacts[other] -= 1;
                    if contacts[other] < dimensions {
                        bears[other] = false;
                        fallen.push(other);
                    }
                }
            }
        }
    }
    Ok(bears)
}

fn among(link: &NetworkLink, bears: &[bool]) -> bool {
    bears[link.first] && link.second.is_none_or(|second| bears[second])
}

/// Evaluates the contacts of `grains` grains in 2 or 3 dimensions.
///
/// # Errors
/// No grains, contacts of grains that do not exist, normals without length.
pub fn network(
    dimensions: usize,
    grains: usize,
    links: &[NetworkLink],
) -> Result<Network, StudyError> {
    enough("grains", grains, 1)?;
    let bears = bearing(dimensions, grains, links)?;
    let ends = |links: &[&NetworkLink]| {
        let two = links.iter().filter(|link| link.second.is_some()).count();
        (links.len() + two) as f64
    };
    let all: Vec<&NetworkLink> = links.iter().collect();
    let carrying: Vec<&NetworkLink> = links.iter().filter(|l| among(l, &bears)).collect();
    let bearing = bears.iter().filter(|b| **b).count();
    let mut forces: Vec<f64> = links
        .iter()
        .map(|link| link.force)
        .filter(|f| *f > 0.0 && f.is_finite())
        .collect();
    forces.sort_by(f64::total_cmp);
    let mean_force = (!forces.is_empty()).then(|| forces.iter().sum::<f64>() / forces.len() as f64);
    let fabric = match links.is_empty() {
        true => None,
        false => Some(fabric(dimensions, links)?),
    };
    Ok(Network {
        grains,
        contacts: links.len(),
        with_walls: links.iter().filter(|link| link.second.is_none()).count(),
        coordination: ends(&all) / grains as f64,
        bearing,
        rattlers: 1.0 - bearing as f64 / grains as f64,
        coordination_bearing: (bearing > 0).then(|| ends(&carrying) / bearing as f64),
        sliding: (!carrying.is_empty()).then(|| {
            let sliding = carrying.iter().filter(|link| link.sliding).count();
            sliding as f64 / carrying.len() as f64
        }),
        mean_force,
        percentiles: mean_force
            .map(|mean| [0.1, 0.5, 0.9, 0.99].map(|p| quantile(&forces, p) / mean)),
        anisotropy: fabric.as_deref().map(anisotropy),
        fabric,
    })
}

fn fabric(dimensions: usize, links: &[NetworkLink]) -> Result<Vec<Vec<f64>>, StudyError> {
    if dimensions == 2 {
        let touch = |link: &NetworkLink| Touch::<Planar> {
            first: link.first,
            second: link.second,
            normal: nalgebra::Vector2::new(link.normal[0], link.normal[1]),
        };
        return tensor(&links.iter().map(touch).collect::<Vec<_>>(), None);
    }
    let touch = |link: &NetworkLink| Touch::<Spatial> {
        first: link.first,
        second: link.second,
        normal: nalgebra::Vector3::from(link.normal),
    };
    tensor(&links.iter().map(touch).collect::<Vec<_>>(), None)
}

fn anisotropy(fabric: &[Vec<f64>]) -> f64 {
    let n = fabric.len();
    if n == 2 {
        return 2.0 * (fabric[0][0] - fabric[1][1]).hypot(2.0 * fabric[0][1]);
    }
    let matrix = nalgebra::Matrix3::from_fn(|i, j| fabric[i][j]);
    let values = matrix.symmetric_eigenvalues();
    2.5 * (values.max() - values.min())
}

/// Rigidity of a planar network, by counting constraints (the pebble game).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rigidity {
    /// Number of rigid groups of at least two bodies; all walls together are one body.
    pub groups: usize,
    /// Fraction of the bearing grains in the largest group.
    pub largest: f64,
    /// Number of independent motions of the bearing grains that strain no contact, except those of the whole.
    pub floppy_modes: usize,
    /// Number of redundant constraints.
    pub redundant: usize,
}

/// Counts constraints in the network of the bearing grains in the plane: a sticking contact constrains two
/// directions, a sliding one one. All walls form one rigid body. `round` says which grains are disks. None where no
/// grain bears load.
///
/// # Errors
/// Contacts of grains that do not exist.
pub fn rigidity(
    grains: usize,
    links: &[NetworkLink],
    round: impl Fn(usize) -> bool,
) -> Result<Option<Rigidity>, StudyError> {
    let bears = bearing(2, grains, links)?;
    let mut game = Pebble::new();
    let mut keys = vec![None; grains];
    for grain in (0..grains).filter(|g| bears[*g]) {
        let kind = if round(grain) {
            BodyKind::Disk
        } else {
            BodyKind::Shape
        };
        keys[grain] = Some(game.add_body(kind));
    }
    let bearing = game.bodies();
    if bearing == 0 {
        return Ok(None);
    }
    let mut walls = None;
    for link in links.iter().filter(|link| among(link, &bears)) {
        let Some(a) = keys[link.first] else { continue };
        let b = match link.second {
            Some(second) => match keys[second] {
                Some(b) => b,
                None => continue,
            },
            None => *walls.get_or_insert_with(|| game.add_body(BodyKind::Shape)),
        };
        let state = if link.sliding {
            LinkState::Slide
        } else {
            LinkState::Grip
        };
        game.insert_link(a, b, state);
    }
    let groups = game.clusters();
    let of_grains = |group: &Vec<usize>| group.iter().filter(|b| Some(**b) != walls).count();
    let largest = groups.iter().map(of_grains).max().unwrap_or(0);
    Ok(Some(Rigidity {
        groups: groups.len(),
        largest: largest as f64 / bearing as f64,
        floppy_modes: game.floppy_modes(),
        redundant: game.redundant(),
    }))
}

/// Returns the contacts of a snapshot; grains are numbered in the order of its rows. A contact with a body that is
/// not in the snapshot counts as one with a wall.
pub fn links(snapshot: &Snapshot) -> Vec<NetworkLink> {
    let mut numbers: Vec<(u32, usize)> = snapshot
        .grains
        .iter()
        .enumerate()
        .map(|(k, g)| (g.grain, k))
        .collect();
    numbers.sort_unstable();
    let number = |body: BodyRef| {
        let BodyRef::Grain(id) = body else {
            return None;
        };
        let found = numbers.binary_search_by_key(&id, |n| n.0).ok()?;
        Some(numbers[found].1)
    };
    let link = |row: &LinkRow| {
        let (a, b) = (number(row.body_a), number(row.body_b));
        let (first, second) = match (a, b) {
            (Some(a), b) => (a, b),
            (None, Some(b)) => (b, None),
            (None, None) => return None,
        };
        row.normal_force.is_finite().then_some(NetworkLink {
            first,
            second,
            normal: row.normal,
            force: row.normal_force,
            sliding: row.slipping,
        })
    };
    snapshot.links.iter().filter_map(link).collect()
}
