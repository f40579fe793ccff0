//! Ranks, and what works over them: the inverse stiffness matrix dealt out, and sweeps.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arenite::geometry::Planar;
use arenite::ranks::{Counted, Message, One, RankError, Ranks, Source, Tag, Threads, Volume};
use arenite::record::{MemorySink, NullSink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::stress::{Fetch, Freedom};
use arenite::sweep::{SweepError, run_over};
use arenite::system::{Control, DistributedFilling, Driver, Outcome, Setup, driver_of};

use crate::ranks_checks as checks;

const TAG: Tag = Tag::new(9);

#[test]
fn messages_come_as_they_were_sent() {
    checks::messages(&One);
    for size in [1, 2, 3, 4, 7] {
        Threads::run(size, |ranks| checks::messages(ranks));
        // Nothing hangs where every send waits until it is received.
        Threads::strict(size, |ranks| checks::messages(ranks));
    }
}

#[test]
fn a_tag_is_a_channel_of_its_own() {
    let heard = Threads::run(2, |ranks| match ranks.rank() {
        0 => {
            let late = ranks.receive(Source::Rank(1), TAG).unwrap().bytes;
            let early = ranks.receive(Source::Any, Tag::new(8)).unwrap().bytes;
            [late, early].concat()
        }
        _ => {
            ranks.send(0, Tag::new(8), b"early").unwrap();
            ranks.send(0, TAG, b"late").unwrap();
            Vec::new()
        }
    });
    assert_eq!(heard[0], b"lateearly");
}

/// Who waits for a rank that has ended is told so, after all that it sent.
#[test]
fn a_rank_that_ends_is_missed() {
    Threads::run(3, |ranks| match ranks.rank() {
        2 => ranks.send(0, TAG, b"last words").unwrap(),
        1 => {
            let gone = ranks.receive(Source::Rank(2), TAG);
            assert_eq!(gone, Err(RankError::Gone { rank: 2 }));
        }
        _ => {
            let last = ranks.receive(Source::Rank(2), TAG).unwrap();
            assert_eq!(last.bytes, b"last words");
            let gone = RankError::Gone { rank: 2 };
            assert_eq!(ranks.receive(Source::Rank(2), TAG), Err(gone.clone()));
            assert_eq!(ranks.try_receive(Source::Rank(2), TAG), Err(gone.clone()));
            assert_eq!(ranks.send(2, TAG, b"?"), Err(gone));
            assert_eq!(ranks.receive(Source::Any, TAG), Err(RankError::Alone));
        }
    });
    // One that panics ends as well; its word is passed on.
    let told = std::panic::catch_unwind(|| {
        Threads::run(2, |ranks| match ranks.rank() {
            0 => assert!(ranks.receive(Source::Any, TAG).is_err()),
            _ => panic!("as was to be shown"),
        })
    });
    let told = told.expect_err("a panic is passed on");
    assert_eq!(told.downcast_ref(), Some(&"as was to be shown"));
}

/// A domain that is its own neighbour, as in a periodic box on one rank.
#[test]
fn one_rank_exchanges_with_itself() {
    let come = One.exchange(TAG, &[(0, b"up"), (0, b"down")], &[0, 0]);
    assert_eq!(come.unwrap(), [b"up".to_vec(), b"down".to_vec()]);
    assert_eq!(One.exchange(TAG, &[], &[0]), Err(RankError::Alone));
}

#[test]
fn what_comes_is_counted() {
    let volumes = Threads::run(3, |ranks| {
        let ranks = Counted::new(ranks);
        ranks.all_gather(&[0; 10]).unwrap();
        ranks.broadcast(1, &mut vec![0; 7]).unwrap();
        let (me, mut volume) = (ranks.rank(), ranks.take());
        volume.received -= if me == 1 { 0 } else { 7 };
        let counted = Volume {
            calls: 2,
            received: 20,
        };
        assert_eq!(volume, counted);
        if me == 0 {
            ranks.send(2, TAG, &[0; 5]).unwrap();
        }
        if me == 2 {
            ranks.receive(Source::Any, TAG).unwrap();
        }
        ranks.take()
    });
    let received = volumes.iter().map(|volume| volume.received);
    assert_eq!(received.collect::<Vec<_>>(), [0, 0, 5]);
    assert_eq!(volumes[1], Volume::default());
}

/// Bits of the inverse, its columns and products for 1 to 4 ranks (thesis 4.8 has cases 0 to 3: attachment to what is fixed and to
/// what is not, and further links of both kinds; a link that opens is one of negative stiffness).
#[test]
fn an_inverse_dealt_out_to_ranks_has_the_bits_of_one() {
    for size in 1..=4 {
        for fetch in [Fetch::Gather, Fetch::Broadcast] {
            // 528 rows of 66 tiles: five groups, two pieces of a product.
            let told = Threads::strict(size, |ranks| {
                checks::rima(ranks, fetch, Freedom::Translational, 260)
            });
            assert!(told.iter().all(|counts| *counts == told[0]));
            let (solved, refused) = told[0];
            assert!(solved > 20, "{solved} solved, {refused} refused");
        }
        let told = Threads::run(size, |ranks| {
            checks::rima(ranks, Fetch::Gather, Freedom::Full, 100)
        });
        assert!(told[0].1 > 0, "nothing ever hung loose");
    }
}

#[test]
fn a_sweep_over_ranks_has_the_table_of_one() {
    let folder = tempfile::tempdir().unwrap();
    checks::write_sweep(folder.path());
    let (sweep, alone) = checks::swept_alone(folder.path());
    for (size, threads) in [(1, 1), (2, 1), (4, 1), (3, 2)] {
        Threads::strict(size, |ranks| checks::sweep(ranks, folder.path(), threads));
        let dir = folder.path().join(format!("over-{size}-{threads}"));
        assert_eq!(checks::table_of(&sweep, &dir), alone, "{size} ranks");
        let left = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap());
        let marks = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        assert_eq!(marks.count(), 0);
    }
}

