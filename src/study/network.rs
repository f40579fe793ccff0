//! The network of contacts of a packing: how many, which of them slide, which way they point, how strong they
//! are, and what of it is rigid.

use serde::Serialize;

use super::ensemble::quantile;
use super::error::{StudyError, check, enough};
use super::fabric::{Touch, tensor};
use crate::geometry::{Planar, Spatial};
use crate::qrb::{BodyKind, Pebble};
use crate::record::read::Snapshot;
use crate::record::{BodyRef, LinkRow};
use crate::stress::LinkState;

/// A contact of grains, which are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkLink {
    /// One grain.
    pub first: usize,
    /// The other; none for a wall.
    pub second: Option<usize>,
    /// Direction of the normal, of any length and either sense.
    pub normal: [f64; 3],
    /// Normal force, N, positive in compression.
    pub force: f64,
    /// Whether it slides.
    pub sliding: bool,
}

/// What a network of contacts says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    /// Grains.
    pub grains: usize,
    /// Contacts, those with walls among them.
    pub contacts: usize,
    /// Contacts with walls.
    pub with_walls: usize,
    /// Contacts a grain; one of two grains counts for both.
    pub coordination: f64,
    /// Grains that bear: see [`bearing`].
    pub bearing: usize,
    /// Share of the grains that do not: rattlers.
    pub rattlers: f64,
    /// Contacts a bearing grain, those with rattlers left out; none without such grains.
    pub coordination_bearing: Option<f64>,
    /// Share of the contacts between bearing grains, and of these with walls, that slide.
    pub sliding: Option<f64>,
    /// Mean normal force, N.
    pub mean_force: Option<f64>,
    /// Forces over their mean under which 10, 50, 90 and 99 % of the contacts are.
    pub percentiles: Option<[f64; 4]>,
    /// Fabric tensor, the mean of n n (Satake 1982), row by row.
    pub fabric: Option<Vec<Vec<f64>>>,
    /// Anisotropy of the contacts: 2 (F1 - F2) in the plane, 5/2 (F1 - F3) in space, of the greatest and least
    /// principal value; the amplitude of the second harmonic of their directions.
    pub anisotropy: Option<f64>,
}

/// Which grains bear: those with at least as many contacts as there are dimensions with walls and grains that
/// bear. Fewer can hold no grain in place, with friction or without; who hangs on such grains falls with them.
///
/// # Errors
/// Contacts of grains that there are not.
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

/// What the contacts of `grains` grains in 2 or 3 dimensions say.
///
/// # Errors
/// No grains, contacts of grains that there are not, normals without length.
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

/// What of a planar network is rigid, by counting constraints (the pebble game).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rigidity {
    /// Rigid groups of two bodies or more; all walls together are one body.
    pub groups: usize,
    /// Share of the bearing grains in the largest group.
    pub largest: f64,
    /// Ways in which the bearing grains can move without straining a contact, those of the whole left out.
    pub floppy_modes: usize,
    /// Constraints more than needed.
    pub redundant: usize,
}

/// Counts the network of the bearing grains in the plane: a contact that grips holds in two directions, one that
/// slides in one. All walls are one body that stands still to itself. `round` tells which grains are disks. None
/// where no grain bears.
///
/// # Errors
/// Contacts of grains that there are not.
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

/// The contacts of a snapshot; grains are numbered as they stand there. A contact with a body that is not in the
/// snapshot is one with a wall.
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
