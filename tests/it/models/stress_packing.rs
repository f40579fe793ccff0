//! Packings under load: slides, connections and disconnections (thesis 4.5).
//!
//! The reference `03_silo30.json` holds a filling of 30 disks with its stresses, energies and every
//! change of topology, made by an independent program; what it tells of its tolerance is used as it
//! is: 1e-7 of the greatest stress, 1e-6 of energies, 2 % of the number of slides.

use arenite::geometry::{Planar, Spatial};
use arenite::stress::{
    Change, Dense, Disconnecting, Effort, Factor, Freedom, Growing, Half, Handling, Link, LinkKey,
    LinkState, Network, Node, Outcome, Packing, Place, Reason, Relaxation, Rima, Rules, Sliding,
    Solver, StressError, Surface, Tension, Touch, Unresolved, With,
};
use nalgebra::{Vector2, Vector3};
use serde_json::Value;

type Boxed = Box<dyn Solver<Planar> + Send>;
type Make = fn() -> Boxed;

/// All solvers that a packing must work with.
fn solvers() -> Vec<(&'static str, Make)> {
    vec![
        ("dense", || Box::new(Dense)),
        ("rima", || Box::new(Rima::new())),
        ("factor", || {
            Box::new(Factor::new(&Network::<Planar>::new(Freedom::Translational)))
        }),
        ("growing", || {
            Box::new(Growing::new(&Network::<Planar>::new(
                Freedom::Translational,
            )))
        }),
        ("fickle", || Box::new(Fickle::default())),
    ]
}

/// A growing factor that is made anew at every third solve, be the network changed or not, and
/// gives no halves every fifth time: so do solvers that look after their rounding, or that choose
/// anew. The iteration must neither mix halves of two factors nor wait for halves that do not come.
#[derive(Default)]
struct Fickle {
    solver: Option<Growing>,
    solves: u64,
    asked: u64,
}

impl Fickle {
    fn get(&mut self, network: &Network<Planar>) -> &mut Growing {
        self.solver.get_or_insert_with(|| Growing::new(network))
    }
}

impl Solver<Planar> for Fickle {
    fn name(&self) -> &'static str {
        "fickle"
    }

    fn changed(&mut self, network: &Network<Planar>, change: Change) {
        if let Some(solver) = &mut self.solver {
            solver.changed(network, change);
        }
    }

    fn solve(
        &mut self,
        network: &Network<Planar>,
        load: &[f64],
        displacement: &mut [f64],
    ) -> Result<Effort, StressError> {
        self.solves += 1;
        if self.solves.is_multiple_of(3) {
            self.solver = None;
        }
        self.get(network).solve(network, load, displacement)
    }

    fn halves(&mut self, network: &Network<Planar>, links: &[LinkKey]) -> Option<Vec<Vec<Half>>> {
        self.asked += 1;
        if self.asked.is_multiple_of(5) {
            return None;
        }
        self.get(network).halves(network, links)
    }

    fn basis(&self) -> u64 {
        self.solves / 3
    }
}

struct Silo {
    json: Value,
    packing: Packing<'static, Planar>,
    /// Relaxation after each disk.
    steps: Vec<Relaxation>,
    weight: f64,
}

impl Silo {
    fn number(value: &Value) -> f64 {
        value.as_f64().expect("a number")
    }

