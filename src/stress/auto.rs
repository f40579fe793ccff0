//! Chooses a solver by estimated cost.
//!
//! The constants come from the bench `stress` (those of the inverse not yet) and are committed: a
//! choice never depends on a clock, so that runs are the same on every machine.

use super::cg::{ConjugateGradient, Iteration};
use super::factor::Factor;
use super::growing::Growing;
use super::network::{Change, LinkKey, Network};
use super::rima::Rima;
use super::solver::{Effort, Half, Solver, StressError};
use crate::geometry::Dimension;

/// A solution method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The stored inverse (RIMA).
    Inverse,
    /// Conjugate gradients, started from the last solution.
    Iteration,
    /// A stored sparse factor.
    Factor,
    /// A sparse factor that is updated at each change and provides halves of columns.
    Growing,
}

impl Way {
    /// All methods.
    pub const ALL: [Way; 4] = [Way::Inverse, Way::Iteration, Way::Factor, Way::Growing];

    /// Name of the solver.
    pub const fn name(self) -> &'static str {
        match self {
            Way::Inverse => "rima",
            Way::Iteration => "cg",
            Way::Factor => "factor",
            Way::Growing => "growing-factor",
        }
    }
}

/// Average changes of a network between two solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Free nodes.
    pub nodes: usize,
    /// Degrees of freedom of a node.
    pub per_node: usize,
    /// Number of bars that change: a gripping link has as many as space has dimensions.
    pub bars: f64,
    /// Number of nodes added.
    pub added: f64,
    /// Number of columns of the inverse requested: about one for each link that slides.
    pub columns: f64,
    /// Fraction of the load that changes, from 0 to 1.
    pub load: f64,
    /// Whether forces may stay pending, so that an iteration need not reach all nodes.
    pub local: bool,
}

/// Times of the parts, s. For n unknowns: an update of the inverse by a bar takes `inverse_update` n^2
/// and a solution with it `inverse_solve` n^2; ordering and symbolic analysis of a factor take
/// `analysis` n log2 n, its values `factorization` n^1.25 in the plane and, not measured, n^1.75 in
/// space (a quarter less in the exponent than the multiplications of nested dissection, George 1973,
/// since larger fronts run faster), a rank-1 update `step` n, a solution `substitution` n log2 n; an
/// iteration takes `iteration` n, and a new load on N nodes takes `waves` N^(1/dimension) of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    /// One bar of the stored inverse, per square of the unknowns, s.
    pub inverse_update: f64,
    /// One solution with the stored inverse, per square of the unknowns, s.
    pub inverse_solve: f64,
    /// Ordering and symbolic analysis of a factor, s.
    pub analysis: f64,
    /// Numeric factorization, s.
    pub factorization: f64,
    /// A rank-1 update of a factor, s.
    pub step: f64,
    /// A solution with a factor, s.
    pub substitution: f64,
    /// One iteration, per unknown, s.
    pub iteration: f64,
    /// Iterations for a new load, over the number of nodes to the power 1 / dimension.
    pub waves: f64,
    /// A local solve, per unknown of the whole network, s: passes over all vectors.
    pub local: f64,
    /// A column of the stored inverse with its strains, per unknown, s.
    pub column: f64,
    /// A rank-1 update of a growing factor or a half of a column, relative to the unknowns to the
    /// power of its fill minus a quarter (the path to the root of the elimination tree), s.
    pub path: f64,
}

impl CostModel {
    /// Fitted to planar packings of 500 to 50,000 disks without rotations, on a busy machine: accurate to a
    /// factor of two. The constants of the inverse are estimated from memory traffic, not measured.
    pub const MEASURED: CostModel = CostModel {
        // Half of the matrix is read and written, or read, at 10 GB/s.
        inverse_update: 0.8e-9,
        inverse_solve: 0.4e-9,
        analysis: 5e-8,
        factorization: 5.5e-8,
        step: 1e-8,
        substitution: 7e-9,
        iteration: 20e-9,
        waves: 1.6,
        local: 100e-9,
        column: 20e-9,
        path: 1.2e-9,
    };

