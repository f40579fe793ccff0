//! What exact slides would bring: a bed at rest, stepped so far, is tilted a little further in three ways, stepped, asleep, and by the rules of
//! the quasi-static model (thesis 4.5) from the forces as they are, and the forces of all links are compared with the stepped ones.
//!
//! ```text
//! cargo run --release --example exact_slides -- SEEDS FROM FOR PARTS all|one [KEY=VALUE ...]
//! ```
//!
//! `FROM` and `FOR` are seconds of the scenario `tilt`; the turn of gravity is applied in `PARTS` equal parts by the rules, by which all links beyond
//! Coulomb's bound slide at once, or one by one.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use arenite::geometry::Planar;
use arenite::record::{BodyRef, NullSink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::stress::{
    Factor, Freedom, Link, LinkState, Network, Packing, Rules, Sliding, Unresolved,
};
use arenite::system::{Control, Setup, System};
use nalgebra::Vector2;

/// Errors of any kind.
type Failure = Box<dyn std::error::Error + Send + Sync>;
/// Forces on the body of each link whose name comes first, N.
type Forces = BTreeMap<(String, String), Vector2<f64>>;

/// Rate at which the scenario tilts, rad/s.
const RATE: f64 = 0.02;
/// Gravity, m/s^2.
const GRAVITY: f64 = 9.8;
/// Gaps up to which pairs may connect, over the radius.
const NEAR: f64 = 0.02;
/// Stiffness of the ties that hold disks which nothing else holds, over that of links.
const TIE: f64 = 1e-4;

fn setup(seed: u64, keys: &[String]) -> Result<Setup<Planar>, Failure> {
    let mut overrides = vec![Override::option("SEEDS", "seed", &seed.to_string())];
    for key in keys {
        let (key, value) = key.split_once('=').ok_or("KEY=VALUE")?;
        overrides.push(Override::option("KEY=VALUE", key, value));
    }
    let resolved = Scenario::load("tilt", &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    match resolved.setup {
        AnySetup::Planar(setup) => Ok(setup),
        AnySetup::Spatial(_) => Err("tilt is planar".into()),
    }
}

/// Returns the forces of links between some bodies, from normal forces and tangential forces on the first node.
fn forces<'a>(
    bodies: &[BodyRef],
    links: impl Iterator<Item = (&'a Link<Planar>, (f64, Vector2<f64>))>,
) -> Forces {
    let mut all = Forces::new();
    for (link, (normal, tangential)) in links {
        let [a, b] = [link.a, link.b].map(|node| format!("{:?}", bodies[node]));
        let on_a = link.normal * -normal + tangential;
        let (key, on) = if a < b {
            ((a, b), on_a)
        } else {
            ((b, a), -on_a)
        };
        *all.entry(key).or_default() += on;
    }
    all
}

/// Returns the forces of the links of a system.
fn forces_of(system: &System<Planar>) -> Forces {
    let at = system.handover();
    let links = at.network.links().iter().zip(at.forces.iter().copied());
    forces(&at.bodies, links)
}

fn difference(one: &Forces, other: &Forces) -> f64 {
    let keys: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let of = |forces: &Forces, key| forces.get(key).copied().unwrap_or_default();
    keys.iter()
        .map(|key| (of(one, key) - of(other, key)).norm())
        .sum()
}

/// Goes on from a state to a time, s.
fn branch(setup: Setup<Planar>, state: &[u8], end: f64) -> Result<(System<Planar>, f64), Failure> {
    let never = AtomicBool::new(false);
    let mut system = System::restore(setup, state)?;
    system.extend(end);
    let begun = Instant::now();
    system.run(&mut NullSink, &mut Control::new(&never))?;
    Ok((system, begun.elapsed().as_secs_f64()))
}

/// What the rules find.
struct Exact {
    forces: Forces,
    slides: usize,
    links: usize,
    heat: f64,
    held: usize,
    seconds: f64,
}

/// Turns gravity by the rules from one time to another, s.
fn exact(
    system: &System<Planar>,
    [from, to]: [f64; 2],
    parts: u32,
    sliding: Sliding,
) -> Result<Exact, Failure> {
    let begun = Instant::now();
    let at = system.handover();
    let grains = {
        let mut grains = system.grains_at(system.time());
        grains.sort_by_key(|grain| grain.id);
        grains
    };
    let mut packing = Packing::new(
        Freedom::Full,
        Box::new(Factor::new(&Network::<Planar>::new(Freedom::Full))),
    );
    let m = at.network.per_node();
    for (key, node) in at.network.nodes().iter().enumerate() {
        let row = at.network.row(key);
        let load = row.map(|row| at.load[row * m..(row + 1) * m].to_vec());
        packing.add_node(*node, &load.unwrap_or_default());
    }
    let mut stiffest: f64 = 0.0;
    for (link, (normal, tangential)) in at.network.links().iter().zip(&at.forces) {
        let key = packing.add_link(*link, 0.0);
        packing.set_prestress(key, *normal, -*tangential);
        stiffest = stiffest.max(link.kn);
    }
    let pairs = |key: usize| at.network.links_of(key);
    for i in 0..grains.len() {
        for j in i + 1..grains.len() {
            let apart = grains[j].position - grains[i].position;
            let gap = apart.norm() - grains[i].radius - grains[j].radius;
            let joined = pairs(i).iter().any(|&link| {
                let link = at.network.links()[link];
                link.b == j || link.a == j
            });
            if gap < NEAR * grains[i].radius && !joined {
                let normal = apart / apart.norm();
                let like = at.network.links().iter().find(|link| link.b < grains.len());
                let like = like.ok_or("no link among grains")?;
                packing.add_link(
                    Link {
                        a: i,
                        b: j,
                        normal,
                        arms: [normal * grains[i].radius, -normal * grains[j].radius],
                        state: LinkState::Off,
                        ..*like
                    },
                    gap.max(0.0),
                );
            }
        }
    }
    for node in 0..grains.len() {
        packing.tie(node, TIE * stiffest);
    }
    let rules = Rules {
        unresolved: Unresolved::Hold,
        sliding,
        ..Rules::thesis(1e-3 * grains[0].mass * GRAVITY)
    };
    let gravity = |time: f64| {
        let angle = RATE * time;
        Vector2::new(GRAVITY * angle.sin(), -GRAVITY * angle.cos())
    };
    let (mut slides, mut slid, mut heat, mut held) = (0, Vec::new(), 0.0, 0);
    for part in 0..=parts {
        let time = from + (to - from) * f64::from(part) / f64::from(parts);
        let change = gravity(time) - gravity(from);
        for (row, grain) in grains.iter().enumerate() {
            let mut load = at.load[row * m..(row + 1) * m].to_vec();
            load[0] += grain.mass * change.x;
            load[1] += grain.mass * change.y;
            packing.set_load(row, &load);
        }
        let relaxed = packing.relax(&rules)?;
        slides += relaxed.slides;
        slid.extend(relaxed.slid.iter().map(|one| one.link));
        heat += relaxed.energy.elastic;
        held += relaxed.held.len();
    }
    slid.sort_unstable();
    slid.dedup();
    // Ties have a node that is none of the bodies.
    let links = packing.network().links().iter().enumerate();
    let links = links.filter(|(_, link)| link.b < at.bodies.len());
    let links = links.map(|(key, link)| (link, packing.stress(key)));
    let on = links.filter(|(_, stress)| stress.on);
    let on = on.map(|(link, stress)| (link, (stress.normal, -stress.tangential)));
    Ok(Exact {
        forces: forces(&at.bodies, on),
        slides,
        links: slid.len(),
        heat,
        held,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seeds, from, more, parts, sliding, keys @ ..] = &arguments[..] else {
        return Err("usage: exact_slides SEEDS FROM FOR PARTS all|one [KEY=VALUE ...]".into());
    };
    let (from, more): (f64, f64) = (from.parse()?, more.parse()?);
    let sliding = match sliding.as_str() {
        "all" => Sliding::AllAtOnce,
        "one" => Sliding::LargestExcess,
        other => return Err(format!("`{other}`: all or one?").into()),
    };
    let never = AtomicBool::new(false);
    for seed in 1..=seeds.parse()? {
        let mut setup = setup(seed, keys)?;
        let morph = setup.models.morph.take();
        setup.log.series = None;
        setup.log.checkpoint = None;
        setup.log.snapshots = None;
        setup.run.end_time = from;
        let mut base = System::new(setup.clone())?;
        base.run(&mut NullSink, &mut Control::new(&never))?;
        let state = base.save()?;
        let start = forces_of(&base);
        let mut sleeping = setup.clone();
        sleeping.models.morph = morph;
        let end = from + more;
        let exact = exact(&base, [from, end], parts.parse()?, sliding)?;
        let of = |(system, seconds): (System<Planar>, f64)| (forces_of(&system), seconds);
        let (stepped, _) = of(branch(setup.clone(), &state, end)?);
        let mut chaotic = setup.clone();
        chaotic.fields.gravity *= 1.0 + 1e-9;
        let (again, _) = of(branch(chaotic, &state, end)?);
        let (asleep, seconds) = of(branch(sleeping, &state, end)?);
        let all: f64 = start.values().map(|force| force.norm()).sum();
        let change = difference(&start, &stepped);
        println!(
            "seed {seed}: change {:.2e} of the forces; off by, of it: asleep {:.3} ({:.2} s), exact {:.3} ({:.2} s), gravity 1e-9 greater {:.3}; \
             {} slides of {} links, {:.2e} J, {} held",
            change / all,
            difference(&asleep, &stepped) / change,
            seconds,
            difference(&exact.forces, &stepped) / change,
            exact.seconds,
            difference(&again, &stepped) / change,
            exact.slides,
            exact.links,
            exact.heat,
            exact.held,
        );
    }
    Ok(())
}
