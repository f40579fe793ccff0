//! The run's folder: tables that read back the same, checkpoints, locks, refusals of the system.

use std::fs;
use std::path::Path;

use arenite::event::EventKind;
use arenite::record::read::{self, Snapshots, TableReader, Values};
use arenite::record::{BodyRef, RunFolder, Sink, Status, Table, columns};

use crate::record_sample::{event, feed, meta, series, snapshot, summary};

const TABLES: [&str; 4] = [
    "events.parquet",
    "series.parquet",
    "grains.parquet",
    "links.parquet",
];

fn bytes_of(dir: &Path) -> Vec<Vec<u8>> {
    TABLES
        .iter()
        .map(|name| fs::read(dir.join(name)).unwrap())
        .collect()
}

/// A run of five parts with a checkpoint after each, in one go.
fn whole(dir: &Path, dimensions: usize, threads: usize) {
    let mut folder = RunFolder::create(dir, &meta(dimensions), threads, false).unwrap();
    for k in 0..5 {
        feed(&mut folder, k, dimensions);
        folder.checkpoint(format!("state {k}").as_bytes()).unwrap();
    }
    folder.finish(&summary(Status::Finished)).unwrap();
}

#[test]
fn snapshots_read_back_the_same() {
    for dimensions in [2, 3] {
        let dir = tempfile::tempdir().unwrap();
        whole(dir.path(), dimensions, 2);
        let mut snapshots = Snapshots::open(dir.path()).unwrap();
        assert_eq!(snapshots.meta.dimensions, dimensions);
        assert_eq!(snapshots.meta.walls, meta(dimensions).walls);
        for k in 0..5 {
            let found = snapshots.next_snapshot().unwrap().unwrap();
            let (grains, mut links) = snapshot(k, dimensions);
            if dimensions == 2 {
                // The plane keeps two components.
                for link in &mut links {
                    link.tangential_force[2] = 0.0;
                }
            }
            assert_eq!(found.number, k);
            assert_eq!(found.grains, grains);
            assert_eq!(found.links, links);
        }
        assert!(snapshots.next_snapshot().unwrap().is_none());
    }
}

#[test]
fn events_and_series_read_back_the_same() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), 2, 1);
    let table = read::events(dir.path()).unwrap();
    assert_eq!(table.rows, 2000);
    let kinds = table.names("kind").unwrap();
    for (k, kind) in kinds.iter().enumerate() {
        let row = event(k as u64);
        assert_eq!(table.integers("seq").unwrap()[k], Some(row.seq as i64));
        assert_eq!(table.floats("time").unwrap()[k], row.time);
        assert_eq!(kind.as_deref(), Some(row.kind.name()));
        let from = table.names("regime_from").unwrap()[k].as_deref();
        assert_eq!(from, row.regime_from.map(|r| r.name()));
        let to = table.names("regime_to").unwrap()[k].as_deref();
        assert_eq!(to, row.regime_to.map(|r| r.name()));
        let body = table.integers("body_b").unwrap()[k];
        assert_eq!(
            body,
            (row.body_b != BodyRef::None).then(|| row.body_b.code())
        );
        assert_eq!(body.map_or(BodyRef::None, BodyRef::from_code), row.body_b);
        assert_eq!(table.integers("link").unwrap()[k], Some(row.link as i64));
        assert_eq!(table.floats("y").unwrap()[k], row.position[1]);
        let energy = table.floats("energy").unwrap()[k];
        assert!(energy == row.energy || energy.is_nan() && row.energy.is_nan());
        assert_eq!(table.integers("cause").unwrap()[k], Some(row.cause as i64));
    }
    assert!(table.get("z").is_none());

    let table = read::series(dir.path()).unwrap();
    assert_eq!(table.rows, 25);
    let slip = EventKind::ALL
        .iter()
        .position(|k| *k == EventKind::SlipLink)
        .unwrap();
    for k in 0..25 {
        let row = series(k as u64);
        let float = |name: &str| table.floats(name).unwrap()[k];
        let integer = |name: &str| table.integers(name).unwrap()[k].unwrap() as u64;
        assert_eq!(float("time"), row.time);
        assert_eq!(integer("grains"), row.grains);
        assert_eq!(integer("grains_flight"), row.by_regime[0]);
        assert_eq!(integer("grains_rigid"), row.by_regime[3]);
        assert_eq!(integer("events_slip_link"), row.events[slip]);
        assert_eq!(float("dissipated_morph"), row.dissipated[3]);
        assert_eq!(float("balance_error"), row.balance_error);
        assert_eq!(float("wall_right_force_y"), row.walls[1][1]);
        // In the plane the moment is the component about z, the last of three.
        assert_eq!(float("wall_right_moment"), row.walls[1][5]);
        assert_eq!(float("wall_gate_work"), row.walls[2][6]);
        assert_eq!(integer("meter_below_count"), row.meters[0].0 as u64);
        assert_eq!(float("meter_below_mass"), row.meters[0].1);
    }
}