    /// Time from one solve to the next by a method, s.
    pub fn cost(&self, way: Way, rates: &Rates, dimension: usize) -> f64 {
        let nodes = rates.nodes.max(2) as f64;
        let n = nodes * rates.per_node as f64;
        let log = libm::log2(n);
        match way {
            Way::Inverse => {
                let border = rates.added * rates.per_node as f64;
                let matrix = (self.inverse_update * (rates.bars + border) + self.inverse_solve) * n;
                (matrix + self.column * rates.columns) * n
            }
            Way::Iteration => {
                if rates.local && rates.added + rates.bars < 0.01 * nodes {
                    return self.local * n * (rates.added + rates.bars).max(1.0).sqrt();
                }
                // If the load changes at a fraction of the nodes, the initial residual is about the
                // square root of that fraction; ten digits have to be gained.
                let digits = (10.0 + 0.5 * libm::log10(rates.load.max(1e-20))) / 10.0;
                let waves = self.waves(nodes, dimension) * digits.max(0.1);
                self.iteration * n * (waves + rates.columns * self.waves(nodes, dimension))
            }
            Way::Factor => {
                let fill = if dimension == 2 { 1.25 } else { 1.75 };
                let whole = self.factorization * libm::pow(n, fill);
                let change = if rates.added > 0.0 {
                    whole + self.analysis * n * log
                } else {
                    whole.min(self.step * rates.bars * n)
                };
                change + self.substitution * n * log * (1.0 + rates.columns)
            }
            Way::Growing => {
                let fill = if dimension == 2 { 1.25 } else { 1.75 };
                // Plain columns are slower than the dense blocks of the other factor.
                let whole =
                    SLOWER * (self.factorization * libm::pow(n, fill) + self.analysis * n * log);
                let follow = self.path * libm::pow(n, fill - 0.25);
                let changes = rates.bars + rates.added * (dimension * dimension) as f64;
                let solutions = if rates.columns > 0.0 { 3.0 } else { 1.0 };
                whole * rates.added / super::growing::ROOM as f64
                    + follow * (changes + NEAR * rates.columns)
                    + SLOWER * self.substitution * n * log * solutions
            }
        }
    }

    fn waves(&self, nodes: f64, dimension: usize) -> f64 {
        self.waves * libm::pow(nodes, 1.0 / dimension as f64)
    }

    /// The cheapest of the given methods.
    pub fn choose(&self, ways: &[Way], rates: &Rates, dimension: usize) -> Choice {
        let mut costs = Vec::new();
        for &way in ways {
            costs.push((way, self.cost(way, rates, dimension)));
        }
        // The first of equal costs, so that the order of the list decides.
        let cheapest = costs
            .iter()
            .copied()
            .reduce(|best, next| if next.1 < best.1 { next } else { best });
        Choice {
            way: cheapest.map_or(Way::Factor, |(way, _)| way),
            rates: *rates,
            costs,
        }
    }
}

/// The chosen method and the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The chosen method.
    pub way: Way,
    /// The rates for which it was chosen.
    pub rates: Rates,
    /// Cost of each method from one solve to the next, s.
    pub costs: Vec<(Way, f64)>,
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Rates {
            nodes, bars, added, ..
        } = self.rates;
        write!(
            f,
            "{} for {nodes} free nodes with {bars:.1} bars changed and {added:.1} nodes added between solves:",
            self.way.name()
        )?;
        for (i, (way, cost)) in self.costs.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma} {} {:.3} ms", way.name(), cost * 1e3)?;
        }
        Ok(())
    }
}

/// Constructor of a solver for the current state of a network.
pub type Make<D> = fn(&Network<D>, Iteration) -> Box<dyn Solver<D> + Send>;

/// Cost of a growing factor's plain columns relative to the dense blocks of the other.
const SLOWER: f64 = 1.5;
/// Halves of bars per column: links nearby are watched too.
const NEAR: f64 = 3.0;

/// Number of solves between two checks of the choice.
const LOOK: u32 = 16;

/// How much cheaper another method must be before the solver changes, since its construction costs too.
const MARGIN: f64 = 1.5;

/// A solver that chooses among others by [`CostModel`], counts the changes, and chooses again as
/// the network grows. The choice depends only on counts.
pub struct Auto<D: Dimension> {
    ways: Vec<(Way, Make<D>)>,
    model: CostModel,
    iteration: Iteration,
    solver: Box<dyn Solver<D> + Send>,
    choice: Choice,
    /// Number of changes of the solver.
    switches: u64,
    /// Whether the network has changed since the last solve.
    fresh: bool,
    /// Counts since the last check.
    solves: u32,
    bars: usize,
    added: usize,
    columns: usize,
}

