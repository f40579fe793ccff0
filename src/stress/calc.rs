//! `arenite calc stress`: the displacements and link stresses of a network.

use std::collections::BTreeMap;

use nalgebra_sparse::CsrMatrix;
use serde::Deserialize;
use serde_json::{Value, json};

use super::auto::Auto;
use super::exchange::{Bar, compatibility_matrix, contact_matrix, stiffness_matrix};
use super::{
    ConjugateGradient, Element, Factor, Freedom, Iteration, LinkKey, Network, Node, NodeKey,
    Packing, Rima, Rules, Solver, StressError, packing,
};
use crate::cases::{CalcError, Id, each, not_negative, parse, positive, vector, wrong};
use crate::geometry::{Dimension, Planar, Spatial, Vector};

/// Residual over load at which the iteration stops: far below the digits of any printed comparison,
/// but still within double precision.
const TOLERANCE: f64 = 1e-12;

/// Number of ids that an error lists before it gives the number of the remaining ones.
const LISTED: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dof {
    Translational,
    Full,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    Rima,
    Cg,
    Factor,
    #[default]
    Auto,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tension {
    Break,
    #[default]
    Keep,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    dof: Dof,
    #[serde(default)]
    method: Method,
    #[serde(default)]
    slides: bool,
    #[serde(default)]
    tension: Tension,
    #[serde(default)]
    matrix: bool,
    nodes: Vec<CaseNode>,
    links: Vec<CaseLink>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseNode {
    id: Id,
    position: Vec<f64>,
    #[serde(default)]
    radius: f64,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    load: Option<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseLink {
    a: Id,
    b: Id,
    kn: f64,
    kt: f64,
    #[serde(default)]
    friction: f64,
    #[serde(default)]
    prestress: Option<(f64, Across)>,
}

/// Tangential force on a link: a number in the plane, a vector in space.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Across {
    Number(f64),
    Vector(Vec<f64>),
}

/// Stresses of links under loads: `{"dof":, "method":, "slides":, "tension":, "nodes":, "links":}`
/// gives `{"displacements":, "links":, "dissipated":, "iterations":, "stable":}`. In space the
/// tangential force on a link is a vector. With `"matrix": true` there is also `"stiffness"`, the matrix as triplets
/// with the load.
///
/// # Errors
/// If a case does not have that form, or its links do not hold every free node.
pub fn calc(input: Value) -> Result<Value, CalcError> {
    each(input, |case| {
        let case: Case = parse(case)?;
        match dimension(&case)? {
            2 => calc_in::<Planar>(&case),
            _ => calc_in::<Spatial>(&case),
        }
    })
}

/// Matrices of the network of a case of `arenite calc stress`, for other libraries. With the stiffness matrix K, the
/// compatibility matrix B and the stiffnesses k of the bars, K = B^T diag(k) B; under the load f displacements follow
/// from K u = f, and the forces of the bars are k B u.
#[derive(Clone, Debug)]
pub struct StressMatrices {
    /// Stiffness matrix, grounded at the fixed nodes: N/m, N and N m; symmetric, with both halves.
    pub stiffness: CsrMatrix<f64>,
    /// Strains of the bars, m, by displacements of the free nodes.
    pub compatibility: CsrMatrix<f64>,
    /// Bars, one for each row of the compatibility matrix.
    pub bars: Vec<Bar>,
    /// Normal stiffnesses of the links between any two nodes of the case, fixed ones too, N/m; symmetric.
    pub contacts: CsrMatrix<f64>,
    /// Forces and moments on the free nodes, N and N m, in the order of rows of the stiffness matrix.
    pub load: Vec<f64>,
    /// Node of each row of the stiffness matrix, an index of the case's list.
    pub nodes: Vec<usize>,
}

/// Returns the matrices of a case of `arenite calc stress`.
///
/// # Errors
/// If the case does not have the form of one, or its links slide or break.
pub fn stress_matrices(case: Value) -> Result<StressMatrices, CalcError> {
    let case: Case = parse(case)?;
    if case.slides || case.tension == Tension::Break {
        return Err(no_matrix());
    }
    match dimension(&case)? {
        2 => matrices_in::<Planar>(&case),
        _ => matrices_in::<Spatial>(&case),
    }
}

fn matrices_in<D: Dimension>(case: &Case) -> Result<StressMatrices, CalcError> {
    let Problem { network, load, .. } = read::<D>(case)?;
    let (compatibility, bars) = compatibility_matrix(&network);
    Ok(StressMatrices {
        stiffness: stiffness_matrix(&network),
        compatibility,
        bars,
        contacts: contact_matrix(&network),
        load,
        nodes: nodes_of_rows(case, &network),
    })
}

/// The fault of a matrix of links that change.
fn no_matrix() -> CalcError {
    let message = "is that of links that neither slide nor break: slides = false and tension = keep are needed";
    wrong("matrix", message)
}

/// Returns the node of each row of the stiffness matrix.
fn nodes_of_rows<D: Dimension>(case: &Case, network: &Network<D>) -> Vec<usize> {
    let free = (0..case.nodes.len()).filter(|&node| !case.nodes[node].fixed);
    free.flat_map(|node| vec![node; network.per_node()])
        .collect()
}

/// Returns the number of coordinates of a case.
fn dimension(case: &Case) -> Result<usize, CalcError> {
    let Some(first) = case.nodes.first() else {
        return Err(wrong("nodes", "is empty; at least one node is needed"));
    };
    match first.position.len() {
        n @ (2 | 3) => Ok(n),
        n => Err(wrong(
            "nodes[0].position",
            format!("has {n} numbers; 2 or 3 are allowed"),
        )),
    }
}

/// A network read from a case.
struct Problem<D: Dimension> {
    network: Network<D>,
    load: Vec<f64>,
    /// Initial stress of each link along its normal, and across it, N.
    prestress: Vec<(f64, D::Vector)>,
}

fn calc_in<D: Dimension>(case: &Case) -> Result<Value, CalcError> {
    let problem = read::<D>(case)?;
    if case.slides || case.tension == Tension::Break {
        if case.matrix {
            return Err(no_matrix());
        }
        return relaxed(case, problem);
    }
    let network = &problem.network;
    let iteration = Iteration {
        tolerance: TOLERANCE,
        ..Iteration::default()
    };
    let mut solver = solver(case.method, network, iteration);
    let mut x = vec![0.0; network.len()];
    solver
        .solve(network, &problem.load, &mut x)
        .map_err(|error| tell(case, error))?;
    let links: Vec<Value> = (0..network.links().len())
        .map(|link| stress(case, &problem, link, &x))
        .collect();
    let mut result = json!({
        "displacements": displacements(case, network, &x),
        "links": links,
        "dissipated": 0.0,
        "iterations": 1,
        "stable": true,
    });
    if case.matrix {
        result["stiffness"] = stiffness(case, &problem);
    }
    Ok(result)
}

/// The stiffness matrix as triplets, with the load and with the node of each row.
fn stiffness<D: Dimension>(case: &Case, problem: &Problem<D>) -> Value {
    let matrix = stiffness_matrix(&problem.network);
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, value) in matrix.triplet_iter() {
        rows.push(row);
        columns.push(column);
        values.push(value);
    }
    let nodes = nodes_of_rows(case, &problem.network).into_iter();
    let nodes = nodes.map(|node| &case.nodes[node].id);
    json!({
        "size": matrix.nrows(),
        "nodes": nodes.collect::<Vec<_>>(),
        "rows": rows,
        "columns": columns,
        "values": values,
        "load": problem.load,
    })
}

fn solver<D: Dimension>(
    method: Method,
    network: &Network<D>,
    iteration: Iteration,
) -> Box<dyn Solver<D> + Send> {
    match method {
        Method::Cg => Box::new(ConjugateGradient::new(network, iteration)),
        Method::Factor => Box::new(Factor::new(network)),
        Method::Auto => Box::new(Auto::once(network, iteration)),
        Method::Rima => Box::new(Rima::of(network)),
    }
}

/// Solves with links that slide or break, by the thesis's iteration. Links that are not listed do
/// not form.
fn relaxed<D: Dimension>(case: &Case, problem: Problem<D>) -> Result<Value, CalcError> {
    let network = &problem.network;
    let m = network.per_node();
    let iteration = Iteration {
        tolerance: TOLERANCE,
        ..Iteration::default()
    };
    let empty = Network::new(network.freedom());
    let mut packing = Packing::new(network.freedom(), solver(case.method, &empty, iteration));
    for (key, node) in network.nodes().iter().enumerate() {
        let load = match network.row(key) {
            Some(row) => &problem.load[row * m..row * m + m],
            None => &[],
        };
        packing.add_node(*node, load);
    }
    // The threshold for a zero force is relative to the greatest force.
    let mut greatest = problem
        .load
        .iter()
        .fold(0.0, |most: f64, f| most.max(f.abs()));
    for (link, (along, shear)) in network.links().iter().zip(&problem.prestress) {
        let key = packing.add_link(*link, 0.0);
        packing.set_prestress(key, *along, *shear);
        greatest = greatest.max(along.abs()).max(shear.norm());
    }
    let rules = Rules {
        slides: case.slides,
        tension: match case.tension {
            Tension::Break => packing::Tension::Break,
            Tension::Keep => packing::Tension::Keep,
        },
        ..Rules::thesis(greatest)
    };
    let relaxation = packing.relax(&rules).map_err(|error| tell(case, error))?;
    let links: Vec<Value> = (0..network.links().len())
        .map(|key| {
            let stress = packing.stress(key);
            let across = turned_left::<D>(network.links()[key].normal);
            let tangential = if D::N == 2 {
                json!(across.dot(&stress.tangential))
            } else {
                json!(stress.tangential.components().collect::<Vec<f64>>())
            };
            let slip = if D::N == 2 {
                across.dot(&stress.slide)
            } else {
                stress.slide.norm()
            };
            let ends = &case.links[key];
            json!({ "a": ends.a, "b": ends.b, "normal": stress.normal, "tangential": tangential, "slip": slip })
        })
        .collect();
    Ok(json!({
        "displacements": displacements(case, packing.network(), packing.displacements()),
        "links": links,
        "dissipated": relaxation.energy.elastic,
        "iterations": relaxation.rounds,
        "stable": relaxation.at_rest(),
    }))
}

fn read<D: Dimension>(case: &Case) -> Result<Problem<D>, CalcError> {
    let freedom = match case.dof {
        Dof::Translational => Freedom::Translational,
        Dof::Full => Freedom::Full,
    };
    let mut network = Network::<D>::new(freedom);
    let mut keys: BTreeMap<&Id, NodeKey> = BTreeMap::new();
    let mut load = Vec::new();
    for (i, node) in case.nodes.iter().enumerate() {
        let at = |key: &str| format!("nodes[{i}].{key}");
        let position = vector::<D>(&node.position, &at("position"))?;
        let radius = not_negative(node.radius, &at("radius"))?;
        let (key, _) = network.add_node(Node {
            position,
            radius,
            fixed: node.fixed,
        });
        if let Some(before) = keys.insert(&node.id, key) {
            let message = format!("{} is the id of nodes[{before}] too", node.id);
            return Err(wrong(&at("id"), message));
        }
        let force = read_load::<D>(case.dof, node, &at("load"))?;
        if !node.fixed {
            load.extend(force);
        }
    }
    let mut prestress = Vec::new();
    for (i, link) in case.links.iter().enumerate() {
        let at = |key: &str| format!("links[{i}].{key}");
        let [a, b] = [("a", &link.a), ("b", &link.b)].map(|(key, id)| {
            let unknown = || wrong(&at(key), format!("no node has the id {id}"));
            keys.get(id).copied().ok_or_else(unknown)
        });
        let (a, b) = (a?, b?);
        if a == b {
            let message = format!("joins the node {} to itself", link.a);
            return Err(wrong(&format!("links[{i}]"), message));
        }
        let kn = positive(link.kn, &at("kn"))?;
        let kt = not_negative(link.kt, &at("kt"))?;
        let friction = not_negative(link.friction, &at("friction"))?;
        let joint = network.between(a, b, kn, kt, friction).ok_or_else(|| {
            let message = format!(
                "the centres of {} and {} coincide or are too far apart for a direction",
                link.a, link.b
            );
            wrong(&format!("links[{i}]"), message)
        })?;
        let across = turned_left::<D>(joint.normal);
        prestress.push(read_prestress::<D>(
            link,
            joint.normal,
            across,
            &at("prestress"),
        )?);
        network.add_link(joint);
    }
    Ok(Problem {
        network,
        load,
        prestress,
    })
}

fn read_load<D: Dimension>(dof: Dof, node: &CaseNode, place: &str) -> Result<Vec<f64>, CalcError> {
    let most = D::N + D::SPINS;
    let mut force = node.load.clone().unwrap_or_default();
    if !(force.is_empty() || force.len() == D::N || force.len() == most) {
        let message = format!(
            "has {} numbers; {} of the force are allowed, or {most} with the moment",
            force.len(),
            D::N
        );
        return Err(wrong(place, message));
    }
    if !force.iter().all(|v| v.is_finite()) {
        return Err(wrong(place, "must be finite numbers"));
    }
    force.resize(most, 0.0);
    if dof == Dof::Translational {
        if force[D::N..].iter().any(|&moment| moment != 0.0) {
            let message = "has a moment, which only dof = full can balance";
            return Err(wrong(place, message));
        }
        force.truncate(D::N);
    }
    Ok(force)
}

/// The tangential direction of a link in the plane; zero in space.
fn turned_left<D: Dimension>(normal: D::Vector) -> D::Vector {
    D::Vector::from_fn(|k| match (D::N, k) {
        (2, 0) => -normal[1],
        (2, _) => normal[0],
        _ => 0.0,
    })
}

fn read_prestress<D: Dimension>(
    link: &CaseLink,
    normal: D::Vector,
    across: D::Vector,
    place: &str,
) -> Result<(f64, D::Vector), CalcError> {
    let (along, shear) = match &link.prestress {
        None => (0.0, D::Vector::default()),
        Some((along, Across::Number(shear))) if D::N == 2 => (*along, across * *shear),
        Some((along, Across::Vector(shear))) if D::N == 3 => {
            (*along, vector::<D>(shear, &format!("{place}[1]"))?)
        }
        Some(_) => {
            let message = "must be [normal, tangential], tangential a number in the plane and a vector in space";
            return Err(wrong(place, message));
        }
    };
    if !along.is_finite() || !shear.is_finite() {
        return Err(wrong(place, "must be finite numbers"));
    }
    if normal.dot(&shear).abs() > 1e-9 * shear.norm() {
        return Err(wrong(&format!("{place}[1]"), "must lie across the link"));
    }
    Ok((along, shear))
}

/// Stress of one link: the prestress plus the contribution of the displacements.
fn stress<D: Dimension>(case: &Case, problem: &Problem<D>, key: LinkKey, x: &[f64]) -> Value {
    let network = &problem.network;
    let link = &network.links()[key];
    let element = Element::new(link, network.freedom());
    let m = network.per_node();
    let part = |node: NodeKey| network.row(node).map(|row| &x[row * m..row * m + m]);
    let strain = element.strain(part(link.a), part(link.b));
    let (mut along, mut shear) = problem.prestress[key];
    for bar in 0..element.bars {
        let force = element.stiffness[bar] * strain[bar];
        if bar == 0 {
            along += force;
        } else {
            shear += D::Vector::from_fn(|k| force * element.a[bar][k]);
        }
    }
    let tangential = if D::N == 2 {
        json!(turned_left::<D>(link.normal).dot(&shear))
    } else {
        json!(shear.components().collect::<Vec<f64>>())
    };
    let ends = &case.links[key];
    json!({ "a": ends.a, "b": ends.b, "normal": along, "tangential": tangential, "slip": 0.0 })
}

fn displacements<D: Dimension>(case: &Case, network: &Network<D>, x: &[f64]) -> Vec<Value> {
    let m = network.per_node();
    let of = |(key, node): (NodeKey, &CaseNode)| {
        let u = match network.row(key) {
            Some(row) => x[row * m..row * m + m].to_vec(),
            None => vec![0.0; m],
        };
        json!({ "id": node.id, "u": u })
    };
    case.nodes.iter().enumerate().map(of).collect()
}

/// Converts a solver error, with the names of the case.
fn tell(case: &Case, error: StressError) -> CalcError {
    let message = match &error {
        StressError::Ungrounded { nodes } => {
            let listed: Vec<String> = nodes
                .iter()
                .take(LISTED)
                .map(|&node| case.nodes[node].id.to_string())
                .collect();
            let more = nodes.len().saturating_sub(LISTED);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!(
                "no chain of links joins {}{rest} to a fixed node",
                listed.join(", ")
            )
        }
        StressError::Mechanism { node } => format!(
            "the links leave a motion without strain that moves node {}: the stiffness is singular",
            case.nodes[*node].id
        ),
        StressError::NotConverged { .. } | StressError::NotFinite | StressError::Interrupted => {
            error.to_string()
        }
    };
    wrong("the network", message)
}