/// Ranks of which one stops to speak after some messages.
struct Mortal<'a> {
    ranks: &'a Threads,
    left: AtomicUsize,
}

impl Mortal<'_> {
    fn breathe(&self) -> Result<(), RankError> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        match left {
            0 => Err(RankError::Stuck { own: self.rank() }),
            _ => Ok(()),
        }
    }
}

impl Ranks for Mortal<'_> {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }
    fn size(&self) -> usize {
        self.ranks.size()
    }
    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError> {
        self.breathe()?;
        self.ranks.send(to, tag, bytes)
    }
    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError> {
        self.ranks.receive(from, tag)
    }
    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError> {
        self.ranks.try_receive(from, tag)
    }
    fn exchange_while(
        &self,
        tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<u8>>, RankError> {
        self.ranks.exchange_while(tag, out, from, meanwhile)
    }
}

/// What a lost rank was at is done by the others. (Under MPI the loss of a rank ends the job; there the same command goes on.)
#[test]
fn a_lost_rank_costs_no_run() {
    let folder = tempfile::tempdir().unwrap();
    checks::write_sweep(folder.path());
    let (sweep, alone) = checks::swept_alone(folder.path());
    for breath in [1, 2, 4] {
        let dir = folder.path().join(format!("lost-{breath}"));
        let told = Threads::run(3, |ranks| {
            let left = if ranks.rank() == 2 {
                breath
            } else {
                usize::MAX
            };
            let left = AtomicUsize::new(left);
            let stop = AtomicBool::new(false);
            run_over(
                &sweep,
                &checks::options(&dir, &stop),
                &Mortal { ranks, left },
            )
            .map_err(|error| error.to_string())
        });
        // One that gets so far may have been left nothing to do.
        assert!(breath == 4 || told[2].is_err(), "{breath}");
        let done = told[0].clone().unwrap();
        assert!(!done.stopped && done.look.ended <= 16, "{done:?}");
        assert!(told[1].is_ok());
        assert_eq!(checks::table_of(&sweep, &dir), alone, "{breath}");
    }
}