    fn fill(solver: Boxed, adjust: impl Fn(&mut Rules)) -> Silo {
        let text = include_str!("../../data/03_silo30.json");
        let json: Value = serde_json::from_str(text).expect("the reference");
        let case = &json["case"];
        let n = Self::number;
        let width = n(&case["width"]);
        let per_area = n(&case["rho"]) * n(&case["g"]) * std::f64::consts::PI;
        let weight = per_area * n(&case["rule"]["r0"]).powi(2);
        let mut rules = Rules::thesis(weight);
        rules.tolerance = n(&case["tol_relative_to_weight_of_r0_disk"]) * weight;
        adjust(&mut rules);
        let mut packing = Packing::new(Freedom::Translational, solver);
        let mut nodes = Vec::new();
        let mut steps = Vec::new();
        let links = case["links"].as_array().expect("links");
        for (i, place) in case["positions"]
            .as_array()
            .expect("positions")
            .iter()
            .enumerate()
        {
            let at = Vector2::new(n(&place[0]), n(&place[1]));
            let radius = n(&case["radii"][i]);
            let touches: Vec<Touch<Planar>> = links
                .iter()
                .filter(|link| link[0] == i)
                .map(|link| {
                    let (with, law) = match link[1].as_str() {
                        Some("F") => (With::Boundary(Vector2::new(at.x, 0.0)), "disk_wall"),
                        Some("L") => (With::Boundary(Vector2::new(0.0, at.y)), "disk_wall"),
                        Some(_) => (With::Boundary(Vector2::new(width, at.y)), "disk_wall"),
                        None => {
                            let other = link[1].as_u64().expect("a disk") as usize;
                            (With::Node(nodes[other]), "disk_disk")
                        }
                    };
                    Touch {
                        with,
                        kn: n(&case[law]["Kn"]),
                        kt: n(&case[law]["Kt"]),
                        friction: n(&case[law]["mu"]),
                        gap: 0.0,
                    }
                })
                .collect();
            let force = Vector2::new(0.0, -per_area * radius * radius);
            let (node, _) = packing
                .add_grain(at, radius, force, &touches)
                .expect("no two at one place");
            nodes.push(node);
            steps.push(packing.relax(&rules).expect("it is held"));
        }
        Silo {
            json,
            packing,
            steps,
            weight,
        }
    }

    fn expected(&self, key: &str) -> &Value {
        &self.json["case"]["expected"][key]
    }

    fn slides(&self) -> usize {
        self.steps.iter().map(|s| s.slides).sum()
    }

    fn greatest(&self) -> f64 {
        let states = self.expected("link_states").as_array().expect("states");
        states
            .iter()
            .map(|s| Self::number(&s["s_n"]))
            .fold(0.0, f64::max)
    }
}

fn close(what: &str, got: f64, expected: f64, tolerance: f64) {
    assert!(
        (got - expected).abs() <= tolerance,
        "{what}: {got:e}, expected {expected:e}, tolerance {tolerance:e}"
    );
}

#[test]
fn thirty_disks_as_in_the_reference() {
    for (name, solver) in solvers() {
        let silo = Silo::fill(solver(), |_| {});
        assert!(silo.steps.iter().all(Relaxation::at_rest), "{name}");
        let n = Silo::number;
        let greatest = silo.greatest();
        for (link, state) in silo
            .expected("link_states")
            .as_array()
            .expect("states")
            .iter()
            .enumerate()
        {
            let stress = silo.packing.stress(link);
            let (tangential, slide) = silo.packing.turned(link);
            assert_eq!(
                stress.on,
                state["on"].as_bool().expect("bool"),
                "{name} {link}"
            );
            close("normal", stress.normal, n(&state["s_n"]), 1e-7 * greatest);
            close("tangential", tangential, n(&state["s_t"]), 1e-7 * greatest);
            if stress.on {
                // The slide times the stiffness is a stress.
                close(
                    "slide",
                    slide * 1e5,
                    n(&state["slide"]) * 1e5,
                    1e-7 * greatest,
                );
            }
        }
        for (i, expected) in silo
            .expected("displacements")
            .as_array()
            .expect("list")
            .iter()
            .enumerate()
        {
            for k in 0..2 {
                let got = silo.packing.displacements()[2 * i + k];
                close(
                    "displacement",
                    got * 1e5,
                    n(&expected[k]) * 1e5,
                    1e-7 * greatest,
                );
            }
        }
        let mut energy = arenite::stress::Dissipated::default();
        let per_disk = silo.expected("per_disk").as_array().expect("list");
        let total = n(&silo.expected("energy_dissipated")["elastic_drop"]);
        for (i, (step, expected)) in silo.steps.iter().zip(per_disk).enumerate() {
            energy += step.energy;
            // An energy is as good as the greatest of its kind so far; the first disks slide by 1e-8 m.
            let near = |what, got, key: &str| {
                let expected = n(&expected[key]);
                close(
                    &format!("{name}: {what} of disk {i}"),
                    got,
                    expected,
                    1e-6 * expected + 1e-9 * total,
                );
            };
            near("elastic", energy.elastic, "E_elastic_drop");
            near("friction", energy.friction, "E_coulomb");
            near("literal", energy.literal, "E_literal");
            let rounds = n(&expected["iterations"]);
            close(
                "rounds",
                step.rounds as f64,
                rounds,
                (0.02 * rounds).max(1.0),
            );
        }
        let slides = n(silo.expected("n_slide_operations"));
        close("slides", silo.slides() as f64, slides, 0.02 * slides);
        let mut log = silo
            .expected("topology_log")
            .as_array()
            .expect("log")
            .iter();
        for (i, step) in silo.steps.iter().enumerate() {
            for change in &step.topology {
                let expected = log.next().expect("one more change than in the reference");
                let link = &silo.packing.network().links()[change.link];
                let kind = if change.connected {
                    "connect"
                } else {
                    "disconnect"
                };
                let states = silo.expected("link_states");
                assert_eq!(expected[0], i, "{name}");
                assert_eq!(expected[1], kind, "{name}");
                assert_eq!(expected[2], states[change.link]["a"], "{name}: {link:?}");
                assert_eq!(expected[3], states[change.link]["b"], "{name}: {link:?}");
                if !change.connected {
                    close("stress", change.stress, n(&expected[4]), 1e-7 * greatest);
                }
            }
        }
        assert!(log.next().is_none(), "{name}: a change is missing");
    }
}

