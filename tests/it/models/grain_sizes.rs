//! Sizes of grains: what a distribution asks for comes out, by number and by mass, from fills and feeds.

use arenite::record::read;
use arenite::system::{Counted, RadiusLaw, SizeClasses};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::commands::scenarios_run::run_text;
use crate::support::Dice;

const DRAWN: usize = 100_000;

/// Of drawn radii, the share of what is counted that is finer than `radius`, must be `share`: within 4.5 standard
/// errors of a ratio of sums, and a millionth for classes by which smooth laws are cut.
fn finer_than(radii: &[f64], power: i32, radius: f64, share: f64) {
    let weights: Vec<f64> = radii.iter().map(|r| r.powi(power)).collect();
    let total: f64 = weights.iter().sum();
    let inside = |r: f64| f64::from(u8::from(r < radius));
    let fine: f64 = radii
        .iter()
        .zip(&weights)
        .map(|(&r, w)| w * inside(r))
        .sum();
    let found = fine / total;
    let square: f64 = radii
        .iter()
        .zip(&weights)
        .map(|(&r, w)| (w * (inside(r) - found)).powi(2))
        .sum();
    let error = square.sqrt() / total;
    assert!(
        (found - share).abs() < 4.5 * error + 1e-6,
        "{found} of r^{power} is finer than {radius}, not {share}; standard error {error}"
    );
}

fn draw(law: &RadiusLaw) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let radii: Vec<f64> = (0..DRAWN).map(|_| law.draw(&mut random)).collect();
    assert!(
        radii
            .iter()
            .all(|r| (law.least()..=law.greatest()).contains(r))
    );
    let mean = radii.iter().sum::<f64>() / DRAWN as f64;
    let variance = radii.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / DRAWN as f64;
    let error = (variance / DRAWN as f64).sqrt();
    assert!(
        (mean / law.mean() - 1.0).abs() < 4.5 * error / mean + 1e-12,
        "mean {mean}, told {}",
        law.mean()
    );
    radii
}

/// Sieves with a gap, a class of one size, and one of a factor of four in size: at their ends the table's shares,
/// within a class what lies on the straight line.
#[test]
fn what_sieves_give_comes_out() {
    let rows = [
        [0.001, 0.0],
        [0.002, 0.1],
        [0.003, 0.1],
        [0.003, 0.4],
        [0.004, 0.4],
        [0.016, 1.0],
    ];
    for (counted, power) in [
        (Counted::Number, 0),
        (Counted::Mass(2), 2),
        (Counted::Mass(3), 3),
    ] {
        let classes = SizeClasses::new(&rows, counted).unwrap();
        let law = RadiusLaw::Classes(classes);
        let radii = draw(&law);
        for [radius, share] in rows {
            // The class of one size counts wholly above its own radius.
            let above = radius * if radius == 0.003 { 1.0 + 1e-12 } else { 1.0 };
            let share = if radius == 0.003 { 0.4 } else { share };
            finer_than(&radii, power, above, share);
        }
        finer_than(&radii, power, 0.0015, 0.05);
        finer_than(&radii, power, 0.007, 0.55);
        finer_than(&radii, power, 0.013, 0.85);
        assert!(!radii.iter().any(|r| (0.0020001..0.0029999).contains(r)));
        // The same twice as large.
        let large = draw(&law.clone().scaled(2.0));
        assert!(
            large
                .iter()
                .zip(&radii)
                .all(|(a, b)| (a / b - 2.0).abs() < 1e-12)
        );
    }
}

/// Fills of a scenario by the laws that have a closed form: Rosin and Rammler's by mass, and the log-normal one by number
/// and by mass, cut at three spreads (0.00135 to either side).
#[test]
fn laws_of_sizes_follow_their_formulas() {
    let cut = |share: f64| (share - 0.001_349_898) / (1.0 - 2.0 * 0.001_349_898);
    // Shares of the normal distribution below -1, 0, 1 and 2.
    let normal = [
        (-1.0, 0.158_655_3),
        (0.0, 0.5),
        (1.0, 0.841_344_7),
        (2.0, 0.977_249_9),
    ];
    for (by, dimension, power) in [("number", 2, 0), ("mass", 2, 2), ("mass", 3, 3)] {
        let law = format!("{{ median = 0.004, log_spread = 0.25, by = \"{by}\" }}");
        let radii = filled(dimension, &law);
        for (deviate, share) in normal {
            finer_than(&radii, power, 0.004 * f64::exp(0.25 * deviate), cut(share));
        }
    }
    for (dimension, power) in [(2, 2), (3, 3)] {
        let law = "{ scale = 0.005, exponent = 2.5, min = 0.002, max = 0.008 }";
        let radii = filled(dimension, law);
        let passing = |r: f64| 1.0 - f64::exp(-(r / 0.005_f64).powf(2.5));
        let (low, high) = (passing(0.002), passing(0.008));
        for radius in [0.0025, 0.004, 0.006, 0.0075] {
            let share = (passing(radius) - low) / (high - low);
            finer_than(&radii, power, radius, share);
        }
    }
}

/// Radii of some thousand grains that a scenario starts with.
fn filled(dimension: usize, law: &str) -> Vec<f64> {
    let [max, count] = if dimension == 2 {
        ["[3.0, 3.0]", "8000"]
    } else {
        ["[1.0, 1.0, 1.0]", "20000"]
    };
    let min = if dimension == 2 {
        "[0.0, 0.0]"
    } else {
        "[0.0, 0.0, 0.0]"
    };
    let (folder, _) = run_text(
        dimension,
        &format!(
            "seed = 3\n[run]\nend_time = 1e-6\n[[fill]]\nmaterial = \"thesis-disk\"\n\
             random = {{ count = {count}, radius = {law}, min = {min}, max = {max} }}\n"
        ),
    );
    let grains = read::grains(&folder.path().join("run")).unwrap();
    let times = grains.floats("time").unwrap();
    let radii = grains.floats("radius").unwrap();
    let last = times.iter().copied().fold(0.0, f64::max);
    let at_the_end = times.iter().zip(radii).filter(|(t, _)| **t == last);
    at_the_end.map(|(_, r)| *r).collect()
}