#[test]
fn a_stop_of_one_rank_stops_all_and_the_rest_is_done_later() {
    let folder = tempfile::tempdir().unwrap();
    checks::write_sweep(folder.path());
    let (sweep, alone) = checks::swept_alone(folder.path());
    let dir = folder.path().join("stopped");
    let done = Threads::run(3, |ranks| {
        let stop = AtomicBool::new(ranks.rank() == 1);
        run_over(&sweep, &checks::options(&dir, &stop), ranks).unwrap()
    });
    assert!(done[0].stopped && done[0].look.ended < 16, "{:?}", done[0]);
    assert_ne!(checks::table_of(&sweep, &dir), alone);
    Threads::run(3, |ranks| {
        let stop = AtomicBool::new(false);
        run_over(&sweep, &checks::options(&dir, &stop), ranks).unwrap()
    });
    assert_eq!(checks::table_of(&sweep, &dir), alone);
}

/// Ranks that do not mean the same, or do not see the same folder, do nothing.
#[test]
fn ranks_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    checks::write_sweep(folder.path());
    let never = AtomicBool::new(false);
    let other = tempfile::tempdir().unwrap();
    checks::write_sweep(other.path());
    let file = other.path().join("few-sweep.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("seeds = 4", "seeds = 5")).unwrap();
    let told = |file: &dyn Fn(usize) -> std::path::PathBuf,
                dir: &dyn Fn(usize) -> std::path::PathBuf| {
        let places: Vec<_> = (0..3).map(|rank| (file(rank), dir(rank))).collect();
        Threads::run(3, |ranks| {
            let (file, dir) = &places[ranks.rank()];
            let sweep = checks::read(file);
            match run_over(&sweep, &checks::options(dir, &never), ranks) {
                Err(SweepError::Unlike { rank }) => ("unlike", rank),
                Err(SweepError::Apart { rank, .. }) => ("apart", rank),
                other => panic!("{other:?}"),
            }
        })
    };
    let same = |_: usize| folder.path().to_path_buf();
    let out = |_: usize| folder.path().join("out");
    let odd = |rank: usize| [folder.path(), other.path()][rank / 2].to_path_buf();
    assert_eq!(told(&odd, &out), [("unlike", 2); 3]);
    assert!(!out(0).exists());
    let apart = |rank: usize| folder.path().join(["here", "elsewhere", "here"][rank]);
    assert_eq!(told(&same, &apart), [("apart", 1); 3]);
}

/// A folder that cannot be made: all ranks fail, each with a reason.
#[test]
fn what_fails_on_rank_0_fails_on_all() {
    let folder = tempfile::tempdir().unwrap();
    checks::write_sweep(folder.path());
    let dir = folder.path().join("few.toml/out");
    let told = Threads::run(3, |ranks| {
        let never = AtomicBool::new(false);
        let sweep = checks::read(folder.path());
        let error = run_over(&sweep, &checks::options(&dir, &never), ranks).unwrap_err();
        error.to_string()
    });
    assert!(told[0].contains("cannot create"), "{told:?}");
    assert!(told[1].starts_with("rank 0: cannot create"), "{told:?}");
    assert_eq!(told[1], told[2]);
}

/// Processes that were started together but cannot speak to each other would each run the whole sweep.
#[cfg(not(feature = "mpi"))]
#[test]
fn many_processes_without_mpi_are_refused() {
    use crate::cli_tools::{command, said};
    let folder = tempfile::tempdir().unwrap();
    checks::write_sweep(folder.path());
    let run = |name: &str, count: &str, more: &[&str]| {
        let arguments = [&["sweep", "few-sweep.toml", "-o", "out"][..], more].concat();
        let started = command(folder.path(), &arguments).env(name, count).output();
        started.unwrap()
    };
    for name in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"] {
        let output = run(name, "4", &[]);
        assert_eq!(output.status.code(), Some(2));
        let said = said(&output);
        for part in ["4 processes", name, "--features mpi", "--shard I/4"] {
            assert!(said.contains(part), "no {part} in {said}");
        }
        assert!(!folder.path().join("out").exists());
    }
    assert!(run("OMPI_COMM_WORLD_SIZE", "1", &[]).status.success());
    assert!(
        run("OMPI_COMM_WORLD_SIZE", "4", &["--shard", "2/4"])
            .status
            .success()
    );
}

