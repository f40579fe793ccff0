//! Assigns the runs of a sweep to several ranks: only the bookkeeping, without messages.
//!
//! One rank is the dealer. Each rank reports which runs ended and how many it can begin, and receives at most that
//! many, in order. Faster ranks, or ranks with shorter runs, therefore get more, and no run is assigned twice while
//! its rank is alive.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::Look;
use super::batch::Done;
use super::row::Row;
use crate::record::Status;

/// How a run ended, as reported to the dealer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Fate {
    /// The run has a row.
    Row {
        /// It ended in a jam.
        jammed: bool,
        /// It failed.
        failed: bool,
    },
    /// Stopped from outside.
    Stopped,
    /// A process outside the ranks is executing it.
    Elsewhere,
}

impl Fate {
    pub fn of(row: &Row) -> Self {
        Fate::Row {
            jammed: row.status == Status::Jammed,
            failed: row.status == Status::Failed,
        }
    }
}

/// Report of a rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Report {
    /// Runs that have ended since the last report.
    pub ended: Vec<(u64, Fate)>,
    /// Sum of the completed fractions of its runs in progress.
    pub under_way: f64,
    /// Number of runs that it could begin.
    pub wants: u64,
    /// It was signalled to stop from outside.
    pub stopped: bool,
    /// Error that prevents it from continuing.
    pub error: Option<String>,
    /// It has no runs in progress and sends no more reports.
    pub leaves: bool,
}

/// Answer to a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Deal {
    /// Runs to begin.
    pub runs: Vec<u64>,
    /// No more runs will come.
    pub over: bool,
    /// Runs in progress must stop after a checkpoint.
    pub stop: bool,
}

/// Bookkeeping of the dealer.
#[derive(Debug)]
pub(super) struct Dealer {
    open: VecDeque<u64>,
    /// Runs in progress, by rank.
    at: Vec<BTreeSet<u64>>,
    shares: Vec<f64>,
    left: Vec<bool>,
    stop: bool,
    /// Runs that got a row since the start.
    pub rows: Vec<u64>,
    done: Done,
    /// The first rank that could not continue, and its error.
    pub error: Option<(usize, String)>,
}

impl Dealer {
    /// Returns a dealer that has assigned none of these runs; `there` is the initial progress.
    pub fn new(open: Vec<u64>, there: Look, ranks: usize) -> Self {
        Dealer {
            open: open.into(),
            at: vec![BTreeSet::new(); ranks],
            shares: vec![0.0; ranks],
            left: vec![false; ranks],
            stop: false,
            rows: Vec::new(),
            done: Done {
                look: there,
                ..Done::default()
            },
            error: None,
        }
    }

    /// Processes the report of a rank and returns the answer.
    pub fn hear(&mut self, rank: usize, report: &Report) -> Deal {
        for (run, fate) in &report.ended {
            self.at[rank].remove(run);
            match fate {
                Fate::Row { jammed, failed } => {
                    let look = &mut self.done.look;
                    look.ended += 1;
                    look.jammed += usize::from(*jammed);
                    look.failed += usize::from(*failed);
                    self.rows.push(*run);
                }
                Fate::Stopped => {
                    self.stop();
                    self.done.stopped = true;
                }
                Fate::Elsewhere => self.done.elsewhere += 1,
            }
        }
        self.shares[rank] = report.under_way;
        if report.stopped {
            self.stop();
        }
        if let Some(error) = &report.error {
            self.stop = true;
            self.error.get_or_insert((rank, error.clone()));
        }
        if report.leaves {
            self.leave(rank);
            return Deal::default();
        }
        let mut deal = Deal {
            stop: self.stop,
            ..Deal::default()
        };
        if !self.stop {
            let count = self
                .open
                .len()
                .min(usize::try_from(report.wants).unwrap_or(0));
            deal.runs.extend(self.open.drain(..count));
            self.at[rank].extend(&deal.runs);
        }
        // A run of a rank that fails is assigned again, so no rank leaves before all runs have ended.
        let under_way = self.at.iter().any(|runs| !runs.is_empty());
        deal.over = self.stop || self.open.is_empty() && !under_way;
        deal
    }

