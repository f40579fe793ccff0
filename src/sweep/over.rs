//! Runs a sweep on several ranks: rank 0 distributes the runs and executes a part of them itself.
//!
//! On each rank the runs have threads of their own, while the thread that may communicate handles messages: it
//! reports to rank 0 which runs ended and how many could begin, and receives the answer ([`super::deal`]). Each
//! report is answered before the next is sent, so that two ranks never send to each other at once. No lock of a
//! shared file system decides which rank executes a run; the claims of runs remain, for other processes that use the
//! same folder.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::SweepError;
use super::batch::{Batch, Done, Look, Options, Supply, pool, prepare, run, there};
use super::deal::{Deal, Dealer, Fate, Report};
use super::file::{Point, Sweep};
use crate::ranks::{RankError, Ranks, Source, Tag};
use crate::record::{RecordError, checksum};

const REPORT: Tag = Tag::new(50);
const DEAL: Tag = Tag::new(51);

/// Interval between checks for messages; much shorter runs are not worth a rank.
const TICK: Duration = Duration::from_millis(2);
/// Interval between reports without news: progress, and whether to stop.
const BEAT: Duration = Duration::from_millis(200);
/// How long rank 0 waits at the end for rows of other ranks to appear in the folder: network file systems may cache
/// for a while that a file was absent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the points that the folder does not contain yet, with all ranks. Each rank calls it with the same sweep and
/// folder, which all must see. Only rank 0 gets the full result, and only its `options.look` is called. With one rank
/// it is [`super::run`].
///
/// # Errors
/// As of [`super::run`], on all ranks if on one; ranks with different lists of runs or without the same folder. A
/// single run that fails is no error: it has a row.
pub fn run_over(
    sweep: &Sweep,
    options: &Options<'_>,
    ranks: &dyn Ranks,
) -> Result<Done, SweepError> {
    if ranks.size() == 1 {
        return run(sweep, options);
    }
    let points = same_points(sweep, ranks)?;
    let (open, look) = common_folder(sweep, options, &points, ranks)?;
    let (give, take) = channel();
    let (tell, events) = channel();
    let supply = DistributedFilling {
        take: Mutex::new(take),
        tell,
    };
    let silent = |_: &Look| {};
    let quiet = Options {
        look: &silent,
        ..*options
    };
    let threads = options.threads.max(1);
    let batch = Batch::new(sweep, &quiet, &points, &supply, threads, Look::default());
    // Without threads no run can begin, but the other ranks wait for a message: the error is sent with the first
    // report.
    let pool = pool(threads);
    let mut dealer = Dealer::new(open, look, ranks.size());
    let spoken = std::thread::scope(|scope| {
        let workers = pool.as_ref().ok().map(|pool| {
            let batch = &batch;
            scope.spawn(move || drop(pool.broadcast(|worker| batch.work(worker.index()))))
        });
        let mut hand = Hand {
            events,
            give: Some(give),
            idle: 0,
            report: Report {
                error: pool.as_ref().err().map(ToString::to_string),
                ..Report::default()
            },
            news: true,
            said: Instant::now(),
            stop: options.stop,
            under_way: &|| batch.under_way(),
            finished: &|| workers.as_ref().is_none_or(|workers| workers.is_finished()),
        };
        let spoken = match ranks.rank() {
            0 => deal(&mut dealer, &mut hand, options, ranks),
            _ => follow(&mut hand, ranks),
        };
        if spoken.is_err() {
            // No rank answers any more.
            options.stop.store(true, Ordering::Relaxed);
        }
        hand.give = None;
        spoken
    });
    // Errors of this rank take precedence over those that others report.
    batch.end()?;
    pool?;
    spoken?;
    if ranks.rank() != 0 {
        return Ok(Done::default());
    }
    if let Some((rank, error)) = dealer.error {
        return Err(SweepError::Rank { rank, error });
    }
    let since = Instant::now();
    for run in &dealer.rows {
        let point = &points[place(*run)];
        while there(options.dir, point, false).is_none() && since.elapsed() < PATIENCE {
            std::thread::sleep(10 * TICK);
        }
    }
    Ok(dealer.end())
}

