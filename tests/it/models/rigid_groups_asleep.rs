//! Rigid groups of beds that stand still, micro-avalanches in them, and grains that are stopped in vain.
//! References: the pebble game on the whole network from nothing, the log of links, the freedoms of disks.

use std::collections::BTreeMap;

use arenite::cluster::Other;
use arenite::event::{EventKind, Regime};
use arenite::geometry::Planar;
use arenite::record::{BodyRef, MemorySink};
use arenite::rigidity::{BodyKind, DiskGroups, DiskLink, Pebble};
use arenite::stress::LinkState;
use arenite::system::{Setup, System};

use crate::support::{self, Dice};

fn setup(overrides: &[&str]) -> Setup<Planar> {
    support::planar("silo-fill", overrides)
}

/// Groups by the pebble game on all links, from nothing.
fn counted(disks: usize, links: &[DiskLink], shapes: &[bool]) -> DiskGroups {
    let mut game = Pebble::new();
    let ground = game.add_body(BodyKind::Shape);
    let kind = |shape: bool| {
        if shape {
            BodyKind::Shape
        } else {
            BodyKind::Disk
        }
    };
    let add = |disk: usize| game.add_body(kind(shapes.get(disk) == Some(&true)));
    let bodies: Vec<_> = (0..disks).map(add).collect();
    for link in links {
        let b = link.b.map_or(ground, |b| bodies[b as usize]);
        let state = if link.slides {
            LinkState::Slide
        } else {
            LinkState::Grip
        };
        game.insert_link(bodies[link.a as usize], b, state);
    }
    let mut groups = DiskGroups::default();
    for group in game.clusters() {
        let own = group.iter().filter(|&&key| key != ground);
        let disks = own.map(|&key| key as u32 - 1).collect();
        if group.contains(&ground) {
            groups.grounded = disks;
        } else {
            groups.free.push(disks);
        }
    }
    groups
}

fn grip(a: u32, b: Option<u32>) -> DiskLink {
    DiskLink {
        a,
        b,
        slides: false,
    }
}

fn slide(a: u32, b: Option<u32>) -> DiskLink {
    DiskLink { a, b, slides: true }
}

#[test]
fn groups_grown_from_the_ground_are_those_of_the_whole_count() {
    let mut dice = Dice(5);
    let (mut grown, mut free, mut part) = (0, 0, 0);
    for case in 0..6000 {
        let disks = 2 + (dice.roll() * 12.0) as usize;
        let (dense, grounded) = (dice.between(0.1, 0.6), dice.between(0.0, 0.6));
        let sliding = dice.between(0.0, 0.7);
        let mut links = Vec::new();
        for a in 0..disks as u32 {
            for b in a + 1..disks as u32 {
                if dice.roll() < dense {
                    let slides = dice.roll() < sliding;
                    let b = Some(b);
                    links.push(DiskLink { a, b, slides });
                }
            }
            // Some lie in a corner.
            for _ in 0..2 {
                if dice.roll() < grounded {
                    let slides = dice.roll() < sliding;
                    links.push(DiskLink { a, b: None, slides });
                }
            }
        }
        let groups = DiskGroups::new(disks, &links);
        assert_eq!(
            groups,
            counted(disks, &links, &[]),
            "case {case}: {links:?}"
        );
        grown += usize::from(groups.grounded.len() == disks);
        part += usize::from((1..disks).contains(&groups.grounded.len()));
        free += usize::from(!groups.free.is_empty());
    }
    // The cases are of all kinds.
    assert!(
        grown > 300 && part > 300 && free > 300,
        "{grown} {part} {free}"
    );
}