#[test]
fn tables_say_their_columns_and_units() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(dir.path(), &meta(3), 1, false).unwrap();
    folder.finish(&summary(Status::Empty)).unwrap();
    for table in Table::ALL {
        let expected = columns(
            table,
            3,
            &meta(3).boundaries,
            &meta(3).meters,
            meta(3).extras(),
        );
        // A table without rows has all its columns too.
        let found = read::table(dir.path(), table).unwrap();
        assert_eq!(found.rows, 0);
        let names: Vec<&str> = found
            .columns
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let wanted: Vec<&str> = expected.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, wanted);
        let reader = TableReader::open(dir.path(), table).unwrap();
        for column in &expected {
            let unit = reader.metadata(&format!("units.{}", column.name));
            assert_eq!(unit.unwrap_or_default(), column.unit);
            let about = reader.metadata(&format!("about.{}", column.name));
            assert_eq!(about, Some(column.about.as_str()));
        }
    }
    let grains = TableReader::open(dir.path(), Table::Grains).unwrap();
    assert_eq!(grains.metadata("units.velocity_z"), Some("m/s"));
}

#[test]
fn large_tables_are_cut_into_row_groups() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap();
    for k in 0..150_000 {
        folder.event(&event(k)).unwrap();
    }
    folder.finish(&summary(Status::Finished)).unwrap();
    let mut reader = TableReader::open(dir.path(), Table::Events).unwrap();
    let mut sizes = Vec::new();
    let mut last = 0;
    while let Some(group) = reader.next_group().unwrap() {
        sizes.push(group.rows);
        let Some(Values::Integers(seq)) = group.get("seq") else {
            panic!("no seq");
        };
        for number in seq {
            last += 1;
            assert_eq!(*number, Some(last));
        }
    }
    assert_eq!(sizes, [65_536, 65_536, 18_928]);
}

#[test]
fn resumed_runs_end_with_the_same_bytes() {
    for dimensions in [2, 3] {
        let one_go = tempfile::tempdir().unwrap();
        whole(one_go.path(), dimensions, 1);
        for stop in 1..5 {
            let dir = tempfile::tempdir().unwrap();
            let mut folder = RunFolder::create(dir.path(), &meta(dimensions), 2, false).unwrap();
            for k in 0..stop {
                feed(&mut folder, k, dimensions);
                folder.checkpoint(format!("state {k}").as_bytes()).unwrap();
            }
            // Rows after the checkpoint, which the resumed run writes again.
            feed(&mut folder, 17, dimensions);
            drop(folder);
            // A torn row and a half-written table, as a killed process leaves them.
            let spool = dir.path().join("checkpoint/grains.spool");
            let mut torn = fs::read(&spool).unwrap();
            torn.extend_from_slice(&[1, 2, 3]);
            fs::write(&spool, torn).unwrap();
            fs::write(dir.path().join("grains.parquet.part"), b"PAR1").unwrap();

            let (mut folder, scenario, state) = RunFolder::resume(dir.path(), 1).unwrap();
            assert_eq!(scenario, meta(dimensions).scenario_toml);
            assert_eq!(state.unwrap(), format!("state {}", stop - 1).as_bytes());
            for k in stop..5 {
                feed(&mut folder, k, dimensions);
                folder.checkpoint(format!("state {k}").as_bytes()).unwrap();
            }
            folder.finish(&summary(Status::Finished)).unwrap();
            assert!(
                bytes_of(dir.path()) == bytes_of(one_go.path()),
                "stopped after {stop}"
            );
            assert!(!dir.path().join("grains.parquet.part").exists());
        }
    }
}

