//! Groups of grains that stand still: what lands on one leaves others alone; as figures, how many there are, who is rigid,
//! which model had what.

use arenite::record::{BodyRef, MemorySink, Summary};

use crate::support::driven;

/// Two heaps in a box with a wall between them; grains fall onto the right one from 2 s on, so many of them.
fn heaps(late: usize) -> (MemorySink, Summary) {
    let feed = match late {
        0 => String::new(),
        _ => format!(
            "[[feed]]\nmaterial = \"a\"\nradius = 0.01\nmin = [0.35, 0.3]\nmax = [0.55, 0.4]\nevery = 0.025\ncount = {late}\nstart = 2.0\n"
        ),
    };
    let text = format!(
        r#"
name = "heaps"
dimension = 2
seed = 4
[field]
gravity = [0.0, -9.81]
[run]
end_time = 3.5
[morph]
[log]
series = 0.5
snapshots = 0.5
[material.a]
density = 1190.0
[[law]]
between = ["a", "a"]
linear = {{ normal_stiffness = 1e7, tangential_stiffness = 5e6, normal_damping = 300.0, tangential_damping = 100.0, friction = 0.5 }}
[[boundary]]
name = "floor"
material = "a"
plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}
[[boundary]]
name = "left"
material = "a"
plane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}
[[boundary]]
name = "right"
material = "a"
plane = {{ point = [0.6, 0.0], normal = [-1.0, 0.0] }}
[[boundary]]
name = "between"
material = "a"
polyline = {{ points = [[0.299, 0.0], [0.299, 0.5], [0.301, 0.5], [0.301, 0.0]] }}
[[fill]]
material = "a"
roll_down = {{ count = 50, radius = {{ mean = 0.01, spread = 0.05 }}, min = [0.0, 0.0], max = [0.29, 0.4] }}
[[fill]]
material = "a"
roll_down = {{ count = 30, radius = {{ mean = 0.01, spread = 0.05 }}, min = [0.31, 0.0], max = [0.6, 0.4] }}
{feed}
"#
    );
    driven(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// What lands on one heap leaves another that stands alone.
#[test]
fn a_landing_on_one_heap_leaves_the_other() {
    let (alone, quiet) = heaps(0);
    let (landed, busy) = heaps(20);
    assert_eq!(busy.grains.last, quiet.grains.last + 20);
    assert!(busy.work.stress_solves > quiet.work.stress_solves);
    let left = |sink: &MemorySink, time: f64| {
        let found = sink.snapshots.iter().find(|s| s.0[0].time == time);
        let all = found.expect("a snapshot").0.clone();
        let left: Vec<_> = all.into_iter().filter(|g| g.position[0] < 0.3).collect();
        assert_eq!(left.len(), 50);
        left
    };
    // By 2 s both heaps stand, and nothing is left to be carried.
    let still =
        |grain: &&arenite::record::GrainRow| ["rest", "rigid"].contains(&grain.regime.name());
    assert_eq!(left(&landed, 2.0).iter().filter(still).count(), 50);
    // What counts as little, a tenth of a weight on the springs of a grain, may still be carried; no more.
    let little = |radius: f64| 0.1 * 1190.0 * std::f64::consts::PI * radius.powi(2) * 9.81 / 1e7;
    for time in [2.0, 2.5, 3.0, 3.5] {
        let (here, there) = (left(&landed, time), left(&alone, time));
        for (a, b) in here.iter().zip(&there) {
            let moved = (0..3).map(|k| (a.position[k] - b.position[k]).abs());
            let most = moved.fold(0.0, f64::max);
            assert!(most < little(a.radius), "{time} s: {most}");
        }
    }
}

/// Nodes and models of a run: two heaps are two groups once they stand, and shares add up.
#[test]
fn nodes_and_models_are_told() {
    let (_, summary) = heaps(20);
    let nodes = summary.nodes.expect("nodes");
    assert!(
        nodes.rest_groups > 1.0 && nodes.rest_groups < 20.0,
        "{nodes:?}"
    );
    assert!(
        nodes.largest_rest_group > 30.0 && nodes.largest_rest_group <= 70.0,
        "{nodes:?}"
    );
    assert!(nodes.clusters >= nodes.rest_groups * 0.5, "{nodes:?}");
    let sum = |of: fn(&arenite::record::ModelFigures) -> f64| -> f64 {
        summary.models.values().map(of).sum()
    };
    assert!((sum(|m| m.grain_time) - 1.0).abs() < 1e-12);
    assert!((sum(|m| m.work) - 1.0).abs() < 1e-12);
    let regimes = &summary.regimes;
    let rest = summary.models["rest"];
    assert!((rest.grain_time - regimes.rest - regimes.rigid).abs() < 1e-12);
    // Standing is cheap: that is what it is for.
    assert!(rest.work < rest.grain_time, "{rest:?}");
}

/// In a snapshot each group at rest has the least number in it: what links among those that stand join, and nobody else.
#[test]
fn snapshots_name_the_groups() {
    let (sink, _) = heaps(20);
    let mut groups = 0;
    for (grains, links) in &sink.snapshots {
        let stands: std::collections::BTreeMap<u32, i64> = grains
            .iter()
            .filter(|grain| ["rest", "rigid"].contains(&grain.regime.name()))
            .map(|grain| (grain.grain, grain.group))
            .collect();
        let moves = grains.iter().filter(|g| !stands.contains_key(&g.grain));
        assert!(moves.into_iter().all(|grain| grain.group == -1));
        // Names spread over links until nothing changes.
        let mut name: std::collections::BTreeMap<u32, u32> =
            stands.keys().map(|&id| (id, id)).collect();
        let pairs: Vec<[u32; 2]> = links
            .iter()
            .filter_map(|link| match (link.body_a, link.body_b) {
                (BodyRef::Grain(a), BodyRef::Grain(b)) => Some([a, b]),
                _ => None,
            })
            .filter(|pair| pair.iter().all(|id| stands.contains_key(id)))
            .collect();
        let mut spreads = true;
        while spreads {
            spreads = false;
            for [a, b] in &pairs {
                let least = name[a].min(name[b]);
                spreads |= name[a] != least || name[b] != least;
                name.insert(*a, least);
                name.insert(*b, least);
            }
        }
        for (id, group) in &stands {
            assert_eq!(i64::from(name[id]), *group, "of grain {id}");
        }
        groups = groups.max(name.iter().filter(|(id, name)| id == name).count());
    }
    assert!(groups >= 2, "{groups} groups");
}

/// In space who is rigid with the walls is who does not move in any motion that strains no link: by the null space of all links, here from a singular
/// value decomposition.
#[test]
fn who_is_rigid_in_space_cannot_move() {
    let text = r#"
name = "corner"
dimension = 3
seed = 2
[field]
gravity = [0.0, 0.0, -9.81]
[run]
end_time = 1.5
[morph]
[log]
snapshots = 1.5
[material.a]
density = 2500.0
[[law]]
between = ["a", "a"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 5e4, normal_damping = 8.0, tangential_damping = 3.0, friction = 0.4 }
[[boundary]]
name = "box"
material = "a"
box = { min = [0.0, 0.0, 0.0], max = [0.09, 0.09, 0.4], grains = "inside" }
[[fill]]
material = "a"
roll_down = { count = 40, radius = { mean = 0.01, spread = 0.1 }, min = [0.0, 0.0, 0.0], max = [0.09, 0.09, 0.3] }
"#;
    let (sink, summary) = driven(text).unwrap_or_else(|error| panic!("{error}"));
    let (grains, links) = sink.snapshots.last().expect("the end");
    let stands = |grain: &arenite::record::GrainRow| grain.regime.name() != "cluster";
    let place: std::collections::BTreeMap<u32, usize> = grains
        .iter()
        .filter(|grain| stands(grain))
        .enumerate()
        .map(|(k, grain)| (grain.grain, k))
        .collect();
    assert!(place.len() >= 35, "{} stand", place.len());
    let of = |body: BodyRef| match body {
        BodyRef::Grain(id) => place.get(&id).copied().map(Some),
        _ => Some(None),
    };
    let row_of = |id: usize| {
        grains
            .iter()
            .filter(|g| stands(g))
            .nth(id)
            .expect("a grain")
    };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut grips = vec![false; place.len()];
    for link in links {
        let (Some(a), Some(b)) = (of(link.body_a), of(link.body_b)) else {
            continue;
        };
        let n = nalgebra::Vector3::from(link.normal);
        let across = n.cross(&if n.x.abs() < 0.8 {
            nalgebra::Vector3::x()
        } else {
            nalgebra::Vector3::y()
        });
        let across = across.normalize();
        let bars = match link.slipping {
            true => vec![n],
            false => vec![n, across, n.cross(&across)],
        };
        // Where the two meet, as seen from both, with radii drawn in alike.
        let radius = |k: Option<usize>| k.map_or(0.0, |k| row_of(k).radius);
        let centre = |k: usize| nalgebra::Vector3::from(row_of(k).position);
        let (ra, rb) = (radius(a), radius(b));
        let meets = match (a, b) {
            (Some(a), Some(b)) => centre(a) + (centre(b) - centre(a)) * (ra / (ra + rb)),
            (Some(a), None) => {
                centre(a)
                    + n * ra
                        * (nalgebra::Vector3::from(link.point) - centre(a))
                            .dot(&n)
                            .signum()
            }
            _ => unreachable!("a link without a grain"),
        };
        for bar in bars {
            let mut row = vec![0.0; 6 * place.len()];
            for (end, sign) in [(a, 1.0), (b, -1.0)] {
                let Some(end) = end else { continue };
                // Displacements in radii.
                let arm = (meets - centre(end)).cross(&bar) / row_of(end).radius;
                for k in 0..3 {
                    row[6 * end + k] = sign * bar[k];
                    row[6 * end + 3 + k] = sign * arm[k];
                }
                grips[end] |= !link.slipping;
            }
            rows.push(row);
        }
    }
    let matrix =
        nalgebra::DMatrix::from_fn(rows.len().max(6 * place.len()), 6 * place.len(), |i, j| {
            rows.get(i).map_or(0.0, |row| row[j])
        });
    let parts = matrix.svd(false, true);
    let right = parts.v_t.expect("right vectors");
    let free: Vec<usize> = (0..parts.singular_values.len())
        .filter(|&k| parts.singular_values[k] < 1e-7)
        .collect();
    let mut rigid = 0;
    for (&id, &k) in &place {
        let moves = free.iter().any(|&mode| {
            let components = if grips[k] { 6 } else { 3 };
            (0..components).any(|c| right[(mode, 6 * k + c)].abs() > 1e-5)
        });
        let grain = grains.iter().find(|g| g.grain == id).expect("a grain");
        let told = grain.regime.name() == "rigid";
        // Groups that move as one are rigid too: only who stands by himself must not be told of.
        if !moves {
            assert!(told, "grain {id} cannot move");
            rigid += 1;
        }
    }
    let told = grains.iter().filter(|g| g.regime.name() == "rigid").count();
    assert!(rigid > 5 && told >= rigid, "{rigid} of {told}");
    assert!(summary.nodes.expect("nodes").rest_groups > 0.0);
    println!(
        "{told} of {} are rigid, {rigid} with the walls, {} modes",
        place.len(),
        free.len()
    );
}