impl<D: Dimension> Auto<D> {
    /// Chooses for the current state of a network, with expected rates.
    pub fn new(network: &Network<D>, iteration: Iteration, expected: Rates) -> Self {
        let ways = Self::ways();
        let model = CostModel::MEASURED;
        let names: Vec<Way> = ways.iter().map(|&(way, _)| way).collect();
        let choice = model.choose(&names, &expected, D::N);
        let solver = make(&ways, choice.way, network, iteration);
        Auto {
            ways,
            model,
            iteration,
            solver,
            choice,
            switches: 0,
            fresh: true,
            solves: 0,
            bars: 0,
            added: 0,
            columns: 0,
        }
    }

    /// Chooses for one solve of a new network.
    pub fn once(network: &Network<D>, iteration: Iteration) -> Self {
        let expected = Rates {
            nodes: network.free_nodes(),
            per_node: network.per_node(),
            bars: (network.links().len() * D::N) as f64,
            added: network.free_nodes() as f64,
            columns: 0.0,
            load: 1.0,
            local: false,
        };
        Self::new(network, iteration, expected)
    }

    /// The available methods.
    fn ways() -> Vec<(Way, Make<D>)> {
        vec![
            (Way::Factor, |network, _| Box::new(Factor::new(network))),
            (Way::Growing, |network, _| Box::new(Growing::new(network))),
            (Way::Inverse, |network, _| Box::new(Rima::of(network))),
            (Way::Iteration, |network, iteration| {
                Box::new(ConjugateGradient::new(network, iteration))
            }),
        ]
    }

    /// The last choice and its reasons.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Chooses again by the counts.
    fn look(&mut self, network: &Network<D>) {
        let solves = f64::from(self.solves);
        let rates = Rates {
            nodes: network.free_nodes(),
            per_node: network.per_node(),
            bars: self.bars as f64 / solves,
            added: self.added as f64 / solves,
            columns: self.columns as f64 / solves,
            // A new grain or a slide changes the load near it.
            load: ((self.bars + self.added) as f64 / solves / network.free_nodes().max(1) as f64)
                .clamp(1e-6, 1.0),
            local: self.iteration.pending > 0.0,
        };
        let names: Vec<Way> = self.ways.iter().map(|&(way, _)| way).collect();
        let choice = self.model.choose(&names, &rates, D::N);
        let cost = |wanted: Way| {
            let found = choice.costs.iter().find(|&&(way, _)| way == wanted);
            found.map_or(f64::INFINITY, |&(_, cost)| cost)
        };
        if cost(self.choice.way) > MARGIN * cost(choice.way) {
            self.solver = make(&self.ways, choice.way, network, self.iteration);
            self.choice = choice;
            self.switches += 1;
        }
        (self.solves, self.bars, self.added, self.columns) = (0, 0, 0, 0);
    }
}

fn make<D: Dimension>(
    ways: &[(Way, Make<D>)],
    wanted: Way,
    network: &Network<D>,
    iteration: Iteration,
) -> Box<dyn Solver<D> + Send> {
    match ways.iter().find(|&&(way, _)| way == wanted) {
        Some((_, make)) => make(network, iteration),
        None => Box::new(Factor::new(network)),
    }
}

impl<D: Dimension> Solver<D> for Auto<D> {
    fn name(&self) -> &'static str {
        self.choice.way.name()
    }

    fn changed(&mut self, network: &Network<D>, change: Change) {
        match change {
            Change::Node(node) => self.added += usize::from(network.row(node).is_some()),
            Change::Link { .. } => self.bars += D::N,
        }
        self.fresh = true;
        self.solver.changed(network, change);
    }

    fn solve(
        &mut self,
        network: &Network<D>,
        load: &[f64],
        displacement: &mut [f64],
    ) -> Result<Effort, StressError> {
        self.solves += 1;
        // A caller that solves one state of the network repeatedly keeps halves of it, which a change would invalidate.
        if self.solves >= LOOK && self.fresh {
            self.look(network);
        }
        self.fresh = false;
        self.solver.solve(network, load, displacement)
    }

    fn response(
        &mut self,
        network: &Network<D>,
        link: LinkKey,
        bar: usize,
        displacement: &mut [f64],
    ) -> bool {
        self.columns += 1;
        self.solver.response(network, link, bar, displacement)
    }

    fn halves(&mut self, network: &Network<D>, links: &[LinkKey]) -> Option<Vec<Vec<Half>>> {
        let halves = self.solver.halves(network, links);
        // Counts all watched links, of which one in NEAR slides.
        self.columns += halves.as_ref().map_or(0, Vec::len);
        halves
    }

    fn basis(&self) -> u64 {
        (self.switches << 32) | self.solver.basis()
    }
}
