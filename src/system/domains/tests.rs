use super::Domains;
use super::cut::{Cut, Load};
use crate::cluster;
use crate::geometry::Planar;
use crate::ranks::{Threads, Values};
use crate::record::NullSink;
use crate::scenario::{AnySetup, Scenario};
use crate::system::run_loop::Driven;
use crate::system::{Setup, summary};

/// Scenario of disks that fall into a box and come to rest.
const BED: &str = r#"
name = "bed"
dimension = 2
[field]
gravity = [0.0, -9.81]
[run]
end_time = 10.0
[log]
series = "never"
snapshots = "never"
[morph]
rigid = true
[material.glass]
density = 2500.0
[[law]]
between = ["glass", "glass"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 5e4, normal_damping = 30.0, tangential_damping = 10.0, friction = 0.4 }
[[boundary]]
name = "floor"
material = "glass"
plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
[[boundary]]
name = "left"
material = "glass"
plane = { point = [0.0, 0.0], normal = [1.0, 0.0] }
[[boundary]]
name = "right"
material = "glass"
plane = { point = [0.8, 0.0], normal = [-1.0, 0.0] }
[[fill]]
material = "glass"
[fill.lattice]
count = 400
radius = { min = 0.008, max = 0.012 }
min = [0.0, 0.0]
max = [0.8, 0.5]
jitter = 1.0
speed = 0.1
"#;

fn bed() -> Setup<Planar> {
    let built = Scenario::parse("bed", BED, None, &[]).and_then(|scenario| scenario.resolve());
    match built
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
    {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => unreachable!("the bed is planar"),
    }
}

/// Returns planes with the same number of grains between them, counting only grains left of a place.
fn cut_left_of(domains: &Domains<'_, Planar>, place: f64) -> Cut {
    let mut load = Load::new([0.0; 3], [0.8, 0.5, 0.0]);
    let dem = &domains.system.dem;
    for slot in dem.world.grains.own() {
        let x = dem.world.grains.arrays.position(slot as usize);
        if x.x < place {
            load.add(x, 1);
        }
    }
    let all = domains.ranks.all_gather_values(&load.bins).unwrap();
    for (k, bin) in load.bins.iter_mut().enumerate() {
        *bin = all.iter().map(|bins| bins[k]).sum();
    }
    domains.cut.balanced(&load)
}

/// Grains at rest migrate to other ranks and back, with all their links and the forces that hold them. When all are woken afterwards,
/// they move to the bit as if none had migrated.
#[test]
fn what_stands_still_goes_over() {
    let run = |goes: bool| {
        let ends = Threads::run(3, |ranks| {
            let mut domains = Domains::dealt(bed(), Some([3, 1, 1]), ranks).unwrap();
            domains.start(&mut NullSink).unwrap();
            while domains.stepped > 20 && domains.system.time() < 5.0 {
                domains.step(false).unwrap();
            }
            let before = domains.system.dem.world.grains.standing().len();
            assert!(before > 40, "{before} stand still");
            let mut went = 0;
            if goes {
                for place in [0.3, 0.8, 0.5] {
                    domains.cut = cut_left_of(&domains, place);
                    domains.renew().unwrap();
                    went += domains
                        .system
                        .dem
                        .world
                        .grains
                        .standing()
                        .len()
                        .abs_diff(before);
                }
            }
            let all = domains.system.dem.world.grains.standing();
            let lacks = all.iter().map(|slot| {
                let id = domains.system.dem.world.grains.arrays.id[*slot as usize];
                (
                    id,
                    cluster::held::residual(
                        &domains.system.dem.world.physics,
                        &domains.system.dem.world.grains,
                        &domains.system.dem.world.sleeping,
                        *slot,
                    ),
                )
            });
            let lacks: Vec<_> = lacks.collect();
            domains.wake_grains(&all).unwrap();
            domains.renew().unwrap();
            for _ in 0..500 {
                domains.step(false).unwrap();
            }
            let links = cluster::change::link_count(
                &domains.system.dem.world.contacts,
                &domains.system.dem.world.sleeping,
            );
            let hash = domains.gather().unwrap().map(|system| {
                summary::state_hash(
                    &system.setup,
                    &system.dem.world,
                    &system.s.traffic,
                    &system.s.last_row,
                    &system.s.watch,
                )
            });
            (went, lacks, links, hash)
        });
        let went: usize = ends.iter().map(|end| end.0).sum();
        let mut lacks: Vec<_> = ends.iter().flat_map(|end| end.1.clone()).collect();
        lacks.sort_by_key(|lack| lack.0);
        (went, lacks, ends[0].3)
    };
    let (went, lacks, hash) = run(true);
    let (stayed, before, unmoved) = run(false);
    assert!(went > 200 && stayed == 0, "{went} went");
    assert_eq!(lacks, before);
    assert!(hash.is_some() && hash == unmoved);
}