/// Returns the points, which must be the same on all ranks. (A label contains all that a run starts from, and the
/// version of the program.)
fn same_points(sweep: &Sweep, ranks: &dyn Ranks) -> Result<Vec<Point>, SweepError> {
    let points = sweep.points();
    let own = match &points {
        Ok(points) => {
            let labels: Vec<&str> = points.iter().map(|point| point.label.as_str()).collect();
            Ok(checksum(labels.join("\n").as_bytes()))
        }
        Err(error) => Err(error.to_string()),
    };
    let all = said_by_all(ranks, &own)?;
    let points = points?;
    let mut first = None;
    for (rank, said) in all.into_iter().enumerate() {
        let sum = said.map_err(|error| SweepError::Rank { rank, error })?;
        if *first.get_or_insert(sum) != sum {
            return Err(SweepError::Unlike { rank });
        }
    }
    Ok(points)
}

/// Prepares the folder on rank 0; all ranks must see it. Returns the open runs, on rank 0 only.
fn common_folder(
    sweep: &Sweep,
    options: &Options<'_>,
    points: &[Point],
    ranks: &dyn Ranks,
) -> Result<(Vec<u64>, Look), SweepError> {
    let ready = match ranks.rank() {
        0 => Some(prepare(sweep, options, points).and_then(|ready| {
            let mark = tempfile::Builder::new()
                .prefix(".ranks-")
                .tempfile_in(options.dir)
                .map_err(RecordError::io("cannot write into", options.dir))?;
            Ok((ready, mark))
        })),
        _ => None,
    };
    let own: Result<String, String> = match &ready {
        None => Ok(String::new()),
        Some(Ok((_, mark))) => Ok(mark
            .path()
            .file_name()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned())),
        Some(Err(error)) => Err(error.to_string()),
    };
    let mut all = said_by_all(ranks, &own)?;
    let ready = ready.transpose()?;
    let mark = all
        .swap_remove(0)
        .map_err(|error| SweepError::Rank { rank: 0, error })?;
    let seen = said_by_all(ranks, &options.dir.join(mark).is_file())?;
    if let Some(rank) = seen.iter().position(|seen| !seen) {
        let dir = options.dir.display().to_string();
        return Err(SweepError::Apart { rank, dir });
    }
    Ok(match ready {
        Some(((open, look), _mark)) => (open.into_iter().map(|run| run as u64).collect(), look),
        None => Default::default(),
    })
}

/// Returns the values of all ranks, on all ranks.
fn said_by_all<T: Serialize + DeserializeOwned>(
    ranks: &dyn Ranks,
    own: &T,
) -> Result<Vec<T>, RankError> {
    let all = ranks.all_gather(&encoded(own))?;
    (0..).zip(&all).map(|(rank, b)| decoded(rank, b)).collect()
}

fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    // Serializing these values cannot fail; an empty message would be reported as garbled.
    postcard::to_stdvec(value).unwrap_or_default()
}

fn decoded<T: DeserializeOwned>(rank: usize, bytes: &[u8]) -> Result<T, RankError> {
    let garbled = |_| RankError::Garbled {
        rank,
        bytes: bytes.len(),
    };
    postcard::from_bytes(bytes).map_err(garbled)
}

fn place(run: u64) -> usize {
    usize::try_from(run).unwrap_or(usize::MAX)
}

/// Message from a thread.
enum Event {
    /// A thread has nothing to do.
    Idle,
    /// A run has ended.
    Ended(usize, Result<Fate, String>),
}

/// Source of the runs assigned by rank 0.
struct DistributedFilling {
    take: Mutex<Receiver<usize>>,
    tell: Sender<Event>,
}

impl Supply for DistributedFilling {
    fn next(&self) -> Option<usize> {
        self.tell.send(Event::Idle).ok()?;
        let take = self.take.lock().unwrap_or_else(|e| e.into_inner());
        take.recv().ok()
    }

    fn left(&self) -> bool {
        // Only rank 0 knows.
        false
    }

    fn ended(&self, run: usize, fate: Result<Fate, String>) {
        // The receiver outlives all threads.
        let _ = self.tell.send(Event::Ended(run, fate));
    }
}