#[test]
fn the_end_depends_little_on_the_tolerance() {
    let silo = Silo::fill(Box::new(Dense), |_| {});
    let cases = silo.json["case"]["sensitivity_to_stop_tolerance"].clone();
    for (key, expected) in cases.as_object().expect("cases") {
        let part: f64 = key.trim_start_matches("tol=").parse().expect("a tolerance");
        let other = Silo::fill(Box::new(Dense), |rules| {
            rules.tolerance = part * silo.weight
        });
        let slides = expected["n_slides"].as_f64().expect("a number");
        close(key, other.slides() as f64, slides, 0.02 * slides);
        let mut energy = 0.0;
        for step in &other.steps {
            energy += step.energy.elastic;
        }
        let reference = Silo::number(&expected["energy"]["elastic_drop"]);
        close(key, energy, reference, 1e-6 * reference);
        let apart = (0..silo.packing.network().links().len())
            .map(|l| (silo.packing.stress(l).normal - other.packing.stress(l).normal).abs())
            .fold(0.0, f64::max);
        let told = Silo::number(&expected["max_ds_n_over_max"]);
        // Told of the reference's own two runs; each of ours is 1e-8 from its own at the very most.
        close(key, apart / silo.greatest(), told, 0.2 * told + 1e-9);
    }
}

#[test]
fn every_grain_is_balanced_and_every_link_within_bounds() {
    for (name, solver) in solvers() {
        let silo = Silo::fill(solver(), |_| {});
        let worst = silo
            .packing
            .residual()
            .iter()
            .fold(0.0_f64, |w, r| w.max(r.abs()));
        assert!(worst < 1e-9 * silo.weight, "{name}: {worst:e} N unbalanced");
        for link in 0..silo.packing.network().links().len() {
            let stress = silo.packing.stress(link);
            let friction = silo.packing.network().links()[link].friction;
            assert!(stress.normal >= -1e-10 * silo.weight, "{name}: tension");
            let excess = stress.tangential.norm() - friction * stress.normal;
            assert!(
                excess <= 1.001e-10 * silo.weight,
                "{name}: beyond Coulomb by {excess:e} N"
            );
        }
        let mut up = 0.0;
        for (node, n) in silo.packing.network().nodes().iter().enumerate() {
            if n.fixed {
                up += silo.packing.reaction(node)[1];
            }
        }
        let total = Silo::number(silo.expected("total_weight"));
        // Thirty residuals, each under 1e-9 of a weight.
        close("what the boundary carries", up, total, 1e-9 * total);
        close(
            "reference",
            up,
            Silo::number(silo.expected("support_vertical_force")),
            1e-9 * total,
        );
    }
}

#[test]
fn other_orders_of_handling_come_to_rest_as_well() {
    let one = Silo::fill(Box::new(Dense), |rules| {
        rules.sliding = Sliding::LargestExcess
    });
    let all = Silo::fill(Box::new(Dense), |rules| {
        rules.disconnecting = Disconnecting::AllAtOnce;
    });
    let disconnect_first = Silo::fill(Box::new(Dense), |rules| {
        rules.order = [Handling::Disconnect, Handling::Connect, Handling::Slide];
    });
    for silo in [one, all, disconnect_first] {
        let worst = silo
            .packing
            .residual()
            .iter()
            .fold(0.0_f64, |w, r| w.max(r.abs()));
        assert!(worst < 1e-9 * silo.weight);
        for step in &silo.steps {
            assert!(step.at_rest(), "{:?}", step.outcome);
        }
    }
}