/// The same with grains of other shapes among the disks, which may share several links.
#[test]
fn groups_of_shapes_are_those_of_the_whole_count() {
    let mut dice = Dice(6);
    let (mut more, mut free) = (0, 0);
    for case in 0..3000 {
        let grains = 2 + (dice.roll() * 10.0) as usize;
        let shapes: Vec<bool> = (0..grains).map(|_| dice.roll() < 0.7).collect();
        let (dense, grounded) = (dice.between(0.1, 0.5), dice.between(0.0, 0.4));
        let sliding = dice.between(0.0, 0.8);
        let mut links = Vec::new();
        for a in 0..grains as u32 {
            let others = (a + 1..grains as u32).map(Some);
            for b in others.chain([None]) {
                let both = shapes[a as usize] && b.is_none_or(|b| shapes[b as usize]);
                let share = if b.is_none() { grounded } else { dense };
                for _ in 0..if both { 3 } else { 1 } {
                    if dice.roll() < share {
                        let slides = dice.roll() < sliding;
                        links.push(DiskLink { a, b, slides });
                    }
                }
            }
        }
        let is_shape = |slot: u32| shapes[slot as usize];
        let groups = DiskGroups::with_shapes(grains, &links, is_shape);
        let whole = counted(grains, &links, &shapes);
        assert_eq!(groups, whole, "case {case}: {shapes:?} {links:?}");
        let disks = DiskGroups::new(grains, &links);
        more += usize::from(groups.grounded.len() > disks.grounded.len());
        free += usize::from(!groups.free.is_empty());
    }
    // That they are no disks matters.
    assert!(more > 100 && free > 100, "{more} {free}");
}

#[test]
fn a_shape_lies_on_two_feet_and_rolls_on_one() {
    let grounded = |links: &[DiskLink]| DiskGroups::with_shapes(1, links, |_| true).grounded;
    assert!(grounded(&[grip(0, None)]).is_empty());
    assert_eq!(grounded(&[grip(0, None), slide(0, None)]), [0]);
    // Two that slide let it go along; three in general position hold it, as no disk.
    assert!(grounded(&[slide(0, None); 2]).is_empty());
    assert_eq!(grounded(&[slide(0, None); 3]), [0]);
    assert!(DiskGroups::new(1, &[slide(0, None); 3]).grounded.is_empty());
}

#[test]
fn disks_on_a_floor_are_rigid_when_they_cannot_roll() {
    let grounded = |disks, links: &[DiskLink]| DiskGroups::new(disks, links).grounded;
    // One disk rolls: three freedoms, two constraints.
    assert!(grounded(1, &[grip(0, None)]).is_empty());
    // In a corner it cannot; if both links slide, it spins.
    assert_eq!(grounded(1, &[grip(0, None), grip(0, None)]), [0]);
    assert_eq!(grounded(1, &[grip(0, None), slide(0, None)]), [0]);
    assert!(grounded(1, &[slide(0, None), slide(0, None)]).is_empty());
    // Two that touch would roll alike, which their link does not let them: three bodies in a ring of
    // three, six freedoms, six constraints. Where they slide on each other they roll.
    let floor = [grip(0, None), grip(1, None)];
    let two = |link| grounded(2, &[floor[0], floor[1], link]);
    assert_eq!(two(grip(0, Some(1))), [0, 1]);
    assert!(two(slide(0, Some(1))).is_empty());
    // Four in a ring without ground turn like gears and shear; a triangle is rigid by itself.
    let ring = |n: u32| -> Vec<DiskLink> { (0..n).map(|a| grip(a, Some((a + 1) % n))).collect() };
    assert!(DiskGroups::new(4, &ring(4)).free.is_empty());
    assert_eq!(DiskGroups::new(3, &ring(3)).free, [vec![0, 1, 2]]);
}

#[test]
fn a_disk_by_itself_is_at_rest_and_not_rigid() {
    let setup = setup(&["feed[0].count=1", "run.end_time=2", "log.snapshots=2"]);
    let (system, records) = support::run(&setup);
    let (grains, _) = records.snapshots.last().expect("the end");
    assert_eq!(grains.len(), 1);
    assert_eq!(grains[0].regime, Regime::Rest);
    let row = records.series.last().expect("a row");
    assert_eq!(row.by_regime, [0, 0, 1, 0]);
    let shares = system.summary().regimes;
    assert!(shares.rest > 0.2 && shares.rigid == 0.0, "{shares:?}");
}

