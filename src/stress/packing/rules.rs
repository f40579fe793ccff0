//! Rules that bring a packing to equilibrium, as data, and the results.

use super::super::network::{LinkKey, NodeKey};
use super::bond::Slide;

/// One of the three lists of the thesis (4.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Open links that would be compressed: the one with the largest projected stress connects.
    Connect,
    /// Links in tension open.
    Disconnect,
    /// Links beyond Coulomb's bound slide.
    Slide,
}

/// Which links in tension open in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disconnecting {
    /// The one in the greatest tension (thesis).
    MostNegative,
    /// All of them.
    AllAtOnce,
}

/// Which links beyond Coulomb's bound slide in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sliding {
    /// All of them, each as if it were alone (thesis).
    AllAtOnce,
    /// The one with the greatest excess.
    LargestExcess,
}

/// Behaviour of a link in tension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tension {
    /// The link opens.
    Break,
    /// The link stays closed: glued grains. Coulomb's bound is then zero.
    Keep,
}

/// Treatment of a part that requires dynamics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// The iteration ends there and reports it.
    Stop,
    /// The links that do not come to rest are held in their state and reported, and the iteration continues.
    Hold,
    /// A part that would be unsupported falls by the width of its gaps and lands on the same
    /// supports: its links restart without stress at their present positions. Links that still do
    /// not come to rest are held.
    Reseat,
}

/// The rules of an iteration to equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Priority of the lists: the first nonempty one is handled, then all are compiled again.
    pub order: [Handling; 3],
    /// Which links in tension open in one round.
    pub disconnecting: Disconnecting,
    /// Which links beyond Coulomb's bound slide in one round.
    pub sliding: Sliding,
    /// Behaviour of a link in tension.
    pub tension: Tension,
    /// Whether links slide; if false, friction has no bound.
    pub slides: bool,
    /// Treatment of a part that requires dynamics.
    pub unresolved: Unresolved,
    /// Stress that counts as zero, N.
    pub tolerance: f64,
    /// Greatest slide of one link in one iteration, over the lesser radius at it: beyond that
    /// displacements are no longer small.
    pub small: f64,
    /// Number of rounds after which an iteration counts as endless, in any case.
    pub rounds: usize,
    /// Number of changes of one link between open and closed after which an iteration counts as endless.
    pub flips: usize,
}

impl Rules {
    /// The thesis's iteration, with a tolerance of 1e-10 of the weight of a typical grain, N.
    pub fn thesis(weight: f64) -> Self {
        Rules {
            order: [Handling::Connect, Handling::Disconnect, Handling::Slide],
            disconnecting: Disconnecting::MostNegative,
            sliding: Sliding::AllAtOnce,
            tension: Tension::Break,
            slides: true,
            unresolved: Unresolved::Stop,
            tolerance: 1e-10 * weight,
            small: 0.01,
            rounds: 1_000_000,
            flips: 32,
        }
    }
}

/// Energy dissipated by slides, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dissipated {
    /// Elastic energy released by a slide while nodes are fixed: (|s before| + mu s_n)/2 |slide|.
    pub elastic: f64,
    /// Work against the remaining friction: mu s_n |slide|.
    pub friction: f64,
    /// As printed (thesis eq. 4.36): |s before| |slide|.
    pub literal: f64,
}

impl std::ops::AddAssign for Dissipated {
    fn add_assign(&mut self, other: Self) {
        self.elastic += other.elastic;
        self.friction += other.friction;
        self.literal += other.literal;
    }
}

/// A connection or a disconnection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Topological {
    /// Round of the iteration, from 1.
    pub round: usize,
    /// The link.
    pub link: LinkKey,
    /// Whether it connected.
    pub connected: bool,
    /// Normal stress before, projected for a connection, N.
    pub stress: f64,
}

/// Slides of one link in an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slid {
    /// The link.
    pub link: LinkKey,
    /// Number of slides.
    pub times: usize,
    /// Slide distance, m.
    pub path: f64,
    /// Round of its first slide.
    pub first: usize,
    /// Energy dissipated.
    pub energy: Dissipated,
}

