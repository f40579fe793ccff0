//! Agglomerates: how shapes are packed and become bonded grains, and what is told of bonds and fragments.

use arenite::body::Grain;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::record::{BodyRef, MemorySink};
use arenite::system::{Setup, bonds_at_start};

use crate::support::{close, driven, finish, run, written_planar, written_spatial};

const BOND: &str = "[law.bond]\ngap = 1e-5\nbeam = { young = 1e8 }\ndamping = 0.05\n";

/// A scenario of grains of a shape; `bond` has the section of the bonds.
fn scenario(dimension: usize, bond: &str, shape: &str, fills: &str, more: &str) -> String {
    format!(
        "name = \"agglomerates\"\ndimension = {dimension}\n{more}\n[run]\nend_time = 0.002\n[log]\nseries = 1e-4\nsnapshots = 1e-3\n\
         [material.rock]\ndensity = 2500.0\n[[law]]\nbetween = [\"rock\", \"rock\"]\n\
         linear = {{ normal_stiffness = 1e5, tangential_stiffness = 5e4, normal_damping = 1.0, tangential_damping = 0.5, friction = 0.4 }}\n\
         {bond}{shape}\n[[fill]]\nmaterial = \"rock\"\n{fills}\n"
    )
}

fn shaped(dimension: usize, shape: &str, fills: &str) -> String {
    let shape = format!("[shape.lump]\nbonded = true\n{shape}");
    scenario(
        dimension,
        BOND,
        &shape,
        &format!("shape = \"lump\"\n{fills}"),
        "",
    )
}

/// One of radius 0.01 at the origin, as given.
fn lone(dimension: usize) -> String {
    format!(
        "grains = [{{ position = {:?}, radius = 0.01 }}]",
        vec![0.0; dimension]
    )
}

fn refused(text: &str, why: &str) {
    let found = driven(text).expect_err("to be refused");
    assert!(found.contains(why), "{found}");
}

/// Number of grains of a lone agglomerate of a shape.
fn count<D: Dimension>(read: impl Fn(&str) -> Setup<D>, shape: &str) -> (usize, usize) {
    let setup = read(&shaped(D::N, shape, &lone(D::N)));
    (setup.grains.len(), bonds_at_start(&setup).unwrap_or(0))
}

/// The densest lattices have 6 and 12 neighbours, each at one diameter.
#[test]
fn lattices_are_the_densest() {
    let plane = |shape: &str| count(written_planar, shape);
    let space = |shape: &str| count(written_spatial, shape);
    assert_eq!(plane("packed = { ball = 3.0, radius = 1.0 }"), (7, 12));
    assert_eq!(space("packed = { ball = 3.0, radius = 1.0 }"), (13, 36));
    // Rows of 5, 4 and 5 disks touch 2, 2 and 2 of the others.
    assert_eq!(
        plane("packed = { brick = [10.0, 5.5], radius = 1.0 }"),
        (13, 26)
    );
    assert_eq!(
        space("packed = { cylinder = { radius = 3.0, length = 2.0 }, radius = 1.0 }"),
        (7, 12)
    );
    assert_eq!(plane("chain = { count = 4, radius = 1.0 }"), (4, 3));
    assert_eq!(
        space("chain = { count = 4, radius = 1.0, distance = 3.0 }"),
        (4, 0)
    );
}