#[test]
fn without_slides_and_with_glue_the_solution_is_linear() {
    let silo = Silo::fill(Box::new(Dense), |rules| {
        rules.slides = false;
        rules.tension = Tension::Keep;
    });
    assert_eq!(silo.slides(), 0);
    assert!(
        silo.steps
            .iter()
            .all(|s| s.rounds == 1 && s.topology.is_empty())
    );
}

fn ground(
    packing: &mut Packing<Planar>,
    grain: usize,
    normal: Vector2<f64>,
    friction: f64,
) -> usize {
    let at = packing.network().nodes()[grain].position;
    let radius = packing.network().nodes()[grain].radius;
    let touch = Touch {
        with: With::Boundary(at + normal * radius),
        kn: 1e6,
        kt: 1e5,
        friction,
        gap: 0.0,
    };
    packing.touch(grain, &touch).expect("a distance")
}

/// A disk on a plane of a slope (rad) that is too steep for its friction.
fn slope(angle: f64, friction: f64) -> (Packing<'static, Planar>, usize) {
    let mut packing = Packing::new(Freedom::Translational, Box::new(Dense));
    let force = Vector2::new(0.0, -1.0);
    let (grain, _) = packing
        .add_grain(Vector2::zeros(), 0.01, force, &[])
        .expect("alone");
    let down = Vector2::new(libm::sin(angle), -libm::cos(angle));
    let link = ground(&mut packing, grain, down, friction);
    (packing, link)
}

#[test]
fn a_slope_too_steep_needs_dynamics() {
    // Friction carries a disk up to the angle whose tangent is its coefficient.
    let angle = 0.5_f64;
    let (mut packing, _) = slope(angle, 1.001 * libm::tan(angle));
    assert!(packing.relax(&Rules::thesis(1.0)).expect("held").at_rest());
    let (mut packing, link) = slope(angle, 0.999 * libm::tan(angle));
    let relaxation = packing.relax(&Rules::thesis(1.0)).expect("held");
    let Outcome::NeedsDynamics { reason, links } = &relaxation.outcome else {
        panic!("it came to rest: {relaxation:?}");
    };
    assert_eq!(*reason, Reason::Undamped);
    assert_eq!(links, &[link]);
    assert!(relaxation.rounds < 5000);
    // Much too steep, it leaves the small displacements before decay is judged.
    let (mut packing, link) = slope(1.2, 0.1);
    let mut rules = Rules::thesis(1.0);
    rules.small = 1e-3;
    let relaxation = packing.relax(&rules).expect("held");
    let links = vec![link];
    let reason = Reason::Far;
    assert_eq!(relaxation.outcome, Outcome::NeedsDynamics { reason, links });
}

#[test]
fn what_needs_dynamics_can_be_held() {
    let (mut packing, link) = slope(0.5, 0.999 * libm::tan(0.5));
    let mut rules = Rules::thesis(1.0);
    rules.unresolved = Unresolved::Hold;
    let relaxation = packing.relax(&rules).expect("held");
    assert_eq!(relaxation.outcome, Outcome::Rest);
    assert!(!relaxation.at_rest());
    assert_eq!(relaxation.held, [(Reason::Undamped, vec![link])]);
    assert!(packing.stress(link).held);
    // Turned to where friction is enough, it is free again.
    packing.set_load(0, &[libm::sin(0.5), -libm::cos(0.5)]);
    assert!(packing.relax(&rules).expect("held").at_rest());
    assert!(!packing.stress(link).held);
}

/// Thesis Fig. 4.4: disks A, B, C on a slope, one behind the other; the last rests on nothing.
#[test]
fn a_row_on_a_slope_slides_without_end() {
    let angle = 0.6_f64;
    let along = Vector2::new(libm::cos(angle), libm::sin(angle));
    let down = Vector2::new(libm::sin(angle), -libm::cos(angle));
    let mut packing = Packing::new(Freedom::Translational, Box::new(Dense));
    let rules = Rules::thesis(1.0);
    let mut last = None;
    let mut on_slope = Vec::new();
    for i in 0..3 {
        let at = along * (0.02 * f64::from(i));
        let touches: Vec<Touch<Planar>> = last
            .into_iter()
            .map(|node| Touch {
                with: With::Node(node),
                kn: 1e6,
                kt: 1e5,
                friction: 0.3,
                gap: 0.0,
            })
            .collect();
        let (grain, _) = packing
            .add_grain(at, 0.01, Vector2::new(0.0, -1.0), &touches)
            .expect("apart");
        // The first is rough and holds itself; the others push it beyond its bound.
        let friction = if i == 0 { 0.9 } else { 0.5 };
        on_slope.push(ground(&mut packing, grain, down, friction));
        last = Some(grain);
        let relaxation = packing.relax(&rules).expect("held");
        if i < 2 {
            assert!(relaxation.at_rest(), "{i}: {:?}", relaxation.outcome);
        } else {
            let Outcome::NeedsDynamics { links, .. } = relaxation.outcome else {
                panic!("came to rest");
            };
            assert!(links.iter().any(|l| on_slope.contains(l)), "{links:?}");
        }
    }
}

