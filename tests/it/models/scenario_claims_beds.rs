//! What the descriptions of embedded scenarios claim of beds, heaps and flows, where no other test asserts it. Bounds are of
//! what is claimed, by measures that miss them where it is not so; they are not values of one run.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use arenite::record::{BodyRef, GrainRow, MemorySink, SeriesRow};

use crate::models::scenario_claims::at;
use crate::support::{close, planar, run};

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
    sum / count
}

/// The speed of a grain.
fn speed(row: &GrainRow) -> f64 {
    row.velocity.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The share of grains that stand still.
fn still(row: &SeriesRow) -> f64 {
    (row.by_regime[2] + row.by_regime[3]) as f64 / row.grains as f64
}

/// The rows of snapshots from one time to another.
fn between(sink: &MemorySink, from: f64, to: f64) -> impl Iterator<Item = &GrainRow> {
    let all = sink.snapshots.iter().flat_map(|(rows, _)| rows);
    all.filter(move |row| row.time >= from && row.time <= to)
}

/// `centrifuge`: grains lighter than the fluid all end in the middle; of the heavier ones at least three in four lie at the wall, and no grain of either sort hangs
/// between. (A sixth of the heavy ones are caught among the light.)
#[test]
fn a_centrifuge_parts_heavy_from_light() {
    let (_, sink) = run(&planar("centrifuge", &["run.end_time=1.2"]));
    let far = |row: &GrainRow| row.position[0].hypot(row.position[1]);
    let (first, last) = (at(&sink, 0.0), at(&sink, 1.2));
    let of = |rows: &[GrainRow], heavy: bool| -> Vec<f64> {
        let sort = rows.iter().filter(|row| (row.grain < 220) == heavy);
        sort.map(far).collect()
    };
    // Mixed at first.
    let [heavy, light] = [true, false].map(|heavy| mean(of(first, heavy).into_iter()));
    close("mixed", heavy / light, 1.0, 0.15);
    let (heavy, light) = (of(last, true), of(last, false));
    assert!(light.iter().all(|r| *r < 0.11), "{light:?}");
    let out = heavy.iter().filter(|r| **r > 0.15).count();
    println!("{out} of {} at the wall", heavy.len());
    assert!(out >= 165, "{out}");
    let hang = heavy.iter().filter(|r| (0.11..0.15).contains(*r)).count();
    assert!(hang <= 5, "{hang}");
}

/// `pipe-flow`: grains are carried all the way, none goes back, and in the narrow place of 0.6 of the width they are about 1/0.6 as
/// fast as before and after it, as what flows there is as much.
#[test]
fn a_fluid_carries_grains_through_a_narrow_place() {
    let (system, sink) = run(&planar("pipe-flow", &["run.end_time=4"]));
    let out = system.summary().discharge.unwrap().count;
    assert!(out > 150, "{out}");
    let within = |from: f64, to: f64| {
        let rows = between(&sink, 2.5, 4.0).filter(|row| (from..to).contains(&row.position[0]));
        mean(rows.map(|row| row.velocity[0]))
    };
    let [before, narrow, after] = [(0.2, 0.8), (1.1, 1.4), (1.8, 2.3)].map(|(a, b)| within(a, b));
    println!("{before:.3}, {narrow:.3} and {after:.3} m/s");
    for wide in [before, after] {
        close("faster", narrow / wide, 1.0 / 0.6, 0.4);
    }
    assert!(between(&sink, 1.0, 4.0).all(|row| row.velocity[0] > -0.05));
}

/// `conveyor`: stones on a belt have its velocity, up on the first and back on the second, and nine in ten of those that leave fall
/// over the end of the second one.
#[test]
fn stones_go_up_one_belt_and_back_on_the_other() {
    let (system, sink) = run(&planar("conveyor", &[]));
    // Within two radii of a belt, off its ends.
    let on = |from: [f64; 2], slope: f64, to: f64| {
        let rows = between(&sink, 0.0, 8.0).filter(move |row| {
            let along = row.position[0] - from[0];
            let over = row.position[1] - from[1] - slope * along;
            (0.3..to - 0.1).contains(&along) && (0.0..0.025).contains(&over)
        });
        rows.map(|row| row.velocity).collect::<Vec<_>>()
    };
    for (from, slope, long, belt) in [
        ([0.0, 0.0], 0.175, 2.0, [0.7, 0.1225]),
        ([0.9, -0.45], 0.0625, 1.3, [-0.6, -0.0375]),
    ] {
        let rows = on(from, slope, long);
        assert!(rows.len() > 500, "{}", rows.len());
        for k in 0..2 {
            let found = mean(rows.iter().map(|velocity| velocity[k]));
            close("velocity on the belt", found, belt[k], 0.08 * belt[0].abs());
        }
    }
    let out = system.summary().discharge.unwrap().count;
    assert!(out > 50, "{out}");
    // Where they fall past the second belt: under its lower end, but for one in ten at most.
    let low = between(&sink, 0.0, 8.0).filter(|row| row.position[1] < -0.6);
    let places: BTreeMap<u32, f64> = low.map(|row| (row.grain, row.position[0])).collect();
    let there = places.values().filter(|x| (0.5..0.9).contains(*x)).count();
    println!("{there} of {} into the bin", places.len());
    assert!(
        10 * there >= 9 * places.len(),
        "{there} of {}",
        places.len()
    );
}

/// `ice-floes`: floes come to drift with the water; in the end they are piled up before the strait and stand, and the water, which
/// without ice keeps its 0.5 m/s (push over resistance), is slowed down.
#[test]
fn floes_pile_up_and_slow_the_water() {
    let (system, sink) = run(&planar("ice-floes", &[]));
    let along = |time: f64| mean(at(&sink, time).iter().map(|row| row.velocity[0]));
    let drift = along(300.0);
    assert!(drift > 0.35, "{drift}");
    let last = at(&sink, 1500.0);
    let piled = last.iter().filter(|row| row.position[0] > 400.0).count();
    let standing = along(1500.0);
    let stream = system.summary().fields.unwrap().stream.unwrap();
    println!("{piled} before the strait at {standing:.4} m/s; water {stream:?}");
    assert!(piled >= 50 && standing < 0.05, "{piled} {standing}");
    assert!(stream[0] < 0.45, "{stream:?}");
    assert!(last.len() > 200, "{}", last.len());
}

/// How far the 99th of a hundred disks is, and the height of the highest.
fn outline(rows: &[GrainRow]) -> [f64; 2] {
    let mut along: Vec<f64> = rows.iter().map(|row| row.position[0]).collect();
    along.sort_by(f64::total_cmp);
    let top = rows.iter().map(|row| row.position[1] + row.radius);
    [along[along.len() * 99 / 100], top.fold(0.0, f64::max)]
}

/// `dam-break`: the column stands until its gate goes, then falls to half its height and runs out to four times its width.
#[test]
fn a_column_collapses() {
    let (_, sink) = run(&planar("dam-break", &["run.end_time=0.8"]));
    let [wide, high] = outline(at(&sink, 0.0));
    let [front, top] = outline(at(&sink, 0.8));
    println!("{wide:.3} m wide and {high:.3} m high; {front:.3} and {top:.3} then");
    assert!(wide < 0.2 && high > 0.28, "{wide} {high}");
    assert!(front > 4.0 * wide && top < 0.5 * high, "{front} {top}");
}

/// Links of two grains.
fn touching(sink: &MemorySink, snapshot: usize) -> Vec<(u32, u32)> {
    let pair = |a: BodyRef, b: BodyRef| match (a, b) {
        (BodyRef::Grain(a), BodyRef::Grain(b)) => Some((a.min(b), a.max(b))),
        _ => None,
    };
    let links = sink.snapshots[snapshot].1.iter();
    links.filter_map(|l| pair(l.body_a, l.body_b)).collect()
}

/// Of a column of cohesive disks: the share of links at the start that last, the front, and the greatest fall of the
/// surface from one of its columns, 0.02 m wide, to the next one outward.
fn break_down(force: f64) -> [f64; 3] {
    let options = [
        &format!("law[0].cohesion.force={force:?}"),
        "run.end_time=0.6",
        "log.snapshots=0.6",
    ];
    let (_, sink) = run(&planar("cohesive-heap", &options));
    let last = sink.snapshots.len() - 1;
    let (before, mut after) = (touching(&sink, 0), touching(&sink, last));
    after.sort_unstable();
    let kept = before
        .iter()
        .filter(|pair| after.binary_search(pair).is_ok());
    let kept = kept.count() as f64 / before.len() as f64;
    let rows = &sink.snapshots[last].0;
    let mut tops = vec![0.0f64; 200];
    for row in rows {
        let column = &mut tops[((row.position[0] / 0.02).max(0.0) as usize).min(199)];
        *column = column.max(row.position[1] + row.radius);
    }
    let cliff = tops.windows(2).map(|pair| pair[0] - pair[1]);
    [kept, outline(rows)[0], cliff.fold(0.0, f64::max)]
}

/// `cohesive-heap`: with twenty times their weight disks go in lumps (most links last) and leave a cliff, steeper than 60 degrees over four
/// radii; without cohesion they flow: neighbours part and the surface is flat; with 40 N the column stands.
#[test]
fn cohesive_disks_break_off_in_lumps() {
    let setup = planar("cohesive-heap", &[]);
    let weight = 9.81 * setup.grains.iter().map(|g| g.mass).sum::<f64>() / 600.0;
    close("weights", 15.0 / weight, 20.0, 0.5);
    let [free, lumps, stands] = [0.0, 15.0, 40.0].map(break_down);
    println!("free {free:.3?}, lumps {lumps:.3?}, stands {stands:.3?}");
    assert!(lumps[0] > 0.55 && free[0] < 0.4, "{lumps:?} {free:?}");
    assert!(lumps[2] > 0.035 && free[2] < 0.03, "{lumps:?} {free:?}");
    assert!(lumps[1] > 0.25 && free[1] > 0.5, "{lumps:?} {free:?}");
    assert!(stands[0] > 0.98 && stands[1] < 0.215, "{stands:?}");
}

/// `settle-shapes`: all grains come to rest: what is left of the energy of the fall is less than a millionth, and none is faster than 5 mm/s.
#[test]
fn arcs_come_to_rest() {
    let (_, sink) = run(&planar("settle-shapes", &[]));
    let (first, last) = (&sink.series[0], sink.series.last().unwrap());
    assert!(last.kinetic < 1e-6 * (first.potential - last.potential));
    let fastest = at(&sink, 1.5).iter().map(speed).fold(0.0, f64::max);
    assert!(fastest < 5e-3, "{fastest}");
}

/// The slope of a flank, degrees: of the tops of columns 0.02 m wide by least squares.
fn flank(rows: &[GrainRow], from: f64, to: f64) -> f64 {
    let columns = ((to - from) / 0.02).round() as usize;
    let tops: Vec<[f64; 2]> = (0..columns)
        .map(|k| {
            let left = from + 0.02 * k as f64;
            let within = rows
                .iter()
                .filter(|row| (left..left + 0.02).contains(&row.position[0]));
            [
                left + 0.01,
                within
                    .map(|row| row.position[1] + row.radius)
                    .fold(0.0, f64::max),
            ]
        })
        .collect();
    let [x, y] = [0, 1].map(|k| mean(tops.iter().map(|top| top[k])));
    let xy: f64 = tops.iter().map(|top| (top[0] - x) * (top[1] - y)).sum();
    let xx: f64 = tops.iter().map(|top| (top[0] - x).powi(2)).sum();
    (xy / xx).atan().to_degrees()
}

/// `heap`: once its slopes reach the rims what comes rolls off: in the last third of the pouring hardly any of 200 disks stay, in the
/// mean of three pourings (what an avalanche has left free is filled again). The two flanks have one angle in the mean, that of a pile of disks, and
/// stand still in the end.
#[test]
fn a_poured_heap_has_its_angle_of_repose() {
    let heaps = [1, 2, 3].map(|seed| {
        // Two seconds after the pouring a quarter of the heaps, stepped or not, still has an avalanche.
        let overrides = [&format!("seed={seed}"), "run.end_time=20"];
        let (_, sink) = run(&planar("heap", &overrides));
        let grains = |time: f64| {
            let row = sink.series.iter().find(|row| row.time > time - 1e-9);
            row.unwrap().grains as f64
        };
        // Until then nearly all stay.
        assert!(grains(5.0) > 190.0, "{}", grains(5.0));
        let stands = still(sink.series.last().unwrap());
        let rows = at(&sink, 17.0);
        let [left, right] = [flank(rows, -0.36, -0.06), -flank(rows, 0.06, 0.36)];
        println!("{left:.1} and {right:.1} degrees");
        // Flanks of stepped heaps have 26 degrees, give or take 3 to 4 (20 flanks): none is farther off than three times that.
        for angle in [left, right] {
            assert!((14.0..38.0).contains(&angle), "{left} {right}");
        }
        [grains(15.0) - grains(10.0), left, right, stands]
    });
    let [more, left, right, stands] = [0, 1, 2, 3].map(|k| mean(heaps.iter().map(|heap| heap[k])));
    assert!(more.abs() < 60.0, "{more} of 200 stay");
    close("flanks", left, right, 6.0);
    close("mean of six flanks", 0.5 * (left + right), 26.0, 4.5);
    assert!(stands > 0.95, "{stands} stand still");
}

/// `wind-heap`: what is in the air goes with the wind, the surface moves where it is struck, and the core is at rest.
#[test]
fn the_core_of_a_heap_in_the_wind_is_at_rest() {
    let (_, sink) = run(&planar("wind-heap", &["run.end_time=2.5"]));
    let rows: Vec<&GrainRow> = between(&sink, 0.9, 2.5).collect();
    let rests = |row: &&&GrainRow| row.group >= 0;
    let share = rows.iter().filter(rests).count() as f64 / rows.len() as f64;
    assert!((0.4..0.95).contains(&share), "{share} at rest");
    let height = |rows: &mut dyn Iterator<Item = &&GrainRow>| mean(rows.map(|row| row.position[1]));
    let core = height(&mut rows.iter().filter(rests));
    let other = height(&mut rows.iter().filter(|row| !rests(row)));
    assert!(core < 0.8 * other, "{core} m, others {other} m");
    let flies = |row: &&&GrainRow| row.position[1] > 0.18;
    let wind = mean(rows.iter().filter(flies).map(|row| row.velocity[0]));
    assert!(wind > 1.1, "{wind} m/s");
}

/// `drum`: the bed turns with the drum, its centre of mass by 0.05 rad/s, until it falls back by some degrees, again and again; between, nine in ten disks stand still. The angle is that of the
/// centre of mass, about the axis, to gravity.
#[test]
fn a_drum_has_avalanches_and_rest_between() {
    let (_, sink) = run(&planar("drum", &["run.end_time=34", "log.snapshots=0.1"]));
    let angles: Vec<[f64; 2]> = sink
        .snapshots
        .iter()
        .map(|(rows, _)| {
            let middle = |k: usize| mean(rows.iter().map(|row| row.mass * row.position[k]));
            let time = rows[0].time;
            let angle = middle(1).atan2(middle(0)) + 0.5 * PI;
            [time, (angle + PI).rem_euclid(2.0 * PI) - PI]
        })
        .collect();
    // Falls by 4 degrees within two seconds, each from where it begins.
    let mut falls = Vec::new();
    let mut k = 0;
    while k + 20 < angles.len() {
        let lowest = angles[k..k + 21]
            .iter()
            .map(|a| a[1])
            .fold(f64::INFINITY, f64::min);
        if angles[k][1] - lowest > 0.07 {
            falls.push(angles[k][1].to_degrees());
            k += 20;
        } else {
            k += 1;
        }
    }
    println!("falls from {falls:.1?} degrees");
    assert!(falls.len() >= 2, "{falls:?}");
    assert!(
        falls.iter().all(|from| (15.0..40.0).contains(from)),
        "{falls:?}"
    );
    let rest: Vec<f64> = sink.series.iter().map(still).collect();
    let share = rest.iter().filter(|share| **share > 0.9).count() as f64 / rest.len() as f64;
    assert!((0.3..0.98).contains(&share), "{share} of the time at rest");
    assert!(rest.iter().any(|share| *share < 0.3));
    // At first, far below its angle, it turns with the drum.
    let (a, b) = (angles[10], angles[40]);
    close("turns with it", (b[1] - a[1]) / (b[0] - a[0]), 0.05, 2.5e-3);
}