/// Balls that rolled into their places lie inside the outline, do not overlap, and fill it as random packings do.
fn packs_at_random<D: Dimension>(read: impl Fn(&str) -> Setup<D>, share: [f64; 2]) {
    let shape =
        "packed = { ball = 1.0, radius = { min = 0.06, max = 0.09 }, arrangement = \"random\" }";
    let setup = read(&shaped(D::N, shape, &lone(D::N)));
    let grains = &setup.grains;
    let centre = |grains: &[Grain<D>]| {
        let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
        let sum = grains.iter().fold(D::Vector::default(), |sum, grain| {
            sum + grain.position * grain.mass
        });
        sum * (1.0 / mass)
    };
    // Radii are those of the circle or sphere around it all, about its centre of mass.
    assert!(centre(grains).norm() < 1e-12);
    let reach = grains.iter().map(|g| g.position.norm() + g.radius);
    close("reach", reach.fold(0.0, f64::max), 0.01, 1e-12);
    for (k, a) in grains.iter().enumerate() {
        for b in &grains[..k] {
            let gap = (a.position - b.position).norm() - a.radius - b.radius;
            assert!(gap > -1e-9 * a.radius, "{gap}");
        }
    }
    let filled: f64 = grains.iter().map(|g| g.radius.powi(D::N as i32)).sum();
    let filled = filled / 0.01_f64.powi(D::N as i32);
    assert!((share[0]..share[1]).contains(&filled), "{filled}");
    // Each rests on two or three others.
    let bonds = bonds_at_start(&setup).expect("bonds");
    assert!(
        2 * bonds > grains.len() * (2 * D::N - 2),
        "{bonds} {}",
        grains.len()
    );
    let other = shape.replace("\"random\"", "\"random\", seed = 2");
    let other = read(&shaped(D::N, &other, &lone(D::N)));
    assert_ne!(other.grains[0].position, grains[0].position);
}

#[test]
fn random_arrangements_fill_their_outline() {
    packs_at_random::<Planar>(written_planar, [0.68, 0.85]);
    packs_at_random::<Spatial>(written_spatial, [0.40, 0.60]);
}

/// Agglomerates that touch are two bodies, and loose grains are bonded to loose ones only.
#[test]
fn agglomerates_are_bonded_within_themselves() {
    // Lumps of 7 disks side by side, and two loose disks that touch each other and the second lump.
    let radius: f64 = 0.01;
    let part = radius / 3.0;
    let lumps = format!(
        "shape = \"lump\"\ngrains = [{{ position = [0.0, 0.0], radius = {radius} }}, {{ position = [{:?}, 0.0], radius = {radius} }}]\n\
         [[fill]]\nmaterial = \"rock\"\ngrains = [{{ position = [{:?}, 0.0], radius = {part:?} }}, {{ position = [{:?}, 0.0], radius = {part:?} }}]",
        2.0 * radius,
        3.0 * radius + part,
        3.0 * radius + 3.0 * part
    );
    let shape = "[shape.lump]\nbonded = true\npacked = { ball = 3.0, radius = 1.0 }";
    let setup = written_planar(&scenario(2, BOND, shape, &lumps, ""));
    assert_eq!(setup.grains.len(), 16);
    assert_eq!(bonds_at_start(&setup), Some(12 + 12 + 1));
    let (system, sink) = run(&setup);
    let bonds = system.summary().bonds.expect("bonds");
    assert_eq!((bonds.formed, bonds.holding, bonds.fragments), (25, 25, 3));
    close(
        "mass",
        bonds.largest_fragment,
        7.0 * setup.grains[0].mass,
        1e-12,
    );
    let (grains, links) = &sink.snapshots[0];
    let fragments: Vec<u32> = grains.iter().map(|row| row.fragment).collect();
    let wanted: Vec<u32> = [[0; 7].as_slice(), &[7; 7], &[14; 2]].concat();
    assert_eq!(fragments, wanted);
    let bonded: Vec<_> = links.iter().filter(|link| link.bond.is_some()).collect();
    let of = |body: BodyRef| fragments[body.code() as usize];
    assert!(bonded.len() == 25 && bonded.iter().all(|link| of(link.body_a) == of(link.body_b)));
}