/// What the library tells of links between grains that stand still, by numbers of grains.
fn still_links(system: &System<Planar>) -> Vec<DiskLink> {
    let engine = system.dem();
    let id = |slot: u32| engine.world.grains.arrays.id[slot as usize];
    let mut links = Vec::new();
    arenite::cluster::held::each_still_link(&engine.world, |view| {
        let b = match view.b {
            Other::Slot(b) => Some(id(b)),
            Other::Boundary(_) => None,
        };
        links.push(DiskLink {
            a: id(view.a),
            b,
            slides: view.slipping,
        });
    });
    links
}

#[test]
fn rigid_grains_of_a_run_are_those_of_the_whole_count() {
    let overrides = [
        "feed[0].count=150",
        "run.end_time=0.05",
        "log.snapshots=never",
    ];
    let mut setup = setup(&overrides);
    let mut system = System::new(setup.clone()).expect("it runs");
    let mut sink = MemorySink::default();
    let (mut rigid, mut rest) = (0, 0);
    for tick in 1..=60 {
        setup.run.end_time = 0.05 * f64::from(tick);
        system.extend(setup.run.end_time);
        support::finish(&mut system, &mut sink);
        let groups = system.rigid_groups();
        assert_eq!(
            groups,
            counted(150, &still_links(&system), &[]),
            "tick {tick}"
        );
        let mut told: Vec<u32> = groups.free.concat();
        told.extend(&groups.grounded);
        told.sort_unstable();
        let rows = system.grain_rows(setup.run.end_time);
        let of = |regime| rows.iter().filter(move |row| row.regime == regime);
        let found: Vec<u32> = of(Regime::Rigid).map(|row| row.grain).collect();
        assert_eq!(found, told, "tick {tick}");
        rigid += found.len();
        rest += of(Regime::Rest).count();
    }
    assert!(rigid > 2000, "{rigid}");
    assert!(rest > 20, "{rest}");
    // Each grain's changes of regime follow on one another.
    let mut regime: BTreeMap<u32, Regime> = BTreeMap::new();
    let mut grown = 0;
    for row in sink
        .events
        .iter()
        .filter(|row| row.kind == EventKind::Morph)
    {
        let (BodyRef::Grain(id), Some(from), Some(to)) =
            (row.body_a, row.regime_from, row.regime_to)
        else {
            continue;
        };
        if let Some(before) = regime.insert(id, to) {
            assert_eq!(before, from, "grain {id} at {} s", row.time);
        }
        grown += usize::from(to == Regime::Rigid);
    }
    assert!(grown >= 150, "{grown}");
    let now = system.grain_rows(setup.run.end_time);
    for row in &now {
        assert_eq!(regime[&row.grain], row.regime);
    }
    let shares = system.summary().regimes;
    let sum = shares.flight + shares.cluster + shares.rest + shares.rigid;
    assert!((sum - 1.0).abs() < 1e-12, "{shares:?}");
    assert!(shares.rigid > 0.3, "{shares:?}");
}