/// A feed by mass has brought, when the next grain comes, as much as its rate asks for until then; a box takes
/// who lies wholly within it, and counts it as discharged.
#[test]
fn a_feed_by_mass_keeps_its_rate() {
    let (folder, figures) = run_text(
        2,
        "seed = 5\n[run]\nend_time = 2.0\noutlet_interval = 0.001\n[log]\nsnapshots = 0.05\n[material.stuff]\ndensity = 1000.0\n\
         [[feed]]\nmaterial = \"stuff\"\nradius = { finer = [[0.002, 0.0], [0.008, 1.0]] }\n\
         count = 100000\nmin = [0.0, 0.0]\nmax = [1.0, 0.1]\nmass_rate = 20.0\nstart = 0.1\n\
         velocity = [0.0, 1.0]\n[[law]]\nbetween = [\"stuff\", \"stuff\"]\n\
         linear = { normal_stiffness = 1e4, tangential_stiffness = 0.0, normal_damping = 0.0, \
         tangential_damping = 0.0, friction = 0.0 }\n\
         [[outlet]]\ninside = { min = [-1.0, 0.2], max = [2.0, 0.4] }\n",
    );
    let events = read::events(&folder.path().join("run")).unwrap();
    let kinds = events.names("kind").unwrap();
    let times = events.floats("time").unwrap();
    let comes: Vec<f64> = kinds
        .iter()
        .zip(times)
        .filter_map(|(kind, time)| (kind.as_deref() == Some("add-body")).then_some(*time))
        .collect();
    let created = figures["grains"]["created"].as_f64().unwrap();
    assert_eq!(comes.len() as f64, created);
    // Each is inside for 0.1 s at least, and a snapshot is taken each 0.05 s.
    let grains = read::grains(&folder.path().join("run")).unwrap();
    let [at, mass, height, radius] =
        ["time", "mass", "y", "radius"].map(|name| grains.floats(name).unwrap().to_vec());
    let ids = grains.integers("grain").unwrap();
    let mut masses = vec![f64::NAN; comes.len()];
    for (&id, &mass) in ids.iter().zip(&mass) {
        masses[id.unwrap() as usize] = mass;
    }
    let mut sum = 0.0;
    for (k, (&time, mass)) in comes.iter().zip(&masses).enumerate() {
        let expected = 0.1 + sum / 20.0;
        assert!(
            (time - expected).abs() < 1e-9,
            "grain {k}: {time}, {expected}"
        );
        sum += mass;
    }
    assert!((sum - 1.9 * 20.0).abs() < 0.2, "{sum} kg in 1.9 s");
    let last = at.iter().copied().fold(0.0, f64::max);
    let left: Vec<usize> = (0..at.len()).filter(|&k| at[k] == last).collect();
    assert!(left.iter().all(|&k| height[k] < 0.2 + radius[k] + 0.002));
    assert_eq!(
        figures["discharge"]["count"].as_f64().unwrap() + left.len() as f64,
        created
    );
}

/// Radii over three decades, in the open and in a periodic box: a start is refused if and only if a look at each pair
/// finds two that overlap.
#[test]
fn overlaps_at_the_start_are_found_whatever_the_sizes() {
    const LENGTH: f64 = 3.0;
    let mut seen = [0, 0];
    for seed in 0..300 {
        let mut dice = Dice(seed);
        let periodic = seed % 2 == 0;
        let grains: Vec<[f64; 3]> = (0..12)
            .map(|_| {
                let radius = 0.5 * libm::exp10(-3.0 * dice.roll());
                [dice.between(0.0, LENGTH), dice.between(0.0, LENGTH), radius]
            })
            .collect();
        let overlaps = |a: &[f64; 3], b: &[f64; 3]| {
            let [x, y] = [0, 1].map(|axis| {
                let d = b[axis] - a[axis];
                d - if periodic {
                    LENGTH * (d / LENGTH).round()
                } else {
                    0.0
                }
            });
            x.hypot(y) < a[2] + b[2]
        };
        let any = (0..grains.len()).any(|b| (0..b).any(|a| overlaps(&grains[a], &grains[b])));
        let written: Vec<String> = grains
            .iter()
            .map(|[x, y, r]| format!("{{position=[{x},{y}],radius={r}}}"))
            .collect();
        let sides = match periodic {
            true => format!("[periodic]\nx=[0.0,{LENGTH}]\ny=[0.0,{LENGTH}]\n"),
            false => String::new(),
        };
        let text = format!(
            "name='x'\ndimension=2\n[run]\nfinish=1.0\nstart_overlap=0.0\n{sides}\
             [[fill]]\nmaterial='thesis-disk'\ngrains=[{}]\n",
            written.join(",")
        );
        let scenario = arenite::scenario::Scenario::parse("x.toml", &text, None, &[]).unwrap();
        match scenario.resolve() {
            Ok(_) => assert!(!any, "seed {seed}: overlaps unseen"),
            Err(problem) => {
                let told = problem.to_string();
                assert!(told.contains("overlap by") && any, "seed {seed}: {told}");
            }
        }
        seen[usize::from(any)] += 1;
    }
    assert!(seen[0] > 30 && seen[1] > 30, "{seen:?}");
}