/// Agglomerates are turned, moved and spun as shapes are.
#[test]
fn agglomerates_move_as_one() {
    let fill = "grains = [{ position = [0.0, 0.0, 0.0], radius = 0.01, velocity = [1.0, 2.0, 3.0], spin = [0.0, 0.0, 50.0], \
                rotation = [0.0, 1.5707963267948966, 0.0] }, { position = [0.1, 0.0, 0.0], radius = 0.01, spin = [0.0, 50.0, 0.0] }]";
    let setup = written_spatial(&shaped(3, "chain = { count = 3, radius = 1.0 }", fill));
    let [first, ..] = setup.grains[..] else {
        panic!("no grains")
    };
    // Along x, turned about y: the first is at its upper end.
    let arm = 0.02 / 3.0;
    let part = 0.01 / 3.0;
    close("radius", first.radius, part, 1e-12);
    close("upper", first.position[2], arm, 1e-12);
    assert!((first.velocity - nalgebra::Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
    let fourth = &setup.grains[3];
    close("speed", fourth.velocity[2].abs(), 50.0 * arm, 1e-12);
    // As one body: no bond is strained at the start.
    let (_, sink) = run(&setup);
    let begin = &sink.series[0];
    assert!(begin.elastic_bonds < 1e-9 * begin.kinetic, "{begin:?}");
    let turning = &sink.series[sink.series.len() - 1];
    close("turning", turning.kinetic / begin.kinetic, 1.0, 1e-3);
}

/// Two grains that go round each other: the row of their link has the tension that their way needs.
#[test]
fn rows_tell_what_bonds_bear() {
    for (gap, distance) in [(0.0, 0.02), (0.004, 0.023)] {
        let (speed, radius) = (0.5, 0.01);
        let bond = format!(
            "[law.bond]\ngap = {gap:?}\nstiffness = {{ normal = 1e5, shear = 1e5, bending = 10.0 }}\nloads = {{ tension = 1e4 }}\ndamping = 0.1\n"
        );
        let half = 0.5 * distance;
        let spin = speed / half;
        let fill = format!(
            "grains = [{{ position = [{:?}, 0.0], radius = {radius}, velocity = [0.0, {:?}], spin = {spin:?} }}, \
             {{ position = [{half:?}, 0.0], radius = {radius}, velocity = [0.0, {speed:?}], spin = {spin:?} }}]",
            -half, -speed
        );
        let mut setup = written_planar(&scenario(2, &bond, "", &fill, ""));
        setup.run.end_time = 0.2;
        let (system, sink) = run(&setup);
        let (grains, links) = sink.snapshots.last().expect("snapshots");
        let [link] = links[..] else {
            panic!("{links:?}")
        };
        let apart = system.grains_at(0.2);
        let apart = (apart[1].position - apart[0].position).norm();
        let velocity: f64 = grains[0].velocity.iter().map(|v| v * v).sum();
        let wanted = grains[0].mass * velocity / (0.5 * apart);
        let bond = link.bond.expect("a bond");
        close("tension", bond.tension / wanted, 1.0, 1e-4);
        close("share", bond.share, bond.tension / 1e4, 1e-12);
        close("force between them", link.normal_force / wanted, -1.0, 1e-4);
        close("gap", link.overlap, 2.0 * radius - apart, 1e-6);
        assert!(
            bond.shear < 1e-2 * wanted && bond.twisting == 0.0,
            "{bond:?}"
        );
    }
}

/// A chain thrown apart in the middle: two fragments, as the rows, the series and the summary say.
#[test]
fn fragments_are_told() {
    let grains: Vec<String> = (0..6)
        .map(|k| {
            let speed = if k < 3 { -2.0 } else { 2.0 };
            format!("{{ position = [{:?}, 0.0, 0.0], radius = 0.01, velocity = [{speed:?}, 0.0, 0.0] }}", 0.02 * k as f64)
        })
        .collect();
    let bond = format!("{BOND}strength = {{ tension = 2e5, shear = 2e5 }}\n");
    let fill = format!("grains = [{}]", grains.join(", "));
    let setup = written_spatial(&scenario(3, &bond, "", &fill, ""));
    let (system, sink) = run(&setup);
    let bonds = system.summary().bonds.expect("bonds");
    assert_eq!(
        (bonds.formed, bonds.holding, bonds.torn, bonds.fragments),
        (5, 4, 1, 2)
    );
    let last = sink.series.last().and_then(|row| row.bonds).expect("bonds");
    assert_eq!(last, bonds);
    let (rows, links) = sink.snapshots.last().expect("snapshots");
    let fragments: Vec<u32> = rows.iter().map(|row| row.fragment).collect();
    assert_eq!(fragments, [0, 0, 0, 3, 3, 3]);
    assert_eq!(links.iter().filter(|link| link.bond.is_some()).count(), 4);
}

/// Written rows come back as they were.
#[test]
fn rows_of_bonds_are_read_back() {
    use arenite::record::RunFolder;
    use arenite::record::read::Snapshots;
    let text = shaped(3, "packed = { ball = 3.0, radius = 1.0 }", &lone(3)).replace(
        "radius = 0.01 }",
        "radius = 0.01, spin = [30.0, 0.0, 20.0] }",
    );
    let setup = written_spatial(&text);
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run");
    let meta = arenite::system::run_meta(&setup, &text);
    let mut kept = RunFolder::create(&dir, &meta, 1, false).expect("a run folder");
    let mut system = arenite::system::System::new(setup.clone()).expect("a system");
    finish(&mut system, &mut kept);
    kept.finish(&system.summary()).expect("to end");
    let (_, sink): (_, MemorySink) = run(&setup);
    let mut read = Snapshots::open(&dir).expect("snapshots");
    let mut found = 0;
    while let Some(snapshot) = read.next_snapshot().expect("a snapshot") {
        let (grains, links) = &sink.snapshots[found];
        assert_eq!((&snapshot.grains, &snapshot.links), (grains, links));
        found += 1;
    }
    assert!(found >= 2 && found == sink.snapshots.len());
}

/// Across a periodic border agglomerates begin in one piece; bonds that could mistake an image for their grain are refused.
#[test]
fn bonds_know_their_image() {
    let periodic = |length: f64| format!("[periodic]\nx = [0.0, {length:?}]");
    let shape = "[shape.lump]\nbonded = true\nchain = { count = 4, radius = 1.0 }";
    let fill =
        "shape = \"lump\"\ngrains = [{ position = [0.001, 0.02], radius = 0.01, rotation = 0.4 }]";
    let setup = written_planar(&scenario(2, BOND, shape, fill, &periodic(0.06)));
    assert_eq!(bonds_at_start(&setup), Some(3));
    let inside = |grain: &Grain<Planar>| (0.0..0.06).contains(&grain.position[0]);
    assert!(setup.grains.iter().all(inside));
    let (system, sink) = run(&setup);
    assert_eq!(system.summary().bonds.expect("bonds").holding, 3);
    assert!(sink.series.iter().all(|row| row.elastic_bonds < 1e-20));
    // As long as half a period.
    let fill = "grains = [{ position = [0.01, 0.02], radius = 0.005 }, { position = [0.0205, 0.02], radius = 0.005 }]";
    let wide = BOND.replace("1e-5", "1e-3");
    refused(
        &scenario(2, &wide, "", fill, &periodic(0.021)),
        "nearest image",
    );
    // A bond without strength that is drawn out ends the run.
    let fill = "grains = [{ position = [0.01, 0.02], radius = 0.005 }, { position = [0.0205, 0.02], radius = 0.005, velocity = [200.0, 0.0] }]";
    let soft = "[law.bond]\ngap = 1e-3\nstiffness = { normal = 10.0 }\n";
    refused(
        &scenario(2, soft, "", fill, &periodic(0.06)),
        "nearly half the periodic box",
    );
}

#[test]
fn senseless_agglomerates_are_refused() {
    let lump = |shape: &str| shaped(2, shape, &lone(2));
    let all = [
        (
            "packed = { ball = 1.0, brick = [1.0, 1.0], radius = 0.1 }",
            "brick",
        ),
        ("packed = { radius = 0.1 }", "what the balls fill"),
        (
            "packed = { ball = 1.0, radius = 2.0 }",
            "none of its balls fits",
        ),
        (
            "packed = { ball = 1.0, radius = 1e-5 }",
            "balls would have to be tried",
        ),
        (
            "packed = { ball = 1.0, radius = 1e-5, arrangement = \"random\" }",
            "balls would have to be tried",
        ),
        (
            "packed = { ball = 1.0, radius = { min = 0.1, max = 0.2 } }",
            "all radii are equal",
        ),
        (
            "packed = { ball = 1.0, radius = 0.1, seed = 3 }",
            "a lattice draws nothing",
        ),
        (
            "packed = { cylinder = { radius = 1.0, length = 1.0 }, radius = 0.1 }",
            "outline in space",
        ),
        ("packed = { ball = 1.0, radius = 0.004 }", "at most 10000"),
        ("chain = { count = 0, radius = 0.1 }", "count"),
        (
            "chain = { count = 3, radius = 0.1, distance = 0.0 }",
            "distance",
        ),
        (
            "chain = { count = 3, radius = 0.1 }\npacked = { ball = 1.0, radius = 0.1 }",
            "chain",
        ),
    ];
    for (shape, why) in all {
        refused(&lump(shape), why);
    }
    let arcs = "arcs = [{ centre = [0.0, 0.0], radius = 1.0, from_angle = 0.0, to_angle = 3.0 }]";
    refused(&lump(arcs), "which nothing bonds");
    refused(&lump("spheres = []"), "2 dimensions");
    // Parts in each other would burst their bonds.
    refused(
        &lump("chain = { count = 3, radius = 0.1, distance = 0.15 }"),
        "part 1 of",
    );
    refused(
        &lump("chain = { count = 1, radius = 0.1 }").replace(", radius = 0.01 }", " }"),
        "several parts",
    );
    // What overlaps is measured by the parts, not by the whole.
    let two = "grains = [{ position = [0.0, 0.0] }, { position = [0.098, 0.0] }]";
    let shape = "packed = { ball = 0.05, radius = 0.002 }";
    refused(&shaped(2, shape, two), "overlap by");
    let chain = "chain = { count = 3, radius = 0.1 }";
    refused(
        &lump(chain).replace(BOND, ""),
        "nothing holds the agglomerates",
    );
    refused(
        &lump(chain).replace("gap = 1e-5", "gap = 1.0"),
        "bonds would reach over others",
    );
    let feed = "[[feed]]\nmaterial = \"rock\"\nshape = \"lump\"\nradius = 0.01\ncount = 3\nevery = 0.1\nmin = [0.0, 0.1]\nmax = [0.1, 0.2]\n";
    refused(&format!("{}{feed}", lump(chain)), "by a [[fill]]");
}

/// Agglomerates whose parts are too far apart for all of them to be bonded are told.
#[test]
fn agglomerates_in_pieces_are_told() {
    let parts = "disks = [{ centre = [0.0, 0.0], radius = 1.0 }, { centre = [2.0, 0.0], radius = 1.0 }, { centre = [4.5, 0.0], radius = 1.0 }]";
    let text = shaped(2, parts, &lone(2));
    let (_, summary) = driven(&text).expect("to run");
    let told = summary
        .warnings
        .iter()
        .find(|w| w.contains("begin in pieces"));
    assert!(
        told.is_some_and(|w| w.starts_with("1 of 1") && w.contains("reach 1 of")),
        "{told:?}"
    );
    let (_, summary) = driven(&text.replace("gap = 1e-5", "gap = 2e-3")).expect("to run");
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
}

/// A run whose laws bond nothing says so.
#[test]
fn a_run_without_bonds_warns() {
    let fill = "grains = [{ position = [0.0, 0.0], radius = 0.01 }, { position = [0.1, 0.0], radius = 0.01 }]";
    let text = scenario(2, BOND, "", fill, "");
    let (_, summary) = driven(&text).expect("to run");
    let warned = |summary: &arenite::record::Summary| {
        summary
            .warnings
            .iter()
            .any(|w| w.contains("no grains are bonded"))
    };
    assert!(warned(&summary), "{:?}", summary.warnings);
    let near = text.replace("[0.1, 0.0]", "[0.02, 0.0]");
    let (_, summary) = driven(&near).expect("to run");
    assert!(!warned(&summary));
}
