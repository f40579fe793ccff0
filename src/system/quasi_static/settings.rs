//! Interpretation of the settings of a filling: its solver, the freedom of its nodes, its rules.

use super::super::{FreedomName, OrderName, QuasiStaticSetup, Setup, SolverName, TensionName};
use crate::contact::{ContactLaw, LawTable};
use crate::geometry::Dimension;
use crate::ranks::Ranks;
use crate::stress::{
    Auto, ConjugateGradient, Disconnecting, Fetch, Freedom, Growing, Iteration, Network, Rates,
    Rima, Rules, Sliding, Solver, Tension, Unresolved,
};

/// Returns the solver of a name for the network of a filling of `grains` grains.
pub(super) fn solver<'s, D: Dimension>(
    name: SolverName,
    network: &Network<D>,
    grains: usize,
    ranks: Option<&'s (dyn Ranks + Sync)>,
) -> Box<dyn Solver<D> + Send + 's> {
    // Displacements add up over the bed, forces must balance grain by grain.
    let iteration = Iteration {
        tolerance: 1e-13,
        ..Iteration::default()
    };
    match name {
        SolverName::Auto => {
            let rates = rates::<D>(network.freedom(), grains);
            Box::new(Auto::new(network, iteration, rates))
        }
        SolverName::Rima => match ranks {
            Some(ranks) => Box::new(Rima::over(ranks, Fetch::default()).grown(network)),
            None => Box::new(Rima::of(network)),
        },
        SolverName::Cg => Box::new(ConjugateGradient::new(network, iteration)),
        SolverName::Factor => Box::new(Growing::new(network)),
    }
}

/// Number of solves for each new grain: 3.4 in `silo`, more in `silo-large`.
const SOLVES: f64 = 3.0;

/// Returns the rates of change from one solve to the next while grains come one by one: each brings as many
/// links as space has dimensions, and some three solves; slides require more columns the higher the
/// bed is (`silo`: 18 columns a solve, `silo-large`: 60).
pub(super) fn rates<D: Dimension>(freedom: Freedom, grains: usize) -> Rates {
    Rates {
        nodes: grains,
        per_node: freedom.per_node::<D>(),
        bars: (D::N * D::N) as f64 / SOLVES,
        added: 1.0 / SOLVES,
        columns: libm::sqrt(grains as f64),
        load: 1.0 / grains.max(1) as f64,
        local: false,
    }
}

/// Returns the displacements that are solved for: where no contact grips nothing holds a spin and no load turns it, so that spins
/// are left out.
pub(super) fn freedom_of(settings: &QuasiStaticSetup, laws: &LawTable) -> Freedom {
    match settings.freedom {
        FreedomName::Full if laws.laws.iter().flatten().any(ContactLaw::grips) => Freedom::Full,
        _ => Freedom::Translational,
    }
}

/// Returns the number of contacts that hold a grain: one that grips, or as many as there are directions of those that do not; and one
/// more for each direction beyond a line about which the grain could turn.
pub(super) fn bearers<D: Dimension>(freedom: Freedom, laws: &LawTable) -> usize {
    match freedom {
        Freedom::Translational if laws.laws.iter().flatten().all(ContactLaw::grips) => 1,
        _ => D::N,
    }
}

/// Describes, in words, the solver for the displacements of a setup.
pub fn solver_of<D: Dimension>(setup: &Setup<D>, settings: &QuasiStaticSetup) -> String {
    let freedom = freedom_of(settings, &setup.matter.laws);
    let grains = setup.grains.len();
    if settings.solver == SolverName::Auto {
        let expected = rates::<D>(freedom, grains);
        let network = Network::<D>::new(freedom);
        let auto = Auto::new(&network, Iteration::default(), expected);
        return auto.choice().to_string();
    }
    let network = Network::<D>::new(freedom);
    solver(settings.solver, &network, grains, None)
        .name()
        .into()
}

pub(super) fn rules(settings: &QuasiStaticSetup, weight: f64) -> Rules {
    let thesis = Rules::thesis(weight);
    Rules {
        disconnecting: match settings.order {
            OrderName::AllBreaks => Disconnecting::AllAtOnce,
            _ => Disconnecting::MostNegative,
        },
        sliding: match settings.order {
            OrderName::OneSlide => Sliding::LargestExcess,
            _ => Sliding::AllAtOnce,
        },
        tension: match settings.tension {
            TensionName::Break => Tension::Break,
            TensionName::Keep => Tension::Keep,
        },
        slides: settings.slides,
        unresolved: Unresolved::Reseat,
        tolerance: settings.tolerance,
        ..thesis
    }
}