#[test]
fn an_interrupted_run_has_its_tables_and_can_go_on() {
    let one_go = tempfile::tempdir().unwrap();
    whole(one_go.path(), 2, 1);
    let dir = tempfile::tempdir().unwrap();
    let mut folder = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap();
    for k in 0..2 {
        feed(&mut folder, k, 2);
    }
    folder.checkpoint(b"half").unwrap();
    folder.finish(&summary(Status::Interrupted)).unwrap();
    assert_eq!(read::events(dir.path()).unwrap().rows, 800);
    assert_eq!(
        read::summary(dir.path()).unwrap().status,
        Status::Interrupted
    );

    let (mut folder, _, state) = RunFolder::resume(dir.path(), 1).unwrap();
    assert_eq!(state.as_deref(), Some(b"half".as_slice()));
    for k in 2..5 {
        feed(&mut folder, k, 2);
    }
    folder.finish(&summary(Status::Jammed)).unwrap();
    assert!(bytes_of(dir.path()) == bytes_of(one_go.path()));
    // Nothing is left to go on with.
    assert!(!dir.path().join("checkpoint/events.spool").exists());
    let message = RunFolder::resume(dir.path(), 1).unwrap_err().to_string();
    assert!(
        message.ends_with("nothing to resume: the run is finished"),
        "{message}"
    );
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before() {
    let one_go = tempfile::tempdir().unwrap();
    whole(one_go.path(), 2, 1);
    // Damage to the newest, to the spool under the newest, and to both checkpoints.
    for case in 0..3 {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap();
        for k in 0..3 {
            feed(&mut folder, k, 2);
            folder.checkpoint(format!("state {k}").as_bytes()).unwrap();
        }
        drop(folder);
        let flip = |name: &str| {
            let path = dir.path().join("checkpoint").join(name);
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            fs::write(&path, bytes).unwrap();
        };
        match case {
            0 => flip("state-3"),
            1 => {
                let path = dir.path().join("checkpoint/links.spool");
                let bytes = fs::read(&path).unwrap();
                fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            }
            _ => {
                flip("state-3");
                flip("state-2");
            }
        }
        if case == 2 {
            let error = RunFolder::resume(dir.path(), 1).unwrap_err().to_string();
            assert!(error.contains("state-3"), "{error}");
            // Nothing is cut off or removed.
            assert!(dir.path().join("checkpoint/state-2").exists());
            continue;
        }
        let (mut folder, _, state) = RunFolder::resume(dir.path(), 1).unwrap();
        assert_eq!(state.unwrap(), b"state 1");
        for k in 2..5 {
            feed(&mut folder, k, 2);
        }
        folder.finish(&summary(Status::Finished)).unwrap();
        assert!(
            bytes_of(dir.path()) == bytes_of(one_go.path()),
            "case {case}"
        );
    }
}

#[test]
fn a_folder_takes_one_run_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().display();
    let folder = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap();
    let busy =
        format!("{path}: another run is writing here; wait for it to end or choose another folder");
    let again = RunFolder::create(dir.path(), &meta(2), 1, true).unwrap_err();
    assert_eq!(again.to_string(), busy);
    assert_eq!(
        RunFolder::resume(dir.path(), 1).unwrap_err().to_string(),
        busy
    );
    drop(folder);

    let unfinished = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap_err();
    assert_eq!(
        unfinished.to_string(),
        format!(
            "{path}: holds a run that was not finished; go on with --resume, or replace it with --force"
        )
    );
    let folder = RunFolder::create(dir.path(), &meta(2), 1, true).unwrap();
    folder.finish(&summary(Status::Finished)).unwrap();
    let finished = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap_err();
    assert_eq!(
        finished.to_string(),
        format!("{path}: holds a finished run; choose another folder, or replace it with --force")
    );
    // Replacing takes away what the old run wrote, and nothing else.
    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let folder = RunFolder::create(dir.path(), &meta(2), 1, true).unwrap();
    assert!(!dir.path().join("summary.json").exists());
    assert!(!dir.path().join("grains.parquet").exists());
    drop(folder);
    assert!(dir.path().join("notes.txt").exists());
}

