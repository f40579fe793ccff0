//! What free rigid groups that move as one body could save: how many of the stepped disks belong to one.

use arenite::cluster::Other;
use arenite::geometry::Planar;
use arenite::record::NullSink;
use arenite::rigidity::{DiskGroups, DiskLink};
use arenite::system::System;

use crate::support;

/// Stepped disks, those of them in free rigid groups of three or more, the links of all of them that are
/// in touch, those inside such groups, and those that are stable.
fn shares(system: &System<Planar>) -> [usize; 5] {
    let engine = system.dem();
    let mut links: Vec<DiskLink> = Vec::new();
    let mut touching = 0;
    arenite::cluster::observe::each_list_link(&engine.world, |view| {
        touching += 1;
        let ground = match view.b {
            Other::Slot(b) => engine.world.grains.stands(view.a) || engine.world.grains.stands(b),
            Other::Boundary(_) => true,
        };
        let (a, b) = match view.b {
            Other::Slot(b) if engine.world.grains.stands(view.a) => (b, view.a),
            Other::Slot(b) => (view.a, b),
            Other::Boundary(_) => (view.a, view.a),
        };
        // What is not stable holds nothing together.
        if view.stable {
            links.push(DiskLink {
                a,
                b: (!ground).then_some(b),
                slides: view.slipping,
            });
        }
    });
    let near = arenite::cluster::part::near_stepped(&engine.world, 0, |_| true);
    let stepped = near
        .iter()
        .filter(|&&slot| !engine.world.grains.stands(slot))
        .count();
    let slots = links
        .iter()
        .map(|link| link.a.max(link.b.unwrap_or(0)) as usize + 1);
    let groups = DiskGroups::new(slots.max().unwrap_or(0), &links);
    let mut group_of = vec![
        usize::MAX;
        groups
            .free
            .iter()
            .flatten()
            .max()
            .map_or(0, |&most| most as usize + 1)
    ];
    let mut grouped = 0;
    for (group, disks) in groups
        .free
        .iter()
        .enumerate()
        .filter(|(_, disks)| disks.len() > 2)
    {
        grouped += disks.len();
        for &disk in disks {
            group_of[disk as usize] = group;
        }
    }
    let of = |disk: u32| group_of.get(disk as usize).copied().unwrap_or(usize::MAX);
    let inside = links
        .iter()
        .filter(|link| {
            link.b
                .is_some_and(|b| of(link.a) != usize::MAX && of(link.a) == of(b))
        })
        .count();
    [stepped, grouped, touching, inside, links.len()]
}

/// `cargo test --release --test it free_groups_are_rare -- --ignored --nocapture`.
#[test]
#[ignore = "runs of hopper, heap, silo-fill and drum with a look each 10 ms, some minutes"]
fn free_groups_are_rare() {
    for (scenario, rigid, finish, stable) in [
        ("hopper", "false", 4.0, None),
        ("hopper", "false", 4.0, Some(1e-3)),
        ("hopper", "false", 4.0, Some(1e-2)),
        ("hopper", "false", 4.0, Some(5e-2)),
        ("hopper", "true", 4.0, None),
        ("heap", "true", 8.0, None),
        ("silo-fill", "true", 10.0, None),
        ("drum", "true", 20.0, None),
    ] {
        let overrides = [
            format!("morph.rigid={rigid}"),
            "run.end_time=1e-6".into(),
            "log.series=\"never\"".into(),
            "log.snapshots=\"never\"".into(),
        ];
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let mut setup = support::planar(scenario, &overrides);
        if let Some(speed) = stable {
            setup.motion.stable_speed = speed;
        }
        let speed = setup.motion.stable_speed;
        let mut system = System::new(setup.clone()).unwrap();
        let mut sums = [0; 5];
        while setup.run.end_time < finish {
            setup.run.end_time += 0.01;
            system.extend(setup.run.end_time);
            support::finish(&mut system, &mut NullSink);
            for (sum, found) in sums.iter_mut().zip(shares(&system)) {
                *sum += found;
            }
        }
        let share = |k: usize, of: usize| sums[k] as f64 / sums[of].max(1) as f64;
        println!(
            "{scenario}, morph.rigid = {rigid}, links stable under {speed:.1e} m/s: of the stepped disks {:.4} in free rigid groups of three or more, \
             of their links {:.4} inside and {:.4} stable",
            share(1, 0),
            share(3, 2),
            share(4, 2)
        );
    }
}