/// A filling of the plane in the silo of the thesis, with 60 disks.
fn filling(solver: &str, law: &str) -> Setup<Planar> {
    let set = [
        &*format!("quasi_static.solver={solver}"),
        "run.end_time=60",
        "fill.0.roll_down.count=60",
    ];
    let set: Vec<Override> = set.iter().map(|set| Override::set(set).unwrap()).collect();
    let silo = include_str!("../../../scenarios/silo.toml");
    let springs = "[law.linear]\nnormal_stiffness = 1e6     # N/m\ntangential_stiffness = 1e5 # N/m\nnormal_damping = 1e3       # the quasi-static model leaves damping out\ntangential_damping = 1e3\n";
    assert!(silo.contains(springs));
    let text = match law {
        "linear" => silo.to_owned(),
        law => silo
            .replace(springs, &format!("[law.{law}]\nrestitution = 0.5\n"))
            .replace(
                "density = 11.9\n",
                "density = 11.9\nyoung = 1e9\npoisson = 0.3\n",
            ),
    };
    let resolved = Scenario::parse("silo", &text, None, &set).and_then(|silo| silo.resolve());
    match resolved.unwrap_or_else(|why| panic!("{why}")).setup {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("a plane silo"),
    }
}

/// A filling by RIMA whose inverse is dealt out: the same bits and records as on one process, where stiffnesses change too.
#[test]
fn a_filling_has_the_bits_of_one_process() {
    for law in ["linear", "hertz"] {
        let run = |driver: &mut dyn Driver| {
            let (mut records, go) = (MemorySink::default(), AtomicBool::new(false));
            let outcome = driver.run(&mut records, &mut Control::new(&go)).unwrap();
            assert_eq!(outcome, Outcome::Finished);
            (driver.summary().state_hash, records.series)
        };
        let alone = run(&mut *driver_of(filling("rima", law), None).unwrap());
        assert!(alone.1.len() >= 60);
        assert!(!DistributedFilling::supports(&filling("factor", law)));
        for size in [1, 2, 3] {
            let told = Threads::strict(size, |ranks| {
                run(&mut DistributedFilling::new(filling("rima", law), ranks).unwrap())
            });
            assert!(told.iter().all(|one| *one == alone), "{law}, {size} ranks");
        }
    }
}

/// When one rank is to stop all stop after the same grain, and the state goes on in one process.
#[test]
fn ranks_of_a_filling_stop_together() {
    let mut whole = driver_of(filling("rima", "linear"), None).unwrap();
    let go = AtomicBool::new(false);
    whole.run(&mut NullSink, &mut Control::new(&go)).unwrap();
    let stopped = Threads::strict(2, |ranks| {
        let mut dealt = DistributedFilling::new(filling("rima", "linear"), ranks).unwrap();
        let go = AtomicBool::new(false);
        let until = dealt.run_until(20.5, &mut NullSink, &mut Control::new(&go));
        assert_eq!(until.unwrap(), None);
        go.store(ranks.rank() == 1, Ordering::Relaxed);
        let outcome = dealt.run(&mut NullSink, &mut Control::new(&go));
        assert_eq!(outcome.unwrap(), Outcome::Interrupted);
        (dealt.time(), dealt.save().unwrap())
    });
    assert_eq!(stopped[0], stopped[1]);
    let mut alone = driver_of(filling("rima", "linear"), Some(&stopped[0].1)).unwrap();
    assert!(alone.time() <= stopped[0].0);
    alone.run(&mut NullSink, &mut Control::new(&go)).unwrap();
    assert_eq!(alone.summary().state_hash, whole.summary().state_hash);
}