#[test]
fn a_changed_scenario_is_not_resumed() {
    let dir = tempfile::tempdir().unwrap();
    drop(RunFolder::create(dir.path(), &meta(2), 1, false).unwrap());
    fs::write(dir.path().join("scenario.toml"), "seed = 4\n").unwrap();
    let message = RunFolder::resume(dir.path(), 1).unwrap_err().to_string();
    assert!(
        message.contains("was changed after the run was started"),
        "{message}"
    );
    let nowhere = RunFolder::resume(&dir.path().join("none"), 1)
        .unwrap_err()
        .to_string();
    assert!(
        nowhere.ends_with("nothing to resume: no run was started in this folder"),
        "{nowhere}"
    );
    assert!(!dir.path().join("none").exists());
}

#[test]
fn an_unwritable_folder_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let message = RunFolder::create(&file, &meta(2), 1, false)
        .unwrap_err()
        .to_string();
    let start = format!("cannot create {}", file.join("checkpoint").display());
    assert!(message.starts_with(&start), "{message}");
}

#[test]
#[cfg(unix)]
fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("runs");
    fs::create_dir(&inside).unwrap();
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(inside.join("probe"), "").is_ok() {
        // The administrator may write anywhere: nothing to be seen here.
        return;
    }
    let message = RunFolder::create(&inside.join("a"), &meta(2), 1, false).unwrap_err();
    let message = message.to_string();
    assert!(
        message.starts_with("cannot create ") && message.contains("denied"),
        "{message}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_half_written_table() {
    for full in ["grains.parquet.part", "summary.json.part"] {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = RunFolder::create(dir.path(), &meta(2), 2, false).unwrap();
        feed(&mut folder, 0, 2);
        folder.checkpoint(b"0").unwrap();
        // What is written under this name goes to a device that is always full.
        std::os::unix::fs::symlink("/dev/full", dir.path().join(full)).unwrap();
        let name = full.trim_end_matches(".part");
        let message = folder
            .finish(&summary(Status::Finished))
            .unwrap_err()
            .to_string();
        let start = format!(
            "cannot write {}: No space left on device",
            dir.path().join(name).display()
        );
        assert!(message.starts_with(&start), "{message}");
        assert!(!dir.path().join(name).exists());
        assert!(!dir.path().join(full).exists());
        assert!(!dir.path().join("summary.json").exists());
        // What could be written is there and whole; the rest comes with a resume.
        assert_eq!(read::events(dir.path()).unwrap().rows, 400);
        let (folder, _, _) = RunFolder::resume(dir.path(), 1).unwrap();
        folder.finish(&summary(Status::Finished)).unwrap();
        assert!(read::grains(dir.path()).unwrap().rows > 0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_checkpoint_on_a_full_disk_keeps_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = RunFolder::create(dir.path(), &meta(2), 1, false).unwrap();
    feed(&mut folder, 0, 2);
    folder.checkpoint(b"good").unwrap();
    let part = dir.path().join("checkpoint/state-2.part");
    std::os::unix::fs::symlink("/dev/full", &part).unwrap();
    let message = folder.checkpoint(b"lost").unwrap_err().to_string();
    assert!(
        message.contains("state-2: No space left on device"),
        "{message}"
    );
    drop(folder);
    let (_, _, state) = RunFolder::resume(dir.path(), 1).unwrap();
    assert_eq!(state.as_deref(), Some(b"good".as_slice()));
}