/// The threads of a rank, as seen by its communicating thread.
struct Hand<'a> {
    events: Receiver<Event>,
    /// None once no more runs will come.
    give: Option<Sender<usize>>,
    idle: u64,
    report: Report,
    /// Whether there is something to report.
    news: bool,
    said: Instant,
    stop: &'a AtomicBool,
    under_way: &'a dyn Fn() -> f64,
    finished: &'a dyn Fn() -> bool,
}

impl Hand<'_> {
    /// Waits for a moment; returns a report if there is something to report.
    fn listen(&mut self) -> Option<Report> {
        // Read before the events: no event comes after it is true.
        let leaves = (self.finished)();
        let mut event = self.events.recv_timeout(TICK).ok();
        while let Some(now) = event {
            self.news = true;
            match now {
                Event::Idle => self.idle += 1,
                Event::Ended(run, Ok(fate)) => self.report.ended.push((run as u64, fate)),
                Event::Ended(_, Err(error)) => drop(self.report.error.get_or_insert(error)),
            }
            event = self.events.try_recv().ok();
        }
        let stopped = self.stop.load(Ordering::Relaxed);
        self.news |= leaves || stopped != self.report.stopped || self.said.elapsed() >= BEAT;
        if !std::mem::take(&mut self.news) {
            return None;
        }
        self.said = Instant::now();
        let next = Report {
            stopped,
            ..Report::default()
        };
        Some(Report {
            under_way: (self.under_way)(),
            wants: self.idle,
            stopped,
            leaves,
            ..std::mem::replace(&mut self.report, next)
        })
    }

    /// Carries out an answer.
    fn obey(&mut self, deal: &Deal) {
        for run in &deal.runs {
            self.idle = self.idle.saturating_sub(1);
            if let Some(give) = &self.give {
                // An idle thread waits for it.
                let _ = give.send(place(*run));
            }
        }
        if deal.stop {
            self.stop.store(true, Ordering::Relaxed);
        }
        if deal.over {
            self.give = None;
        }
    }
}

/// Distributes runs until all ranks have left.
fn deal(
    dealer: &mut Dealer,
    hand: &mut Hand<'_>,
    options: &Options<'_>,
    ranks: &dyn Ranks,
) -> Result<(), RankError> {
    let mut shown = None;
    while !dealer.finished() {
        if !dealer.has(0) {
            std::thread::sleep(TICK);
        } else if let Some(report) = hand.listen() {
            let deal = dealer.hear(0, &report);
            hand.obey(&deal);
        }
        for rank in 1..ranks.size() {
            if !dealer.has(rank) {
                continue;
            }
            match heard(dealer, rank, ranks) {
                Err(RankError::Gone { .. }) => dealer.lost(rank),
                other => other?,
            }
        }
        if options.stop.load(Ordering::Relaxed) {
            dealer.stop();
        }
        let now = dealer.look();
        if shown != Some(now) {
            (options.look)(&now);
            shown = Some(now);
        }
    }
    Ok(())
}

/// Answers a rank if it has sent a report.
fn heard(dealer: &mut Dealer, rank: usize, ranks: &dyn Ranks) -> Result<(), RankError> {
    let Some(message) = ranks.try_receive(Source::Rank(rank), REPORT)? else {
        return Ok(());
    };
    let report: Report = decoded(rank, &message.bytes)?;
    let deal = dealer.hear(rank, &report);
    match report.leaves {
        true => Ok(()),
        false => ranks.send(rank, DEAL, &encoded(&deal)),
    }
}

/// Follows the answers of rank 0 until the sweep is over.
fn follow(hand: &mut Hand<'_>, ranks: &dyn Ranks) -> Result<(), RankError> {
    loop {
        let Some(report) = hand.listen() else {
            continue;
        };
        ranks.send(0, REPORT, &encoded(&report))?;
        if report.leaves {
            return Ok(());
        }
        let deal = loop {
            match ranks.try_receive(Source::Rank(0), DEAL)? {
                Some(message) => break decoded(0, &message.bytes)?,
                None => std::thread::sleep(TICK / 2),
            }
        };
        hand.obey(&deal);
    }
}