#[test]
fn avalanches_are_what_the_log_of_links_tells() {
    let overrides = [
        "feed[0].count=250",
        "run.end_time=3.5",
        "log.events=\"links\"",
    ];
    let (system, records) = support::run(&setup(&overrides));
    let summary = system.summary();
    let told = summary.avalanches.expect("a bed that stands still");
    assert_eq!(told.count as usize, records.avalanches.len());
    assert!(told.count > 10, "{told:?}");
    let mut by_cause: BTreeMap<u64, [u64; 4]> = BTreeMap::new();
    let mut solves: BTreeMap<u64, f64> = BTreeMap::new();
    for row in &records.events {
        if row.kind == EventKind::AnalyzeInternalForces {
            solves.insert(row.seq, row.time);
        }
        let Some(time) = solves.get(&row.cause) else {
            continue;
        };
        assert_eq!(row.time, *time);
        let column = match row.kind {
            EventKind::SlipLink => 0,
            EventKind::RemoveLink => 1,
            EventKind::InsertLink => 2,
            _ => 3,
        };
        by_cause.entry(row.cause).or_default()[column] += 1;
    }
    // A solve that only lets links grip is none; and each avalanche has its solve.
    let set_off = |at: u64| {
        let rows = records.events.iter().filter(move |row| row.cause == at);
        rows.filter(|row| row.kind != EventKind::GripLink).count() > 0
    };
    let found: Vec<(f64, [u64; 4])> = solves
        .iter()
        .filter(|&(&seq, _)| set_off(seq))
        .map(|(seq, &time)| (time, by_cause[seq]))
        .collect();
    assert_eq!(found.len(), records.avalanches.len());
    let (mut heat, mut largest) = (0.0, 0);
    for (row, (time, [slides, breaks, insertions, _])) in records.avalanches.iter().zip(&found) {
        assert_eq!(row.start, *time);
        assert_eq!(
            [row.slides, row.breaks, row.insertions],
            [*slides, *breaks, *insertions]
        );
        assert_eq!(row.size, slides + breaks + insertions);
        assert!(row.links <= row.size && row.grains >= 1);
        assert!(row.energy >= 0.0 && row.energy <= row.energy_thesis);
        let places: f64 = row.by_place.iter().sum();
        support::close("heat by place", places, row.energy, 1e-12 * row.energy);
        assert!(matches!(row.trigger, BodyRef::Grain(_)));
        // In a silo 0.6 m wide and 0.3 m full.
        assert!((0.0..0.7).contains(&row.extent), "{row:?}");
        heat += row.energy;
        largest = largest.max(row.size);
    }
    assert!(largest > 1);
    assert_eq!(told.largest, largest);
    support::close("heat of all", told.energy, heat, 1e-12 * heat);
    assert!(heat > 0.0 && heat < summary.energy.dissipated.slip);
    // No link event goes by the log.
    for kind in [
        EventKind::InsertLink,
        EventKind::RemoveLink,
        EventKind::SlipLink,
        EventKind::GripLink,
    ] {
        let rows = records.events.iter().filter(|row| row.kind == kind).count();
        let counted = summary.events.by_kind[kind.name()];
        assert_eq!(rows as u64, counted, "{}", kind.name());
    }
    // Each link that is lost was there before.
    let mut open: BTreeMap<(i64, i64), i32> = BTreeMap::new();
    for row in &records.events {
        let pair = (row.body_a.code(), row.body_b.code());
        let pair = if pair.1 < 0 {
            pair
        } else {
            (pair.0.min(pair.1), pair.0.max(pair.1))
        };
        match row.kind {
            EventKind::InsertLink => *open.entry(pair).or_default() += 1,
            EventKind::RemoveLink => *open.entry(pair).or_default() -= 1,
            _ => continue,
        }
        assert!((0..=1).contains(&open[&pair]), "{pair:?} at {} s", row.time);
    }
}

#[test]
fn groups_and_avalanches_go_on_after_a_saved_state() {
    let whole = [
        "feed[0].count=120",
        "run.end_time=1.4",
        "log.events=\"links\"",
    ];
    let part = [
        "feed[0].count=120",
        "run.end_time=0.93",
        "log.events=\"links\"",
    ];
    let mut system = System::new(setup(&part)).expect("it runs");
    support::finish(&mut system, &mut MemorySink::default());
    system.extend(1.4);
    let state = system.save().unwrap();
    let mut again = System::restore(setup(&whole), &state).expect("its own");
    let mut told = [MemorySink::default(), MemorySink::default()];
    for (system, sink) in [&mut system, &mut again].into_iter().zip(&mut told) {
        support::finish(system, sink);
    }
    let [one, other] = told.map(|s| format!("{:?} {:?} {:?}", s.events, s.series, s.avalanches));
    assert!(one == other, "records differ");
    let [one, other] = [&system, &again].map(|system| {
        let summary = system.summary();
        assert!(summary.avalanches.is_some_and(|a| a.count > 0));
        (
            summary.regimes,
            summary.avalanches,
            summary.work.stops,
            system.state_hash(),
        )
    });
    assert_eq!(one, other);
    assert_eq!(system.rigid_groups(), again.rigid_groups());
}