    /// Stops all ranks.
    pub fn stop(&mut self) {
        self.stop = true;
    }

    /// Returns the result.
    pub fn end(&self) -> Done {
        Done {
            stopped: self.done.stopped || self.stop && !self.open.is_empty(),
            ..self.done
        }
    }

    /// Assigns the runs of a rank again that has ended without a report.
    pub fn lost(&mut self, rank: usize) {
        while let Some(run) = self.at[rank].pop_last() {
            self.open.push_front(run);
        }
        self.leave(rank);
    }

    fn leave(&mut self, rank: usize) {
        self.left[rank] = true;
        self.shares[rank] = 0.0;
    }

    /// Whether a rank still takes part.
    pub fn has(&self, rank: usize) -> bool {
        !self.left[rank]
    }

    /// Whether all ranks have left.
    pub fn finished(&self) -> bool {
        self.left.iter().all(|left| *left)
    }

    /// Returns the progress of the sweep.
    pub fn look(&self) -> Look {
        Look {
            under_way: self.shares.iter().sum(),
            ..self.done.look
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Fate = Fate::Row {
        jammed: false,
        failed: false,
    };

    fn wants(wants: u64, ended: &[u64]) -> Report {
        Report {
            wants,
            ended: ended.iter().map(|run| (*run, ROW)).collect(),
            ..Report::default()
        }
    }

    #[test]
    fn who_asks_gets_and_nobody_goes_before_the_end() {
        let mut dealer = Dealer::new((0..4).collect(), Look::default(), 2);
        assert_eq!(dealer.hear(0, &wants(1, &[])).runs, [0]);
        assert_eq!(dealer.hear(1, &wants(2, &[])).runs, [1, 2]);
        assert_eq!(dealer.hear(1, &wants(2, &[1, 2])).runs, [3]);
        // No run is left, but one is in progress: its rank could fail.
        let idle = dealer.hear(0, &wants(1, &[0]));
        assert_eq!(idle, Deal::default());
        assert!(dealer.hear(1, &wants(2, &[3])).over);
        assert!(dealer.hear(0, &wants(1, &[])).over);
        for rank in 0..2 {
            assert!(!dealer.finished());
            let leaves = true;
            dealer.hear(
                rank,
                &Report {
                    leaves,
                    ..Report::default()
                },
            );
        }
        assert!(dealer.finished() && !dealer.end().stopped);
        assert_eq!((dealer.end().look.ended, dealer.rows.len()), (4, 4));
    }

    #[test]
    fn what_a_lost_rank_was_at_is_dealt_again_first() {
        let mut dealer = Dealer::new((0..5).collect(), Look::default(), 2);
        assert_eq!(dealer.hear(1, &wants(3, &[])).runs, [0, 1, 2]);
        dealer.hear(1, &wants(0, &[1]));
        dealer.lost(1);
        assert!(!dealer.has(1));
        assert_eq!(dealer.hear(0, &wants(9, &[])).runs, [0, 2, 3, 4]);
        assert!(dealer.hear(0, &wants(4, &[0, 2, 3, 4])).over);
        assert_eq!(dealer.end().look.ended, 5);
    }

    #[test]
    fn a_stop_anywhere_and_an_error_anywhere_stop_all() {
        let mut dealer = Dealer::new((0..5).collect(), Look::default(), 2);
        dealer.hear(0, &wants(1, &[]));
        let stopped = true;
        let deal = dealer.hear(
            1,
            &Report {
                stopped,
                ..wants(1, &[])
            },
        );
        assert!(deal.stop && deal.over && deal.runs.is_empty());
        let deal = dealer.hear(0, &wants(1, &[0]));
        assert!(deal.stop && deal.over && dealer.end().stopped);

        let mut dealer = Dealer::new((0..5).collect(), Look::default(), 2);
        let error = Some("full".to_string());
        dealer.hear(
            1,
            &Report {
                error,
                ..wants(0, &[])
            },
        );
        assert!(dealer.hear(0, &wants(1, &[])).over);
        assert_eq!(dealer.error, Some((1, "full".into())));
    }
}