#[test]
fn drift_that_meets_a_contact_comes_to_rest() {
    // A disk slides down a slope until it meets a stop, 2 micrometres ahead.
    let (mut packing, _) = slope(0.6, 0.5);
    let along = Vector2::new(-libm::cos(0.6), -libm::sin(0.6));
    let stop = Touch {
        with: With::Boundary(along * 0.01),
        kn: 1e6,
        kt: 0.0,
        friction: 0.0,
        gap: 2e-6,
    };
    let stop = packing.touch(0, &stop).expect("a distance");
    let relaxation = packing.relax(&Rules::thesis(1.0)).expect("held");
    assert!(relaxation.at_rest(), "{:?}", relaxation.outcome);
    assert_eq!(relaxation.connections(), 1);
    // Friction on the slope is within its bound, the stop carries the rest.
    let (sin, cos) = (libm::sin(0.6), libm::cos(0.6));
    let (friction, _) = packing.turned(0);
    assert!(friction.abs() <= 0.5 * cos + 1e-9, "{friction}");
    let stop = packing.stress(stop).normal;
    close("along", stop + friction.abs(), sin, 1e-8);
}

#[test]
fn a_disk_lifted_off_all_its_links_is_named() {
    // Pulled up, one link lets go; the other is all that is left.
    let mut packing = Packing::new(Freedom::Translational, Box::new(Dense));
    let (grain, _) = packing
        .add_grain(Vector2::zeros(), 0.01, Vector2::new(0.0, 1.0), &[])
        .expect("alone");
    ground(&mut packing, grain, Vector2::new(0.6, -0.8), 0.4);
    ground(&mut packing, grain, Vector2::new(-0.6, -0.8), 0.4);
    let relaxation = packing.relax(&Rules::thesis(1.0)).expect("held");
    let Outcome::NeedsDynamics { reason, links } = relaxation.outcome else {
        panic!("it cannot rest");
    };
    assert_eq!(reason, Reason::Hanging { nodes: vec![grain] });
    assert_eq!(links.len(), 1);
    assert_eq!(relaxation.topology.len(), 1);
    // With the load turned round it rests where it overlaps.
    packing.set_load(grain, &[0.0, -1.0]);
    let relaxation = packing.relax(&Rules::thesis(1.0)).expect("held");
    assert!(relaxation.at_rest());
    assert_eq!(relaxation.connections(), 1);
}

#[test]
fn prestress_without_new_loads_stays() {
    let silo = Silo::fill(Box::new(Dense), |_| {});
    let old = silo.packing.network();
    let mut packing = Packing::new(Freedom::Translational, Box::new(Dense));
    for node in old.nodes() {
        packing.add_node(*node, &[]);
    }
    for (key, link) in old.links().iter().enumerate() {
        packing.add_link(*link, 0.0);
        let stress = silo.packing.stress(key);
        packing.set_prestress(key, stress.normal, stress.tangential);
    }
    let mut rules = Rules::thesis(silo.weight);
    // Links at Coulomb's bound come with the excess that the first iteration left.
    rules.tolerance *= 1.001;
    let relaxation = packing.relax(&rules).expect("held");
    assert_eq!((relaxation.rounds, relaxation.slides), (1, 0));
    assert!(packing.displacements().iter().all(|u| *u == 0.0));
    // A link that lets go hands what it carried to the others.
    let grain = old.nodes().iter().rposition(|n| !n.fixed).expect("a grain");
    let lift = 2.0 * silo.weight;
    packing.set_load(grain, &[0.0, lift]);
    rules.unresolved = Unresolved::Hold;
    let relaxation = packing.relax(&rules).expect("held");
    assert!(relaxation.disconnections() > 0);
    let worst = packing
        .residual()
        .iter()
        .fold(0.0_f64, |w, r| w.max(r.abs()));
    assert!(worst < 1e-9 * silo.weight, "{worst:e}");
    let mut up = lift;
    for (node, n) in old.nodes().iter().enumerate() {
        if n.fixed {
            up += packing.reaction(node)[1];
        }
    }
    close(
        "weight",
        up,
        Silo::number(silo.expected("total_weight")),
        1e-8,
    );
}