#[test]
fn the_deepest_link_may_stand_still() {
    let (system, _) = support::run(&setup(&["feed[0].count=40", "run.end_time=4"]));
    let engine = system.dem();
    assert!(engine.world.sleeping.still.count > 30, "most stand still");
    let stepped = arenite::cluster::overlap_check::deepest_stepped(&engine.world)
        .map_or(0.0, |link| link.share);
    let radius = |slot: u32| engine.world.grains.arrays.radius(slot as usize);
    let mut most: f64 = 0.0;
    arenite::cluster::held::each_still_link(&engine.world, |view| {
        let least = match view.b {
            Other::Slot(b) => radius(view.a).min(radius(b)),
            Other::Boundary(_) => radius(view.a),
        };
        most = most.max(view.kinematics.overlap / least);
    });
    let deepest = arenite::cluster::overlap_check::deepest(&engine.world).expect("a link");
    assert!(most > stepped, "{most} {stepped}");
    assert_eq!(deepest.share, most);
}

#[test]
fn who_is_stopped_in_vain_is_left_to_step() {
    // Who lacks anything at all after a solve is woken, and all are solved for all the time: what is
    // stopped cannot stay so.
    let mut setup = setup(&["feed[0].count=150", "run.end_time=3"]);
    let morph = setup.models.morph.as_mut().expect("it morphs");
    (morph.residual_after_solve, morph.carry_every) = (1e-12, 0.5 * morph.dwell);
    let dwell = morph.dwell;
    let (system, _) = support::run(&setup);
    let summary = system.summary();
    let work = &summary.work;
    assert!(work.stops > 1000, "{} stops", work.stops);
    assert!(
        2 * work.sleep_wake_cycles > work.stops,
        "{} of {}",
        work.sleep_wake_cycles,
        work.stops
    );
    let warned = summary.warnings.iter().filter(|w| w.contains("stopped"));
    assert_eq!(warned.count(), 1, "{:?}", summary.warnings);
    // Calm for h dwells, stopped, and woken half a dwell later: eight times with each h = 1, 2, 4, 8, 16
    // takes 268 of the 390 dwells of the run, and what is left at h = 32 is four times more, so that no
    // grain is stopped more than 45 times, and one time for rounding. With h = 1 to the end it would be
    // near 100 times on average.
    assert!((380.0..400.0).contains(&(3.0 / dwell)), "{dwell} s");
    assert!(work.stops < 46 * 150, "{} stops", work.stops);
    // Nobody hangs, and the book closes.
    assert_eq!(summary.grains.last, 150);
    assert!(
        summary.energy.balance_error < 1e-3,
        "{}",
        summary.energy.balance_error
    );
    // With its own settings nothing of this is told. One grain that rattles can make 12 % of the stops of
    // so small a filling vain, where others have 4 to 8 %: three fillings together.
    let (mut stops, mut vain) = (0, 0);
    for seed in ["seed=1", "seed=2", "seed=3"] {
        let calm = support::run(&self::setup(&[seed, "feed[0].count=150", "run.end_time=3"])).0;
        let summary = calm.summary();
        assert_eq!(summary.warnings, [""; 0]);
        stops += summary.work.stops;
        vain += summary.work.sleep_wake_cycles;
    }
    assert!(stops > 300);
    assert!(10 * vain < stops, "{vain} of {stops}");
}
