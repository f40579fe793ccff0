//! The quasi-static silo over many fillings: a line each, then means beside Janssen's theory,
//! contact forces, micro-avalanches, where both are; what the order of the grains and a small
//! change of their radii do to the forces.
//!
//! ```text
//! cargo run --release --example silo_fillings -- [SCENARIO [FILLINGS]]
//! ```
//!
//! Fillings are those of the seeds 1, 2, 3 ...; they run in parallel, each by itself, so that
//! figures do not depend on the number of threads.

mod places;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use arenite::body::Grain;
use arenite::event::EventKind;
use arenite::geometry::Planar;
use arenite::record::{AvalancheRow, BodyRef, GrainRow, LinkRow, MemorySink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::stress::{Factor, Network, Packing, Place, Rules, Unresolved};
use arenite::study::distribution::{exponential_tail, force_distribution, over_mean};
use arenite::study::ensemble::{Spread, spread};
use arenite::study::janssen_fit::{Free, Given, WallPressure, fit_janssen};
use arenite::study::power_law::{Search, Support, fit_power_law};
use arenite::study::pressure::mean_wall_pressure;
use arenite::study::silo::{Bed, Frictions, SiloStudy, silo};
use arenite::study::temperature::{Rearrangement, matched, rearrangement};
use arenite::study::{alternatives, goodness};
use arenite::system::{Control, Driver, EventLog, QuasiStatic, Setup, expanded};
use places::Heats;
use rayon::prelude::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a change of radii did: forces; links opened, forces on walls and floor, parts held.
type Change = (Rearrangement, [f64; 4]);

/// Parts of a force that links are asked whether theirs changed by more.
const PARTS: [f64; 3] = [0.01, 0.1, 1.0];
/// Samples drawn to test a law.
const REPLICAS: usize = 1000;
/// When the grain comes whose avalanche the thesis draws (Figs. 4.8 and 4.10a).
const DRAWN: f64 = 463.0;

/// A filling at its end.
struct Filling {
    setup: Setup<Planar>,
    /// Behind a lock, since a solver may belong to one thread at a time.
    run: Mutex<QuasiStatic<'static, Planar>>,
    grains: Vec<GrainRow>,
    links: Vec<LinkRow>,
    avalanches: Vec<AvalancheRow>,
    /// Effective number of slid links of each avalanche: square of its heat over the sum of the
    /// squares of its links' heats.
    slid: Vec<f64>,
    heats: Heats,
    /// Links that slid after the 463rd grain, and whether they are with a wall or the floor.
    drawn: BTreeMap<u64, bool>,
    held: u64,
    study: SiloStudy,
}

fn setup(scenario: &str, seed: u64) -> Result<Setup<Planar>, Failure> {
    let overrides = [Override::option("FILLINGS", "seed", &seed.to_string())];
    let resolved = Scenario::load(scenario, &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    match resolved.setup {
        AnySetup::Planar(setup) => Ok(setup),
        AnySetup::Spatial(_) => Err("a planar scenario, please".into()),
    }
}

fn frictions(setup: &Setup<Planar>) -> Frictions {
    let grain = setup.grains[0].material;
    let of = |other| {
        let law = setup.matter.laws.get(grain, other);
        law.map_or(0.0, |law| law.stiffness(0.0, 0.0).friction)
    };
    Frictions {
        wall: of(setup.boundaries[0].material),
        grain: of(grain),
    }
}

fn fill(mut setup: Setup<Planar>) -> Result<Filling, Failure> {
    setup.log.events = EventLog::Links;
    setup.log.series = None;
    setup.log.snapshots = Some(setup.run.end_time);
    setup.log.checkpoint = None;
    let gravity = [setup.fields.gravity.x, setup.fields.gravity.y, 0.0];
    let friction = frictions(&setup);
    let mut run = QuasiStatic::new(setup, None)?;
    let mut sink = MemorySink::default();
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    run.run(&mut sink, &mut control)?;
    // Heats of the slid links by the addition that set them off.
    let mut heats: BTreeMap<u64, (u32, f64, f64)> = BTreeMap::new();
    for row in &sink.events {
        match (row.kind, row.body_a) {
            (EventKind::AddBody, BodyRef::Grain(id)) => {
                heats.insert(row.seq, (id, 0.0, 0.0));
            }
            (EventKind::SlipLink, _) => {
                if let Some((_, sum, squares)) = heats.get_mut(&row.cause) {
                    *sum += row.energy;
                    *squares += row.energy * row.energy;
                }
            }
            _ => {}
        }
    }
    let slid = heats
        .values()
        .filter(|(_, _, squares)| *squares > 0.0)
        .map(|(_, sum, squares)| sum * sum / squares)
        .collect();
    let (grains, links) = sink.snapshots.pop().ok_or("the run made no snapshot")?;
    let study = silo::<Planar>(&Bed {
        grains: &grains,
        links: &links,
        avalanches: &sink.avalanches,
        gravity,
        friction,
    })?;
    let slides = || {
        sink.events
            .iter()
            .filter(|row| row.kind == EventKind::SlipLink)
    };
    let heats = Heats::new(slides(), study.height);
    let drawn = slides()
        .filter(|row| row.time == DRAWN)
        .map(|row| {
            (
                row.link,
                places::wall(row.body_a) || places::wall(row.body_b),
            )
        })
        .collect();
    let warned = run.summary().warnings.first().cloned().unwrap_or_default();
    let held = warned.split(' ').next().and_then(|n| n.parse().ok());
    Ok(Filling {
        setup: run.setup().clone(),
        run: Mutex::new(run),
        grains,
        links,
        avalanches: sink.avalanches,
        slid,
        heats,
        drawn,
        held: held.unwrap_or(0),
        study,
    })
}

fn of(fillings: &[Filling], value: impl Fn(&Filling) -> f64) -> Result<Spread, Failure> {
    Ok(spread(&fillings.iter().map(value).collect::<Vec<_>>())?)
}

fn product(filling: &Filling) -> f64 {
    let fit = filling.study.janssen_fitted;
    fit.map_or(f64::NAN, |fit| fit.product.value)
}

fn heat(filling: &Filling) -> f64 {
    filling.avalanches.iter().map(|row| row.energy).sum()
}

fn each(fillings: &[Filling]) {
    println!(
        "| filling | height, m | floor | mobilised | links a grain | avalanches | heat, uJ | K mu | held |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (index, f) in fillings.iter().enumerate() {
        println!(
            "| {} | {:.4} | {:.4} | {:.5} | {:.3} | {} | {:.2} | {:.4} | {} |",
            index + 1,
            f.study.height,
            f.study.support.floor,
            f.study.support.mobilised.unwrap_or(f64::NAN),
            f.study.contact_number,
            f.avalanches.len(),
            1e6 * heat(f),
            product(f),
            f.held
        );
    }
}

fn means(fillings: &[Filling]) -> Result<(), Failure> {
    println!(
        "\n| over {} fillings | mean | standard deviation | standard error |\n|---|---|---|---|",
        fillings.len()
    );
    let line = |name: &str, s: Spread| {
        println!(
            "| {name} | {:.5} | {:.5} | {:.5} |",
            s.mean, s.deviation, s.error
        );
    };
    line(
        "floor's share of the weight",
        of(fillings, |f| f.study.support.floor)?,
    );
    line(
        "support less weight, over weight, times 1e12",
        of(fillings, |f| 1e12 * f.study.support.excess)?,
    );
    line(
        "mobilised wall friction",
        of(fillings, |f| f.study.support.mobilised.unwrap_or(f64::NAN))?,
    );
    line("links a grain", of(fillings, |f| f.study.contact_number)?);
    line("K mu of each filling", of(fillings, product)?);
    line("height, m", of(fillings, |f| f.study.height)?);
    line("density, kg/m^2", of(fillings, |f| f.study.density)?);
    line("heat of slides, uJ", of(fillings, |f| 1e6 * heat(f))?);
    Ok(())
}

fn pressures(fillings: &[Filling]) -> Result<(), Failure> {
    // The lowest layer of each is what is left of its height: fillings differ in it, so the
    // layers of full height alone are averaged.
    let whole: Vec<_> = fillings
        .iter()
        .map(|f| {
            let mut layers = f.study.layers.clone();
            layers.pop();
            layers
        })
        .collect();
    let layers = mean_wall_pressure(&whole)?;
    let mean = of(fillings, |f| f.study.density)?.mean;
    let given = fillings[0].study.janssen_given;
    let silo = arenite::study::janssen::Janssen {
        density: mean,
        ..given
    };
    let points: Vec<WallPressure> = layers.iter().map(|layer| layer.point()).collect();
    let figures = Given {
        section: silo.section,
        density: mean,
        gravity: silo.gravity,
        wall_friction: silo.wall_friction,
    };
    let fit = fit_janssen(&points, &figures, Free::Product)?;
    let both = fit_janssen(&points, &figures, Free::Density)?;
    println!("\nWall pressure, N/m, by layers of ten mean radii from the surface down\n");
    println!(
        "| depth, m | pressure | deviation | error | fitted | off, % | given | off, % | friction over pressure |\n|---|---|---|---|---|---|---|---|---|"
    );
    for layer in &layers {
        let fitted = fit.silo.mean_wall_pressure(layer.top, layer.bottom);
        let theory = silo.mean_wall_pressure(layer.top, layer.bottom);
        let p = layer.pressure;
        println!(
            "| {:.3} to {:.3} | {:.2} | {:.2} | {:.2} | {:.2} | {:+.1} | {:.2} | {:+.1} | {:.5} |",
            layer.top,
            layer.bottom,
            p.mean,
            p.deviation,
            p.error,
            fitted,
            100.0 * (p.mean / fitted - 1.0),
            theory,
            100.0 * (p.mean / theory - 1.0),
            layer.shear.mean / p.mean,
        );
    }
    let height = of(fillings, |f| f.study.height)?.mean;
    println!(
        "\nJanssen fitted: K mu {:.4} +- {:.4}, K {:.3}, length {:.3} m, residual {:.3} N/m, explained {:.4}, floor {:.3}",
        fit.product.value,
        fit.product.error,
        fit.ratio.value,
        fit.silo.length(),
        fit.residual,
        fit.explained,
        fit.silo.floor_share(height)
    );
    println!(
        "Janssen fitted with the limit free too: K mu {:.4} +- {:.4}, density {:.2} +- {:.2} (of the bed {:.2}), residual {:.3} N/m, explained {:.4}",
        both.product.value,
        both.product.error,
        both.density.value,
        both.density.error,
        mean,
        both.residual,
        both.explained
    );
    println!(
        "Janssen given: K mu {:.4}, K {:.3}, length {:.3} m, floor {:.3}",
        silo.ratio * silo.wall_friction,
        silo.ratio,
        silo.length(),
        silo.floor_share(height)
    );
    Ok(())
}

fn forces(fillings: &[Filling]) -> Result<(), Failure> {
    // Forces grow with depth: each over the mean of its own filling, as is usual, and once over
    // the mean of a band of its own height, which takes that trend out.
    let (mut whole, mut bands) = (Vec::new(), Vec::new());
    for f in fillings {
        let normal = |l: &LinkRow| l.normal_force.max(0.0);
        whole.extend(over_mean(&f.links.iter().map(normal).collect::<Vec<_>>())?);
        let band = f.study.height / 8.0;
        // The top eighth has hardly any load, and the lowest is ruled by the level floor.
        for k in 1..7 {
            let within = |l: &&LinkRow| (l.point[1] / band) as usize == k;
            let of_band: Vec<f64> = f.links.iter().filter(within).map(normal).collect();
            bands.extend(over_mean(&of_band)?);
        }
    }
    for (name, values) in [("of the filling", &whole), ("at the same height", &bands)] {
        let all = force_distribution(values, 0.5)?;
        println!(
            "\nNormal forces over the mean {name}: {} links, under the mean {:.3}, deviation {:.3}, greatest {:.2}",
            all.count, all.weak, all.variation, all.greatest
        );
        for cut in [1.0, 2.0] {
            let tail = exponential_tail(values, cut, REPLICAS, 1)?;
            println!(
                "  tail above {cut}: exp(-{:.3} f) +- {:.3}, {} links, distance {:.4}, probability {:.3}",
                tail.rate, tail.error, tail.count, tail.distance, tail.probability
            );
        }
        let densities: Vec<String> = all
            .bins
            .iter()
            .map(|b| format!("{:.4}", b.density))
            .collect();
        println!("  density by halves: {}", densities.join(" "));
    }
    let tangential = |l: &LinkRow| {
        let t = l.tangential_force;
        (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt()
    };
    let (mut at_wall, mut inside) = ([0.0, 0.0], [0.0, 0.0]);
    for f in fillings {
        let friction = frictions(&f.setup);
        for l in &f.links {
            let wall = matches!(l.body_b, BodyRef::Boundary(_));
            let (sums, mu) = if wall {
                (&mut at_wall, friction.wall)
            } else {
                (&mut inside, friction.grain)
            };
            sums[0] += 1.0;
            sums[1] += f64::from(u8::from(tangential(l) > mu * l.normal_force * (1.0 - 1e-6)));
        }
    }
    println!(
        "\nLinks at Coulomb's bound: {:.3} of those with walls and floor, {:.3} of those between grains",
        at_wall[1] / at_wall[0],
        inside[1] / inside[0]
    );
    Ok(())
}

fn law(name: &str, values: &[f64], support: Support) -> Result<(), Failure> {
    let search = Search::default();
    let law = fit_power_law(values, support, &search)?;
    let good = goodness::goodness(values, &law, &search, REPLICAS, 1)?;
    let others = alternatives::compare(values, &law)?;
    let judged = alternatives::judge(&good, &others);
    let versus: Vec<String> = others
        .iter()
        .map(|o| format!("{:?} {:+.1} ({:.3})", o.alternative, o.ratio, o.probability))
        .collect();
    println!(
        "| {name} | {} | {:.3} +- {:.3} | {:.3e} | {} | {:.2} | {:.3} | {} | {judged:?} |",
        values.len(),
        law.exponent,
        law.error,
        law.start,
        law.tail,
        law.decades,
        good.probability,
        versus.join(", ")
    );
    Ok(())
}

fn avalanches(fillings: &[Filling]) -> Result<(), Failure> {
    let rows: Vec<&AvalancheRow> = fillings.iter().flat_map(|f| &f.avalanches).collect();
    let additions: usize = fillings.iter().map(|f| f.grains.len()).sum();
    println!(
        "\nMicro-avalanches: {} of {additions} additions set one off",
        rows.len()
    );
    println!("\n| figure | median | 90 of 100 | 99 of 100 | greatest |\n|---|---|---|---|---|");
    let figure = |name: &str, value: &dyn Fn(&AvalancheRow) -> f64| {
        let mut values: Vec<f64> = rows.iter().map(|row| value(row)).collect();
        values.sort_by(f64::total_cmp);
        let at = |p: f64| values[((values.len() - 1) as f64 * p) as usize];
        println!(
            "| {name} | {:.3e} | {:.3e} | {:.3e} | {:.3e} |",
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    };
    figure("size: slides, breaks, insertions", &|r| r.size as f64);
    figure("links that took part", &|r| r.links as f64);
    figure("heat, J", &|r| r.energy);
    figure("extent, m", &|r| r.extent);
    figure("rounds", &|r| r.rounds as f64);
    let total: f64 = rows.iter().map(|r| r.energy).sum();
    let thesis: f64 = rows.iter().map(|r| r.energy_thesis).sum();
    println!(
        "\nHeat {total:.4e} J; by the thesis's formula {thesis:.4e} J, {:.5} of it",
        thesis / total
    );
    let mut ratios: Vec<f64> = rows
        .iter()
        .filter(|r| r.energy > 0.0)
        .map(|r| r.energy_thesis / r.energy)
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "  by avalanche: median {:.4}, greatest {:.4}",
        ratios[ratios.len() / 2],
        ratios[ratios.len() - 1]
    );
    println!(
        "\n| place | share of the heat | avalanches with most of their heat there |\n|---|---|---|"
    );
    for (k, place) in Place::ALL.into_iter().enumerate() {
        let heat: f64 = rows.iter().map(|r| r.by_place[k]).sum();
        let most = rows.iter().filter(|r| r.place == Some(place)).count();
        println!(
            "| {} | {:.3} | {:.3} |",
            place.name(),
            heat / total,
            most as f64 / rows.len() as f64
        );
    }
    let walls: usize = fillings
        .iter()
        .flat_map(|f| &f.links)
        .filter(|l| matches!(l.body_b, BodyRef::Boundary(_)))
        .count();
    let links: usize = fillings.iter().map(|f| f.links.len()).sum();
    println!(
        "\nLinks with walls and floor: {:.4} of all",
        walls as f64 / links as f64
    );
    // Late in a filling the walls are long: the second half by itself.
    let late = |r: &&&AvalancheRow| matches!(r.trigger, BodyRef::Grain(id) if id >= 250);
    let late: Vec<&&AvalancheRow> = rows.iter().filter(late).collect();
    let sum: f64 = late.iter().map(|r| r.energy).sum();
    if sum > 0.0 {
        let share = |k: usize| late.iter().map(|r| r.by_place[k]).sum::<f64>() / sum;
        println!(
            "Heat after 250 grains: wall {:.3}, top {:.3}, irregular {:.3}, inside {:.3}",
            share(0),
            share(1),
            share(2),
            share(3)
        );
    }
    println!(
        "\n| measure | avalanches | exponent | from | in the tail | decades | probability | against (ratio, probability) | judgement |\n|---|---|---|---|---|---|---|---|---|"
    );
    let column = |value: &dyn Fn(&AvalancheRow) -> f64| -> Vec<f64> {
        rows.iter().map(|r| value(r)).filter(|v| *v > 0.0).collect()
    };
    law("size", &column(&|r| r.size as f64), Support::Discrete)?;
    law("links", &column(&|r| r.links as f64), Support::Discrete)?;
    law("heat, J", &column(&|r| r.energy), Support::Continuous)?;
    let slid: Vec<f64> = fillings
        .iter()
        .flat_map(|f| f.slid.iter().copied())
        .collect();
    law("effective slid links", &slid, Support::Continuous)?;
    let mut sorted = slid;
    sorted.sort_by(f64::total_cmp);
    println!(
        "\nEffective slid links: median {:.1}, 90 of 100 {:.1}, greatest {:.1}",
        sorted[sorted.len() / 2],
        sorted[sorted.len() * 9 / 10],
        sorted[sorted.len() - 1]
    );
    Ok(())
}

/// Normal forces by the pair of bodies.
fn normal(links: &[LinkRow]) -> Vec<((String, String), f64)> {
    let name = |body: BodyRef| format!("{body:?}");
    links
        .iter()
        .map(|l| {
            let (a, b) = (name(l.body_a), name(l.body_b));
            (if a < b { (a, b) } else { (b, a) }, l.normal_force)
        })
        .collect()
}

fn told(r: &Rearrangement) -> String {
    format!(
        "{:.4} | {:.4} | {:.3} | {:.3} | {:.3}",
        r.relative_change,
        r.correlation.coefficient,
        r.changed[0].of_itself,
        r.changed[1].of_itself,
        r.changed[2].of_itself
    )
}

/// The grains in another order: always the one with the least `key` of those whose supports
/// are there, which are among the grains that they touched when they came.
fn ordered(setup: &Setup<Planar>, key: fn(&Grain<Planar>) -> f64) -> Vec<Grain<Planar>> {
    let grains = &setup.grains;
    let touch = |a: &Grain<Planar>, b: &Grain<Planar>| {
        (a.position - b.position).norm() < (1.0 + 1e-6) * (a.radius + b.radius)
    };
    let supports: Vec<Vec<usize>> = (0..grains.len())
        .map(|k| (0..k).filter(|j| touch(&grains[k], &grains[*j])).collect())
        .collect();
    let mut come = vec![false; grains.len()];
    let mut order = Vec::new();
    // The first of those that wait rests on none of them: there is always one.
    while let Some(next) = (0..grains.len())
        .filter(|k| !come[*k] && supports[*k].iter().all(|j| come[*j]))
        .min_by(|a, b| key(&grains[*a]).total_cmp(&key(&grains[*b])))
    {
        come[next] = true;
        order.push(grains[next]);
    }
    order
}

/// The same places, filled in another order.
fn another_order(
    name: &str,
    fillings: &[Filling],
    key: fn(&Grain<Planar>) -> f64,
) -> Result<(), Failure> {
    println!("\nThe same grains in the same places, {name}\n");
    println!(
        "| filling | sum of the changes | correlation | changed by 1 % | by 10 % | by 100 % | floor before | after | held |\n|---|---|---|---|---|---|---|---|---|"
    );
    let lines: Vec<Result<String, Failure>> = fillings
        .par_iter()
        .enumerate()
        .map(|(index, f)| {
            let mut setup = f.setup.clone();
            setup.grains = ordered(&setup, key);
            let again = fill(setup)?;
            let pair = matched(&normal(&f.links), &normal(&again.links))?;
            let r = rearrangement(&pair.before, &pair.after, &PARTS)?;
            Ok(format!(
                "| {} | {} | {:.4} | {:.4} | {} |",
                index + 1,
                told(&r),
                f.study.support.floor,
                again.study.support.floor,
                again.held
            ))
        })
        .collect();
    for line in lines {
        println!("{}", line?);
    }
    Ok(())
}

/// Normal forces by link, those of walls as a sum, and the floor's share.
fn state(packing: &Packing<Planar>) -> (Vec<(usize, f64)>, f64, f64) {
    let mut forces = Vec::new();
    let (mut walls, mut floor) = (0.0, 0.0);
    for (key, link) in packing.network().links().iter().enumerate() {
        let stress = packing.stress(key);
        if !stress.on {
            continue;
        }
        forces.push((key, stress.normal));
        if packing.network().nodes()[link.b].fixed {
            if link.normal.x.abs() > 0.5 {
                walls += stress.normal;
            } else {
                floor += stress.normal;
            }
        }
    }
    (forces, walls, floor)
}

fn radii(fillings: &[Filling], shares: &[f64]) -> Result<(), Failure> {
    println!("\nAll radii times 1 + a share, walls standing\n");
    println!(
        "| share | sum of the changes | correlation | changed by 1 % | by 10 % | by 100 % | opened | wall force | floor force | held |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    for &share in shares {
        let found: Vec<Result<Change, Failure>> = fillings
            .par_iter()
            .map(|f| {
                let run = f.run.lock().map_err(|_| "another filling failed")?;
                let setup = &f.setup;
                let count = setup.grains.len() as f64;
                let mass = setup.grains.iter().map(|g| g.mass).sum::<f64>() / count;
                let rules = Rules {
                    unresolved: Unresolved::Hold,
                    ..Rules::thesis(mass * setup.fields.gravity.norm())
                };
                let change = |packing: &Packing<Planar>, share: f64| {
                    let solver = Factor::new(&Network::<Planar>::new(packing.network().freedom()));
                    let mut after = expanded(packing, share, Box::new(solver));
                    after.relax(&rules).map(|relaxation| (after, relaxation))
                };
                // Parts that were held come to rest in the first step, which is none of radii.
                let before = change(run.packing(), 0.0)?.0;
                let (after, relaxation) = change(&before, share)?;
                let (was, walls, floor) = state(&before);
                let (is, walls_after, floor_after) = state(&after);
                let pair = matched(&was, &is)?;
                let r = rearrangement(&pair.before, &pair.after, &PARTS)?;
                Ok((
                    r,
                    [
                        pair.opened.len() as f64 / was.len() as f64,
                        walls_after / walls,
                        floor_after / floor,
                        relaxation.held.len() as f64,
                    ],
                ))
            })
            .collect();
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mean = |value: &dyn Fn(&Change) -> f64| {
            found.iter().map(value).sum::<f64>() / found.len() as f64
        };
        println!(
            "| {share:+.0e} | {:.3e} | {:.4} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.1} |",
            mean(&|x| x.0.relative_change),
            mean(&|x| x.0.correlation.coefficient),
            mean(&|x| x.0.changed[0].of_itself),
            mean(&|x| x.0.changed[1].of_itself),
            mean(&|x| x.0.changed[2].of_itself),
            mean(&|x| x.1[0]),
            mean(&|x| x.1[1]),
            mean(&|x| x.1[2]),
            mean(&|x| x.1[3]),
        );
    }
    Ok(())
}

/// Slopes of the heaps that the same rolling down makes.
fn slopes(count: u64) -> Result<(), Failure> {
    let slopes: Vec<f64> = (1..=count)
        .map(|seed| Ok(places::slopes(&setup("pile", seed)?)))
        .collect::<Result<Vec<_>, Failure>>()?
        .concat();
    let s = spread(&slopes)?;
    println!(
        "\nSlope of the flanks of {count} heaps (`pile`), degrees: {:.2}, standard deviation {:.2}, standard error {:.2}",
        s.mean, s.deviation, s.error
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().unwrap_or_else(|| "silo".into());
    let count: u64 = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let fillings: Vec<Result<Filling, Failure>> = (1..=count)
        .into_par_iter()
        .map(|seed| fill(setup(&scenario, seed)?))
        .collect();
    let fillings = fillings.into_iter().collect::<Result<Vec<_>, _>>()?;
    each(&fillings);
    if count < 2 {
        return Ok(());
    }
    means(&fillings)?;
    pressures(&fillings)?;
    forces(&fillings)?;
    avalanches(&fillings)?;
    places::places(&fillings)?;
    slopes(count)?;
    let few = &fillings[..fillings.len().min(5)];
    another_order("in order of their height", few, |g| g.position.y)?;
    another_order("from the left to the right", few, |g| g.position.x)?;
    radii(
        few,
        &[0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, -1e-7, -1e-6, -1e-5],
    )
}