#[test]
fn in_space_a_slide_goes_back_along_the_stress() {
    let mut packing: Packing<Spatial> = Packing::new(Freedom::Translational, Box::new(Dense));
    let force = Vector3::new(0.3, 0.4, -1.0);
    let touch = |point: Vector3<f64>, friction| Touch {
        with: With::Boundary(point),
        kn: 1e6,
        kt: 1e5,
        friction,
        gap: 0.0,
    };
    let touches = [
        touch(Vector3::new(0.0, 0.0, -0.01), 0.2),
        touch(Vector3::new(0.0, 0.0, 0.01), 10.0),
    ];
    let (grain, links) = packing
        .add_grain(Vector3::zeros(), 0.01, force, &touches)
        .expect("apart");
    // The one above is pressed on already, so that it holds: friction below is the only bound.
    packing.set_prestress(links[1], 1.0, Vector3::zeros());
    let mut rules = Rules::thesis(1.0);
    rules.slides = false;
    packing.relax(&rules).expect("held");
    assert_eq!(packing.network().row(grain), Some(0));
    let before = packing.stress(links[0]);
    close("half each", before.tangential.norm(), 0.25, 1e-12);
    rules.slides = true;
    packing.relax(&rules).expect("held");
    let after = packing.stress(links[0]);
    let bound = 0.2 * after.normal;
    close("Coulomb", after.tangential.norm(), bound, 1e-9);
    let turned = after.tangential.dot(&before.tangential);
    close("direction", turned, bound * 0.25, 1e-9);
    close(
        "slide",
        after.slide.dot(&before.tangential),
        after.slide.norm() * 0.25,
        1e-12,
    );
}

#[test]
fn avalanches_are_placed_and_measured() {
    let silo = Silo::fill(Box::new(Dense), |_| {});
    let surface = Surface {
        up: Vector2::new(0.0, 1.0),
        depth: 0.04,
    };
    let last = silo.steps.last().expect("steps");
    let avalanche = silo
        .packing
        .avalanche(last, None, &surface)
        .expect("slides");
    assert_eq!(avalanche.slides, last.slides);
    close(
        "shares",
        avalanche.by_place.iter().sum(),
        last.energy.elastic,
        1e-12 * last.energy.elastic,
    );
    assert!(avalanche.extent > 0.0 && avalanche.extent < 0.2);
    assert!(avalanche.grains >= 2);
    let quiet = &silo.steps[9];
    assert_eq!(silo.packing.avalanche(quiet, None, &surface), None);
    let wall = silo
        .packing
        .network()
        .links()
        .iter()
        .position(|l| silo.packing.network().nodes()[l.b].fixed);
    assert_eq!(
        silo.packing.place(wall.expect("one"), None, &surface),
        Place::Wall
    );
}

#[test]
fn a_link_with_a_gap_presses_only_beyond_it() {
    let mut packing = Packing::new(Freedom::Translational, Box::new(Dense));
    let node = packing.add_node(
        Node {
            position: Vector2::zeros(),
            radius: 0.01,
            fixed: false,
        },
        &[0.0, -1.0],
    );
    let wall = packing.add_node(
        Node {
            position: Vector2::new(0.0, -0.01),
            radius: 0.0,
            fixed: true,
        },
        &[],
    );
    let link = packing
        .network()
        .between(node, wall, 1e3, 1e2, 0.5)
        .expect("apart");
    let soft = packing.add_link(link, 0.0);
    let stiff: Link<Planar> = Link {
        kn: 1e6,
        kt: 0.0,
        state: LinkState::Off,
        ..link
    };
    let stiff = packing.add_link(stiff, 2e-4);
    assert!(packing.relax(&Rules::thesis(1.0)).expect("held").at_rest());
    // kn_soft u + kn_stiff (u - gap) = 1
    let u = (1.0 + 1e6 * 2e-4) / (1e6 + 1e3);
    close("soft", packing.stress(soft).normal, 1e3 * u, 1e-12);
    close(
        "stiff",
        packing.stress(stiff).normal,
        1e6 * (u - 2e-4),
        1e-9,
    );
}
