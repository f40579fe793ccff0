//! How a packing that is out of equilibrium is brought back, as data, and what that came to.

use super::super::network::{LinkKey, NodeKey};
use super::bond::Slide;

/// One of the three lists of the thesis (4.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Links that are apart and would press: the one of the largest projected stress connects.
    Connect,
    /// Links in tension let go.
    Disconnect,
    /// Links beyond Coulomb's bound slide.
    Slide,
}

/// Which links in tension let go in one round.
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
    /// The one that is farthest beyond.
    LargestExcess,
}

/// What a link does in tension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tension {
    /// It lets go.
    Break,
    /// It holds: glued grains. Coulomb's bound is then zero.
    Keep,
}

/// What is done about a part that needs dynamics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// The iteration ends there and says so.
    Stop,
    /// The links that will not come to rest are held as they are, told, and the iteration goes on.
    Hold,
    /// A part that would hang on nothing falls by the width of its gaps and lands on the same
    /// supports: its links start anew without stress where it is. What does not come to rest so
    /// either is held.
    Reseat,
}

/// The rules of an iteration to equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The first list that is not empty is handled, then all are drawn up anew.
    pub order: [Handling; 3],
    /// Which links in tension let go in one round.
    pub disconnecting: Disconnecting,
    /// Which links beyond Coulomb's bound slide in one round.
    pub sliding: Sliding,
    /// What a link does in tension.
    pub tension: Tension,
    /// False: friction has no bound.
    pub slides: bool,
    /// What is done about a part that needs dynamics.
    pub unresolved: Unresolved,
    /// Stress that counts as none, N.
    pub tolerance: f64,
    /// Slide of one link, in one iteration to rest, over the lesser radius at it: beyond that
    /// displacements are no longer small.
    pub small: f64,
    /// Rounds after which an iteration counts as endless, whatever else is known.
    pub rounds: usize,
    /// Changes between on and off of one link after which an iteration counts as endless.
    pub flips: usize,
}

impl Rules {
    /// The thesis's iteration, to 1e-10 of the weight of a typical grain, N.
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

/// Energy that slides turned to heat, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dissipated {
    /// Elastic energy that a slide sets free while nodes stand still: (|s before| + mu s_n)/2 |slide|.
    pub elastic: f64,
    /// Work against the friction that is left: mu s_n |slide|.
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
    /// Which link.
    pub link: LinkKey,
    /// True when it connected.
    pub connected: bool,
    /// Normal stress before, projected for a connection, N.
    pub stress: f64,
}

/// What one link slid in an iteration to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slid {
    /// Which link.
    pub link: LinkKey,
    /// How often.
    pub times: usize,
    /// Path, m.
    pub path: f64,
    /// Round of its first slide.
    pub first: usize,
    /// Energy turned to heat.
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

/// Why an iteration cannot come to rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Slides go on without becoming smaller (thesis Fig. 4.4).
    Undamped,
    /// A link slid farther than displacements are small.
    Far,
    /// A link lets go and connects over and over.
    Flipping,
    /// Without a link in tension these nodes would hang on nothing, or could move without strain.
    Hanging {
        /// Which, by key.
        nodes: Vec<NodeKey>,
    },
    /// More rounds than allowed.
    Rounds,
}

/// How an iteration ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// In equilibrium, no link in tension nor beyond Coulomb's bound.
    Rest,
    /// These links would let go by springs that do not end where their laws do: they need others ([`super::Packing::set_lines`]).
    Bends {
        /// Which, by key.
        links: Vec<LinkKey>,
    },
    /// What these links hold must move by dynamics.
    NeedsDynamics {
        /// Why.
        reason: Reason,
        /// Links that do not come to rest.
        links: Vec<LinkKey>,
    },
}

/// What an iteration came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxation {
    /// How it ended.
    pub outcome: Outcome,
    /// Times that stresses were drawn up: 1 when nothing had to change.
    pub rounds: usize,
    /// Number of slides, each link counted each time.
    pub slides: usize,
    /// Connections and disconnections in order.
    pub topology: Vec<Topological>,
    /// What each link slid, by link.
    pub slid: Vec<Slid>,
    /// Energy turned to heat.
    pub energy: Dissipated,
    /// What was held because it needs dynamics, in order ([`Unresolved::Hold`]).
    pub held: Vec<(Reason, Vec<LinkKey>)>,
    /// Solves, and columns of the inverse, that it took.
    pub solves: usize,
    /// See `solves`.
    pub columns: usize,
    /// Links that were made anew under a part that would have hung on nothing, each time counted
    /// ([`Unresolved::Reseat`]).
    pub reseated: usize,
    /// What sudden changes (a new load, a link gone, a slide) since the last iteration left over when all came to rest, J:
    /// what dampers would take. Summed from forces and displacements, step by step.
    pub settled: f64,
}

impl Relaxation {
    /// What came after it, as one with it.
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

    /// True when it came to rest without anything held.
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