impl Slid {
    pub(super) fn none(link: LinkKey) -> Self {
        Slid {
            link,
            times: 0,
            path: 0.0,
            first: 0,
            energy: Dissipated::default(),
        }
    }

    /// Adds one slide in a round.
    #[inline]
    pub(super) fn add(&mut self, slide: &Slide, round: usize) {
        if self.times == 0 {
            self.first = round;
        }
        self.times += 1;
        self.path += slide.step;
        self.energy += slide.energy;
    }
}

/// Reason why an iteration does not come to rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Slides continue without becoming smaller (thesis Fig. 4.4).
    Undamped,
    /// A link slid farther than small displacements allow.
    Far,
    /// A link opens and connects repeatedly.
    Flipping,
    /// Without a link in tension these nodes would be unsupported, or could move without strain.
    Hanging {
        /// The nodes, by key.
        nodes: Vec<NodeKey>,
    },
    /// More rounds than allowed.
    Rounds,
}

/// Outcome of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// In equilibrium: no link in tension or beyond Coulomb's bound.
    Rest,
    /// These links would open by linearized laws, elsewhere than their contact laws do: they
    /// require new lines ([`super::Packing::set_lines`]).
    Bends {
        /// The links, by key.
        links: Vec<LinkKey>,
    },
    /// The nodes at these links have to move by dynamics.
    NeedsDynamics {
        /// The reason.
        reason: Reason,
        /// Links that do not come to rest.
        links: Vec<LinkKey>,
    },
}

/// Result of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxation {
    /// Outcome.
    pub outcome: Outcome,
    /// Number of times that the lists were compiled: 1 if nothing had to change.
    pub rounds: usize,
    /// Number of slides, counting each slide of a link.
    pub slides: usize,
    /// Connections and disconnections in order.
    pub topology: Vec<Topological>,
    /// Slides of each link, by link.
    pub slid: Vec<Slid>,
    /// Energy dissipated.
    pub energy: Dissipated,
    /// Links held because they require dynamics, with the reasons, in order ([`Unresolved::Hold`]).
    pub held: Vec<(Reason, Vec<LinkKey>)>,
    /// Number of solves.
    pub solves: usize,
    /// Number of columns of the inverse that were computed.
    pub columns: usize,
    /// Number of times that links were reseated under a part that would have been unsupported
    /// ([`Unresolved::Reseat`]).
    pub reseated: usize,
    /// Energy released by sudden changes (a new load, a removed link, a slide) since the last iteration when all came
    /// to rest, J: the energy that dampers would dissipate. Summed from forces and displacements, step by step.
    pub settled: f64,
}

impl Relaxation {
    /// Appends the result of a later iteration.
    pub fn go_on(&mut self, later: Relaxation) {
        let rounds = self.rounds;
        self.outcome = later.outcome;
        self.rounds += later.rounds;
        self.slides += later.slides;
        let topology = later.topology.into_iter();
        self.topology.extend(topology.map(|one| Topological {
            round: one.round + rounds,
            ..one
        }));
        for slid in later.slid {
            match self.slid.binary_search_by_key(&slid.link, |s| s.link) {
                Ok(at) => {
                    let before = &mut self.slid[at];
                    before.times += slid.times;
                    before.path += slid.path;
                    before.energy += slid.energy;
                }
                Err(at) => self.slid.insert(
                    at,
                    Slid {
                        first: slid.first + rounds,
                        ..slid
                    },
                ),
            }
        }
        self.energy += later.energy;
        self.held.extend(later.held);
        self.solves += later.solves;
        self.columns += later.columns;
        self.reseated += later.reseated;
        self.settled += later.settled;
    }

    /// Whether the packing came to rest without held links.
    pub fn at_rest(&self) -> bool {
        self.outcome == Outcome::Rest && self.held.is_empty()
    }

    /// Number of connections.
    pub fn connections(&self) -> usize {
        self.topology.iter().filter(|t| t.connected).count()
    }

    /// Number of disconnections.
    pub fn disconnections(&self) -> usize {
        self.topology.len() - self.connections()
    }
}
